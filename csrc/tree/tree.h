/* tree.h - the retained tree: what may still be part of the result.
 *
 * A flat tape of nodes in document order (pre-order) and one heap of their
 * texts in the same order. The children of a container are the nodes after it;
 * `span` says how many nodes its subtree has.
 *
 *   {"id": 7, "tags": ["a", "b"], "blob": <gone>}
 *
 *   nodes   0      1       2     3      4     5     6
 *           list   object  7     array  "a"   "b"   gone
 *   parent  0      0       1     1      3     3     1
 *   span    7      6       1     3      1     1     1
 *   heap                   id7   tags   a     b     blob
 *
 * Node 0 is the list of documents: one for JSON, one per line for JSON Lines.
 * A member's text is its key's body followed by its own text; both are squeezed
 * bodies (docs/semantics.md, section 2), strings without their quotes.
 *
 * The tree is filled by walk.c, kept near its room by compact.c, and never
 * changed by view.c, which looks at it at a smaller room.
 */
#ifndef STREAMCLIP_TREE_H
#define STREAMCLIP_TREE_H

#include "tree/cut_points.h"

enum sc_kind {
    SC_ARRAY,
    SC_OBJECT,
    SC_STRING,
    SC_PLAIN, /* a number or literal, as written */
    SC_TOMB,  /* nothing remains of this child, but it keeps its charge */
    SC_GONE   /* a member that was left out, for its name's sake */
};

enum sc_flag {
    SC_OPEN = 1,        /* its end has not been seen */
    SC_CUT = 2,         /* sharing took something of it: s is infinite */
    SC_CLOSED = 4,      /* array: sharing dropped elements of it */
    SC_CLOSED_LARGE = 8, /* object: a large member was dropped */
    SC_CLOSED_SMALL = 16,
    SC_DIRTY = 32,  /* a place (something missing) is here or below */
    SC_HELD = 64,   /* an open string that may yet turn out to weigh nothing */
    SC_ON_WAY = 128, /* on the way to the named collection */
    SC_CAPPED = 256, /* a cap took the rest; sharing took nothing */
    SC_WAY_BEGAN = 512, /* object: its member on the way has been met */
    SC_RECORD = 1024,   /* object: only the selected fields are its members */
    SC_IN_RECORD = 2048, /* container: below such an object */
    SC_GAP = 4096, /* array, SC_KEEP_ENDS: elements are missing in it */
    SC_TORN = 8192 /* array: its last element was cut off by an early end */
};

#define SC_NONE UINT32_MAX

/* A member that costs no more is small. */
#define SC_SMALL_MEMBER 80

/* Keys up to this length are remembered for members that were left out. */
#define SC_NAME_MAX 64

/* And told, as long as an object lacks no more of them. */
#define SC_NAMES_MAX 4

/* A string longer than this that is an atom is left out before sharing. */
#define SC_LONG_ATOM 2048

struct sc_node {
    uint64_t total;   /* elements, members or characters seen in the input */
    uint64_t points;  /* string: characters that are still there */
    uint32_t parent;
    uint32_t span;
    uint32_t text;    /* where in the heap */
    uint32_t key_len; /* body of the key */
    uint32_t key_chars;
    uint32_t len;     /* body of a string, text of a number or literal */
    uint32_t size;    /* squeezed bytes of what is there, quotes included */
    uint32_t chars;   /* the same in code points */
    uint32_t kept;    /* container: children that are neither tomb nor gone */
    uint32_t large;   /* object: how many survived when the class closed;
                         array with a gap: children before it */
    uint32_t small;   /* array with a gap: the node after it */
    uint32_t number;  /* which child of its parent it is, from 0, in the input;
                         UINT32_MAX: beyond what is counted */
    uint16_t flags; /* enum sc_flag */
    uint8_t kind;   /* enum sc_kind */
    bool member;    /* it has a key */
    bool key_known; /* and the key's body is in the heap */
};

