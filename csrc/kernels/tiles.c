/* tiles.c - what the SIMD kernels share beside the scan of a tile: where tiles
 * begin and end, what happens to one that was turned down, and how the state
 * between two bytes becomes that between two tokens and back.
 */
#include "kernels/tiles.h"

#include <string.h>

#include "lex/lex_steps.h"

/* A container may be small, as the members of a map are: then all that was read
   of a tile behind it is read for nothing. So the first bytes are not read in
   tiles, and tiles grow. */
#define PORTABLE_BYTES 512
#define FIRST_BYTES 1024

/* Less than this is read faster byte by byte. */
#define LEAST_BYTES 96

static size_t portable(struct sc_lex *lex, const uint8_t *data, size_t len,
                       uint32_t floor, uint64_t *count)
{
    return sc_kernel_scalar.skip(lex, data, len, floor, count);
}

/* May a tile begin here? Not inside a token, but for the text of a string, and
   not between documents. The states up to LEX_STRING are those. */
static bool may_begin(const struct sc_lex *lex)
{
    return lex->state <= LEX_STRING &&
           (lex->depth > 0 || lex->state == LEX_STRING);
}

static bool is_in_scalar(uint8_t c)
{
    return !lex_is_space(c) && c != ',' && c != ':' && c != '"' && c != '{' &&
           c != '}' && c != '[' && c != ']';
}

/* Is the byte before `end` a backslash that escapes what follows? It is the
   last of an odd number of them. */
static bool is_escaping(const uint8_t *start, const uint8_t *end)
{
    const uint8_t *p = end;

    while (p > start && p[-1] == '\\')
        p--;
    return (end - p) % 2 == 1;
}

/* Where the escape or the character begins that a text, known to be good so
   far, breaks off in, if it does; else a place from which on all is whole. */
static const uint8_t *broken_off(const uint8_t *start, const uint8_t *end)
{
    size_t len = (size_t)(end - start);

    for (size_t back = 1; back <= 5 && back <= len; back++) {
        const uint8_t *p = end - back;
        if (is_escaping(start, p + 1) && (back == 1 || p[1] == 'u'))
            return p;
    }
    for (size_t back = 1; back <= 3 && back <= len; back++)
        if (end[-(ptrdiff_t)back] >= 0xC0)
            return end - back;
    return end;
}

/* The tile was taken: find the state at its last byte. */
static void settle(struct sc_lex *lex, const struct sc_tile *t)
{
    const uint8_t *end = t->data + t->len;
    const uint8_t *from = end;
    uint64_t none = 0;

    lex->depth = t->depth;
    lex->documents += t->documents;
    lex->state = t->state;
    lex->newline = false;
    if (t->in_string) {
        lex->in_key = t->state == LEX_COLON;
        lex->state = LEX_STRING;
        from = broken_off(t->data, end);
    } else {
        while (from > t->data && is_in_scalar(from[-1]))
            from--;
        if (from < end)
            lex->state = (uint8_t)lex_scalar_state(lex, *from++);
    }
    portable(lex, from, (size_t)(end - from), 0, &none);
    if (lex->depth == 0 && lex->state == LEX_AFTER)
        for (; end > t->data && lex_is_space(end[-1]); end--)
            lex->newline |= end[-1] == '\n' || end[-1] == '\r';
}

/* Is this a byte that is never in UTF-8? Kernels may tell only by the byte that
   follows it. */
static bool is_bad_lead(uint8_t c)
{
    return c == 0xC0 || c == 0xC1 || c > 0xF4;
}

/* Let the kernel look at the next len bytes; did it take them? */
static bool take(sc_tile_scan *scan, struct sc_lex *lex, const uint8_t *data,
                 size_t len, uint32_t floor, bool lines, uint64_t *count)
{
    /* a tile cannot close more levels than it has bytes */
    uint8_t saved[SC_TILE_BYTES];
    size_t levels = lex->depth < len ? lex->depth : len;
    uint8_t *top = lex->is_object + 1 + lex->depth - levels;
    const struct sc_lex before = *lex;
    struct sc_tile t = {0};

    t.data = data;
    t.len = len;
    t.floor = floor;
    t.max_depth = lex->max_depth;
    t.lines = lines;
    t.in_string = lex->state == LEX_STRING;
    t.state = !t.in_string ? lex->state : lex->in_key ? LEX_COLON : LEX_AFTER;
    t.depth = lex->depth;
    t.is_object = lex->is_object;
    memcpy(saved, top, levels);
    if (scan(&t) && !is_bad_lead(data[len - 1])) {
        settle(lex, &t); /* may yet find a literal that begins badly */
        if (!lex->status) {
            *count += floor ? t.commas : t.documents;
            return true;
        }
    }
    memcpy(top, saved, levels);
    *lex = before;
    return false;
}

size_t sc_tiles_skip(sc_tile_scan *scan, struct sc_lex *lex,
                     const uint8_t *data, size_t len, uint32_t floor,
                     uint64_t *count)
{
    bool may_be_lines = floor == 0 && lex->format != SC_FORMAT_JSON;
    bool lines = may_be_lines && lex->documents > 1;
    size_t most = floor ? FIRST_BYTES : SC_TILE_BYTES;
    size_t first = len < PORTABLE_BYTES ? len : PORTABLE_BYTES;
    size_t at = floor ? portable(lex, data, first, floor, count) : 0;

    while (at < len && !lex->status && lex->depth >= floor) {
        size_t size = len - at < most ? len - at : most;

        if (size < LEAST_BYTES) {
            at += portable(lex, data + at, size, floor, count);
        } else if (!may_begin(lex)) {
            /* byte by byte, to find the first place where it may; a document
               that is a number or a literal has none */
            size_t step = lex->depth == 0 && lex->state > LEX_STRING ? 16 : 1;
            at += portable(lex, data + at, step, floor, count);
        } else if (take(scan, lex, data + at, size, floor, lines, count) ||
                   (may_be_lines &&
                    take(scan, lex, data + at, size, floor, lines = !lines,
                         count))) {
            at += size;
            most = 4 * most < SC_TILE_BYTES ? 4 * most : SC_TILE_BYTES;
        } else {
            at += portable(lex, data + at, size, floor, count);
        }
    }
    return at;
}
