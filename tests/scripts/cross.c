/* cross.c - compare the kernels of a machine that Python does not run on.
 *
 *     cross CASES FILE...
 *
 * Mutates the files, reads each at random chunkings and floors with every
 * kernel there is, and compares what is told after each chunk with what the
 * portable one tells. `make cross` runs it for 64-bit ARM, under qemu.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lex.h"
#include "streamclip.h"

#define MOST 20000

static uint64_t seed = 8259;

static uint32_t below(uint32_t limit)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(seed >> 32) % limit;
}

static size_t mutate(uint8_t *text, size_t len)
{
    static const char bytes[] = "{}[]:,\"\\ \n0123-+.eEtrufalsn/bu\x01\x7f\x80"
                                "\xbf\xc3\xe6\xed\xf0\xff";

    for (uint32_t n = below(4); n > 0 && len > 0; n--) {
        size_t at = below((uint32_t)len);
        if (below(2)) {
            text[at] = (uint8_t)bytes[below(sizeof bytes - 1)];
        } else {
            size_t gone = 1 + below(3) * below(20);
            gone = gone < len - at ? gone : len - at;
            memmove(text + at, text + at + gone, len - at - gone);
            len -= gone;
        }
    }
    return len;
}

/* What a state knows of the token that it is in, as a number. */
static uint32_t inside(const sc_scanned *s)
{
    uint32_t found = 0;

    if (s->state >= LEX_STRING && s->state <= LEX_UTF8)
        found = s->in_key;
    if (s->state >= LEX_HEX1 && s->state <= LEX_HEX4)
        found |= (uint32_t)s->hex << 8;
    if (s->state == LEX_UTF8)
        found |= (uint32_t)s->utf8_len << 8 | (uint32_t)s->utf8_left << 16;
    if (s->state == LEX_LITERAL)
        found = (uint32_t)s->literal << 8 | (uint32_t)s->literal_at << 16;
    return found;
}

static bool same(const sc_scanner *a, const sc_scanner *b)
{
    sc_scanned x, y;

    sc_scanner_tell(a, &x);
    sc_scanner_tell(b, &y);
    return x.status == y.status && x.offset == y.offset && x.count == y.count &&
           x.documents == y.documents && x.depth == y.depth &&
           x.newline == y.newline && x.state == y.state &&
           inside(&x) == inside(&y) &&
           (x.status || memcmp(x.levels + 1, y.levels + 1, x.depth) == 0);
}

/* Read text with both; SIZE_MAX if they agree, else where they do not. */
static size_t compare(const char *kernel, const uint8_t *text, size_t len,
                      uint32_t chunk, uint32_t floor)
{
    sc_scanner *a = sc_scanner_new("scalar", 1024, SC_FORMAT_AUTO);
    sc_scanner *b = sc_scanner_new(kernel, 1024, SC_FORMAT_AUTO);
    size_t at = 0, found = SIZE_MAX;

    if (!a || !b)
        abort();
    sc_scanner_feed(a, (const uint8_t *)"[[[", floor, 0);
    sc_scanner_feed(b, (const uint8_t *)"[[[", floor, 0);
    while (at < len && found == SIZE_MAX) {
        size_t size = 1 + below(2 * chunk);
        size_t taken;
        size = size < len - at ? size : len - at;
        taken = sc_scanner_feed(a, text + at, size, floor);
        if (sc_scanner_feed(b, text + at, size, floor) != taken || !same(a, b))
            found = at;
        if (taken < size)
            break;
        at += size;
    }
    sc_scanner_free(a);
    sc_scanner_free(b);
    return found;
}

int main(int argc, char **argv)
{
    static uint8_t text[MOST], original[MOST];
    long cases = argc > 2 ? atol(argv[1]) : 0, failed = 0;

    for (long n = 0; n < cases; n++) {
        static const uint32_t chunks[] = {1, 60, 100, 1000, 10000};
        const char *name = argv[2 + below((uint32_t)argc - 2)];
        FILE *file = fopen(name, "rb");
        uint32_t chunk = chunks[below(5)], floor = below(4);
        size_t len;
        if (!file)
            return 2;
        len = fread(original, 1, MOST, file);
        fclose(file);
        memcpy(text, original, len);
        len = mutate(text, len);
        for (size_t place = 0; sc_kernel_at(place); place++) {
            size_t at = compare(sc_kernel_at(place), text, len, chunk, floor);
            if (at == SIZE_MAX)
                continue;
            failed++;
            printf("%s differs on %s, case %ld, at %zu, floor %" PRIu32 "\n",
                   sc_kernel_at(place), name, n, at, floor);
        }
    }
    printf("%ld cases with %s and others, %ld failed\n", cases,
           sc_kernel_at(0), failed);
    return failed || !cases;
}
