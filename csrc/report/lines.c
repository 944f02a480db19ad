/* lines.c - finding the report's lines: docs/semantics.md, section 8.
 *
 * A position is a path as the report writes it. Positions are found from the
 * root on, each with the list of nodes that are there (through view.next), so
 * that whether the keys below a position become `*` is decided once, for all of
 * its nodes.
 */
#include "report/lines.h"

#include <stdlib.h>
#include <string.h>

#include "report/marks.h"

#define STAR_KEYS 16    /* more different keys than this become `*` */
#define STAR_MAP_KEYS 4 /* more than this in an object of more than */
#define STAR_MAP_SIZE 16

struct sc_position {
    size_t parent;
    uint32_t key;  /* the node whose key it is; SC_NONE: `*` */
    uint32_t head; /* nodes here, through view.next */
    uint32_t tail;
    struct sc_line line[SC_UNITS];
};


static bool add_position(struct sc_lines *l, size_t parent, uint32_t key)
{
    struct sc_position *p;

    if (l->positions_count == l->positions_capacity) {
        size_t wanted = l->positions_capacity * 3 / 2 + 16;
        struct sc_position *grown =
            realloc(l->positions, wanted * sizeof *l->positions);
        if (!grown)
            return false;
        l->positions = grown;
        l->positions_capacity = wanted;
    }
    p = &l->positions[l->positions_count++];
    memset(p, 0, sizeof *p);
    p->parent = parent;
    p->key = key;
    p->head = p->tail = SC_NONE;
    return true;
}

static void add_node(struct sc_lines *l, struct sc_tree *t, size_t position,
                     uint32_t i)
{
    struct sc_position *p = &l->positions[position];

    t->view[i].next = SC_NONE;
    if (t->nodes[i].kind == SC_STRING)
        t->view[i].kept = (uint32_t)position;
    if (p->head == SC_NONE)
        p->head = i;
    else
        t->view[p->tail].next = i;
    p->tail = i;
}

static bool same_key(const struct sc_tree *t, uint32_t a, uint32_t b)
{
    const struct sc_node *m = &t->nodes[a], *n = &t->nodes[b];

    return m->key_len == n->key_len &&
           memcmp(sc_key(t, m), sc_key(t, n), m->key_len) == 0;
}

/* The next missing member of an object from c on, or end. */
static uint32_t next_gap(struct sc_tree *t, uint32_t c, uint32_t end)
{
    while (c < end && !sc_is_named_gap(t, c))
        c += t->nodes[c].span;
    return c;
}

static bool same_gaps(struct sc_tree *t, uint32_t a, uint32_t b)
{
    uint32_t a_end = a + t->nodes[a].span, b_end = b + t->nodes[b].span;
    uint32_t m = next_gap(t, a + 1, a_end), n = next_gap(t, b + 1, b_end);

    while (m < a_end && n < b_end && same_key(t, m, n)) {
        m = next_gap(t, m + t->nodes[m].span, a_end);
        n = next_gap(t, n + t->nodes[n].span, b_end);
    }
    return m == a_end && n == b_end;
}

/* Add the node i to its position's counts, if it lacks something itself. */
static void count_place(struct sc_position *p, struct sc_tree *t, uint32_t i)
{
    const struct sc_node *n = &t->nodes[i];
    uint64_t kept = sc_shown_kept(t, i);
    unsigned unit = n->kind == SC_ARRAY    ? SC_ITEMS
                    : n->kind == SC_OBJECT ? SC_MEMBERS
                                           : SC_CHARS;
    struct sc_line *line = &p->line[unit];

    if (kept >= n->total)
        return;
    if (unit == SC_MEMBERS && line->places == 0)
        line->named = sc_names_missing(t, i) ? i : SC_NONE;
    else if (unit == SC_MEMBERS && line->named != SC_NONE &&
             !(sc_names_missing(t, i) && same_gaps(t, line->named, i)))
        line->named = SC_NONE;
    if (unit == SC_ITEMS) {
        uint64_t gap = t->keep == SC_KEEP_HEAD ? UINT64_MAX
                                               : sc_shown_before(t, i);
        line->gap_at = line->places == 0 || line->gap_at == gap ? gap
                                                                : UINT64_MAX;
    }
    line->kept += kept;
    line->total += n->total;
    line->places++;
}

/* The position among those from `from` on that stands for the key of c. */
static size_t find_key(const struct sc_lines *l, const struct sc_tree *t,
                       size_t from, uint32_t c)
{
    while (from < l->positions_count &&
           (l->positions[from].key == SC_NONE ||
            !same_key(t, l->positions[from].key, c)))
        from++;
    return from;
}

