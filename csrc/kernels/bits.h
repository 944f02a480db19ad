/* bits.h - what can be told of 64 bytes from masks with a bit for each of them,
 * whatever made the masks. Bit 0 is the first byte.
 *
 * A carry is what one mask hands to the next: 0 or 1, and 0 at a beginning.
 */
#ifndef STREAMCLIP_BITS_H
#define STREAMCLIP_BITS_H

#include <stdbool.h>
#include <stdint.h>

#define INLINE static inline __attribute__((always_inline))
#define NOINLINE __attribute__((noinline))

/* Each bit one byte on, with the last bit of the mask before. */
INLINE uint64_t behind(uint64_t mask, uint64_t *carry)
{
    uint64_t shifted = mask << 1 | *carry;

    *carry = mask >> 63;
    return shifted;
}

/* Run on from behind each bit of `from` as long as there are bits in `through`;
   where do the runs end? A sum carries through all of a run at once. */
INLINE uint64_t ends_of_runs(uint64_t from, uint64_t through, uint64_t *carry)
{
    unsigned long long sum;
    bool over = __builtin_add_overflow((unsigned long long)(from << 1 | *carry),
                                       (unsigned long long)through, &sum);

    *carry = (uint64_t)over | from >> 63;
    return sum & ~through;
}

/* The bytes that a backslash escapes. Each run of them escapes every second
   byte after its first: taking a run from the odd places leaves a carry behind
   its end if that end is escaped. */
INLINE uint64_t escaped_of(uint64_t backslash, uint64_t *carry)
{
    const uint64_t odd = UINT64_C(0xAAAAAAAAAAAAAAAA);
    uint64_t escaping = backslash & ~*carry;
    uint64_t ends = ((escaping << 1 | odd) - escaping) ^ odd;
    uint64_t escaped = ends ^ (backslash | *carry);

    *carry = (ends & backslash) >> 63;
    return escaped;
}

/* Where hexadecimal digits must be: the four bytes after each u of an escape.
   The carry has those of the mask before that are among its last four. */
INLINE uint64_t hex_places(uint64_t u, uint64_t *carry)
{
    uint64_t c = *carry;

    *carry = u & UINT64_C(0xF) << 60;
    return (u << 1 | c >> 63) | (u << 2 | c >> 62) | (u << 3 | c >> 61) |
           (u << 4 | c >> 60);
}

/* Where the letters of literals are. */
struct letters {
    uint64_t t, r, u, e, f, a, l, s, n;
};

struct literal_carry {
    uint64_t t, f, n; /* whole masks */
    uint64_t run;
};

/* Is there a literal that did not end in the mask before? */
INLINE bool in_literal(const struct literal_carry *c)
{
    return ((c->t | c->f | c->n) >> 60 | c->run) != 0;
}

/* Check the literals that begin at `starts`. `scalar` has all bytes of numbers
   and literals. Returns the bytes of literals; *bad gets what is wrong. */
INLINE uint64_t literals(const struct letters *is, uint64_t scalar,
                         uint64_t starts, struct literal_carry *c,
                         uint64_t *bad)
{
#define ON(letter, k) (letter << k | c->letter >> (64 - k))
    uint64_t t = is->t & starts, f = is->f & starts, n = is->n & starts;
    uint64_t t1 = ON(t, 1), t2 = ON(t, 2), t3 = ON(t, 3);
    uint64_t f1 = ON(f, 1), f2 = ON(f, 2), f3 = ON(f, 3), f4 = ON(f, 4);
    uint64_t n1 = ON(n, 1), n2 = ON(n, 2), n3 = ON(n, 3);
    uint64_t all = t | t1 | t2 | t3 | f | f1 | f2 | f3 | f4 | n | n1 | n2 | n3;
    unsigned long long sum;
    uint64_t run;

    *bad |= (t1 & ~is->r) | ((t2 | n1) & ~is->u) | ((t3 | f4) & ~is->e) |
            (f1 & ~is->a) | ((f2 | n2 | n3) & ~is->l) | (f3 & ~is->s);
    /* a sum runs from each start to the end of the scalar */
    c->run = __builtin_add_overflow((unsigned long long)scalar,
                                    (unsigned long long)(starts | c->run),
                                    &sum);
    run = scalar & ~sum;
    *bad |= run ^ all;
    c->t = t;
    c->f = f;
    c->n = n;
    return run;
#undef ON
}

struct number_carry {
    uint64_t sign, zero;         /* that begin a number */
    uint64_t fraction, exponent; /* runs */
};

/* What is wrong with numbers beyond what two neighbours show: a digit behind a
   leading zero, a second point, a point or another e behind an e. `part` has
   digits and signs. */
INLINE uint64_t number_faults(uint64_t starts, uint64_t digits, uint64_t zero,
                              uint64_t minus, uint64_t point, uint64_t e,
                              uint64_t part, struct number_carry *c)
{
    uint64_t first = starts | behind(minus & starts, &c->sign);
    uint64_t bad = behind(zero & first, &c->zero) & digits;

    bad |= ends_of_runs(point, part, &c->fraction) & point;
    bad |= ends_of_runs(e, part, &c->exponent) & (point | e);
    return bad;
}

#endif
