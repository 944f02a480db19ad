"""docs/semantics.md written a second time: plain Python over the whole document.

    document = Document.read(data, options)
    view = document.view(room, retained_room)
    view.data, view.lines, view.data_with_marks(words)
    found = fit(document, Limits(max_bytes=2000), words, retained_room)

This file has sections 4 (selection, caps) and 7 (finding a room); the rules about text are
in reference_text.py, sharing is in reference_sharing.py, lines and marks are in
reference_report.py. Nothing here streams, and nothing is fast. The native core
reads the document once and must come to the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

from reference_report import Line, Words, lines_of, marked, numbered, told
from reference_sharing import Law, keep
from reference_text import (
    LONG_ATOM,
    Array,
    Fate,
    Member,
    Object,
    Text,
    Value,
    parse,
    squeezed,
)

__all__ = [
    "Document",
    "Fitted",
    "Limits",
    "Line",
    "Need",
    "Options",
    "View",
    "Words",
    "fit",
    "parse",
]

BITS = 29  # of the grid on which a room is searched
LISTED_LINES = 8
NOTE_ROOM = 400


@dataclass(frozen=True)
class Options:
    """What a caller may ask for; zero and empty are "not asked"."""

    max_items: int = 0
    max_string_chars: int = 0
    max_record_bytes: int = 0
    collection: tuple[bytes, ...] = ()  # reference tokens, as squeezed bodies
    fields: tuple[bytes, ...] = ()  # keys, likewise
    drop: tuple[bytes, ...] = ()
    keep: str = "head"


# --- Section 4: before sharing


def _select(
    value: Value, options: Options, *, is_element: bool = False, within: bool = False
) -> Value:
    """Return a value without the members that are deselected.

    Args:
        value: The value.
        options: What is selected.
        is_element: It is an element of an array, or a line.
        within: It is in a record.
    """
    inner = partial(_select, options=options)
    if isinstance(value, Array):
        elements = (inner(e, is_element=True, within=within) for e in value.elements)
        return Array(tuple(elements), value.total)
    if isinstance(value, Object):
        is_record = is_element and not within
        chosen = [m for m in value.members if m.key not in options.drop]
        if is_record and options.fields:
            chosen = [m for m in chosen if m.key in options.fields]
        within = within or is_record
        members = (Member(m.key, inner(m.value, within=within)) for m in chosen)
        return Object(tuple(members))
    return value


def _is_capped_out(limit: int, text: Text) -> bool:
    """Tell whether a cap on characters leaves nothing of a string."""
    if not limit or text.total <= limit:
        return False
    return text.string.is_atom or text.string.prefix_by_chars(limit) == 0


def _is_long_atom(text: Text) -> bool:
    return text.string.is_atom and text.size > LONG_ATOM


def _leave_out(value: Value | None, options: Options, *, atoms: bool) -> Value | None:
    """Apply the caps or, if asked for, leave out the long atoms instead.

    Returns:
        What is left; None if that is nothing though there was something.
    """
    takes_first = options.keep == "head" and not atoms
    max_items = options.max_items if takes_first else 0
    max_chars = 0 if atoms else options.max_string_chars
    is_out = _is_long_atom if atoms else partial(_is_capped_out, max_chars)
    inner = partial(_leave_out, options=options, atoms=atoms)

    if isinstance(value, Text):
        if is_out(value):
            return None
        if max_chars and value.total > max_chars:
            return replace(value, chars=value.string.prefix_by_chars(max_chars))
        return value
    if isinstance(value, Array):
        array = replace(
            value, keep=options.keep, elements=value.elements[: max_items or None]
        )
        array = _without(array, is_out)
        return replace(array, elements=tuple(map(inner, array.elements)))
    if isinstance(value, Object):
        members = tuple(
            Member(m.key, None, Fate.WEIGHTLESS)
            if isinstance(m.value, Text) and is_out(m.value)
            else Member(m.key, inner(m.value), m.fate)
            for m in value.members
        )
        if members and all(m.fate is Fate.WEIGHTLESS for m in members):
            return None
        return Object(members)
    return value


def _without(array: Array, is_out: Callable[[Text], bool]) -> Array:
    """Leave out such elements, and what is on the far side of them."""
    elements = array.elements
    out = [at for at, e in enumerate(elements) if isinstance(e, Text) and is_out(e)]
    if not out:
        return array
    before = {"head": out[0], "tail": 0, "ends": min(out[0], array.gap or out[0])}
    after = max(out[-1] + 1, array.gap or 0) if array.keep != "head" else len(elements)
    if array.gap == 0:
        before["ends"] = 0
    gap = before[array.keep]
    elements = elements[:gap] + elements[after:]
    return replace(array, elements=elements, closed=True, gap=gap)


def _trim(value: Value | None, options: Options) -> Value | None:
    """Apply max_items where it is not the first elements that it leaves."""
    if options.keep == "head" or not options.max_items:
        return value
    if isinstance(value, Object):
        members = (replace(m, value=_trim(m.value, options)) for m in value.members)
        return replace(value, members=tuple(members))
    if not isinstance(value, Array):
        return value
    elements = tuple(_trim(e, options) for e in value.elements)
    value = replace(value, elements=elements)
    if value.total <= options.max_items:
        return value
    first = -(-options.max_items // 2) if value.keep == "ends" else 0
    last = options.max_items - first
    gap = {"tail": 0, "ends": first if value.gap is None else value.gap}[value.keep]
    head, tail = elements[:gap], elements[gap:]
    closed = value.closed and (len(head) < first or len(tail) < last)
    tail = tail[len(tail) - last :] if len(tail) > last else tail
    head = head[:first]
    return replace(value, elements=head + tail, closed=closed, gap=len(head))


# --- Sections 4.3 and 7: views, and finding a room


@dataclass(frozen=True)
class Document:
    """A document as it is before sharing."""

    capped: Value | None
    stripped: Value | None  # without long atoms
    options: Options = field(default_factory=Options)
    multi: bool = False
    deselected: bool = False  # something was

    @classmethod
    def read(
        cls, data: bytes, options: Options | None = None, *, multi: bool = False
    ) -> Document:
        """Parse a document and apply the caps."""
        options = options or Options()
        whole = parse(data, multi=multi)
        selected = _select(whole, options)
        capped = _leave_out(selected, options, atoms=False)
        stripped = _leave_out(capped, options, atoms=True)
        return cls(capped, stripped, options, multi, selected != whole)

    def keep(self, *rooms: int) -> Value | None:
        """Return K(D, b), or with more rooms K(K(D, b), ...)."""
        value = self.capped
        if value is not None and value.size > min(rooms):
            value = self.stripped
        for room in rooms:
            value = self._keep(value, room)
        return value

    def view(
        self, room: int, retained_room: int, *, without_atoms: bool = False
    ) -> View:
        """Return what is shown at one room of what another room retains.

        Args:
            room: d.
            retained_room: R. Larger rooms show no more.
            without_atoms: long atoms are out, though the whole may fit.
        """
        value = self.capped
        if value is None or value.given_up or value.size > retained_room:
            value = _trim(self._keep(self.stripped, retained_room), self.options)
        else:
            value = _trim(value, self.options)
            if value is not None and (without_atoms or value.size > room):
                value = _leave_out(value, self.options, atoms=True)
        value = self._keep(value, min(room, retained_room), aligns_columns=True)
        return View(value, room, self.multi, retained_room)

    def _keep(
        self, value: Value | None, room: int, *, aligns_columns: bool = False
    ) -> Value | None:
        law = Law(self.options.max_record_bytes, aligns_columns)
        # In JSON Lines the pointer leads through each line.
        way = (*((None,) if self.multi else ()), *self.options.collection)
        return keep(value, room, law, way if self.options.collection else ())


@dataclass(frozen=True)
class View:
    """What is kept at one room, written out."""

    root: Value | None
    room: int
    multi: bool = False
    retained_room: int = 0

    @property
    def complete(self) -> bool:
        """Whether nothing was left out."""
        return self.root is not None and not self.root.has_place

    @cached_property
    def lines(self) -> list[Line]:
        """What was left out, as far as that is told."""
        return told(self.all_lines, self.retained_room)

    @cached_property
    def all_lines(self) -> list[Line]:
        """What was left out."""
        return [] if self.root is None else lines_of(self.root)

    @cached_property
    def data(self) -> bytes:
        """The squeezed form; of JSON Lines, without a line break at the end."""
        return b"" if self.root is None else self._join(squeezed)

    def data_with_marks(self, words: Words) -> bytes:
        """Return the data with a mark in every shortened record."""
        if self.root is None:
            return b""
        if not isinstance(self.root, Array) or not self.multi:
            return marked(self.root, words)
        lines = numbered(self.root)
        return b"\n".join(
            marked(line, words, b"/" + at, is_element=True) for at, line in lines
        )

    def _join(self, write: Callable[[Value], bytes]) -> bytes:
        assert self.root is not None
        if self.multi:
            assert isinstance(self.root, Array)
            return b"\n".join(map(write, self.root.shown))
        return write(self.root)


@dataclass(frozen=True)
class Limits:
    """What a finished text may measure."""

    max_bytes: int | None = None
    max_chars: int | None = None

    def allow(self, need: Need) -> bool:
        """Tell whether a text of this need is within the limits."""
        fits = self.max_bytes is None or need.size <= self.max_bytes
        return fits and (self.max_chars is None or need.chars <= self.max_chars)


@dataclass(frozen=True)
class Need:
    """What a finished text measures, or would."""

    size: int
    chars: int


@dataclass(frozen=True)
class Fitted:
    """The view found for a document."""

    view: View
    need: Need
    fits: bool  # else nothing does, and this is the least text there is
    counted_only: bool = False  # the report has no lines


def need_of(view: View, words: Words, *, counted_only: bool = False) -> Need:
    """Measure the text of a view, with what its room reserves for the report."""
    if view.complete or not words.inline:
        return Need(len(view.data), len(view.data.decode()))
    data = view.data_with_marks(words)
    texts = [] if counted_only else listed(view, words)
    lines = b",".join(texts)
    block = words.frame_bytes
    if view.multi or not isinstance(view.root, Object):
        block += words.wrap_bytes
    if len(texts) < len(view.all_lines):
        block += words.more_bytes
    need = Need(
        block + len(lines) + len(data),
        block + len(lines.decode()) + len(data.decode()),
    )
    selection = words.selection_bytes
    if selection <= max(160, view.room // 5) and not counted_only:
        need = Need(need.size + selection, need.chars + words.selection_chars)
    if view.room >= max(NOTE_ROOM, 4 * words.note_bytes) and not counted_only:
        need = Need(need.size + words.note_bytes, need.chars + words.note_chars)
    return need


def listed(view: View, words: Words) -> list[bytes]:
    """Return the lines that the room of a view reserves bytes for."""
    texts: list[bytes] = []
    left = max(160, view.room // 5)
    for line in view.lines[:LISTED_LINES]:
        text = line.text(words)
        left -= len(text) + (1 if texts else 0)
        if left < 0:
            break
        texts.append(text)
    return texts


def fit(
    document: Document, limits: Limits, words: Words, retained_room: int
) -> Fitted | None:
    """Find the largest room whose text fits, on the grid of section 7.

    Returns:
        What is shown and what it needs; None if at no room anything is kept.
    """
    found = document.view(retained_room, retained_room)
    if found.root is not None and limits.allow(need_of(found, words)):
        return Fitted(found, need_of(found, words), fits=True)
    whole = None
    if found.root is not None and found.complete:
        whole = need_of(found, words)

    view = partial(document.view, retained_room=retained_room, without_atoms=True)
    room = 0
    for bit in range(BITS, -1, -1):
        tried = view(room + (1 << bit))
        if tried.room <= retained_room and (
            tried.root is None or limits.allow(need_of(tried, words))
        ):
            room = tried.room
    found = view(room)
    if found.root is not None:
        return Fitted(found, need_of(found, words), fits=True)

    found = view(room + 1)
    if found.root is None:
        return None
    need = need_of(found, words, counted_only=True)
    fits = limits.allow(need)
    if not fits and whole and whole.size <= need.size and whole.chars <= need.chars:
        need = whole  # a report costs more than it saves
    return Fitted(found, need, fits=fits, counted_only=True)
