/* append.c - adding values to the retained tree as they begin and end.
 *
 * Here it is decided whether a value is retained at all, and when the tree has
 * to shrink. What stands inside strings and numbers is added by scalars.c.
 */
#include "retain/append.h"

#include <string.h>

#include "lex/lex_steps.h"

/* The doubtful member is of the closed class: what a compaction would do to it
   later is done now, and the kernel can have the rest of it. */
static void drop_doubtful(struct sc_tree *t)
{
    struct sc_node *n = &t->nodes[t->doubtful];
    struct sc_node *object = &t->nodes[n->parent];

    if (t->cur_depth > t->doubtful_depth)
        t->skip = t->doubtful_depth + 1;
    t->cur = n->parent;
    t->cur_depth = t->doubtful_depth;
    t->text = SC_NONE;
    t->live = t->doubtful_live;
    t->heap_len = n->text;
    t->count = t->doubtful;
    t->doubtful = SC_NONE;
    object->kept--;
    if (n->key_len <= SC_NAME_MAX &&
        object->total - object->kept <= SC_NAMES_MAX) {
        n->kind = SC_GONE;
        n->flags = 0;
        n->len = n->size = n->chars = 0;
        t->heap_len += n->key_len;
        t->count++;
    }
}

/* May the open string come to less than it is now? */
static bool may_shrink(const struct sc_tree *t)
{
    if (t->text == SC_NONE)
        return false;
    return sc_may_weigh_nothing(t, &t->nodes[t->text]) ||
           sc_tree_near_cap(t, &t->nodes[t->text]);
}

void sc_tree_shed(struct sc_tree *t)
{
    if (t->doubtful != SC_NONE &&
        t->live > t->doubtful_live + SC_SMALL_MEMBER && !may_shrink(t)) {
        if (t->nodes[t->nodes[t->doubtful].parent].flags & SC_CLOSED_LARGE)
            drop_doubtful(t);
        else
            t->doubtful = SC_NONE;
    }
    if (!sc_is_over(t))
        return;
    t->doubtful = SC_NONE;
    if (t->stop_early)
        t->stopped = true;
    else
        sc_tree_compact(t);
}

/* The value i is complete. */
void sc_tree_complete(struct sc_tree *t, uint32_t i)
{
    if (i != t->doubtful)
        return;
    if (t->nodes[t->nodes[i].parent].flags & SC_CLOSED_SMALL)
        drop_doubtful(t); /* it is small: else it were doubtful no more */
    t->doubtful = SC_NONE;
}

/* Is the value that begins now on the way to the named collection? */
static bool is_on_way(const struct sc_tree *t, const struct sc_node *cur)
{
    const sc_bytes *token;
    char index[24];
    size_t len = 0;
    uint64_t rest;

    if (t->cur == 0)
        return t->pointer_len > 0;
    if (!(cur->flags & SC_ON_WAY) || t->cur_depth > t->pointer_len)
        return false;
    token = &t->pointer[t->cur_depth - 1];
    if (cur->kind == SC_OBJECT)
        return t->key_known && token->len == t->key_len &&
               memcmp(token->data, t->heap + t->heap_len - t->key_len,
                      t->key_len) == 0;
    for (rest = cur->total - 1; len == 0 || rest; rest /= 10)
        index[sizeof index - ++len] = (char)('0' + rest % 10);
    return token->len == len &&
           memcmp(token->data, index + sizeof index - len, len) == 0;
}

/* Is the key that waits one of these? One that was not kept is none. */
static bool key_is_among(const struct sc_tree *t, const sc_bytes *keys,
                         size_t count)
{
    const uint8_t *key = t->heap + t->heap_len - t->key_len;

    for (size_t k = 0; t->key_known && k < count; k++)
        if (keys[k].len == t->key_len &&
            memcmp(keys[k].data, key, t->key_len) == 0)
            return true;
    return false;
}

/* Is the member whose key waits to be as if it were not in the input? */
static bool is_deselected(const struct sc_tree *t, const struct sc_node *cur)
{
    if (cur->kind != SC_OBJECT || !sc_is_selective(t, cur))
        return false;
    return key_is_among(t, t->drop, t->drop_len) ||
           ((cur->flags & SC_RECORD) &&
            !key_is_among(t, t->fields, t->fields_len));
}

/* What a container that begins now is to the selected fields. */
static uint16_t record_flag(const struct sc_tree *t, const struct sc_node *cur,
                            bool object)
{
    if (t->fields_len == 0)
        return 0;
    if (cur->flags & (SC_RECORD | SC_IN_RECORD))
        return SC_IN_RECORD;
    if (object && cur->kind == SC_ARRAY && (t->cur || t->jsonl))
        return SC_RECORD;
    return 0;
}

/* Which child of t->cur the value that begins now is. */
static uint32_t number_of_child(const struct sc_tree *t)
{
    uint64_t number = t->nodes[t->cur].total - 1;

    if (t->cur == sc_tree_root(t))
        number += t->first;
    return number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
}

