/* compact.c - shrinking the retained tree in place.
 *
 * While the input arrives the tree is brought down to K(what came so far, room)
 * each time it has outgrown its bound. Because K nests, doing so early or late
 * gives the same tree in the end, if three things are minded: a child of which
 * nothing remains leaves a tombstone, whose charge its siblings keep paying; an
 * open value that may still turn out to weigh nothing, or to be of the other
 * class, is not charged yet; and what lost something wants infinitely much from
 * then on.
 */
#include <string.h>

#include "keep/view.h"

/* The writing end of a slide. */
struct slide {
    struct sc_tree *tree;
    uint32_t node;
    size_t heap;
};

/* Where a node went is kept in view.next until the next view. */
static uint32_t moved(const struct sc_tree *t, uint32_t i)
{
    return t->view[i].next;
}

static void lose(struct sc_tree *t, uint32_t i, uint32_t end)
{
    for (; i < end; i++)
        t->view[i].next = SC_NONE;
}

/* Move a node to the writing end, with its key if `key` and with the first len
   bytes of its body. */
static struct sc_node *move(struct slide *s, uint32_t i, bool key, uint32_t len)
{
    struct sc_tree *t = s->tree;
    struct sc_node n = t->nodes[i];
    uint32_t key_len = n.key_known ? n.key_len : 0;

    t->view[i].next = s->node;
    n.parent = moved(t, n.parent);
    if (key_len && key) {
        memmove(t->heap + s->heap, t->heap + n.text, key_len);
        memmove(t->heap + s->heap + key_len, t->heap + n.text + key_len, len);
    } else {
        memmove(t->heap + s->heap, t->heap + n.text + key_len, len);
        key_len = 0;
        n.key_known = n.key_known && key;
    }
    n.text = (uint32_t)s->heap;
    n.len = len;
    s->heap += key_len + len;
    t->nodes[s->node] = n;
    return &t->nodes[s->node++];
}

/* Leave a marker in place of the child i: a tombstone, or a name only. */
static void leave(struct slide *s, uint32_t i, uint8_t kind)
{
    struct sc_tree *t = s->tree;
    const struct sc_node *n = &t->nodes[i];
    uint32_t parent = n->parent;
    bool name = n->member && n->key_known && n->key_len <= SC_NAME_MAX &&
                t->nodes[moved(t, parent)].total - t->view[parent].kept <=
                    SC_NAMES_MAX;
    struct sc_node *left;

    if (kind == SC_GONE && !name)
        return;
    left = move(s, i, name, 0);
    left->flags = kind == SC_TOMB ? SC_CUT | (left->flags & SC_ON_WAY) : 0;
    left->kind = kind;
    left->size = left->chars = 0;
}

/* Rewrite the tape with only what the states say remains. */
static void slide(struct sc_tree *t)
{
    uint32_t root = sc_tree_root(t);
    struct slide s = {t, root, 0};
    uint32_t whole_end = 0;

    if (root)
        t->view[0].next = 0;
    for (uint32_t i = root; i < t->count;) {
        struct sc_node *n = &t->nodes[i];
        uint32_t span = n->span;
        uint8_t state = t->view[i].state;

        if (i < whole_end || (n->flags & SC_HELD)) {
            move(&s, i, true, n->len);
            i++;
        } else if (state == SC_WHOLE) {
            whole_end = i + span;
        } else if (state == SC_SOME) {
            if (n->kind == SC_STRING) {
                n->points = t->view[i].points;
                n->size = t->view[i].size;
                n->chars = t->view[i].chars;
                n->flags |= SC_CUT;
                move(&s, i, true, t->view[i].len);
            } else {
                move(&s, i, true, 0);
            }
            i++;
        } else if (i == 0) {
            /* nothing of any line remains */
            move(&s, i, false, 0)->flags |= SC_CLOSED;
            lose(t, i + 1, t->count);
            break;
        } else {
            if (n->kind == SC_GONE || state == SC_OUT)
                leave(&s, i, SC_GONE);
            else
                leave(&s, i, SC_TOMB);
            lose(t, i, i + span);
            i += span;
        }
    }
    t->count = s.node;
    t->heap_len = s.heap;
}

/* Slide, then find out where that leaves the input: which open container is
   still retained, and what is to be skipped. */
