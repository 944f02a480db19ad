/* utf8.h - UTF-8 for kernel_avx512.c.
 *
 * As in dense.h, a table gives the class of each byte and a second one
 * the classes that may come behind it. With 128 entries for the bytes that are
 * not ASCII, one entry stands for all that are. What two neighbours do not show
 * is how many continuations there are: a second one must stand behind another
 * exactly where a lead of three bytes is two before or one of four three
 * before.
 */
#ifndef STREAMCLIP_UTF8_AVX512_H
#define STREAMCLIP_UTF8_AVX512_H

#include "kernels/avx512/dense.h"

enum {
    U_ASCII = 1,
    U_LEAD = 2,
    U_80 = 4,  /* continuations: 80 to 8F */
    U_90 = 8,  /* 90 to 9F */
    U_A0 = 16, /* A0 to BF */
    U_SECOND = 128, /* a continuation behind another */
    U_ANY = U_80 | U_90 | U_A0
};

/* By the lower seven bits. FF has the place of ASCII. */
static const uint8_t utf8_classes[128] ALIGNED = {
    [0x00 ... 0x0F] = U_80 | U_SECOND,
    [0x10 ... 0x1F] = U_90 | U_SECOND,
    [0x20 ... 0x3F] = U_A0 | U_SECOND,
    [0x42 ... 0x74] = U_LEAD, /* not C0, C1, F5 and more */
    [0x7F] = U_ASCII,
};

static const uint8_t utf8_followers[128] ALIGNED = {
    [0x00 ... 0x3F] = U_ASCII | U_LEAD | U_SECOND,
    [0x42 ... 0x5F] = U_ANY,
    [0x60] = U_A0, /* else it were less than U+0800 */
    [0x61 ... 0x6C] = U_ANY,
    [0x6D] = U_80 | U_90, /* else a surrogate */
    [0x6E ... 0x6F] = U_ANY,
    [0x70] = U_90 | U_A0, /* else less than U+10000 */
    [0x71 ... 0x73] = U_ANY,
    [0x74] = U_80, /* else more than U+10FFFF */
    [0x7F] = U_ASCII | U_LEAD,
};

struct utf8 {
    __m512i least;   /* 0 in places where neighbours did not go together */
    __m512i wrong;   /* U_SECOND where it had not to be, or had */
    __m512i highest; /* bytes */
};

/* Look at the 64 bytes at p, of which those in `valid` count, with the three
   before them. */
INLINE void utf8_block(struct utf8 *u, const uint8_t *p, uint64_t valid)
{
    const __m512i ascii = BYTES(0x7F);
    __m512i bytes = load(p);
    __m512i found = look_up(utf8_classes, _mm512_max_epu8(bytes, ascii));
    __m512i allowed =
        look_up(utf8_followers, _mm512_max_epu8(load(p - 1), ascii));
    /* 80 and more: behind E0 and more, F0 and more */
    __m512i third = _mm512_subs_epu8(load(p - 2), BYTES(0xE0 - 0x80));
    __m512i fourth = _mm512_subs_epu8(load(p - 3), BYTES(0xF0 - 0x80));
    __m512i both = _mm512_and_si512(found, allowed);
    /* (third | fourth) ^ both */
    __m512i wrong = _mm512_ternarylogic_epi64(third, fourth, both, 0x56);

    both = _mm512_mask_mov_epi8(ascii, valid, both);
    u->least = _mm512_min_epu8(u->least, both);
    u->wrong = _mm512_or_si512(u->wrong, _mm512_maskz_mov_epi8(valid, wrong));
    u->highest = _mm512_max_epu8(u->highest,
                                 _mm512_maskz_mov_epi8(valid, bytes));
}

/* Is a tile well-formed UTF-8, but for what is missing at the end? `high` has a
   bit for each of its strides: is there a byte that is not ASCII? */
static NOINLINE bool utf8_is_good(const struct sc_tile *t, uint64_t high)
{
    uint8_t edge[128] ALIGNED = {0};
    struct utf8 u = {BYTES(0xFF), BYTES(0), BYTES(0)};
    size_t first = t->len < 64 ? t->len : 64, rest = (t->len - first) % 64;

    /* the first block has nothing before it, and the last one may be a part */
    memcpy(edge + 64, t->data, first);
    utf8_block(&u, edge + 64, ~UINT64_C(0) >> (64 - first));
    if (rest) {
        memcpy(edge + 61, t->data + t->len - rest - 3, rest + 3);
        utf8_block(&u, edge + 64, ~UINT64_C(0) >> (64 - rest));
    }
    /* what a stride breaks off is found out in the next one */
    for (high |= high << 1; high; high &= high - 1) {
        size_t at = (size_t)__builtin_ctzll(high) * STRIDE_BYTES;
        size_t next = at + STRIDE_BYTES, end = next < t->len ? next : t->len;
        for (at += at == 0 ? 64 : 0; at + 64 <= end; at += 64)
            utf8_block(&u, t->data + at, ~UINT64_C(0));
    }
    return !_mm512_testn_epi8_mask(u.least, u.least) &&
           !with_any(u.wrong, U_SECOND) &&
           !_mm512_cmpeq_epi8_mask(u.highest, BYTES(0xFF));
}

#endif
