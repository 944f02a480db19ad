/* kernel_avx512.c - a tile in two levels, for AVX-512 with VBMI2 and GFNI.
 *
 * Most bytes of JSON say nothing about its grammar. So the first level, over
 * all bytes, only finds out what is inside strings and packs two kinds of bytes
 * densely, of which the second level then takes 64 at a time:
 *
 *   tokens    the signs ,:{}[] and the first byte of each string, number and
 *             literal: what the grammar is about, 6 to 10 of 64 bytes
 *   scalars   all bytes of numbers and literals, each with one byte behind it
 *
 *   {"id":10, "on":true}    tokens   { " : 1 , " : t }
 *                           scalars  1 0 , t r u e }
 *
 * Escapes and UTF-8 are looked at apart, where there are any. Nothing branches
 * on the data but where that is rare: a wrong guess of the processor costs more
 * than 64 bytes do. dense_avx512.h has the second level.
 */
#include "kernel.h"

#ifdef SC_KERNEL_AVX512
#include <immintrin.h>
#include <string.h>

#include "cpu_x86.h"
#include "tiles.h"
#include "utf8_lookup.h"

#define TARGET                                                                 \
    "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,gfni,bmi,bmi2," \
    "popcnt,pclmul"
#define TUNE "tune=icelake-server" /* gcc: a tenth faster than its default */
#include "target_begin.h"

#include "dense_avx512.h"

/* A stride of the first level: eight blocks, for each kind of byte a vector of
   eight masks with a bit for each byte. */
#define STRIDE_BLOCKS 8
#define STRIDE_BYTES (64 * STRIDE_BLOCKS)
#define TILE_BLOCKS (SC_TILE_BYTES / 64)

enum {
    QUOTE = 1,
    BACKSLASH = 2,
    CONTROL = 4,
    SIGN = 8,
    SPACE = 16,
    LINE_END = 32
};

static const uint8_t kinds[128] ALIGNED = {
    [0 ... 8] = CONTROL, [0x0B] = CONTROL, [0x0C] = CONTROL,
    [0x0E ... 0x1F] = CONTROL,
    ['\t'] = CONTROL | SPACE,
    ['\n'] = CONTROL | SPACE | LINE_END,
    ['\r'] = CONTROL | SPACE | LINE_END,
    [' '] = SPACE,
    ['"'] = QUOTE,
    ['\\'] = BACKSLASH,
    [','] = SIGN, [':'] = SIGN,
    ['{'] = SIGN, ['}'] = SIGN, ['['] = SIGN, [']'] = SIGN,
};

/* Of eight blocks, each kind a mask for each block. */
struct masks {
    __m512i quote, backslash, control, sign, space, line_end;
};

/* What goes from one stride to the next. */
struct carry {
    uint64_t in_string; /* 0 or 1, as the others */
    uint64_t escaped;   /* the next byte is */
    uint64_t in_scalar;
};

/* What is known of a tile. */
struct pass {
    uint8_t pad[STRIDE_BYTES] ALIGNED; /* the end of the tile, then spaces */
    uint64_t escaped[TILE_BLOCKS] ALIGNED; /* a mask for each block */
    uint64_t with_escapes[TILE_BLOCKS / 64]; /* a bit for each block */
    struct dense dense;
};

/* One block: six masks, one in each quadword, in the order of the bits above. A
   product with the unit matrix transposes eight bytes of eight bits, so that a
   byte has one bit of each; a permutation brings those of one kind together. */
