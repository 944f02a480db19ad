"""The laws of the family K(v, b) hold for the reference itself."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import accumulate, pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents import Sample, sample, samples
from reference import (
    Document,
    Limits,
    Line,
    Words,
    fit,
    need_of,
)
from reference_report import lines_of
from reference_text import (
    Array,
    Member,
    Object,
    Scalar,
    Text,
    Value,
    cut_points,
    is_atom,
    parse,
    squeezed,
)

UNLIMITED = 1 << 40
MARK_KEY = "☂".encode()  # no generated document has it
MARKED = Words(mark=b'"%s":{"truncated":true' % MARK_KEY)


def read(of: Sample) -> Document:
    """Parse a sample and apply its caps."""
    return Document.read(of.data, of.options, multi=of.multi)


def is_part(part: Value | None, whole: Value | None) -> bool:
    """Tell whether one tree is a sub-document of the other."""
    if part is None or part is whole:
        return True
    if isinstance(part, Scalar):
        return part == whole
    if isinstance(part, Text):
        return isinstance(whole, Text) and whole.body.startswith(part.body)
    if isinstance(part, Array):
        if not isinstance(whole, Array) or len(part.shown) > len(whole.shown):
            return False
        shown, of = part.shown, whole.shown
        splits = {"head": [len(shown)], "tail": [0], "ends": range(len(shown) + 1)}
        return any(
            all(map(is_part, shown[:at], of))
            and all(map(is_part, shown[at:], of[len(of) - len(shown) + at :]))
            for at in splits[part.keep]
        )
    if not isinstance(whole, Object) or len(part.members) != len(whole.members):
        return False
    return all(
        p.key == w.key and is_part(p.value, w.value)
        for p, w in zip(part.members, whole.members, strict=True)
    )


def signature(value: Value | None) -> object:
    """Return all of a tree that can be seen."""
    if value is None:
        return None
    return squeezed(value), lines_of(value)


def places_of(
    value: Value, path: tuple[bytes, ...] = ()
) -> Iterator[tuple[tuple[bytes, ...], str, int, int]]:
    """Yield path, unit, kept and total of all places, one by one."""
    if isinstance(value, Text) and value.has_place:
        yield path, "chars", value.chars, value.total
    elif isinstance(value, Array):
        if len(value.shown) < value.total:
            yield path, "items", len(value.shown), value.total
        for at, element in enumerate(value.shown):
            yield from places_of(element, (*path, b"%d" % at))
    elif isinstance(value, Object):
        if value.missing:
            yield path, "members", len(value.shown), len(value.members)
        for key, below in value.shown:
            yield from places_of(below, (*path, key))


def matches(line: Line, path: tuple[bytes, ...], unit: str) -> bool:
    """Tell whether a line's pattern fits the path of a place."""
    pattern = line.path.split(b"/")[1:]
    return (
        line.unit == unit
        and len(pattern) == len(path)
        and all(
            token in (b"*", _token(key))
            for token, key in zip(pattern, path, strict=True)
        )
    )


def _token(key: bytes) -> bytes:
    return b"~2" if key == b"*" else key.replace(b"~", b"~0").replace(b"/", b"~1")


def without_marks(value: Value, marks: list[Object]) -> Value:
    """Take the marks out of a tree, and put the records that had one aside."""
    if isinstance(value, Array):
        return replace(
            value, elements=tuple(without_marks(e, marks) for e in value.shown)
        )
    if not isinstance(value, Object):
        return value
    if value.members and value.members[0].key == MARK_KEY:
        marks.append(value)
    return Object(
        tuple(
            Member(key, without_marks(below, marks))
            for key, below in value.shown
            if key != MARK_KEY
        )
    )


def records(value: Value, *, is_element: bool = False) -> int:
    """Count the shortened records; of nested ones the outermost."""
    if isinstance(value, Array):
        return sum(records(e, is_element=True) for e in value.shown)
    if not isinstance(value, Object) or not value.has_place:
        return 0
    return 1 if is_element else sum(records(below) for _, below in value.shown)


def stubs(value: Value) -> Iterator[Value]:
    """Yield the containers in which nothing is kept of what they had."""
    if isinstance(value, Array):
        if value.total and not value.shown:
            yield value
        for element in value.shown:
            yield from stubs(element)
    elif isinstance(value, Object):
        if value.members and not value.shown:
            yield value
        for _, below in value.shown:
            yield from stubs(below)
    elif isinstance(value, Text) and value.total and not value.chars:
        yield value


