/* tiles.h - how the SIMD kernels read: tiles, each taken whole or not at all.
 *
 * A tile is some kilobytes of the input. A kernel looks at all of it at once
 * and says whether it is well-formed, with no regard to where a fault may be:
 * that is what makes it fast. tiles.c does the rest, the same for all. It
 * begins a tile where no token is half read, and if a kernel turns one down (a
 * byte is wrong, the container at the floor closes, something is rare), it goes
 * back to the state before the tile and lets the portable kernel read it. So
 * counts, errors and offsets are those of the one machine.
 *
 *     portable       tile      tile        tile             portable
 *     |-----|------------|------------|------------|----------------|-> ...
 *      to the end   taken        taken     turned down,
 *      of a token                          read again
 */
#ifndef STREAMCLIP_TILES_H
#define STREAMCLIP_TILES_H

#include "kernels/kernel.h"

#define SC_TILE_BYTES 8192

struct sc_tile {
    const uint8_t *data;
    size_t len;         /* 1 to SC_TILE_BYTES */
    uint32_t floor;     /* what sc_kernel.skip was given */
    uint32_t max_depth;
    bool lines;         /* floor 0: documents may follow one another, each after
                           a line end, and line ends stand nowhere else */
    /* The state before the tile and, if it is taken, the one after it. A string
       counts as read once it has begun, so does a number or a literal: tiles.c
       finds out what is half read at the end and, if that is a literal, whether
       it is a good one so far. */
    uint8_t state;      /* LEX_VALUE to LEX_AFTER */
    bool in_string;
    uint32_t depth;
    uint8_t *is_object; /* as in struct sc_lex; what is written to levels that
                           are open before the tile is undone if need be */
    /* What is in it, if it is taken. */
    uint64_t commas;    /* at level floor, if that is not 0 */
    uint64_t documents; /* that begin */
};

/* Look at a tile. False turns it down; then the struct may be in any state. */
typedef bool sc_tile_scan(struct sc_tile *tile);

/* Read on as sc_kernel.skip does. */
size_t sc_tiles_skip(sc_tile_scan *scan, struct sc_lex *lex,
                     const uint8_t *data, size_t len, uint32_t floor,
                     uint64_t *count);

#endif