/* Append a node under t->cur with the key that waits, if there is one. */
LEX_INLINE uint32_t append(struct sc_tree *t, uint8_t kind, uint16_t flags,
                           uint32_t size)
{
    struct sc_node n = {.kind = kind, .flags = flags, .span = 1, .size = size,
                        .chars = size};

    if (sc_tree_reserve(t, 1, 0))
        return SC_NONE;
    n.parent = t->cur;
    n.text = (uint32_t)t->heap_len;
    n.number = number_of_child(t);
    if (t->has_key) {
        n.member = true;
        n.key_len = t->key_len;
        n.key_known = t->key_known;
        if (t->key_known) {
            n.text -= t->key_len;
            n.key_chars = t->key_chars;
        }
        t->has_key = false;
    }
    t->nodes[t->count] = n;
    return t->count++;
}

static void forget_key(struct sc_tree *t)
{
    if (t->key_known)
        t->heap_len -= t->key_len;
    t->has_key = false;
}

/* The member whose key waits is left out. */
static void leave_out(struct sc_tree *t)
{
    struct sc_node *cur = &t->nodes[t->cur];

    if (sc_is_done(t, cur, t->cur_depth))
        t->skip = t->cur_depth;
    if (cur->total - cur->kept <= SC_NAMES_MAX && t->key_known &&
        t->key_len <= SC_NAME_MAX) {
        append(t, SC_GONE, 0, 0);
        return;
    }
    forget_key(t);
}

/* Is a value retained that begins in `cur`, where options, a closed class or a
   long key have a say? If not, t->skip may be set. */
static bool is_admitted(struct sc_tree *t, struct sc_node *cur, uint8_t kind,
                        uint16_t *flags)
{
    if (is_deselected(t, cur)) {
        t->deselected = true;
        cur->total--; /* as if it were not there */
        forget_key(t);
        return false;
    }
    if (cur->kind == SC_ARRAY) {
        if (t->keep == SC_KEEP_HEAD && t->max_items &&
            cur->total > t->max_items && (t->cur || t->jsonl)) {
            cur->flags |= SC_CAPPED;
            t->skip = t->cur_depth;
            return false;
        }
    } else if (sc_is_shut(cur) && !is_on_way(t, cur)) {
        leave_out(t);
        return false;
    } else if (!t->key_known) {
        /* its key alone is over the room: nothing of it can ever be kept */
        append(t, SC_TOMB, SC_CUT, 0);
        t->doubtful = SC_NONE;
        return false;
    }
    if (is_on_way(t, cur)) {
        *flags |= SC_ON_WAY;
        cur->flags |= SC_WAY_BEGAN;
    }
    if (kind <= SC_OBJECT)
        *flags |= record_flag(t, cur, kind == SC_OBJECT);
    return true;
}

/* A value begins. SC_NONE: it is not retained; t->skip may be set. */
uint32_t sc_tree_begin(struct sc_tree *t, uint8_t kind)
{
    const uint16_t closed = SC_CLOSED_LARGE | SC_CLOSED_SMALL;
    struct sc_node *cur = &t->nodes[t->cur];
    uint16_t flags = kind == SC_PLAIN ? 0 : SC_OPEN;
    uint32_t size = kind == SC_PLAIN ? 0 : 2;
    uint32_t i;

    if (t->status)
        return SC_NONE;
    cur->total++;
    if (t->cur == 0 && cur->total > 1 && !t->jsonl) {
        t->jsonl = true;
        t->live += 2; /* the list itself, and the sign after its first line */
    }
    if ((t->is_picky || (cur->flags & closed) ||
         (cur->kind == SC_OBJECT && !t->key_known)) &&
        !is_admitted(t, cur, kind, &flags))
        return SC_NONE;
    i = append(t, kind, flags, size);
    if (i == SC_NONE)
        return i;
    cur = &t->nodes[t->cur];
    if (t->doubtful == SC_NONE && !(flags & SC_ON_WAY) &&
        (cur->flags & closed)) {
        t->doubtful = i;
        t->doubtful_depth = t->cur_depth;
        t->doubtful_live = t->live;
    }
    t->live += size + sc_cost_beside(t, &t->nodes[i]);
    /* an empty container was counted with both its signs; the first child's
       comma is the second of them */
    t->live -= cur->kept++ == 0 && t->cur != 0;
    return i;
}

void sc_tree_open(struct sc_tree *t, bool object)
{
    uint32_t i = sc_tree_begin(t, object ? SC_OBJECT : SC_ARRAY);

    if (i == SC_NONE) {
        if (t->skip == SC_NONE)
            t->skip = t->cur_depth + 1;
        return;
    }
    t->cur = i;
    t->cur_depth++;
    sc_tree_relieve(t);
}

void sc_tree_close(struct sc_tree *t)
{
    uint32_t closed = t->cur;

    t->nodes[closed].flags &= (uint16_t)~SC_OPEN;
    t->cur = t->nodes[closed].parent;
    t->cur_depth--;
    sc_tree_complete(t, closed);
}

void sc_tree_skipped(struct sc_tree *t, uint64_t count, bool ended)
{
    if (t->skip == t->cur_depth) {
        t->nodes[t->cur].total += count;
        if (t->cur == 0)
            t->jsonl = t->jsonl || t->nodes[0].total > 1;
        else if (ended)
            sc_tree_close(t);
    }
    if (ended)
        t->skip = SC_NONE;
}
