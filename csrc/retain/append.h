/* append.h - what append.c and scalars.c share: the life of one value. */
#ifndef STREAMCLIP_APPEND_H
#define STREAMCLIP_APPEND_H

#include "tree/tree.h"

/* A value begins. Answers its node; SC_NONE: it is not retained, and t->skip
   may be set. */
uint32_t sc_tree_begin(struct sc_tree *t, uint8_t kind);

/* The value of this node is complete. */
void sc_tree_complete(struct sc_tree *t, uint32_t i);

/* Too much has piled up, or is known of the doubtful member: shrink, or stop if
   that was asked for. */
void sc_tree_shed(struct sc_tree *t);

/* Something was added. Nodes may have moved afterwards. */
static inline void sc_tree_relieve(struct sc_tree *t)
{
    if (t->doubtful != SC_NONE || sc_is_over(t))
        sc_tree_shed(t);
}

/* May the cap still take characters of this string that are counted now? It
   cuts before the cluster that goes past it. */
static inline bool sc_tree_near_cap(const struct sc_tree *t,
                                    const struct sc_node *n)
{
    return t->max_string_chars && !(n->flags & (SC_CUT | SC_CAPPED)) &&
           n->points + SC_CLUSTER_MAX > t->max_string_chars;
}

#endif
