"""Pages: clips of a part of a stored value.

What a page is fed stands in the document as it is, so nothing is parsed here: the
text from one element to another, with brackets around it, is a document of its
own, and a Clipper clips it. It is fed whole elements until more could not be kept.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from streamclip.clipper import Clip, Clipper
from streamclip.core.binding import Found
from streamclip.errors import BudgetTooSmallError, ReferenceNotFoundError
from streamclip.options.options import Options
from streamclip.report.values import Page
from streamclip.store.document import (
    ALL,
    Document,
    Place,
    Reading,
    Run,
    embedded_document,
    runs,
    texts_of,
)

__all__ = ["Request", "fetch_page"]

STEP_BYTES = 32 * 1024  # fed between two looks at whether it is enough
NAMES_TOLD = 12  # members that an error names

SIGNS = {b"[": (b"[", b"]"), b"{": (b"{", b"}"), b"": (b"", b"")}


@dataclasses.dataclass(frozen=True, slots=True)
class Request:
    """What is asked for.

    `ref` is the document's handle, `tool` the name of the tool that fetches.
    """

    ref: str
    at: str
    start: int
    count: int | None
    where: Mapping[str, Any] | None
    tool: str


def fetch_page(
    document: Document, request: Request, options: Options, *, is_cut: bool
) -> Clip:
    """Clip a part of a document.

    Args:
        document: The document.
        request: Which part.
        options: The budgets of the page.
        is_cut: Whether the document ended early.

    Raises:
        ReferenceNotFoundError: There is no such part.
        BudgetTooSmallError: Not even the first element fits, shortened.
        ValueError: There is a `where`, and it is no list of records.
    """
    options = dataclasses.replace(
        options,
        max_depth=document.max_depth,
        incomplete="keep" if is_cut else "error",
    )
    pager = _Pager(document, request, options, is_cut)
    count = request.count
    while True:
        try:
            page, clip = pager.shortened_if_needed(count)
        except BudgetTooSmallError:
            if count == 1 or request.where is not None or pager.unit == "chars":
                raise
            count = 1  # which has all of the room to itself
            continue
        part = clip.slice
        if part is None or page.unit != "members" or part.kept == page.count:
            return clip
        # A clip keeps small members from anywhere. A page has to end somewhere:
        # before the first that is missing.
        count = max(1, min(part.kept, page.count - 1))


class _Pager:
    """One request, that is tried with different counts."""

    def __init__(
        self, document: Document, request: Request, options: Options, is_cut: bool
    ) -> None:
        self._document = document
        self._request = request
        self._options = options
        self._is_cut = is_cut
        self.unit = ""  # of the value, once it was found

    def shortened_if_needed(self, count: int | None) -> tuple[Page, Clip]:
        """Clip a page; if nothing fits, with base64 and the like shortened, too."""
        try:
            return self._clip(count, cut_atoms=False)
        except BudgetTooSmallError:
            return self._clip(count, cut_atoms=True)

    def _clip(self, count: int | None, *, cut_atoms: bool) -> tuple[Page, Clip]:
        reading, place = self._find()
        self.unit = place.unit
        request = self._request
        if request.where is not None and place.unit != "items":
            raise ValueError(
                f"where needs an array of records or JSON Lines, and {request.at!r} "
                "is none"
            )
        options = dataclasses.replace(
            self._options,
            format="jsonl" if place.first == b"" else "json",
            cut_atoms=cut_atoms or place.unit == "chars",
        )
        ref = f"{request.ref}#{request.at}" if request.at else request.ref
        page = Page(
            ref,
            request.at,
            place.unit,
            start=request.start,
            where=None if request.where is None else dict(request.where),
            is_cut=self._is_cut,
            tool=request.tool,
        )
        with Clipper._of(options, page=page) as clipper:
            if request.where is not None:
                fed, total = self._feed_matches(clipper, reading, place, count)
            elif place.unit == "chars":
                fed, total = self._feed_chars(clipper, reading, place, count)
            elif place.unit:
                fed, total = self._feed_children(clipper, reading, place, count)
            else:
                fed, total = self._feed_value(clipper, reading, place)
            page = dataclasses.replace(page, count=fed, total=total)
            return page, clipper._finish_page(page)

    def _find(self) -> tuple[Reading, Place]:
        """Go to the value; a `#` may lead into JSON that is in a string."""
        at = self._request.at
        document = self._document
        found = document.find(at)
        outer, sign, inner = at.partition("#")
        while found is None and sign:
            text = document.find(outer)
            if text is not None and text[1].unit == "chars":
                embedded = embedded_document(text[0], document.max_depth)
                found = None if embedded is None else embedded.find(inner)
            more, sign, inner = inner.partition("#")
            outer = f"{outer}#{more}"
        if found is None:
            raise ReferenceNotFoundError(
                f"{self._request.ref}#{at}", _nothing_there(document, at)
            )
        return found

    def _feed_children(
        self, clipper: Clipper, reading: Reading, place: Place, count: int | None
    ) -> tuple[int, int]:
        """Feed elements or members, and tell how many there were, and are."""
        start = self._request.start
        end = ALL if count is None else start + count
        level = len(place.numbers)
        opening, closing = SIGNS[place.first]
        clipper.feed(opening)
        found = reading.go_to(place, start)
        if found is not None and not found.is_end:
            reading.take_back(found.begin)
            clipper._expect_number(start)
            found = _feed_up_to(clipper, reading, level, start, end)
        if found is None:
            total = reading.count(level)
            if place.first == b"" or not self._is_cut:
                clipper.feed(closing)
            return max(0, total - start), total
        clipper.feed(closing)
        if found.is_end:
            return max(0, found.number - start), found.number
        return found.number - start, reading.total(place)

    def _feed_chars(
        self, clipper: Clipper, reading: Reading, place: Place, count: int | None
    ) -> tuple[int, int]:
        """Feed text, and tell how many characters there were, and are."""
        start = self._request.start
        end = ALL if count is None else start + count
        clipper.feed(b'"')
        found = reading.go_to_char(place, start)
        if found is not None and not found.is_end:
            reading.take_back(found.at)
            found = reading.more_chars(clipper.feed, lambda: not clipper._is_full, end)
        fed = max(0, reading.chars - start)
        if found is not None and not found.is_end:
            fed = end - start
        clipper.feed(b'"')
        if found is not None and found.is_end:
            return fed, found.number
        return fed, reading.all_chars(place)

    def _feed_value(
        self, clipper: Clipper, reading: Reading, place: Place
    ) -> tuple[int, int]:
        """Feed a number or literal."""
        if self._request.start > 0:
            raise ValueError(f"{self._request.at!r} has no parts: start is 0")
        reading.take_back(reading.offset - 1)
        reading.next(len(place.numbers) - 1, clipper.feed)
        return 1, 1

    def _feed_matches(
        self, clipper: Clipper, reading: Reading, place: Place, count: int | None
    ) -> tuple[int, int]:
        """Feed the records that match, and tell how many were fed, and do."""
        where = self._request.where or {}
        start = self._request.start
        end = ALL if count is None else start + count
        opening, closing = SIGNS[place.first]
        is_lines = place.first == b""
        clipper.feed(opening)
        fed = matches = 0
        for run in runs(reading, place):
            texts: list[bytes] | None = None
            for at in _matching(run, where, lines=is_lines):
                if start <= matches < end and not clipper._is_full:
                    if texts is None:
                        texts = texts_of(run, lines=is_lines)
                    clipper._expect_number(run.first + at)
                    clipper.feed(b"\n" if is_lines else b"," if fed else b"")
                    clipper.feed(texts[at])
                    fed += 1
                matches += 1
        clipper.feed(closing)
        return fed, matches


def _feed_up_to(
    clipper: Clipper, reading: Reading, level: int, start: int, end: int
) -> Found | None:
    """Feed children from `start` on, until it is enough, or the end is there."""
    at, step = start, 1
    while True:
        before = reading.offset
        at = min(end, at + step)
        found = reading.on_to(level, at, clipper.feed)
        if found is None or found.is_end or at == end or clipper._is_full:
            return found
        if reading.offset - before < STEP_BYTES:
            step *= 2


def _matching(run: Run, where: Mapping[str, Any], *, lines: bool) -> Iterator[int]:
    """Find the records in a run that have all of these members."""
    for at, record in enumerate(_values(run, lines=lines)):
        if isinstance(record, dict) and all(
            key in record and _same(record[key], value) for key, value in where.items()
        ):
            yield at


def _values(run: Run, *, lines: bool) -> list[Any]:
    """Read the elements of a run; one whose end is torn off is None."""
    if not lines:
        with contextlib.suppress(orjson.JSONDecodeError):
            values: list[Any] = orjson.loads(b"[" + run.text + b"]")
            return values
    return [_value(text) for text in texts_of(run, lines=lines)]


def _value(text: bytes) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        with contextlib.suppress(ValueError):
            return json.loads(text)  # it has a lone surrogate
    return None


def _same(one: Any, other: Any) -> bool:
    """Tell whether two JSON values are the same; in Python, True is 1."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, list) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, dict) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(
            _same(value, other[key]) for key, value in one.items()
        )
    return bool(one == other)


