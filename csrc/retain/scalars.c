/* scalars.c - adding keys, strings, numbers and literals to the retained tree,
 * piece by piece and in their squeezed form.
 */
#include <string.h>

#include "retain/append.h"
#include "lex/lex_steps.h"

/* Keys longer than any room are only counted, up to here. */
#define KEY_LEN_MAX (UINT32_MAX / 4)

/* A piece of a key or string. */
struct piece {
    const uint8_t *text;
    size_t len;
    uint64_t chars;  /* code points in it */
    uint64_t points; /* of the input that it stands for; an escape's is one */
    bool whole;      /* it may not be divided */
};

static void begin_key(struct sc_tree *t)
{
    t->has_key = t->key_known = true;
    t->key_len = t->key_chars = 0;
}

/* Add to the key that is being read. Beyond the room only its length counts. */
static void put_key(struct sc_tree *t, const struct piece *piece)
{
    size_t len = piece->len;

    if (t->key_known && len > t->room - t->key_len) {
        t->key_known = false;
        t->heap_len -= t->key_len;
    }
    if (t->key_known) {
        if (sc_tree_reserve(t, 0, len))
            return;
        memcpy(t->heap + t->heap_len, piece->text, len);
        t->heap_len += len;
        t->key_chars += (uint32_t)piece->chars;
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
    sc_tree_measure_from(t, from);
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

/* Add to the open string. */
static void append_piece(struct sc_tree *t, const struct piece *piece)
{
    struct sc_node *n = &t->nodes[t->text];

    if (sc_tree_reserve(t, 0, piece->len))
        return;
    memcpy(t->heap + t->heap_len, piece->text, piece->len);
    t->heap_len += piece->len;
    n->len += (uint32_t)piece->len;
    n->size += (uint32_t)piece->len;
    n->chars += (uint32_t)piece->chars;
    n->points += piece->points;
    n->total = n->points;
    t->live += piece->len;
}

/* Something was added to the open string: it may be too much. */
static void weigh_string(struct sc_tree *t)
{
    const struct sc_node *n = &t->nodes[t->text];

    if (t->max_string_chars && n->points > t->max_string_chars &&
        n->points >= SC_ATOM_CHARS)
        cap_string(t);
    else if (t->stripped && sc_is_long_atom(t, n))
        sc_tree_drop_text(t);
    if (t->text == SC_NONE || !sc_tree_near_cap(t, n))
        sc_tree_relieve(t);
}

/* Take from a piece what there is up to the character that goes past the
   bound. */
static struct piece take_to_bound(const struct sc_tree *t, struct piece *rest)
{
    struct piece part = *rest;

    part.len = t->live < t->bound ? (size_t)(t->bound - t->live) + 1 : 1;
    while (part.len < rest->len && lex_is_continuation(part.text[part.len]))
        part.len++;
    part.chars = part.points = lex_count_chars(part.text, part.len);
    rest->text += part.len;
    rest->len -= part.len;
    rest->chars -= part.chars;
    rest->points -= part.points;
    return part;
}

/* Add a piece to the open string, in parts if need be, so that what is given up
   never depends on how the input was chunked. */
static void put_string(struct sc_tree *t, struct piece *rest)
{
    while (rest->len && t->text != SC_NONE && !t->status && !t->stopped) {
        struct sc_node *n = &t->nodes[t->text];

        if (n->flags & (SC_CUT | SC_CAPPED)) {
            n->total += rest->points;
            return;
        }
        if (rest->whole || t->live + rest->len <= t->bound) {
            append_piece(t, rest);
            rest->len = 0;
        } else {
            struct piece part = take_to_bound(t, rest);
            append_piece(t, &part);
        }
        if (!t->status)
            weigh_string(t);
    }
}

static void put(struct sc_tree *t, struct piece *piece, bool key)
{
    if (key)
        put_key(t, piece);
    else
        put_string(t, piece);
}

/* Write one character the way a squeezed string has it. */
static void put_code(struct sc_tree *t, uint32_t code, bool key)
{
    static const char hex[] = "0123456789abcdef";
    static const char shorts[] = "btn?fr"; /* from \b, 8, to \r, 13 */
    uint8_t out[6];
    struct piece piece = {.text = out, .points = 1, .whole = true};
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
    piece.len = len;
    piece.chars = code < 0x80 || out[0] == '\\' ? len : 1;
    put(t, &piece, key);
}

/* The half of a surrogate pair that waits turned out to be alone. */
static void flush_high(struct sc_tree *t, bool key)
{
    uint32_t high = t->high;

    t->high = 0;
    put_code(t, high, key);
}

void sc_tree_string(struct sc_tree *t, bool key)
{
    t->high = 0; /* of a string whose end the kernel has read */
    if (key) {
        begin_key(t);
        return;
    }
    t->text = sc_tree_begin(t, SC_STRING);
    if (t->text != SC_NONE)
        sc_tree_relieve(t);
}

void sc_tree_text(struct sc_tree *t, const uint8_t *from, const uint8_t *to,
                  bool ascii, bool key)
{
    struct piece piece = {.text = from, .len = (size_t)(to - from)};

    if (from == to)
        return;
    piece.chars = ascii ? piece.len : lex_count_chars(from, piece.len);
    piece.points = piece.chars;
    if (t->high)
        flush_high(t, key);
    put(t, &piece, key);
}

void sc_tree_unit(struct sc_tree *t, unsigned code, bool key)
{
    if (t->high && code >= 0xDC00 && code < 0xE000) {
        uint32_t high = t->high;
        t->high = 0;
        put_code(t, 0x10000 + ((high - 0xD800) << 10) + (code - 0xDC00), key);
        return;
    }
    if (t->high)
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
    sc_tree_relieve(t);
    i = t->text; /* where it is now, if it still is */
    t->text = SC_NONE;
    if (i != SC_NONE)
        sc_tree_complete(t, i);
}

void sc_tree_string_end(struct sc_tree *t, bool key)
{
    if (t->high)
        flush_high(t, key);
    if (key || t->text == SC_NONE)
        return;
    if (t->max_string_chars &&
        t->nodes[t->text].points > t->max_string_chars)
        cap_string(t);
    end_text(t);
}

/* A string or key that is all there, with no escapes; false: its parts have to
   be looked at as they come. */
bool sc_tree_whole_string(struct sc_tree *t, const uint8_t *from,
                          const uint8_t *to, bool ascii, bool key)
{
    struct piece piece = {.text = from, .len = (size_t)(to - from)};
    uint64_t beside = (uint64_t)t->key_len + 8; /* at most: signs, quotes */

    if (!key && (t->max_string_chars ||
                 t->live + piece.len + beside > t->bound ||
                 (t->stripped && piece.len + 2 > SC_LONG_ATOM)))
        return false;
    piece.chars = ascii ? piece.len : lex_count_chars(from, piece.len);
    piece.points = piece.chars;
    t->high = 0;
    if (key) {
        begin_key(t);
        put_key(t, &piece);
        return true;
    }
    t->text = sc_tree_begin(t, SC_STRING);
    if (t->text != SC_NONE) {
        append_piece(t, &piece);
        end_text(t);
    }
    return true;
}

void sc_tree_scalar(struct sc_tree *t)
{
    t->text = sc_tree_begin(t, SC_PLAIN);
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
