/* kernel.h - validating and counting what is not retained.
 *
 * Most of a large document is never kept: once a collection is closed, the rest
 * of it only has to be checked and counted. That is a kernel's one job. Kernels
 * differ in speed alone: every one gives the same counts, errors and offsets.
 */
#ifndef STREAMCLIP_KERNEL_H
#define STREAMCLIP_KERNEL_H

#include "lex.h"

struct sc_kernel {
    const char *name;
    /* Can this processor run it? */
    bool (*usable)(void);
    /* Read on from any state until the container at level `floor` has closed
       (lex->depth < floor), the input ends, or a byte is wrong (lex->status);
       floor 0 never closes. Adds to *count the commas at level `floor`, or the
       documents that begin if it is 0. Returns the bytes taken; a wrong byte is
       not taken. */
    size_t (*skip)(struct sc_lex *lex, const uint8_t *data, size_t len,
                   uint32_t floor, uint64_t *count);
};

/* The kernel in use. */
const struct sc_kernel *sc_kernel_get(void);

extern const struct sc_kernel sc_kernel_scalar;

#endif
