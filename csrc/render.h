/* render.h - the view as text. */
#ifndef STREAMCLIP_RENDER_H
#define STREAMCLIP_RENDER_H

#include "marks.h"

/* Write the view, which shows something, with its marks and siblings: one
   document, or lines with a line feed between them. */
void sc_render(struct sc_tree *t, const sc_words *words, struct sc_out *out);

/* What it would measure, without going through all of it. */
void sc_weigh(struct sc_tree *t, const sc_words *words, size_t *bytes,
              uint64_t *chars);

#endif
