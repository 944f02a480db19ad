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
 * than 64 bytes do. And each step goes over the whole tile before the next one
 * does: in short loops the processor sees further ahead.
 *
 *   find_kinds    the bytes, as masks of what kind of byte is where
 *   find_tokens   what is in strings; where tokens and scalars are
 *   pack_bytes    these
 *   tokens.h, scalars.h, utf8.h    the second level
 */
#include "kernels/kernel.h"

#ifdef SC_KERNEL_AVX512
#include <immintrin.h>
#include <string.h>

#include "kernels/cpu_x86.h"
#include "kernels/tiles.h"

#define TARGET                                                                 \
    "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,gfni,bmi,bmi2," \
    "popcnt,pclmul"
#define TUNE "tune=icelake-server" /* gcc: a tenth faster than its default */
#include "kernels/target_begin.h"

#include "kernels/avx512/scalars.h"
#include "kernels/avx512/tokens.h"
#include "kernels/avx512/utf8.h"

#define TILE_BLOCKS (SC_TILE_BYTES / 64)
_Static_assert(TILE_BLOCKS % 64 == 0, "a bit for each block fills words");

/* What the first level tells bytes by: eight kinds, so three bits. */
enum { OTHER, QUOTE, BACKSLASH, SIGN, SPACE, TAB, LINE_END, CONTROL };

static const uint8_t kinds[128] ALIGNED = {
    [0 ... 8] = CONTROL, ['\t'] = TAB, ['\n'] = LINE_END,
    [0x0B ... 0x0C] = CONTROL, ['\r'] = LINE_END, [0x0E ... 0x1F] = CONTROL,
    [' '] = SPACE,
    ['"'] = QUOTE, ['\\'] = BACKSLASH,
    [','] = SIGN, [':'] = SIGN,
    ['{'] = SIGN, ['}'] = SIGN, ['['] = SIGN, [']'] = SIGN,
};

/* Of a stride: each bit of the kinds, as a vector of a mask for each block. */
struct stride {
    __m512i bit0, bit1, bit2;
};

/* Where there are bytes of some kinds. A function of three bits is eight bits:
   the one at each kind tells whether that is wanted. */
#define IS(kind) (1 << (kind))
#define WHERE(s, kinds)                                                        \
    _mm512_ternarylogic_epi64((s).bit2, (s).bit1, (s).bit0, kinds)

/* What goes from one stride to the next. */
struct carry {
    uint64_t in_string; /* 0 or 1, as the others */
    uint64_t escaped;   /* the next byte is */
    uint64_t in_scalar;
};

/* What is known of a tile. */
struct pass {
    uint8_t pad[STRIDE_BYTES] ALIGNED; /* the end of the tile, then spaces */
    struct stride strides[SC_TILE_BYTES / STRIDE_BYTES];
    uint64_t high; /* a bit for each stride: is there more than ASCII? */
    /* a mask for each block: */
    uint64_t escaped[TILE_BLOCKS] ALIGNED;
    uint64_t tokens[TILE_BLOCKS] ALIGNED;
    uint64_t scalars[TILE_BLOCKS] ALIGNED;
    uint64_t with_escapes[TILE_BLOCKS / 64]; /* a bit for each block */
    struct dense dense;
};

INLINE __m512i transposed_kinds(__m512i block)
{
    return transposed(look_up(kinds, ascii(block)));
}

