"""Ctrl-C ends the command at any instant with one status, and without a traceback."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROWS = json.dumps([{"id": n, "text": "a record"} for n in range(200)])

# Runs the command, and sends itself SIGINT at the n-th call after its first one.
SCRIPT = """
import sys, _signal
import streamclip.__main__ as entry

left = at = int(sys.argv.pop(1))

def count(frame, event, arg):
    global left
    left -= 1
    if left == 0:
        _signal.raise_signal(_signal.SIGINT)

sys.setprofile(count)
status = entry.main()
sys.setprofile(None)
if left > 0:
    sys.stderr.write(str(at - left))
sys.exit(status)
"""
NEVER = 10**9
BEGIN = 8  # calls until the handler is in its place


def interrupted(file: Path, call: int) -> "subprocess.CompletedProcess[bytes]":
    """Run the command on a file, interrupted at a call."""
    words = [sys.executable, "-c", SCRIPT, str(call), str(file), "-q", "-b", "500"]
    return subprocess.run(words, capture_output=True, timeout=60, check=False)


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals of POSIX")
@pytest.mark.usefixtures("_sigint_is_heard")
def test_ctrl_c_at_any_call_is_quiet(tmp_path: Path) -> None:
    """While it imports, reads, writes, and when all is done."""
    file = tmp_path / "rows.json"
    file.write_text(ROWS)
    whole = interrupted(file, NEVER)
    assert whole.returncode == 0
    calls = int(whole.stderr)
    late = [calls - 2**n for n in range(1, 11)]
    for call in [BEGIN, *range(calls // 8, calls, calls // 8), *late]:
        done = interrupted(file, call)
        assert (done.returncode, done.stderr) == (130, b""), call
        assert done.stdout in (b"", whole.stdout)


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals of POSIX")
def test_a_job_in_the_background_goes_on(tmp_path: Path) -> None:
    """A shell starts it with SIGINT ignored, which it stays."""
    file = tmp_path / "rows.json"
    file.write_text(ROWS)
    call = [sys.executable, "-c", SCRIPT, "5000", str(file), "-q"]
    script = "trap '' INT; exec \"$@\""
    done = subprocess.run(
        ["sh", "-c", script, "sh", *call], capture_output=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout
