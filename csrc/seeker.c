/* seeker.c - finding places in a document without keeping any of it.
 *
 * The machine with hooks that count: the children at each open level, and the
 * characters of the string at hand. That is enough to say where a byte stands
 * (a border), and to go on from there without having read what is before it.
 *
 *   {"rows":[{"id":7},{"id":8,"text":"abcdef"}]}
 *           1         2               3
 *
 *   1   numbers 0 0 0         the line, the member "rows", the element
 *   2   numbers 0 0 1
 *   3   numbers 0 0 1 1 3     three characters into the string
 *
 * Borders are noted at the first comma, or piece of text, in each cell of a
 * grid of bytes, and at the end of what has many cells, so that it need not be
 * read to be counted. When there are too many, the grid doubles and every other
 * one goes.
 */
#include <stdlib.h>
#include <string.h>

#include "lex/lex.h"
#include "lex/lex_steps.h"

#define LONG_CELLS 4 /* the end of what is so long is noted */

struct sc_seeker {
    struct sc_lex lex;
    uint8_t *levels;  /* lex.is_object */
    uint64_t *counts; /* [0..max_depth]: children begun at each open level */
    uint64_t *begins; /* and where each began */
    uint64_t chars;   /* of the string at hand */
    uint64_t offset;
    uint64_t piece;   /* where the next piece of the string begins */
    uint16_t high;    /* half of a surrogate pair; 0: none */

    /* what is looked for */
    uint8_t target; /* enum sc_target */
    uint32_t level;
    uint64_t number;
    const uint8_t *key;
    size_t key_len;
    size_t matched; /* bytes of the key that the key at hand begins with */
    bool matches;   /* and has nothing else so far */
    bool between;   /* at the level no child is at hand: the last one has ended
                       at found.last */
    sc_found found;

    /* what is noted */
    sc_border *borders;
    size_t borders_count;
    size_t borders_capacity;
    size_t borders_max;
    uint64_t stride; /* 0: nothing is */
    uint64_t next;   /* the offset from which a border is wanted */
};

/* Make the grid coarser. */
static void thin(struct sc_seeker *s)
{
    uint64_t cell = UINT64_MAX;
    size_t kept = 0;

    s->stride *= 2;
    for (size_t i = 0; i < s->borders_count; i++) {
        if (s->borders[i].offset / s->stride == cell)
            continue;
        cell = s->borders[i].offset / s->stride;
        s->borders[kept++] = s->borders[i];
    }
    s->borders_count = kept;
}

/* Note a border at an offset. Short of memory there are only fewer of them. */
static void note(struct sc_seeker *s, uint32_t depth, uint64_t offset,
                 bool text)
{
    sc_border *b;

    if (depth + text >= SC_BORDER_LEVELS)
        return;
    if (s->borders_count == s->borders_capacity) {
        size_t wanted = s->borders_capacity ? 2 * s->borders_capacity : 64;
        sc_border *grown = realloc(s->borders, wanted * sizeof *grown);
        if (!grown)
            return;
        s->borders = grown;
        s->borders_capacity = wanted;
    }
    b = &s->borders[s->borders_count++];
    memset(b, 0, sizeof *b);
    b->offset = offset;
    b->levels = depth + 1 + text;
    b->text = text;
    for (uint32_t k = 0; k <= depth; k++) {
        b->numbers[k] = s->counts[k] - (k < depth || text);
        if (k > 0 && s->levels[k])
            b->objects |= UINT32_C(1) << k;
    }
    if (text)
        b->numbers[depth + 1] = s->chars;
    while (s->borders_count >= s->borders_max)
        thin(s);
    s->next = (offset / s->stride + 1) * s->stride;
}

static bool is_due(const struct sc_seeker *s, uint64_t offset)
{
    return s->stride && offset >= s->next;
}

static void find(struct sc_seeker *s, uint64_t number, uint64_t at)
{
    s->found.kind = SC_FOUND;
    s->found.number = number;
    s->found.at = at;
}

/* May the next byte begin a child at this level? */
static bool is_between(const struct sc_seeker *s, uint32_t level)
{
    unsigned state = s->lex.state;

    return s->lex.depth == level &&
           (state == LEX_VALUE || state == LEX_FIRST_ITEM ||
            state == LEX_FIRST_KEY || state == LEX_KEY);
}

/* A child begins. */
static void on_value(struct sc_seeker *s, uint32_t depth, uint64_t at)
{
    uint64_t number = s->counts[depth];

    if (depth == 0 && number > 0 && is_due(s, at))
        note(s, 0, at, false);
    s->counts[depth]++;
    if (depth != s->level || s->target == SC_THE_END ||
        s->target == SC_CHARACTER)
        return;
    s->between = false;
    if (depth == 0)
        s->found.last = at;
    if (depth == 0 || !s->levels[depth])
        s->found.begin = at;
    if (s->target == SC_NEXT ||
        (s->target == SC_NUMBER && number == s->number) ||
        (s->target == SC_KEY && s->matches && s->matched == s->key_len))
        find(s, number, at);
}

