/* plan.c - the law of sharing: docs/semantics.md, section 5.
 *
 * Shares are fractions of the room. Everything is compared in sixteenths of a
 * byte, so no comparison is rounded; only the room handed down is.
 */
#include "keep/columns.h"
#include "keep/view.h"

#define UNIT 16 /* sixteenths in a byte */

#define ELEMENT_MIN 400  /* an element's share, if its array has the room */
#define MEMBER_MIN 96    /* a large member's share, likewise */
#define SMALL_ROOM 192   /* what small members have before the large ones */
/* The way never falls below this part of a room, or below so many bytes, up to
   half of the room. */
#define WAY_PART 8
#define WAY_MIN 400

static uint64_t min64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t max64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t minus(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

/* s(v): what the child would take if it got all it wants. */
static uint32_t wanted(const struct sc_node *n)
{
    return n->flags & SC_CUT ? SC_ALL : n->size;
}

/* Does sharing pass this child over? */
static bool passed_over(const struct sc_node *n)
{
    return n->kind == SC_GONE || (n->flags & SC_HELD);
}

/* The largest L with sum min(cost, L) <= room over the children of i in state
   SC_SOME, whose costs are in view.size; SC_ALL if all get what they cost.
   Starting from equal parts, what small children leave is given to the rest
   until nothing changes. */
static uint32_t level(const struct sc_tree *t, uint32_t i, uint64_t room,
                      uint32_t count)
{
    uint32_t end = t->view[i].end;
    uint64_t L = count ? room / count : 0;

    for (;;) {
        uint64_t rest = room;
        uint64_t more = 0;
        for (uint32_t c = i + 1; c < end; c += t->nodes[c].span) {
            if (t->view[c].state != SC_SOME)
                continue;
            if (t->view[c].size <= L)
                rest -= t->view[c].size;
            else
                more++;
        }
        if (more == 0)
            return SC_ALL;
        if (rest / more == L)
            return (uint32_t)min64(L, SC_ALL - 1);
        L = rest / more;
    }
}

/* What an element is charged, its comma included, in sixteenths. */
static uint64_t charge(const struct sc_node *n, uint64_t share)
{
    return min64((uint64_t)wanted(n) * UNIT, share) + UNIT;
}

/* An element's share: of the room b, of half of it with SC_KEEP_ENDS. */
static uint64_t element_share(const struct sc_tree *t, uint32_t b)
{
    uint32_t part = t->keep == SC_KEEP_ENDS ? UNIT / 2 : UNIT;
    uint64_t all = (uint64_t)part * b - 2 * UNIT;

    if (t->max_record_bytes)
        return min64(all, UNIT * (uint64_t)t->max_record_bytes);
    return max64((uint64_t)part * b / 4, min64(all, UNIT * ELEMENT_MIN));
}

/* Of the siblings from `from` to end, which are charged `sum` together, let
   only the last count whose charges are at most `room`. */
static void count_last(struct sc_tree *t, uint32_t from, uint32_t end,
                           uint64_t share, uint64_t sum, uint64_t room)
{
    for (uint32_t c = from; c < end && sum > room; c += t->nodes[c].span) {
        if (passed_over(&t->nodes[c]))
            continue;
        t->view[c].state = SC_OUT;
        sum -= charge(&t->nodes[c], share);
    }
}

/* Of the children of i, which are charged `sum` together, let the first and the
   last count, each side with half of the room b. With `close` the gap between
   them is noted. */
static void count_ends(struct sc_tree *t, uint32_t i, uint32_t b,
                       uint64_t share, uint64_t sum, bool close)
{
    struct sc_node *n = &t->nodes[i];
    uint32_t end = i + n->span;
    uint32_t gap = n->flags & SC_GAP ? n->small : end;
    uint64_t half = (uint64_t)b * UNIT / 2 - UNIT / 2;
    uint64_t first = 0;
    uint32_t c, count = 0;

    for (c = i + 1; c < gap; c += t->nodes[c].span) {
        uint64_t mine = charge(&t->nodes[c], share);
        if (passed_over(&t->nodes[c]))
            continue;
        if (first + mine > half)
            break;
        first += mine;
        sum -= mine;
        count++;
    }
    for (; (n->flags & SC_GAP) && c < gap; c += t->nodes[c].span) {
        t->view[c].state = SC_OUT;
        sum -= charge(&t->nodes[c], share);
    }
    count_last(t, c, end, share, sum, half);
    if (close) {
        n->flags |= SC_GAP;
        n->large = count;
        n->small = c;
    }
}

static void plan_array(struct sc_tree *t, uint32_t i, uint32_t b, bool close)
{
    struct sc_node *n = &t->nodes[i];
    uint32_t end = i + n->span;
    uint32_t cap = t->max_record_bytes ? t->max_record_bytes : SC_ALL;
    uint64_t room = (uint64_t)b * UNIT;
    uint64_t share = element_share(t, b);
    uint64_t sum = UNIT;
    uint32_t count = 0;
    uint32_t L = (uint32_t)(share / UNIT);
    bool dropped = (n->flags & SC_CLOSED) != 0;

    for (uint32_t c = i + 1; c < end; c += t->nodes[c].span) {
        struct sc_view_node *v = &t->view[c];
        v->state = SC_OUT;
        v->ghost = false;
        if (passed_over(&t->nodes[c]))
            continue;
        v->size = wanted(&t->nodes[c]);
        if (t->keep != SC_KEEP_HEAD || sum <= room)
            sum += charge(&t->nodes[c], share);
        if (t->keep == SC_KEEP_HEAD && sum > room) {
            if (close)
                continue;
            t->view[i].end = end = c;
            break;
        }
        v->state = SC_SOME;
        count++;
    }
    dropped = dropped || sum > room;
    if (t->keep == SC_KEEP_TAIL)
        count_last(t, i + 1, end, share, sum, room);
    else if (t->keep == SC_KEEP_ENDS && dropped)
        count_ends(t, i, b, share, sum - UNIT, close);
    if (!dropped) {
        uint32_t fair = level(t, i, minus(b - 1, count), count);
        L = (uint32_t)max64(min64(fair, cap), L);
    }
    for (uint32_t c = i + 1; c < end; c += t->nodes[c].span)
        t->view[c].room = L;
    if (close && dropped)
        n->flags |= SC_CLOSED;
}

/* The sums an object's rooms follow from. A member that has its room before the
   others belongs to no class. */
struct classes {
    uint64_t small; /* bytes */
    uint64_t large; /* sixteenths, each at most the share */
    uint64_t wanted; /* bytes, all that the classes' members want */
    uint32_t smalls;
    uint32_t larges;
};

static bool is_small(const struct sc_node *n)
{
    return !(n->flags & SC_CUT) && sc_key_cost(n) + n->size <= SC_SMALL_MEMBER;
}

/* What a member wants, its key included. */
static uint32_t member_wants(const struct sc_node *n)
{
    return (uint32_t)min64((uint64_t)wanted(n) + sc_key_cost(n), SC_ALL);
}

/* The large member on the way to the named collection; SC_NONE: there is none.
   Of several with the same key it is the first. */
static uint32_t find_way(const struct sc_tree *t, uint32_t i)
{
    uint32_t end = i + t->nodes[i].span;

    if (!(t->nodes[i].flags & SC_ON_WAY))
        return SC_NONE;
    for (uint32_t c = i + 1; c < end; c += t->nodes[c].span)
        if ((t->nodes[c].flags & SC_ON_WAY) && !passed_over(&t->nodes[c]) &&
            !is_small(&t->nodes[c]))
            return c;
    return SC_NONE;
}

/* What the way has at least. */
static uint32_t way_least(uint32_t r)
{
    return (uint32_t)max64(r / WAY_PART, min64(r / 2, WAY_MIN));
}

/* What a table's header has before its rows: three quarters. */
static uint32_t header_least(uint32_t r)
{
    return (uint32_t)((uint64_t)r * 3 / 4);
}

/* A large member that has its room before the others: the way to the named
   collection, or a table's header. */
struct first {
    uint32_t member; /* SC_NONE: there is none */
    uint32_t least;  /* what it has at least, if it wants so much */
};

/* Find it in the object i, of the room r. */
static struct first find_first(const struct sc_tree *t, uint32_t i, uint32_t r,
                               bool close)
{
    struct first f = {find_way(t, i), way_least(r)};

    if (f.member != SC_NONE || close)
        return f;
    f.member = sc_columns_header(t, i);
    f.least = header_least(r);
    if (f.member != SC_NONE &&
        (passed_over(&t->nodes[f.member]) || is_small(&t->nodes[f.member])))
        f.member = SC_NONE;
    return f;
}

/* Sort the members, but `first`, into classes. The state is SC_SOME for large
   ones and SC_WHOLE for small ones that count, SC_OUT for the others. */
static struct classes classify(struct sc_tree *t, uint32_t i, uint64_t share,
                               uint32_t first)
{
    const struct sc_node *n = &t->nodes[i];
    uint32_t end = i + n->span;
    uint32_t max_large = n->flags & SC_CLOSED_LARGE ? n->large : SC_ALL;
    uint32_t max_small = n->flags & SC_CLOSED_SMALL ? n->small : SC_ALL;
    struct classes k = {0, 0, 0, 0, 0};

    for (uint32_t c = i + 1; c < end; c += t->nodes[c].span) {
        const struct sc_node *m = &t->nodes[c];
        struct sc_view_node *v = &t->view[c];
        v->state = SC_OUT;
        v->ghost = false;
        if (passed_over(m) || c == first)
            continue;
        v->size = member_wants(m);
        if (is_small(m)) {
            v->room = SC_ALL;
            if (m->flags & SC_OPEN) {
                v->state = SC_NOTHING; /* of unknown class: see plan_object */
            } else if (k.smalls < max_small) {
                k.smalls++;
                k.small += v->size;
                k.wanted += v->size;
                v->state = SC_WHOLE;
            }
        } else if (k.larges < max_large) {
            k.larges++;
            k.large += min64((uint64_t)v->size * UNIT, share);
            k.wanted += v->size;
            v->state = SC_SOME;
        }
    }
    return k;
}

static uint32_t value_room(const struct sc_node *n, uint64_t member_room)
{
    return member_room >= SC_ALL
               ? SC_ALL
               : (uint32_t)minus(member_room, sc_key_cost(n));
}

/* Every member counts: small ones as they are, large ones up to a level. */
static void share_all(struct sc_tree *t, uint32_t i, uint64_t L)
{
    uint32_t end = i + t->nodes[i].span;

    for (uint32_t c = i + 1; c < end; c += t->nodes[c].span)
        if (t->view[c].state == SC_SOME)
            t->view[c].room = value_room(&t->nodes[c], L);
}

/* Not every member counts: each class in order until its room is used up. */
static void share_some(struct sc_tree *t, uint32_t i, uint64_t r,
                       uint64_t share, const struct classes *k, bool close)
{
    struct sc_node *n = &t->nodes[i];
    uint32_t end = i + n->span;
    uint64_t reserve = min64(r / 2, minus(r, SMALL_ROOM * UNIT));
    bool small_closed = (n->flags & SC_CLOSED_SMALL) != 0;
    bool large_closed = (n->flags & SC_CLOSED_LARGE) != 0;
    uint64_t small_room =
        max64(r - reserve, large_closed ? 0 : minus(r, k->large));
    uint64_t large_room =
        max64(reserve, small_closed ? 0 : minus(r, k->small * UNIT));
    uint64_t small = 0, large = 0;
    uint32_t smalls = 0, larges = 0;

    for (uint32_t c = i + 1; c < end; c += t->nodes[c].span) {
        struct sc_view_node *v = &t->view[c];
        if (v->state == SC_WHOLE) {
            small += (uint64_t)v->size * UNIT;
            if (small > small_room)
                v->state = SC_OUT;
            else
                smalls++;
        } else if (v->state == SC_SOME) {
            uint64_t mine = larges ? share : min64(share, large_room);
            large += min64((uint64_t)v->size * UNIT, mine);
            if (large > large_room)
                v->state = SC_OUT;
            else
                larges++;
            v->room = value_room(&t->nodes[c], mine / UNIT);
        }
    }
    if (!close)
        return;
    if (large_closed || larges < k->larges) {
        n->flags |= SC_CLOSED_LARGE;
        n->large = larges;
    }
    if (small_closed || smalls < k->smalls) {
        n->flags |= SC_CLOSED_SMALL;
        n->small = smalls;
    }
}

static void plan_object(struct sc_tree *t, uint32_t i, uint32_t b, bool close)
{
    const struct sc_node *n = &t->nodes[i];
    uint32_t end = i + n->span;
    struct first f = find_first(t, i, b - 1, close);
    uint32_t r = b - 1; /* for the others */
    bool closed = n->flags & (SC_CLOSED_LARGE | SC_CLOSED_SMALL);
    uint64_t share;
    struct classes k;

    if (f.member != SC_NONE)
        r -= (uint32_t)min64(member_wants(&t->nodes[f.member]), f.least);
    /* r / 2 is exact in sixteenths: 8 r */
    share = max64((uint64_t)r + 1, min64(8 * (uint64_t)r, MEMBER_MIN * UNIT));
    k = classify(t, i, share, f.member);
    if (!closed && k.small * UNIT + k.large <= (uint64_t)r * UNIT) {
        uint64_t L = level(t, i, r - k.small, k.larges);
        share_all(t, i, max64(L, share / UNIT));
    } else {
        share_some(t, i, (uint64_t)r * UNIT, share, &k, close);
    }
    /* an open member that is small so far: kept until its class is known */
    for (uint32_t c = i + 1; c < end; c += t->nodes[c].span)
        if (t->view[c].state == SC_NOTHING)
            t->view[c].state = SC_WHOLE;
    if (f.member != SC_NONE) {
        uint64_t rest = closed ? 0 : minus(b - 1, k.wanted);
        t->view[f.member].state = SC_SOME;
        t->view[f.member].room =
            value_room(&t->nodes[f.member], max64(rest, f.least));
    }
    if (!close)
        sc_columns_plan(t, i, (uint32_t)(share / UNIT));
}

void sc_plan(struct sc_tree *t, uint32_t i, uint32_t b, bool close)
{
    if (t->nodes[i].kind == SC_ARRAY)
        plan_array(t, i, b, close);
    else
        plan_object(t, i, b, close);
}
