/* lex.c - the beginning and the end of an input. */
#include "lex/lex.h"

#include <string.h>

void sc_lex_init(struct sc_lex *lex, uint32_t max_depth, uint8_t format,
                 uint8_t *levels)
{
    memset(lex, 0, sizeof *lex);
    lex->state = LEX_VALUE;
    lex->format = format;
    lex->max_depth = max_depth;
    lex->is_object = levels;
    levels[0] = false;
}

int sc_lex_finish(const struct sc_lex *lex)
{
    bool between = lex->depth == 0 && (lex->state == LEX_AFTER ||
                                       lex_number_may_end(lex->state));
    /* JSON Lines may be empty */
    bool empty = lex->format == SC_FORMAT_JSONL && lex->documents == 0 &&
                 lex->state == LEX_VALUE;
    return between || empty ? SC_OK : SC_INCOMPLETE;
}
