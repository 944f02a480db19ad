/* cpu_x86.c - cpuid tells which instructions there are; xgetbv, whether the
 * operating system keeps the wide registers when it changes threads.
 *
 * Bits as in the Intel 64 manual, volume 2A, CPUID, and volume 1, 13.3.
 */
#include "cpu_x86.h"

#ifdef SC_KERNELS_X86
#include <cpuid.h>

#define BIT(n) (UINT32_C(1) << (n))

struct features {
    uint32_t ecx1;  /* leaf 1 */
    uint32_t ebx7, ecx7; /* leaf 7 */
    uint32_t ecx81; /* leaf 0x80000001 */
    uint32_t kept;  /* XCR0: register sets that the system keeps */
};

enum {
    PCLMUL = 1, SSSE3 = 9, SSE41 = 19, POPCNT = 23, OSXSAVE = 27, AVX = 28,
    /* leaf 7, ebx */
    BMI1 = 3, AVX2 = 5, BMI2 = 8, AVX512F = 16, AVX512DQ = 17, AVX512BW = 30,
    AVX512VL = 31,
    /* leaf 7, ecx */
    VBMI = 1, VBMI2 = 6, GFNI = 8,
    /* leaf 0x80000001, ecx */
    LZCNT = 5
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
        f.ecx1 = c;
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d)) {
        f.ebx7 = b;
        f.ecx7 = c;
    }
    if (__get_cpuid(0x80000001u, &a, &b, &c, &d))
        f.ecx81 = c;
    if (has(f.ecx1, BIT(OSXSAVE)))
        __asm__("xgetbv" : "=a"(f.kept), "=d"(d) : "c"(0));
    return f;
}

static bool has_avx2(const struct features *f)
{
    return has(f->kept, KEPT_AVX) &&
           has(f->ecx1, BIT(PCLMUL) | BIT(SSSE3) | BIT(SSE41) | BIT(POPCNT) |
                            BIT(AVX)) &&
           has(f->ebx7, BIT(BMI1) | BIT(AVX2) | BIT(BMI2)) &&
           has(f->ecx81, BIT(LZCNT));
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
           has(f.ebx7, BIT(AVX512F) | BIT(AVX512DQ) | BIT(AVX512BW) |
                           BIT(AVX512VL)) &&
           has(f.ecx7, BIT(VBMI) | BIT(VBMI2) | BIT(GFNI));
}

#endif
