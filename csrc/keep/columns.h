/* columns.h - sibling arrays that are columns of one table stay aligned:
 * docs/semantics.md, section 5. So does a header with its rows.
 */
#ifndef STREAMCLIP_COLUMNS_H
#define STREAMCLIP_COLUMNS_H

#include "keep/view.h"

/* The header of the table in the object i: the first array that has as many
   elements as the first row of another, an array of arrays, and is none itself.
   SC_NONE: there is none. */
uint32_t sc_columns_header(const struct sc_tree *t, uint32_t i);

/* The plan of the object i is made: give the columns that it does not count
   the room `share`, so that it is known how much of them there would be. */
void sc_columns_plan(struct sc_tree *t, uint32_t i, uint32_t share);

/* What remains of each member of i is known: shorten the columns to one
   length. */
void sc_columns_align(struct sc_tree *t, uint32_t i);

#endif
