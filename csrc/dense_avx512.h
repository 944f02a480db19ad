/* dense_avx512.h - the second level of kernel_avx512.c: the grammar over tokens
 * and the forms of numbers and literals over scalars, 64 at a time.
 *
 * What may follow what is mostly a matter of two neighbours: a table gives the
 * class of each byte, a second one the classes that may come behind it. The
 * rest is done in masks with a bit for each byte.
 */
#ifndef STREAMCLIP_DENSE_AVX512_H
#define STREAMCLIP_DENSE_AVX512_H

#include "bits.h"
#include "tiles.h"

#define ALIGNED __attribute__((aligned(64)))
#define BYTES(byte) _mm512_set1_epi8((char)(byte))

/* Where the packed bytes begin, so that they are aligned and the byte before
   them is in the same array. */
#define FIRST 64

/* What the first level packed, each kind behind a byte, at FIRST - 1, that
   stands for what was before the tile. At the end is room for a vector. */
struct dense {
    uint8_t tokens[FIRST + SC_TILE_BYTES + 64] ALIGNED;
    uint8_t scalars[FIRST + SC_TILE_BYTES + 64] ALIGNED;
    size_t token_count;
    size_t scalar_count;
    bool wants_key;   /* the next token is a key, or closes an empty object */
    bool wants_colon; /* the next token is a colon */
};

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

INLINE __m512i each16(const uint8_t *table)
{
    return _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)table));
}

INLINE uint64_t with_any(__m512i classes, int any)
{
    return _mm512_test_epi8_mask(classes, BYTES(any));
}

/* Bit i: the parity of bits 0 to i. */
INLINE uint64_t parity(uint64_t x)
{
    const __m128i ones = _mm_set1_epi8(-1);
    __m128i product = _mm_clmulepi64_si128(_mm_cvtsi64_si128((long long)x),
                                           ones, 0);

    return (uint64_t)_mm_cvtsi128_si64(product);
}

/* ---- tokens */

enum {
    COMMA = 1,
    COLON = 2,
    OPEN = 4,
    CLOSE = 8,
    STRING = 16,
    SCALAR = 32,
    LINE = 64,
    VALUE = OPEN | STRING | SCALAR,
    AFTER = COMMA | COLON | CLOSE | LINE
};

static const uint8_t token_classes[128] ALIGNED = {
    ['0' ... '9'] = SCALAR, ['-'] = SCALAR,
    ['t'] = SCALAR, ['f'] = SCALAR, ['n'] = SCALAR,
    [','] = COMMA,
    [':'] = COLON,
    ['{'] = OPEN, ['['] = OPEN,
    ['}'] = CLOSE, [']'] = CLOSE,
    ['"'] = STRING,
    ['\n'] = LINE, ['\r'] = LINE,
};

static const uint8_t token_followers[128] ALIGNED = {
    ['0' ... '9'] = AFTER, ['-'] = AFTER,
    ['t'] = AFTER, ['f'] = AFTER, ['n'] = AFTER,
    ['"'] = AFTER, ['}'] = AFTER, [']'] = AFTER,
    [','] = VALUE, [':'] = VALUE,
    ['{'] = STRING | CLOSE,
    ['['] = VALUE | CLOSE,
    ['\n'] = VALUE | LINE, ['\r'] = VALUE | LINE,
};

/* A state between tokens as the token that would lead there. */
static const uint8_t token_before[] = {
    [LEX_VALUE] = ':', [LEX_FIRST_ITEM] = '[', [LEX_FIRST_KEY] = '{',
    [LEX_KEY] = ',', [LEX_COLON] = '"', [LEX_AFTER] = ']',
};

INLINE void dense_begin(struct dense *dense, uint8_t state)
{
    dense->tokens[FIRST - 1] = token_before[state];
    dense->scalars[FIRST - 1] = ',';
    dense->wants_key = state == LEX_KEY || state == LEX_FIRST_KEY;
    dense->wants_colon = state == LEX_COLON;
}

INLINE uint8_t state_after(const struct dense *dense)
{
    uint8_t last = dense->tokens[FIRST + dense->token_count - 1];

    if (dense->wants_colon)
        return LEX_COLON;
    if (dense->wants_key)
        return last == '{' ? LEX_FIRST_KEY : LEX_KEY;
    return last == ',' || last == ':' ? LEX_VALUE
           : last == '['              ? LEX_FIRST_ITEM
                                      : LEX_AFTER;
}

/* The sum of bytes 0 to i. */
INLINE __m512i prefix_sum(__m512i x)
{
    const __m512i zero = _mm512_setzero_si512();
    __m512i total, a, b, c;

    x = _mm512_add_epi8(x, _mm512_bslli_epi128(x, 1));
    x = _mm512_add_epi8(x, _mm512_bslli_epi128(x, 2));
    x = _mm512_add_epi8(x, _mm512_bslli_epi128(x, 4));
    x = _mm512_add_epi8(x, _mm512_bslli_epi128(x, 8));
    total = _mm512_shuffle_epi8(x, BYTES(15)); /* of each 16 bytes */
    a = _mm512_alignr_epi64(total, zero, 6);
    b = _mm512_alignr_epi64(total, zero, 4);
    c = _mm512_alignr_epi64(total, zero, 2);
    return _mm512_add_epi8(_mm512_add_epi8(x, a), _mm512_add_epi8(b, c));
}

