"""The answer does not depend on where the input is cut into chunks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import accumulate, pairwise
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents import Sample, sample, samples
from native import AUTO, CoreError, Native
from reference import Limits, Options, Words
from streamclip import (
    BudgetTooSmallError,
    Clip,
    Clipper,
    InvalidJSONError,
    StreamclipError,
    clip,
)

BOM = b"\xef\xbb\xbf"

# A boundary falls inside everything: each form of a number, each escape, each
# length of UTF-8, literals, keys, the byte order mark, line ends.
VALID = (
    b"[0,-0,1.5,-12.25,1e5,1E+2,-3.5e-7,9007199254740993,0.0E-0]",
    b"-10.25e+10",
    b"0",
    rb'"\u00e9\uD83D\uDE00\ud83d\udc00x\ud800\n\b\f\r\t\"\\\/"',
    '"é汉😀߿ࠀ\uffff\U00010000\U0010ffff"'.encode(),
    '["e\u0301e\u0301","👩🏽‍🚀👨‍👩‍👧","🇩🇪🇨🇳"]'.encode(),
    b"[true,false,null,[],{},[[]],[{}]]",
    BOM + b'{"a":1}',
    BOM + b" 12 ",
    b'{"a":1}\n{"b":[2,3]}\r\n"c"\n\n4.5\ntrue\n',
    b"1\n2\n3",
    b'{"k\\u00e9y\\n":1,"k\\ud83d\\ude00":"v","":[],"a\\/b":{"c":null}}',
    '{"订单":"已发货","note":"é","n":[1.10,1E+2]}'.encode(),
    b' { "a" : [ 1 , 2 ] ,\r\n\t"b" : "c" } ',
    b'[{"id":1,"t":"some words of text"},{"id":2,"t":"more words"},{"id":3}]',
    b'{"u":"https://example.org/a/b/c","d":"data:;base64,QUJD","total":3}',
    b'{"_clip":{"cuts":[]},"a":1,"a":2,"a":[1,2,3]}',
)
BROKEN = (
    b"",
    b"  \n ",
    b"\xef\xbb",
    b"\xef\xbbx",
    b"\xef\xbb\xbf\xef\xbb\xbf1",
    b"[01]",
    b"[1.]",
    b"[-]",
    b"[1e+]",
    b"[1.5.5]",
    b"12x",
    b"tru",
    b"[nulL]",
    b'["\\x"]',
    b'["\\u00g0"]',
    b'["a\nb"]',
    b'["\xff"]',
    b'["\xe6\xb1"]',
    b'["\xf4\x90\x80\x80"]',
    b'["\xed\xa0\x80"]',
    b'["\xc0\xaf"]',
    b'{"a":1}}',
    b'{"a":1} {"b":2}',
    b'{"a":1}\n{"b":2}\n[',
    b'{"a":1}\n]',
    b'{"a" 1}',
    b'{"a":1,}',
    b"[1,,2]",
    b"[1 2]",
    b"{1:2}",
    b"[[[[[1]]]]",
    b'{"a":"no end \\ud83d',
    b'{"a":[1,2,{"b":"te\xe6\xb1',
    b"[NaN]",
    b"\x00",
)
SMALL = VALID + BROKEN

ASKED: tuple[dict[str, Any], ...] = (
    {"max_bytes": 1000},
    {"max_bytes": 60, "note": False},
    {"max_chars": 45, "report": "detached"},
    {"max_bytes": 50, "report": "siblings", "format": "json"},
    {"max_bytes": 70, "incomplete": "keep", "note": False, "format": "jsonl"},
    {"max_bytes": 30, "report": "detached", "read": "enough", "incomplete": "keep"},
    {"max_bytes": 500, "max_items": 2, "max_string_chars": 5, "max_depth": 3},
)


def pieces(data: bytes, size: int) -> Iterator[bytes]:
    """Cut data into chunks of one size."""
    return (data[at : at + size] for at in range(0, len(data), size))


def split(data: bytes, *places: int) -> Iterator[bytes]:
    """Cut data at places, which may repeat: then a chunk is empty."""
    ends = [0, *sorted(places), len(data)]
    return (data[a:b] for a, b in pairwise(ends))


def outcome(chunks: Iterable[bytes], **options: Any) -> tuple[object, ...]:
    """Return all that a caller learns: the clip and its report, or the error."""

    def made() -> Clip:
        with Clipper(**options) as clipper:
            for chunk in chunks:
                if not clipper.feed(chunk):
                    break
            return clipper.finish()

    return learnt(made)


def learnt(made: Callable[[], Clip]) -> tuple[object, ...]:
    """Return what is learnt from making a clip, or failing to."""
    try:
        found = made()
    except InvalidJSONError as error:
        return type(error), error.reason, error.offset
    except StreamclipError as error:
        return type(error), error.args
    return found.data, found.complete, found.report


@pytest.mark.parametrize("options", ASKED, ids=str)
@pytest.mark.parametrize("data", SMALL)
def test_every_chunk_size_gives_the_same(data: bytes, options: dict[str, Any]) -> None:
    """From byte by byte to all at once."""
    whole = outcome([data], **options)
    for size in range(1, min(64, len(data)) + 1):
        assert outcome(pieces(data, size), **options) == whole, size


@pytest.mark.parametrize("options", ASKED, ids=str)
@pytest.mark.parametrize("data", SMALL)
def test_every_split_in_two_gives_the_same(
    data: bytes, options: dict[str, Any]
) -> None:
    """Wherever the one boundary is, the ends included."""
    whole = outcome([data], **options)
    for place in range(len(data) + 1):
        assert outcome(split(data, place), **options) == whole, place


@pytest.mark.parametrize("data", [data for data in SMALL if len(data) <= 24])
def test_every_split_in_three_gives_the_same(data: bytes) -> None:
    """Two boundaries may fall inside one token, or leave nothing between them."""
    for options in ASKED[::3]:
        whole = outcome([data], **options)
        for one in range(len(data) + 1):
            for two in range(one, len(data) + 1):
                assert outcome(split(data, one, two), **options) == whole


@pytest.mark.parametrize("data", SMALL)
def test_empty_chunks_change_nothing(data: bytes) -> None:
    """They may come before, after and between all others."""
    for options in ASKED:
        empty = [part for piece in pieces(data, 1) for part in (b"", piece, b"")]
        assert outcome([b"", b"", *empty], **options) == outcome([data], **options)


@pytest.mark.parametrize("data", SMALL)
def test_clip_and_clipper_say_the_same(data: bytes) -> None:
    """Bytes that may fit as they are take a way of their own through clip()."""
    for options in ASKED:
        assert outcome([data], **options) == learnt(partial(clip, data, **options))


@given(samples, st.integers(1, 2000), st.sampled_from(ASKED))
def test_one_call_and_several_come_to_the_same(
    of: Sample, budget: int, options: dict[str, Any]
) -> None:
    """A document in memory takes one call of the core where that is enough."""
    options = {**options, "format": "auto"}
    options["max_bytes" if "max_bytes" in options else "max_chars"] = budget
    whole = outcome([of.data], **options)
    assert learnt(partial(clip, of.data, **options)) == whole


def test_text_in_chunks_is_as_good_as_bytes() -> None:
    """A str may be cut between any two characters, also inside a cluster."""
    for data in VALID:
        text = data.decode()
        for options in ASKED:
            assert outcome(list(text), **options) == outcome([data], **options)


def cuts_of(size: int) -> st.SearchStrategy[list[int]]:
    """Return places to cut that many bytes at."""
    return st.lists(st.integers(0, size), max_size=30)


@given(samples, st.data(), st.integers(1, 700), st.sampled_from(ASKED))
def test_random_chunks_give_the_same(
    of: Sample, draw: st.DataObject, budget: int, options: dict[str, Any]
) -> None:
    """Of generated documents, some of which end early."""
    data = of.data
    data = data[: draw.draw(st.integers(0, len(data)) | st.just(len(data)))]
    options = {**options, "format": "auto"}
    unit = "max_bytes" if "max_bytes" in options else "max_chars"
    options[unit] = budget
    places = draw.draw(cuts_of(len(data)))
    assert outcome(split(data, *places), **options) == outcome([data], **options)


# Below the public floor of 64 KiB, where small documents are compacted while
# they are read.

ROOMS = (33, 48, 64, 110, 200)
SLACKS = (0, 1, 17, 100)


def seen(
    chunks: Iterable[bytes],
    options: Options,
    *,
    room: int,
    slack: int,
    keep: bool = False,
    early: bool = False,
    text_format: int = AUTO,
) -> tuple[object, ...]:
    """Return all that the core comes to, at several rooms and for a budget."""
    core = Native(
        options, room=room, slack=slack, stop_early=early, text_format=text_format
    )
    try:
        core.feed(chunks)
        core.finish(keep_incomplete=keep)
    except CoreError as error:
        return error.status, error.offset
    found: list[object] = []
    for words in (Words(), Words(inline=False)):
        found += [core.view(words, r) for r in (room, room * 3 // 4, room // 2)]
        found.append(core.fit(words, Limits(max_bytes=room)))
    return tuple(found)


def test_what_is_needed_is_the_same_where_reading_stops_early() -> None:
    """Of such short parts of records nothing is kept, and the end is not read to."""
    data = b"[" + b",".join([b'{"text":"some words"}'] * 8000) + b"]"
    options: dict[str, Any] = {
        "max_bytes": 1000,
        "max_record_bytes": 20,
        "read": "enough",
    }
    needed = set()
    for size in (1000, 4099, len(data)):
        chunks = (data[at : at + size] for at in range(0, len(data), size))
        with pytest.raises(BudgetTooSmallError) as caught:
            clip(chunks, **options)
        needed.add(caught.value.needed)
    (least,) = needed
    assert least > 1000


@pytest.mark.parametrize("early", [False, True], ids=["all", "enough"])
@pytest.mark.parametrize("keep", [False, True], ids=["error", "keep"])
@pytest.mark.parametrize("room", ROOMS)
def test_compaction_while_reading_gives_the_same(
    room: int, keep: bool, early: bool
) -> None:
    """Every chunk size and every split, at tiny rooms and slacks."""
    for data in SMALL:
        for slack in SLACKS:
            asked: dict[str, Any] = {"room": room, "slack": slack, "keep": keep}
            asked["early"] = early
            whole = seen([data], Options(), **asked)
            for size in (1, 2, 3, 7):
                assert seen(pieces(data, size), Options(), **asked) == whole, data
            for place in range(slack % 3, len(data), 3):
                assert seen(split(data, place), Options(), **asked) == whole, data


@pytest.mark.parametrize("seed", range(10))
def test_compaction_of_large_documents_gives_the_same(seed: int) -> None:
    """With every option, whatever the slack: it is no part of the rules either."""
    random = Random(seed)
    for _ in range(8):
        of = sample(random)
        room = random.randrange(110, 1500)
        data = of.data
        if random.random() < 0.3:
            data = data[: random.randrange(len(data) + 1)]
        keep, early = random.random() < 0.5, random.random() < 0.3
        slack = random.choice([0, 1, 100, room, 3 * room])
        asked: dict[str, Any] = {"room": room, "slack": slack, "keep": keep}
        asked |= {"early": early}
        whole = seen([data], of.options, **asked)
        sizes = [random.randrange(1, 64) for _ in range(len(data))]
        places = [p for p in accumulate(sizes) if p < len(data)]
        assert seen(split(data, *places), of.options, **asked) == whole
        for size in (1, 5, 64, 1000):
            assert seen(pieces(data, size), of.options, **asked) == whole
        if not early:
            asked["slack"] = random.choice([0, 3, 50, room])
            assert seen(pieces(data, 11), of.options, **asked) == whole


@given(samples, st.data(), st.integers(110, 500), st.integers(0, 300))
def test_random_chunks_and_slacks_give_the_same(
    of: Sample, draw: st.DataObject, room: int, slack: int
) -> None:
    """The same with documents that shrink well."""
    data = of.data
    places = draw.draw(cuts_of(len(data)))
    keep, early = draw.draw(st.booleans()), draw.draw(st.booleans())
    data = data[: draw.draw(st.integers(0, len(data)) | st.just(len(data)))]
    asked: dict[str, Any] = {"room": room, "slack": slack, "keep": keep}
    asked["early"] = early
    whole = seen([data], of.options, **asked)
    places = [place for place in places if place <= len(data)]
    assert seen(split(data, *places), of.options, **asked) == whole