def check_family(document: Document, rooms: list[int]) -> None:
    """Check the laws of K at some rooms, in falling order."""
    kept = {room: document.keep(room) for room in rooms}
    for room, value in kept.items():
        assert value is None or value.size <= room
        assert value is None or not list(stubs(value))
        assert signature(document.keep(room, UNLIMITED)) == signature(value)
        assert signature(document.keep(room, room)) == signature(value)
    for more, less in pairwise(rooms):
        assert is_part(kept[less], kept[more])
        assert signature(document.keep(more, less)) == signature(kept[less])


def check_lines(value: Value) -> None:
    """Check that every place is in exactly one line, and in all numbers."""
    lines = lines_of(value)
    counted: dict[tuple[bytes, str], list[int]] = {}
    for path, unit, kept, total in places_of(value):
        found = [line for line in lines if matches(line, path, unit)]
        assert len(found) == 1, (path, found)
        sums = counted.setdefault((found[0].path, unit), [0, 0, 0])
        sums[:] = [sums[0] + kept, sums[1] + total, sums[2] + 1]
    for line in lines:
        assert counted[line.path, line.unit] == [line.kept, line.total, line.places]
        assert line.kept + line.omitted == line.total
        assert line.kept < line.total


def rooms_for(document: Document, random: Random, count: int = 6) -> list[int]:
    """Choose rooms at which something happens, the largest first."""
    top = document.capped.size + 2 if document.capped else 100
    rooms = {random.randrange(top) for _ in range(count)}
    rooms |= {min(top, 31 + random.randrange(60)), top, random.choice([*rooms]) + 1}
    return sorted(rooms, reverse=True)


def columns_of(value: Value) -> Iterator[list[Array]]:
    """Yield the sibling arrays that are columns of one table."""
    if isinstance(value, Array):
        for element in value.shown:
            yield from columns_of(element)
    if isinstance(value, Object):
        groups: dict[int, list[Array]] = {}
        for _, below in value.shown:
            yield from columns_of(below)
            if isinstance(below, Array) and below.total >= 4 and below.shown:
                first = below.shown[0]
                if isinstance(first, Scalar | Text):
                    groups.setdefault(below.total, []).append(below)
        yield from groups.values()


def need_within(document: Document, limits: Limits, words: Words, room: int) -> int:
    """Check one fit, and return its room; -1 if nothing fits."""
    found = fit(document, limits, words, room)
    if found is None:
        return -1
    assert found.fits == limits.allow(found.need)
    need = need_of(found.view, words, counted_only=found.counted_only)
    if found.need != need:  # of what does not fit the whole may be the least
        assert not found.fits
        assert found.need == need_of(document.view(room, room), words)
    return found.view.room if found.fits else -1


@given(samples, st.randoms(use_true_random=False))
def test_the_family_nests_for_small_documents(of: Sample, random: Random) -> None:
    """K(v, b) is part of K(v, b') and K(K(v, b'), b) equals K(v, b)."""
    document = read(of)
    check_family(document, rooms_for(document, random))


@pytest.mark.parametrize("seed", range(10))
def test_the_family_nests_for_large_documents(seed: int) -> None:
    """The same, with documents in which more happens."""
    random = Random(seed)
    for _ in range(20):
        document = read(sample(random))
        check_family(document, rooms_for(document, random))


@given(samples, st.randoms(use_true_random=False))
def test_each_place_is_in_one_line_of_small_documents(
    of: Sample, random: Random
) -> None:
    """The report counts every place once, and kept + omitted == total."""
    document = read(of)
    for room in rooms_for(document, random):
        value = document.keep(room)
        if value is not None:
            check_lines(value)


@pytest.mark.parametrize("seed", range(10))
def test_each_place_is_in_one_line_of_large_documents(seed: int) -> None:
    """The same, with documents in which more happens."""
    random = Random(1000 + seed)
    for _ in range(20):
        document = read(sample(random))
        for room in rooms_for(document, random):
            value = document.keep(room)
            if value is not None:
                check_lines(value)


