"""The index: every value is found from every border, whatever the grid."""

from __future__ import annotations

import json
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents import Sample, quoted, sample, samples
from stored import loads, pointers, values_of
from streamclip.core.binding import BORDERS_MAX, Border, Seeker
from streamclip.store.document import Document, Place, Reading, in_memory
from streamclip.store.index import Index

DEPTH = 1024


def borders_of(
    data: bytes, jsonl: bool, stride: int, most: int, chunk: int = 1 << 20
) -> list[Border]:
    """Note borders while a document is fed in chunks."""
    seeker = Seeker(DEPTH, "jsonl" if jsonl else "json")
    seeker.note_borders(stride, most)
    for start in range(0, len(data), chunk):
        seeker.feed(data[start : start + chunk])
    return seeker.borders()


def indexed(of: Sample, stride: int, most: int, chunk: int = 1 << 20) -> Document:
    """Return a sample as a document with an index."""
    index = Index(borders_of(of.data, of.multi, stride, most, chunk))
    index = Index.decode(index.encode())
    return in_memory(of.data, index, jsonl=of.multi, max_depth=DEPTH)


def text_of(reading: Reading, place: Place) -> bytes:
    """Return the text of a value that has just begun."""
    parts: list[bytes] = []
    reading.take_back(reading.offset - 1)
    reading.next(len(place.numbers) - 1, parts.append)
    return b"".join(parts)


def check_values(of: Sample, document: Document, most: int) -> None:
    """Find values of a document by their pointers, read them, and count them."""
    everything = list(pointers(values_of(of)))
    for pointer, value in everything[:: 1 + len(everything) // most]:
        found = document.find(pointer)
        assert found is not None, pointer
        reading, place = found
        if place.numbers:
            assert loads(text_of(reading, place)) == value
        if isinstance(value, (list, dict)):
            again = document.find(pointer)
            assert again is not None
            total = again[0].total(place)
            assert total >= len(value)  # keys may come twice
            assert total == len(value) or isinstance(value, dict)
        elif isinstance(value, str):
            again = document.find(pointer)
            assert again is not None
            assert again[0].all_chars(place) == len(value)


@given(samples, st.integers(1, 40), st.integers(2, 12), st.integers(1, 30))
def test_every_value_is_found(of: Sample, stride: int, most: int, chunk: int) -> None:
    """By its pointer, from whichever border is nearest."""
    chunk = max(chunk, len(of.data) // 99)
    check_values(of, indexed(of, stride, most, chunk), most=12)


@pytest.mark.parametrize("seed", range(12))
def test_every_value_of_a_large_document_is_found(seed: int) -> None:
    """The same for documents with all that makes JSON hard."""
    of = sample(Random(seed))
    check_values(of, indexed(of, stride=32, most=64), most=10**9)


@given(samples, st.integers(1, 40), st.integers(2, 12))
def test_a_border_is_what_it_says(of: Sample, stride: int, most: int) -> None:
    """A value or member begins there, or a string goes on, and it is in order."""
    borders = borders_of(of.data, of.multi, stride, most)
    assert len(borders) < most
    assert sorted(borders) == borders
    assert [b.numbers for b in borders] == sorted(b.numbers for b in borders)
    for border in borders:
        seeker = Seeker(DEPTH, "jsonl" if of.multi else "json")
        seeker.go(border)
        seeker.feed(of.data[border.offset :])  # raises if the grammar is another


@given(
    st.text(st.sampled_from('aé中😀"\\\n\ud83d\ude00'), min_size=1, max_size=60),
    st.booleans(),
    st.integers(1, 9),
    st.integers(1, 9),
    st.data(),
)
def test_characters_are_found(
    text: str, ascii_only: bool, stride: int, chunk: int, data: st.DataObject
) -> None:
    """In strings however they are written, from every border inside."""
    raw = (json.dumps(text) if ascii_only else quoted(text)).encode()
    value = loads(raw)
    number = data.draw(st.integers(0, len(value)))
    index = Index(borders_of(raw, False, stride, 100, chunk))
    document = in_memory(raw, index, jsonl=False, max_depth=DEPTH)
    found = document.find("")
    assert found is not None
    reading, place = found
    at = reading.go_to_char(place, number)
    assert at is not None
    assert loads(b'"' + raw[at.at :]) == value[number:]
    assert at.is_end == (number == len(value))


def test_borders_are_spread_evenly() -> None:
    """Of a large document there are at least half as many as there may be."""
    rows = [{"id": n, "text": "some text " * (n % 7)} for n in range(20000)]
    data = json.dumps({"rows": rows}).encode()
    borders = borders_of(data, False, 16, 256)
    assert 128 <= len(borders) < 256
    offsets = [b.offset for b in borders]
    gaps = [b - a for a, b in zip(offsets, [*offsets[1:], len(data)], strict=True)]
    assert max(gaps) < 3 * len(data) / 128


def test_a_value_inside_a_huge_one_is_reached_in_few_reads() -> None:
    """Whether it is beside large siblings, deep, or at the end."""
    rows = [{"id": n, "tags": list(range(n % 9))} for n in range(60000)]
    value = {"first": rows, "text": "word " * 200000, "last": {"a": [1, 2, rows, 3]}}
    data = json.dumps(value).encode()
    read = 0

    def reads(start: int, end: int) -> bytes:
        nonlocal read
        read += end - start
        return data[start:end]

    index = Index(borders_of(data, False, 16384, BORDERS_MAX))
    document = Document(reads, len(data), index, jsonl=False, max_depth=DEPTH)
    wanted = {
        "/first/50000/id": 50000,
        "/last/a/2/59999/id": 59999,
        "/last/a/3": 3,
        "/last/a/2/7/tags/6": 6,
    }
    for pointer, number in wanted.items():
        read = 0
        found = document.find(pointer)
        assert found is not None
        assert loads(text_of(*found)) == number
        assert read < 600_000 < len(data) / 6, pointer
    read = 0
    found = document.find("/first")
    assert found is not None
    assert found[0].total(found[1]) == len(rows)
    assert read < 200_000


def test_deep_documents_have_borders_above() -> None:
    """A border tells a dozen levels; what is deeper is found from there."""
    value: object = [1, 2, {"x": "found"}]
    for depth in range(40):
        value = [list(range(30)), value] if depth % 2 else {"a": "b" * 50, "k": value}
    data = json.dumps(value).encode()
    index = Index(borders_of(data, False, 10, 50))
    document = in_memory(data, index, jsonl=False, max_depth=DEPTH)
    for pointer, inner in pointers(value):
        found = document.find(pointer)
        assert found is not None
        assert loads(text_of(*found)) == inner
