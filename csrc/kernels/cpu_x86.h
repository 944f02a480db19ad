/* cpu_x86.h - what the processor can do and the operating system lets it. */
#ifndef STREAMCLIP_CPU_X86_H
#define STREAMCLIP_CPU_X86_H

#include "kernels/kernel.h"

#ifdef SC_KERNELS_X86

/* Is there AVX2 with what kernel_avx2.c uses beside it? */
bool sc_cpu_has_avx2(void);

/* Is there all of AVX-512 that kernel_avx512.c uses? */
bool sc_cpu_has_avx512(void);

#endif
#endif
