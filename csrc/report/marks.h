/* marks.h - what is written into the data itself: a shortened record's mark,
 * and the members beside a cut array (report "siblings"). */
#ifndef STREAMCLIP_MARKS_H
#define STREAMCLIP_MARKS_H

#include "report/out.h"
#include "keep/view.h"

/* Is the shown node i a shortened record: an object, element of an array, with
   a place at or below it? */
bool sc_is_marked(const struct sc_tree *t, uint32_t i);

/* The mark that the object i, a record, brought from an earlier clip: its first
   member, if it begins as words->mark does. SC_NONE: none. A new mark takes its
   place, and its fields with it. */
uint32_t sc_old_mark(const struct sc_tree *t, uint32_t i,
                     const sc_words *words);

/* Write its mark, without a comma. */
void sc_put_mark(struct sc_tree *t, uint32_t i, const sc_words *words,
                 struct sc_out *out);

/* Is the shown node i a cut array beside which siblings stand? */
bool sc_has_siblings(const struct sc_tree *t, uint32_t i);

/* Write them, each with a comma before it. */
void sc_put_siblings(struct sc_tree *t, uint32_t i, const sc_words *words,
                     struct sc_out *out);

/* The members that the shown object i lacks: can all of them be named? */
bool sc_names_missing(struct sc_tree *t, uint32_t i);

/* Is c, a child of the shown object i, a missing member that can be named? */
bool sc_is_named_gap(struct sc_tree *t, uint32_t c);

/* All marks and siblings of the view together; old marks that give way to new
   ones are added to `hidden`. */
void sc_put_marks(struct sc_tree *t, const sc_words *words, struct sc_out *out,
                  struct sc_out *hidden);

#endif
