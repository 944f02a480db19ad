/* utf8_lookup.h - the tables that tell malformed UTF-8 by three half bytes.
 *
 * Keiser and Lemire, "Validating UTF-8 in less than one instruction per byte"
 * (Software: Practice and Experience, 2021): what is wrong with two neighbours
 * is known from the first one's two halves and the second one's upper half.
 * Each table tells which faults a half allows; a fault that all three allow is
 * there. Two continuations in a row are no fault behind a lead of three or four
 * bytes, which is checked apart: there, and only there, that bit has to be set.
 */
#ifndef STREAMCLIP_UTF8_LOOKUP_H
#define STREAMCLIP_UTF8_LOOKUP_H

#include <stdint.h>

enum {
    U_SHORT = 1,      /* a lead, and no continuation */
    U_LONG = 2,       /* ASCII, and a continuation */
    U_OVERLONG3 = 4,  /* E0, 80 to 9F */
    U_LARGE = 8,      /* F4, 90 and more; F5 and more */
    U_SURROGATE = 16, /* ED, A0 and more */
    U_OVERLONG2 = 32, /* C0 or C1 */
    U_LARGE2 = 64,    /* F5 and more, 80 to 8F */
    U_OVERLONG4 = 64, /* F0, 80 to 8F */
    U_TWO = 128,      /* two continuations */
    U_ANY_LOW = U_SHORT | U_LONG | U_TWO
};

static const uint8_t utf8_first_high[16] = {
    U_LONG, U_LONG, U_LONG, U_LONG, U_LONG, U_LONG, U_LONG, U_LONG,
    U_TWO, U_TWO, U_TWO, U_TWO,
    U_SHORT | U_OVERLONG2,
    U_SHORT,
    U_SHORT | U_OVERLONG3 | U_SURROGATE,
    U_SHORT | U_LARGE | U_LARGE2 | U_OVERLONG4,
};

static const uint8_t utf8_first_low[16] = {
    U_ANY_LOW | U_OVERLONG2 | U_OVERLONG3 | U_OVERLONG4,
    U_ANY_LOW | U_OVERLONG2,
    U_ANY_LOW,
    U_ANY_LOW,
    U_ANY_LOW | U_LARGE,
    U_ANY_LOW | U_LARGE | U_LARGE2,
    U_ANY_LOW | U_LARGE | U_LARGE2,
    U_ANY_LOW | U_LARGE | U_LARGE2,
    U_ANY_LOW | U_LARGE | U_LARGE2,
    U_ANY_LOW | U_LARGE | U_LARGE2,
    U_ANY_LOW | U_LARGE | U_LARGE2,
    U_ANY_LOW | U_LARGE | U_LARGE2,
    U_ANY_LOW | U_LARGE | U_LARGE2,
    U_ANY_LOW | U_LARGE | U_LARGE2 | U_SURROGATE,
    U_ANY_LOW | U_LARGE | U_LARGE2,
    U_ANY_LOW | U_LARGE | U_LARGE2,
};

static const uint8_t utf8_second_high[16] = {
    U_SHORT, U_SHORT, U_SHORT, U_SHORT, U_SHORT, U_SHORT, U_SHORT, U_SHORT,
    U_LONG | U_TWO | U_OVERLONG2 | U_OVERLONG3 | U_OVERLONG4 | U_LARGE2,
    U_LONG | U_TWO | U_OVERLONG2 | U_OVERLONG3 | U_LARGE,
    U_LONG | U_TWO | U_OVERLONG2 | U_SURROGATE | U_LARGE,
    U_LONG | U_TWO | U_OVERLONG2 | U_SURROGATE | U_LARGE,
    U_SHORT, U_SHORT, U_SHORT, U_SHORT,
};

#endif
