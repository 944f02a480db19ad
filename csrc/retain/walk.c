/* walk.c - the machine with the hooks that fill the tree. */
#include "retain/walk.h"

#include "kernels/kernel.h"
#include "lex/lex_steps.h"

#define MACHINE walk
#define MACHINE_ARGS , struct sc_tree *t
#define ON_VALUE() (void)0
#define ON_OPEN(object) sc_tree_open(t, object)
#define ON_CLOSE() sc_tree_close(t)
#define ON_COMMA() (void)0
#define ON_STRING() sc_tree_string(t, lex->in_key)
#define ON_TEXT(from, to, ascii) sc_tree_text(t, from, to, ascii, lex->in_key)
#define ON_UNIT(code) sc_tree_unit(t, code, lex->in_key)
#define ON_STRING_END() sc_tree_string_end(t, lex->in_key)
#define STRINGS_AT_ONCE 1
#define ON_WHOLE_STRING(from, to, ascii)                                       \
    sc_tree_whole_string(t, from, to, ascii, lex->in_key)
#define ON_SCALAR() sc_tree_scalar(t)
#define ON_DIGITS(from, to) sc_tree_digits(t, from, to)
#define ON_SCALAR_END() sc_tree_scalar_end(t)
#define STOP (t->skip != SC_NONE || t->stopped || t->status)
#include "lex/machine.inc"

size_t sc_walk(struct sc_lex *lex, struct sc_tree *t, const uint8_t *data,
               size_t len)
{
    const struct sc_kernel *kernel = sc_kernel_get();
    const uint8_t *p = data;
    const uint8_t *end = data + len;

    while (p < end && !t->stopped && !t->status && !lex->status) {
        if (t->skip == SC_NONE) {
            p = walk(lex, p, end, t);
        } else {
            uint64_t count = 0;
            p += kernel->skip(lex, p, (size_t)(end - p), t->skip, &count);
            sc_tree_skipped(t, count, lex->depth < t->skip);
        }
    }
    return (size_t)(p - data);
}