INLINE __m512i block_kinds(__m512i block)
{
    const __m512i reverse = _mm512_set4_epi32(0x08090A0B, 0x0C0D0E0F,
                                              0x00010203, 0x04050607);
    const __m512i unit = _mm512_set1_epi64((long long)0x8040201008040201);
    const __m512i strided = _mm512_set_epi8(
        63, 55, 47, 39, 31, 23, 15, 7, 62, 54, 46, 38, 30, 22, 14, 6,
        61, 53, 45, 37, 29, 21, 13, 5, 60, 52, 44, 36, 28, 20, 12, 4,
        59, 51, 43, 35, 27, 19, 11, 3, 58, 50, 42, 34, 26, 18, 10, 2,
        57, 49, 41, 33, 25, 17, 9, 1, 56, 48, 40, 32, 24, 16, 8, 0);
    __m512i found = look_up(kinds, _mm512_shuffle_epi8(ascii(block), reverse));

    found = _mm512_gf2p8affine_epi64_epi8(unit, found, 0);
    return _mm512_permutexvar_epi8(strided, found);
}

/* Eight blocks: turn rows of masks, one of each kind, to columns. */
INLINE struct masks stride_masks(const uint8_t *p, __m512i *seen, bool lines)
{
    const __m512i first = _mm512_set_epi64(11, 10, 3, 2, 9, 8, 1, 0);
    const __m512i second = _mm512_set_epi64(0, 0, 0, 0, 13, 12, 5, 4);
    __m512i even[4], odd[4], low, high;
    struct masks m;

    for (int i = 0; i < 4; i++) {
        __m512i a = load(p + 128 * i), b = load(p + 128 * i + 64);
        *seen = _mm512_ternarylogic_epi64(*seen, a, b, 0xFE); /* or */
        a = block_kinds(a);
        b = block_kinds(b);
        even[i] = _mm512_unpacklo_epi64(a, b);
        odd[i] = _mm512_unpackhi_epi64(a, b);
    }
    low = _mm512_permutex2var_epi64(even[0], first, even[1]);
    high = _mm512_permutex2var_epi64(even[2], first, even[3]);
    m.quote = _mm512_shuffle_i64x2(low, high, 0x44);
    m.control = _mm512_shuffle_i64x2(low, high, 0xEE);
    low = _mm512_permutex2var_epi64(odd[0], first, odd[1]);
    high = _mm512_permutex2var_epi64(odd[2], first, odd[3]);
    m.backslash = _mm512_shuffle_i64x2(low, high, 0x44);
    m.sign = _mm512_shuffle_i64x2(low, high, 0xEE);
    low = _mm512_permutex2var_epi64(even[0], second, even[1]);
    high = _mm512_permutex2var_epi64(even[2], second, even[3]);
    m.space = _mm512_shuffle_i64x2(low, high, 0x44);
    m.line_end = _mm512_setzero_si512();
    if (lines) {
        low = _mm512_permutex2var_epi64(odd[0], second, odd[1]);
        high = _mm512_permutex2var_epi64(odd[2], second, odd[3]);
        m.line_end = _mm512_shuffle_i64x2(low, high, 0x44);
    }
    return m;
}

/* The last bit of each mask. */
INLINE unsigned last_bits(__m512i masks)
{
    return _mm512_movepi64_mask(masks);
}

/* For each mask the bit of the one before, for the first one the carry. */
INLINE __m512i carried(__m512i bits, uint64_t carry)
{
    return _mm512_alignr_epi64(bits, _mm512_set1_epi64((long long)carry), 7);
}

/* All masks one byte on, with the last byte of the stride before. */
INLINE __m512i all_behind(__m512i masks, uint64_t *carry)
{
    __m512i before = carried(_mm512_srli_epi64(masks, 63), *carry);

    *carry = last_bits(masks) >> 7;
    return _mm512_or_si512(_mm512_slli_epi64(masks, 1), before);
}

/* escaped_of for eight masks. A carry goes only to the next one, unless that is
   nothing but backslashes: then one by one. */
