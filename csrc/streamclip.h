/* streamclip.h - the public interface of the core.
 *
 * A clipper takes a JSON document in pieces of any size, validates every byte
 * (RFC 8259), and retains the best sub-document that fits a fixed room. At the
 * end it fits that tree to a budget, as often as is asked, without reading
 * again. docs/semantics.md says what "best" is.
 *
 *     sc_clipper *c = sc_clipper_new(&options);
 *     while (more) status = sc_clipper_feed(c, data, len);
 *     status = sc_clipper_finish(c, false);
 *     status = sc_clipper_fit(c, &words, &limits, &fitted);
 *     status = sc_clipper_put(c, out, len, ends, fitted.lines);
 *     sc_clipper_free(c);
 *
 * Conventions. Sizes in memory are size_t; offsets and counts of the stream are
 * uint64_t. A status of 0 is success, a negative one an error. An error of the
 * input or of memory while feeding stays: every later call gives it again.
 * SC_ENOUGH is not an error. The core keeps no
 * globals, prints nothing and never aborts. One thread at a time may use a
 * clipper; different clippers are independent.
 *
 * The core knows no words: all that is written into the data beside JSON's own
 * characters comes from sc_words.
 */
#ifndef STREAMCLIP_H
#define STREAMCLIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ffi_build.py hands the lines between the two markers to cffi. */
/* cdef begin */

/* What a call came to. The values are pinned. */
enum sc_status {
    SC_OK = 0,
    SC_ENOUGH = 1,        /* stop_early: nothing more needs to be fed */
    SC_NO_MEMORY = -1,
    SC_NOT_FINISHED = -2, /* a call out of turn, or with too little room */
    SC_TOO_SMALL = -3,    /* nothing fits; sc_fitted.need_* say what would */
    /* the input is not JSON; sc_clipper_offset is the first wrong byte */
    SC_BAD_TOKEN = -10,   /* a byte that no value, key or sign starts with */
    SC_BAD_NUMBER = -11,
    SC_BAD_LITERAL = -12,
    SC_BAD_ESCAPE = -13,
    SC_BAD_CONTROL = -14, /* a control character inside a string */
    SC_BAD_UTF8 = -15,    /* offset: where the sequence starts */
    SC_TOO_DEEP = -16,
    SC_TRAILING = -17,    /* something follows the document */
    SC_INCOMPLETE = -18   /* the input ended early; offset: its length */
};

enum sc_format {
    SC_FORMAT_AUTO = 0, /* JSON; JSON Lines once a second line has a value */
    SC_FORMAT_JSON = 1,
    SC_FORMAT_JSONL = 2
};

/* What remains of an array, or of the list of lines, that lost elements. */
enum sc_keep { SC_KEEP_HEAD = 0, SC_KEEP_TAIL = 1, SC_KEEP_ENDS = 2 };

enum sc_report { SC_DETACHED = 0, SC_INLINE = 1, SC_SIBLINGS = 2 };

/* Bytes that belong to the caller and outlive the call. */
typedef struct sc_bytes {
    const uint8_t *data;
    size_t len;
} sc_bytes;

typedef struct sc_options {
    uint32_t room;             /* R, bytes: the retained tree renders to it */
    uint32_t slack;            /* bytes that may pile up before a compaction */
    uint32_t max_depth;        /* levels of nesting that are accepted */
    uint32_t max_record_bytes; /* 0: the default share of an element */
    uint64_t max_items;        /* 0: no cap on the elements of an array */
    uint64_t max_string_chars; /* 0: no cap on the characters of a string */
    uint8_t format;            /* enum sc_format */
    uint8_t keep;              /* enum sc_keep */
    bool cut_atoms;            /* atoms are shortened as other text is */
    bool stop_early;           /* answer SC_ENOUGH at the first compaction */
    const sc_bytes *pointer;   /* reference tokens of the named collection, */
    size_t pointer_len;        /* as bodies of squeezed strings; 0: none */
    const sc_bytes *fields;    /* keys, bodies: a record has no others; */
    size_t fields_len;         /* 0: it has all */
    const sc_bytes *drop;      /* keys, bodies: no object has these */
    size_t drop_len;
} sc_options;

