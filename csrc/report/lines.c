/* lines.c - finding the report's lines: docs/semantics.md, section 8.
 *
 * A position is a path as the report writes it. Positions are found from the
 * root on, each with the list of nodes that are there (through view.next), so
 * that whether the keys below a position become `*` is decided once, for all of
 * its nodes. A position stands before all positions below it, and those next
 * below it stand together.
 *
 * Paths may be long and many, so they are compared by the ranks of their
 * positions, and written only for the lines that are told.
 */
#include "report/lines.h"

#include <stdlib.h>
#include <string.h>

#include "report/marks.h"

#define STAR_KEYS 16    /* more different keys than this become `*` */
#define STAR_MAP_KEYS 4 /* more than this in an object of more than */
#define STAR_MAP_SIZE 16

struct sc_position {
    uint32_t parent;
    uint32_t first;    /* the first position below it, */
    uint32_t children; /* how many are next below it, */
    uint32_t below;    /* and how many are below it at all */
    uint32_t rank;     /* of its path, in the order of the bytes of all paths */
    uint32_t ranks;    /* the ranks below it begin here */
    uint32_t path_len; /* beyond SC_PATH_MAX: at least that */
    uint32_t key;      /* the node whose key it is; SC_NONE: `*` */
    uint32_t head; /* nodes here, through view.next */
    uint32_t tail;
    bool starred; /* a `*` is on its path */
    struct sc_line line[SC_UNITS];
};

static void put_token(const struct sc_tree *t, uint32_t key, struct sc_out *out)
{
    if (key == SC_NONE)
        out_byte(out, '*');
    else
        out_path_token(out, sc_key(t, &t->nodes[key]), t->nodes[key].key_len);
}

static uint32_t token_len(const struct sc_tree *t, uint32_t key)
{
    struct sc_out scales = {NULL, 0, 0, 0};

    put_token(t, key, &scales);
    return (uint32_t)scales.len;
}

static bool add_position(struct sc_lines *l, const struct sc_tree *t,
                         uint32_t parent, uint32_t key)
{
    bool is_root = l->positions_count == 0;
    struct sc_position *p, *above;

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
    above = &l->positions[parent];
    if (is_root)
        return true;
    p->starred = key == SC_NONE || above->starred;
    p->path_len = above->path_len > SC_PATH_MAX
                      ? above->path_len
                      : above->path_len + 1 + token_len(t, key);
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
static int add_keys(struct sc_lines *l, struct sc_tree *t, uint32_t position,
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
            if (!add_position(l, t, position, c))
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
static int descend(struct sc_lines *l, struct sc_tree *t, uint32_t position)
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
                if (!add_position(l, t, position, SC_NONE))
                    return SC_NO_MEMORY;
            }
            add_node(l, t, star_position, c);
        }
        i = next;
    }
    l->positions[position].first = (uint32_t)first;
    l->positions[position].children = (uint32_t)(l->positions_count - first);
    return status;
}

/* Write a position's path, which is not too long to be told. */
static void put_path(const struct sc_lines *l, const struct sc_tree *t,
                     size_t position, struct sc_out *out)
{
    const struct sc_position *p = l->positions;
    uint32_t way[SC_PATH_MAX]; /* each level takes a byte at least */
    size_t levels = 0;

    for (; position != 0; position = p[position].parent)
        way[levels++] = p[position].key;
    while (levels-- > 0) {
        out_byte(out, '/');
        put_token(t, way[levels], out);
    }
}

/* Where paths go on after a token: one ends there, others are longer. Both are
   ranked, because other tokens may come between them. */
struct turn {
    const struct sc_tree *tree;
    uint32_t position;
    uint32_t key;
    bool longer;
};

static size_t put_turn(const struct turn *turn, uint8_t text[SC_PATH_MAX])
{
    struct sc_out out = {text, SC_PATH_MAX, 0, 0};

    put_token(turn->tree, turn->key, &out);
    if (turn->longer)
        out_byte(&out, '/');
    return out.len < SC_PATH_MAX ? out.len : SC_PATH_MAX;
}

static int by_bytes(const void *left, const void *right)
{
    uint8_t a[SC_PATH_MAX], b[SC_PATH_MAX];
    size_t a_len = put_turn(left, a), b_len = put_turn(right, b);
    int order = memcmp(a, b, a_len < b_len ? a_len : b_len);

    return order ? order : (a_len > b_len) - (a_len < b_len);
}

