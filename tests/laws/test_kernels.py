"""Every kernel leaves the same counts, errors, offsets and states as the portable one.

As a command it tries many mutated documents and shows the smallest that differs:

    make fuzz-kernels CASES=100000 SEED=7
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import accumulate, pairwise, product
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import streamclip
from documents import Sample, sample, samples
from kernels import Scanner, State, pieces_of
from native import AUTO, JSON, JSONL
from streamclip.core.binding import usable_kernels, using_kernel
from test_chunking import SMALL

NAMES = [name for name in usable_kernels() if name != "scalar"]
TILE = 8192  # what kernels take at once, as csrc/kernels/tiles.h has it
FORMATS = (AUTO, JSON, JSONL)

# What is put at every place of a block, among good and bad neighbours.
TOKENS = (
    *(b"0", b"-0", b"7", b"-12", b"1.5", b"-0.25e+10", b"1E-7", b"2e5", b"0.0E-0"),
    *(b"9007199254740993", b"true", b"false", b"null", b"[]", b"{}", b"[[{}]]"),
    *(b'{"a":1}', b'{"a":{"b":[null]},"c":"d"}', b' { "a" :\t[ 1 ,\r\n2 ] } '),
    *(b'""', b'"a"', rb'"\""', rb'"\\"', rb'"\\\""', rb'"\\\\"', rb'"\n\/"'),
    *(rb'"\u6c49"', rb'"\ud83d\uDE00x"', rb'"\\u12"', b'"' + rb"\\" * 40 + b'"'),
    *('"é"'.encode(), '"汉字"'.encode(), '"😀\uffff"'.encode(), b'"\x7f"'),
    *('"\u0800\ud7ff\ue000\U00010000\U0010ffff"'.encode("utf-8", "surrogatepass"),),
    b'"' + b"long " * 30 + b'"',
    b"1" * 150,
    b" " * 150 + b"1",
)
WRONG = (
    *(b"", b",", b":", b"]", b"}", b"01", b"-", b"-01", b"1.", b"1.e5", b".5", b"+1"),
    *(
        b"1e",
        b"1e+",
        b"1e5.5",
        b"1.5.5",
        b"1e5e5",
        b"1-1",
        b"1+1",
        b"--1",
        b"1-",
        b"e5",
    ),
    *(b"tru", b"truE", b"truee", b"nul", b"nulll", b"True", b"falsee", b"fals", b"a"),
    *(
        b"tnull",
        b"1true",
        b"true1",
        b"t",
        b"-t",
        b"nan",
        b"1 1",
        b'1""',
        b'""1',
        b"[1 2]",
    ),
    *(b'{"a"}', b'{"a":}', b'{"a",1}', b"{1:2}", b'{"a":1,}', b"[1,]", b"[,1]", b"{,}"),
    *(b'{"a":1:2}', b'["a":1]', b"[}", b"{]", b'{"a":1]', b'[{"a":1]}', b"]]", b"[[1}"),
    *(b'{"a":1 "b":2}', b'{"a":"b":"c"}', b'{"a" "b"}', b'{"a":{"b"},"c":1}', b"{[]}"),
    *(rb'"\x"', rb'"\u12g4"', rb'"\u123"', rb'"\u"', b'"\n"', b'"\x00"', b'"\x1f"'),
    *(b"\\", b"\\n", b"\x7f", b"\x00", b"\x0b", b"\xc2\xa0", b"\xef\xbb\xbf1", b"'a'"),
    *(
        b'"\x80"',
        b'"\xc0\xaf"',
        b'"\xc1\xbf"',
        b'"\xc3"',
        b'"\xc3\xa9\xa9"',
        b'"\xe6\xb1"',
    ),
    *(
        b'"\xe0\x9f\xbf"',
        b'"\xed\xa0\x80"',
        b'"\xf0\x8f\xbf\xbf"',
        b'"\xf4\x90\x80\x80"',
    ),
    *(
        b'"\xf5\x80\x80\x80"',
        b'"\xf0\x9f\x98"',
        b'"\xff"',
        b'"\xe6\xb1\xc3\xa9"',
        b'"\xf8"',
    ),
    *(b'"a', b"/*1*/", b"1//"),
)

# Large enough for tiles, with much to get wrong in each of them.
NASTY = (
    b"[" + b",".join(TOKENS) + b"]",
    b'{"k":' + b',"k":'.join(TOKENS) + b"}",
    b" [ " + b" ,\n ".join(TOKENS) + b" ] ",
    b"\n".join(token.strip().replace(b"\n", b"") for token in TOKENS) + b"\n",
    b'{"a":1}\n[2]\r\n"c"\n\n4.5\n' * 20,
    b'{"a":[\n1]}\n' * 30,
    b"[1]\n2\n" * 20 + b"[1] 2",
    b"[" * 90 + b'{"a":' * 90 + b"1" + b"}" * 90 + b"]" * 90,
    b'"' + rb"\\" * 100 + rb"\"\u00e9" * 30 + b'"',
    b'["' + "汉é😀".encode() * 40 + b'"]',
    b"[" + b"1.5e-10,[],{}, " * 30 + b"0]",
)


def trace(
    name: str,
    pieces: list[bytes],
    floor: int = 0,
    form: int = AUTO,
    max_depth: int = 1024,
    before: bytes = b"",
) -> list[State]:
    """Feed pieces until one is not taken whole; return the state after each."""
    scanner = Scanner(name, max_depth, form)
    scanner.feed(before)
    states = []
    for piece in pieces:
        taken = scanner.feed(piece, floor=floor)
        states.append(scanner.tell())
        if taken < len(piece):
            break
    return states


def assert_alike(
    pieces: list[bytes],
    floor: int = 0,
    form: int = AUTO,
    max_depth: int = 1024,
    before: bytes = b"",
) -> list[State]:
    """Let every kernel read the pieces, and compare; return the states."""
    expected = trace("scalar", pieces, floor, form, max_depth, before)
    for name in NAMES:
        assert trace(name, pieces, floor, form, max_depth, before) == expected, name
    return expected


def cut(data: bytes, places: list[int]) -> list[bytes]:
    """Cut data at places."""
    ends = [0, *sorted(place for place in places if place < len(data)), len(data)]
    return [data[a:b] for a, b in pairwise(ends)]


@pytest.mark.parametrize("token", TOKENS + WRONG)
def test_a_token_at_every_place_of_a_block(token: bytes) -> None:
    """With white space, text, numbers or signs before it, in an array and an object."""
    for shift in range(70):
        for pad in (b" " * shift, b'"' + b"x" * shift + b'",', b"1" * shift + b"0,"):
            data = b"[" + pad + token + b"," + b"[12]," * 30
            good = assert_alike([data])[-1].status == 0
            assert good == (token in TOKENS) or token == b'"a'
        data = b'[{"a":' + b"[" * shift + token + b"," + b'"b",' * 30
        assert_alike([data])


@pytest.mark.parametrize("byte", range(256))
def test_any_byte_anywhere(byte: int) -> None:
    """Between tokens, in a token, in a text, after a backslash, alone on a line."""
    one = bytes([byte])
    for text in (b"[1,%b2]", b"[1%b,2]", b"[tr%be]", b'["a%bb"]', b'["\\%b"]', b"%b"):
        for shift in range(0, 64, 13):
            data = b" " * shift + text % one + b"\n" + b"[12]\n" * 30
            assert_alike([b"[0]\n", data])
            end = shift + text.index(b"%b") + 1
            assert_alike([b"[", b"[1]," * 40 + data[:end], data[end:]])


@pytest.mark.parametrize("token", TOKENS + WRONG)
def test_a_token_at_every_place_of_a_line(token: bytes) -> None:
    """As a document and at the end of one, with another one on the next line."""
    for shift in range(0, 70, 3):
        data = b"[0]\n" + b'{"x":"' + b"y" * shift + b'"}\n' + token + b"\n[1]\n"
        data += b'{"id":1}\n' * 20
        for form in FORMATS:
            assert_alike([data], form=form)
        assert_alike([b"[0]\n", data[4:] + b"[" + token + b"]" + token + b" [2]"])


@pytest.mark.parametrize("data", NASTY)
@pytest.mark.parametrize("form", FORMATS)
def test_every_size_of_a_chunk(data: bytes, form: int) -> None:
    """The state after each is the same, whatever it is in the middle of."""
    for size in [*range(1, 131), 200, 500]:
        assert_alike(pieces_of(data, size), form=form)


@pytest.mark.parametrize("data", NASTY)
def test_every_state_to_begin_in_and_to_leave_in(data: bytes) -> None:
    """One chunk up to each byte, another one from there on."""
    for at in range(len(data)):
        assert_alike([data[:at], data[at:]])


@pytest.mark.parametrize("data", NASTY)
@pytest.mark.parametrize("floor", [1, 2, 3, 70])
def test_every_floor(data: bytes, floor: int) -> None:
    """Reading ends behind the bracket that closes it, and not a byte later."""
    before = b"[" * (floor - 1) + b'{"a":' + b"[" * 2
    for close in (b"]", b"]]", b"]]}", b"]]}" + b"]" * (floor - 1)):
        rest = data.strip() + b"," + data.strip() + close + b",[1,2]" * 30
        for shift in range(0, 64, 9):
            assert_alike([b" " * shift + rest], floor, before=before)
        assert_alike(pieces_of(rest, 100), floor, before=before)
    closed = b" " * 70 + b"[{}]," * 30 + b"1" + b"]]}" + b"]" * (floor - 1)
    states = assert_alike([closed + b"!" * 200], floor, before=before)
    assert states[-1].status == 0
    assert len(states[-1].levels) == floor - 1


@pytest.mark.parametrize("form", FORMATS)
def test_small_documents_in_all_formats(form: int) -> None:
    """Valid and broken ones, with enough before them to fill a tile."""
    for small in SMALL:
        for before in (b"", b"[" + b"[1]," * 40, b'{"a":[1]}\n' * 15, b'"' + b"a" * 99):
            for after in (b"", b" " * 99, b",[1]" * 40, b'\n{"a":[1]}' * 15):
                assert_alike([before + small + after], form=form)


@pytest.mark.parametrize("limit", [1, 2, 63, 64, 65, 128, 200])
def test_nesting_up_to_the_limit(limit: int) -> None:
    """Levels of either kind, as far down as is allowed and one more."""
    for kinds in (b"[", b'{"a":', b'[{"a":'):
        for depth in range(max(0, limit - 2), limit + 3):
            down = (kinds * depth)[: len(kinds) * depth]
            for pad in (0, 1, 40, 63):
                data = b" " * pad + down + b"1," * 60
                assert_alike([data], max_depth=limit)
                assert_alike([b'["' + b"a" * 90 + b'",' + data], max_depth=limit)


def test_levels_are_given_back_with_a_tile_that_is_turned_down() -> None:
    """It closed some, opened others of another kind, and then was wrong."""
    before = b'[{"a":[{"b":[{"c":['
    for closing in (b"]", b"]}", b"]}]", b"]}]}", b"]}]}]"):
        swapped = closing + b"," * (closing[-1:] == b"}") + b'[{"x":[[{"y":['
        for wrong in (b"}", b"]", b":", b"1", b""):
            data = b"1," * 50 + b"1" + swapped + b"1," * 20 + wrong + b"2" * 50
            assert_alike([data], before=before)
            assert_alike([data], 2, before=before)


def test_what_is_nearly_a_literal() -> None:
    """As the last one before a long text, in the middle, and broken off at the end."""
    words = [bytes(word) for n in (1, 2, 3) for word in product(b"truefalsn", repeat=n)]
    for word in (b"true", b"false", b"null"):
        for at in range(len(word) + 1):
            words += [word[:at] + b"%c" % c + word[at:] for c in b"truefalsnE1,- "]
            words += [word[:at] + b"%c" % c + word[at + 1 :] for c in b"truefalsnE1,- "]
    for word in words:
        before = b"[" + b"12," * 40 + word
        assert_alike([before + b',"' + b"x" * 70 + b'"]'])
        assert_alike([before, b"]"])
        assert_alike([before + b",1", b"23]"])


def test_sequences_of_bytes_that_begin_or_end_a_range_of_utf8() -> None:
    """Any three of them, with one that is good behind them, over a block's end."""
    edges = (
        b"a\x7f\x80\x8f\x90\x9f\xa0\xbf\xc1\xc2\xdf\xe0\xe1\xed\xee\xf0\xf1\xf4\xf5\xff"
    )
    for three in product(edges, repeat=3):
        assert_alike([b'["' + b"a" * 60 + bytes(three) + b"\x80" + b"a" * 60])


