/* cursors.h - pagination cursors: those of the pages that objects are. */
#ifndef STREAMCLIP_CURSORS_H
#define STREAMCLIP_CURSORS_H

#include "out.h"
#include "view.h"

/* Has the tree a pagination cursor, so that room is to be set aside for its
   path? */
bool sc_has_cursor(struct sc_tree *t, const sc_words *words);

/* Write the cursors that the view shows, as a JSON array of pairs: the path of
   the cursor, and that of the value whose page it ends. Nothing if there are
   none. */
void sc_put_cursors(struct sc_tree *t, const sc_words *words,
                    struct sc_out *out);

#endif
