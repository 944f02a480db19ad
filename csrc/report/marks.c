/* marks.c - marks and siblings: docs/semantics.md, section 9. */
#include "report/marks.h"

#define FIELDS_MAX 4 /* fields of a record that are named */

/* A record further down, or behind longer keys, has no pointer in its mark. */
#define POINTER_LEVELS_MAX 64
#define POINTER_LEN_MAX 1024

/* In an object of more members than this, a map, no siblings are written. */
#define SIBLING_MEMBERS_MAX 64

bool sc_is_marked(const struct sc_tree *t, uint32_t i)
{
    const struct sc_node *n = &t->nodes[i];

    return n->kind == SC_OBJECT && i != sc_tree_root(t) &&
           t->nodes[n->parent].kind == SC_ARRAY && sc_shown_dirty(t, i);
}

bool sc_is_named_gap(struct sc_tree *t, uint32_t c)
{
    const struct sc_node *m = &t->nodes[c];

    return !sc_shown(t, c) && m->key_known && m->key_len <= SC_NAME_MAX;
}

bool sc_names_missing(struct sc_tree *t, uint32_t i)
{
    uint64_t missing = t->nodes[i].total - sc_shown_kept(t, i);
    uint32_t end = i + t->nodes[i].span;

    if (missing > SC_NAMES_MAX)
        return false;
    for (uint32_t c = i + 1; c < end; c += t->nodes[c].span)
        missing -= sc_is_named_gap(t, c);
    return missing == 0;
}

/* Does the text begin with this, and what follows? */
static bool begins(const uint8_t **text, const uint8_t *end, const void *with,
                   size_t len)
{
    if ((size_t)(end - *text) < len || memcmp(*text, with, len) != 0)
        return false;
    *text += len;
    return true;
}

uint32_t sc_old_mark(const struct sc_tree *t, uint32_t i, const sc_words *words)
{
    const struct sc_node *mark = &t->nodes[i + 1];
    const struct sc_node *first = &t->nodes[i + 2];
    const uint8_t *text = words->mark.data;
    const uint8_t *end = text + words->mark.len;

    if (t->nodes[t->nodes[i].parent].kind != SC_ARRAY ||
        t->nodes[i].kind != SC_OBJECT || t->nodes[i].span < 3 ||
        mark->kind != SC_OBJECT || mark->span < 2 || !mark->key_known ||
        first->kind != SC_PLAIN || !first->key_known)
        return SC_NONE;
    return begins(&text, end, "\"", 1) &&
                   begins(&text, end, sc_key(t, mark), mark->key_len) &&
                   begins(&text, end, "\":{\"", 4) &&
                   begins(&text, end, sc_key(t, first), first->key_len) &&
                   begins(&text, end, "\":", 2) &&
                   begins(&text, end, sc_body(t, first), first->len) &&
                   text == end
               ? i + 1
               : SC_NONE;
}

/* What the mark says so far. */
struct saying {
    struct sc_out *out;
    const sc_words *words;
    uint64_t fields;  /* different names of fields so far */
    uint64_t missing; /* members that are only counted */
};

/* Name one more field; beyond some they are only counted. */
static void say_field(struct saying *s, const uint8_t *body, size_t len)
{
    if (++s->fields > FIELDS_MAX)
        return;
    if (s->fields == 1)
        out_word(s->out, s->words->mark_fields);
    out_byte(s->out, s->fields == 1 ? '[' : ',');
    out_string(s->out, body, len);
}

/* End the list of fields, of which there are at least `least`. */
static void end_fields(struct saying *s, uint64_t least)
{
    uint64_t named = s->fields < FIELDS_MAX ? s->fields : FIELDS_MAX;

    least = least < s->fields ? s->fields : least;
    if (least == 0)
        return;
    if (named == 0)
        out_word(s->out, s->words->mark_fields);
    if (least > named) {
        out_put(s->out, named ? ",\"+" : "[\"+", 3);
        out_number(s->out, least - named);
        out_byte(s->out, '"');
    }
    out_byte(s->out, ']');
}

static uint64_t number_of(const uint8_t *digits, size_t len)
{
    uint64_t number = 0;

    for (size_t k = 0; k < len && k < 18; k++)
        number = number * 10 + (uint64_t)(digits[k] - '0');
    return number;
}

/* Is it a number as a mark has it: at least 1, and of few digits? */
static bool is_count(const uint8_t *digits, size_t len)
{
    if (len == 0 || len > 18 || digits[0] == '0')
        return false;
    for (size_t k = 0; k < len; k++)
        if (!lex_is_digit(digits[k]))
            return false;
    return true;
}

/* The member of the object i with this key; SC_NONE: it has none. */
static uint32_t find_member(const struct sc_tree *t, uint32_t i,
                            const uint8_t *body, size_t len)
{
    uint32_t end = i + t->nodes[i].span;

    for (uint32_t c = i + 1; c < end; c += t->nodes[c].span) {
        const struct sc_node *m = &t->nodes[c];
        if (m->key_known && m->key_len == len &&
            memcmp(sc_key(t, m), body, len) == 0)
            return c;
    }
    return SC_NONE;
}