/* The texts that reports, marks and siblings are written with. */
typedef struct sc_words {
    uint8_t report;          /* enum sc_report */
    bool always;             /* there is a block even if nothing was cut */
    /* inline: a mark is  mark [fields FIELDS] [omitted N] [more P "] mark_end,
       where P is the record's pointer, behind that of the root; mark_more may
       be empty */
    sc_bytes mark, mark_fields, mark_omitted, mark_more, mark_end;
    /* a line is  path P " [unit_*] kept N total N omitted N [places N]
       [gap_at N] [names NAMES] line_end; lines are joined by commas; path and
       mark_more end inside a string, which P goes on with */
    sc_bytes path, members, chars, kept, total, omitted, places, gap_at;
    sc_bytes names;
    sc_bytes line_end;
    /* what the block costs beside its lines, in bytes and in characters */
    uint32_t frame_bytes;
    uint32_t wrap_bytes;     /* more, if the root is not an object */
    uint32_t more_bytes;     /* more, if it has to count unlisted lines */
    /* the note's fixed part, how many numbers of the first line it has (0, 1:
       omitted, 2: total too), and its words for items, members, chars */
    uint32_t note_bytes, note_chars;
    uint32_t note_numbers;
    uint32_t note_unit_bytes[3], note_unit_chars[3];
    uint32_t selection_bytes, selection_chars; /* 0: nothing is selected */
    /* pagination cursors: their keys (bodies), the keys of objects about the
       page that they stand beside, the member that makes an object a cursor,
       the key of one that is an object as it is, and the room for a path */
    const sc_bytes *cursor_keys;
    size_t cursor_keys_len;
    const sc_bytes *page_keys;
    size_t page_keys_len;
    sc_bytes cursor_link, cursor_object;
    uint32_t cursor_bytes;
    /* siblings: keys (with quotes) and the value of the note */
    sc_bytes sibling_total, sibling_omitted, sibling_note, sibling_text;
} sc_words;

/* What the finished text may measure; UINT64_MAX: not limited. */
typedef struct sc_limits {
    uint64_t max_bytes;
    uint64_t max_chars;
} sc_limits;

typedef struct sc_fitted {
    uint32_t room;       /* d */
    bool complete;       /* nothing was left out; the data is all there is */
    bool note;           /* room for the note was set aside */
    bool selection;      /* and for the selection */
    bool root_is_object; /* else the block needs a wrapping */
    size_t data_len;     /* bytes of the data, marks included */
    size_t data_chars;   /* the same in code points */
    size_t lines;        /* how many lines the report may have */
    size_t lines_len;    /* and their bytes */
    size_t untold;       /* lines with paths too long to be written */
    uint8_t first_unit;  /* of the first line: 0: items, 1: members, 2: chars */
    uint64_t first_kept;
    uint64_t first_total;
    size_t gap_len;      /* bytes of the path of a cursor; 0: there is none */
    uint64_t need_bytes; /* SC_TOO_SMALL: the least text there is */
    uint64_t need_chars;
} sc_fitted;

/* A shortened string of the view that begins as JSON objects and arrays do. */
typedef struct sc_cut_string {
    size_t offset;       /* where its body is in the rendered data */
    size_t len;          /* how long it is there */
    size_t line;         /* the report's line that counts it; SIZE_MAX: none */
    uint64_t kept;       /* characters that the view has of it */
    uint64_t total;      /* and that it had */
    const uint8_t *body; /* all that is retained of it, until the next fit */
    size_t body_len;
    bool whole;          /* that is all of it */
} sc_cut_string;

typedef struct sc_clipper sc_clipper;

/* Make a clipper; NULL if memory is short. The options are copied. */
sc_clipper *sc_clipper_new(const sc_options *options);

/* Free it; NULL is fine. */
void sc_clipper_free(sc_clipper *c);

/* Take the next len bytes, which nobody may change meanwhile: counts would be
   wrong. SC_ENOUGH: stop feeding, call finish. */
int sc_clipper_feed(sc_clipper *c, const uint8_t *data, size_t len);

/* Take the input for JSON Lines, though it have but one line. Before feed. */
void sc_clipper_expect_lines(sc_clipper *c);

/* The root is a part of a collection: its next child is this one there, and so
   are those behind it. Pointers in marks count so. */
void sc_clipper_expect_number(sc_clipper *c, uint64_t number);

/* Is the root so full that of what follows in it nothing can be kept? */
bool sc_clipper_is_full(const sc_clipper *c);

/* The input has ended. keep_incomplete: close what is open instead of failing
   with SC_INCOMPLETE. */
int sc_clipper_finish(sc_clipper *c, bool keep_incomplete);

/* Bytes taken so far; after an error, where it is. */
uint64_t sc_clipper_offset(const sc_clipper *c);

/* Was the input closed before its end (keep_incomplete, stop_early)? */
bool sc_clipper_cut_short(const sc_clipper *c);