def _nothing_there(document: Document, at: str) -> str:
    """Say where a pointer ceases to lead anywhere, and what is there."""
    tokens = at.split("/")
    if at and tokens[0]:
        return f"`at` is a JSON Pointer and begins with '/', not {at[:80]!r}"
    for count in range(len(tokens) - 1, 0, -1):
        pointer = "/".join(tokens[:count])
        found = document.find(pointer)
        if found is not None:
            break
    else:
        return "there is nothing"
    reading, place = found
    missing = f"there is no {tokens[count][:80]!r} in {pointer[:200] or 'it'}, which "
    if place.unit == "items":
        total = reading.total(place)
        return (
            f"{missing}has {total} items: 0 to {total - 1}"
            if total
            else (f"{missing}is an empty array")
        )
    if place.unit == "members":
        return f"{missing}has the members {_first_keys(reading, place)}"
    return f"{missing}is no container"


def _first_keys(reading: Reading, place: Place) -> str:
    level = len(place.numbers)
    keys: list[str] = []
    found = reading.next(level)
    while found is not None and not found.is_end and len(keys) < NAMES_TOLD:
        key = reading.text(found.begin, found.at).rstrip(b" \t\r\n:")
        keys.append(key.decode()[:80])
        found = reading.next(level)
    more = found is not None and not found.is_end
    return ", ".join(keys) + (", …" if more else "")
