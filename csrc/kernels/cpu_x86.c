/* cpu_x86.c - cpuid tells which instructions there are; xgetbv, whether the
 * operating system keeps the wide registers when it changes threads.
 *
 * Bits as in the Intel 64 manual, volume 2A, CPUID, and volume 1, 13.3.
 */
#include "kernels/cpu_x86.h"

#ifdef SC_KERNELS_X86
#include <cpuid.h>

#ifdef __AVX__
#error "no global -mavx or -march: the library would crash without AVX"
#endif

#define BIT(n) (UINT32_C(1) << (n))

struct features {
    uint32_t leaf1_ecx;
    uint32_t leaf7_ebx, leaf7_ecx;
    uint32_t kept; /* XCR0: register sets that the system keeps */
};

enum {
    /* leaf 1, ecx */
    PCLMUL = 1,
    POPCNT = 23,
    OSXSAVE = 27,
    AVX = 28,
    /* leaf 7, ebx */
    BMI1 = 3,
    AVX2 = 5,
    BMI2 = 8,
    AVX512F = 16,
    AVX512DQ = 17,
    AVX512BW = 30,
    AVX512VL = 31,
    /* leaf 7, ecx */
    VBMI = 1,
    VBMI2 = 6,
    GFNI = 8
};

#define KEPT_AVX 0x06u    /* xmm, ymm */
#define KEPT_AVX512 0xE6u /* these, and the masks and both parts of zmm */

static bool has(uint32_t found, uint32_t wanted)
{
    return (found & wanted) == wanted;
}

static struct features look(void)
{
    struct features f = {0};
    uint32_t a = 0, b = 0, c = 0, d = 0;

    if (__get_cpuid(1, &a, &b, &c, &d))
        f.leaf1_ecx = c;
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d)) {
        f.leaf7_ebx = b;
        f.leaf7_ecx = c;
    }
    if (has(f.leaf1_ecx, BIT(OSXSAVE)))
        __asm__("xgetbv" : "=a"(f.kept), "=d"(d) : "c"(0));
    return f;
}

static bool has_avx2(const struct features *f)
{
    return has(f->kept, KEPT_AVX) &&
           has(f->leaf1_ecx, BIT(PCLMUL) | BIT(POPCNT) | BIT(AVX)) &&
           has(f->leaf7_ebx, BIT(BMI1) | BIT(AVX2) | BIT(BMI2));
}

bool sc_cpu_has_avx2(void)
{
    struct features f = look();

    return has_avx2(&f);
}

bool sc_cpu_has_avx512(void)
{
    struct features f = look();

    return has_avx2(&f) && has(f.kept, KEPT_AVX512) &&
           has(f.leaf7_ebx, BIT(AVX512F) | BIT(AVX512DQ) | BIT(AVX512BW) |
                                BIT(AVX512VL)) &&
           has(f.leaf7_ecx, BIT(VBMI) | BIT(VBMI2) | BIT(GFNI));
}

#endif
