/* kernel_sse2.c - masks.inc with 16 bytes at a time, for any x86-64. */
#include "kernels/kernel.h"

#ifdef SC_KERNELS_X86
#include <emmintrin.h>

#include "kernels/bits.h"
#include "kernels/tiles.h"

#define VECS 4
typedef __m128i vec;

INLINE vec vec_load(const uint8_t *p)
{
    return _mm_loadu_si128((const __m128i *)p);
}

#define vec_set(byte) _mm_set1_epi8((char)(byte))
#define vec_is _mm_cmpeq_epi8
#define vec_or _mm_or_si128
#define vec_and _mm_and_si128
#define vec_sub _mm_sub_epi8
#define vec_min _mm_min_epu8
#define vec_any(v) (_mm_movemask_epi8(vec_is(v, vec_set(0))) != 0xFFFF)
#define vec_any_high(v) (_mm_movemask_epi8(v) != 0)

INLINE uint64_t mask_of(const vec *v)
{
    return (uint64_t)(uint32_t)_mm_movemask_epi8(v[0]) |
           (uint64_t)(uint32_t)_mm_movemask_epi8(v[1]) << 16 |
           (uint64_t)(uint32_t)_mm_movemask_epi8(v[2]) << 32 |
           (uint64_t)(uint32_t)_mm_movemask_epi8(v[3]) << 48;
}

INLINE uint64_t mask_parity(uint64_t mask)
{
    mask ^= mask << 1;
    mask ^= mask << 2;
    mask ^= mask << 4;
    mask ^= mask << 8;
    mask ^= mask << 16;
    return mask ^ mask << 32;
}

/* There is no instruction for it, and mostly nothing to count. */
INLINE uint64_t mask_count(uint64_t mask)
{
    uint64_t count = 0;

    for (; mask; mask &= mask - 1)
        count++;
    return count;
}

/* The last n bytes of `before`, then v without as many. */
#define vec_back(before, v, n)                                                 \
    vec_or(_mm_slli_si128(v, n), _mm_srli_si128(before, 16 - (n)))

/* Without an instruction that looks bytes up, by comparing: as signed bytes,
   80 to BF are the smallest. */
INLINE vec utf8_faults(vec before, vec v)
{
    vec back = vec_back(before, v, 1);
    vec next = _mm_cmplt_epi8(v, vec_set(0xC0));
    vec wanted = vec_or(
        _mm_subs_epu8(back, vec_set(0xBF)),
        vec_or(_mm_subs_epu8(vec_back(before, v, 2), vec_set(0xDF)),
               _mm_subs_epu8(vec_back(before, v, 3), vec_set(0xEF))));
    vec faults = vec_is(next, vec_is(wanted, vec_set(0)));
    vec from_a0 = _mm_cmpgt_epi8(v, vec_set(0x9F));
    vec from_90 = _mm_cmpgt_epi8(v, vec_set(0x8F));

    /* C0, C1; F5 and more */
    faults = vec_or(faults, vec_is(vec_and(v, vec_set(0xFE)), vec_set(0xC0)));
    faults = vec_or(faults, _mm_subs_epu8(v, vec_set(0xF4)));
    faults = vec_or(faults,
                    _mm_andnot_si128(from_a0, vec_is(back, vec_set(0xE0))));
    faults = vec_or(faults, vec_and(from_a0, vec_is(back, vec_set(0xED))));
    faults = vec_or(faults,
                    _mm_andnot_si128(from_90, vec_is(back, vec_set(0xF0))));
    return vec_or(faults, vec_and(from_90, vec_is(back, vec_set(0xF4))));
}

#include "kernels/one_level/masks.inc"

static bool usable(void)
{
    return true;
}

const struct sc_kernel sc_kernel_sse2 = {"sse2", usable, skip};

#endif
