/* cursors.h - pagination cursors, and the one that a clip makes a trap. */
#ifndef STREAMCLIP_CURSORS_H
#define STREAMCLIP_CURSORS_H

#include "lines.h"
#include "out.h"
#include "view.h"

/* Has the tree a pagination cursor, so that room is to be set aside for its
   path? */
bool sc_has_cursor(struct sc_tree *t, const sc_words *words);

/* Write the path of the cursor that skips what was left out, as a JSON string:
   the first that the view shows of a page in which, as one of the lines tells,
   an array lost elements. Nothing if there is none. */
void sc_put_cursor_gap(struct sc_tree *t, const sc_words *words,
                       const struct sc_line *lines, size_t count,
                       struct sc_out *out);

#endif
