/* clipper.c - the public interface: feed, finish, fit, put.
 *
 * bytes -> walk (grammar) -> tree (retained) -> fit (view, lines) -> render
 *                        \-> kernel (the rest: validated and counted)
 */
#include <stdlib.h>
#include <string.h>

#include "report/cursors.h"
#include "report/fit.h"
#include "kernels/kernel.h"
#include "report/render.h"
#include "retain/walk.h"

/* Of JSON as it mostly is, for the first guess. */
#define BYTES_PER_NODE 16

static const uint8_t bom[3] = {0xEF, 0xBB, 0xBF};

struct sc_clipper {
    struct sc_lex lex;
    struct sc_tree tree;
    struct sc_lines lines;
    const sc_words *words; /* of the present view; NULL: there is none */
    sc_fitted fitted;      /* and what it came to */
    uint32_t gap;          /* the cursor whose path belongs to that */
    bool has_cursor, cursors_sought;
    uint8_t *levels;
    /* our copies of the options' texts, the bytes behind them */
    sc_bytes *pointer, *fields, *drop;
    uint64_t offset;
    int status;
    uint8_t bom_seen; /* bytes of a byte order mark; 4: past it */
    bool finished;
    bool cut_short;
};

/* Copy texts into one block, the bytes behind them. */
static bool copy_texts(sc_bytes **copy, const sc_bytes *texts, size_t len)
{
    size_t size = len * sizeof *texts;
    uint8_t *bytes;

    if (len == 0)
        return true;
    for (size_t i = 0; i < len; i++)
        size += texts[i].len;
    *copy = malloc(size);
    if (!*copy)
        return false;
    bytes = (uint8_t *)(*copy + len);
    for (size_t i = 0; i < len; i++) {
        (*copy)[i].data = bytes;
        (*copy)[i].len = texts[i].len;
        if (texts[i].len)
            memcpy(bytes, texts[i].data, texts[i].len);
        bytes += texts[i].len;
    }
    return true;
}

static bool copy_options(sc_clipper *c, const sc_options *o)
{
    if (!copy_texts(&c->pointer, o->pointer, o->pointer_len) ||
        !copy_texts(&c->fields, o->fields, o->fields_len) ||
        !copy_texts(&c->drop, o->drop, o->drop_len))
        return false;
    c->tree.pointer = c->pointer;
    c->tree.fields = c->fields;
    c->tree.drop = c->drop;
    return true;
}

sc_clipper *sc_clipper_new(const sc_options *options)
{
    sc_clipper *c = calloc(1, sizeof *c);

    if (!c)
        return NULL;
    c->levels = malloc(LEX_LEVELS(options->max_depth));
    if (!c->levels || sc_tree_init(&c->tree, options) ||
        !copy_options(c, options)) {
        sc_clipper_free(c);
        return NULL;
    }
    sc_lex_init(&c->lex, options->max_depth, options->format, c->levels);
    return c;
}

void sc_clipper_free(sc_clipper *c)
{
    if (!c)
        return;
    sc_tree_free(&c->tree);
    sc_lines_free(&c->lines);
    free(c->pointer);
    free(c->fields);
    free(c->drop);
    free(c->levels);
    free(c);
}

/* Take what belongs to a byte order mark; returns how much. */
static size_t skip_bom(uint8_t *seen, const uint8_t *data, size_t len,
                       int *status)
{
    size_t at = 0;

    while (*seen < 3 && at < len && data[at] == bom[*seen]) {
        (*seen)++;
        at++;
    }
    if (*seen > 0 && *seen < 3 && at < len)
        *status = SC_BAD_TOKEN;
    if (*seen == 3 || at < len)
        *seen = 4;
    return at;
}

/* Is a byte order mark begun and not ended? */
static bool in_bom(uint8_t seen)
{
    return seen == 1 || seen == 2;
}

/* Before the first bytes come: have memory for what there will be of them. */
static int make_room(struct sc_tree *t, size_t len)
{
    size_t most = len < t->bound ? len : (size_t)t->bound;

    return sc_tree_reserve(t, (uint32_t)(most / BYTES_PER_NODE), most);
}

int sc_clipper_feed(sc_clipper *c, const uint8_t *data, size_t len)
{
    size_t taken = 0;

    if (c->status || c->finished)
        return c->status ? c->status : SC_NOT_FINISHED;
    if (len == 0)
        return c->tree.stopped ? SC_ENOUGH : SC_OK; /* data may be NULL */
    if (c->bom_seen < 4) {
        taken = skip_bom(&c->bom_seen, data, len, &c->status);
        if (c->status) {
            c->offset = 0;
            return c->status;
        }
    }
    if (c->offset == 0)
        c->tree.status = make_room(&c->tree, len);
    taken += sc_walk(&c->lex, &c->tree, data + taken, len - taken);
    c->offset += taken;
    c->status = c->tree.status ? c->tree.status : c->lex.status;
    if (c->lex.status)
        c->offset -= c->lex.back;
    if (c->status)
        return c->status;
    return c->tree.stopped ? SC_ENOUGH : SC_OK;
}