static void on_open(struct sc_seeker *s, uint32_t depth, uint64_t after)
{
    s->counts[depth] = 0;
    s->begins[depth] = after;
    if (depth == s->level) {
        s->between = true;
        s->found.last = after;
    }
}

static void on_close(struct sc_seeker *s, uint32_t depth, uint64_t at)
{
    if (s->stride && at - s->begins[depth + 1] >= LONG_CELLS * s->stride)
        note(s, depth + 1, at, false);
    if (s->target == SC_THE_END || s->target == SC_CHARACTER ||
        depth + 1 != s->level)
        return;
    s->found.kind = SC_FOUND_CLOSED;
    s->found.number = s->counts[s->level];
    s->found.begin = s->found.at = s->found.last = at;
}

static void on_comma(struct sc_seeker *s, uint32_t depth, uint64_t after)
{
    if (depth == s->level) {
        s->between = true;
        s->found.last = after - 1;
    }
    if (is_due(s, after))
        note(s, depth, after, false);
}

static void on_string(struct sc_seeker *s, uint32_t depth, bool key,
                      uint64_t after)
{
    s->high = 0;
    s->chars = 0;
    s->piece = after;
    if (key && depth == s->level) {
        s->found.begin = after - 1;
        s->matched = 0;
        s->matches = true;
    }
}

/* The key at hand goes on with these bytes. */
static void match(struct sc_seeker *s, const uint8_t *p, size_t len)
{
    if (len == 0)
        return;
    if (!s->matches || len > s->key_len - s->matched ||
        memcmp(s->key + s->matched, p, len) != 0)
        s->matches = false;
    else
        s->matched += len;
}

/* The same with a code point, which may be half of a surrogate pair. */
static void match_code(struct sc_seeker *s, uint32_t code)
{
    uint8_t out[4];
    size_t len = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;

    for (size_t k = len; k-- > 1; code >>= 6)
        out[k] = (uint8_t)(0x80 | (code & 0x3F));
    out[0] = (uint8_t)(len == 1 ? code : (0xF00 >> len & 0xFF) | code);
    match(s, out, len);
}

/* The half of a surrogate pair that waits turned out to be alone. */
static void flush_high(struct sc_seeker *s, bool key)
{
    if (s->high && key)
        match_code(s, s->high);
    s->high = 0;
}

/* Is a character of the string at hand looked for? */
static bool counts_to(const struct sc_seeker *s)
{
    return s->target == SC_CHARACTER;
}

static void on_text(struct sc_seeker *s, uint32_t depth, bool key,
                    const uint8_t *from, const uint8_t *to, bool ascii,
                    uint64_t after)
{
    size_t len = (size_t)(to - from);
    uint64_t at = after - len, chars;

    if (len == 0)
        return;
    flush_high(s, key);
    s->piece = after;
    if (key) {
        if (depth == s->level && s->target == SC_KEY)
            match(s, from, len);
        return;
    }
    if (is_due(s, at))
        note(s, depth, at, true);
    if (!s->stride && !counts_to(s))
        return;
    chars = ascii ? len : lex_count_chars(from, len);
    if (counts_to(s) && s->number - s->chars < chars) {
        for (uint64_t k = s->number - s->chars; k > 0; k--)
            do
                from++;
            while (lex_is_continuation(*from));
        find(s, s->number, after - (size_t)(to - from));
        s->found.last = s->found.at;
    }
    s->chars += chars;
}

static void on_unit(struct sc_seeker *s, uint32_t depth, bool key,
                    unsigned code, uint64_t after)
{
    uint64_t at = s->piece;
    bool low = code >= 0xDC00 && code < 0xE000;
    bool pair = s->high && low;

    s->piece = after;
    if (key && depth == s->level && s->target == SC_KEY) {
        if (pair)
            match_code(s, 0x10000 + ((s->high - 0xD800u) << 10) +
                              (code - 0xDC00));
        else
            flush_high(s, true);
    }
    if (!key && !pair) {
        if (is_due(s, at))
            note(s, depth, at, true);
        if (counts_to(s) && s->chars == s->number)
            find(s, s->number, s->found.last = at);
        s->chars++;
    }
    s->high = code >= 0xD800 && code < 0xDC00 ? (uint16_t)code : 0;
    if (key && !s->high && !pair && depth == s->level && s->target == SC_KEY)
        match_code(s, code);
}

static void on_string_end(struct sc_seeker *s, uint32_t depth, bool key,
                          uint64_t after)
{
    flush_high(s, key && depth == s->level && s->target == SC_KEY);
    if (key || !counts_to(s))
        return;
    s->found.kind = SC_FOUND_CLOSED;
    s->found.number = s->chars;
    s->found.begin = s->found.at = s->found.last = after - 1;
}

#define AT(p) (s->offset + (uint64_t)((p) - data))