/* What a node comes to at one room; parallel to the tape. */
struct sc_view_node {
    uint32_t room;
    uint32_t size;   /* bytes of what is kept */
    uint32_t chars;
    uint32_t len;    /* string: bytes of the body that are kept;
                        array: elements that are kept before its gap */
    uint64_t points; /* string: characters that are kept */
    uint32_t kept;   /* container: children that are kept */
    uint32_t next;   /* lines.c: the next node at the same position */
    uint32_t end;    /* container: no child is shown from here on */
    uint8_t state;   /* enum sc_state, in view.h */
    bool shown;      /* part of the text */
    bool ghost;      /* only looked at for the sake of its fellow columns */
    bool dirty;      /* has a place at or below it */
};

struct sc_tree {
    struct sc_node *nodes;
    struct sc_view_node *view;
    uint32_t *order; /* containers in the order a view met them; free for other
                        lists of nodes when no view is being taken */
    uint32_t count;
    uint32_t capacity;

    uint8_t *heap;
    size_t heap_len;
    size_t heap_capacity;

    /* where the input stands */
    uint32_t cur;       /* innermost retained container that is open */
    uint32_t cur_depth; /* its level; 0: the list of documents */
    uint32_t text;      /* the open string or scalar, SC_NONE if not retained */
    uint32_t skip;      /* level to be skipped to its end, SC_NONE: none */

    /* the key that waits for its value, at the end of the heap */
    uint32_t key_len;
    uint32_t key_chars;
    bool has_key;
    bool key_known; /* it was not too long to be kept */

    /* a member whose class its object has closed, if it turns out to be of it;
       SC_NONE: there is none at hand */
    uint32_t doubtful;
    uint32_t doubtful_depth; /* the object's level */
    uint64_t doubtful_live;  /* live without it */

    uint16_t high; /* half of a surrogate pair; 0: none */

    uint64_t live; /* squeezed bytes of the tape */
    uint64_t count_bound; /* nodes that make a compaction worth trying */
    uint64_t first; /* what is added to the numbers of the root's children */
    bool stripped; /* the document is known not to fit: long atoms are out */
    bool jsonl;
    bool deselected; /* a member was passed over, as if it were not there */
    int status;

    /* the options that matter here */
    uint32_t room;
    uint64_t bound;
    uint32_t max_record_bytes;
    uint64_t max_items;
    uint64_t max_string_chars;
    const sc_bytes *pointer;
    size_t pointer_len;
    const sc_bytes *fields;
    size_t fields_len;
    const sc_bytes *drop;
    size_t drop_len;
    uint8_t keep; /* enum sc_keep */
    bool is_picky; /* one of them has a say in what becomes of each value */
    bool cut_atoms;
    bool stop_early;
    bool stopped;
};

/* Both answer SC_OK or SC_NO_MEMORY. */
int sc_tree_init(struct sc_tree *t, const sc_options *options);
int sc_tree_grow(struct sc_tree *t, uint32_t nodes, size_t bytes); /* reserve */
void sc_tree_free(struct sc_tree *t);

/* What walk.c tells the tree. */
void sc_tree_open(struct sc_tree *t, bool object);
void sc_tree_close(struct sc_tree *t);
void sc_tree_string(struct sc_tree *t, bool key);
void sc_tree_text(struct sc_tree *t, const uint8_t *from, const uint8_t *to,
                  bool ascii, bool key);
void sc_tree_unit(struct sc_tree *t, unsigned code, bool key);
void sc_tree_string_end(struct sc_tree *t, bool key);
bool sc_tree_whole_string(struct sc_tree *t, const uint8_t *from,
                          const uint8_t *to, bool ascii, bool key);
void sc_tree_scalar(struct sc_tree *t);
void sc_tree_digits(struct sc_tree *t, const uint8_t *from, const uint8_t *to);
void sc_tree_scalar_end(struct sc_tree *t);

/* Of what t->skip asks to skip, a part passed, with count more elements at that
   level; ended: up to its end. */
void sc_tree_skipped(struct sc_tree *t, uint64_t count, bool ended);

/* Recompute span, size, chars, kept and the flags that follow from below. */
void sc_tree_measure(struct sc_tree *t);

/* The same for the nodes from `first` on alone. */
void sc_tree_measure_from(struct sc_tree *t, uint32_t first);

/* The node all views start from: the document, or the list of lines. */
static inline uint32_t sc_tree_root(const struct sc_tree *t)
{
    return t->jsonl || t->count == 1 ? 0 : 1;
}

