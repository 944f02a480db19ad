/* kernel.h - validating and counting what is not retained.
 *
 * Most of a large document is never kept: once a collection is closed, the rest
 * of it only has to be checked and counted. That is a kernel's one job. Kernels
 * differ in speed alone: every one gives the same counts, errors and offsets.
 */
#ifndef STREAMCLIP_KERNEL_H
#define STREAMCLIP_KERNEL_H

#include "lex/lex.h"

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

/* The kernel of this name; NULL if there is none or it cannot run here. */
const struct sc_kernel *sc_kernel_find(const char *name);

/* Which kernels there are depends on the target and the compiler. MSVC knows no
   target attribute and builds the portable one. So does gcc for Windows: it
   keeps wide vectors on a stack that it does not align for them (gcc's bug
   54412). The newest instructions need gcc 9, which first has _mm512_set_epi8,
   or clang 11: Apple's numbers, which run ahead of LLVM's, count too. */
#if defined(__GNUC__) && defined(__x86_64__) && \
    (defined(__clang__) || !defined(_WIN32))
#define SC_KERNELS_X86
#if defined(__clang__) ? __clang_major__ >= 11 : __GNUC__ >= 9
#define SC_KERNEL_AVX512
#endif
#elif defined(__GNUC__) && defined(__aarch64__) && \
    __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define SC_KERNELS_ARM
#endif

extern const struct sc_kernel sc_kernel_scalar;
extern const struct sc_kernel sc_kernel_sse2;
extern const struct sc_kernel sc_kernel_avx2;
extern const struct sc_kernel sc_kernel_avx512;
extern const struct sc_kernel sc_kernel_neon;

#endif
