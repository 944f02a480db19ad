/* kernel_neon.c - masks.inc with 16 bytes at a time, for any 64-bit ARM. */
#include "kernels/kernel.h"

#ifdef SC_KERNELS_ARM
#include <arm_neon.h>

#include "kernels/bits.h"
#include "kernels/tiles.h"

#define VECS 4
typedef uint8x16_t vec;

#define vec_load vld1q_u8
#define vec_set(byte) vdupq_n_u8((uint8_t)(byte))
#define vec_is vceqq_u8
#define vec_or vorrq_u8
#define vec_and vandq_u8
#define vec_xor veorq_u8
#define vec_sub vsubq_u8
#define vec_min vminq_u8
#define vec_any(v) (vmaxvq_u8(v) != 0)
#define vec_any_high(v) (vmaxvq_u8(v) >= 0x80)
#define vec_table vld1q_u8
#define vec_look_up vqtbl1q_u8
#define vec_high_half(v) vshrq_n_u8(v, 4)
#define vec_sub_or_0 vqsubq_u8
#define vec_back(before, v, n) vextq_u8(before, v, 16 - (n))

/* There is no instruction that makes a mask of a vector: keep one bit of each
   byte, another one of each of eight neighbours, and add neighbours. */
INLINE uint64_t mask_of(const vec *v)
{
    static const uint8_t bits[16] = {1, 2, 4, 8, 16, 32, 64, 128,
                                     1, 2, 4, 8, 16, 32, 64, 128};
    const vec bit = vld1q_u8(bits);
    vec low = vpaddq_u8(vec_and(v[0], bit), vec_and(v[1], bit));
    vec high = vpaddq_u8(vec_and(v[2], bit), vec_and(v[3], bit));

    low = vpaddq_u8(low, high);
    low = vpaddq_u8(low, low);
    return vgetq_lane_u64(vreinterpretq_u64_u8(low), 0);
}

/* A carry-less product would do it, but not all have one. */
INLINE uint64_t mask_parity(uint64_t mask)
{
    mask ^= mask << 1;
    mask ^= mask << 2;
    mask ^= mask << 4;
    mask ^= mask << 8;
    mask ^= mask << 16;
    return mask ^ mask << 32;
}

INLINE uint64_t mask_count(uint64_t mask)
{
    return vaddv_u8(vcnt_u8(vcreate_u8(mask)));
}

#include "kernels/one_level/utf8_lookup.inc"

#include "kernels/one_level/masks.inc"

static bool usable(void)
{
    return true;
}

const struct sc_kernel sc_kernel_neon = {"neon", usable, skip};

#endif
