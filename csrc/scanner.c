/* scanner.c - a kernel, a state and nothing else. */
#include <stdlib.h>
#include <string.h>

#include "kernels/kernel.h"

struct sc_scanner {
    const struct sc_kernel *kernel;
    struct sc_lex lex;
    uint64_t taken;
    uint64_t count;
    uint8_t levels[];
};

sc_scanner *sc_scanner_new(const char *kernel, uint32_t max_depth,
                           uint8_t format)
{
    const struct sc_kernel *found = sc_kernel_find(kernel);
    sc_scanner *s;

    if (!found)
        return NULL;
    s = calloc(1, sizeof *s + LEX_LEVELS(max_depth));
    if (!s)
        return NULL;
    /* as in a clipper: levels that were never open hold anything */
    memset(s->levels, 0x5A, LEX_LEVELS(max_depth));
    s->kernel = found;
    sc_lex_init(&s->lex, max_depth, format, s->levels);
    return s;
}

void sc_scanner_free(sc_scanner *s)
{
    free(s);
}

size_t sc_scanner_feed(sc_scanner *s, const uint8_t *data, size_t len,
                       uint32_t floor)
{
    size_t taken = 0;

    if (!s->lex.status && s->lex.depth >= floor)
        taken = s->kernel->skip(&s->lex, data, len, floor, &s->count);
    s->taken += taken;
    return taken;
}

void sc_scanner_tell(const sc_scanner *s, sc_scanned *scanned)
{
    scanned->status = s->lex.status;
    scanned->offset = s->taken - s->lex.back;
    scanned->count = s->count;
    scanned->documents = s->lex.documents;
    scanned->depth = s->lex.depth;
    scanned->in_key = s->lex.in_key;
    scanned->newline = s->lex.newline;
    scanned->state = s->lex.state;
    scanned->literal = s->lex.literal;
    scanned->literal_at = s->lex.literal_at;
    scanned->utf8_len = s->lex.utf8_len;
    scanned->utf8_left = s->lex.utf8_left;
    scanned->hex = s->lex.hex;
    scanned->levels = s->levels;
}
