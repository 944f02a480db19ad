"""What a person is told of a clip: how far it is, and what came of it."""

from __future__ import annotations

import contextlib
import os
import stat
import time
from collections.abc import Generator
from typing import TYPE_CHECKING, BinaryIO

from streamclip.intake.sources import Chunk, open_chunks

if TYPE_CHECKING:
    from rich.progress import Progress

    from streamclip.clipper import Clip

__all__ = ["in_bytes", "kept", "statistics", "with_progress"]

PATIENCE_SECONDS = 0.5  # after this long a progress bar is shown


def with_progress(file: BinaryIO) -> Generator[Chunk, None, None]:
    """Read a file in chunks, and show a progress bar once that takes long."""
    begin = time.monotonic()
    done = 0
    bar: Progress | None = None
    with contextlib.ExitStack() as stack:
        for chunk in stack.enter_context(contextlib.closing(open_chunks(file))):
            yield chunk
            done += len(chunk)
            if bar is None and time.monotonic() - begin > PATIENCE_SECONDS:
                bar = stack.enter_context(progress_bar())
                task = bar.add_task("", total=regular_size(file))
            if bar is not None:
                bar.update(task, completed=done)


def progress_bar() -> Progress:
    """Make a bar on standard error that vanishes when it ends."""
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TransferSpeedColumn

    return Progress(
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        console=Console(stderr=True),
        transient=True,
    )


def regular_size(file: BinaryIO) -> int | None:
    """Tell a file's size in bytes, or None if it has none, like a pipe."""
    with contextlib.suppress(OSError):
        status = os.fstat(file.fileno())
        if stat.S_ISREG(status.st_mode):
            return status.st_size
    return None


def statistics(result: Clip) -> str:
    """Say in a line what was kept, how much was read, and how fast."""
    stats = result.stats
    out, read = in_bytes(stats.bytes_out), in_bytes(stats.bytes_read)
    if stats.tokens is not None:
        out = f"{stats.tokens} tokens, {out}"
    rate = in_bytes(stats.bytes_read / max(stats.seconds, 1e-9))
    line = f"{kept(result)}, {out} of {read} read at {rate}/s"
    return f"{line}, the input ends early" if result.report.input_cut else line


def kept(result: Clip) -> str:
    """Say how much was kept, by the most important cut."""
    if not result.report.cuts:
        return "kept all"
    cut = result.report.cuts[0]
    at_least = "at least " if result.report.total_is == "at_least" else ""
    more = len(result.report.cuts) - 1
    others = f" and {more} more cut{'s' * (more > 1)}" if more else ""
    return f"kept {cut.kept} of {at_least}{cut.total} {cut.unit}{others}"


def in_bytes(count: float) -> str:
    """Write a number of bytes for a person.

    >>> in_bytes(999), in_bytes(1900), in_bytes(5_300_000)
    ('999 B', '1.9 KB', '5.3 MB')
    """
    if count < 999.5:
        return f"{count:.0f} B"
    for unit in ("KB", "MB", "GB"):
        count /= 1000
        if count < 999.95:
            return f"{count:.1f} {unit}"
    return f"{count / 1000:.1f} TB"
