/* columns.c - finding the columns of an object and making them equally long.
 *
 * The length is the least that any column of the group has at this room, also
 * of those that are not kept. So it never falls when the room grows: a column
 * that joins was reckoned with before.
 */
#include "keep/columns.h"

#define LENGTH_MIN 4   /* shorter arrays are not taken for columns */
#define GROUPS_MAX 16  /* different lengths that are told apart in an object */
#define ROW_MIN 3      /* shorter rows, of coordinates say, have no header */

struct group {
    uint64_t total;
    uint32_t columns;
    uint32_t head; /* the least that any of them has there */
    uint32_t tail;
};

struct groups {
    struct group group[GROUPS_MAX];
    uint32_t count;
};

/* The element that remains longest. */
static uint32_t first_element(const struct sc_tree *t, uint32_t c)
{
    uint32_t i = c + t->nodes[c].span - 1;

    if (t->keep != SC_KEEP_TAIL)
        return c + 1;
    while (t->nodes[i].parent != c)
        i = t->nodes[i].parent;
    return i;
}

static bool is_column(const struct sc_tree *t, uint32_t c)
{
    const struct sc_node *n = &t->nodes[c];
    uint8_t kind;

    if (n->kind != SC_ARRAY || n->total < LENGTH_MIN || n->span == 1 ||
        (t->keep != SC_KEEP_HEAD && (n->flags & SC_TORN)))
        return false;
    kind = t->nodes[first_element(t, c)].kind;
    return kind == SC_STRING || kind == SC_PLAIN;
}

/* The group of columns of this length; NULL if there is none. */
static struct group *find(struct groups *g, uint64_t total)
{
    for (uint32_t k = 0; k < g->count; k++)
        if (g->group[k].total == total)
            return &g->group[k];
    return NULL;
}

static void collect(const struct sc_tree *t, uint32_t i, struct groups *g)
{
    uint32_t end = i + t->nodes[i].span;

    g->count = 0;
    for (uint32_t c = i + 1; c < end; c += t->nodes[c].span) {
        struct group *group;
        if (!is_column(t, c))
            continue;
        group = find(g, t->nodes[c].total);
        if (!group && g->count < GROUPS_MAX) {
            group = &g->group[g->count++];
            group->total = t->nodes[c].total;
            group->columns = 0;
            group->head = group->tail = UINT32_MAX;
        }
        if (group)
            group->columns++;
    }
}

/* The length of the first row, if the node c is an array of arrays; else 0. */
static uint64_t row_len(const struct sc_tree *t, uint32_t c)
{
    const struct sc_node *n = &t->nodes[c];

    if (n->kind != SC_ARRAY || n->span == 1 ||
        t->nodes[c + 1].kind != SC_ARRAY)
        return 0;
    return t->nodes[c + 1].total;
}

uint32_t sc_columns_header(const struct sc_tree *t, uint32_t i)
{
    uint32_t end = i + t->nodes[i].span;
    uint64_t len = 0;

    for (uint32_t c = i + 1; c < end && len < ROW_MIN; c += t->nodes[c].span)
        len = row_len(t, c);
    if (len < ROW_MIN)
        return SC_NONE;
    for (uint32_t c = i + 1; c < end; c += t->nodes[c].span)
        if (t->nodes[c].kind == SC_ARRAY && t->nodes[c].total == len &&
            row_len(t, c) == 0)
            return c;
    return SC_NONE;
}

void sc_columns_plan(struct sc_tree *t, uint32_t i, uint32_t share)
{
    uint32_t end = i + t->nodes[i].span;
    struct groups g;

    collect(t, i, &g);
    for (uint32_t c = i + 1; c < end; c += t->nodes[c].span) {
        const struct sc_node *n = &t->nodes[c];
        struct group *group;
        if (t->view[c].state != SC_OUT || !is_column(t, c))
            continue;
        group = find(&g, n->total);
        if (!group || group->columns < 2)
            continue;
        t->view[c].state = SC_SOME;
        t->view[c].ghost = true;
        t->view[c].room = share > sc_key_cost(n) ? share - sc_key_cost(n) : 0;
    }
}

/* What a column may show: so many at its head, and so many at its tail. */
struct extent {
    uint32_t head;
    uint32_t tail;
};

/* Show no more of the array c. */
static void shorten(struct sc_tree *t, uint32_t c, struct extent most)
{
    uint32_t end = sc_shown_end(t, c);
    struct sc_view_node *v = &t->view[c];
    uint32_t kept = (uint32_t)sc_shown_kept(t, c);
    uint32_t at = 0, shown = 0, before = 0;

    v->size = v->chars = 1;
    for (uint32_t e = c + 1; e < end; e += t->nodes[e].span) {
        bool here = sc_shown(t, e);
        if (!here)
            continue;
        here = at < most.head || kept - at <= most.tail;
        before += at++ < most.head;
        t->view[e].shown = here;
        if (!here)
            continue;
        shown++;
        v->size += sc_shown_size(t, e) + 1;
        v->chars += sc_shown_chars(t, e) + 1;
    }
    v->kept = shown;
    v->len = before;
    v->end = end;
    v->dirty = true;
    v->state = SC_SOME;
}

/* How much the view has of the column c; without a gap both are all of it. One
   without its first element could not be aligned, and comes to nothing. */
static struct extent extent_of(const struct sc_tree *t, uint32_t c)
{
    struct extent none = {0, 0}, found;
    uint32_t kept;

    if (t->view[c].state < SC_SOME)
        return none;
    kept = (uint32_t)sc_shown_kept(t, c);
    found.head = found.tail = kept;
    if (t->keep == SC_KEEP_HEAD || kept == t->nodes[c].total)
        return found;
    found.head = (uint32_t)sc_shown_before(t, c);
    found.tail = kept - found.head;
    return t->keep == SC_KEEP_ENDS && found.head == 0 ? none : found;
}

void sc_columns_align(struct sc_tree *t, uint32_t i)
{
    uint32_t end = i + t->nodes[i].span;
    struct groups g;

    collect(t, i, &g);
    for (uint32_t c = i + 1; c < end; c += t->nodes[c].span) {
        struct group *group = is_column(t, c) ? find(&g, t->nodes[c].total)
                                              : NULL;
        struct extent has;
        if (!group)
            continue;
        has = extent_of(t, c);
        if (has.head < group->head)
            group->head = has.head;
        if (has.tail < group->tail)
            group->tail = has.tail;
    }
    for (uint32_t c = i + 1; c < end; c += t->nodes[c].span) {
        struct group *group = is_column(t, c) ? find(&g, t->nodes[c].total)
                                              : NULL;
        struct extent most, has;
        if (!group || group->columns < 2 || t->view[c].state < SC_SOME)
            continue;
        has = extent_of(t, c);
        if (has.head + has.tail == 0) {
            t->view[c].state = SC_NOTHING;
            continue;
        }
        most.head = most.tail = 0;
        if (t->keep != SC_KEEP_TAIL)
            most.head = group->head ? group->head : 1;
        if (t->keep == SC_KEEP_TAIL)
            most.tail = group->tail ? group->tail : 1;
        else if (t->keep == SC_KEEP_ENDS)
            most.tail = group->tail;
        if (most.head + most.tail < sc_shown_kept(t, c))
            shorten(t, c, most);
    }
}
