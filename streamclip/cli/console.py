"""What all commands share: exit statuses, and how output and errors are written.

Data goes to standard output and nothing else does; what is said about it, and all
errors, go to standard error.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import shutil
import sys
from pathlib import Path

__all__ = [
    "BAD_INPUT",
    "CLOSED_PIPE",
    "INTERRUPTED",
    "LEFT_OUT",
    "USAGE",
    "fail",
    "is_one_stream",
    "print_data",
    "read_stdin",
    "save",
    "say",
]

LEFT_OUT = 1
USAGE = 2
BAD_INPUT = 5
INTERRUPTED = 128 + 2  # as a shell reports SIGINT
CLOSED_PIPE = 128 + 13  # and SIGPIPE


def read_stdin() -> bytes:
    """Read standard input to its end."""
    if sys.stdin is None:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))
    return sys.stdin.buffer.read()


def print_data(data: bytes) -> None:
    """Write to standard output, all of it before this returns."""
    if sys.stdout is None:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))
    try:
        sys.stdout.buffer.write(data)
        if sys.stdout.isatty() and not data.endswith(b"\n"):
            sys.stdout.buffer.write(b"\n")
        sys.stdout.buffer.flush()
    except OSError:
        # What is left in the buffer must not be tried again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise


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
