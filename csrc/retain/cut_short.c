/* cut_short.c - closing what is open when the input ends early:
 * docs/semantics.md, section 10.
 */
#include "tree/tree.h"

/* Take the node i, the last of its parent's children, and all below it off the
   tape. Its parent keeps it in its total. */
static void take_off(struct sc_tree *t, uint32_t i)
{
    struct sc_node *n = &t->nodes[i];

    if (sc_is_real(n))
        t->nodes[n->parent].kept--;
    t->nodes[n->parent].flags |= SC_TORN;
    t->heap_len = n->text;
    t->count = i;
}

/* Could this unfinished string still become an atom, or is it one? */
static bool may_be_atom(const struct sc_tree *t, const struct sc_node *n)
{
    const uint8_t *body = sc_body(t, n);

    if (n->flags & (SC_CUT | SC_CAPPED))
        return false;
    if (n->points >= SC_ATOM_CHARS)
        return sc_is_atom(t, n);
    for (uint32_t k = 0; k < n->len; k++) {
        bool escape = body[k] == '\\';
        if (escape && k + 1 < n->len && body[k + 1] != '"' &&
            body[k + 1] != '\\')
            return false;
        if (body[k] <= ' ' || body[k] >= 0x7F)
            return false;
        k += escape;
    }
    return true;
}

/* The outermost open element that other elements stand before: a record that
   is not whole. SC_NONE if there is none. */
static uint32_t unfinished_record(const struct sc_tree *t)
{
    uint32_t found = SC_NONE;

    /* one of which nothing remains would hide those before it */
    if (t->keep != SC_KEEP_HEAD && t->skip == t->cur_depth + 1 &&
        t->nodes[t->cur].kind == SC_ARRAY && t->nodes[t->cur].kept > 0 &&
        t->nodes[t->count - 1].kind == SC_TOMB)
        found = t->count - 1;
    for (uint32_t i = t->cur; i != 0; i = t->nodes[i].parent) {
        const struct sc_node *parent = &t->nodes[t->nodes[i].parent];
        if (parent->kind == SC_ARRAY && parent->kept > 1)
            found = i;
    }
    return found;
}

void sc_tree_cut_short(struct sc_tree *t)
{
    uint32_t record;

    if (t->has_key) { /* a key without a value */
        if (t->key_known)
            t->heap_len -= t->key_len;
        t->has_key = false;
    }
    t->high = 0;
    if (t->text != SC_NONE && (t->nodes[t->text].kind == SC_PLAIN ||
                               may_be_atom(t, &t->nodes[t->text])))
        take_off(t, t->text);
    t->text = SC_NONE;
    /* a record that is still open may have driven out those before it: which
       of them, must not depend on when the tree was compacted last */
    if (t->keep != SC_KEEP_HEAD && t->cur != 0)
        sc_tree_shrink(t);
    record = unfinished_record(t);
    if (record != SC_NONE) {
        t->cur = t->nodes[record].parent;
        take_off(t, record);
    }
    /* what arrived with nothing in it is not known to be empty */
    while (t->cur != 0 && t->nodes[t->cur].kept == 0) {
        uint32_t empty = t->cur;
        t->cur = t->nodes[empty].parent;
        take_off(t, empty);
    }
    for (uint32_t i = 0; i < t->count; i++)
        t->nodes[i].flags &= (uint16_t)~SC_OPEN;
    t->cur = t->cur_depth = 0;
}
