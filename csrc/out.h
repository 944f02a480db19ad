/* out.h - where text goes: into memory, or only onto the scales. */
#ifndef STREAMCLIP_OUT_H
#define STREAMCLIP_OUT_H

#include <string.h>

#include "lex_steps.h"

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

#endif
