/* cut_points.c - where text may be cut, and which strings are not cut at all.
 *
 * Owns the rules of docs/semantics.md, section 3 (atoms) and section 6 (cut
 * points), on squeezed string bodies. Promises: no byte at or after len is
 * read, whatever the bytes are; a body whose last escape or UTF-8 sequence is
 * not all there ends before it; and the cut points of a body are settled by
 * what stands before and directly after each of them, so that
 * prefix(prefix(s, a), b) == prefix(s, b) for b <= a.
 */
#include "tree/cut_points.h"

#include <string.h>

#include "tree/cut_points_table.h"

enum {
    ATOM_RUN = 40,    /* characters of an identifier that make it one */
    JOINER = 0x200D
};

/* A byte in each of the eight places of a word. */
#define EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

static uint64_t load_word(const uint8_t *p)
{
    uint64_t word;

    memcpy(&word, p, sizeof word);
    return word;
}

/* What the escape \c means; 0 stands for every control and lone surrogate but
   CR and LF, as none of them is printable or joins anything. */
static uint32_t escaped(uint8_t c)
{
    switch (c) {
    case '"':
    case '\\':
    case '/':
        return c;
    case 'n':
        return '\n';
    case 'r':
        return '\r';
    default:
        return 0;
    }
}

/* The length of the character at i, and its code point; 0 at the end, and if
   it is not all there. */
static size_t read_char(const uint8_t *body, size_t len, size_t i,
                        uint32_t *code)
{
    const uint8_t *p;
    size_t n;

    if (i == len) {
        return 0;
    }
    p = body + i;
    if (p[0] == '\\') {
        n = len - i > 1 && p[1] == 'u' ? 6 : 2;
        if (n > len - i) {
            return 0;
        }
        *code = escaped(p[1]);
        return n;
    }
    if (p[0] < 0xC0) {
        *code = p[0];
        return 1;
    }
    n = p[0] < 0xE0 ? 2 : p[0] < 0xF0 ? 3 : 4;
    if (n > len - i) {
        return 0;
    }
    *code = p[0] & (0xFFU >> (n + 1));
    for (size_t k = 1; k < n; k++) {
        *code = *code << 6 | (p[k] & 0x3FU);
    }
    return n;
}

static bool is_plain(uint32_t byte)
{
    return byte < 0x80 && byte != '\\';
}

/* How many of the next n bytes are plain ASCII before the first that is not.
   Control characters are escaped in a squeezed body, so none of these joins
   another: there is a cut point before each that follows one. */
static size_t plain_run(const uint8_t *p, size_t n)
{
    size_t i = 0;

    for (; n - i >= 8; i += 8) {
        uint64_t word = load_word(p + i);
        uint64_t other = word ^ EACH('\\');
        /* A high bit: of a byte that has it, or is the backslash. A borrow
           only comes out of a byte that is one of these. */
        if ((word | (other - EACH(1))) & EACH(0x80)) {
            break;
        }
    }
    while (i < n && is_plain(p[i])) {
        i++;
    }
    return i;
}

/* Is this code point one that text is never cut before? */
static bool extends(uint32_t code)
{
    size_t low = 0;
    size_t high = sizeof extenders / sizeof extenders[0];

    /* Chinese characters and Hangul syllables: much text, none of it here. */
    if ((code >= 0x3400 && code <= 0x9FFF) ||
        (code >= 0xAC00 && code <= 0xD7A3)) {
        return false;
    }
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (code > extenders[middle].last) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < sizeof extenders / sizeof extenders[0] &&
           code >= extenders[low].first;
}

static bool is_regional(uint32_t code)
{
    return code >= 0x1F1E6 && code <= 0x1F1FF;
}

/* Does code belong to the cluster of the character before it? half_pair: that
   one is a regional indicator which pairs with none before it. */
static bool joins(uint32_t before, uint32_t code, bool half_pair)
{
    if (before == JOINER) {
        return true;
    }
    if (code < 0x300) {
        return before == '\r' && code == '\n';
    }
    if (is_regional(code)) {
        return half_pair;
    }
    return extends(code);
}

