/* kernel.c - the table of kernels, fastest first, and the choice among them. */
#include "kernels/kernel.h"

#include <string.h>

#ifndef _MSC_VER
#include <stdatomic.h>
typedef const struct sc_kernel *_Atomic choice;
#else /* its C11 has no atomics, and its volatile loads and stores are atomic */
typedef const struct sc_kernel *volatile choice;
#endif

static const struct sc_kernel *const kernels[] = {
#if defined(SC_KERNELS_X86)
#if defined(SC_KERNEL_AVX512)
    &sc_kernel_avx512,
#endif
    &sc_kernel_avx2,
    &sc_kernel_sse2,
#elif defined(SC_KERNELS_ARM)
    &sc_kernel_neon,
#endif
    &sc_kernel_scalar,
};

#define KERNELS (sizeof kernels / sizeof *kernels)

/* A single pointer to what never changes: threads that choose at the same time
   store the same value. */
static choice chosen;

const struct sc_kernel *sc_kernel_get(void)
{
    const struct sc_kernel *kernel = chosen;

    for (size_t i = 0; !kernel; i++)
        if (kernels[i]->usable())
            chosen = kernel = kernels[i];
    return kernel;
}

const struct sc_kernel *sc_kernel_find(const char *name)
{
    for (size_t i = 0; i < KERNELS; i++)
        if (strcmp(kernels[i]->name, name) == 0 && kernels[i]->usable())
            return kernels[i];
    return NULL;
}

const char *sc_kernel(void)
{
    return sc_kernel_get()->name;
}

bool sc_kernel_use(const char *name)
{
    const struct sc_kernel *kernel = sc_kernel_find(name);

    if (kernel)
        chosen = kernel;
    return kernel != NULL;
}

const char *sc_kernel_at(size_t place)
{
    for (size_t i = 0; i < KERNELS; i++)
        if (kernels[i]->usable() && place-- == 0)
            return kernels[i]->name;
    return NULL;
}
