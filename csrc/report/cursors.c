/* cursors.c - finding pagination cursors.
 *
 * Only objects inside objects are searched, from the root on, outermost first:
 * what is in an array is no page's. A cursor is about the object it stands in,
 * unless that is itself about the page that it stands beside (`pageInfo`); then
 * about the one around it.
 */
#include "report/cursors.h"

#include <stdlib.h>

#include "report/lines.h"

#define LEVELS_MAX 64 /* of the path of one that is told */
_Static_assert(2 * SC_PATH_MAX + LEVELS_MAX + 2 <= SC_GAP_MAX,
               "every byte escaped, with slashes and quotes");

/* Keys to look for, and a bit for each of a few bins that they are in: most
   keys are in none that is looked for. */
struct keys {
    const sc_bytes *keys;
    size_t count;
    uint64_t bins[4];
};

static unsigned bin_of(const uint8_t *key, size_t len)
{
    return len ? (key[0] * 7u + key[len - 1] + (unsigned)len) % 256 : 0;
}

static struct keys keys_of(const sc_bytes *keys, size_t count)
{
    struct keys k = {keys, count, {0}};

    for (size_t i = 0; i < count; i++) {
        unsigned bin = bin_of(keys[i].data, keys[i].len);
        k.bins[bin / 64] |= UINT64_C(1) << bin % 64;
    }
    return k;
}

static bool may_have(const struct keys *k, const uint8_t *key, size_t len)
{
    unsigned bin = bin_of(key, len);

    return k->bins[bin / 64] >> bin % 64 & 1;
}

static bool is_key(const struct sc_tree *t, uint32_t i, sc_bytes key)
{
    const struct sc_node *n = &t->nodes[i];

    return n->key_known && key.len > 0 && n->key_len == key.len &&
           memcmp(sc_key(t, n), key.data, key.len) == 0;
}

static bool is_among(const struct sc_tree *t, uint32_t i, const struct keys *k)
{
    const struct sc_node *n = &t->nodes[i];

    if (!n->key_known || !may_have(k, sc_key(t, n), n->key_len))
        return false;
    for (size_t at = 0; at < k->count; at++)
        if (is_key(t, i, k->keys[at]))
            return true;
    return false;
}

/* A search, in the whole tree or in the view. The objects that are still to be
   looked through stand in t->order, which no view needs now. */
struct search {
    struct sc_tree *tree;
    const sc_words *words;
    struct keys cursors, about_pages;
    bool in_view;
    uint32_t at, end; /* in t->order */
    uint32_t member;  /* the next one of the object at hand */
};

/* Paths of arrays that lost elements, beside what the view tells: those without
   a `*` first, in the order of by_path. */
struct lost {
    const sc_bytes *paths;
    size_t literal;
    size_t count;
};

static struct search search_in(struct sc_tree *t, const sc_words *words,
                               bool in_view)
{
    struct search s = {.tree = t, .words = words, .in_view = in_view};
    uint32_t root = sc_tree_root(t);

    s.cursors = keys_of(words->cursor_keys, words->cursor_keys_len);
    s.about_pages = keys_of(words->page_keys, words->page_keys_len);
    if (t->nodes[root].kind == SC_OBJECT)
        t->order[s.end++] = root;
    s.member = root + 1;
    return s;
}

static bool is_there(const struct search *s, uint32_t i)
{
    return s->in_view ? sc_shown(s->tree, i) : sc_is_real(&s->tree->nodes[i]);
}

/* Has the object i a member with this key, or with any key? */
static bool has_member(const struct search *s, uint32_t i, const sc_bytes *key)
{
    uint32_t end = i + s->tree->nodes[i].span;

    for (uint32_t c = i + 1; c < end; c += s->tree->nodes[c].span)
        if (is_there(s, c) && (!key || is_key(s->tree, c, *key)))
            return true;
    return false;
}

