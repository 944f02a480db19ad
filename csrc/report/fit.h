/* fit.h - the largest room whose finished text fits the limits. */
#ifndef STREAMCLIP_FIT_H
#define STREAMCLIP_FIT_H

#include "report/lines.h"

struct sc_fit {
    struct sc_tree *tree;
    struct sc_lines *lines;
    const sc_words *words;
    bool cut_short; /* the input itself was incomplete: always reported */
    bool has_cursor; /* room is set aside for its path */

    /* the present view, and what is known of it */
    bool viewed;
    bool shows;   /* it has anything */
    bool weighed;
    bool told;    /* its lines are found */
    uint32_t room;
    size_t bytes; /* of its data */
    uint64_t chars;
    uint32_t gap; /* the cursor that skips what it lacks; SC_NONE: none */
};

/* All answer SC_OK, SC_NO_MEMORY or SC_TOO_SMALL and fill in `fitted`. */
int sc_fit(struct sc_fit *f, const sc_limits *limits, sc_fitted *fitted);
int sc_fit_at(struct sc_fit *f, uint32_t room, sc_fitted *fitted);

#endif
