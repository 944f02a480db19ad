"""Memory depends on the budget, not on the size of the input."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import pytest

pytestmark = pytest.mark.slow

MB = 1 << 20
GB = 1 << 30
ALLOWED = 2 * MB  # more for the large input than for the small one

# Makes input on the fly, in chunks of 64 KiB and in constant memory, clips it,
# and prints the peak of this process's memory with what came out.
SCRIPT = r"""
import itertools, re, sys
from streamclip import clip

shape, size, budget = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
CHUNK = 1 << 16

def repeated(head, piece, tail):
    many = piece * (CHUNK // len(piece))
    yield head
    for _ in range(size // len(many)):
        yield many
    yield tail

def unique():
    # every chunk has its own number in each of its keys
    part = b"".join(b'"key-@@@@@@@@-%04d":{"v":%d},' % (n, n) for n in range(2000))
    part = part[: part.rindex(b'"key', 0, CHUNK)]
    yield b"{"
    for number in range(size // len(part)):
        yield part.replace(b"@@@@@@@@", b"%08d" % number)
    yield b'"last":1}'

row = b'{"id":1234567,"name":"some words, \xe6\xb1\x89\xe5\xad\x97","n":[1,2.5,-3e+7],"on":true}'
sources = {
    "rows": lambda: repeated(b'{"rows":[', row + b",", b'0],"next":"c2"}'),
    "lines": lambda: repeated(b"", row + b"\n", b""),
    "text": lambda: repeated(b'{"text":"', b"words and \xe6\xb1\x89\xe5\xad\x97 \\n \\u00e9 ", b'"}'),
    "atom": lambda: repeated(b'{"data":"', b"QUJDREVGR0hJSktM", b'","next":"c2"}'),
    "tiny": lambda: repeated(b"[", b"1,", b"1]"),
    "empty": lambda: repeated(b"[", b"[],{},", b"[]]"),
    "map": unique,
    "nested": lambda: repeated(b"[[[", b"[[1,2],[3,[4]]],", b"0]]]"),
    "number": lambda: repeated(b'{"n":1', b"234567890", b',"next":"c2"}'),
    "key": lambda: repeated(b'{"a":1,"', b"a key that is long ", b'":2}'),
    "space": lambda: repeated(b"[1,", b" \n\t", b"2]"),
}
result = clip(sources[shape](), max_bytes=budget)
assert len(result.data) <= budget
cut = result.report.cuts[0] if result.report.cuts else None
status = open("/proc/self/status").read()
peak = int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) * 1024
print(peak, result.stats.bytes_read, cut.total if cut else 0)
"""


def run(shape: str, size: int, budget: int) -> tuple[int, int, int]:
    """Clip in a fresh process; return its peak, the bytes read, the first total."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, shape, str(size), str(budget)],
        capture_output=True,
        text=True,
        timeout=500,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    peak, read, total = map(int, done.stdout.split())
    return peak, read, total


@pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="peaks are read from /proc"
)
@pytest.mark.parametrize(
    ("shape", "size", "budget"),
    [
        ("rows", GB, 2000),
        ("rows", GB, 50_000),
        ("lines", GB, 2000),
        ("text", GB, 2000),
        ("atom", GB, 2000),
        ("tiny", 2 * 10**7, 2000),
        ("tiny", 2 * 10**8, 50_000),
        ("empty", GB // 4, 2000),
        ("map", GB, 2000),
        ("map", GB // 4, 50_000),
        ("nested", GB // 4, 2000),
        ("number", GB // 4, 2000),
        ("key", GB // 4, 2000),
        ("space", GB // 4, 2000),
    ],
)
def test_a_large_input_takes_no_more_memory_than_a_small_one(
    shape: str, size: int, budget: int, record_property: Callable[[str, object], None]
) -> None:
    """At most 2 MB more at its peak than the same shape of 1 MB."""
    small, few, _ = run(shape, MB, budget)
    large, many, total = run(shape, size, budget)
    record_property("more_bytes", large - small)
    assert few < 1.1 * MB
    assert many > 0.9 * size
    if shape == "tiny":
        assert total > 0.49 * size
    assert large - small <= ALLOWED, f"{(large - small) / MB:.1f} MB more"
