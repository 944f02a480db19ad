"""An interrupt, wherever it comes, leaves no lock held and nothing half done.

Ctrl-C and the handlers of timers raise an exception between any two steps of a
program. Here it is raised at each step in turn.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from streamclip import Clipper, ClipperBusyError, Store

# Where what is held is taken and given back.
FILES = ("clipper.py", "core/binding.py", "store/store.py", "store/files.py")
STRIDE = 5  # of the steps of a clip with a store, which take long
ROWS = b'{"rows":[' + b",".join(b'{"id":%d}' % n for n in range(400)) + b"]}"


class Interrupt(BaseException):
    """What a signal handler raises."""


def interrupted(call: Callable[[], Any], at: int) -> bool:
    """Make a call, with an interrupt at one of its steps.

    Returns:
        Whether it had so many.
    """
    steps = 0

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal steps
        if not frame.f_code.co_filename.endswith(FILES) or is_deleting(frame):
            return None
        frame.f_trace_opcodes = True
        frame.f_trace_lines = False
        if event == "opcode":
            steps += 1
            if steps == at:
                sys.settrace(None)
                raise Interrupt
        return trace

    sys.settrace(trace)
    try:
        call()
    except Interrupt:
        return True
    finally:
        sys.settrace(None)
    return steps >= at


def is_deleting(frame: FrameType | None) -> bool:
    """Tell whether it is a destructor's, from which no exception comes out."""
    while frame is not None and frame.f_code.co_filename.endswith(FILES):
        if frame.f_code.co_name == "__del__":
            return True
        frame = frame.f_back
    return False


def is_closed(clipper: Clipper) -> bool:
    """Tell whether it says that it is closed; that it is busy is an error."""
    try:
        clipper.feed(b"")
    except ValueError:
        return True
    return False


@pytest.mark.parametrize("method", ["feed", "finish", "close"])
def test_a_clipper_is_never_busy_with_a_call_that_is_over(method: str) -> None:
    """It is closed, or as it was before: nothing between."""
    at, had = 0, True
    while had:
        at += 1
        clipper = Clipper(max_bytes=200)
        clipper.feed(ROWS[:100])
        calls = {
            "feed": lambda c=clipper: c.feed(ROWS[100:]),
            "finish": clipper.finish,
            "close": clipper.close,
        }
        if method == "finish":
            clipper.feed(ROWS[100:])
        had = interrupted(calls[method], at)
        if not is_closed(clipper) and method != "close":
            # what the call was to do has been done, or nothing of it
            if method == "feed" and clipper._read == 100:
                clipper.feed(ROWS[100:])
            assert clipper.finish().report.cuts[0].total == 400
        clipper.close()
        assert is_closed(clipper)
    assert at > 20


# A file that was opened just then is closed by whoever collects it, with a warning.
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize("spool", [2048, 1 << 20])
def test_a_store_has_all_of_a_document_or_nothing(
    spool: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether its file was being made, written, or committed."""
    monkeypatch.setattr("streamclip.store.store.SPOOL_BYTES", spool)
    monkeypatch.setattr("os.fsync", lambda _: None)
    at, had = spool % STRIDE, True
    while had:
        at += STRIDE
        store = Store(tmp_path / str(at))

        def clip(store: Store = store) -> None:
            with Clipper(max_bytes=200, store=store) as clipper:
                clipper.feed(ROWS)
                clipper.finish()

        had = interrupted(clip, at)
        files = sorted(f.suffix for f in tmp_path.glob(f"{at}/*/*"))
        assert files in ([], [".data", ".meta"])
        for stored in store.list():
            assert b"".join(store.read(stored.ref)) == ROWS
    assert at > 100


def test_a_call_inside_a_call_is_refused() -> None:
    """By whatever way it comes about; and the outer one goes on."""
    refused = []

    def tokenizer(text: str) -> int:
        for call in (lambda: clipper.feed(b"1"), clipper.finish, clipper.close):
            with pytest.raises(ClipperBusyError):
                call()
            refused.append(call)
        return len(text) // 4

    clipper = Clipper(max_tokens=100, tokenizer=tokenizer)
    clipper.feed(ROWS)
    assert clipper.finish().stats.tokens is not None
    assert len(refused) >= 3
