/* out.h - where text goes: into memory, or only onto the scales. */
#ifndef STREAMCLIP_OUT_H
#define STREAMCLIP_OUT_H

#include <string.h>

#include "lex/lex_steps.h"

/* With data NULL nothing is written, only measured. What is past the capacity
   is not written either, but counted. */
struct sc_out {
    uint8_t *data;
    size_t capacity;
    size_t len;     /* bytes that were put */
    uint64_t chars; /* and code points, if it is only measured */
};

static inline void out_put(struct sc_out *out, const void *from, size_t len)
{
    const uint8_t *p = from;

    if (out->data && len && out->len + len <= out->capacity)
        memcpy(out->data + out->len, p, len);
    else
        out->chars += lex_count_chars(p, len);
    out->len += len;
}

static inline void out_byte(struct sc_out *out, char c)
{
    if (out->data && out->len < out->capacity)
        out->data[out->len] = (uint8_t)c;
    else
        out->chars++;
    out->len++;
}

static inline void out_word(struct sc_out *out, sc_bytes word)
{
    out_put(out, word.data, word.len);
}

static inline void out_number(struct sc_out *out, uint64_t number)
{
    char digits[20];
    size_t at = sizeof digits;

    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    out_put(out, digits + at, sizeof digits - at);
}

static inline void out_string(struct sc_out *out, const uint8_t *body,
                              size_t len)
{
    out_byte(out, '"');
    out_put(out, body, len);
    out_byte(out, '"');
}

/* Write a key as a reference token of a JSON Pointer (RFC 6901). */
static inline void out_token(struct sc_out *out, const uint8_t *body,
                             size_t len)
{
    for (size_t k = 0, from = 0; k <= len; k++) {
        if (k < len && body[k] != '~' && body[k] != '/')
            continue;
        out_put(out, body + from, k - from);
        if (k < len)
            out_put(out, body[k] == '~' ? "~0" : "~1", 2);
        from = k + 1;
    }
}

/* The same as the report writes paths, in which a key `*` is `~2`. */
static inline void out_path_token(struct sc_out *out, const uint8_t *body,
                                  size_t len)
{
    if (len == 1 && body[0] == '*')
        out_put(out, "~2", 2);
    else
        out_token(out, body, len);
}

#endif
