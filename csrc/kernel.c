/* kernel.c - the table of kernels, fastest first, and the choice among them. */
#include "kernel.h"

#include <string.h>

static const struct sc_kernel *const kernels[] = {&sc_kernel_scalar};

#define KERNELS (sizeof kernels / sizeof *kernels)

/* The choice is made before the first clipper exists and is a single pointer:
   threads that race here store the same value. */
static const struct sc_kernel *chosen;

const struct sc_kernel *sc_kernel_get(void)
{
    size_t i = 0;

    if (chosen)
        return chosen;
    while (!kernels[i]->usable())
        i++;
    chosen = kernels[i];
    return chosen;
}

const char *sc_kernel(void)
{
    return sc_kernel_get()->name;
}

bool sc_kernel_use(const char *name)
{
    for (size_t i = 0; i < KERNELS; i++) {
        if (strcmp(kernels[i]->name, name) == 0 && kernels[i]->usable()) {
            chosen = kernels[i];
            return true;
        }
    }
    return false;
}