/* Is it an integer other than 0: the number of a page? */
static bool is_page_number(const uint8_t *text, uint32_t len)
{
    uint32_t at = len > 0 && text[0] == '-';

    if (at == len || text[at] == '0')
        return false;
    for (; at < len; at++)
        if (!lex_is_digit(text[at]))
            return false;
    return true;
}

/* Does the value of a cursor lead on: a token, a URL, a key, a number? */
static bool leads_on(const struct search *s, uint32_t i)
{
    const struct sc_node *n = &s->tree->nodes[i];
    const uint8_t *body = sc_body(s->tree, n);

    switch (n->kind) {
    case SC_STRING:
        return n->len > 1 || (n->len == 1 && body[0] != '0');
    case SC_PLAIN:
        return is_page_number(body, n->len);
    case SC_OBJECT:
        return is_key(s->tree, i, s->words->cursor_object)
                   ? has_member(s, i, NULL)
                   : has_member(s, i, &s->words->cursor_link);
    default:
        return false;
    }
}

/* The next cursor; SC_NONE if there is none. */
static uint32_t next_cursor(struct search *s)
{
    struct sc_tree *t = s->tree;

    while (s->at < s->end) {
        uint32_t object = t->order[s->at];
        uint32_t end = object + t->nodes[object].span;

        while (s->member < end) {
            uint32_t i = s->member;
            s->member += t->nodes[i].span;
            if (!is_there(s, i))
                continue;
            if (t->nodes[i].kind == SC_OBJECT)
                t->order[s->end++] = i;
            if (is_among(t, i, &s->cursors) && leads_on(s, i))
                return i;
        }
        if (++s->at < s->end)
            s->member = t->order[s->at] + 1;
    }
    return SC_NONE;
}

/* What the object i is about: itself, or what stands around it. SC_NONE: that
   is so far out that no path from there to here would be told. */
static uint32_t about(const struct search *s, uint32_t i)
{
    for (uint32_t levels = 0; levels <= LEVELS_MAX; levels++) {
        if (i == sc_tree_root(s->tree) ||
            !is_among(s->tree, i, &s->about_pages))
            return i;
        i = s->tree->nodes[i].parent;
    }
    return SC_NONE;
}

/* Write the path of the member i as the report has it; false if it is too long
   to be told. */
static bool put_path(const struct sc_tree *t, uint32_t i, struct sc_out *out)
{
    uint32_t way[LEVELS_MAX];
    uint32_t levels = 0;
    size_t len = 0;

    for (; i != sc_tree_root(t); i = t->nodes[i].parent) {
        len += t->nodes[i].key_len;
        if (levels == LEVELS_MAX || len > SC_PATH_MAX)
            return false;
        way[levels++] = i;
    }
    while (levels-- > 0) {
        const struct sc_node *n = &t->nodes[way[levels]];
        out_byte(out, '/');
        out_path_token(out, sc_key(t, n), n->key_len);
    }
    return true;
}

/* The order in which all paths below one follow it: a slash comes first. */
static int by_path(const void *left, const void *right)
{
    const sc_bytes *a = left, *b = right;
    size_t len = a->len < b->len ? a->len : b->len;

    for (size_t k = 0; k < len; k++)
        if (a->data[k] != b->data[k])
            return a->data[k] == '/'   ? -1
                   : b->data[k] == '/' ? 1
                                       : a->data[k] - b->data[k];
    return (a->len > b->len) - (a->len < b->len);
}

