/* tree.c - the storage of the retained tree, and its sizes. */
#include "tree/tree.h"

#include <stdlib.h>
#include <string.h>

int sc_tree_init(struct sc_tree *t, const sc_options *options)
{
    memset(t, 0, sizeof *t);
    t->room = options->room;
    t->bound = (uint64_t)options->room + options->slack;
    t->max_record_bytes = options->max_record_bytes;
    t->max_items = options->max_items;
    t->max_string_chars = options->max_string_chars;
    t->pointer = options->pointer;
    t->pointer_len = options->pointer_len;
    t->fields = options->fields;
    t->fields_len = options->fields_len;
    t->drop = options->drop;
    t->drop_len = options->drop_len;
    t->keep = options->keep;
    t->cut_atoms = options->cut_atoms;
    t->stop_early = options->stop_early;
    t->is_picky =
        t->pointer_len || t->fields_len || t->drop_len || t->max_items;
    t->text = t->skip = t->doubtful = SC_NONE;
    t->jsonl = options->format == SC_FORMAT_JSONL;
    /* a byte of text, too: what is moved and compared is never at NULL */
    t->status = sc_tree_reserve(t, 1, 1);
    if (t->status)
        return t->status;
    memset(&t->nodes[0], 0, sizeof t->nodes[0]);
    t->nodes[0].kind = SC_ARRAY;
    t->nodes[0].flags = SC_OPEN;
    t->count = 1;
    t->live = t->jsonl;
    t->count_bound = t->bound;
    return SC_OK;
}

void sc_tree_free(struct sc_tree *t)
{
    free(t->nodes);
    free(t->view);
    free(t->order);
    free(t->heap);
    memset(t, 0, sizeof *t);
}

int sc_tree_grow(struct sc_tree *t, uint32_t nodes, size_t bytes)
{
    if (t->capacity - t->count < nodes) {
        uint32_t capacity = t->capacity + t->capacity / 2 + nodes;
        void *grown[3];
        grown[0] = realloc(t->nodes, capacity * sizeof *t->nodes);
        if (grown[0])
            t->nodes = grown[0];
        grown[1] = realloc(t->view, capacity * sizeof *t->view);
        if (grown[1])
            t->view = grown[1];
        grown[2] = realloc(t->order, capacity * sizeof *t->order);
        if (grown[2])
            t->order = grown[2];
        if (!grown[0] || !grown[1] || !grown[2])
            return t->status = SC_NO_MEMORY;
        t->capacity = capacity;
    }
    if (t->heap_capacity - t->heap_len < bytes) {
        size_t capacity = t->heap_capacity + t->heap_capacity / 2 + bytes;
        uint8_t *heap = realloc(t->heap, capacity);
        if (!heap)
            return t->status = SC_NO_MEMORY;
        t->heap = heap;
        t->heap_capacity = capacity;
    }
    return SC_OK;
}

bool sc_is_atom(const struct sc_tree *t, const struct sc_node *n)
{
    return n->kind == SC_STRING && !(n->flags & (SC_CUT | SC_CAPPED)) &&
           !t->cut_atoms && sc_text_is_atom(sc_body(t, n), n->len);
}

/* Recompute what follows from below for the nodes from `first` on. */
void sc_tree_measure_from(struct sc_tree *t, uint32_t first)
{
    const uint16_t closed = SC_CLOSED | SC_CLOSED_LARGE | SC_CLOSED_SMALL;

    for (uint32_t i = first; i < t->count; i++) {
        struct sc_node *n = &t->nodes[i];
        n->span = 1;
        if (!sc_is_container(n))
            continue;
        n->size = n->chars = 1;
        n->kept = 0;
        n->flags &= (uint16_t)~(SC_CUT | SC_DIRTY);
        if (n->flags & closed)
            n->flags |= SC_CUT;
    }
    /* children come after their parent, so going back each node is complete
       when it is added to its own */
    for (uint32_t i = t->count; i-- > first;) {
        struct sc_node *n = &t->nodes[i];
        struct sc_node *parent = &t->nodes[n->parent];
        if (sc_is_container(n)) {
            if (n->size < 2)
                n->size = n->chars = 2;
            if (n->kept < n->total)
                n->flags |= SC_DIRTY;
            /* emptied by caps and long atoms: it never shows as `{}` */
            if (n->kept == 0 && n->total > 0 && !(n->flags & SC_OPEN))
                n->flags |= SC_CUT;
        } else if (n->kind == SC_STRING && n->points < n->total) {
            n->flags |= SC_DIRTY;
        }
        if (i == 0 || n->parent < first)
            continue;
        parent->span += n->span;
        parent->flags |= n->flags & (SC_CUT | SC_DIRTY);
        if (!sc_is_real(n))
            continue;
        parent->kept++;
        if (n->flags & SC_HELD)
            continue;
        parent->size += n->size + (n->member ? sc_key_cost(n) : 1);
        parent->chars += n->chars + (n->member ? n->key_chars + 4 : 1);
    }
}

/* Where the elements behind an array's gap begin. */
static void find_gap(struct sc_tree *t, uint32_t i)
{
    struct sc_node *n = &t->nodes[i];

    n->small = i + 1;
    for (uint32_t k = 0; k < n->large; k++)
        n->small += t->nodes[n->small].span;
}

void sc_tree_measure(struct sc_tree *t)
{
    sc_tree_measure_from(t, 0);
    for (uint32_t i = 0; i < t->count; i++)
        if (t->nodes[i].flags & SC_GAP)
            find_gap(t, i);
    t->live = t->jsonl        ? t->nodes[0].size
              : t->count > 1 ? t->nodes[1].size
                             : 0;
}
