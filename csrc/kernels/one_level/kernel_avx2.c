/* kernel_avx2.c - masks.inc with 32 bytes at a time. */
#include "kernels/kernel.h"

#ifdef SC_KERNELS_X86
#include <immintrin.h>

#include "kernels/cpu_x86.h"
#include "kernels/tiles.h"

#define TARGET "avx2,bmi,bmi2,popcnt,pclmul"
#include "kernels/target_begin.h"

#include "kernels/bits.h"

#define VECS 2
typedef __m256i vec;

INLINE vec vec_load(const uint8_t *p)
{
    return _mm256_loadu_si256((const __m256i *)p);
}

#define vec_set(byte) _mm256_set1_epi8((char)(byte))
#define vec_is _mm256_cmpeq_epi8
#define vec_or _mm256_or_si256
#define vec_and _mm256_and_si256
#define vec_xor _mm256_xor_si256
#define vec_sub _mm256_sub_epi8
#define vec_min _mm256_min_epu8
#define vec_sub_or_0 _mm256_subs_epu8
#define vec_look_up _mm256_shuffle_epi8
#define vec_any(v) (!_mm256_testz_si256(v, v))
#define vec_any_high(v) (_mm256_movemask_epi8(v) != 0)

INLINE vec vec_table(const uint8_t *bytes)
{
    return _mm256_broadcastsi128_si256(
        _mm_loadu_si128((const __m128i *)bytes));
}

INLINE vec vec_high_half(vec v)
{
    return vec_and(_mm256_srli_epi16(v, 4), vec_set(0x0F));
}

/* The shift works in halves: each gets the 16 bytes before it. */
#define vec_back(before, v, n)                                                 \
    _mm256_alignr_epi8(v, _mm256_permute2x128_si256(before, v, 0x21), 16 - (n))

INLINE uint64_t mask_of(const vec *v)
{
    return (uint32_t)_mm256_movemask_epi8(v[0]) |
           (uint64_t)(uint32_t)_mm256_movemask_epi8(v[1]) << 32;
}

INLINE uint64_t mask_parity(uint64_t mask)
{
    __m128i product = _mm_clmulepi64_si128(
        _mm_cvtsi64_si128((long long)mask), _mm_set1_epi8(-1), 0);

    return (uint64_t)_mm_cvtsi128_si64(product);
}

INLINE uint64_t mask_count(uint64_t mask)
{
    return (uint64_t)_mm_popcnt_u64(mask);
}

#include "kernels/one_level/utf8_lookup.inc"

#include "kernels/one_level/masks.inc"

#include "kernels/target_end.h"

const struct sc_kernel sc_kernel_avx2 = {"avx2", sc_cpu_has_avx2, skip};

#endif