/* Of paths in that order, the first that does not come before this one. */
static const sc_bytes *at_or_behind(const sc_bytes *paths, size_t count,
                                    const sc_bytes *path)
{
    while (count > 0) {
        size_t half = count / 2;
        if (by_path(&paths[half], path) < 0) {
            paths += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return paths;
}

/* Is the path the page's, or one below it, with a `*` for any key? */
static bool leads_into(const sc_bytes *path, const sc_bytes *page)
{
    size_t at = 0, k = 0;

    while (k < page->len && at < path->len) {
        bool any = path->data[at] == '*' && at > 0 &&
                   path->data[at - 1] == '/' &&
                   (at + 1 == path->len || path->data[at + 1] == '/');
        if (any) {
            at++;
            while (k < page->len && page->data[k] != '/')
                k++;
        } else if (path->data[at++] != page->data[k++]) {
            return false;
        }
    }
    return k == page->len && (at == path->len || path->data[at] == '/');
}

/* Is one of the paths that of the value i, or below it? */
static bool is_at_one(const struct sc_tree *t, uint32_t i,
                      const struct lost *lost)
{
    uint8_t text[SC_PATH_MAX];
    struct sc_out out = {text, sizeof text, 0, 0};
    sc_bytes path = {text, 0};
    const sc_bytes *found;

    if (lost->count == 0 || !put_path(t, i, &out) || out.len > sizeof text)
        return false;
    path.len = out.len;
    found = at_or_behind(lost->paths, lost->literal, &path);
    if (found < lost->paths + lost->literal && leads_into(found, &path))
        return true;
    for (size_t k = lost->literal; k < lost->count; k++)
        if (leads_into(&lost->paths[k], &path))
            return true;
    return false;
}

/* Note in view.next, which is free when the lines are found, of which nodes of
   the view an array at or below them lost elements. */
static void note_lost(struct sc_tree *t)
{
    uint32_t root = sc_tree_root(t);
    uint32_t end = root + t->nodes[root].span;

    for (uint32_t i = root; i < end;) {
        const struct sc_node *n = &t->nodes[i];
        if (i != root && !sc_shown(t, i)) {
            i = sc_past(t, i);
            continue;
        }
        t->view[i].next = false;
        if (!sc_shown_dirty(t, i)) {
            i += n->span;
            continue;
        }
        if (n->kind == SC_ARRAY && sc_shown_kept(t, i) < n->total)
            for (uint32_t k = i; !t->view[k].next; k = t->nodes[k].parent) {
                t->view[k].next = true;
                if (k == root)
                    break;
            }
        i++;
    }
}

bool sc_has_cursor(struct sc_tree *t, const sc_words *words)
{
    struct search s;

    if (words->cursor_keys_len == 0)
        return false;
    s = search_in(t, words, false);
    return next_cursor(&s) != SC_NONE;
}

static bool has_lost(const struct sc_tree *t, uint32_t i)
{
    return sc_shown_dirty(t, i) && t->view[i].next;
}

static bool has_star(const sc_bytes *path)
{
    return memchr(path->data, '*', path->len) != NULL;
}

/* Put the paths in order. */
static struct lost in_order(sc_bytes *paths, size_t count)
{
    struct lost lost = {paths, 0, count};

    for (size_t k = 0; k < count; k++) {
        sc_bytes path = paths[k];
        if (has_star(&path))
            continue;
        paths[k] = paths[lost.literal];
        paths[lost.literal++] = path;
    }
    if (lost.literal > 1)
        qsort(paths, lost.literal, sizeof *paths, by_path);
    return lost;
}

uint32_t sc_find_cursor_gap(struct sc_tree *t, const sc_words *words,
                            sc_bytes *arrays, size_t count)
{
    struct search s = search_in(t, words, true);
    struct lost lost = in_order(arrays, count);
    uint32_t last = SC_NONE; /* the page of the cursor before */
    bool is_cut = false;

    note_lost(t);
    for (uint32_t i; (i = next_cursor(&s)) != SC_NONE;) {
        uint32_t page = about(&s, t->nodes[i].parent);
        struct sc_out scales = {NULL, 0, 0, 0};
        if (page != last)
            is_cut = page != SC_NONE &&
                     (has_lost(t, page) || is_at_one(t, page, &lost));
        last = page;
        if (is_cut && put_path(t, i, &scales))
            return i;
    }
    return SC_NONE;
}

void sc_put_cursor(const struct sc_tree *t, uint32_t i, struct sc_out *out)
{
    out_byte(out, '"');
    put_path(t, i, out);
    out_byte(out, '"');
}
