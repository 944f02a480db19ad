"""What all commands share: exit statuses, and how output and errors are written.

Data goes to standard output and nothing else does; what is said about it, and all
errors, go to standard error.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import secrets
import shutil
import stat
import sys
from pathlib import Path
from typing import BinaryIO, TextIO

__all__ = [
    "BAD_INPUT",
    "CLOSED_PIPE",
    "FAULT",
    "INTERRUPTED",
    "LEFT_OUT",
    "USAGE",
    "check_output",
    "fail",
    "is_one_stream",
    "open_input",
    "print_data",
    "save",
    "say",
    "settle",
]

LEFT_OUT = 1
USAGE = 2
BAD_INPUT = 5
FAULT = 70  # as in sysexits.h
INTERRUPTED = 128 + 2  # as a shell reports SIGINT
CLOSED_PIPE = 128 + 13  # and SIGPIPE


def open_input(path: str | None) -> BinaryIO:
    """Open a file, or standard input, below its buffer: that waits until it is full.

    Args:
        path: The file; standard input if None.

    Returns:
        A file without a buffer. Closing it leaves standard input open.

    Raises:
        OSError: It cannot be opened, or standard input is closed.
    """
    if path is not None:
        return io.FileIO(path)
    if sys.stdin is None:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))
    return io.FileIO(sys.stdin.fileno(), closefd=False)


def print_data(data: bytes) -> None:
    """Write to standard output, all of it before this returns."""
    if sys.stdout is None:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))
    try:
        sys.stdout.buffer.write(data)
        if sys.stdout.isatty() and not data.endswith(b"\n"):
            sys.stdout.buffer.write(b"\n")
    finally:
        sys.stdout.buffer.flush()


def settle(stream: TextIO | None) -> None:
    """Write what a stream still holds; if that fails, let the exit not try again."""
    if stream is None:
        return
    try:
        stream.flush()
    except OSError:
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def check_output(file: BinaryIO, output: str | None, force: bool) -> None:
    """Refuse to replace the input, unless that is what is wanted.

    Args:
        file: The input.
        output: The file to be written; standard output if None or "-".
        force: Replacing the input is wanted.

    Raises:
        FileExistsError: Both are the same file.
    """
    if force or output in (None, "-"):
        return
    with contextlib.suppress(FileNotFoundError):
        found = Path(str(output)).stat()
        if stat.S_ISREG(found.st_mode) and os.path.samestat(
            found, os.fstat(file.fileno())
        ):
            message = "it is the input as well; --force replaces it"
            raise FileExistsError(errno.EEXIST, message)


def save(data: bytes, path: Path) -> None:
    """Write a file so that it is never seen half-written.

    A device or a named pipe is written to as it is.
    """
    path = Path(os.path.realpath(path))
    if path.exists() and not path.is_file():
        path.write_bytes(data)
        return
    temporary = path.with_name(f".streamclip-{secrets.token_hex(8)}.tmp")
    try:
        temporary.write_bytes(data)
        if path.exists():
            shutil.copymode(path, temporary)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def is_one_stream() -> bool:
    """Tell whether standard output and error are the same pipe or file."""
    try:
        out, err = (os.fstat(s.fileno()) for s in (sys.stdout, sys.stderr))
    except (AttributeError, OSError, ValueError):
        return False
    return not sys.stdout.isatty() and os.path.samestat(out, err)


def fail(status: int, message: str) -> int:
    """Tell an error in one line, and hand the exit status back."""
    say(f"streamclip: {message}")
    return status


def say(line: str) -> None:
    """Write a line to standard error; if nobody can read it, do without."""
    if sys.stderr is not None:
        with contextlib.suppress(OSError):
            sys.stderr.write(f"{line}\n")
            sys.stderr.flush()
