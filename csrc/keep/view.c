/* view.c - applying the law to the whole tree, at one room. */
#include "keep/view.h"

#include "keep/columns.h"
#include "lex/lex_steps.h"

/* Shorten a string to its room. */
static uint8_t shorten(struct sc_tree *t, uint32_t i, uint32_t room)
{
    const struct sc_node *n = &t->nodes[i];
    struct sc_view_node *v = &t->view[i];
    const uint8_t *body = sc_body(t, n);

    if (sc_is_atom(t, n))
        return SC_NOTHING;
    v->len = (uint32_t)sc_text_prefix(body, n->len, room - 2, UINT64_MAX,
                                      &v->points);
    if (v->len == 0)
        return SC_NOTHING;
    v->size = v->len + 2;
    v->chars = (uint32_t)lex_count_chars(body, v->len) + 2;
    v->dirty = true;
    return SC_SOME;
}

/* The room that the node i must have to be shortened. */
static uint32_t least_room(const struct sc_tree *t, uint32_t i)
{
    bool element = i != sc_tree_root(t) &&
                   t->nodes[t->nodes[i].parent].kind == SC_ARRAY;
    uint32_t least = SC_LEAST_ELEMENT;

    if (!element || !sc_is_container(&t->nodes[i]))
        return SC_LEAST_ROOM;
    if (t->max_record_bytes && t->max_record_bytes < least)
        least = t->max_record_bytes;
    return least > SC_LEAST_ROOM ? least : SC_LEAST_ROOM;
}

/* What becomes of a node that its container's plan counted. For a container
   with SC_SOME only its children tell. */
static uint8_t decide(struct sc_tree *t, uint32_t i)
{
    const struct sc_node *n = &t->nodes[i];
    uint32_t room = t->view[i].room;

    if (!sc_is_real(n))
        return n->kind == SC_TOMB ? SC_NOTHING : SC_OUT;
    if (!(n->flags & SC_CUT) && n->size <= room)
        return SC_WHOLE;
    if (n->kind == SC_PLAIN || room < least_room(t, i))
        return SC_NOTHING;
    if (sc_is_container(n))
        return SC_SOME;
    return n->size <= room ? SC_WHOLE : shorten(t, i, room);
}

/* From the root down: every node's room and state. Returns how many containers
   are in t->order. */
static uint32_t descend(struct sc_tree *t, uint32_t root, bool compacting)
{
    uint32_t end = root + t->nodes[root].span;
    uint32_t count = 0;

    for (uint32_t i = root; i < end;) {
        const struct sc_node *n = &t->nodes[i];
        struct sc_view_node *v = &t->view[i];

        if (i != root && (v->state == SC_OUT || (n->flags & SC_HELD))) {
            i = sc_past(t, i);
            continue;
        }
        v->state = decide(t, i);
        if (v->state == SC_SOME && sc_is_container(n)) {
            v->end = i + n->span;
            sc_plan(t, i, v->room, compacting);
            t->order[count++] = i;
            i++;
        } else {
            i += n->span;
        }
    }
    return count;
}

/* May an open container that lost something still become something? */
static bool may_grow(const struct sc_node *n, bool lost, uint8_t keep)
{
    if (!(n->flags & SC_OPEN) || !lost)
        return (n->flags & SC_OPEN) != 0;
    return n->kind == SC_OBJECT ? !sc_is_shut(n) : keep != SC_KEEP_HEAD;
}

static bool remains(const struct sc_view_node *v)
{
    return v->state >= SC_SOME && !v->ghost;
}

/* Show the elements of the array i that remain before the first of which
   nothing remains, or behind the last, as far as the gap and t->keep let it.
   Without either they are all before it. */
static void show_elements(struct sc_tree *t, uint32_t i)
{
    const struct sc_node *n = &t->nodes[i];
    uint32_t end = t->view[i].end;
    uint32_t before = end; /* shown are the nodes up to here */
    uint32_t behind = end; /* and from here on */
    bool gap = t->keep == SC_KEEP_TAIL || (n->flags & SC_GAP);
    bool met = false; /* one of which nothing remains */

    if (gap)
        before = behind = t->keep == SC_KEEP_TAIL ? i + 1 : n->small;
    for (uint32_t c = i + 1; c < end; c += t->nodes[c].span) {
        if ((t->nodes[c].flags & SC_HELD) || remains(&t->view[c]))
            continue;
        if (!met && c < before)
            before = c;
        if (t->keep != SC_KEEP_HEAD && (!gap || c >= behind))
            behind = c + t->nodes[c].span;
        met = true;
    }
    t->view[i].len = 0;
    for (uint32_t c = i + 1; c < end; c += t->nodes[c].span) {
        t->view[c].shown = remains(&t->view[c]) && (c < before || c >= behind);
        t->view[i].len += t->view[c].shown && c < before;
    }
}

/* From the leaves up: sum up what remains of one container. */
static void sum_up(struct sc_tree *t, uint32_t i, bool compacting)
{
    const struct sc_node *n = &t->nodes[i];
    struct sc_view_node *v = &t->view[i];
    uint32_t end = v->end;
    uint32_t held = 0;
    bool lost = n->flags & (SC_CLOSED | SC_CLOSED_LARGE | SC_CLOSED_SMALL);

    if (!compacting && n->kind == SC_OBJECT)
        sc_columns_align(t, i);
    if (n->kind == SC_ARRAY)
        show_elements(t, i);
    v->size = v->chars = 1;
    v->kept = 0;
    v->dirty = false;
    for (uint32_t c = i + 1; c < end; c += t->nodes[c].span) {
        const struct sc_node *m = &t->nodes[c];
        struct sc_view_node *w = &t->view[c];

        if (m->flags & SC_HELD) {
            held++;
            w->shown = false;
            continue;
        }
        lost = lost || (m->kind != SC_GONE && w->state != SC_WHOLE) ||
               (m->flags & SC_CUT);
        if (n->kind == SC_OBJECT)
            w->shown = remains(w);
        if (!w->shown)
            continue;
        v->kept++;
        v->size += sc_shown_size(t, c) + (m->member ? sc_key_cost(m) : 1);
        v->chars += sc_shown_chars(t, c) + (m->member ? m->key_chars + 4 : 1);
        v->dirty = v->dirty || sc_shown_dirty(t, c);
    }
    if (v->kept == 0 && !(compacting && may_grow(n, lost, t->keep)))
        v->state = SC_NOTHING;
    v->kept += held;
    v->dirty = v->dirty || v->kept < n->total;
}

bool sc_view(struct sc_tree *t, uint32_t room, bool compacting)
{
    uint32_t root = sc_tree_root(t);
    uint32_t count;

    t->view[root].room = room;
    count = descend(t, root, compacting);
    while (count-- > 0)
        sum_up(t, t->order[count], compacting);
    /* the list of documents is the whole's frame, not a part of it */
    if (root)
        t->view[0].state = SC_SOME;
    t->view[root].shown = t->view[root].state >= SC_SOME;
    return t->view[root].shown;
}
