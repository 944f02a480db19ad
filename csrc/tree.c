/* tree.c - filling the retained tree, and its sizes. */
#include "tree.h"

#include <stdlib.h>
#include <string.h>

#include "lex_steps.h"

/* Keys longer than any room are only counted, up to here. */
#define KEY_LEN_MAX (UINT32_MAX / 4)

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
    t->stop_early = options->stop_early;
    t->text = t->skip = t->doubtful = SC_NONE;
    t->jsonl = options->format == SC_FORMAT_JSONL;
    t->status = sc_tree_reserve(t, 64, 1024);
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

int sc_tree_reserve(struct sc_tree *t, uint32_t nodes, size_t bytes)
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

uint32_t sc_tree_root(const struct sc_tree *t)
{
    return t->jsonl || t->count == 1 ? 0 : 1;
}

bool sc_is_atom(const struct sc_tree *t, const struct sc_node *n)
{
    return n->kind == SC_STRING && !(n->flags & (SC_CUT | SC_CAPPED)) &&
           sc_text_is_atom(sc_body(t, n), n->len);
}

bool sc_is_long_atom(const struct sc_tree *t, const struct sc_node *n)
{
    return n->kind == SC_STRING && n->size > SC_LONG_ATOM && sc_is_atom(t, n);
}

/* ---- sizes ---- */

/* Recompute what follows from below for the nodes from `first` on. */
static void measure_from(struct sc_tree *t, uint32_t first)
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
    measure_from(t, 0);
    for (uint32_t i = 0; i < t->count; i++)
        if (t->nodes[i].flags & SC_GAP)
            find_gap(t, i);
    t->live = t->jsonl        ? t->nodes[0].size
              : t->count > 1 ? t->nodes[1].size
                             : 0;
}

/* ---- appending ---- */

/* May the cap still take characters that are counted now? It cuts before the
   cluster that goes past it. */
static bool near_cap(const struct sc_tree *t, const struct sc_node *n)
{
    return t->max_string_chars && !(n->flags & (SC_CUT | SC_CAPPED)) &&
           n->points + SC_CLUSTER_MAX > t->max_string_chars;
}

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
           near_cap(t, &t->nodes[t->text]);
}

/* Too much has piled up: shrink, or stop if that was asked for. */
static void relieve(struct sc_tree *t)
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
static void complete(struct sc_tree *t, uint32_t i)
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

/* Append a node under t->cur with the key that waits, if there is one. */
static uint32_t append(struct sc_tree *t, uint8_t kind, uint16_t flags)
{
    struct sc_node *n;

    if (sc_tree_reserve(t, 1, 0))
        return SC_NONE;
    n = &t->nodes[t->count];
    memset(n, 0, sizeof *n);
    n->kind = kind;
    n->flags = flags;
    n->parent = t->cur;
    n->span = 1;
    n->text = (uint32_t)t->heap_len;
    if (t->has_key) {
        n->member = true;
        n->key_len = t->key_len;
        n->key_known = t->key_known;
        if (t->key_known) {
            n->text -= t->key_len;
            n->key_chars =
                (uint32_t)lex_count_chars(t->heap + n->text, t->key_len);
        }
        t->has_key = false;
    }
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
        append(t, SC_GONE, 0);
        return;
    }
    forget_key(t);
}

