"""Every text is read by the scanner before it leaves, whichever way it takes."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from streamclip import Clipper, InternalError, Store, aclip, clip, clip_records
from streamclip.fit import finish
from streamclip.options.options import Limits
from streamclip.report.guard import guarded

ROWS = [{"id": n, "t": "some words " * 20} for n in range(90)]
DOCUMENT = json.dumps({"rows": ROWS}).encode()
LINES = b"\n".join(json.dumps(row).encode() for row in ROWS)
INNER = json.dumps({"result": DOCUMENT.decode()}).encode()


def pushed(data: bytes, **options: object) -> bytes:
    """Clip by the push form."""
    with Clipper(**options) as clipper:  # type: ignore[arg-type]
        clipper.feed(data)
        return clipper.finish().data


def fetched(path: Path) -> bytes:
    """Clip a page of a stored document."""
    store = Store(path)
    made = clip(iter([DOCUMENT]), max_bytes=900, store=store, report="detached")
    return store.fetch(made.report.ref, at="/rows", max_bytes=900).data


WAYS: dict[str, Callable[[Path], bytes]] = {
    "one call": lambda _: clip(DOCUMENT, max_bytes=900).data,
    "chunks": lambda _: clip(iter([DOCUMENT]), max_bytes=900).data,
    "async": lambda _: asyncio.run(aclip(DOCUMENT, max_bytes=900)).data,
    "records": lambda _: clip_records(iter(ROWS), max_bytes=900).data,
    "push": lambda _: pushed(DOCUMENT, max_bytes=900),
    "siblings": lambda _: pushed(DOCUMENT, max_bytes=900, report="siblings"),
    "detached": lambda _: pushed(DOCUMENT, max_bytes=900, report="detached"),
    "lines": lambda _: clip(LINES, max_bytes=900).data,
    "embedded": lambda _: clip(INNER, max_bytes=900, embedded=True).data,
    "tokens": lambda _: clip(DOCUMENT, max_tokens=900, tokenizer=len).data,
    "page": fetched,
}


@pytest.mark.parametrize("way", WAYS)
def test_a_fault_of_the_writer_does_not_leave(
    way: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """One wrong byte in the text is an error of ours, on every way out."""
    assert WAYS[way](tmp_path)
    right = finish.finished_text

    def wrong(*told: object) -> bytes:
        text: bytes = right(*told)
        return text[:-1] + b"!"

    monkeypatch.setattr("streamclip.fit.finish.finished_text", wrong)
    with pytest.raises(InternalError, match="please report it"):
        WAYS[way](tmp_path)


@pytest.mark.parametrize(
    ("text", "is_jsonl"),
    [
        (b'{"a":1', False),
        (b'{"truncated":true],"omitted":7}', False),
        (b'{"a":"\xff"}', False),
        (b"[1]\n[2]", False),
        (b"[1]\n[2}", True),
        (b"[1,\n2]", True),
        (b"", False),
        (b"[1234567890123456789012345678901234567890]", False),
    ],
)
def test_such_a_text_is_not_returned(text: bytes, is_jsonl: bool) -> None:
    """Not JSON, lines that are not documents of their own, over the budget."""
    with pytest.raises(InternalError):
        guarded(text, Limits(40, None), 8, is_jsonl=is_jsonl)


def test_characters_are_measured_as_well() -> None:
    """A text within its bytes may have too many of them."""
    assert guarded('["é"]'.encode(), Limits(None, 5), 8, is_jsonl=False)
    with pytest.raises(InternalError, match="over the budget"):
        guarded('["é"]'.encode(), Limits(None, 4), 8, is_jsonl=False)