static void slide_and_resume(struct sc_tree *t)
{
    uint32_t depth = t->cur_depth;
    uint32_t skip_level = SC_NONE;

    /* the open containers, outermost first; t->order is free now */
    for (uint32_t level = depth + 1, i = t->cur; level-- > 0;) {
        t->order[level] = i;
        i = t->nodes[i].parent;
    }
    slide(t);
    for (uint32_t level = 1; level <= depth; level++) {
        if (moved(t, t->order[level]) == SC_NONE) {
            skip_level = level;
            break;
        }
    }
    if (t->text != SC_NONE)
        t->text = moved(t, t->text);
    if (skip_level != SC_NONE) {
        t->cur_depth = skip_level - 1;
        t->skip = skip_level;
    }
    t->cur = t->cur_depth ? moved(t, t->order[t->cur_depth]) : 0;
    sc_tree_measure(t);
    /* an open string that is still retained is read to its end, and counted */
    if (t->text == SC_NONE &&
        sc_is_done(t, &t->nodes[t->cur], t->cur_depth))
        t->skip = t->cur_depth;
}

/* Begin a slide that leaves out but what is marked SC_OUT from now on. */
static void keep_all(struct sc_tree *t)
{
    for (uint32_t i = 0; i < t->count; i++) {
        t->view[i].state = sc_is_container(&t->nodes[i]) ? SC_SOME : SC_WHOLE;
        t->view[i].kept = t->nodes[i].kept;
        if (t->nodes[i].kind == SC_TOMB)
            t->view[i].state = SC_NOTHING;
        else if (t->nodes[i].kind == SC_GONE)
            t->view[i].state = SC_OUT;
    }
}

/* Leave out the siblings from c to end. */
static void leave_out(struct sc_tree *t, uint32_t c, uint32_t end)
{
    for (; c < end; c += t->nodes[c].span)
        t->view[c].state = SC_OUT;
}

/* The element c of the array i is a long atom: leave out what is on the far
   side of it. Returns the last node that is done with. */
static uint32_t strip_array(struct sc_tree *t, uint32_t i, uint32_t c)
{
    struct sc_node *n = &t->nodes[i];
    uint32_t end = i + n->span;
    uint32_t from = c, last = c; /* left out, with all between */
    uint32_t before = 0;

    n->flags |= SC_CLOSED;
    if (t->keep == SC_KEEP_HEAD) {
        leave_out(t, c, end);
        return end - 1;
    }
    for (uint32_t k = c; k < end; k += t->nodes[k].span)
        if (!(t->nodes[k].flags & SC_HELD) && sc_is_long_atom(t, &t->nodes[k]))
            last = k;
    if (t->keep == SC_KEEP_TAIL) {
        leave_out(t, i + 1, last + 1);
        return last;
    }
    for (uint32_t k = i + 1; k < c; k += t->nodes[k].span)
        before++;
    if (!(n->flags & SC_GAP)) {
        n->flags |= SC_GAP;
        n->large = before;
    } else if (c < n->small) {
        n->large = before;
        if (last < n->small) {
            leave_out(t, c, n->small);
            return n->small - 1;
        }
    } else {
        from = n->small;
    }
    leave_out(t, from, last + 1);
    return last;
}

static bool has_long_atom(const struct sc_tree *t)
{
    for (uint32_t i = 1; i < t->count; i++)
        if (sc_is_long_atom(t, &t->nodes[i]))
            return true;
    return false;
}

bool sc_tree_strip(struct sc_tree *t)
{
    bool found = false;

    t->stripped = true;
    if (!has_long_atom(t))
        return false;
    keep_all(t);
    for (uint32_t i = 1; i < t->count; i++) {
        const struct sc_node *n = &t->nodes[i];

        if (t->view[i].state == SC_OUT || (n->flags & SC_HELD) ||
            !sc_is_long_atom(t, n))
            continue;
        found = true;
        if (t->nodes[n->parent].kind == SC_ARRAY) {
            i = strip_array(t, n->parent, i);
        } else {
            t->view[i].state = SC_OUT;
            t->view[n->parent].kept--;
        }
    }
    if (found)
        slide_and_resume(t);
    return found;
}