/* Count the characters of a body that is wanted whole; where it ends. */
static size_t count_chars(const uint8_t *body, size_t len, uint64_t *chars)
{
    size_t i = 0;

    *chars = 0;
    for (;;) {
        /* Words without an escape: all bytes that do not continue a sequence.
           The last four bytes are left, so that every sequence that begins in
           a word ends in the body, or the loop below finds that it does not. */
        while (len - i >= 12) {
            uint64_t word = load_word(body + i);
            uint64_t other = word ^ EACH('\\');
            uint64_t continued = (word >> 7) & (~word >> 6) & EACH(1);
            if ((other - EACH(1)) & ~other & EACH(0x80)) {
                break;
            }
            *chars += 8 - (continued * EACH(1) >> 56);
            i += 8;
        }
        while (i < len && (body[i] & 0xC0) == 0x80) {
            i++; /* counted with the byte it continues */
        }
        for (size_t stop = i + 8; i < stop;) {
            uint32_t code;
            size_t n = read_char(body, len, i, &code);
            if (n == 0) {
                return i;
            }
            i += n;
            ++*chars;
        }
    }
}

size_t sc_text_prefix(const uint8_t *body, size_t len, uint64_t max_bytes,
                      uint64_t max_chars, uint64_t *chars)
{
    size_t cut = 0;         /* the last cut point, ... */
    uint64_t cut_chars = 0; /* ... and the characters before it */
    size_t i = 0;
    uint64_t count = 0; /* characters before i */
    uint32_t before = 0;
    bool half_pair = false;

    if (max_bytes >= len && max_chars >= len) {
        return count_chars(body, len, chars);
    }
    /* Here i is within the limits, and the character after it, which may be
       beyond them, decides whether it is a cut point. */
    for (;;) {
        uint32_t code = 0;
        size_t n = read_char(body, len, i, &code);
        uint64_t room;
        size_t run;

        if (n == 0 || count - cut_chars == SC_CLUSTER_MAX ||
            !joins(before, code, half_pair)) {
            cut = i;
            cut_chars = count;
        }
        if (n == 0 || n > max_bytes - i || count == max_chars) {
            break;
        }
        i += n;
        count++;
        half_pair = is_regional(code) && !half_pair;
        before = code;
        if (n > 1 || !is_plain(code)) {
            continue;
        }
        room = max_bytes - i;
        room = room < max_chars - count ? room : max_chars - count;
        run = len - i;
        run = plain_run(body + i, room < run ? (size_t)room : run);
        if (run > 0) { /* before stays: one plain character is like another */
            i += run;
            count += run;
            cut = i - 1;
            cut_chars = count - 1;
        }
    }
    *chars = cut_chars;
    return cut;
}

static bool is_lower(uint8_t c)
{
    return c >= 'a' && c <= 'z';
}

static bool is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

/* Of an identifier, a path, or base64 in any alphabet. */
static bool is_token(uint8_t c)
{
    return is_lower(c) || (c >= 'A' && c <= 'Z') || is_digit(c) ||
           memchr("+/_=.:-", c, 7) != NULL;
}

/* Does it begin with [a-z][a-z0-9+.-]*:// ? */
static bool has_scheme(const uint8_t *head, size_t n)
{
    size_t i = 1;

    if (n == 0 || !is_lower(head[0])) {
        return false;
    }
    while (i < n && (is_lower(head[i]) || is_digit(head[i]) ||
                     memchr("+.-", head[i], 3) != NULL)) {
        i++;
    }
    return n - i >= 3 && memcmp(head + i, "://", 3) == 0;
}

bool sc_text_is_atom(const uint8_t *body, size_t len)
{
    uint8_t head[SC_ATOM_CHARS];
    size_t n = 0;
    size_t run = 0;

    for (size_t i = 0; n < SC_ATOM_CHARS; n++) {
        uint32_t code;
        size_t step = read_char(body, len, i, &code);
        if (step == 0) {
            break;
        }
        if (code <= 0x20 || code >= 0x7F) {
            return false;
        }
        head[n] = (uint8_t)code;
        i += step;
    }
    /* A scheme too long for the head is a run of such characters as well. */
    while (run < n && is_token(head[run])) {
        run++;
    }
    return run >= ATOM_RUN || has_scheme(head, n) ||
           (n >= 5 && memcmp(head, "data:", 5) == 0);
}