/* Was that because stop_early had enough? */
bool sc_clipper_stopped(const sc_clipper *c);

/* How many documents have begun. */
uint64_t sc_clipper_documents(const sc_clipper *c);

/* Does the input have several lines, or was SC_FORMAT_JSONL given? */
bool sc_clipper_is_jsonl(const sc_clipper *c);

/* Was a member deselected? One in a part that was only counted, because more
   than the room had been read, is not known. */
bool sc_clipper_deselected(const sc_clipper *c);

/* Is the key that marks are written with used for anything else in the retained
   tree? Marks of an earlier clip are not: they are merged. */
bool sc_clipper_key_taken(const sc_clipper *c, const sc_words *words);

/* Find the largest room whose text fits the limits, and go to it. The words
   are used until the next fit or view. Once something had to be left out, long
   atoms are out for good: go from larger limits to smaller ones. */
int sc_clipper_fit(sc_clipper *c, const sc_words *words,
                   const sc_limits *limits, sc_fitted *fitted);

/* Go to a given room, whatever the text measures (tests, token budgets). */
int sc_clipper_view(sc_clipper *c, const sc_words *words, uint32_t room,
                    sc_fitted *fitted);

/* How many of the root's children the present view has, up to the first one
   that it has not. */
uint64_t sc_clipper_leading(sc_clipper *c);

/* Write what there is at the present room, one behind the other: the data,
   fitted.data_len bytes; the report's lines, most important first, joined by
   commas, fitted.lines_len bytes; and the path of the pagination cursor that
   skips what was left out, as a JSON string, fitted.gap_len bytes. ends[i] is
   where line i ends, from the beginning of the first. */
int sc_clipper_put(sc_clipper *c, uint8_t *out, size_t len, size_t *ends,
                   size_t count);

/* The most bytes that the path of a cursor has. */
#define SC_GAP_MAX 8258

/* Find that cursor if these arrays (paths, as lines have them), too, lost
   elements: before the input came here, or inside strings.
   SC_OK or SC_NO_MEMORY; *gap_len gets the bytes of its path. */
int sc_clipper_cursor_gap(sc_clipper *c, const sc_bytes *arrays, size_t count,
                          uint8_t out[SC_GAP_MAX], size_t *gap_len);

/* Find such strings of the present view, at most `count` of them; how many. */
size_t sc_clipper_cut_strings(sc_clipper *c, sc_cut_string *strings,
                              size_t count);

/* Clip a whole input that is in memory: new, feed, finish, fit, put and free in
   one call. Answers what one of them answered; or SC_NOT_FINISHED if the input
   needs words of its own, because it is JSON Lines or has the key of the marks,
   or what was made of it more than `len` bytes or `count` ends. */
int sc_clip(const sc_options *options, const sc_words *words,
            const sc_limits *limits, const uint8_t *data, size_t data_len,
            sc_fitted *fitted, uint8_t *out, size_t len, size_t *ends,
            size_t count);

/* How many levels a border can tell. */
#define SC_BORDER_LEVELS 12

/* A place where reading can begin in the middle of a document: a value or
   member begins there, or its container ends, or a string goes on. */
typedef struct sc_border {
    uint64_t offset;
    uint32_t levels;  /* how many of the numbers there are */
    uint32_t objects; /* bit k: numbers[k] counts the members of an object */
    bool text;        /* the last number counts the characters of a string */
    /* numbers[0]: the line, 0 for JSON; the others: the child at each level on
       the way, the last one the child that begins there, or would */
    uint64_t numbers[SC_BORDER_LEVELS];
} sc_border;

/* What a seeker reads on to. */
enum sc_target {
    SC_THE_END,   /* of the input */
    SC_NEXT,      /* the next child at the level */
    SC_NUMBER,    /* the child of this number */
    SC_KEY,       /* the next member with this key */
    SC_CHARACTER  /* this character of the string at hand */
};

enum sc_found_kind {
    SC_FOUND_NOTHING, /* the input has to go on */
    SC_FOUND,
    SC_FOUND_CLOSED /* what was looked into has ended, at `at` */
};

typedef struct sc_found {
    uint8_t kind;     /* enum sc_found_kind */
    uint64_t number;  /* of the child or character; closed: how many */
    uint64_t begin;   /* where the child begins, with its key if it has one */
    uint64_t at;      /* where its value begins, or the character */
    uint64_t last;    /* where what stands before the child ends */
} sc_found;

/* A reader that keeps nothing: it goes through a document, from any border, to
   a child or a character, and can note borders on its way. Levels are counted
   as in a border: 0 is the list of lines, 1 the root if it is a container. */