#define MACHINE run
#define MACHINE_ARGS , struct sc_seeker *s, const uint8_t *data
#define ON_VALUE() on_value(s, depth, AT(p))
#define ON_OPEN(object) on_open(s, depth, AT(p))
#define ON_CLOSE() on_close(s, depth, AT(p) - 1)
#define ON_COMMA() on_comma(s, depth, AT(p))
#define ON_STRING() on_string(s, depth, lex->in_key, AT(p))
#define ON_TEXT(from, to, ascii)                                               \
    on_text(s, depth, lex->in_key, from, to, ascii, AT(p))
#define ON_UNIT(code) on_unit(s, depth, lex->in_key, code, AT(p))
#define ON_STRING_END() on_string_end(s, depth, lex->in_key, AT(p))
#define STRINGS_AT_ONCE 0 /* one may be looked for that is in a string */
#define ON_WHOLE_STRING(from, to, ascii) ((void)(ascii), false)
#define ON_SCALAR() (void)0
#define ON_DIGITS(from, to) (void)(from)
#define ON_SCALAR_END() (void)0
#define STOP (s->found.kind != SC_FOUND_NOTHING)
#include "lex/machine.inc"

sc_seeker *sc_seeker_new(uint32_t max_depth, uint8_t format)
{
    struct sc_seeker *s = calloc(1, sizeof *s);

    if (!s)
        return NULL;
    s->levels = calloc((size_t)max_depth + 1, 1);
    s->counts = calloc((size_t)max_depth + 1, sizeof *s->counts);
    s->begins = calloc((size_t)max_depth + 1, sizeof *s->begins);
    if (!s->levels || !s->counts || !s->begins) {
        sc_seeker_free(s);
        return NULL;
    }
    sc_lex_init(&s->lex, max_depth, format, s->levels);
    return s;
}

void sc_seeker_free(sc_seeker *s)
{
    if (!s)
        return;
    free(s->levels);
    free(s->counts);
    free(s->begins);
    free(s->borders);
    free(s);
}

void sc_seeker_note_borders(sc_seeker *s, uint64_t stride, size_t most)
{
    s->stride = s->next = stride;
    s->borders_max = most;
}

size_t sc_seeker_borders(const sc_seeker *s, const sc_border **borders)
{
    *borders = s->borders;
    return s->borders_count;
}

void sc_seeker_go(sc_seeker *s, const sc_border *border)
{
    uint32_t depth = border->levels - 1 - border->text;
    uint8_t format = s->lex.format;

    for (uint32_t k = 0; k <= depth; k++) {
        s->counts[k] = border->numbers[k] + (k < depth || border->text);
        s->levels[k] = border->objects >> k & 1;
    }
    sc_lex_init(&s->lex, s->lex.max_depth, format, s->levels);
    s->lex.depth = depth;
    s->lex.documents = s->counts[0];
    s->lex.state = border->text       ? LEX_STRING
                   : depth == 0       ? LEX_VALUE
                   : s->levels[depth] ? LEX_FIRST_KEY
                                      : LEX_FIRST_ITEM;
    s->chars = border->text ? border->numbers[depth + 1] : 0;
    s->high = 0;
    s->piece = s->offset = border->offset;
    memset(&s->found, 0, sizeof s->found);
}

void sc_seeker_look(sc_seeker *s, uint8_t target, uint32_t level,
                    uint64_t number, const uint8_t *key, size_t key_len)
{
    s->target = target;
    s->level = level;
    s->number = number;
    s->key = key;
    s->key_len = key_len;
    s->matches = false;
    s->found.kind = SC_FOUND_NOTHING;
    s->between = is_between(s, level);
    s->found.last = s->offset;
}

int sc_seeker_feed(sc_seeker *s, const uint8_t *data, size_t len,
                   size_t *taken, sc_found *found)
{
    const uint8_t *p = data, *end = data + len;

    /* In pieces that end where a border is wanted: one of text then begins
       there. */
    while (p < end && !s->lex.status && !s->found.kind) {
        const uint8_t *begin = p, *stop = end;
        uint64_t most = s->next > s->offset ? s->next - s->offset : s->stride;
        if (s->stride && most < (uint64_t)(end - p))
            stop = p + most;
        p = run(&s->lex, p, stop, s, begin);
        s->offset += (uint64_t)(p - begin);
    }
    *taken = (size_t)(p - data);
    *found = s->found;
    return s->lex.status;
}

uint64_t sc_seeker_offset(const sc_seeker *s)
{
    return s->offset - (s->lex.status ? s->lex.back : 0);
}

uint64_t sc_seeker_whole(const sc_seeker *s)
{
    if (s->target == SC_CHARACTER)
        return s->piece;
    return s->between ? s->found.last : s->offset;
}

uint64_t sc_seeker_count(const sc_seeker *s, uint32_t level)
{
    return s->counts[level];
}

uint64_t sc_seeker_chars(const sc_seeker *s)
{
    return s->chars;
}
