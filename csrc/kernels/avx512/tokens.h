/* tokens.h - the grammar over the tokens that kernel_avx512.c packs.
 *
 * Brackets are packed once more and looked at first. They tell which tokens are
 * directly in an object or at the floor; with that, keys, colons and commas are
 * a matter of masks.
 */
#ifndef STREAMCLIP_TOKENS_AVX512_H
#define STREAMCLIP_TOKENS_AVX512_H

#include "kernels/avx512/dense.h"

enum {
    COMMA = 1,
    COLON = 2,
    OPEN = 4,
    CLOSE = 8,
    STRING = 16,
    NUMBER = 32,
    LITERAL = 64,
    LINE = 128,
    SCALAR = NUMBER | LITERAL,
    VALUE = OPEN | STRING | SCALAR,
    AFTER = COMMA | COLON | CLOSE | LINE
};

static const uint8_t token_classes[128] ALIGNED = {
    ['0' ... '9'] = NUMBER, ['-'] = NUMBER,
    ['t'] = LITERAL, ['f'] = LITERAL, ['n'] = LITERAL,
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

/* Where a mask differs from the bit before; `before` is that of its first. */
INLINE uint64_t changes(uint64_t mask, bool before)
{
    return mask ^ (mask << 1 | before);
}

/* Up to 64 brackets, word i of them. They are not matched one by one: a sum
   over the bytes gives each one's level, and what is on one level is done at
   once. */
INLINE bool bracket_word(struct dense *dense, struct sc_tile *t, size_t i,
                         unsigned count)
{
    const uint64_t valid = ~UINT64_C(0) >> (64 - count);
    __m512i bytes = load(dense->brackets + 64 * i);
    uint64_t brace = with_any(bytes, '{' ^ '[');
    uint64_t open = with_any(bytes, '{' & ~'}') & valid;
    uint64_t close = ~open & valid;
    /* the level behind each bracket, relative to the one before them all, and
       the level inside the container that it opens or closes */
    __m512i after = prefix_sum(_mm512_sub_epi8(_mm512_movm_epi8(close),
                                               _mm512_movm_epi8(open)));
    __m512i own = _mm512_mask_add_epi8(after, close, after, BYTES(1));
    int64_t level = (int64_t)t->depth + least(after);
    bool inside = t->is_object[t->depth] & 1;
    uint64_t in_object = 0, rest = valid, bad = 0;

    if (level < t->floor ||
        t->depth + (uint64_t)_mm_popcnt_u64(open) > t->max_depth)
        return false;
    dense->floor_changes[i] =
        changes(at_level(after, (int64_t)t->floor - t->depth),
                t->depth == t->floor);
    if (t->floor == 0)
        t->documents += (uint64_t)_mm_popcnt_u64(
            open & at_level(own, 1 - (int64_t)t->depth));
    /* few brackets cover more levels than three; a loop of no fixed length
       would be guessed wrong */
    do {
        for (int k = 0; k < 3; k++, level++) {
            uint64_t here = at_level(own, level - t->depth);
            uint64_t opened = open & here;
            /* of a level that was never open: any bit does */
            uint64_t outside = t->is_object[level] & 1;
            uint64_t kinds = changes(_pext_u64(brace, opened), outside);
            uint64_t is_object =
                parity(_pdep_u64(kinds, opened)) ^ (0 - outside);
            in_object |= is_object & at_level(after, level - t->depth);
            bad |= (is_object ^ brace) & close & here;
            t->is_object[level] = (uint8_t)(is_object >> 63);
            rest &= ~here;
        }
    } while (rest);
    dense->kind_changes[i] = changes(in_object, inside);
    t->depth = (uint32_t)((int64_t)t->depth + _mm_popcnt_u64(open) -
                          _mm_popcnt_u64(close));
    return bad == 0;
}

/* Do brackets match, and is none too deep or the one that closes the floor? */
static NOINLINE bool brackets_are_good(struct dense *dense, struct sc_tile *t)
{
    size_t whole = dense->bracket_count / 64;
    unsigned rest = dense->bracket_count % 64;

    for (size_t i = 0; i < whole; i++)
        if (!bracket_word(dense, t, i, 64))
            return false;
    return !rest || bracket_word(dense, t, whole, rest);
}

/* Look at neighbours, pack the brackets, and find out whether there are
   literals. */
static NOINLINE bool pack_brackets(struct dense *dense)
{
    const uint8_t *p = dense->tokens + FIRST, *end = p + dense->token_count;
    uint8_t *to = dense->brackets;
    uint64_t bad = 0, literals = 0;

    for (; p < end; p += 64) {
        uint64_t valid = end - p < 64 ? ~UINT64_C(0) >> (64 - (end - p))
                                      : ~UINT64_C(0);
        __m512i bytes = load(p);
        __m512i classes = look_up(token_classes, ascii(bytes));
        __m512i allowed = look_up(token_followers, ascii(load(p - 1)));
        bad |= _mm512_testn_epi8_mask(classes, allowed) & valid;
        literals |= with_any(classes, LITERAL) & valid;
        to = pack(to, bytes, with_any(classes, OPEN | CLOSE) & valid);
    }
    dense->bracket_count = (size_t)(to - dense->brackets);
    dense->has_literals = literals != 0;
    return bad == 0;
}

/* 64 bits from bit `at` on. */
INLINE uint64_t bits_from(const uint64_t *words, size_t at)
{
    return words[at / 64] >> at % 64 |
           words[at / 64 + 1] << 1 << (63 - at % 64);
}

/* What goes from 64 tokens to the next: bits, but for the first. */
struct token_carry {
    size_t bracket;      /* how many there were */
    uint64_t in_object;  /* all bits or none */
    uint64_t at_floor;   /* as well */
    uint64_t wants_key;  /* or the end of an empty object */
    uint64_t wants_colon;
};

static struct token_carry carry_at(const struct sc_tile *t)
{
    return (struct token_carry){
        .in_object = 0 - (uint64_t)t->is_object[t->depth],
        .at_floor = 0 - (uint64_t)(t->depth == t->floor),
        .wants_key = t->state == LEX_KEY || t->state == LEX_FIRST_KEY,
        .wants_colon = t->state == LEX_COLON,
    };
}

/* The state behind the last token. */
INLINE uint8_t state_behind(uint8_t last, const struct token_carry *c)
{
    if (c->wants_colon)
        return LEX_COLON;
    if (c->wants_key)
        return last == '{' ? LEX_FIRST_KEY : LEX_KEY;
    return last == ',' || last == ':' ? LEX_VALUE
           : last == '['              ? LEX_FIRST_ITEM
                                      : LEX_AFTER;
}

/* Spread what brackets change over all tokens, up to the next bracket. */
INLINE uint64_t spread(uint64_t changes, uint64_t bracket, uint64_t *carry)
{
    uint64_t spread = parity(_pdep_u64(changes, bracket)) ^ *carry;

    *carry = 0 - (spread >> 63);
    return spread;
}

/* Up to 64 tokens: are keys and colons where they have to be? */
INLINE uint64_t token_word(const struct dense *dense, struct sc_tile *t,
                           const uint8_t *p, unsigned count,
                           struct token_carry *c)
{
    const uint64_t valid = ~UINT64_C(0) >> (64 - count);
    __m512i classes = look_up(token_classes, ascii(load(p)));
    uint64_t comma = with_any(classes, COMMA) & valid;
    uint64_t colon = with_any(classes, COLON) & valid;
    uint64_t open = with_any(classes, OPEN) & valid;
    uint64_t close = with_any(classes, CLOSE) & valid;
    uint64_t bracket = open | close, bad = 0;
    uint64_t in_object = spread(bits_from(dense->kind_changes, c->bracket),
                                bracket, &c->in_object);
    uint64_t at_floor = spread(bits_from(dense->floor_changes, c->bracket),
                               bracket, &c->at_floor);
    uint64_t after_brace = (comma | open) & in_object;
    uint64_t key = (after_brace << 1 | c->wants_key) & ~close & valid;

    bad |= key & ~with_any(classes, STRING);
    bad |= colon ^ ((key << 1 | c->wants_colon) & valid);
    c->wants_key = after_brace >> (count - 1) & 1;
    c->wants_colon = key >> (count - 1) & 1;
    c->bracket += (size_t)_mm_popcnt_u64(bracket);
    if (t->floor) {
        t->commas += (uint64_t)_mm_popcnt_u64(comma & at_floor);
    } else {
        uint64_t begin = with_any(classes, STRING | SCALAR) & valid & at_floor;
        t->documents += (uint64_t)_mm_popcnt_u64(begin);
        bad |= (comma & at_floor) | (with_any(classes, LINE) & ~at_floor);
    }
    return bad & valid;
}

/* Are the tokens of the tile, in its state, well-formed? Puts the state behind
   them into t. */
static NOINLINE bool tokens_are_good(struct dense *dense, struct sc_tile *t)
{
    const uint8_t *p = dense->tokens + FIRST, *end = p + dense->token_count;
    struct token_carry carry = carry_at(t);
    uint64_t bad = 0;

    dense->tokens[FIRST - 1] = token_before[t->state];
    if (!pack_brackets(dense) || !brackets_are_good(dense, t))
        return false;
    for (; end - p >= 64; p += 64)
        bad |= token_word(dense, t, p, 64, &carry);
    if (p < end)
        bad |= token_word(dense, t, p, (unsigned)(end - p), &carry);
    t->state = state_behind(end[-1], &carry);
    return bad == 0;
}

#endif
