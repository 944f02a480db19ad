/* render.c - writing the view in document order. */
#include "report/render.h"

/* Note the string i, whose body is written next, if it may hold JSON. */
static void note_string(struct sc_tree *t, uint32_t i, const struct sc_out *out,
                        struct sc_strings *found)
{
    const struct sc_node *n = &t->nodes[i];
    const uint8_t *body = sc_body(t, n);
    sc_cut_string *s;

    if (n->kind != SC_STRING || sc_shown_kept(t, i) >= n->total ||
        n->len == 0 || (body[0] != '{' && body[0] != '[') ||
        found->count == found->capacity)
        return;
    s = &found->strings[found->count++];
    s->offset = out->len + 1;
    s->len = sc_shown_len(t, i);
    s->line = t->view[i].kept;
    s->kept = sc_shown_kept(t, i);
    s->total = n->total;
    s->body = body;
    s->body_len = n->len;
    s->whole = n->points == n->total;
}

static void put_value(struct sc_tree *t, uint32_t i, struct sc_out *out)
{
    const struct sc_node *n = &t->nodes[i];

    if (n->kind == SC_STRING)
        out_string(out, sc_body(t, n), sc_shown_len(t, i));
    else if (n->kind == SC_PLAIN)
        out_put(out, sc_body(t, n), n->len);
    else
        out_byte(out, n->kind == SC_ARRAY ? '[' : '{');
}

/* End the container i and what has to follow it. */
static void put_end(struct sc_tree *t, uint32_t i, const sc_words *words,
                    struct sc_out *out)
{
    const struct sc_node *n = &t->nodes[i];

    out_byte(out, n->kind == SC_ARRAY ? ']' : '}');
    if (words->report == SC_SIBLINGS && sc_has_siblings(t, i))
        sc_put_siblings(t, i, words, out);
}

void sc_render(struct sc_tree *t, const sc_words *words, struct sc_out *out,
               struct sc_strings *strings)
{
    uint32_t root = sc_tree_root(t);
    uint32_t end = root + t->nodes[root].span;
    uint32_t open = 0;       /* the container whose children are written */
    uint32_t marked_end = 0; /* in a marked record until here */
    uint32_t hidden = SC_NONE; /* its old mark */
    bool first = true;       /* nothing stands in `open` yet */

    for (uint32_t i = root; i < end;) {
        const struct sc_node *n = &t->nodes[i];

        if (i == 0) { /* the list of lines has no signs of its own */
            i++;
            continue;
        }
        if (i != root && (i == hidden || !sc_shown(t, i))) {
            i = sc_past(t, i);
            continue;
        }
        while (open != n->parent) {
            put_end(t, open, words, out);
            open = t->nodes[open].parent;
            first = false;
        }
        if (!first)
            out_byte(out, open == 0 ? '\n' : ',');
        first = false;
        if (n->member) {
            out_string(out, sc_key(t, n), n->key_len);
            out_byte(out, ':');
        }
        if (strings)
            note_string(t, i, out, strings);
        put_value(t, i, out);
        if (sc_is_container(n)) {
            open = i;
            first = true;
            if (words->report == SC_INLINE && i >= marked_end &&
                sc_is_marked(t, i)) {
                marked_end = i + n->span;
                hidden = sc_old_mark(t, i, words);
                sc_put_mark(t, i, words, out);
                first = false;
            }
        }
        i++;
    }
    while (open != 0) {
        put_end(t, open, words, out);
        open = t->nodes[open].parent;
    }
}

void sc_weigh(struct sc_tree *t, const sc_words *words, size_t *bytes,
              uint64_t *chars)
{
    uint32_t root = sc_tree_root(t);
    struct sc_out marks = {NULL, 0, 0, 0}, hidden = {NULL, 0, 0, 0};
    /* lines stand without the brackets and one of the signs between */
    uint32_t frame = root ? 0 : 2;

    sc_put_marks(t, words, &marks, &hidden);
    *bytes = sc_shown_size(t, root) - frame + marks.len - hidden.len;
    *chars = sc_shown_chars(t, root) - frame + marks.chars - hidden.chars;
}
