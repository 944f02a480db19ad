/* walk.h - from bytes to the retained tree. */
#ifndef STREAMCLIP_WALK_H
#define STREAMCLIP_WALK_H

#include "lex/lex.h"
#include "tree/tree.h"

/* Take the next len bytes: what is retained goes to the tree, the rest to the
   kernel. Returns how many were taken: all, unless a byte is wrong
   (lex->status), memory is short (t->status) or it is enough (t->stopped). */
size_t sc_walk(struct sc_lex *lex, struct sc_tree *t, const uint8_t *data,
               size_t len);

#endif