bool sc_may_weigh_nothing(const struct sc_tree *t, const struct sc_node *n)
{
    return (n->flags & SC_OPEN) && !(n->flags & (SC_CUT | SC_CAPPED)) &&
           n->size <= SC_LONG_ATOM &&
           (n->points < SC_ATOM_CHARS || sc_is_atom(t, n));
}

static void hold_text(struct sc_tree *t)
{
    if (t->text != SC_NONE && sc_may_weigh_nothing(t, &t->nodes[t->text]))
        t->nodes[t->text].flags |= SC_HELD;
}

/* Put it back, unless there is no place for it any more. */
static void release_text(struct sc_tree *t)
{
    const struct sc_node *cur = &t->nodes[t->cur];
    struct sc_node *n;

    if (t->text == SC_NONE)
        return;
    n = &t->nodes[t->text];
    if (!(n->flags & SC_HELD))
        return;
    n->flags &= (uint16_t)~SC_HELD;
    t->live += n->size + sc_cost_beside(t, n);
    if ((t->keep == SC_KEEP_HEAD && (cur->flags & SC_CLOSED)) ||
        (sc_is_shut(cur) && !(n->flags & SC_ON_WAY)))
        sc_tree_drop_text(t);
}

/* Is it certain that the document is over the room? */
static bool cannot_fit(const struct sc_tree *t)
{
    return t->live > t->room || (t->nodes[sc_tree_root(t)].flags & SC_CUT);
}

void sc_tree_compact(struct sc_tree *t)
{
    hold_text(t);
    sc_tree_measure(t);
    if (!t->stripped && cannot_fit(t))
        sc_tree_strip(t);
    if (sc_is_over(t)) {
        sc_view(t, t->room, true);
        slide_and_resume(t);
    }
    t->count_bound = 2 * (uint64_t)t->count;
    if (t->count_bound < t->bound)
        t->count_bound = t->bound;
    release_text(t);
}

void sc_tree_shrink(struct sc_tree *t)
{
    sc_tree_measure(t);
    if (!t->stripped && !cannot_fit(t))
        return;
    if (!t->stripped)
        sc_tree_strip(t);
    if (sc_tree_root(t) < t->count) {
        sc_view(t, t->room, true);
        slide_and_resume(t);
    }
}

/* Of the array i, leave out what is over max_items. What sharing dropped counts
   no more if the cap would have taken it. */
static void trim_array(struct sc_tree *t, uint32_t i)
{
    struct sc_node *n = &t->nodes[i];
    uint32_t end = i + n->span;
    bool ends = t->keep == SC_KEEP_ENDS;
    uint64_t first = ends ? t->max_items - t->max_items / 2 : 0;
    uint64_t last = t->max_items - first;
    uint64_t count = 0, before = 0;

    for (uint32_t c = i + 1; c < end; c += t->nodes[c].span)
        count++;
    if (ends && (n->flags & SC_GAP)) {
        before = n->large;
    } else if (ends) {
        if (count <= t->max_items)
            return;
        n->flags |= SC_GAP;
        before = first;
    }
    if (before >= first && count - before >= last)
        n->flags &= (uint16_t)~SC_CLOSED;
    if (before > first)
        n->large = (uint32_t)first;
    else if (ends)
        n->large = (uint32_t)before;
    for (uint32_t c = i + 1, at = 0; c < end; c += t->nodes[c].span, at++)
        if (at >= before ? at + last < count : at >= first)
            t->view[c].state = SC_OUT;
}

/* At the head max_items takes elements as they come. Elsewhere those that it
   leaves are known only now. */
static void trim(struct sc_tree *t)
{
    keep_all(t);
    for (uint32_t i = sc_tree_root(t); i < t->count; i++) {
        struct sc_node *n = &t->nodes[i];
        if (n->kind == SC_ARRAY && (i > 0 || t->jsonl) &&
            n->total > t->max_items)
            trim_array(t, i);
        /* all that survived count, though their class may change now */
        n->large = n->kind == SC_OBJECT ? SC_ALL : n->large;
        n->small = n->kind == SC_OBJECT ? SC_ALL : n->small;
    }
    slide_and_resume(t);
}

void sc_tree_settle(struct sc_tree *t)
{
    sc_tree_shrink(t);
    if (t->keep != SC_KEEP_HEAD && t->max_items)
        trim(t);
}