/* Look at the bytes of a stride; *seen gets all their bits. */
INLINE struct stride stride_kinds(const uint8_t *p, __m512i *seen)
{
    /* of two blocks: their bytes 0 of all quadwords, then bytes 1, then 2 */
    static const uint8_t by_bit[64] ALIGNED = {
        0, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96, 104, 112, 120,
        1, 9, 17, 25, 33, 41, 49, 57, 65, 73, 81, 89, 97, 105, 113, 121,
        2, 10, 18, 26, 34, 42, 50, 58, 66, 74, 82, 90, 98, 106, 114, 122,
    };
    __m512i two[4], first, last;
    struct stride s;

    for (int i = 0; i < 4; i++) {
        __m512i a = load(p + 128 * i), b = load(p + 128 * i + 64);
        *seen = _mm512_ternarylogic_epi64(*seen, a, b, 0xFE); /* or */
        two[i] = _mm512_permutex2var_epi8(transposed_kinds(a),
                                          _mm512_load_si512(by_bit),
                                          transposed_kinds(b));
    }
    first = _mm512_shuffle_i64x2(two[0], two[1], 0x44);
    last = _mm512_shuffle_i64x2(two[2], two[3], 0x44);
    s.bit0 = _mm512_shuffle_i64x2(first, last, 0x88);
    s.bit1 = _mm512_shuffle_i64x2(first, last, 0xDD);
    first = _mm512_shuffle_i64x2(two[0], two[1], 0xEE);
    last = _mm512_shuffle_i64x2(two[2], two[3], 0xEE);
    s.bit2 = _mm512_shuffle_i64x2(first, last, 0x88);
    s.bit0 = turned_around(s.bit0);
    s.bit1 = turned_around(s.bit1);
    s.bit2 = turned_around(s.bit2);
    return s;
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

/* The masks of the bytes that a stride has; the others are padding. */
INLINE __m512i valid_masks(size_t len)
{
    const __m512i ends =
        _mm512_set_epi64(512, 448, 384, 320, 256, 192, 128, 64);
    __m512i missing = _mm512_sub_epi64(ends, _mm512_set1_epi64((long long)len));

    missing = _mm512_max_epi64(missing, _mm512_setzero_si512());
    return _mm512_srlv_epi64(_mm512_set1_epi64(-1), missing);
}

/* Where the bytes of stride i are. */
INLINE const uint8_t *stride_at(const struct pass *pass,
                                const struct sc_tile *t, size_t i)
{
    return i < t->len / STRIDE_BYTES ? t->data + i * STRIDE_BYTES : pass->pad;
}

static NOINLINE void find_kinds(struct pass *pass, const struct sc_tile *t)
{
    pass->high = 0;
    for (size_t i = 0; i * STRIDE_BYTES < t->len; i++) {
        __m512i seen = _mm512_setzero_si512();
        pass->strides[i] = stride_kinds(stride_at(pass, t, i), &seen);
        pass->high |= (uint64_t)(_mm512_movepi8_mask(seen) != 0) << i;
    }
}

/* Where are tokens and scalars? Returns whether control characters stand only
   where they may. */
INLINE bool find_tokens(struct pass *pass, struct sc_tile *t, bool lines)
{
    struct carry carry = {t->in_string, 0, 0};
    __m512i bad = _mm512_setzero_si512();

    for (size_t at = 0; at < t->len; at += STRIDE_BYTES) {
        size_t left = t->len - at;
        struct stride s = pass->strides[at / STRIDE_BYTES];
        __m512i backslash = WHERE(s, IS(BACKSLASH));
        __m512i quote = WHERE(s, IS(QUOTE));
        __m512i escaped = _mm512_setzero_si512();
        __m512i in, signs, scalar, after, token;

        if (_mm512_test_epi64_mask(backslash, backslash) | carry.escaped) {
            escaped = escaped_of_each(backslash, &carry.escaped);
            escaped = _mm512_and_si512(escaped, valid_masks(left));
            quote = _mm512_andnot_si512(escaped, quote);
            pass->with_escapes[at / 64 / 64] |=
                (uint64_t)_mm512_test_epi64_mask(escaped, escaped)
                << at / 64 % 64;
        }
        _mm512_store_si512(pass->escaped + at / 64, escaped);
        in = inside(quote, &carry.in_string);
        bad = _mm512_ternarylogic_epi64(
            bad, in, WHERE(s, IS(TAB) | IS(LINE_END) | IS(CONTROL)), 0xF8);
        signs = WHERE(s, IS(SIGN));
        if (lines)
            signs = _mm512_or_si512(signs, WHERE(s, IS(LINE_END)));
        signs = _mm512_andnot_si512(in, signs);
        scalar = WHERE(s, IS(OTHER) | IS(BACKSLASH) | IS(CONTROL));
        scalar = _mm512_andnot_si512(in, scalar);
        after = all_behind(scalar, &carry.in_scalar);
        token = _mm512_and_si512(quote, in);
        token = _mm512_ternarylogic_epi64(token, scalar, after, 0xF4);
        token = _mm512_or_si512(token, signs);
        scalar = _mm512_or_si512(scalar, after);
        if (left < STRIDE_BYTES)
            scalar = _mm512_and_si512(scalar, valid_masks(left));
        _mm512_store_si512(pass->tokens + at / 64, token);
        _mm512_store_si512(pass->scalars + at / 64, scalar);
    }
    t->in_string = carry.in_string;
    return _mm512_test_epi64_mask(bad, bad) == 0;
}

static NOINLINE void pack_bytes(struct pass *pass, const struct sc_tile *t)
{
    struct dense *dense = &pass->dense;
    uint8_t *tokens = dense->tokens + FIRST;
    uint8_t *scalars = dense->scalars + FIRST;

    for (size_t i = 0; i * STRIDE_BYTES < t->len; i++) {
        const uint8_t *p = stride_at(pass, t, i);
        const uint64_t *token_masks = pass->tokens + i * STRIDE_BLOCKS;
        const uint64_t *scalar_masks = pass->scalars + i * STRIDE_BLOCKS;
        __m512i any = _mm512_or_si512(_mm512_load_si512(token_masks),
                                      _mm512_load_si512(scalar_masks));
        if (_mm512_test_epi64_mask(any, any) == 0)
            continue; /* all of it is in one string */
        for (size_t k = 0; k < STRIDE_BLOCKS; k++) {
            __m512i block = load(p + 64 * k);
            tokens = pack(tokens, block, token_masks[k]);
            scalars = pack(scalars, block, scalar_masks[k]);
        }
    }
    dense->token_count = (size_t)(tokens - dense->tokens) - FIRST;
    dense->scalar_count = (size_t)(scalars - dense->scalars) - FIRST;
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

INLINE bool scan(struct sc_tile *t, bool lines)
{
    struct pass pass;
    size_t rest = t->len % STRIDE_BYTES;

    memset(pass.with_escapes, 0, sizeof pass.with_escapes);
    if (rest) {
        memset(pass.pad, ' ', sizeof pass.pad);
        memcpy(pass.pad, t->data + t->len - rest, rest);
    }
    find_kinds(&pass, t);
    if (!find_tokens(&pass, t, lines))
        return false;
    pack_bytes(&pass, t);
    return (!has_escapes(&pass) || escapes_are_good(&pass, t)) &&
           (!pass.high || utf8_is_good(t, pass.high)) &&
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

#include "kernels/target_end.h"

static size_t skip(struct sc_lex *lex, const uint8_t *data, size_t len,
                   uint32_t floor, uint64_t *count)
{
    return sc_tiles_skip(scan_tile, lex, data, len, floor, count);
}

const struct sc_kernel sc_kernel_avx512 = {"avx512", sc_cpu_has_avx512, skip};

#endif