@pytest.mark.parametrize("seed", range(10))
def test_what_is_kept_is_valid_and_part_of_the_document(seed: int) -> None:
    """Nothing is invented, and what is written can be read again."""
    random = Random(2000 + seed)
    for _ in range(10):
        of = sample(random)
        whole = parse(of.data, multi=of.multi)
        document = read(of)
        for room in rooms_for(document, random, count=3):
            view = document.view(room, room + random.randrange(100))
            if view.root is None:
                continue
            assert is_part(view.root, whole)
            again = parse(view.data, multi=of.multi)
            assert squeezed(again) == squeezed(view.root)
            assert again.size == view.root.size
            marks: list[Object] = []
            marked = parse(view.data_with_marks(MARKED), multi=of.multi)
            assert squeezed(without_marks(marked, marks)) == squeezed(view.root)
            assert len(marks) == records(view.root)


@pytest.mark.parametrize("seed", range(10))
def test_views_of_what_is_retained_nest_and_keep_columns_aligned(seed: int) -> None:
    """Columns of one table have the same length at every room."""
    random = Random(4000 + seed)
    for _ in range(15):
        document = read(sample(random))
        rooms = rooms_for(document, random)
        retained_room = random.choice(rooms)
        roots = [document.view(room, retained_room).root for room in rooms]
        for more, less in pairwise(roots):
            assert is_part(less, more)
        for root in (root for root in roots if root is not None):
            for columns in columns_of(root):
                assert len({len(column.shown) for column in columns}) == 1


@pytest.mark.parametrize("seed", range(10))
def test_a_larger_budget_ends_at_no_smaller_room(seed: int) -> None:
    """And so keeps no less; what fits measures at most the budget."""
    random = Random(3000 + seed)
    for _ in range(4):
        document = read(sample(random))
        size = document.capped.size if document.capped else 100
        words = Words(inline=random.random() < 0.7)
        for unit in ("max_bytes", "max_chars"):
            budgets = sorted(random.randrange(size + 300) for _ in range(5))
            rooms = [
                need_within(document, Limits(**{unit: budget}), words, 2 * size)
                for budget in budgets
            ]
            assert rooms == sorted(rooms)


@given(samples)
def test_reading_loses_nothing(of: Sample) -> None:
    """The tree has the values of json, the numbers as written, the order."""
    values = [parse(line) for line in of.data.splitlines() if line.strip()]
    assert [to_python(v) for v in values] == [
        json.loads(line, object_pairs_hook=list, parse_int=str, parse_float=str)
        for line in of.data.splitlines()
        if line.strip()
    ]


def to_python(value: Value) -> object:
    """Return what json.loads makes of it, numbers as text, objects as pairs."""
    if isinstance(value, Scalar):
        written = value.written.decode()
        return {"true": True, "false": False, "null": None}.get(written, written)
    if isinstance(value, Text):
        return value.string.text
    if isinstance(value, Array):
        return [to_python(element) for element in value.shown]
    return [(json.loads(b'"' + key + b'"'), to_python(v)) for key, v in value.shown]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("https://e.org/", True),
        ("x+y.z-1://", True),
        ("X://e.org", False),
        ("1://e.org", False),
        ("https://e.org/a b", False),
        ("https://e.org/" + "b" * 33 + "  ", False),  # the space is the 48th
        ("https://e.org/" + "b" * 34 + " ", True),
        ("data:", True),
        ("data", False),
        ("a" * 39, False),
        ("a" * 40, True),
        ("a" * 47 + " ", False),
        ("a" * 48 + " ", True),
        ("a" * 39 + "!" + "a" * 40, False),
        ("a" * 40 + '"\\', True),
        ("a" * 40 + "\x7f", False),
        ("", False),
    ],
)
def test_atoms_are_told_by_their_head(text: str, expected: bool) -> None:
    """The first 48 characters decide."""
    assert is_atom(text) == expected


@pytest.mark.parametrize(
    ("clusters"),
    [
        ["a", "b"],
        ["e\u0301", "e"],
        ["👩🏽‍🚀", "👩"],
        ["🇩🇪", "🇨🇳", "🇩"],
        ["\u1112\u1161\u11ab", "\uac00"],
        ["\r\n", "\n", "\r"],
        ["e" + "\u0301" * 63, "\u0301" * 64, "\u0301", "f"],
        ["\ud83d", "\udc00"],
    ],
)
def test_text_is_cut_between_clusters(clusters: list[str]) -> None:
    """And a cluster has 64 characters at most."""
    ends = accumulate(map(len, clusters))
    assert cut_points("".join(clusters)) == [0, *ends]
