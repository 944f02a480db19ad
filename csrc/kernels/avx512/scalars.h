/* scalars.h - the forms of numbers and literals over the scalars that
 * kernel_avx512.c packs.
 */
#ifndef STREAMCLIP_SCALARS_AVX512_H
#define STREAMCLIP_SCALARS_AVX512_H

#include "kernels/avx512/dense.h"

enum {
    DIGIT = 1, /* 1 to 9 */
    ZERO = 2,
    MINUS = 4,
    PLUS = 8,
    POINT = 16,
    EXPONENT = 32, /* e and E */
    LETTER = 64,   /* of literals, e among them */
    END = 128,     /* what may stand behind a scalar */
    DIGITS = DIGIT | ZERO,
    PLUS_MINUS = PLUS | MINUS
};

static const uint8_t scalar_classes[128] ALIGNED = {
    ['0'] = ZERO, ['1' ... '9'] = DIGIT,
    ['-'] = MINUS, ['+'] = PLUS, ['.'] = POINT,
    ['e'] = EXPONENT | LETTER, ['E'] = EXPONENT,
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
    ['e'] = DIGITS | PLUS_MINUS | END, ['E'] = DIGITS | PLUS_MINUS,
    ['t'] = LETTER, ['r'] = LETTER, ['u'] = LETTER, ['f'] = LETTER,
    ['a'] = LETTER, ['l'] = LETTER | END, ['s'] = LETTER, ['n'] = LETTER,
    [' '] = BEGINS, ['\t'] = BEGINS, ['\n'] = BEGINS, ['\r'] = BEGINS,
    ['"'] = BEGINS, [','] = BEGINS, [':'] = BEGINS, ['{'] = BEGINS,
    ['}'] = BEGINS, ['['] = BEGINS, [']'] = BEGINS,
};

/* Of the first letters of literals: the second to the fourth one, and what the
   byte behind the fourth has to be. */
static const uint8_t second_letters[128] ALIGNED = {
    ['t'] = 'r', ['f'] = 'a', ['n'] = 'u'};
static const uint8_t third_letters[128] ALIGNED = {
    ['t'] = 'u', ['f'] = 'l', ['n'] = 'l'};
static const uint8_t fourth_letters[128] ALIGNED = {
    ['t'] = 'e', ['f'] = 's', ['n'] = 'l'};
static const uint8_t fifth_classes[128] ALIGNED = {
    ['t'] = END, ['f'] = EXPONENT, ['n'] = END};

/* What is wrong, not 0, with the literals that begin among the 64 bytes at p.
   With the table of followers that settles all but what is behind the e of
   false. */
INLINE __m512i literal_faults(const uint8_t *p)
{
    __m512i first = ascii(load(p));
    __m512i fifth = look_up(fifth_classes, first); /* 0: no literal begins */
    __m512i is_fifth = look_up(scalar_classes, ascii(load(p + 4)));
    __m512i faults = _mm512_xor_si512(look_up(second_letters, first),
                                      load(p + 1));

    /* or (a ^ b) */
    faults = _mm512_ternarylogic_epi64(faults, look_up(third_letters, first),
                                       load(p + 2), 0xF6);
    faults = _mm512_ternarylogic_epi64(faults, look_up(fourth_letters, first),
                                       load(p + 3), 0xF6);
    faults = _mm512_min_epu8(faults, fifth); /* 0 where either is */
    /* or (fifth & ~is_fifth) */
    return _mm512_ternarylogic_epi64(faults, fifth, is_fifth, 0xF4);
}

/* How many scalars there are before a literal that the tile's end breaks off
   before its fifth byte: it may yet be a good one. */
INLINE size_t whole_scalars(const struct dense *dense)
{
    size_t count = dense->scalar_count;

    for (size_t back = 1; back <= 4; back++) {
        uint8_t c = dense->scalars[FIRST + count - back];
        if (c < 128 && fifth_classes[c])
            return count - back;
        if (c < 128 && scalar_classes[c] == END)
            break;
    }
    return count;
}

