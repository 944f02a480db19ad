/* cursors.h - pagination cursors, and the one that a clip makes a trap. */
#ifndef STREAMCLIP_CURSORS_H
#define STREAMCLIP_CURSORS_H

#include "report/out.h"
#include "keep/view.h"

/* Has the tree a pagination cursor, so that room is to be set aside for its
   path? */
bool sc_has_cursor(struct sc_tree *t, const sc_words *words);

/* Find the cursor that skips what was left out: the first that the view shows
   of a page in which an array stands that lost elements. That the view tells;
   of others, which a clip before this one cut, the paths are handed over, as
   lines have them, and put in an order of ours. SC_NONE if there is none. The
   view's lines must have been found. */
uint32_t sc_find_cursor_gap(struct sc_tree *t, const sc_words *words,
                            sc_bytes *arrays, size_t count);

/* Write its path as a JSON string. */
void sc_put_cursor(const struct sc_tree *t, uint32_t i, struct sc_out *out);

#endif