void sc_clipper_expect_lines(sc_clipper *c)
{
    if (c->tree.nodes[0].total == 0 && !c->tree.jsonl) {
        c->lex.format = SC_FORMAT_JSONL;
        c->tree.jsonl = true;
        c->tree.live = 1;
    }
}

void sc_clipper_expect_number(sc_clipper *c, uint64_t number)
{
    c->tree.first = number - c->tree.nodes[sc_tree_root(&c->tree)].total;
}

bool sc_clipper_is_full(const sc_clipper *c)
{
    const struct sc_node *root = &c->tree.nodes[sc_tree_root(&c->tree)];

    if (root->kind == SC_STRING)
        return root->flags & (SC_CUT | SC_CAPPED);
    return root->flags &
           (SC_CLOSED | SC_CLOSED_LARGE | SC_CLOSED_SMALL | SC_CAPPED);
}

int sc_clipper_finish(sc_clipper *c, bool keep_incomplete)
{
    int status;

    if (c->status || c->finished)
        return c->status;
    if (c->lex.depth == 0 && lex_number_may_end(c->lex.state) &&
        !c->tree.stopped) {
        sc_tree_scalar_end(&c->tree);
        c->lex.state = LEX_AFTER;
    }
    status = c->tree.status        ? c->tree.status
             : in_bom(c->bom_seen) ? SC_INCOMPLETE
                                   : sc_lex_finish(&c->lex);
    c->cut_short = c->tree.stopped ||
                   (status == SC_INCOMPLETE && keep_incomplete &&
                    c->lex.documents > 0);
    if (status && !(c->cut_short && status == SC_INCOMPLETE))
        return c->status = status;
    sc_tree_cut_short(&c->tree);
    sc_tree_settle(&c->tree);
    c->finished = true;
    return c->status = c->tree.status;
}

uint64_t sc_clipper_offset(const sc_clipper *c)
{
    return c->offset;
}

bool sc_clipper_cut_short(const sc_clipper *c)
{
    return c->cut_short;
}

bool sc_clipper_stopped(const sc_clipper *c)
{
    return c->tree.stopped;
}

uint64_t sc_clipper_documents(const sc_clipper *c)
{
    return c->lex.documents;
}

bool sc_clipper_is_jsonl(const sc_clipper *c)
{
    return c->tree.jsonl;
}

bool sc_clipper_deselected(const sc_clipper *c)
{
    return c->tree.deselected;
}

bool sc_clipper_key_taken(const sc_clipper *c, const sc_words *words)
{
    const uint8_t *key = words->mark.data + 1;
    const uint8_t *end = memchr(key, '"', words->mark.len - 1);

    for (uint32_t i = 1; i < c->tree.count; i++) {
        const struct sc_node *n = &c->tree.nodes[i];
        if (n->key_known && n->key_len == (size_t)(end - key) &&
            memcmp(sc_key(&c->tree, n), key, n->key_len) == 0 &&
            sc_old_mark(&c->tree, n->parent, words) != i)
            return true;
    }
    return false;
}

/* Start a new view; SC_OK if that is possible now. */
static int begin_fit(sc_clipper *c, const sc_words *words, struct sc_fit *f,
                     sc_fitted *fitted)
{
    memset(fitted, 0, sizeof *fitted);
    memset(f, 0, sizeof *f);
    c->words = NULL;
    if (c->status)
        return c->status;
    if (!c->finished)
        return SC_NOT_FINISHED;
    f->tree = &c->tree;
    f->lines = &c->lines;
    f->words = words;
    f->cut_short = c->cut_short;
    /* once: what a text needs is not to depend on earlier fits */
    if (!c->cursors_sought)
        c->has_cursor = sc_has_cursor(&c->tree, words);
    c->cursors_sought = true;
    f->has_cursor = c->has_cursor;
    return SC_OK;
}

/* The view stands: put may be asked for. */
static int end_fit(sc_clipper *c, const struct sc_fit *f,
                   const sc_fitted *fitted, int status)
{
    if (!status) {
        c->words = f->words;
        c->fitted = *fitted;
        c->gap = f->gap;
    }
    return status;
}

int sc_clipper_fit(sc_clipper *c, const sc_words *words,
                   const sc_limits *limits, sc_fitted *fitted)
{
    struct sc_fit f;
    int status = begin_fit(c, words, &f, fitted);

    if (!status)
        status = sc_fit(&f, limits, fitted);
    return end_fit(c, &f, fitted, status);
}

int sc_clipper_view(sc_clipper *c, const sc_words *words, uint32_t room,
                    sc_fitted *fitted)
{
    struct sc_fit f;
    int status = begin_fit(c, words, &f, fitted);

    if (!status)
        status = sc_fit_at(&f, room, fitted);
    return end_fit(c, &f, fitted, status);
}