/* Give each different key below the position, of a member with a place at or
   below it, a position of its own, and tell whether they are too many. */
static int add_keys(struct sc_lines *l, struct sc_tree *t, size_t position,
                    bool *star)
{
    size_t first = l->positions_count;
    bool map = false;
    bool elements = false; /* arrays stand here too, and share in the `*` */

    for (uint32_t i = l->positions[position].head; i != SC_NONE;
         i = t->view[i].next) {
        bool object = t->nodes[i].kind == SC_OBJECT;
        uint32_t end = sc_is_container(&t->nodes[i]) ? sc_shown_end(t, i) : i;
        map = map || (object && t->nodes[i].total > STAR_MAP_SIZE);
        for (uint32_t c = i + 1; c < end; c += t->nodes[c].span) {
            if (!sc_shown(t, c) || !sc_shown_dirty(t, c))
                continue;
            elements = elements || !object;
            if (elements || l->positions_count - first > STAR_KEYS ||
                find_key(l, t, first, c) < l->positions_count)
                continue;
            if (!add_position(l, position, c))
                return SC_NO_MEMORY;
        }
    }
    *star = elements ||
            l->positions_count - first > (map ? STAR_MAP_KEYS : STAR_KEYS);
    if (*star)
        l->positions_count = first;
    return SC_OK;
}

/* Spread the children with places of all nodes at a position over the
   positions below it. */
static int descend(struct sc_lines *l, struct sc_tree *t, size_t position)
{
    size_t first = l->positions_count;
    size_t star_position = SIZE_MAX;
    bool star;
    int status = add_keys(l, t, position, &star);

    for (uint32_t i = l->positions[position].head; i != SC_NONE && !status;) {
        uint32_t next = t->view[i].next;
        bool container = sc_is_container(&t->nodes[i]);
        uint32_t end = container ? sc_shown_end(t, i) : i;
        bool literal = t->nodes[i].kind == SC_OBJECT && !star;

        count_place(&l->positions[position], t, i);
        for (uint32_t c = i + 1; c < end; c += t->nodes[c].span) {
            if (!sc_shown(t, c) || !sc_shown_dirty(t, c))
                continue;
            if (literal) {
                add_node(l, t, find_key(l, t, first, c), c);
                continue;
            }
            if (star_position == SIZE_MAX) {
                star_position = l->positions_count;
                if (!add_position(l, position, SC_NONE))
                    return SC_NO_MEMORY;
            }
            add_node(l, t, star_position, c);
        }
        i = next;
    }
    return status;
}

static void put_token(const struct sc_tree *t, uint32_t key, struct sc_out *out)
{
    if (key == SC_NONE)
        out_byte(out, '*');
    else
        out_path_token(out, sc_key(t, &t->nodes[key]), t->nodes[key].key_len);
}

static size_t token_len(const struct sc_tree *t, uint32_t key)
{
    struct sc_out scales = {NULL, 0, 0, 0};

    put_token(t, key, &scales);
    return scales.len;
}

static size_t path_len(const struct sc_lines *l, const struct sc_tree *t,
                       size_t position)
{
    const struct sc_position *p = l->positions;
    size_t len = 0;

    for (size_t i = position; i != 0 && len <= SC_PATH_MAX; i = p[i].parent)
        len += 1 + token_len(t, p[i].key);
    return len;
}

/* Write a position's path, `len` bytes, at the end of l->paths, from its last
   token back. */
static bool put_path(struct sc_lines *l, const struct sc_tree *t,
                     size_t position, size_t len)
{
    const struct sc_position *p = l->positions;
    size_t at;

    if (l->paths_capacity - l->paths_len < len) {
        size_t wanted = l->paths_capacity + l->paths_capacity / 2 + len;
        uint8_t *grown = realloc(l->paths, wanted);
        if (!grown)
            return false;
        l->paths = grown;
        l->paths_capacity = wanted;
    }
    at = l->paths_len + len;
    for (size_t i = position; i != 0; i = p[i].parent) {
        size_t token = token_len(t, p[i].key);
        struct sc_out out = {l->paths + at - token, token, 0, 0};
        put_token(t, p[i].key, &out);
        at -= token + 1;
        l->paths[at] = '/';
    }
    l->paths_len += len;
    return true;
}

