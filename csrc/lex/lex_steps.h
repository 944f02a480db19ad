/* lex_steps.h - the small steps machine.inc is made of.
 *
 * All are inlined into both builds of the machine. The *_run functions are
 * resumable: they take the state in which the last chunk ended and return the
 * one in which this chunk ends.
 */
#ifndef STREAMCLIP_LEX_STEPS_H
#define STREAMCLIP_LEX_STEPS_H

#include <string.h>

#include "lex/lex.h"

LEX_INLINE bool lex_is_space(uint8_t c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

LEX_INLINE bool lex_is_digit(uint8_t c)
{
    return (uint8_t)(c - '0') < 10;
}

LEX_INLINE bool lex_starts_value(uint8_t c)
{
    return c == '"' || c == '{' || c == '[' || c == '-' || c == 't' ||
           c == 'f' || c == 'n' || lex_is_digit(c);
}

/* The state after the first byte of a number or literal. */
LEX_INLINE unsigned lex_scalar_state(struct sc_lex *lex, uint8_t c)
{
    if (c == '-')
        return LEX_MINUS;
    if (c == '0')
        return LEX_ZERO;
    if (lex_is_digit(c))
        return LEX_INT;
    lex->literal = c == 't'   ? LITERAL_TRUE
                   : c == 'f' ? LITERAL_FALSE
                              : LITERAL_NULL;
    lex->literal_at = 1;
    return LEX_LITERAL;
}

LEX_INLINE unsigned lex_literal_run(struct sc_lex *lex, const uint8_t **at,
                                   const uint8_t *end, int *status)
{
    static const char words[3][6] = {"true", "false", "null"};
    const char *word = words[lex->literal];
    const uint8_t *p = *at;
    unsigned state = LEX_LITERAL;

    while (p < end) {
        if (*p != (uint8_t)word[lex->literal_at]) {
            *status = SC_BAD_LITERAL;
            break;
        }
        p++;
        lex->literal_at++;
        if (!word[lex->literal_at]) {
            state = LEX_AFTER;
            break;
        }
    }
    *at = p;
    return state;
}

/* Go on in a number. LEX_AFTER: it ended before *at. */
LEX_INLINE unsigned lex_number_run(unsigned state, const uint8_t **at,
                                  const uint8_t *end, int *status)
{
    const uint8_t *p = *at;

    switch (state) {
    case LEX_MINUS:
        if (p == end)
            break;
        if (*p == '0') {
            p++;
            state = LEX_ZERO;
            goto zero;
        }
        if (!lex_is_digit(*p))
            goto fail;
        state = LEX_INT;
        /* fallthrough */
    case LEX_INT:
        while (p < end && lex_is_digit(*p))
            p++;
        if (p == end)
            break;
        goto after_int;
    case LEX_ZERO:
    zero:
        if (p == end)
            break;
        if (lex_is_digit(*p))
            goto fail;
    after_int:
        if (*p == '.') {
            p++;
            state = LEX_DOT;
            goto dot;
        }
        goto after_fraction;
    case LEX_DOT:
    dot:
        if (p == end)
            break;
        if (!lex_is_digit(*p))
            goto fail;
        state = LEX_FRACTION;
        /* fallthrough */
    case LEX_FRACTION:
        while (p < end && lex_is_digit(*p))
            p++;
        if (p == end)
            break;
    after_fraction:
        if ((*p | 0x20) != 'e') {
            state = LEX_AFTER;
            break;
        }
        p++;
        state = LEX_EXP;
        /* fallthrough */
    case LEX_EXP:
        if (p == end)
            break;
        if (*p == '+' || *p == '-')
            p++;
        state = LEX_EXP_SIGNED;
        /* fallthrough */
    case LEX_EXP_SIGNED:
        if (p == end)
            break;
        if (!lex_is_digit(*p))
            goto fail;
        state = LEX_EXP_DIGITS;
        /* fallthrough */
    default:
        while (p < end && lex_is_digit(*p))
            p++;
        if (p < end)
            state = LEX_AFTER;
    }
    *at = p;
    return state;
fail:
    *at = p;
    *status = SC_BAD_NUMBER;
    return state;
}

/* The character that a one-letter escape means; 0 if there is no such one. */
LEX_INLINE unsigned lex_escape_of(uint8_t c)
{
    switch (c) {
    case '"':
    case '\\':
    case '/':
        return c;
    case 'b':
        return '\b';
    case 'f':
        return '\f';
    case 'n':
        return '\n';
    case 'r':
        return '\r';
    case 't':
        return '\t';
    default:
        return 0;
    }
}

LEX_INLINE unsigned lex_hex_of(uint8_t c)
{
    if (lex_is_digit(c))
        return (unsigned)(c - '0');
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10) : 16;
}

