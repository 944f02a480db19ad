/* fit.c - measuring views and choosing among them: docs/semantics.md,
 * section 7.
 *
 * What a text needs at a room follows from the room alone, never from the
 * budget. So a larger budget takes, at every step of the bisection, at least
 * the turns that a smaller one takes, and never ends at a smaller room.
 */
#include "fit.h"

#include "render.h"

#define FIRST_STEP (UINT32_C(1) << 29)

#define LINES_MAX 8     /* lines that are reserved for */
#define LINES_ROOM 160  /* and bytes, or a fifth of the room */
#define NOTE_ROOM 400   /* from this room on there is a note */

struct need {
    uint64_t bytes;
    uint64_t chars;
};

/* How much of the report a text must have. */
enum report { REPORT_FULL, REPORT_LEAST };

static bool within(struct need need, const sc_limits *limits)
{
    return need.bytes <= limits->max_bytes && need.chars <= limits->max_chars;
}

static bool is_complete(const struct sc_fit *f)
{
    return !f->cut_short && !sc_shown_dirty(f->tree, sc_tree_root(f->tree));
}

/* How many bytes the lines together, and the selection, may need at most. */
static size_t lines_room(uint32_t room)
{
    return room / 5 > LINES_ROOM ? room / 5 : LINES_ROOM;
}

/* Add the lines that are told at this room. */
static void add_lines(const struct sc_fit *f, uint32_t room, struct need *need)
{
    const struct sc_lines *l = f->lines;
    size_t limit = lines_room(room);
    struct sc_out out = {NULL, 0, 0, 0};
    size_t i;

    for (i = 0; i < l->count && i < LINES_MAX; i++) {
        struct sc_out with = out;
        if (i > 0)
            out_byte(&with, ',');
        sc_line_put(&l->lines[i], f->tree, f->words, &with);
        if (with.len > limit)
            break;
        out = with;
    }
    need->bytes += out.len;
    need->chars += out.chars;
    if (i < l->count || l->untold) {
        need->bytes += f->words->more_bytes;
        need->chars += f->words->more_bytes;
    }
}

/* Is room set aside for the selection? Where something is cut it does not
   depend on whether anything was deselected, which a part that was only counted
   does not tell: a larger budget, which reads more, must not need more. A view
   with no cut sets nothing aside: all that was asked for comes first. */
static bool tells_selection(const sc_words *words, uint32_t room)
{
    return words->selection_bytes > 0 &&
           words->selection_bytes <= lines_room(room);
}

/* Is room set aside for the note? Not for one that would take most of it. */
static bool has_note(const struct sc_fit *f, uint32_t room)
{
    return room >= NOTE_ROOM && room / 4 >= f->words->note_bytes;
}

/* Add the note, which is about the first line. */
static void add_note(const struct sc_fit *f, struct need *need)
{
    const sc_words *words = f->words;
    struct sc_out numbers = {NULL, 0, 0, 0};

    need->bytes += words->note_bytes;
    need->chars += words->note_chars;
    if (f->lines->count == 0 || words->note_numbers == 0)
        return;
    out_number(&numbers, f->lines->lines[0].total - f->lines->lines[0].kept);
    if (words->note_numbers > 1)
        out_number(&numbers, f->lines->lines[0].total);
    need->bytes += numbers.len;
    need->chars += numbers.len;
    need->bytes += words->note_unit_bytes[f->lines->lines[0].unit];
    need->chars += words->note_unit_chars[f->lines->lines[0].unit];
}

/* What the present view needs with its report. Past the limits it is not
   worked out to the end. */
static int need_now(const struct sc_fit *f, uint32_t room, enum report report,
                    const sc_limits *limits, struct need *need)
{
    const sc_words *words = f->words;
    uint32_t root = sc_tree_root(f->tree);
    size_t bytes;

    sc_weigh(f->tree, words, &bytes, &need->chars);
    need->bytes = bytes;
    if (!within(*need, limits) || words->report == SC_DETACHED ||
        (is_complete(f) && !words->always))
        return SC_OK;
    need->bytes += words->frame_bytes;
    need->chars += words->frame_bytes;
    if (f->tree->nodes[root].kind != SC_OBJECT) {
        need->bytes += words->wrap_bytes;
        need->chars += words->wrap_bytes;
    }
    if (words->report != SC_INLINE)
        return SC_OK;
    if (report == REPORT_LEAST) {
        need->bytes += words->more_bytes;
        need->chars += words->more_bytes;
        return SC_OK;
    }
    if (sc_lines_find(f->lines, f->tree))
        return SC_NO_MEMORY;
    add_lines(f, room, need);
    if (tells_selection(words, room)) {
        need->bytes += words->selection_bytes;
        need->chars += words->selection_chars;
    }
    if (has_note(f, room))
        add_note(f, need);
    return SC_OK;
}

