/* columns.c - finding the columns of an object and making them equally long.
 *
 * The length is the least that any column of the group has at this room, also
 * of those that are not kept. So it never falls when the room grows: a column
 * that joins was reckoned with before.
 */
#include "columns.h"

#define LENGTH_MIN 4   /* shorter arrays are not taken for columns */
#define GROUPS_MAX 16  /* different lengths that are told apart in an object */

struct group {
    uint64_t total;
    uint32_t columns;
    uint32_t kept; /* the least of any of them */
};

struct groups {
    struct group group[GROUPS_MAX];
    uint32_t count;
};

static bool is_column(const struct sc_tree *t, uint32_t c)
{
    const struct sc_node *n = &t->nodes[c];

    return n->kind == SC_ARRAY && n->total >= LENGTH_MIN && n->span > 1 &&
           (t->nodes[c + 1].kind == SC_STRING ||
            t->nodes[c + 1].kind == SC_PLAIN);
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
            group->kept = UINT32_MAX;
        }
        if (group)
            group->columns++;
    }
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

/* Show only the first `kept` elements of the array c. */
static void shorten(struct sc_tree *t, uint32_t c, uint32_t kept)
{
    uint32_t end = c + t->nodes[c].span;
    struct sc_view_node *v = &t->view[c];
    uint32_t shown = 0;

    v->size = v->chars = 1;
    for (uint32_t e = c + 1; e < end; e += t->nodes[e].span) {
        bool here = sc_shown(t, e) && shown < kept;
        t->view[e].shown = here;
        if (!here)
            continue;
        shown++;
        v->size += sc_shown_size(t, e) + 1;
        v->chars += sc_shown_chars(t, e) + 1;
    }
    v->kept = shown;
    v->dirty = true;
    v->state = SC_SOME;
}

static uint32_t kept_of(const struct sc_tree *t, uint32_t c)
{
    return t->view[c].state < SC_SOME ? 0 : (uint32_t)sc_shown_kept(t, c);
}

void sc_columns_align(struct sc_tree *t, uint32_t i)
{
    uint32_t end = i + t->nodes[i].span;
    struct groups g;

    collect(t, i, &g);
    for (uint32_t c = i + 1; c < end; c += t->nodes[c].span) {
        struct group *group = is_column(t, c) ? find(&g, t->nodes[c].total)
                                              : NULL;
        if (group && kept_of(t, c) < group->kept)
            group->kept = kept_of(t, c);
    }
    for (uint32_t c = i + 1; c < end; c += t->nodes[c].span) {
        struct group *group = is_column(t, c) ? find(&g, t->nodes[c].total)
                                              : NULL;
        uint32_t kept;
        if (!group || group->columns < 2 || t->view[c].state < SC_SOME)
            continue;
        kept = group->kept ? group->kept : 1;
        if (kept < kept_of(t, c))
            shorten(t, c, kept);
    }
}