uint64_t sc_clipper_leading(sc_clipper *c)
{
    struct sc_tree *t = &c->tree;
    uint32_t root = sc_tree_root(t);
    uint32_t end = root + t->nodes[root].span;
    uint64_t count = 0;

    for (uint32_t i = root + 1; c->words && i < end; i += t->nodes[i].span) {
        if (!sc_shown(t, i) || t->nodes[i].number != t->first + count)
            break;
        count++;
    }
    return count;
}

/* Write the report's lines, and where each ends. */
static void put_lines(sc_clipper *c, struct sc_out *out, size_t *ends)
{
    size_t begin = out->len;

    for (size_t i = 0; i < c->lines.count; i++) {
        if (i > 0)
            out_byte(out, ',');
        sc_line_put(&c->lines, &c->lines.lines[i], &c->tree, c->words, out);
        ends[i] = out->len - begin;
    }
}

int sc_clipper_put(sc_clipper *c, uint8_t *out, size_t len, size_t *ends,
                   size_t count)
{
    const sc_fitted *f = &c->fitted;
    size_t size = f->data_len + f->lines_len + f->gap_len;
    struct sc_out to = {out, len, 0, 0};

    if (!c->words || size > len || f->lines > count)
        return SC_NOT_FINISHED;
    sc_render(&c->tree, c->words, &to, NULL);
    put_lines(c, &to, ends);
    if (c->gap != SC_NONE)
        sc_put_cursor(&c->tree, c->gap, &to);
    return to.len == size ? SC_OK : SC_NOT_FINISHED;
}

int sc_clipper_cursor_gap(sc_clipper *c, const sc_bytes *arrays, size_t count,
                          uint8_t out[SC_GAP_MAX], size_t *gap_len)
{
    struct sc_out to = {out, SC_GAP_MAX, 0, 0};
    sc_bytes *sorted;
    uint32_t gap;

    *gap_len = 0;
    if (!c->words || !c->has_cursor || count == 0)
        return SC_OK;
    sorted = malloc(count * sizeof *sorted);
    if (!sorted)
        return SC_NO_MEMORY;
    memcpy(sorted, arrays, count * sizeof *sorted);
    gap = sc_find_cursor_gap(&c->tree, c->words, sorted, count);
    if (gap != SC_NONE)
        sc_put_cursor(&c->tree, gap, &to);
    *gap_len = to.len;
    free(sorted);
    return SC_OK;
}

/* The line of unit chars for a position; SIZE_MAX: it is not told. */
static size_t line_at(const sc_clipper *c, size_t position)
{
    for (size_t k = 0; k < c->lines.count; k++)
        if (c->lines.lines[k].position == position &&
            c->lines.lines[k].unit == SC_CHARS)
            return k;
    return SIZE_MAX;
}

size_t sc_clipper_cut_strings(sc_clipper *c, sc_cut_string *strings,
                              size_t count)
{
    struct sc_out nowhere = {NULL, 0, 0, 0};
    struct sc_strings found = {strings, 0, count};

    if (!c->words)
        return 0;
    sc_render(&c->tree, c->words, &nowhere, &found);
    for (size_t k = 0; k < found.count; k++)
        strings[k].line = line_at(c, strings[k].line);
    return found.count;
}

int sc_clip(const sc_options *options, const sc_words *words,
            const sc_limits *limits, const uint8_t *data, size_t data_len,
            sc_fitted *fitted, uint8_t *out, size_t len, size_t *ends,
            size_t count)
{
    sc_clipper *c = sc_clipper_new(options);
    int status = c ? sc_clipper_feed(c, data, data_len) : SC_NO_MEMORY;

    if (!status)
        status = sc_clipper_finish(c, false);
    if (!status && (c->tree.jsonl || sc_clipper_key_taken(c, words)))
        status = SC_NOT_FINISHED;
    if (!status)
        status = sc_clipper_fit(c, words, limits, fitted);
    if (!status)
        status = sc_clipper_put(c, out, len, ends, count);
    sc_clipper_free(c);
    return status;
}

int64_t sc_check(const uint8_t *data, size_t len, uint32_t max_depth,
                 uint8_t format, uint64_t *offset)
{
    uint8_t few[2048]; /* enough for most; a deeper limit takes memory */
    size_t count_levels = LEX_LEVELS(max_depth);
    uint8_t *levels = count_levels <= sizeof few ? few : malloc(count_levels);
    struct sc_lex lex;
    uint64_t count = 0, wrong = 0;
    uint8_t seen = 0;
    int status = SC_OK;
    size_t at;

    if (!levels)
        return SC_NO_MEMORY;
    sc_lex_init(&lex, max_depth, format, levels);
    at = skip_bom(&seen, data, len, &status);
    if (!status) {
        if (at < len) /* else data may be NULL */
            at += sc_kernel_get()->skip(&lex, data + at, len - at, 0, &count);
        wrong = at - lex.back;
        status = lex.status           ? lex.status
                 : in_bom(seen) ? SC_INCOMPLETE
                                : sc_lex_finish(&lex);
    }
    if (levels != few)
        free(levels);
    if (offset)
        *offset = wrong;
    return status ? status : (int64_t)lex.documents;
}