def test_tiles_that_end_in_every_state() -> None:
    """One is full in the middle of anything."""
    for token in (*TOKENS, *WRONG):
        unit = b"[" + token + b',{"k":' + token + b"}],"
        data = b"[" + b'"' + b"a" * (TILE - 80) + b'",' + unit * (300 // len(unit) + 2)
        for shift in range(2 * len(unit) + 2 if len(unit) < 50 else 8):
            assert_alike([b" " * shift + data])


@given(
    st.lists(samples, min_size=1, max_size=4),
    st.integers(0, 3),
    st.lists(st.integers(0, 4000), max_size=6),
    st.sampled_from(FORMATS),
)
def test_generated_documents(
    found: list[Sample], kind: int, places: list[int], form: int
) -> None:
    """One after the other, or in one; cut anywhere, from any level on."""
    data, floor, before = joined([of.data for of in found] * 3, kind)
    assert_alike(cut(data, places), floor, form, before=before)


def joined(texts: list[bytes], kind: int) -> tuple[bytes, int, bytes]:
    """Put documents together; return also a floor, and what goes before it."""
    if kind == 0:
        return b"\n".join(texts), 0, b""
    rest = b",".join(text.strip().replace(b"\n", b",") for text in texts)
    if kind == 1:
        return b"[" + rest + b"]\n", 0, b""
    return rest + b"]" * kind, kind - 1, b"[" * kind


BYTES = b'{}[]:,"\\ \t\n\r0123456789-+.eEtrufalsn/bu\x00\x1f\x7f\x80\xbf\xc3\xe6\xed\xf0\xff'


def mutated(random: Random, data: bytes) -> bytes:
    """Change a few bytes, or move some."""
    text = bytearray(data)
    for _ in range(random.choice((0, 1, 1, 1, 2, 4))):
        at = random.randrange(len(text) + 1)
        end = at + random.choice((1, 1, 1, 2, 5, 30))
        what = random.randrange(5)
        if what == 0:
            text[at:end] = b""
        elif what == 1:
            text[at:at] = random.choices(BYTES, k=random.choice((1, 1, 2, 3)))
        elif what == 2:
            text[at : at + 1] = bytes([random.choice(BYTES)])
        elif what == 3:
            text[at:at] = text[at:end]
        elif text:
            text[at % len(text)] ^= 1 << random.randrange(8)
    return bytes(text)


class Case:
    """A mutated document, how it is cut, and how it is read."""

    def __init__(self, random: Random, data: bytes, kind: int) -> None:
        text, self.floor, self.before = joined([data], kind)
        self.data = mutated(random, text)
        self.form = random.choice(FORMATS)
        self.max_depth = random.choice((1024, 1024, 1024, 12))
        size = random.choice((1, 7, 64, 100, 300, 1000, 5000, 1 << 20))
        size = max(size, len(self.data) // 100)
        steps = random.choices(range(1, 2 * size), k=len(self.data) // size + 1)
        self.pieces = cut(self.data, list(accumulate(steps)))

    def failing(self, names: list[str]) -> Iterator[str]:
        """Yield the kernels that differ from the portable one."""
        asked = (self.pieces, self.floor, self.form, self.max_depth, self.before)
        expected = trace("scalar", *asked)
        self.is_bad = expected[-1].status < 0
        yield from (name for name in names if trace(name, *asked) != expected)


def cases(random: Random, count: int) -> Iterator[Case]:
    """Make many cases out of fewer documents, some of several tiles."""
    while True:
        texts = [sample(random).data for _ in range(random.randint(1, 4))]
        texts *= random.choice((1, 1, 1, 4))
        data, kind = b"\n".join(texts)[:20_000], random.randrange(5)
        for _ in range(10):
            if count == 0:
                return
            count -= 1
            yield Case(random, data, kind)


@pytest.mark.parametrize("seed", range(4))
def test_mutated_documents(seed: int) -> None:
    """Whatever is wrong, and wherever they are cut."""
    for case in cases(Random(seed), 60):
        assert not [*case.failing(NAMES)], vars(case)


@pytest.mark.slow
def test_real_documents_and_those_that_parsers_are_tested_with(corpus: Path) -> None:
    """All of them, whole, in chunks, and as what stands in a closed collection."""
    files = [path for path in sorted(corpus.rglob("*")) if path.is_file()]
    for path in files:
        data = path.read_bytes()
        for form in FORMATS:
            assert_alike([data], form=form)
        for size in (64, 1000, 4096):
            assert_alike(pieces_of(data, size))
        for floor in (1, 2):
            pieces = pieces_of(data + b"," + data + b"]]]," + data, 50_000)
            assert_alike(pieces, floor, before=b"[[")
        shifted = b"[" + b"1," * (len(data) % 61) + data + b",1" * 99
        assert_alike([shifted])
    assert len(files) > 500


# The choice among them


def test_the_portable_kernel_is_always_there_and_last() -> None:
    """The others come by their speed, each once."""
    names = usable_kernels()
    assert names[-1] == "scalar"
    order = [n for n in ("avx512", "avx2", "sse2", "neon", "scalar") if n in names]
    assert names == order


@pytest.mark.parametrize("name", usable_kernels())
def test_the_environment_forces_a_kernel(name: str) -> None:
    """It is the one that is told, and the clip is the same."""
    done = run_python("import streamclip; print(streamclip.kernel())", name)
    assert done.stdout.strip() == name


def test_a_clip_is_the_same_with_every_kernel() -> None:
    """Of a document of which most is only counted."""
    rows = b"[" + b",".join(b'{"id":%d,"name":"row"}' % n for n in range(9000)) + b"]"
    clips = set()
    for name in usable_kernels():
        with using_kernel(name):
            clips.add(streamclip.clip(rows, max_bytes=500).data)
    (data,) = clips
    assert b'"total":9000' in data


def test_levels_that_were_never_open_say_nothing() -> None:
    """Where they come from the heap, as a clipper's do, they hold anything."""
    for size in (900, 2047, 5000):
        data = b'[0,[[[{"a":"%s","b":""}]]]]' % (b"Q" * size)
        with using_kernel("scalar"):
            expected = streamclip.clip(data, max_bytes=9000, max_items=1)
        assert [cut.path for cut in expected.report.cuts] == [""]
        for name in NAMES:
            with using_kernel(name):
                for _ in range(20):
                    found = streamclip.clip(data, max_bytes=9000, max_items=1)
                    assert (found.data, found.report) == (
                        expected.data,
                        expected.report,
                    )


def run_python(code: str, kernel: str) -> subprocess.CompletedProcess[str]:
    """Run a script with a kernel forced."""
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "STREAMCLIP_KERNEL": kernel},
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize("name", ["avx9", "neon ", "AVX2"])
def test_a_kernel_that_cannot_run_here_is_refused(name: str) -> None:
    """The error names those that can."""
    done = run_python("import streamclip; streamclip.kernel()", name)
    assert done.returncode != 0
    assert f"STREAMCLIP_KERNEL={name}" in done.stderr
    assert ", ".join(usable_kernels()) in done.stderr


def main(count: int, seed: int, show: Callable[[str], None] = print) -> int:
    """Run many cases and show the smallest that fails."""
    seen = bad = size = 0
    failing: list[Case] = []
    for case in cases(Random(seed), count):
        if names := [*case.failing(NAMES)]:
            show(f"{names} differ")
            failing.append(case)
        seen += 1
        bad += case.is_bad
        size += len(case.data)
    show(f"cases {seen}, of which not JSON {bad}; bytes {size}; {NAMES}")
    show(f"failing {len(failing)}")
    if failing:
        show(str(vars(min(failing, key=lambda case: len(case.data))))[:5000])
    return 1 if failing else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2])))