INLINE int least(__m512i x)
{
    __m256i half = _mm256_min_epi8(_mm512_castsi512_si256(x),
                                   _mm512_extracti64x4_epi64(x, 1));
    __m128i least = _mm_min_epi8(_mm256_castsi256_si128(half),
                                 _mm256_extracti128_si256(half, 1));

    /* minpos is for unsigned words: no sign, and the odd bytes folded in */
    least = _mm_xor_si128(least, _mm_set1_epi8((char)0x80));
    least = _mm_min_epu8(least, _mm_srli_epi16(least, 8));
    least = _mm_and_si128(least, _mm_set1_epi16(0xFF));
    return (_mm_cvtsi128_si32(_mm_minpos_epu16(least)) & 0xFF) - 128;
}

/* Bytes that equal a difference of levels, if it is one that a byte can be. */
INLINE uint64_t at_level(__m512i levels, int64_t difference)
{
    bool fits = difference >= -100 && difference <= 100;

    return _mm512_cmpeq_epi8_mask(levels, BYTES(fits ? difference : 101));
}

/* Up to 64 tokens. Brackets are not matched one by one: a sum over the bytes
   gives each token's level, and what is on one level is done at once. */
INLINE bool token_word(struct dense *dense, struct sc_tile *t,
                       const uint8_t *p, unsigned count)
{
    const uint64_t valid = ~UINT64_C(0) >> (64 - count);
    __m512i bytes = ascii(load(p));
    __m512i classes = look_up(token_classes, bytes);
    __m512i allowed = look_up(token_followers, ascii(load(p - 1)));
    uint64_t bad = _mm512_testn_epi8_mask(classes, allowed) & valid;
    uint64_t comma = with_any(classes, COMMA) & valid;
    uint64_t colon = with_any(classes, COLON) & valid;
    uint64_t open = with_any(classes, OPEN) & valid;
    uint64_t close = with_any(classes, CLOSE) & valid;
    uint64_t string = with_any(classes, STRING) & valid;
    uint64_t brace = with_any(bytes, '{' ^ '['); /* of brackets: which kind */
    /* levels relative to the one before these tokens: a bracket's own is the
       inside of its container */
    __m512i after = prefix_sum(_mm512_sub_epi8(_mm512_movm_epi8(close),
                                               _mm512_movm_epi8(open)));
    __m512i own = _mm512_mask_add_epi8(after, close, after, BYTES(1));
    int64_t level = (int64_t)t->depth + least(own);
    uint64_t floor = at_level(own, (int64_t)t->floor - t->depth);
    uint64_t objects = 0, rest = valid, after_brace, key, after_key;

    if (level < t->floor ||
        t->depth + (uint64_t)_mm_popcnt_u64(open) > t->max_depth)
        return false;
    bad |= close & floor;
    if (t->floor) {
        t->commas += (uint64_t)_mm_popcnt_u64(comma & floor);
    } else {
        uint64_t line = with_any(classes, LINE) & valid;
        uint64_t begin = with_any(classes, STRING | SCALAR) & valid & floor;
        begin |= open & at_level(own, 1 - (int64_t)t->depth);
        t->documents += (uint64_t)_mm_popcnt_u64(begin);
        bad |= (comma & floor) | (line & ~floor);
    }
    /* few tokens cover more levels than three; a loop of no fixed length would
       be guessed wrong */
    do {
        for (int i = 0; i < 3; i++, level++) {
            uint64_t here = at_level(own, level - t->depth);
            uint64_t opened = open & here;
            /* of a level that was never open: any bit does */
            uint64_t outside = t->is_object[level] & 1;
            uint64_t kinds = _pext_u64(brace, opened);
            uint64_t changes = kinds ^ (kinds << 1 | outside);
            uint64_t is_object =
                parity(_pdep_u64(changes, opened)) ^ (0 - outside);
            objects |= is_object & here;
            bad |= (is_object ^ brace) & close & here;
            t->is_object[level] = (uint8_t)(is_object >> 63);
            rest &= ~here;
        }
    } while (rest);
    after_brace = (comma & objects) | (open & brace);
    key = (after_brace << 1 | dense->wants_key) & ~close & valid;
    after_key = key << 1 | dense->wants_colon;
    bad |= (key & ~string) | (colon ^ (after_key & valid));
    dense->wants_key = after_brace >> (count - 1) & 1;
    dense->wants_colon = key >> (count - 1) & 1;
    t->depth = (uint32_t)((int64_t)t->depth + _mm_popcnt_u64(open) -
                          _mm_popcnt_u64(close));
    return bad == 0;
}