static int by_importance(const void *left, const void *right)
{
    const struct sc_line *a = left, *b = right;
    uint64_t a_omitted = a->total - a->kept, b_omitted = b->total - b->kept;
    size_t len = a->path_len < b->path_len ? a->path_len : b->path_len;
    int order;

    if ((a->unit == SC_CHARS) != (b->unit == SC_CHARS))
        return a->unit == SC_CHARS ? 1 : -1;
    if (a->starred != b->starred)
        return a->starred ? 1 : -1;
    if (a_omitted != b_omitted)
        return a_omitted > b_omitted ? -1 : 1;
    order = len ? memcmp(a->path_text, b->path_text, len) : 0;
    if (order == 0)
        order = (a->path_len > b->path_len) - (a->path_len < b->path_len);
    return order ? order : (int)a->unit - (int)b->unit;
}

/* Add one line; false if memory is short. */
static bool add_line(struct sc_lines *l, const struct sc_line *line)
{
    if (l->count == l->capacity) {
        size_t wanted = l->capacity * 3 / 2 + 16;
        struct sc_line *grown = realloc(l->lines, wanted * sizeof *l->lines);
        if (!grown)
            return false;
        l->lines = grown;
        l->capacity = wanted;
    }
    l->lines[l->count++] = *line;
    return true;
}

static bool is_starred(const struct sc_lines *l, size_t position)
{
    for (; position != 0; position = l->positions[position].parent)
        if (l->positions[position].key == SC_NONE)
            return true;
    return false;
}

/* Add the lines of one position. */
static int add_lines(struct sc_lines *l, const struct sc_tree *t,
                     size_t position)
{
    size_t path = l->paths_len;
    size_t len = SIZE_MAX; /* not known yet */
    bool written = false;

    for (unsigned unit = 0; unit < SC_UNITS; unit++) {
        struct sc_line *line = &l->positions[position].line[unit];
        if (line->places == 0)
            continue;
        if (len == SIZE_MAX)
            len = path_len(l, t, position);
        if (len > SC_PATH_MAX) {
            l->untold++;
            continue;
        }
        if (!written && !put_path(l, t, position, len))
            return SC_NO_MEMORY;
        written = true;
        line->position = position;
        line->path = path;
        line->path_len = l->paths_len - path;
        line->unit = (uint8_t)unit;
        line->starred = is_starred(l, position);
        if (!add_line(l, line))
            return SC_NO_MEMORY;
    }
    return SC_OK;
}

int sc_lines_find(struct sc_lines *l, struct sc_tree *t)
{
    uint32_t root = sc_tree_root(t);

    l->count = l->positions_count = l->paths_len = l->untold = 0;
    if (!sc_shown_dirty(t, root))
        return SC_OK;
    if (!add_position(l, 0, SC_NONE))
        return SC_NO_MEMORY;
    add_node(l, t, 0, root);
    for (size_t i = 0; i < l->positions_count; i++)
        if (descend(l, t, i) || add_lines(l, t, i))
            return SC_NO_MEMORY;
    for (size_t i = 0; i < l->count; i++)
        l->lines[i].path_text =
            l->paths ? l->paths + l->lines[i].path : (const uint8_t *)"";
    if (l->count > 1)
        qsort(l->lines, l->count, sizeof *l->lines, by_importance);
    return SC_OK;
}

void sc_line_put(const struct sc_line *line, struct sc_tree *t,
                 const sc_words *words, struct sc_out *out)
{
    out_word(out, words->path);
    out_put(out, line->path_text, line->path_len);
    out_byte(out, '"');
    if (line->unit != SC_ITEMS)
        out_word(out, line->unit == SC_MEMBERS ? words->members : words->chars);
    out_word(out, words->kept);
    out_number(out, line->kept);
    out_word(out, words->total);
    out_number(out, line->total);
    out_word(out, words->omitted);
    out_number(out, line->total - line->kept);
    if (line->places > 1) {
        out_word(out, words->places);
        out_number(out, line->places);
    }
    if (line->unit == SC_ITEMS && line->gap_at != UINT64_MAX) {
        out_word(out, words->gap_at);
        out_number(out, line->gap_at);
    }
    if (line->unit == SC_MEMBERS && line->named != SC_NONE) {
        uint32_t end = line->named + t->nodes[line->named].span;
        char sign = '[';
        out_word(out, words->names);
        for (uint32_t c = next_gap(t, line->named + 1, end); c < end;
             c = next_gap(t, c + t->nodes[c].span, end)) {
            out_byte(out, sign);
            out_string(out, sc_key(t, &t->nodes[c]), t->nodes[c].key_len);
            sign = ',';
        }
        out_byte(out, ']');
    }
    out_word(out, words->line_end);
}

void sc_lines_free(struct sc_lines *l)
{
    free(l->lines);
    free(l->positions);
    free(l->paths);
    memset(l, 0, sizeof *l);
}
