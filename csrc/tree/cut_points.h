/* cut_points.h - numbers that cut_points.c and the retained tree agree on. */
#ifndef STREAMCLIP_CUT_POINTS_H
#define STREAMCLIP_CUT_POINTS_H

#include "streamclip.h"

/* Characters that decide whether a string is an atom. */
#define SC_ATOM_CHARS 48

/* A cluster of characters is not cut, but no cluster is longer. */
#define SC_CLUSTER_MAX 64

#endif