/* A value begins. SC_NONE: it is not retained; t->skip may be set. */
static uint32_t begin(struct sc_tree *t, uint8_t kind)
{
    struct sc_node *cur = &t->nodes[t->cur];
    uint16_t flags = kind == SC_PLAIN ? 0 : SC_OPEN;
    uint32_t i;

    if (t->status)
        return SC_NONE;
    if (is_deselected(t, cur)) {
        t->deselected = true;
        forget_key(t);
        return SC_NONE;
    }
    cur->total++;
    if (t->cur == 0 && cur->total > 1 && !t->jsonl) {
        t->jsonl = true;
        t->live += 2; /* the list itself, and the sign after its first line */
    }
    if (cur->kind == SC_ARRAY) {
        if (t->keep == SC_KEEP_HEAD && t->max_items &&
            cur->total > t->max_items && (t->cur || t->jsonl)) {
            cur->flags |= SC_CAPPED;
            t->skip = t->cur_depth;
            return SC_NONE;
        }
    } else if (sc_is_shut(cur) && !is_on_way(t, cur)) {
        leave_out(t);
        return SC_NONE;
    } else if (!t->key_known) {
        /* its key alone is over the room: nothing of it can ever be kept */
        append(t, SC_TOMB, SC_CUT);
        t->doubtful = SC_NONE;
        return SC_NONE;
    }
    if (is_on_way(t, cur)) {
        flags |= SC_ON_WAY;
        cur->flags |= SC_WAY_BEGAN;
    }
    if (kind <= SC_OBJECT)
        flags |= record_flag(t, cur, kind == SC_OBJECT);
    i = append(t, kind, flags);
    if (i == SC_NONE)
        return i;
    if (t->doubtful == SC_NONE && !(flags & SC_ON_WAY) &&
        (t->nodes[t->cur].flags & (SC_CLOSED_LARGE | SC_CLOSED_SMALL))) {
        t->doubtful = i;
        t->doubtful_depth = t->cur_depth;
        t->doubtful_live = t->live;
    }
    t->nodes[t->cur].kept++;
    t->nodes[i].size = t->nodes[i].chars = kind == SC_PLAIN ? 0 : 2;
    t->live += t->nodes[i].size + sc_cost_beside(t, &t->nodes[i]);
    /* an empty container was counted with both its signs; the first child's
       comma is the second of them */
    t->live -= t->cur != 0 && t->nodes[t->cur].kept == 1;
    return i;
}

void sc_tree_open(struct sc_tree *t, bool object)
{
    uint32_t i = begin(t, object ? SC_OBJECT : SC_ARRAY);

    if (i == SC_NONE) {
        if (t->skip == SC_NONE)
            t->skip = t->cur_depth + 1;
        return;
    }
    t->cur = i;
    t->cur_depth++;
    relieve(t);
}

