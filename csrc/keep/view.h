/* view.h - what is kept of the retained tree at a given room: K(v, b).
 *
 * A view is written beside the tape and changes nothing in it, so it can be
 * taken at one room after another. plan.c holds the law, the rooms that one
 * container gives to its children; view.c applies it from the root down and
 * sums up what remains from the leaves up, each in one pass over the tape.
 */
#ifndef STREAMCLIP_VIEW_H
#define STREAMCLIP_VIEW_H

#include "tree/tree.h"

/* Room without limit. */
#define SC_ALL UINT32_MAX

/* With less room than this nothing is shortened, only left out. */
#define SC_LEAST_ROOM 32

/* A container in an array is whole if it has less room than this, or not there:
   a record of which next to nothing remains says nothing. */
#define SC_LEAST_ELEMENT 64

enum sc_state {
    SC_OUT,     /* not counted by its container's plan */
    SC_NOTHING, /* counted, but nothing of it remains */
    SC_SOME,    /* part of it remains */
    SC_WHOLE    /* all that the tree has of it remains, and of all below */
};

/* The law: give each child of the container i, which has the room b, its room,
   or the state SC_OUT. `close` notes on the node which classes were closed;
   that is for compaction, a view changes nothing. */
void sc_plan(struct sc_tree *t, uint32_t i, uint32_t b, bool close);

/* Take the view at a room. With `compacting`, what is open is kept as long as
   it may still become something, and classes are closed. Answers whether
   anything remains. The tree must be measured. */
bool sc_view(struct sc_tree *t, uint32_t room, bool compacting);

/* Is this child part of the view? Its parent must be. To go through a view in
   document order:
       for (i = root; i < end;) {
           if (i != root && !sc_shown(t, i)) { i = sc_past(t, i); continue; }
           ...
           i++;
       } */
static inline bool sc_shown(struct sc_tree *t, uint32_t i)
{
    const struct sc_view_node *parent = &t->view[t->nodes[i].parent];
    struct sc_view_node *v = &t->view[i];

    /* below a node that is whole nothing was visited: hand it down */
    if (parent->state == SC_WHOLE) {
        v->state = SC_WHOLE;
        return v->shown = sc_is_real(&t->nodes[i]);
    }
    /* past the end of what is shown nothing was visited, nor set */
    return i < parent->end && v->shown;
}

/* Where to look for shown children of the container i: up to here. */
static inline uint32_t sc_shown_end(const struct sc_tree *t, uint32_t i)
{
    return t->view[i].state == SC_WHOLE ? i + t->nodes[i].span
                                        : t->view[i].end;
}

/* The node after the child i, which is not shown: after all of its parent where
   no other child is. */
static inline uint32_t sc_past(const struct sc_tree *t, uint32_t i)
{
    uint32_t parent = t->nodes[i].parent;

    return i >= sc_shown_end(t, parent) ? parent + t->nodes[parent].span
                                        : i + t->nodes[i].span;
}

/* What the view has of a node that is shown. */
static inline bool sc_shown_dirty(const struct sc_tree *t, uint32_t i)
{
    return t->view[i].state == SC_WHOLE ? (t->nodes[i].flags & SC_DIRTY) != 0
                                        : t->view[i].dirty;
}

static inline uint64_t sc_shown_kept(const struct sc_tree *t, uint32_t i)
{
    bool whole = t->view[i].state == SC_WHOLE;

    if (t->nodes[i].kind == SC_STRING)
        return whole ? t->nodes[i].points : t->view[i].points;
    return whole ? t->nodes[i].kept : t->view[i].kept;
}

/* Of an array: the elements that are kept before its gap. */
static inline uint64_t sc_shown_before(const struct sc_tree *t, uint32_t i)
{
    const struct sc_node *n = &t->nodes[i];
    uint64_t torn = (n->flags & SC_TORN) != 0;

    if (t->keep == SC_KEEP_TAIL)
        return n->total - sc_shown_kept(t, i) > torn ? 0 : sc_shown_kept(t, i);
    if (t->view[i].state != SC_WHOLE)
        return t->view[i].len;
    return n->flags & SC_GAP ? n->large : n->kept;
}

static inline uint32_t sc_shown_len(const struct sc_tree *t, uint32_t i)
{
    return t->view[i].state == SC_WHOLE ? t->nodes[i].len : t->view[i].len;
}

static inline uint32_t sc_shown_size(const struct sc_tree *t, uint32_t i)
{
    return t->view[i].state == SC_WHOLE ? t->nodes[i].size : t->view[i].size;
}

static inline uint32_t sc_shown_chars(const struct sc_tree *t, uint32_t i)
{
    return t->view[i].state == SC_WHOLE ? t->nodes[i].chars
                                        : t->view[i].chars;
}

#endif