/* Take one byte of a UTF-8 sequence (Unicode 15.0, table 3-7). */
LEX_INLINE bool lex_utf8_byte(struct sc_lex *lex, uint8_t c)
{
    if (lex->utf8_len == 0) {
        lex->utf8_low = 0x80;
        lex->utf8_high = 0xBF;
        if (c >= 0xC2 && c <= 0xDF) {
            lex->utf8_left = 1;
        } else if (c >= 0xE0 && c <= 0xEF) {
            lex->utf8_left = 2;
            if (c == 0xE0)
                lex->utf8_low = 0xA0;
            if (c == 0xED)
                lex->utf8_high = 0x9F;
        } else if (c >= 0xF0 && c <= 0xF4) {
            lex->utf8_left = 3;
            if (c == 0xF0)
                lex->utf8_low = 0x90;
            if (c == 0xF4)
                lex->utf8_high = 0x8F;
        } else {
            return false;
        }
    } else {
        if (c < lex->utf8_low || c > lex->utf8_high)
            return false;
        lex->utf8_low = 0x80;
        lex->utf8_high = 0xBF;
        lex->utf8_left--;
    }
    lex->utf8[lex->utf8_len++] = c;
    return true;
}

LEX_INLINE bool lex_is_continuation(uint8_t c)
{
    return (c & 0xC0) == 0x80;
}

/* The length of the sequence at p if it is whole and valid; else 0, and
   lex_utf8_byte finds out what is wrong or missing. */
LEX_INLINE size_t lex_utf8_whole(const uint8_t *p, const uint8_t *end)
{
    uint8_t c = p[0];
    size_t left = (size_t)(end - p);

    if (c < 0xE0)
        return c >= 0xC2 && left >= 2 && lex_is_continuation(p[1]) ? 2 : 0;
    if (c < 0xF0) {
        if (left < 3 || !lex_is_continuation(p[1]) ||
            !lex_is_continuation(p[2]) || (c == 0xE0 && p[1] < 0xA0) ||
            (c == 0xED && p[1] > 0x9F))
            return 0;
        return 3;
    }
    if (c > 0xF4 || left < 4 || !lex_is_continuation(p[1]) ||
        !lex_is_continuation(p[2]) || !lex_is_continuation(p[3]) ||
        (c == 0xF0 && p[1] < 0x90) || (c == 0xF4 && p[1] > 0x8F))
        return 0;
    return 4;
}

#define LEX_EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

/* How many of eight bytes begin a code point. */
LEX_INLINE unsigned lex_count_in_word(uint64_t word)
{
    /* a continuation has its top bit, and not the one below */
    uint64_t inside = word >> 7 & ~word >> 6 & LEX_EACH(1);

    return 8 - (unsigned)(inside * LEX_EACH(1) >> 56);
}

/* How many code points begin in a text. Long ones in blocks, so that compilers
   count many bytes at a time: a sum of 128 ones still fits a byte. */
static inline uint64_t lex_count_chars(const uint8_t *p, size_t len)
{
    uint64_t count = 0;

    for (; len >= 128; p += 128, len -= 128) {
        uint8_t sum = 0;
        for (size_t i = 0; i < 128; i++)
            sum = (uint8_t)(sum + !lex_is_continuation(p[i]));
        count += sum;
    }
    for (; len >= 8; p += 8, len -= 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        count += lex_count_in_word(word);
    }
    for (; len > 0; p++, len--)
        count += !lex_is_continuation(*p);
    return count;
}

/* The first byte at or after p that is not ASCII text: a quote, a backslash, a
   control character, or one of a UTF-8 sequence. Eight bytes at a time: a
   subtraction borrows into the top bit of each byte that is too small, and a
   borrow that runs on can only mark bytes after the first one marked. */
LEX_INLINE const uint8_t *lex_skip_ascii(const uint8_t *p, const uint8_t *end)
{
    while (end - p >= 8) {
        uint64_t word, quote, slash, hit;
        memcpy(&word, p, 8);
        quote = word ^ LEX_EACH('"');
        slash = word ^ LEX_EACH('\\');
        hit = ((quote - LEX_EACH(1)) | (slash - LEX_EACH(1)) |
               (word - LEX_EACH(0x20)) | word) &
              LEX_EACH(0x80);
        if (hit) {
#if defined(__GNUC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
            return p + (__builtin_ctzll(hit) >> 3);
#else
            break;
#endif
        }
        p += 8;
    }
    while (p < end && *p >= 0x20 && *p < 0x80 && *p != '"' && *p != '\\')
        p++;
    return p;
}

/* Like it, but over whole, valid UTF-8 sequences too; *ascii tells whether
   there were none. */
LEX_INLINE const uint8_t *lex_skip_text(const uint8_t *p, const uint8_t *end,
                                        bool *ascii)
{
    *ascii = true;
    for (;;) {
        p = lex_skip_ascii(p, end);
        if (p == end || *p < 0x80)
            return p;
        *ascii = false;
        do {
            size_t n = lex_utf8_whole(p, end);
            if (n == 0)
                return p;
            p += n;
            /* runs of Chinese, Japanese, Korean: U+1000 to U+CFFF */
            while (end - p >= 3 && (uint8_t)(p[0] - 0xE1) < 12 &&
                   lex_is_continuation(p[1]) && lex_is_continuation(p[2]))
                p += 3;
        } while (p < end && *p >= 0x80);
    }
}

#endif
