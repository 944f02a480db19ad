"""The core reads no byte that is not its own, and survives when memory is short."""

from __future__ import annotations

import ctypes
import mmap
import os
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from streamclip._core import ffi, lib

from documents import Sample, samples
from native import AUTO, JSON, JSONL, NO_LIMIT
from streamclip.core.binding import usable_kernels, using_kernel
from test_chunking import SMALL

LONGEST = 200
PROT_NONE = 0

TEXTS = (
    *SMALL,
    b"[" + b'{"id":1234567890,"name":"some words","on":true},' * 10,
    b'"' + "汉字é😀".encode() * 40,
    b'"' + rb"\u6c49\ud83d\ude00\n" * 20,
    b'{"a":' * 60,
    b"[[[[" * 60,
    b"1234567890" * 30,
    b"-0.12345678901234567890e+123456789012345678901234567890" * 2,
    b" \n\t\r" * 60,
    b'"' + b"plain ASCII, and nothing but that, " * 10,
    b'["' + b'","'.join([b"x" * n for n in range(20)]),
    b"[true,false,null," * 15,
    b"[0,10,200,3000,40000," * 15,
)


@pytest.fixture(scope="module")
def page() -> Iterator[memoryview]:
    """Return memory after which there is a page that cannot be read."""
    if not sys.platform.startswith("linux"):
        pytest.skip("needs mprotect as Linux has it")
    size = mmap.PAGESIZE
    libc = ctypes.CDLL(None, use_errno=True)
    memory = mmap.mmap(-1, 2 * size)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    guard = ctypes.c_void_p(start + size)
    assert libc.mprotect(guard, ctypes.c_size_t(size), PROT_NONE) == 0
    yield memoryview(memory)[:size]
    assert libc.mprotect(guard, ctypes.c_size_t(size), mmap.PROT_READ) == 0


def flush(page: memoryview, data: bytes) -> object:
    """Put data right before the page that cannot be read; return a pointer."""
    page[len(page) - len(data) :] = data
    start = ffi.cast("uint8_t *", ffi.from_buffer(page))
    return start + len(page) - len(data)


def check(page: memoryview, data: bytes) -> None:
    """Let sc_check read data that ends where memory ends."""
    offset = ffi.new("uint64_t *")
    lib.sc_check(flush(page, data), len(data), 1024, AUTO, offset)
    assert offset[0] <= len(data)


def feed(page: memoryview, data: bytes, before: bytes = b"", room: int = 33) -> None:
    """Let a clipper read data that end where memory ends."""
    options = {"room": room, "max_depth": 1024, "format": JSON}
    clipper = lib.sc_clipper_new(ffi.new("sc_options *", options))
    assert clipper
    try:
        if before:
            assert lib.sc_clipper_feed(clipper, before, len(before)) >= 0
        lib.sc_clipper_feed(clipper, flush(page, data), len(data))
        assert lib.sc_clipper_offset(clipper) <= len(before) + len(data)
        lib.sc_clipper_finish(clipper, True)
    finally:
        lib.sc_clipper_free(clipper)


def test_the_page_cannot_be_read(page: memoryview) -> None:
    """Else the tests below could not fail."""
    code = """
        import ctypes, mmap
        size = mmap.PAGESIZE
        memory = mmap.mmap(-1, 2 * size)
        start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
        libc = ctypes.CDLL(None)
        guard = ctypes.c_void_p(start + size)
        assert libc.mprotect(guard, ctypes.c_size_t(size), 0) == 0
        ctypes.string_at(start + size - 1, 1)
        ctypes.string_at(start + size, 1)
    """
    code = textwrap.dedent(code)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True)
    assert done.returncode != 0


@pytest.mark.parametrize("name", usable_kernels())
def test_nothing_is_read_past_the_end_of_the_input(page: memoryview, name: str) -> None:
    """Every length from 0 to 200 of every text, retained or only validated."""
    closed = b'["' + b"w " * 500 + b'",'
    with using_kernel(name):
        for text in TEXTS:
            for size in range(min(LONGEST, len(text)) + 1):
                data = text[:size]
                check(page, data)
                feed(page, data, room=1000)
                feed(page, data, room=33)
                feed(page, data, before=closed)