/* What the fields of an old mark come to. */
struct old_fields {
    uint64_t count;   /* of those that it named or counted */
    uint64_t unnamed; /* of those that it only counted */
    uint64_t left;    /* named ones that are left out and counted now */
};

/* Say one field of the old mark of the object i, unless it is said anew: as a
   member with a place in this view, or as one that is only counted. */
static void say_old_field(struct saying *s, struct sc_tree *t, uint32_t i,
                          uint32_t e, struct old_fields *old)
{
    const struct sc_node *field = &t->nodes[e];
    const uint8_t *body = sc_body(t, field);
    uint32_t c = find_member(t, i, body, field->len);

    if (c == SC_NONE && body[0] == '+' && is_count(body + 1, field->len - 1)) {
        old->unnamed = number_of(body + 1, field->len - 1);
        old->count += old->unnamed;
        return;
    }
    old->count++;
    if (c == SC_NONE || (sc_shown(t, c) && !sc_shown_dirty(t, c)))
        say_field(s, body, field->len);
    else if (!sc_shown(t, c) && s->missing)
        old->left++;
}

/* Say what the old mark said: the strings of its array, and its number, which
   is added to what is missing. Answers how many fields there are at least: of
   those that were only counted, some may be among the members that are said
   anew, and nobody knows which. */
static uint64_t say_old(struct saying *s, struct sc_tree *t, uint32_t i,
                        uint32_t mark)
{
    uint32_t end = mark + t->nodes[mark].span;
    struct old_fields old = {0, 0, 0};
    uint64_t missing = 0, elsewhere;

    for (uint32_t c = mark + 2; c < end; c += t->nodes[c].span) {
        const struct sc_node *m = &t->nodes[c];
        uint32_t last = c + m->span;
        if (m->kind == SC_PLAIN && is_count(sc_body(t, m), m->len))
            missing = number_of(sc_body(t, m), m->len);
        for (uint32_t e = c + 1; m->kind == SC_ARRAY && e < last;
             e += t->nodes[e].span)
            if (t->nodes[e].kind == SC_STRING && t->nodes[e].len > 0)
                say_old_field(s, t, i, e, &old);
    }
    elsewhere = s->missing > old.left ? s->missing - old.left : 0;
    elsewhere = elsewhere < old.unnamed ? elsewhere : old.unnamed;
    s->missing += missing;
    return old.count - old.left - elsewhere;
}

/* Say where all of the record i is to be had, if that can be said in short. */
static void put_more(struct sc_tree *t, uint32_t i, const sc_words *words,
                     struct sc_out *out)
{
    uint32_t way[POINTER_LEVELS_MAX];
    uint32_t root = sc_tree_root(t);
    size_t levels = 0, len = 0;

    for (; i != root; i = t->nodes[i].parent) {
        const struct sc_node *n = &t->nodes[i];
        len += n->member ? n->key_len : 1;
        if (levels == POINTER_LEVELS_MAX || len > POINTER_LEN_MAX ||
            (!n->member && n->number == UINT32_MAX))
            return;
        way[levels++] = i;
    }
    out_word(out, words->mark_more);
    while (levels-- > 0) {
        const struct sc_node *n = &t->nodes[way[levels]];
        out_byte(out, '/');
        if (n->member)
            out_token(out, sc_key(t, n), n->key_len);
        else
            out_number(out, n->number);
    }
    out_byte(out, '"');
}

void sc_put_mark(struct sc_tree *t, uint32_t i, const sc_words *words,
                 struct sc_out *out)
{
    uint32_t old = sc_old_mark(t, i, words);
    bool names = sc_names_missing(t, i);
    uint64_t missing = t->nodes[i].total - sc_shown_kept(t, i);
    struct saying s = {out, words, 0, names ? 0 : missing};
    uint32_t end = i + t->nodes[i].span;
    uint64_t least = 0;

    out_word(out, words->mark);
    for (uint32_t c = i + 1; c < end; c += t->nodes[c].span) {
        const struct sc_node *m = &t->nodes[c];
        if (c != old && (sc_shown(t, c) ? sc_shown_dirty(t, c)
                                        : names && sc_is_named_gap(t, c)))
            say_field(&s, sc_key(t, m), m->key_len);
    }
    if (old != SC_NONE)
        least = say_old(&s, t, i, old);
    end_fields(&s, least);
    if (s.missing) {
        out_word(out, words->mark_omitted);
        out_number(out, s.missing);
    }
    if (words->mark_more.len)
        put_more(t, i, words, out);
    out_word(out, words->mark_end);
}

bool sc_has_siblings(const struct sc_tree *t, uint32_t i)
{
    const struct sc_node *n = &t->nodes[i];

    return n->kind == SC_ARRAY && n->member && sc_shown_kept(t, i) < n->total &&
           t->nodes[n->parent].total <= SIBLING_MEMBERS_MAX;
}