/* Rank the paths that can be told of the positions next below one, and find
   where the ranks below those begin. */
static void rank_below(struct sc_lines *l, const struct sc_tree *t,
                       const struct sc_position *p)
{
    struct turn turns[2 * STAR_KEYS];
    uint32_t rank = p->ranks;
    size_t count = 0;

    for (uint32_t c = p->first; c < p->first + p->children; c++) {
        if (l->positions[c].path_len > SC_PATH_MAX)
            continue;
        turns[count++] = (struct turn){t, c, l->positions[c].key, false};
        if (l->positions[c].below)
            turns[count++] = (struct turn){t, c, l->positions[c].key, true};
    }
    if (p->children > 1 && count > 1)
        qsort(turns, count, sizeof *turns, by_bytes);
    for (size_t k = 0; k < count; k++) {
        struct sc_position *child = &l->positions[turns[k].position];
        if (turns[k].longer) {
            child->ranks = rank;
            rank += child->below;
        } else {
            child->rank = rank++;
        }
    }
}

static void rank_paths(struct sc_lines *l, const struct sc_tree *t)
{
    for (size_t i = l->positions_count; i-- > 1;)
        l->positions[l->positions[i].parent].below +=
            l->positions[i].below + 1;
    l->positions[0].ranks = 1;
    for (size_t i = 0; i < l->positions_count; i++)
        rank_below(l, t, &l->positions[i]);
    for (size_t i = 0; i < l->count; i++)
        l->lines[i].rank = l->positions[l->lines[i].position].rank;
}

static int by_importance(const void *left, const void *right)
{
    const struct sc_line *a = left, *b = right;
    uint64_t a_omitted = a->total - a->kept, b_omitted = b->total - b->kept;

    if ((a->unit == SC_CHARS) != (b->unit == SC_CHARS))
        return a->unit == SC_CHARS ? 1 : -1;
    if (a->starred != b->starred)
        return a->starred ? 1 : -1;
    if (a_omitted != b_omitted)
        return a_omitted > b_omitted ? -1 : 1;
    if (a->rank != b->rank)
        return a->rank > b->rank ? 1 : -1;
    return (int)a->unit - (int)b->unit;
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

/* Add the lines of one position. */
static int add_lines(struct sc_lines *l, uint32_t position)
{
    for (unsigned unit = 0; unit < SC_UNITS; unit++) {
        const struct sc_position *p = &l->positions[position];
        struct sc_line line = p->line[unit];
        if (line.places == 0)
            continue;
        if (p->path_len > SC_PATH_MAX) {
            l->untold++;
            continue;
        }
        line.position = position;
        line.path_len = p->path_len;
        line.unit = (uint8_t)unit;
        line.starred = p->starred;
        if (!add_line(l, &line))
            return SC_NO_MEMORY;
    }
    return SC_OK;
}

/* Tell no more lines than have paths of so many bytes together. */
static void limit_paths(struct sc_lines *l, uint64_t most)
{
    uint64_t len = 0;
    size_t told = 0;

    while (told < l->count && (len += l->lines[told].path_len) <= most)
        told++;
    l->untold += l->count - told;
    l->count = told;
}

int sc_lines_find(struct sc_lines *l, struct sc_tree *t)
{
    uint32_t root = sc_tree_root(t);

    l->count = l->positions_count = l->untold = 0;
    if (!sc_shown_dirty(t, root))
        return SC_OK;
    if (!add_position(l, t, 0, SC_NONE))
        return SC_NO_MEMORY;
    add_node(l, t, 0, root);
    for (uint32_t i = 0; i < l->positions_count; i++)
        if (descend(l, t, i) || add_lines(l, i))
            return SC_NO_MEMORY;
    if (l->count > 1) {
        rank_paths(l, t);
        qsort(l->lines, l->count, sizeof *l->lines, by_importance);
    }
    limit_paths(l, t->room);
    return SC_OK;
}

void sc_line_put(const struct sc_lines *l, const struct sc_line *line,
                 struct sc_tree *t, const sc_words *words, struct sc_out *out)
{
    out_word(out, words->path);
    put_path(l, t, line->position, out);
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
    memset(l, 0, sizeof *l);
}