void sc_tree_close(struct sc_tree *t)
{
    uint32_t closed = t->cur;

    t->nodes[closed].flags &= (uint16_t)~SC_OPEN;
    t->cur = t->nodes[closed].parent;
    t->cur_depth--;
    complete(t, closed);
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

/* ---- strings and keys ---- */

/* Add to the key that is being read. Beyond the room only its length counts. */
static void put_key(struct sc_tree *t, const uint8_t *p, size_t len)
{
    if (t->key_known && len > t->room - t->key_len) {
        t->key_known = false;
        t->heap_len -= t->key_len;
    }
    if (t->key_known) {
        if (sc_tree_reserve(t, 0, len))
            return;
        memcpy(t->heap + t->heap_len, p, len);
        t->heap_len += len;
    }
    t->key_len = len > KEY_LEN_MAX - t->key_len ? KEY_LEN_MAX
                                                : t->key_len + (uint32_t)len;
}

/* Take what follows the gap of the open array off the tape. Without a gap one
   begins at the open string, its last child. */
static void drop_far_side(struct sc_tree *t)
{
    struct sc_node *cur = &t->nodes[t->cur];
    uint32_t from = t->cur + 1;

    if (t->keep == SC_KEEP_ENDS) {
        if (!(cur->flags & SC_GAP)) {
            cur->large = 0;
            for (uint32_t i = from; i < t->text; i++)
                cur->large += t->nodes[i].parent == t->cur;
            cur->small = t->text;
            cur->flags |= SC_GAP;
        }
        from = cur->small;
    }
    measure_from(t, from);
    for (uint32_t i = from; i < t->count; i += t->nodes[i].span) {
        if (!sc_is_real(&t->nodes[i]))
            continue;
        t->live -= t->nodes[i].size + sc_cost_beside(t, &t->nodes[i]);
        cur->kept--;
    }
    t->live += t->cur != 0 && cur->kept == 0; /* its second sign again */
    t->heap_len = t->nodes[from].text;
    t->count = from;
    cur->flags |= SC_CLOSED | SC_CUT;
    t->text = SC_NONE;
}

void sc_tree_drop_text(struct sc_tree *t)
{
    struct sc_node *n = &t->nodes[t->text];
    struct sc_node *cur = &t->nodes[t->cur];

    t->doubtful = SC_NONE; /* what is cut inside is not small any more */
    if (cur->kind == SC_ARRAY && t->keep != SC_KEEP_HEAD) {
        drop_far_side(t);
        return;
    }
    t->live -= n->size + sc_cost_beside(t, n);
    t->heap_len = n->text;
    cur->kept--;
    if (n->member && n->key_len <= SC_NAME_MAX) {
        t->heap_len += n->key_len;
        n->kind = SC_GONE;
        n->flags = 0;
        n->len = 0;
    } else {
        t->count--;
    }
    if (cur->kind == SC_ARRAY) {
        cur->flags |= SC_CLOSED | SC_CUT;
        t->skip = t->cur_depth;
    }
    t->text = SC_NONE;
}

/* Cut the string at hand to max_string_chars; an atom goes as a whole. */
static void cap_string(struct sc_tree *t)
{
    struct sc_node *n = &t->nodes[t->text];
    const uint8_t *body = sc_body(t, n);
    uint32_t len;

    if (sc_is_atom(t, n)) {
        sc_tree_drop_text(t);
        return;
    }
    len = (uint32_t)sc_text_prefix(body, n->len, UINT64_MAX,
                                   t->max_string_chars, &n->points);
    t->heap_len -= n->len - len;
    t->live -= n->len - len;
    n->len = len;
    n->size = len + 2;
    n->chars = (uint32_t)lex_count_chars(body, len) + 2;
    n->flags |= SC_CAPPED;
    if (len == 0)
        sc_tree_drop_text(t);
}

/* Add text to the open string: `points` characters that may not be divided, or
   0 for plain text, which is added in pieces so that what is given up never
   depends on how the input was chunked. */
static void put_string(struct sc_tree *t, const uint8_t *p, size_t len,
                       uint64_t points)
{
    while (len && t->text != SC_NONE && !t->status && !t->stopped) {
        struct sc_node *n = &t->nodes[t->text];
        size_t take = len;
        uint64_t chars;

        if (n->flags & (SC_CUT | SC_CAPPED)) {
            n->total += points ? points : lex_count_chars(p, len);
            return;
        }
        if (!points && t->live + take > t->bound) {
            /* up to the character that goes past the bound */
            take = t->live < t->bound ? (size_t)(t->bound - t->live) + 1 : 1;
            while (take < len && lex_is_continuation(p[take]))
                take++;
        }
        if (sc_tree_reserve(t, 0, take))
            return;
        n = &t->nodes[t->text];
        memcpy(t->heap + t->heap_len, p, take);
        t->heap_len += take;
        /* of our copy: the caller's may change meanwhile */
        chars = lex_count_chars(t->heap + t->heap_len - take, take);
        n->len += (uint32_t)take;
        n->size += (uint32_t)take;
        n->chars += (uint32_t)chars;
        n->points += points ? points : chars;
        n->total = n->points;
        t->live += take;
        p += take;
        len -= take;

        if (t->max_string_chars && n->points > t->max_string_chars &&
            n->points >= SC_ATOM_CHARS)
            cap_string(t);
        else if (t->stripped && sc_is_long_atom(t, n))
            sc_tree_drop_text(t);
        if (t->text == SC_NONE || !near_cap(t, n))
            relieve(t);
    }
}

static void put(struct sc_tree *t, const uint8_t *p, size_t len,
                uint64_t points, bool key)
{
    if (key)
        put_key(t, p, len);
    else
        put_string(t, p, len, points);
}

/* Write one character the way a squeezed string has it. */
static void put_code(struct sc_tree *t, uint32_t code, bool key)
{
    static const char hex[] = "0123456789abcdef";
    static const char shorts[] = "btn?fr"; /* from \b, 8, to \r, 13 */
    uint8_t out[6];
    size_t len = 0;

    if (code == '"' || code == '\\') {
        out[len++] = '\\';
        out[len++] = (uint8_t)code;
    } else if (code >= '\b' && code <= '\r' && code != '\v') {
        out[len++] = '\\';
        out[len++] = (uint8_t)shorts[code - '\b'];
    } else if (code < 0x20 || (code >= 0xD800 && code < 0xE000)) {
        out[len++] = '\\';
        out[len++] = 'u';
        for (int shift = 12; shift >= 0; shift -= 4)
            out[len++] = (uint8_t)hex[code >> shift & 15];
    } else if (code < 0x80) {
        out[len++] = (uint8_t)code;
    } else if (code < 0x800) {
        out[len++] = (uint8_t)(0xC0 | code >> 6);
        out[len++] = (uint8_t)(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        out[len++] = (uint8_t)(0xE0 | code >> 12);
        out[len++] = (uint8_t)(0x80 | (code >> 6 & 0x3F));
        out[len++] = (uint8_t)(0x80 | (code & 0x3F));
    } else {
        out[len++] = (uint8_t)(0xF0 | code >> 18);
        out[len++] = (uint8_t)(0x80 | (code >> 12 & 0x3F));
        out[len++] = (uint8_t)(0x80 | (code >> 6 & 0x3F));
        out[len++] = (uint8_t)(0x80 | (code & 0x3F));
    }
    put(t, out, len, 1, key);
}

/* The half of a surrogate pair that waits turned out to be alone. */
static void flush_high(struct sc_tree *t, bool key)
{
    uint32_t high = t->high;

    if (high) {
        t->high = 0;
        put_code(t, high, key);
    }
}

void sc_tree_string(struct sc_tree *t, bool key)
{
    t->high = 0; /* of a string whose end the kernel has read */
    if (key) {
        t->has_key = t->key_known = true;
        t->key_len = 0;
        return;
    }
    t->text = begin(t, SC_STRING);
    if (t->text != SC_NONE)
        relieve(t);
}

void sc_tree_text(struct sc_tree *t, const uint8_t *from, const uint8_t *to,
                  bool key)
{
    if (from == to)
        return;
    flush_high(t, key);
    put(t, from, (size_t)(to - from), 0, key);
}

void sc_tree_unit(struct sc_tree *t, unsigned code, bool key)
{
    if (t->high && code >= 0xDC00 && code < 0xE000) {
        uint32_t high = t->high;
        t->high = 0;
        put_code(t, 0x10000 + ((high - 0xD800) << 10) + (code - 0xDC00), key);
        return;
    }
    flush_high(t, key);
    if (code >= 0xD800 && code < 0xDC00)
        t->high = (uint16_t)code;
    else
        put_code(t, code, key);
}

/* The open string or scalar is complete. */
static void end_text(struct sc_tree *t)
{
    uint32_t i = t->text;

    if (i != SC_NONE)
        t->nodes[i].flags &= (uint16_t)~SC_OPEN;
    relieve(t);
    i = t->text; /* where it is now, if it still is */
    t->text = SC_NONE;
    if (i != SC_NONE)
        complete(t, i);
}

void sc_tree_string_end(struct sc_tree *t, bool key)
{
    flush_high(t, key);
    if (key || t->text == SC_NONE)
        return;
    if (t->max_string_chars &&
        t->nodes[t->text].points > t->max_string_chars)
        cap_string(t);
    end_text(t);
}

/* ---- numbers and literals ---- */

void sc_tree_scalar(struct sc_tree *t)
{
    t->text = begin(t, SC_PLAIN);
}

void sc_tree_digits(struct sc_tree *t, const uint8_t *from, const uint8_t *to)
{
    size_t len = (size_t)(to - from);
    struct sc_node *n;

    if (t->text == SC_NONE || sc_tree_reserve(t, 0, len))
        return;
    n = &t->nodes[t->text];
    if (len > t->room - n->len) {
        /* a number that no room can hold */
        t->heap_len -= n->len;
        n->len = 0;
        n->kind = SC_TOMB;
        n->flags = SC_CUT | (n->flags & SC_ON_WAY);
        t->nodes[t->cur].kept--;
        t->text = t->doubtful = SC_NONE;
        return;
    }
    memcpy(t->heap + t->heap_len, from, len);
    t->heap_len += len;
    n->len += (uint32_t)len;
}

void sc_tree_scalar_end(struct sc_tree *t)
{
    struct sc_node *n;

    if (t->text == SC_NONE)
        return;
    n = &t->nodes[t->text];
    n->size = n->chars = n->len;
    t->live += n->len;
    end_text(t);
}
