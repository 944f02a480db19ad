"""The reference's report: sections 8 (lines) and 9 (marks) of docs/semantics.md."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate

from reference_text import Array, Object, Text, Value, squeezed

NAMED_MEMBERS = 4
NAME_BYTES = 64
PATH_BYTES = 4096


@dataclass(frozen=True)
class Words:
    """The texts that lines and marks are written with; mirrors sc_words."""

    inline: bool = True
    mark: bytes = b'"_clip":{"truncated":true'
    mark_fields: bytes = b',"fields":'
    mark_omitted: bytes = b',"omitted":'
    mark_more: bytes = b""
    mark_end: bytes = b"}"
    path: bytes = b'{"path":"'
    members: bytes = b',"unit":"members"'
    chars: bytes = b',"unit":"chars"'
    kept: bytes = b',"kept":'
    total: bytes = b',"total":'
    omitted: bytes = b',"omitted":'
    places: bytes = b',"places":'
    gap_at: bytes = b',"gap_at":'
    names: bytes = b',"names":'
    line_end: bytes = b"}"
    frame_bytes: int = len('"_clip":{"cuts":[]},')
    wrap_bytes: int = len('{"data":}')
    more_bytes: int = len(',"more_cuts":') + 4
    note_bytes: int = len(',"note":"What is listed in cuts is not here; it exists."')
    note_chars: int = note_bytes
    selection_bytes: int = 0
    selection_chars: int = 0


@dataclass(frozen=True)
class Line:
    """What is missing in all the places of one path and unit."""

    path: bytes  # a JSON Pointer, as the body of a squeezed string
    unit: str  # "items", "members" or "chars"
    kept: int
    total: int
    places: int
    names: tuple[bytes, ...] = ()  # bodies of keys
    gap_at: int | None = None  # of the items kept, how many stand before it

    @property
    def omitted(self) -> int:
        """How many are not there."""
        return self.total - self.kept

    def text(self, words: Words) -> bytes:
        """Write it with these words."""
        unit = {"items": b"", "members": words.members, "chars": words.chars}
        parts = [words.path, self.path, b'"', unit[self.unit]]
        parts += [words.kept, b"%d" % self.kept, words.total, b"%d" % self.total]
        parts += [words.omitted, b"%d" % self.omitted]
        if self.places > 1:
            parts += [words.places, b"%d" % self.places]
        if self.gap_at is not None:
            parts += [words.gap_at, b"%d" % self.gap_at]
        if self.names:
            parts += [words.names, _list_of_keys(self.names)]
        return b"".join([*parts, words.line_end])


def _list_of_keys(keys: Iterable[bytes]) -> bytes:
    return b"[" + b",".join(b'"' + key + b'"' for key in keys) + b"]"


def _token(key: bytes) -> bytes:
    """Write a key as a reference token, in which `*` is no wildcard."""
    return b"~2" if key == b"*" else _key_token(key)


def lines_of(root: Value) -> list[Line]:
    """Return the lines about a tree, in their order."""
    found: list[Line] = []
    groups: list[tuple[bytes, list[Value]]] = [(b"", [root])]
    while groups:
        path, values = groups.pop()
        found.extend(_lines_here(path, values))
        groups.extend((path + b"/" + t, vs) for t, vs in _below(values).items())
    units = ["items", "members", "chars"]
    return sorted(
        found,
        key=lambda x: (
            x.unit == "chars",
            b"/*/" in x.path + b"/",
            -x.omitted,
            x.path,
            units.index(x.unit),
        ),
    )


def told(lines: list[Line], most: int) -> list[Line]:
    """Return those that are told: none with a path that is too long.

    Args:
        lines: All of them, in their order.
        most: How many bytes their paths may have together.
    """
    short = [line for line in lines if len(line.path) <= PATH_BYTES]
    ends = accumulate(len(line.path) for line in short)
    return [line for line, end in zip(short, ends, strict=True) if end <= most]


def _lines_here(path: bytes, values: list[Value]) -> Iterator[Line]:
    """Write up to three lines about the places at one path."""
    items = [v for v in values if isinstance(v, Array) and len(v.shown) < v.total]
    members = [v for v in values if isinstance(v, Object) and v.missing]
    texts = [v for v in values if isinstance(v, Text) and v.has_place]
    if items:
        kept, total = sum(len(v.shown) for v in items), sum(v.total for v in items)
        gaps = {len(v.parts[0]) if v.keep != "head" else None for v in items}
        gap_at = gaps.pop() if len(gaps) == 1 else None
        yield Line(path, "items", kept, total, len(items), gap_at=gap_at)
    if members:
        kept = sum(len(v.shown) for v in members)
        total = sum(len(v.members) for v in members)
        names = members[0].missing
        if any(v.missing != names for v in members) or not _are_named(names):
            names = ()
        yield Line(path, "members", kept, total, len(members), names)
    if texts:
        kept, total = sum(v.chars for v in texts), sum(v.total for v in texts)
        yield Line(path, "chars", kept, total, len(texts))


def _are_named(missing: tuple[bytes, ...]) -> bool:
    """Tell whether these members, left out, are told by name."""
    few = len(missing) <= NAMED_MEMBERS
    return few and all(len(key) <= NAME_BYTES for key in missing)


def _below(values: list[Value]) -> dict[bytes, list[Value]]:
    """Group what has a place, directly below one path, by the token it gets."""
    arrays = [v for v in values if isinstance(v, Array)]
    objects = [v for v in values if isinstance(v, Object)]
    elements = [e for v in arrays for e in v.shown if e.has_place]
    members = [(k, v) for o in objects for k, v in o.shown if v.has_place]

    keys = len({key for key, _ in members})
    has_map = any(len(v.members) > 16 for v in objects)
    starred = keys > 16 or (keys > 4 and has_map) or bool(elements)
    groups: dict[bytes, list[Value]] = {b"*": elements} if elements else {}
    for key, value in members:
        token = b"*" if starred else _token(key)
        groups.setdefault(token, []).append(value)
    return groups


def _mark(record: Object, words: Words, pointer: bytes) -> bytes:
    """Write the mark of a shortened record."""
    named = _are_named(record.missing)
    fields = [
        m.key
        for m in record.members
        if (named if m.value is None else m.value.has_place)
    ]
    parts = [words.mark]
    if fields:
        if len(fields) > 4:
            fields = [*fields[:4], b"+%d" % (len(fields) - 4)]
        parts += [words.mark_fields, _list_of_keys(fields)]
    if not named:
        parts += [words.mark_omitted, b"%d" % len(record.missing)]
    if words.mark_more:
        parts += [words.mark_more, pointer, b'"']
    return b"".join([*parts, words.mark_end])


def marked(
    value: Value, words: Words, pointer: bytes = b"", *, is_element: bool = False
) -> bytes:
    """Return the squeezed form, with the marks of shortened records."""
    if isinstance(value, Array):
        inner = (
            marked(element, words, pointer + b"/" + token, is_element=True)
            for token, element in numbered(value)
        )
        return b"[" + b",".join(inner) + b"]"
    if not isinstance(value, Object) or not value.has_place:
        return squeezed(value)
    if is_element:
        return b"{" + _mark(value, words, pointer) + b"," + squeezed(value)[1:]
    members = (
        b'"' + key + b'":' + marked(member, words, pointer + b"/" + _key_token(key))
        for key, member in value.shown
    )
    return b"{" + b",".join(members) + b"}"


def numbered(array: Array) -> Iterator[tuple[bytes, Value]]:
    """Yield the elements that are kept, with what they are in a pointer."""
    after = len(array.elements) - len(array.parts[1])
    for at, element in enumerate(array.parts[0]):
        yield array.index(at), element
    for at, element in enumerate(array.parts[1], after):
        yield array.index(at), element


def _key_token(key: bytes) -> bytes:
    return key.replace(b"~", b"~0").replace(b"/", b"~1")
