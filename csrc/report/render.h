/* render.h - the view as text. */
#ifndef STREAMCLIP_RENDER_H
#define STREAMCLIP_RENDER_H

#include "report/marks.h"

/* Where the shortened strings that may hold JSON are noted. */
struct sc_strings {
    sc_cut_string *strings;
    size_t count;
    size_t capacity;
};

/* Write the view, which shows something, with its marks and siblings: one
   document, or lines with a line feed between them. `strings` may be NULL; the
   line of each is left at the number of its position (lines.h). */
void sc_render(struct sc_tree *t, const sc_words *words, struct sc_out *out,
               struct sc_strings *strings);

/* What it would measure, without going through all of it. */
void sc_weigh(struct sc_tree *t, const sc_words *words, size_t *bytes,
              uint64_t *chars);

#endif