static NOINLINE __m512i escaped_of_each(__m512i backslash, uint64_t *carry)
{
    const __m512i odd = _mm512_set1_epi64((long long)0xAAAAAAAAAAAAAAAA);
    const __m512i all = _mm512_set1_epi64(-1);
    __m512i ends, before, escaping;

    if (_mm512_cmpeq_epi64_mask(backslash, all)) {
        uint64_t masks[STRIDE_BLOCKS] ALIGNED;
        _mm512_store_si512(masks, backslash);
        for (int i = 0; i < STRIDE_BLOCKS; i++)
            masks[i] = escaped_of(masks[i], carry);
        return _mm512_load_si512(masks);
    }
    ends = _mm512_or_si512(_mm512_slli_epi64(backslash, 1), odd);
    ends = _mm512_xor_si512(_mm512_sub_epi64(ends, backslash), odd);
    before = _mm512_srli_epi64(_mm512_and_si512(ends, backslash), 63);
    before = carried(before, *carry);
    escaping = _mm512_andnot_si512(before, backslash);
    ends = _mm512_or_si512(_mm512_slli_epi64(escaping, 1), odd);
    ends = _mm512_xor_si512(_mm512_sub_epi64(ends, escaping), odd);
    *carry = last_bits(_mm512_and_si512(ends, backslash)) >> 7;
    return _mm512_xor_si512(ends, _mm512_or_si512(backslash, before));
}