@pytest.mark.parametrize("name", usable_kernels())
def test_nothing_is_read_past_the_end_of_larger_inputs(
    page: memoryview, name: str
) -> None:
    """Of which kernels take many blocks at once; the last one is short."""
    closed = b'["' + b"w " * 500 + b'",'
    with using_kernel(name):
        for text in TEXTS:
            text = text * (1500 // (len(text) + 1) + 1)
            for size in range(600, 1400, 53):
                check(page, text[:size])
                feed(page, text[:size], before=closed)


@pytest.mark.parametrize("name", usable_kernels())
def test_nothing_is_read_past_the_end_of_any_chunk(page: memoryview, name: str) -> None:
    """A boundary may be anywhere: what is missing is in no chunk yet."""
    with using_kernel(name):
        for text in TEXTS:
            for size in range(0, min(64, len(text)), 3):
                options = {"room": 64, "max_depth": 1024, "format": AUTO}
                clipper = lib.sc_clipper_new(ffi.new("sc_options *", options))
                for at in range(0, len(text), size + 1):
                    data = text[at : at + size + 1]
                    lib.sc_clipper_feed(clipper, flush(page, data), len(data))
                lib.sc_clipper_free(clipper)


@given(of=samples)
def test_nothing_is_read_past_the_end_of_generated_documents(
    page: memoryview, of: Sample
) -> None:
    """The last bytes of each, with what stands before them fed before."""
    data = of.data[-len(page) :]
    check(page, data)
    feed(page, data)
    feed(page, data, room=500)


def test_text_functions_read_nothing_past_their_end(page: memoryview) -> None:
    """Neither to find a cut point nor to tell an atom."""
    chars = ffi.new("uint64_t *")
    bodies = [text.strip(b'"') for text in TEXTS[-8:]] + [
        "👩🏽‍🚀🇩🇪e\u0301".encode() * 9
    ]
    for body in bodies:
        whole = body.decode(errors="ignore").encode()
        for size in range(min(LONGEST, len(whole)) + 1):
            part = whole[:size].decode(errors="ignore").encode()
            pointer = flush(page, part)
            for limit in (0, 1, size // 2, size, NO_LIMIT):
                taken = lib.sc_text_prefix(pointer, len(part), limit, NO_LIMIT, chars)
                assert taken <= len(part)
            lib.sc_text_is_atom(pointer, len(part))


# Out of memory

# Counts and fails only the allocations of the core, told by who calls.
SHIM = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void __libc_free(void *);

static long countdown; /* 0: none fails; else the call that does */
static long calls, alive, failed;

static int ours(const void *caller)
{
    Dl_info info;
    return dladdr(caller, &info) && info.dli_fname &&
           strstr(info.dli_fname, "streamclip/_core");
}

static int fails(void)
{
    calls++;
    if (countdown == 0 || --countdown > 0)
        return 0;
    failed++;
    return 1;
}

void shim_arm(long n) { countdown = n; calls = failed = 0; }
long shim_calls(void) { return calls; }
long shim_failed(void) { return failed; }
long shim_alive(void) { return alive; }

void *malloc(size_t size)
{
    int mine = ours(__builtin_return_address(0));
    void *p;
    if (mine && fails())
        return NULL;
    p = __libc_malloc(size);
    alive += mine && p;
    return p;
}

void *calloc(size_t n, size_t size)
{
    int mine = ours(__builtin_return_address(0));
    void *p;
    if (mine && fails())
        return NULL;
    p = __libc_calloc(n, size);
    alive += mine && p;
    return p;
}

void *realloc(void *old, size_t size)
{
    int mine = ours(__builtin_return_address(0));
    void *p;
    if (mine && fails())
        return NULL;
    p = __libc_realloc(old, size);
    alive += mine && p && !old;
    return p;
}

void free(void *p)
{
    if (p && ours(__builtin_return_address(0)))
        alive--;
    __libc_free(p);
}
"""

# For every n the n-th allocation fails, then no other.
SCRIPT = r"""
import ctypes, json, sys
from streamclip import BudgetTooSmallError, Clipper, IncompleteJSONError, clip

shim = ctypes.CDLL(None)
for name in ("shim_calls", "shim_failed", "shim_alive"):
    getattr(shim, name).restype = ctypes.c_long
shim.shim_arm.argtypes = [ctypes.c_long]

rows = [{"id": n, "text": "words " * (n % 50), "k": {"a": [n] * 9}} for n in range(900)]
page = json.dumps({"rows": rows, "map": {f"k{n}": n for n in range(2000)}, "next": "c"})
texts = {
    "page": page,
    "lines": "\n".join(map(json.dumps, rows)),
    "text": json.dumps("a long text " * 20_000),
    "deep": "[" * 3000 + "]" * 3000,
    "early": page[:60_000],
    "small": '{"a": [1, 2, 3]}',
}
asked = [
    {"max_bytes": 2000},
    {"max_bytes": 40_000, "report": "siblings"},
    {"max_chars": 700, "report": "detached", "collection": "/map"},
    {"max_bytes": 900, "read": "enough"},
    {"max_bytes": 8000, "max_items": 20, "max_string_chars": 50},
    {"max_bytes": 3000, "incomplete": "error"},
]

def run(data, options):
    try:
        given = {"incomplete": "keep", "max_depth": 5000, **options}
        found = clip(data, **given)
        return found.data, found.report
    except (BudgetTooSmallError, IncompleteJSONError) as error:
        return type(error), error.args

def sources(data):
    yield lambda: data
    yield lambda: (data[at : at + 1000] for at in range(0, len(data), 1000))

shim.shim_arm(0)
kept_for_good = shim.shim_alive()
total = 0
for name, text in texts.items():
    for options in asked:
        for source in sources(text.encode()):
            shim.shim_arm(0)
            expected = run(source(), options)
            calls = shim.shim_calls()
            assert shim.shim_alive() == kept_for_good, (name, options, "leaks")
            for n in range(1, calls + 1):
                shim.shim_arm(n)
                try:
                    answer = run(source(), options)
                except MemoryError:
                    answer = None
                failed = shim.shim_failed()
                shim.shim_arm(0)
                where = name, options, n, calls
                assert failed == 1, where
                assert answer is None, (where, "no MemoryError", answer)
                assert shim.shim_alive() == kept_for_good, (where, "leaks")
                total += 1
            assert run(source(), options) == expected
assert total > 100, total

# A clipper that ran out of memory is closed.
shim.shim_arm(0)
with Clipper(max_bytes=2000) as clipper:
    shim.shim_arm(1)
    try:
        clipper.feed(page)
    except MemoryError:
        shim.shim_arm(0)
        try:
            clipper.feed(b"]")
        except ValueError as error:
            assert "closed" in str(error)
        else:
            raise AssertionError("it went on")
    else:
        raise AssertionError("nothing failed")
print("allocations that failed:", total)
"""


def test_every_allocation_may_fail(tmp_path: Path) -> None:
    """Each gives a MemoryError, and nothing is lost, by whichever it was."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if not sys.platform.startswith("linux") or not compiler:
        pytest.skip("needs Linux and a C compiler")
    if os.environ.get("LD_PRELOAD"):
        pytest.skip("another library takes the place of malloc already")
    source, shim = tmp_path / "shim.c", tmp_path / "shim.so"
    source.write_text(SHIM)
    built = subprocess.run(
        [compiler, "-O1", "-fPIC", "-shared", "-o", shim, source, "-ldl"],
        capture_output=True,
        text=True,
    )
    if built.returncode:
        pytest.skip(f"this compiler, or this libc, does not do: {built.stderr}")
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env={**os.environ, "LD_PRELOAD": str(shim)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert "allocations that failed" in done.stdout


@pytest.mark.parametrize("text_format", [AUTO, JSON, JSONL])
@pytest.mark.parametrize("kernel", usable_kernels())
def test_no_bytes_may_be_at_null(kernel: str, text_format: int) -> None:
    """Nothing is reckoned with such a pointer, or moved: sanitizers would tell."""
    offset = ffi.new("uint64_t *")
    with using_kernel(kernel):
        assert lib.sc_check(ffi.NULL, 0, 9, text_format, offset) in (
            0,
            lib.SC_INCOMPLETE,
        )
    assert offset[0] == 0
    options = {"room": 99, "slack": 9, "max_depth": 9, "format": text_format}
    options |= {"max_items": 1, "keep": lib.SC_KEEP_TAIL}
    clipper = ffi.gc(
        lib.sc_clipper_new(ffi.new("sc_options *", options)), lib.sc_clipper_free
    )
    assert lib.sc_clipper_feed(clipper, ffi.NULL, 0) == 0
    assert lib.sc_clipper_finish(clipper, False) in (0, lib.SC_INCOMPLETE)
    seeker = ffi.gc(lib.sc_seeker_new(9, text_format), lib.sc_seeker_free)
    taken, found = ffi.new("size_t *"), ffi.new("sc_found *")
    lib.sc_seeker_look(seeker, lib.SC_THE_END, 0, 0, ffi.NULL, 0)
    assert lib.sc_seeker_feed(seeker, ffi.NULL, 0, taken, found) == 0
    assert lib.sc_seeker_feed(seeker, b'{"":[""]}', 9, taken, found) == 0