typedef struct sc_seeker sc_seeker;

/* Make a seeker at the beginning of an input; NULL if memory is short. */
sc_seeker *sc_seeker_new(uint32_t max_depth, uint8_t format);

/* Free it; NULL is fine. */
void sc_seeker_free(sc_seeker *s);

/* Note borders from now on: less than `most`, spread evenly, one in each
   `stride` bytes as long as that is not too many. */
void sc_seeker_note_borders(sc_seeker *s, uint64_t stride, size_t most);

/* The borders noted so far, in order; good until the next call. */
size_t sc_seeker_borders(const sc_seeker *s, const sc_border **borders);

/* Go to a border. */
void sc_seeker_go(sc_seeker *s, const sc_border *border);

/* Look for a target: a child at `level`, or a character. The key, as UTF-8 in
   which lone surrogates may stand, outlives the search. */
void sc_seeker_look(sc_seeker *s, uint8_t target, uint32_t level,
                    uint64_t number, const uint8_t *key, size_t key_len);

/* Read on until it is found. SC_OK, or what is wrong with the input; *taken
   gets how many bytes were read. */
int sc_seeker_feed(sc_seeker *s, const uint8_t *data, size_t len,
                   size_t *taken, sc_found *found);

/* How far it has read; after an error, where that is. */
uint64_t sc_seeker_offset(const sc_seeker *s);

/* Up to where the children at the level could end the input, with no comma or
   key behind them; or the characters of the string at hand. */
uint64_t sc_seeker_whole(const sc_seeker *s);

/* How many children have begun at a level that is open, or how many characters
   of the string at hand were read. */
uint64_t sc_seeker_count(const sc_seeker *s, uint32_t level);
uint64_t sc_seeker_chars(const sc_seeker *s);

/* Validate a whole input without retaining any of it. Answers how many
   documents it has, or a negative status; then *offset, if it is wanted, is the
   first wrong byte. */
int64_t sc_check(const uint8_t *data, size_t len, uint32_t max_depth,
                 uint8_t format, uint64_t *offset);

/* The kernel in use: its name, static. */
const char *sc_kernel(void);

/* Use the kernel of this name; false if there is none or it cannot run here. */
bool sc_kernel_use(const char *name);

/* The kernels that can run here, fastest first: the name at a place, static;
   NULL behind the last. */
const char *sc_kernel_at(size_t place);

/* A scanner validates an input in pieces and retains nothing: the same as
   sc_check, or as what a clipper does with a collection that it closed. It
   shows how a kernel left the grammar's state (tests, benchmarks). */
typedef struct sc_scanner sc_scanner;

typedef struct sc_scanned {
    int status;
    uint64_t offset;     /* bytes taken; after an error, where it is */
    uint64_t count;      /* commas at the floor; documents if that is 0 */
    uint64_t documents;  /* that have begun */
    uint32_t depth;      /* levels that are open */
    bool in_key;         /* the string at hand is a key */
    bool newline;        /* a line ended since the last document */
    uint8_t state;       /* of the grammar; what it is in, if anything: */
    uint8_t literal, literal_at;
    uint8_t utf8_len, utf8_left;
    uint16_t hex;
    const uint8_t *levels; /* [1..depth]: is the level an object? */
} sc_scanned;

/* Make a scanner with a kernel; NULL if that cannot run here or memory is
   short. */
sc_scanner *sc_scanner_new(const char *kernel, uint32_t max_depth,
                           uint8_t format);

/* Free it; NULL is fine. */
void sc_scanner_free(sc_scanner *s);

/* Take the next len bytes, up to where the container at level `floor`, which is
   open, closes; 0 is never closed. Returns how many were taken. */
size_t sc_scanner_feed(sc_scanner *s, const uint8_t *data, size_t len,
                       uint32_t floor);

/* Tell where it stands. The levels are its own, good until the next call. */
void sc_scanner_tell(const sc_scanner *s, sc_scanned *scanned);

/* Where text may be cut: the longest prefix of a string's squeezed body of at
   most max_bytes and max_chars that ends at a cut point. Both are 64-bit so
   that "no limit" is UINT64_MAX. *chars gets its code points. */
size_t sc_text_prefix(const uint8_t *body, size_t len, uint64_t max_bytes,
                      uint64_t max_chars, uint64_t *chars);

/* Is this body (all of it, or at least its first 48 characters) an atom? */
bool sc_text_is_atom(const uint8_t *body, size_t len);

/* cdef end */

#endif