/* Shrink the tree to its room (compact.c). */
void sc_tree_compact(struct sc_tree *t);

/* Leave out the long atoms; true if there were any (compact.c). */
bool sc_tree_strip(struct sc_tree *t);

/* Leave out the open string that just proved worthless: a member's name stays,
   an array loses what is on the far side of it, or ends. */
void sc_tree_drop_text(struct sc_tree *t);

/* Close what is open at an early end (docs/semantics.md, section 10). */
void sc_tree_cut_short(struct sc_tree *t);

/* Shrink the tree to its room if that is needed, though it may not be over its
   bound. */
void sc_tree_shrink(struct sc_tree *t);

/* Settle the tree after the last byte: what is retained is now K(D, room). */
void sc_tree_settle(struct sc_tree *t);

/* Have room for so many more nodes and bytes of text. SC_OK or SC_NO_MEMORY. */
static inline int sc_tree_reserve(struct sc_tree *t, uint32_t nodes,
                                  size_t bytes)
{
    if (t->capacity - t->count >= nodes &&
        t->heap_capacity - t->heap_len >= bytes)
        return SC_OK;
    return sc_tree_grow(t, nodes, bytes);
}

/* Bytes a member costs beside its value: the key, its quotes, two signs. */
static inline uint32_t sc_key_cost(const struct sc_node *n)
{
    return n->member ? n->key_len + 4 : 0;
}

/* Bytes that a value costs beside itself where it stands: as a member, as an
   element, or nothing as the one document. */
static inline uint32_t sc_cost_beside(const struct sc_tree *t,
                                      const struct sc_node *n)
{
    if (n->member)
        return sc_key_cost(n);
    return n->parent != 0 || t->jsonl;
}

/* Has more piled up than may be retained? */
static inline bool sc_is_over(const struct sc_tree *t)
{
    return t->live > t->bound || t->count > t->count_bound;
}

static inline bool sc_is_real(const struct sc_node *n)
{
    return n->kind < SC_TOMB;
}

static inline bool sc_is_container(const struct sc_node *n)
{
    return n->kind <= SC_OBJECT;
}

static inline const uint8_t *sc_key(const struct sc_tree *t,
                                    const struct sc_node *n)
{
    return t->heap + n->text;
}

/* The node's own text, behind its key. */
static inline const uint8_t *sc_body(const struct sc_tree *t,
                                     const struct sc_node *n)
{
    return t->heap + n->text + (n->key_known ? n->key_len : 0);
}

/* Is it a string that sharing may only keep whole? A string that lost anything
   is not: atoms are never shortened. */
bool sc_is_atom(const struct sc_tree *t, const struct sc_node *n);

static inline bool sc_is_long_atom(const struct sc_tree *t,
                                   const struct sc_node *n)
{
    return n->size > SC_LONG_ATOM && sc_is_atom(t, n);
}

/* Is it an open string that may yet become a long atom, and weigh nothing? */
bool sc_may_weigh_nothing(const struct sc_tree *t, const struct sc_node *n);

/* Does an object take no more members, of either class? */
static inline bool sc_is_shut(const struct sc_node *n)
{
    return (n->flags & SC_CLOSED_LARGE) && (n->flags & SC_CLOSED_SMALL);
}

/* May members of this object be deselected? */
static inline bool sc_is_selective(const struct sc_tree *t,
                                   const struct sc_node *n)
{
    return t->drop_len > 0 || (n->flags & SC_RECORD);
}

/* Can nothing more come into this container, nor a name be learnt, nor a member
   be one that does not count? Then the rest of it is the kernel's. depth is its
   level. */
static inline bool sc_is_done(const struct sc_tree *t, const struct sc_node *n,
                              uint32_t depth)
{
    bool awaits_way = (n->flags & (SC_ON_WAY | SC_WAY_BEGAN)) == SC_ON_WAY &&
                      depth <= t->pointer_len;

    if (n->kind == SC_ARRAY)
        return t->keep == SC_KEEP_HEAD && (n->flags & SC_CLOSED);
    return sc_is_shut(n) && !awaits_way && !sc_is_selective(t, n) &&
           n->total - n->kept > SC_NAMES_MAX;
}

#endif
