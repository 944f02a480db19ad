/* lex.h - where the JSON grammar stands between two bytes.
 *
 * One struct holds everything that must survive the end of a chunk, so a
 * document may be cut anywhere: inside a number, an escape, a UTF-8 sequence, a
 * literal. The machine that moves it is machine.inc; it is compiled with the
 * hooks that build the tree (walk.c), with those that count (seeker.c) and
 * without any (kernel_scalar.c), and because they share this state one may go
 * on where another stopped. So do the other kernels, which return to it at the
 * end of each tile.
 */
#ifndef STREAMCLIP_LEX_H
#define STREAMCLIP_LEX_H

#include "streamclip.h"

#if defined(__GNUC__) || defined(__clang__)
#define LEX_INLINE static inline __attribute__((always_inline))
#else
#define LEX_INLINE static inline
#endif

enum lex_state {
    LEX_VALUE,      /* a value must come */
    LEX_FIRST_ITEM, /* a value or ']' */
    LEX_FIRST_KEY,  /* a key or '}' */
    LEX_KEY,
    LEX_COLON,
    LEX_AFTER, /* a value is complete */
    LEX_STRING,
    LEX_ESCAPE,
    LEX_HEX1, /* the four digits of \u */
    LEX_HEX2,
    LEX_HEX3,
    LEX_HEX4,
    LEX_UTF8, /* inside a sequence; see utf8 below */
    LEX_LITERAL,
    LEX_MINUS, /* from here on: inside a number */
    LEX_ZERO,
    LEX_INT,
    LEX_DOT,
    LEX_FRACTION,
    LEX_EXP,
    LEX_EXP_SIGNED,
    LEX_EXP_DIGITS
};

enum lex_literal { LITERAL_TRUE, LITERAL_FALSE, LITERAL_NULL };

struct sc_lex {
    uint8_t state;
    bool in_key;        /* the string at hand is a member's key */
    uint8_t literal;    /* enum lex_literal */
    uint8_t literal_at; /* how much of it has been seen */
    uint8_t utf8_len;   /* bytes of the open sequence, kept in utf8 */
    uint8_t utf8_left;  /* continuation bytes still to come */
    uint8_t utf8_low;   /* what the next of them must lie between */
    uint8_t utf8_high;
    uint8_t utf8[4];
    uint8_t format; /* enum sc_format */
    bool newline;   /* a line ended since the last document */
    uint16_t hex;   /* the digits of \u so far */
    uint32_t depth; /* levels that are open; 0: between documents */
    uint32_t max_depth;
    uint64_t documents; /* begun so far */
    uint8_t *is_object; /* [0..max_depth]: what each open level is */
    int status;         /* the first error */
    uint32_t back;      /* the error lies this many bytes before the position */
};

/* How many bytes is_object needs: level 0 is no object, and kernels may write a
   few levels more than there are. */
#define LEX_LEVELS(max_depth) ((size_t)(max_depth) + 8)

/* Make the state of an empty input; levels holds LEX_LEVELS(max_depth). */
void sc_lex_init(struct sc_lex *lex, uint32_t max_depth, uint8_t format,
                 uint8_t *levels);

/* Would the document be complete if the input ended here? SC_OK or
   SC_INCOMPLETE. */
int sc_lex_finish(const struct sc_lex *lex);

/* Is this a state in which the number read so far is a whole one? */
LEX_INLINE bool lex_number_may_end(unsigned state)
{
    return state == LEX_ZERO || state == LEX_INT || state == LEX_FRACTION ||
           state == LEX_EXP_DIGITS;
}

#endif
