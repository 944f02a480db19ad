"""Errors become a line on standard error and an exit status here, and only here.

A command lets through what it cannot mend. Where it reads or writes something that
has a name, `named` puts that name first; `exit_status` does the rest for all commands.
"""

from __future__ import annotations

import contextlib
import functools
import re
import sys
import zlib
from collections.abc import Callable, Iterator
from typing import ParamSpec

import click

from streamclip.cli.console import (
    BAD_INPUT,
    CLOSED_PIPE,
    FAULT,
    INTERRUPTED,
    USAGE,
    fail,
    settle,
)
from streamclip.errors import (
    BudgetTooSmallError,
    IncompleteJSONError,
    InternalError,
    InvalidJSONError,
    ReferenceNotFoundError,
    StreamclipError,
)

__all__ = ["FailedError", "exit_status", "named", "options_checked", "worded"]

Args = ParamSpec("Args")

# The errors that an input, a file or the machine may cause. Every other one is a
# fault of ours, and comes through with its traceback.
EXPECTED = (OSError, EOFError, zlib.error, MemoryError, ImportError, StreamclipError)

# The words of the library, and those of a command line.
WORDS = (
    (r"pass gzip\.open\(path\)", "`gzip -dc` decompresses it"),
    (r"decompress it first", "`zstd -dc` decompresses it"),
    (r"pass a file from zipfile\.ZipFile\S+", "`unzip -p` writes a file of it"),
    (
        r"pass open\(path, encoding='(utf-\d+)(?:-(le|be))?'\)",
        r"`iconv -f \1\2 -t utf-8` converts it",
    ),
    (r"clip_records takes the rows that .* reads", "convert it to JSON Lines first"),
    (r"pass what stands behind data:", "`sed -n 's/^data: //p'` takes the data"),
    (r"pass its body", "`curl` without -i writes the body alone"),
    (r"; json\.dumps refuses them by allow_nan=False", ""),
    (r"of a Python value, use json\.dumps", "json.dumps writes a Python value so"),
    (r'pass (\w+)="(\w+)"', r"give --\1 \2"),
    (r'\b(\w+)="(\w+)"', r"--\1 \2"),
    (r"\bmax_(\w+)", r"--max-\1"),
    (r"--([a-z]+(?:-[a-z]+)*)_(?=[a-z])", r"--\1-"),
)


class FailedError(Exception):
    """Carry an exit status and a message, which is complete, out of a command."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(status, message)
        self.status = status
        self.message = message


def worded(message: str) -> str:
    """Say in the words of a command line what an error of the library says.

    >>> worded('the input ended early (incomplete="keep" clips what arrived)')
    'the input ended early (--incomplete keep clips what arrived)'
    >>> worded("max_string_chars is at most 9")
    '--max-string-chars is at most 9'
    """
    for theirs, ours in WORDS:
        message = re.sub(theirs, ours, message)
    return message


@contextlib.contextmanager
def named(name: str) -> Iterator[None]:
    """Put the name of what is read or written before the message of an error."""
    try:
        yield
    except (BrokenPipeError, ImportError):  # which are nothing of its own
        raise
    except EXPECTED as error:
        status, message = _explained(error)
        raise FailedError(status, f"{name}: {message}") from error


@contextlib.contextmanager
def options_checked() -> Iterator[None]:
    """Report as wrong usage what the library says of the values of options."""
    try:
        yield
    except StreamclipError:
        raise
    except (OverflowError, ValueError) as error:
        raise click.UsageError(worded(str(error))) from error


def exit_status(command: Callable[Args, int]) -> Callable[Args, int]:
    """Make a function that runs commands return an exit status, whatever happens."""

    @functools.wraps(command)
    def run(*args: Args.args, **kwargs: Args.kwargs) -> int:
        try:
            status = command(*args, **kwargs)
        except click.exceptions.Exit as ended:  # --help and --version
            status = ended.exit_code
        except click.ClickException as error:
            if sys.stderr is not None:  # else it goes to standard output
                with contextlib.suppress(OSError):
                    error.show()
            status = error.exit_code
        except (click.Abort, KeyboardInterrupt):
            status = INTERRUPTED
        except BrokenPipeError:
            status = CLOSED_PIPE
        except FailedError as error:
            status = fail(error.status, error.message)
        except EXPECTED as error:
            status, message = _explained(error)
            if isinstance(error, OSError) and error.filename:
                message = f"{error.filename}: {message}"
            fail(status, message)
        settle(sys.stdout)
        settle(sys.stderr)
        return status

    return run


def _explained(error: Exception) -> tuple[int, str]:
    """Return the exit status of an error, and what a person is to read of it."""
    if isinstance(error, OSError):
        return USAGE, error.strerror or str(error)
    if isinstance(error, MemoryError):
        return USAGE, "there is not enough memory; give a smaller budget"
    if isinstance(error, BudgetTooSmallError):
        option = f"--max-{error.unit}".replace("_", "-")
        needed = f"{error.needed} {error.unit} are needed"
        return USAGE, f"nothing useful fits: {needed}; raise {option}"
    if isinstance(error, InternalError):
        return FAULT, str(error)
    if isinstance(error, (ReferenceNotFoundError, ImportError)):
        return USAGE, str(error)
    if isinstance(error, IncompleteJSONError) and error.hint:
        hint = "--incomplete keep clips it"
        return BAD_INPUT, str(InvalidJSONError(error.reason, error.offset, hint))
    return BAD_INPUT, worded(str(error))