/* Is c a member whose key is [prefix's key, underscore,] word, and so many
   underscores? word is quoted. */
static bool is_key(const struct sc_tree *t, uint32_t c,
                   const struct sc_node *prefix, sc_bytes word, size_t more)
{
    const struct sc_node *m = &t->nodes[c];
    const uint8_t *key = sc_key(t, m);
    size_t before = prefix ? prefix->key_len + 1 : 0;
    size_t len = word.len - 2;

    if (!m->key_known || m->key_len != before + len + more)
        return false;
    for (size_t k = m->key_len - more; k < m->key_len; k++)
        if (key[k] != '_')
            return false;
    if (prefix && (memcmp(key, sc_key(t, prefix), before - 1) != 0 ||
                   key[before - 1] != '_'))
        return false;
    return memcmp(key + before, word.data + 1, len) == 0;
}

static bool taken(const struct sc_tree *t, uint32_t object,
                  const struct sc_node *prefix, sc_bytes word, size_t more)
{
    uint32_t end = object + t->nodes[object].span;

    for (uint32_t c = object + 1; c < end; c += t->nodes[c].span)
        if (is_key(t, c, prefix, word, more))
            return true;
    return false;
}

/* How many cut arrays of the same key stand before the array i, and have taken
   a name each. */
static uint32_t namesakes(struct sc_tree *t, uint32_t i)
{
    const struct sc_node *n = &t->nodes[i];
    uint32_t count = 0;

    for (uint32_t c = n->parent + 1; c < i; c += t->nodes[c].span) {
        const struct sc_node *m = &t->nodes[c];
        count += sc_shown(t, c) && sc_has_siblings(t, c) &&
                 m->key_len == n->key_len &&
                 memcmp(sc_key(t, m), sc_key(t, n), n->key_len) == 0;
    }
    return count;
}

/* Write one key: plain, or with the array's own key before it and, after it, as
   many underscores as make it free. */
static void put_sibling_key(struct sc_tree *t, uint32_t i, bool plain,
                            sc_bytes word, struct sc_out *out)
{
    const struct sc_node *n = &t->nodes[i];

    out_put(out, ",\"", 2);
    if (!plain) {
        out_put(out, sc_key(t, n), n->key_len);
        out_byte(out, '_');
    }
    out_put(out, word.data + 1, word.len - 2);
    if (!plain) {
        uint32_t skip = namesakes(t, i);
        size_t more = 0;
        while (taken(t, n->parent, n, word, more) || skip-- > 0) {
            out_byte(out, '_');
            more++;
        }
    }
    out_put(out, "\":", 2);
}

void sc_put_siblings(struct sc_tree *t, uint32_t i, const sc_words *words,
                     struct sc_out *out)
{
    const struct sc_node *n = &t->nodes[i];
    uint32_t object = n->parent;
    uint32_t end = object + t->nodes[object].span;
    uint32_t arrays = 0;
    uint64_t kept = sc_shown_kept(t, i);
    bool plain;

    for (uint32_t c = object + 1; c < end; c += t->nodes[c].span)
        arrays += sc_shown(t, c) && sc_has_siblings(t, c);
    plain = arrays == 1 && !taken(t, object, NULL, words->sibling_total, 0) &&
            !taken(t, object, NULL, words->sibling_omitted, 0) &&
            !taken(t, object, NULL, words->sibling_note, 0);
    put_sibling_key(t, i, plain, words->sibling_total, out);
    out_number(out, n->total);
    put_sibling_key(t, i, plain, words->sibling_omitted, out);
    out_number(out, n->total - kept);
    if (words->sibling_text.len && plain) {
        put_sibling_key(t, i, plain, words->sibling_note, out);
        out_word(out, words->sibling_text);
    }
}

void sc_put_marks(struct sc_tree *t, const sc_words *words, struct sc_out *out,
                  struct sc_out *hidden)
{
    uint32_t root = sc_tree_root(t);
    uint32_t end = root + t->nodes[root].span;

    if (words->report == SC_DETACHED || !sc_shown_dirty(t, root))
        return;
    for (uint32_t i = root; i < end;) {
        bool shown = i == root || sc_shown(t, i);
        if (!shown) {
            i = sc_past(t, i);
        } else if (!sc_shown_dirty(t, i)) {
            i += t->nodes[i].span;
        } else if (words->report == SC_INLINE && sc_is_marked(t, i)) {
            uint32_t old = sc_old_mark(t, i, words);
            sc_put_mark(t, i, words, out);
            if (sc_shown_kept(t, i))
                out_byte(out, ',');
            if (old != SC_NONE && sc_shown(t, old)) {
                hidden->len += sc_shown_size(t, old) +
                               sc_key_cost(&t->nodes[old]);
                hidden->chars += sc_shown_chars(t, old) +
                                 t->nodes[old].key_chars + 4;
            }
            i += t->nodes[i].span;
        } else {
            if (words->report == SC_SIBLINGS && sc_has_siblings(t, i))
                sc_put_siblings(t, i, words, out);
            i++;
        }
    }
}
