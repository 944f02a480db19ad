"""The store: whole documents on disk or elsewhere, and pages of them.

    HANDLE.data   the document as it came
    HANDLE.meta   a line of JSON about it, then its index (index.py)

The data is written while it is clipped, under the name that it keeps. The meta
file appears after that, as a whole, and is what makes a handle: whoever is killed
before leaves nothing that a handle leads to.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import time
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from streamclip.clipper import Clip
from streamclip.core.binding import BOM, Seeker
from streamclip.errors import ReferenceNotFoundError
from streamclip.options.options import ClipOptions, checked
from streamclip.store.document import Document
from streamclip.store.files import Files, NewFile, open_files
from streamclip.store.index import Index
from streamclip.store.pages import Request, fetch_page

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["Store", "Stored"]

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford's base 32, lower case
HANDLE_CHARS = 12  # of 5 random bits each
REF = re.compile(rf"clip:([{ALPHABET}]{{{HANDLE_CHARS}}})(?:#(.*))?", re.DOTALL)
NAMESPACE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._@-]{0,99}")

VERSION = 1
HEADER_BYTES = 1024  # the first line of a meta file has fewer
META_BYTES = 1 << 26  # and the file

SPOOL_BYTES = 1 << 20  # kept in memory: few documents that are complete are larger
WRITE_BYTES = 256 * 1024

DAY = 24 * 60 * 60
LOST_SECONDS = DAY  # files without a handle, older than this, are nobody's
PRUNE_SECONDS = 10 * 60

# What makes no sense for a page, or is not the caller's to choose.
NOT_FOR_PAGES = frozenset(
    {"collection", "default", "format", "incomplete", "keep", "max_depth", "max_items"}
    | {"read", "store"}
)


class Stored(NamedTuple):
    """A document in a store; times in seconds since 1970.

    `size` is that of the document alone. `expires` is None if it never does.
    """

    ref: str
    size: int
    created: float
    expires: float | None


class _Meta(NamedTuple):
    """What the first line of a meta file says."""

    version: int
    size: int
    created: float
    expires: float | None
    jsonl: bool
    cut: bool
    max_depth: int

    @property
    def is_expired(self) -> bool:
        return self.expires is not None and self.expires <= time.time()


class Store:
    """Keep whole documents, so that a reader of a clip can get the rest.

    `clip(..., store=store)` writes the input to it in the same pass, if something is
    left out. The full text then lies there, for its owner alone to read, until it
    has expired and `prune` has run, which it also does by itself now and then.

    Args:
        url: A local directory, or a URL that fsspec understands (extra `store`).
            Default: a directory in the user's cache, from platformdirs.
        ttl: Seconds that a document can be fetched for; None: for ever.
        max_size: Bytes of all documents of the namespace together. The oldest go
            first. It may be passed until the next `prune`.
        namespace: Whose documents they are: a handle of one namespace leads to
            nothing in another. Letters, digits and `._@-`.
        tool: Name of the tool by which the reader can fetch; the note names it.
        strict: Whether a clip fails if the store does. Otherwise it has a warning,
            and no reference.
        storage_options: For fsspec, such as credentials.

    Raises:
        ImportError: The URL, or the default, needs the extra `store`.
        TypeError: `ttl` or `max_size` is no number.
        ValueError: An argument is out of its range.

    >>> import streamclip, tempfile
    >>> store = streamclip.Store(tempfile.mkdtemp())
    >>> rows = {"rows": [{"id": n} for n in range(1000)]}
    >>> result = streamclip.clip(rows, max_bytes=500, store=store)
    >>> page = store.fetch(result.report.ref, at="/rows", start=990, max_bytes=300)
    >>> page.slice
    Slice(at='/rows', start=990, kept=10, total=1000, next=None)
    """

    def __init__(
        self,
        url: str | os.PathLike[str] | None = None,
        *,
        ttl: float | None = DAY,
        max_size: int = 10 << 30,
        namespace: str = "default",
        tool: str | None = None,
        strict: bool = False,
        storage_options: Mapping[str, Any] | None = None,
    ) -> None:
        if ttl is not None and not isinstance(ttl, (int, float)):
            raise TypeError(f"ttl is a number of seconds, or None, not {ttl!r}")
        if not isinstance(max_size, int):
            raise TypeError(f"max_size is a number of bytes, not {max_size!r}")
        if ttl is not None and ttl <= 0:
            raise ValueError(f"ttl is a positive number of seconds, not {ttl!r}")
        if max_size < 1:
            raise ValueError(f"max_size is at least 1, not {max_size!r}")
        if not NAMESPACE.fullmatch(namespace):
            raise ValueError(
                "a namespace has letters, digits and ._@- and begins with no dot, "
                f"unlike {namespace!r}"
            )
        self._files = open_files(
            _cache_directory() if url is None else url, namespace, storage_options or {}
        )
        self._ttl = ttl
        self._max_size = max_size
        self._strict = strict
        self._tool = tool
        self._pruned: float | None = None  # when, on the monotonic clock
        self._unpruned = 0  # bytes written since

    @property
    def tool(self) -> str | None:
        """The name of the tool that fetches from it."""
        return self._tool

    def writer(self, max_depth: int, text_format: str) -> _Writer:
        """Begin to take a document: what `clip` calls."""
        seeker = Seeker(max_depth, text_format)
        return _Writer(self, self._files, seeker, max_depth, strict=self._strict)

    def fetch(
        self,
        ref: str,
        at: str | None = None,
        start: int = 0,
        count: int | None = None,
        where: Mapping[str, Any] | None = None,
        **budget: Unpack[ClipOptions],
    ) -> Clip:
        """Fetch a page: a clip of a part of a stored document.

        An array comes as an array of its elements from `start` on, JSON Lines as
        lines, an object as an object of its members, a string as the rest of it.
        What is there from its start to its end, and fits, comes as it is. Otherwise
        the report has a `slice`.

        Args:
            ref: A clip's `report.ref`, or the `more` of a record in it.
            at: JSON Pointer of the value; behind a `#` one into JSON that is in a
                string. Default: the pointer of the reference.
            start: The first element, member or character.
            count: How many at most. Default: as many as fit.
            where: Members that records have to have, with these values; `start` and
                the totals then count the records that do.
            budget: `max_bytes` and the other options of `clip` that are about what
                is kept and how it is told.

        Returns:
            The page. Its `slice` says which part it is, and where to go on.

        Raises:
            ReferenceNotFoundError: There is no such document, or no such value.
            BudgetTooSmallError: Not even the first element fits, shortened.
            TypeError: No budget is given, or an option is not for pages.
            ValueError: An argument is out of its range.
        """
        if start < 0 or (count is not None and count < 1):
            raise ValueError(f"start is at least 0 and count 1, not {start}, {count}")
        if wrong := NOT_FOR_PAGES & budget.keys():
            raise TypeError(f"{min(wrong)} is not an option of pages")
        options = checked(budget)
        handle, pointer = _parsed(ref)
        at = pointer if at is None else at
        meta, document = self._document(handle)
        request = Request(f"clip:{handle}", at, start, count, where, self._tool or "")
        return fetch_page(document, request, options, is_cut=meta.cut)

    def read(self, ref: str) -> Iterator[bytes]:
        """Read a whole document, in chunks.

        Raises:
            ReferenceNotFoundError: There is no such document.
        """
        handle, _ = _parsed(ref)
        _, document = self._document(handle)
        return _chunks(document)

    def list(self) -> list[Stored]:
        """List the documents of the namespace, oldest first, expired ones included."""
        found = []
        for file in self._files.list():
            handle, _, kind = file.name.partition(".")
            meta = self._meta(handle) if kind == "meta" else None
            if meta is not None:
                ref = f"clip:{handle}"
                found.append(Stored(ref, meta.size, meta.created, meta.expires))
        return sorted(found, key=lambda stored: stored.created)

    def delete(self, ref: str) -> None:
        """Delete a document, if it is there."""
        handle, _ = _parsed(ref)
        self._files.delete(f"{handle}.meta")
        self._files.delete(f"{handle}.data")

    def prune(self) -> int:
        """Delete what has expired, then the oldest until all is within `max_size`.

        Returns:
            How many documents were deleted.
        """
        self._pruned, self._unpruned = time.monotonic(), 0
        self._delete_lost()
        stored = self.list()
        now, size, deleted = time.time(), sum(s.size for s in stored), 0
        for document in stored:
            is_expired = document.expires is not None and document.expires <= now
            if is_expired or size > self._max_size:
                self.delete(document.ref)
                size -= document.size
                deleted += 1
        return deleted

    def _delete_lost(self) -> None:
        """Delete what a killed process has left: files that no handle leads to."""
        files = list(self._files.list())
        whole = {f.name.removesuffix(".meta") for f in files}
        for file in files:
            is_lost = file.name.removesuffix(".data") not in whole
            is_part = file.name.endswith(".part")
            if file.name.endswith(".meta") or not (is_lost or is_part):
                continue
            if file.modified and file.modified < time.time() - LOST_SECONDS:
                self._files.delete(file.name)

    def _added(self, size: int) -> None:
        """Prune now and then."""
        self._unpruned += size
        if (
            self._pruned is None
            or time.monotonic() - self._pruned > PRUNE_SECONDS
            or self._unpruned > self._max_size / 8
        ):
            self.prune()

    def _expiry(self, now: float) -> float | None:
        return None if self._ttl is None else now + self._ttl

    def _meta(self, handle: str) -> _Meta | None:
        """Read what is known of a document; None if there is none."""
        try:
            head = self._files.read(f"{handle}.meta", 0, HEADER_BYTES)
            return _Meta(**orjson.loads(head.partition(b"\n")[0]))
        except (FileNotFoundError, ValueError, TypeError):
            return None

    def _document(self, handle: str) -> tuple[_Meta, Document]:
        ref = f"clip:{handle}"
        try:
            data = self._files.read(f"{handle}.meta", 0, META_BYTES)
            head, _, index = data.partition(b"\n")
            meta = _Meta(**orjson.loads(head))
            if meta.is_expired or meta.version != VERSION:
                raise ReferenceNotFoundError(ref)
            borders = Index.decode(index)
        except (FileNotFoundError, ValueError, TypeError):
            raise ReferenceNotFoundError(ref) from None

        def read(start: int, end: int) -> bytes:
            try:
                data = self._files.read(f"{handle}.data", start, end)
            except FileNotFoundError:
                data = b""
            if len(data) != end - start:
                raise ReferenceNotFoundError(ref)
            return data

        document = Document(
            read, meta.size, borders, jsonl=meta.jsonl, max_depth=meta.max_depth
        )
        return meta, document


class _Writer:
    """A document on its way into the store.

    While it may still turn out complete it is in memory only.
    """

    def __init__(
        self,
        store: Store,
        files: Files,
        seeker: Seeker,
        max_depth: int,
        *,
        strict: bool,
    ) -> None:
        self._store = store
        self._files = files
        self._seeker = seeker
        self._max_depth = max_depth
        self._strict = strict
        self._handle = "".join(secrets.choice(ALPHABET) for _ in range(HANDLE_CHARS))
        self._spool = bytearray()
        self._file: NewFile | None = None
        self._begun: list[str] = []  # names of files that may be there
        self._size = 0
        self._is_over = False  # it is kept, or dropped, or the store has failed
        seeker.note_borders()

    @property
    def ref(self) -> str:
        """What it will be known by."""
        return f"clip:{self._handle}"

    def write(self, chunk: bytes | memoryview) -> None:
        """Take the next bytes."""
        view = memoryview(chunk)
        for start in range(0, len(view), WRITE_BYTES):
            if self._is_over:
                return
            try:
                self._take(view[start : start + WRITE_BYTES])
            except Exception:
                self._fail()

    def _take(self, piece: memoryview) -> None:
        self._spool += piece
        if len(self._spool) >= (SPOOL_BYTES if self._file is None else WRITE_BYTES):
            self._flush()

    def commit(self, *, jsonl: bool, cut: bool) -> bool:
        """Keep what was written, and tell whether it is safely kept."""
        if self._is_over:
            return False
        try:
            self._flush()
            assert self._file is not None
            self._file.commit()
            # It may have been waited for so long that it was taken for lost.
            self._files.read(f"{self._handle}.data", 0, 1)
            now = time.time()
            expires = self._store._expiry(now)
            meta = _Meta(VERSION, self._size, now, expires, jsonl, cut, self._max_depth)
            index = Index(self._seeker.borders()).encode()
            head = orjson.dumps(meta._asdict())
            self._begun.append(f"{self._handle}.meta")
            self._files.put(self._begun[-1], head + b"\n" + index)
        except Exception:
            self._fail()
            return False
        self._begun.clear()
        self._is_over, self._file = True, None
        with contextlib.suppress(Exception):  # what was stored is there all the same
            self._store._added(self._size)
        return True

    def abort(self) -> None:
        """Drop what was written, if it is not kept yet."""
        self._is_over = True
        self._spool = bytearray()  # of the other one there may be a view
        # These are done again if an interrupt comes before they are at their end. One
        # may also have come before a file that was made was known here.
        while self._begun:
            if self._file is not None and len(self._begun) == 1:
                self._file.abort()
                self._file = None
            with contextlib.suppress(Exception):
                self._files.delete(self._begun[-1])
            self._begun.pop()

    def __del__(self) -> None:
        with contextlib.suppress(Exception):
            self.abort()

    def _flush(self) -> None:
        if self._file is None:
            name = f"{self._handle}.data"
            self._begun.append(name)
            try:
                self._file = self._files.create(name)
            except FileExistsError:
                self._begun.clear()  # it is another's
                raise
            if self._spool.startswith(BOM):
                del self._spool[: len(BOM)]
        self._file.write(self._spool)
        self._seeker.feed(self._spool)
        self._size += len(self._spool)
        self._spool.clear()

    def _fail(self) -> None:
        """Give up, and raise what is being handled if that was asked for."""
        with contextlib.suppress(Exception):
            self.abort()
        if self._strict:
            raise  # what is being handled
        self._is_over = True


def _parsed(ref: str) -> tuple[str, str]:
    """Split a reference into its handle and its pointer.

    Raises:
        ReferenceNotFoundError: It is no reference.
        TypeError: It is no str.
    """
    if not isinstance(ref, str):
        raise TypeError(f"a reference is a str, not {ref!r}")
    match = REF.fullmatch(ref)
    if match is None:
        raise ReferenceNotFoundError(
            ref,
            f"a reference is 'clip:' and {HANDLE_CHARS} letters and digits, as it "
            "stands under `more` in a clip: copy it from there",
        )
    return match[1], match[2] or ""


def _chunks(document: Document) -> Iterator[bytes]:
    offset = 0
    while offset < document.size:
        chunk = bytes(document.read(offset, SPOOL_BYTES))
        yield chunk
        offset += len(chunk)


def _cache_directory() -> str:
    """Return the default directory, in the user's cache."""
    try:
        import platformdirs
    except ImportError as error:
        raise ImportError(
            "the default store, in the user's cache, needs an extra: pip install "
            '"streamclip[store]"; or name a directory'
        ) from error
    return str(platformdirs.user_cache_path("streamclip") / "store")
