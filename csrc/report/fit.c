/* fit.c - measuring views and choosing among them: docs/semantics.md,
 * section 7.
 *
 * What a text needs at a room follows from the room alone, never from the
 * budget. So a larger budget takes, at every step of the bisection, at least
 * the turns that a smaller one takes, and never ends at a smaller room.
 */
#include "report/fit.h"

#include "report/cursors.h"
#include "report/render.h"

#define FIRST_STEP (UINT32_C(1) << 29)

#define LINES_MAX 8     /* lines that are reserved for */
#define LINES_ROOM 160  /* and bytes, or a fifth of the room */
#define NOTE_ROOM 400   /* from this room on there is a note */
#define NUMBER_LEN 20   /* of 64 bits, at most */

struct need {
    uint64_t bytes;
    uint64_t chars;
};

static bool within(struct need need, const sc_limits *limits)
{
    return need.bytes <= limits->max_bytes && need.chars <= limits->max_chars;
}

/* Take the view at a room, if it is not there yet. */
static bool view_at(struct sc_fit *f, uint32_t room)
{
    if (!f->viewed || f->room != room) {
        f->viewed = true;
        f->room = room;
        f->weighed = f->told = false;
        f->shows = sc_view(f->tree, room, false);
    }
    return f->shows;
}

static void weigh(struct sc_fit *f)
{
    if (!f->weighed)
        sc_weigh(f->tree, f->words, &f->bytes, &f->chars);
    f->weighed = true;
}

/* Find the lines of the view. SC_OK or SC_NO_MEMORY. */
static int find_lines(struct sc_fit *f)
{
    int status = f->told ? SC_OK : sc_lines_find(f->lines, f->tree);

    f->told = true;
    return status;
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
        sc_line_put(l, &l->lines[i], f->tree, f->words, &with);
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

/* The most that the lines, the selection and the note can add. */
static struct need most_report(const sc_words *words, uint32_t room)
{
    struct need most = {2 * NUMBER_LEN, 2 * NUMBER_LEN};
    size_t lines = lines_room(room) + words->more_bytes;

    for (int unit = 0; unit < SC_UNITS; unit++) {
        most.bytes += words->note_unit_bytes[unit];
        most.chars += words->note_unit_chars[unit];
    }
    most.bytes += lines + words->selection_bytes + words->note_bytes;
    most.chars += lines + words->selection_chars + words->note_chars;
    return most;
}

/* What the view needs without what its report says. */
static struct need need_around(struct sc_fit *f)
{
    const sc_words *words = f->words;
    uint32_t root = sc_tree_root(f->tree);
    uint32_t frame;
    struct need need;

    weigh(f);
    need.bytes = f->bytes;
    need.chars = f->chars;
    if (words->report == SC_DETACHED || (is_complete(f) && !words->always))
        return need;
    frame = words->frame_bytes + (f->has_cursor ? words->cursor_bytes : 0);
    need.bytes += frame;
    need.chars += frame;
    if (f->tree->nodes[root].kind != SC_OBJECT) {
        need.bytes += words->wrap_bytes;
        need.chars += words->wrap_bytes;
    }
    return need;
}

/* Add what the report says. SC_OK or SC_NO_MEMORY. */
static int add_report(struct sc_fit *f, struct need *need)
{
    const sc_words *words = f->words;

    if (find_lines(f))
        return SC_NO_MEMORY;
    add_lines(f, f->room, need);
    if (tells_selection(words, f->room)) {
        need->bytes += words->selection_bytes;
        need->chars += words->selection_chars;
    }
    if (has_note(f, f->room))
        add_note(f, need);
    return SC_OK;
}

/* Does the view have a report in the data? */
static bool is_reported(const struct sc_fit *f)
{
    return f->words->report == SC_INLINE &&
           (!is_complete(f) || f->words->always);
}

/* Does the view fit with its report? What it says is only worked out if that
   decides. SC_OK or SC_NO_MEMORY. */
static int try_view(struct sc_fit *f, const sc_limits *limits, bool *fits)
{
    struct need need = need_around(f);
    struct need most = most_report(f->words, f->room);

    *fits = within(need, limits);
    if (!*fits || !is_reported(f))
        return SC_OK;
    most.bytes += need.bytes;
    most.chars += need.chars;
    if (within(most, limits))
        return SC_OK;
    if (add_report(f, &need))
        return SC_NO_MEMORY;
    *fits = within(need, limits);
    return SC_OK;
}

/* Tell what the view came to. */
static int describe(struct sc_fit *f, sc_fitted *fitted)
{
    struct sc_out out = {NULL, 0, 0, 0}, gap = {NULL, 0, 0, 0};
    uint32_t root = sc_tree_root(f->tree);

    weigh(f);
    if (find_lines(f))
        return SC_NO_MEMORY;
    f->gap = f->has_cursor ? sc_find_cursor_gap(f->tree, f->words, NULL, 0)
                           : SC_NONE;
    for (size_t i = 0; i < f->lines->count; i++) {
        if (i > 0)
            out_byte(&out, ',');
        sc_line_put(f->lines, &f->lines->lines[i], f->tree, f->words, &out);
    }
    fitted->room = f->room;
    fitted->complete = is_complete(f);
    fitted->note = has_note(f, f->room);
    fitted->selection = tells_selection(f->words, f->room);
    fitted->root_is_object = f->tree->nodes[root].kind == SC_OBJECT;
    fitted->data_len = f->bytes;
    fitted->data_chars = (size_t)f->chars;
    fitted->lines = f->lines->count;
    fitted->untold = f->lines->untold;
    fitted->lines_len = out.len;
    if (f->lines->count) {
        const struct sc_line *first = f->lines->lines;
        fitted->first_unit = first->unit;
        fitted->first_kept = first->kept;
        fitted->first_total = first->total;
    }
    if (f->gap != SC_NONE)
        sc_put_cursor(f->tree, f->gap, &gap);
    fitted->gap_len = gap.len;
    return SC_OK;
}

/* From now on something is left out, and long atoms are the first to go. */
static void strip(struct sc_fit *f)
{
    if (!f->tree->stripped && sc_tree_strip(f->tree)) {
        sc_tree_measure(f->tree);
        f->viewed = false;
    }
}

int sc_fit_at(struct sc_fit *f, uint32_t room, sc_fitted *fitted)
{
    if (room < f->tree->live)
        strip(f);
    return view_at(f, room) ? describe(f, fitted) : SC_TOO_SMALL;
}

/* Go to the smallest room at which anything is kept; false if there is none. */
static bool go_to_least(struct sc_fit *f)
{
    uint32_t low = 0, high = f->tree->room;

    if (!view_at(f, high))
        return false;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (view_at(f, middle))
            high = middle;
        else
            low = middle;
    }
    return view_at(f, high);
}