/* What the first look at scalars found, byte by byte. */
struct found {
    __m512i shared; /* 0 in places where two neighbours do not go together */
    __m512i faults; /* of literals: not 0 in some places */
};

/* The first look at 64 scalars, word i: at neighbours and literals. */
INLINE void look_at_scalars(struct dense *dense, size_t i, uint64_t valid,
                            bool with_literals, struct found *found)
{
    const uint8_t *p = dense->scalars + FIRST + 64 * i;
    __m512i classes = look_up(scalar_classes, ascii(load(p)));
    __m512i allowed = look_up(scalar_followers, ascii(load(p - 1)));
    __m512i shared = _mm512_and_si512(classes, allowed);

    found->shared =
        _mm512_mask_min_epu8(found->shared, valid, found->shared, shared);
    if (with_literals) {
        __m512i faults = literal_faults(p);
        found->faults = _mm512_or_si512(
            found->faults, _mm512_maskz_mov_epi8(valid, faults));
    }
    _mm512_store_si512(&dense->scalar_masks[i], masks_of_bits(classes));
}

struct scalar_carry {
    uint64_t in_scalar, digits, two_digits, e;
    struct number_carry number;
};

/* The second look: what is wrong with numbers, and with what is behind e. */
INLINE uint64_t scalar_faults(const struct scalar_masks *m, bool with_literals,
                              struct scalar_carry *c)
{
    uint64_t digits = m->digit | m->zero, sign = m->plus | m->minus;
    uint64_t starts = ~m->end & ~behind(~m->end, &c->in_scalar);
    uint64_t wrong = m->end;

    /* behind a digit e is an exponent's, else the last of a literal */
    if (with_literals)
        wrong ^= ~behind(behind(digits, &c->digits), &c->two_digits);
    return (behind(m->exponent, &c->e) & wrong) |
           number_faults(starts, digits, m->zero, sign, m->point, m->exponent,
                         digits | sign, &c->number);
}

/* Built twice: looking at literals takes time, and much data has none. */
INLINE bool look_twice(struct dense *dense, bool with_literals)
{
    size_t count = whole_scalars(dense), whole = count / 64;
    unsigned rest = count % 64;
    const uint64_t valid = rest ? ~UINT64_C(0) >> (64 - rest) : 0;
    struct found found = {BYTES(0xFF), BYTES(0)};
    struct scalar_carry carry = {0};
    uint64_t bad = 0;

    for (size_t i = 0; i < whole; i++)
        look_at_scalars(dense, i, ~UINT64_C(0), with_literals, &found);
    if (rest)
        look_at_scalars(dense, whole, valid, with_literals, &found);
    if (_mm512_testn_epi8_mask(found.shared, found.shared) |
        _mm512_test_epi8_mask(found.faults, found.faults))
        return false;
    for (size_t i = 0; i < whole; i++)
        bad |= scalar_faults(&dense->scalar_masks[i], with_literals, &carry);
    if (rest)
        bad |= valid & scalar_faults(&dense->scalar_masks[whole],
                                     with_literals, &carry);
    return bad == 0;
}

static NOINLINE bool only_numbers_are_good(struct dense *dense)
{
    return look_twice(dense, false);
}

static NOINLINE bool all_scalars_are_good(struct dense *dense)
{
    return look_twice(dense, true);
}

/* Are all numbers and literals well-formed? The tokens are: each begins as one
   may. A literal that is half read at the end is not looked at. */
INLINE bool scalars_are_good(struct dense *dense)
{
    /* what can be looked at before them and behind them */
    memset(dense->scalars + FIRST - 4, ',', 4);
    memset(dense->scalars + FIRST + dense->scalar_count, 0, 4);
    return dense->has_literals ? all_scalars_are_good(dense)
                               : only_numbers_are_good(dense);
}

#endif