static NOINLINE bool tokens_are_good(struct dense *dense, struct sc_tile *t)
{
    const uint8_t *p = dense->tokens + FIRST, *end = p + dense->token_count;

    for (; end - p >= 64; p += 64)
        if (!token_word(dense, t, p, 64))
            return false;
    if (p < end && !token_word(dense, t, p, (unsigned)(end - p)))
        return false;
    t->state = state_after(dense);
    return true;
}

/* ---- scalars */

enum {
    DIGIT = 1, /* 1 to 9 */
    ZERO = 2,
    MINUS = 4,
    PLUS = 8,
    POINT = 16,
    EXPONENT = 32, /* e and E, which may also be a literal's */
    LETTER = 64,   /* the literals' others */
    END = 128,     /* what may stand behind a scalar */
    DIGITS = DIGIT | ZERO
};

static const uint8_t scalar_classes[128] ALIGNED = {
    ['0'] = ZERO, ['1' ... '9'] = DIGIT,
    ['-'] = MINUS, ['+'] = PLUS, ['.'] = POINT,
    ['e'] = EXPONENT, ['E'] = EXPONENT,
    ['t'] = LETTER, ['r'] = LETTER, ['u'] = LETTER, ['f'] = LETTER,
    ['a'] = LETTER, ['l'] = LETTER, ['s'] = LETTER, ['n'] = LETTER,
    [' '] = END, ['\t'] = END, ['\n'] = END, ['\r'] = END, ['"'] = END,
    [','] = END, [':'] = END,
    ['{'] = END, ['}'] = END, ['['] = END, [']'] = END,
};

#define BEGINS (DIGITS | MINUS | LETTER)

static const uint8_t scalar_followers[128] ALIGNED = {
    ['0' ... '9'] = DIGITS | POINT | EXPONENT | END,
    ['-'] = DIGITS, ['+'] = DIGITS, ['.'] = DIGITS,
    ['e'] = DIGITS | PLUS | MINUS, ['E'] = DIGITS | PLUS | MINUS,
    ['t'] = LETTER | EXPONENT | END, ['r'] = LETTER | EXPONENT | END,
    ['u'] = LETTER | EXPONENT | END, ['f'] = LETTER | EXPONENT | END,
    ['a'] = LETTER | EXPONENT | END, ['l'] = LETTER | EXPONENT | END,
    ['s'] = LETTER | EXPONENT | END, ['n'] = LETTER | EXPONENT | END,
    [' '] = BEGINS, ['\t'] = BEGINS, ['\n'] = BEGINS, ['\r'] = BEGINS,
    ['"'] = BEGINS, [','] = BEGINS, [':'] = BEGINS, ['{'] = BEGINS,
    ['}'] = BEGINS, ['['] = BEGINS, [']'] = BEGINS,
};

struct scalar_carry {
    uint64_t in_scalar;
    struct literal_carry literal;
    struct number_carry number;
};

INLINE struct letters letters_of(__m512i bytes)
{
#define IS(letter) .letter = _mm512_cmpeq_epi8_mask(bytes, BYTES(#letter[0]))
    return (struct letters){IS(t), IS(r), IS(u), IS(e), IS(f),
                            IS(a), IS(l), IS(s), IS(n)};
#undef IS
}

INLINE bool scalar_word(struct scalar_carry *c, const uint8_t *p,
                        unsigned count)
{
    const uint64_t valid = ~UINT64_C(0) >> (64 - count);
    __m512i bytes = ascii(load(p));
    __m512i classes = look_up(scalar_classes, bytes);
    __m512i allowed = look_up(scalar_followers, ascii(load(p - 1)));
    uint64_t bad = _mm512_testn_epi8_mask(classes, allowed);
    uint64_t scalar = ~with_any(classes, END);
    uint64_t minus = with_any(classes, MINUS);
    uint64_t digits = with_any(classes, DIGITS);
    uint64_t e = with_any(classes, EXPONENT);
    uint64_t starts = scalar & ~behind(scalar, &c->in_scalar);
    uint64_t words = starts & with_any(classes, LETTER);

    if (words || in_literal(&c->literal)) {
        struct letters letters = letters_of(bytes);
        uint64_t before = c->literal.run, wrong = 0;
        uint64_t run = literals(&letters, scalar, words, &c->literal, &wrong);
        /* the tables take any e for an exponent's */
        bad = (bad & ~behind(run, &before)) | wrong;
        e &= ~run;
    }
    bad |= number_faults(starts, digits, with_any(classes, ZERO), minus,
                         with_any(classes, POINT), e,
                         digits | minus | with_any(classes, PLUS), &c->number);
    return (bad & valid) == 0;
}

static NOINLINE bool scalars_are_good(const struct dense *dense)
{
    struct scalar_carry carry = {0};
    const uint8_t *p = dense->scalars + FIRST, *end = p + dense->scalar_count;

    for (; end - p >= 64; p += 64)
        if (!scalar_word(&carry, p, 64))
            return false;
    return p == end || scalar_word(&carry, p, (unsigned)(end - p));
}

#endif
