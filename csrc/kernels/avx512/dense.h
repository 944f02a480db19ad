/* dense.h - the bytes that kernel_avx512.c packs, and the small steps
 * that its parts have in common.
 *
 * All parts ask first what may follow what of two neighbours: a table gives the
 * class of each byte, a second one the classes that may come behind it, and
 * each byte must share a bit with what the one before it allows. The rest is
 * done in masks with a bit for each byte.
 */
#ifndef STREAMCLIP_DENSE_AVX512_H
#define STREAMCLIP_DENSE_AVX512_H

#include "kernels/bits.h"
#include "kernels/tiles.h"

#define ALIGNED __attribute__((aligned(64)))
#define BYTES(byte) _mm512_set1_epi8((char)(byte))

/* A stride of the first level is eight blocks: a vector has a mask for each of
   them, with a bit for each byte. */
#define STRIDE_BLOCKS 8
#define STRIDE_BYTES (64 * STRIDE_BLOCKS)

/* Where the packed bytes begin, so that they are aligned and the byte before
   them is in the same array. */
#define FIRST 64

/* Of 64 scalars, a mask for each of their classes, in the order of the bits. */
struct scalar_masks {
    uint64_t digit, zero, minus, plus, point, exponent, letter, end;
};

/* What is packed: tokens and scalars behind a byte, at FIRST - 1, that stands
   for what was before the tile, all with room for a vector at the end. */
struct dense {
    uint8_t tokens[FIRST + SC_TILE_BYTES + 64] ALIGNED;
    uint8_t scalars[FIRST + SC_TILE_BYTES + 64] ALIGNED;
    size_t token_count;
    size_t scalar_count;
    struct scalar_masks scalar_masks[SC_TILE_BYTES / 64] ALIGNED;
    uint8_t brackets[SC_TILE_BYTES + 64] ALIGNED; /* of the tokens */
    size_t bracket_count;
    /* A bit for each bracket: is what follows it directly in an object where
       what came before was not, or the other way round? At the floor? */
    uint64_t kind_changes[SC_TILE_BYTES / 64 + 1];
    uint64_t floor_changes[SC_TILE_BYTES / 64 + 1];
    bool has_literals; /* among the tokens */
};

/* Eight bytes, of which byte k has only bit k. */
#define UNIT _mm512_set1_epi64((long long)0x8040201008040201)

INLINE __m512i load(const uint8_t *p)
{
    return _mm512_loadu_si512(p);
}

/* Take all that is not ASCII for 0x7F, which is good for nothing either. */
INLINE __m512i ascii(__m512i bytes)
{
    return _mm512_min_epu8(bytes, BYTES(0x7F));
}

INLINE __m512i look_up(const uint8_t *table, __m512i bytes)
{
    return _mm512_permutex2var_epi8(_mm512_load_si512(table), bytes,
                                    _mm512_load_si512(table + 64));
}

INLINE uint64_t with_any(__m512i classes, int any)
{
    return _mm512_test_epi8_mask(classes, BYTES(any));
}

/* Of each eight bytes bit k as byte k, the last byte first: a product with the
   unit matrix transposes eight bytes of eight bits. */
INLINE __m512i transposed(__m512i bytes)
{
    return _mm512_gf2p8affine_epi64_epi8(UNIT, bytes, 0);
}

/* Bits 7 to 0 of each byte as its bits 0 to 7. */
INLINE __m512i turned_around(__m512i bytes)
{
    return _mm512_gf2p8affine_epi64_epi8(bytes, UNIT, 0);
}

/* Bit k of each byte as a mask, in quadword k. */
INLINE __m512i masks_of_bits(__m512i bytes)
{
    static const uint8_t by_bit[64] ALIGNED = {
        0, 8, 16, 24, 32, 40, 48, 56, 1, 9, 17, 25, 33, 41, 49, 57,
        2, 10, 18, 26, 34, 42, 50, 58, 3, 11, 19, 27, 35, 43, 51, 59,
        4, 12, 20, 28, 36, 44, 52, 60, 5, 13, 21, 29, 37, 45, 53, 61,
        6, 14, 22, 30, 38, 46, 54, 62, 7, 15, 23, 31, 39, 47, 55, 63,
    };

    return turned_around(_mm512_permutexvar_epi8(_mm512_load_si512(by_bit),
                                                 transposed(bytes)));
}

/* Put the bytes of a mask at `to`, which has room for 64. Mostly they are few;
   half a vector is stored at half the cost. */
INLINE uint8_t *pack(uint8_t *to, __m512i block, uint64_t mask)
{
    __m512i packed = _mm512_maskz_compress_epi8(mask, block);
    unsigned count = (unsigned)_mm_popcnt_u64(mask);

    _mm256_storeu_si256((void *)to, _mm512_castsi512_si256(packed));
    if (count > 32)
        _mm512_storeu_si512(to, packed);
    return to + count;
}

/* Bit i: the parity of bits 0 to i. */
INLINE uint64_t parity(uint64_t x)
{
    const __m128i ones = _mm_set1_epi8(-1);
    __m128i product = _mm_clmulepi64_si128(_mm_cvtsi64_si128((long long)x),
                                           ones, 0);

    return (uint64_t)_mm_cvtsi128_si64(product);
}

#endif
