/* lines.h - the report's lines: which places were cut, told by their path. */
#ifndef STREAMCLIP_LINES_H
#define STREAMCLIP_LINES_H

#include "report/out.h"
#include "keep/view.h"

enum sc_unit { SC_ITEMS, SC_MEMBERS, SC_CHARS, SC_UNITS };

#define SC_PATH_MAX 4096 /* a line with a longer path is only counted */

/* All places of one path and unit. */
struct sc_line {
    uint64_t kept;
    uint64_t total;
    uint64_t places;
    uint64_t gap_at; /* the same in every place; UINT64_MAX: not told */
    uint32_t position; /* number of its position; a string's view.kept has it */
    uint32_t path_len;
    uint32_t rank;  /* of its path among all, in the order of their bytes */
    uint32_t named; /* a node whose missing members are those of every place */
    uint8_t unit;
    bool starred; /* below a collection, so counted over its elements */
};

struct sc_position;

/* Reusable: sc_lines_find overwrites what was found before. Starts as zeros. */
struct sc_lines {
    struct sc_line *lines; /* in the report's order */
    size_t count;
    size_t capacity;
    size_t untold; /* more of them, with paths too long to be told */
    struct sc_position *positions;
    size_t positions_count;
    size_t positions_capacity;
};

/* Find the lines of the view: so many that their paths have at most t->room
   bytes together, which bounds what is written of them. SC_OK or
   SC_NO_MEMORY. */
int sc_lines_find(struct sc_lines *l, struct sc_tree *t);

/* Write one line. */
void sc_line_put(const struct sc_lines *l, const struct sc_line *line,
                 struct sc_tree *t, const sc_words *words, struct sc_out *out);

void sc_lines_free(struct sc_lines *l);

#endif
