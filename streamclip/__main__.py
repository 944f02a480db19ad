"""Run the command line: `streamclip`, or `python -m streamclip`.

Ctrl-C ends the process with one exit status, and without a traceback, at any time.
So SIGINT is heard before anything is imported that takes time.
"""

from __future__ import annotations

# The module signal makes enums of all constants first, which takes a millisecond.
import _signal as signal
import os
import sys

INTERRUPTED = 128 + 2  # as a shell reports it


def leave(*_: object) -> None:
    """End the process at once, where it holds nothing."""
    os._exit(INTERRUPTED)


def interrupt(*_: object) -> None:
    """Let the command give up what it holds; the next Ctrl-C does not wait for it."""
    signal.signal(signal.SIGINT, leave)
    raise KeyboardInterrupt


def main() -> int:
    """Run the command line on the words of the process, and return its exit status."""
    # A job in the background ignores SIGINT, and goes on to do so.
    is_heard = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if is_heard:
        signal.signal(signal.SIGINT, leave)
    from streamclip.cli import main as run

    try:
        if is_heard:
            signal.signal(signal.SIGINT, interrupt)
        status = run()
        if is_heard:
            signal.signal(signal.SIGINT, leave)
    except KeyboardInterrupt:
        return INTERRUPTED
    return status


if __name__ == "__main__":
    sys.exit(main())