static int describe(struct sc_fit *f, uint32_t room, sc_fitted *fitted)
{
    struct sc_out out = {NULL, 0, 0, 0};
    uint32_t root = sc_tree_root(f->tree);
    uint64_t chars;

    fitted->room = room;
    fitted->complete = is_complete(f);
    fitted->note = has_note(f, room);
    fitted->selection = tells_selection(f->words, room);
    fitted->root_is_object = f->tree->nodes[root].kind == SC_OBJECT;
    sc_weigh(f->tree, f->words, &fitted->data_len, &chars);
    fitted->data_chars = (size_t)chars;
    if (sc_lines_find(f->lines, f->tree))
        return SC_NO_MEMORY;
    for (size_t i = 0; i < f->lines->count; i++) {
        if (i > 0)
            out_byte(&out, ',');
        sc_line_put(&f->lines->lines[i], f->tree, f->words, &out);
    }
    fitted->lines = f->lines->count;
    fitted->untold = f->lines->untold;
    fitted->lines_len = out.len;
    return SC_OK;
}

/* From now on something is left out, and long atoms are the first to go. */
static void strip(struct sc_tree *t)
{
    if (!t->stripped && sc_tree_strip(t))
        sc_tree_measure(t);
}

int sc_fit_at(struct sc_fit *f, uint32_t room, sc_fitted *fitted)
{
    if (room < f->tree->live)
        strip(f->tree);
    if (!sc_view(f->tree, room, false))
        return SC_TOO_SMALL;
    return describe(f, room, fitted);
}

/* The smallest room at which anything is kept; SC_ALL if there is none. */
static uint32_t least_room(struct sc_tree *t)
{
    uint32_t low = 0, high = t->room;

    if (!sc_view(t, high, false))
        return SC_ALL;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (sc_view(t, middle, false))
            high = middle;
        else
            low = middle;
    }
    return high;
}

/* The last resort: the least there is, with a report that only counts. `whole`
   is what the complete text would need. */
static int fit_least(struct sc_fit *f, const sc_limits *limits,
                     struct need whole, sc_fitted *fitted)
{
    const sc_limits none = {UINT64_MAX, UINT64_MAX};
    uint32_t room = least_room(f->tree);
    struct need need;
    int status;

    fitted->need_bytes = whole.bytes;
    fitted->need_chars = whole.chars;
    if (room == SC_ALL)
        return SC_TOO_SMALL;
    sc_view(f->tree, room, false);
    status = need_now(f, room, REPORT_LEAST, &none, &need);
    if (status)
        return status;
    if (!within(need, limits)) {
        if (whole.bytes <= need.bytes && whole.chars <= need.chars)
            need = whole; /* a report costs more than it saves */
        fitted->need_bytes = need.bytes;
        fitted->need_chars = need.chars;
        return SC_TOO_SMALL;
    }
    return describe(f, room, fitted);
}

int sc_fit(struct sc_fit *f, const sc_limits *limits, sc_fitted *fitted)
{
    struct sc_tree *t = f->tree;
    struct need need, whole = {UINT64_MAX, UINT64_MAX};
    uint32_t best = 0, most = t->room;
    int status;

    /* all that is there, as long as that may be all there was */
    if (sc_view(t, t->room, false)) {
        status = need_now(f, t->room, REPORT_FULL, limits, &need);
        if (status)
            return status;
        if (within(need, limits))
            return describe(f, t->room, fitted);
        if (is_complete(f))
            whole = need;
    }
    strip(t);
    /* with room for all of it, all of it is shown, and that was too much */
    if (whole.bytes != UINT64_MAX && t->live >= whole.bytes)
        most = t->live - 1;
    for (uint32_t step = FIRST_STEP; step > 0; step /= 2) {
        if (best + step > most)
            continue;
        if (!sc_view(t, best + step, false)) {
            best += step;
            continue;
        }
        status = need_now(f, best + step, REPORT_FULL, limits, &need);
        if (status)
            return status;
        if (within(need, limits))
            best += step;
    }
    if (best && sc_view(t, best, false))
        return describe(f, best, fitted);
    return fit_least(f, limits, whole, fitted);
}