/* The last resort: the least there is, with a report that only counts. `whole`
   is what the complete text would need. */
static int fit_least(struct sc_fit *f, const sc_limits *limits,
                     struct need whole, sc_fitted *fitted)
{
    struct need need;

    fitted->need_bytes = whole.bytes;
    fitted->need_chars = whole.chars;
    if (!go_to_least(f))
        return SC_TOO_SMALL;
    need = need_around(f);
    if (is_reported(f)) {
        need.bytes += f->words->more_bytes;
        need.chars += f->words->more_bytes;
    }
    if (within(need, limits))
        return describe(f, fitted);
    if (whole.bytes <= need.bytes && whole.chars <= need.chars)
        need = whole; /* a report costs more than it saves */
    fitted->need_bytes = need.bytes;
    fitted->need_chars = need.chars;
    return SC_TOO_SMALL;
}

int sc_fit(struct sc_fit *f, const sc_limits *limits, sc_fitted *fitted)
{
    struct sc_tree *t = f->tree;
    struct need whole = {UINT64_MAX, UINT64_MAX};
    uint32_t best = 0, most = t->room;
    bool fits;

    /* all that is there, as long as that may be all there was */
    if (view_at(f, t->room)) {
        if (try_view(f, limits, &fits))
            return SC_NO_MEMORY;
        if (fits)
            return describe(f, fitted);
        if (is_complete(f)) {
            whole = need_around(f);
            if (is_reported(f) && add_report(f, &whole))
                return SC_NO_MEMORY;
        }
    }
    strip(f);
    /* with room for all of it, all of it is shown, and that was too much */
    if (whole.bytes != UINT64_MAX && t->live >= whole.bytes)
        most = t->live - 1;
    for (uint32_t step = FIRST_STEP; step > 0; step /= 2) {
        if (best + step > most)
            continue;
        fits = true; /* with nothing to show, more room is wanted */
        if (view_at(f, best + step) && try_view(f, limits, &fits))
            return SC_NO_MEMORY;
        if (fits)
            best += step;
    }
    if (best && view_at(f, best))
        return describe(f, fitted);
    return fit_least(f, limits, whole, fitted);
}