/* From each opening quote to before the closing one. */
INLINE __m512i inside(__m512i quote, uint64_t *carry)
{
    __m512i in = quote;
    unsigned odd;

    in = _mm512_xor_si512(in, _mm512_slli_epi64(in, 1));
    in = _mm512_xor_si512(in, _mm512_slli_epi64(in, 2));
    in = _mm512_xor_si512(in, _mm512_slli_epi64(in, 4));
    in = _mm512_xor_si512(in, _mm512_slli_epi64(in, 8));
    in = _mm512_xor_si512(in, _mm512_slli_epi64(in, 16));
    in = _mm512_xor_si512(in, _mm512_slli_epi64(in, 32));
    odd = last_bits(in); /* masks with an odd number of quotes */
    odd ^= odd << 1;
    odd ^= odd << 2;
    odd ^= odd << 4; /* and now: up to and with this mask */
    odd = (odd << 1 ^ (*carry ? 0x1FFu : 0)) & 0x1FF;
    *carry = odd >> 8;
    return _mm512_mask_xor_epi64(in, (__mmask8)odd, in, _mm512_set1_epi64(-1));
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

/* The masks of the bytes that a stride has; the others are padding. */
INLINE __m512i valid_masks(size_t len)
{
    const __m512i ends =
        _mm512_set_epi64(512, 448, 384, 320, 256, 192, 128, 64);
    __m512i missing = _mm512_sub_epi64(ends, _mm512_set1_epi64((long long)len));

    missing = _mm512_max_epi64(missing, _mm512_setzero_si512());
    return _mm512_srlv_epi64(_mm512_set1_epi64(-1), missing);
}

/* The first level. Returns whether control characters stand where they may;
   *high: whether there is a byte that is not ASCII. */
INLINE bool first_level(struct pass *pass, struct sc_tile *t, bool lines,
                        bool *high)
{
    struct carry carry = {t->in_string, 0, 0};
    struct dense *dense = &pass->dense;
    uint8_t *tokens = dense->tokens + FIRST;
    uint8_t *scalars = dense->scalars + FIRST;
    __m512i bad = _mm512_setzero_si512(), seen = bad;

    for (size_t at = 0; at < t->len; at += STRIDE_BYTES) {
        size_t left = t->len - at;
        const uint8_t *p = left < STRIDE_BYTES ? pass->pad : t->data + at;
        __m512i valid = valid_masks(left);
        __m512i escaped = _mm512_setzero_si512();
        struct masks m = stride_masks(p, &seen, lines);
        __m512i in, signs, scalar, after, token;
        uint64_t token_masks[STRIDE_BLOCKS] ALIGNED;
        uint64_t scalar_masks[STRIDE_BLOCKS] ALIGNED;

        if (_mm512_test_epi64_mask(m.backslash, m.backslash) | carry.escaped) {
            escaped = escaped_of_each(m.backslash, &carry.escaped);
            escaped = _mm512_and_si512(escaped, valid);
            pass->with_escapes[at / 64 / 64] |=
                (uint64_t)_mm512_test_epi64_mask(escaped, escaped)
                << at / 64 % 64;
        }
        _mm512_store_si512(pass->escaped + at / 64, escaped);
        m.quote = _mm512_andnot_si512(escaped, m.quote);
        in = inside(m.quote, &carry.in_string);
        bad = _mm512_or_si512(bad, _mm512_and_si512(m.control, in));
        signs = _mm512_andnot_si512(in, _mm512_or_si512(m.sign, m.line_end));
        /* neither in a string nor a quote, a sign, a space */
        scalar = _mm512_ternarylogic_epi64(in, m.quote, m.sign, 0x01);
        scalar = _mm512_andnot_si512(m.space, scalar);
        after = all_behind(scalar, &carry.in_scalar);
        token = _mm512_and_si512(m.quote, in);
        token = _mm512_ternarylogic_epi64(token, scalar, after, 0xF4);
        token = _mm512_or_si512(token, signs);
        scalar = _mm512_and_si512(_mm512_or_si512(scalar, after), valid);
        _mm512_store_si512(token_masks, token);
        _mm512_store_si512(scalar_masks, scalar);
        for (int i = 0; i < STRIDE_BLOCKS; i++) {
            __m512i block = load(p + 64 * i);
            tokens = pack(tokens, block, token_masks[i]);
            scalars = pack(scalars, block, scalar_masks[i]);
        }
    }
    dense->token_count = (size_t)(tokens - dense->tokens) - FIRST;
    dense->scalar_count = (size_t)(scalars - dense->scalars) - FIRST;
    t->in_string = carry.in_string;
    *high = _mm512_movepi8_mask(seen) != 0;
    return _mm512_test_epi64_mask(bad, bad) == 0;
}

/* Block i of the tile; *valid gets the bytes that it has. */
INLINE __m512i tile_block(const struct pass *pass, const struct sc_tile *t,
                          size_t i, uint64_t *valid)
{
    size_t left = t->len - 64 * i;
    const uint8_t *p = t->data + 64 * i;

    *valid = ~UINT64_C(0);
    if (left < 64) {
        *valid >>= 64 - left;
        p = pass->pad + 64 * i % STRIDE_BYTES;
    }
    return load(p);
}

static uint64_t is_escape_letter(__m512i block)
{
    static const uint8_t letters[128] ALIGNED = {
        ['"'] = 1, ['\\'] = 1, ['/'] = 1, ['b'] = 1, ['f'] = 1,
        ['n'] = 1, ['r'] = 1, ['t'] = 1, ['u'] = 1,
    };
    __m512i found = look_up(letters, ascii(block));

    return _mm512_test_epi8_mask(found, found);
}

static uint64_t is_hex(__m512i block)
{
    __m512i lower = _mm512_or_si512(block, BYTES(0x20));

    return _mm512_cmplt_epu8_mask(_mm512_sub_epi8(block, BYTES('0')),
                                  BYTES(10)) |
           _mm512_cmplt_epu8_mask(_mm512_sub_epi8(lower, BYTES('a')), BYTES(6));
}

INLINE bool has_escapes(const struct pass *pass)
{
    uint64_t any = 0;

    for (size_t i = 0; i < TILE_BLOCKS / 64; i++)
        any |= pass->with_escapes[i];
    return any != 0;
}

/* Is each escaped byte one that may be, and is each u followed by four digits?
   Some of these may be missing at the end. */
static NOINLINE bool escapes_are_good(struct pass *pass,
                                      const struct sc_tile *t)
{
    uint64_t before = 0;
    size_t blocks = (t->len + 63) / 64;
    uint64_t bad = 0;

    for (size_t i = 0; i < blocks; i++) {
        uint64_t escaped = pass->escaped[i], valid, u, digits;
        __m512i block;

        if (!(escaped | before)) {
            /* go to the next block that has any */
            uint64_t more = pass->with_escapes[i / 64] >> i % 64;
            i = more ? i + (size_t)__builtin_ctzll(more) - 1 : i | 63;
            continue;
        }
        block = tile_block(pass, t, i, &valid);
        u = escaped & _mm512_cmpeq_epi8_mask(block, BYTES('u'));
        digits = hex_places(u, &before);
        bad |= escaped & ~is_escape_letter(block);
        bad |= digits & valid & ~is_hex(block);
    }
    return bad == 0;
}

/* Is all of it well-formed UTF-8, but for what is missing at the end? */
static NOINLINE bool utf8_is_good(const struct pass *pass,
                                  const struct sc_tile *t)
{
    const __m512i first_high = each16(utf8_first_high);
    const __m512i first_low = each16(utf8_first_low);
    const __m512i second_high = each16(utf8_second_high);
    const __m512i half = BYTES(0x0F);
    const __m512i two_on = _mm512_set_epi64(13, 12, 11, 10, 9, 8, 7, 6);
    __m512i before = _mm512_setzero_si512(), bad = before;
    size_t blocks = (t->len + 63) / 64;

    for (size_t i = 0; i < blocks; i++) {
        uint64_t valid;
        __m512i block = tile_block(pass, t, i, &valid);
        /* 16 bytes back, and from these 1, 2 and 3 bytes back */
        __m512i back16 = _mm512_permutex2var_epi64(before, two_on, block);
        __m512i back1 = _mm512_alignr_epi8(block, back16, 15);
        __m512i back2 = _mm512_alignr_epi8(block, back16, 14);
        __m512i back3 = _mm512_alignr_epi8(block, back16, 13);
        __m512i a = _mm512_shuffle_epi8(
            first_high, _mm512_and_si512(_mm512_srli_epi16(back1, 4), half));
        __m512i b = _mm512_shuffle_epi8(first_low,
                                        _mm512_and_si512(back1, half));
        __m512i c = _mm512_shuffle_epi8(
            second_high, _mm512_and_si512(_mm512_srli_epi16(block, 4), half));
        /* 80 and more: the third byte of three, third or fourth of four */
        __m512i third = _mm512_or_si512(
            _mm512_subs_epu8(back2, BYTES(0xE0 - 0x80)),
            _mm512_subs_epu8(back3, BYTES(0xF0 - 0x80)));
        __m512i faults = _mm512_ternarylogic_epi64(a, b, c, 0x80); /* and */

        /* (third & 0x80) ^ faults */
        faults = _mm512_ternarylogic_epi64(third, BYTES(0x80), faults, 0x6A);
        bad = _mm512_or_si512(bad, _mm512_maskz_mov_epi8(valid, faults));
        before = block;
    }
    return _mm512_test_epi8_mask(bad, bad) == 0;
}

INLINE bool scan(struct sc_tile *t, bool lines)
{
    struct pass pass;
    size_t rest = t->len % STRIDE_BYTES;
    bool high;

    memset(pass.with_escapes, 0, sizeof pass.with_escapes);
    if (rest) {
        memset(pass.pad, ' ', sizeof pass.pad);
        memcpy(pass.pad, t->data + t->len - rest, rest);
    }
    dense_begin(&pass.dense, t->state);
    if (!first_level(&pass, t, lines, &high))
        return false;
    return (!has_escapes(&pass) || escapes_are_good(&pass, t)) &&
           (!high || utf8_is_good(&pass, t)) &&
           tokens_are_good(&pass.dense, t) && scalars_are_good(&pass.dense);
}

static NOINLINE bool scan_one(struct sc_tile *t)
{
    return scan(t, false);
}

static NOINLINE bool scan_lines(struct sc_tile *t)
{
    return scan(t, true);
}

static bool scan_tile(struct sc_tile *t)
{
    return t->lines ? scan_lines(t) : scan_one(t);
}

#include "target_end.h"

static size_t skip(struct sc_lex *lex, const uint8_t *data, size_t len,
                   uint32_t floor, uint64_t *count)
{
    return sc_tiles_skip(scan_tile, lex, data, len, floor, count);
}

const struct sc_kernel sc_kernel_avx512 = {"avx512", sc_cpu_has_avx512, skip};

#endif
