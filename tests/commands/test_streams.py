"""Whatever stream, file or number a command is given, it ends with a status."""

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from streamclip.cli import main

COMMAND = [sys.executable, "-m", "streamclip"]
# A library that flushes by itself would hide what is left in a buffer at exit.
BARE = {name: os.environ[name] for name in ("HOME", "PATH") if name in os.environ}
BARE |= {"SYSTEMROOT": os.environ["SYSTEMROOT"]} if os.name == "nt" else {}

ROWS = {"messages": [{"role": "user", "content": f"text {n} " * 9} for n in range(90)]}
DATA = json.dumps(ROWS).encode()

pytestmark = pytest.mark.skipif(
    not Path("/dev/full").exists(), reason="needs a POSIX shell and /dev/full"
)

# Every command, as it is when all is well: these exit 0 and write something.
COMMANDS = [
    "FILE",
    "-",
    "--help",
    "--version",
    "outline FILE",
    "outline -",
    "outline --help",
    "context FILE --window 999",
    "context - --window 999 --json",
    "context --help",
    "fetch REF --store STORE",
    "fetch --help",
    "store ls --store STORE",
    "store ls --help",
    "store prune --store STORE",
    "store --help",
]
# These exit 2.
WRONG = ["--nonsense", "absent.json", "outline absent.json", "fetch", "store", "/"]


@pytest.fixture(scope="module")
def words(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return what stands for FILE, STORE and REF: a document, and where it is."""
    path = tmp_path_factory.mktemp("streams")
    file, store = path / "in.json", path / "store"
    file.write_bytes(DATA)
    storing = [*COMMAND, file, "-b", "400", "--store", store]
    done = subprocess.run(storing, capture_output=True, check=True)
    ref = json.loads(done.stdout)["_clip"]["more"]
    return {"FILE": str(file), "STORE": str(store), "REF": ref}


def run(
    command: str, redirection: str, words: dict[str, str]
) -> tuple[int, bytes, bytes]:
    """Run a command under a shell's redirection; tell status, output and errors."""
    done = subprocess.run(
        ["sh", "-c", f'"$@" {redirection}', "sh", *COMMAND]
        + [words.get(word, word) for word in command.split()],
        input=DATA,
        capture_output=True,
        timeout=60,
        env=BARE,
        cwd=Path(words["FILE"]).parent,
    )
    return done.returncode, done.stdout, done.stderr


def message(number: int) -> bytes:
    """Return a line that names standard output, in the words of the system."""
    return f"streamclip: <stdout>: {os.strerror(number)}\n".encode()


@pytest.mark.parametrize("command", COMMANDS)
def test_output_that_cannot_be_written_is_an_error(
    command: str, words: dict[str, str]
) -> None:
    """One line, and a status of ours: not that of the interpreter's exit."""
    assert run(command, "", words)[0] == 0
    for redirection, number in ((">&-", errno.EBADF), (">/dev/full", errno.ENOSPC)):
        status, out, err = run(command, redirection, words)
        assert (status, out) == (2, b""), (redirection, err)
        assert err.endswith(message(number)), redirection
        assert err.count(b"\n") == 1, redirection


@pytest.mark.parametrize("command", COMMANDS)
def test_a_reader_that_goes_away_is_quiet(command: str, words: dict[str, str]) -> None:
    """The status is that of a program that SIGPIPE ended."""
    receiver, sender = os.pipe()
    os.close(receiver)
    with os.fdopen(sender, "wb") as output:
        done = subprocess.run(
            COMMAND + [words.get(word, word) for word in command.split()],
            input=DATA,
            stdout=output,
            stderr=subprocess.PIPE,
            timeout=60,
            env=BARE,
        )
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.parametrize("redirection", ["2>&-", "2>/dev/full"])
@pytest.mark.parametrize("command", [*COMMANDS, *WRONG])
def test_a_command_does_without_standard_error(
    command: str, redirection: str, words: dict[str, str]
) -> None:
    """Its output and its status are what they are with one."""
    status, out, _ = run(command, redirection, words)
    assert status == (2 if command in WRONG else 0)
    assert bool(out) == (status == 0)


@pytest.mark.parametrize("command", COMMANDS)
def test_standard_input_may_be_closed(command: str, words: dict[str, str]) -> None:
    """That is an error where it is the input, and nowhere else."""
    status, out, err = run(command, "<&-", words)
    reads_it = "-" in command.split()
    assert status == (2 if reads_it else 0), err
    assert bool(out) != reads_it
    if reads_it:
        assert os.strerror(errno.EBADF).encode() in err
        assert err.count(b"\n") == 1


NUMBERS = ["0", "1", "7", "99999999999", "9" * 25, "-1", "", "x", "1e9", "٣"]


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize(
    "command",
    [
        f"FILE {option}"
        for option in (
            "-b",
            "-c",
            "-t",
            "--max-items",
            "--max-depth",
            "--max-record-bytes",
            "--max-string-chars",
        )
    ]
    + ["outline FILE -b"]
    + [f"fetch REF --store STORE {o}" for o in ("-b", "-t", "--start", "--count")]
    + [
        f"context FILE --window 999 {option}"
        for option in (
            "--window",
            "--reserve",
            "--margin",
            "--overhead",
            "--clip-tool-results",
        )
    ],
)
def test_any_number_is_taken_or_refused(
    command: str, number: str, words: dict[str, str], capfd: pytest.CaptureFixture[str]
) -> None:
    """And what refuses it speaks of the option, not of an argument in Python."""
    status = main([*(words.get(word, word) for word in command.split()), number])
    out, err = capfd.readouterr()
    assert status in (0, 2, 5)
    assert bool(err) or bool(out)
    assert "max_" not in err


@pytest.mark.parametrize(
    "command",
    [
        "EMPTY",
        "outline EMPTY",
        "context EMPTY --window 99",
        "fetch EMPTY --store STORE",
        "fetch REF --store STORE --at EMPTY",
        "fetch REF --store STORE --namespace EMPTY",
        "fetch REF --store STORE --where EMPTY",
        "FILE --collection EMPTY",
        "FILE --fields EMPTY",
        "FILE --drop EMPTY",
        "FILE -o EMPTY",
        "FILE --tokenizer EMPTY -t 300",
        "context FILE --window 999 --tokenizers EMPTY",
        "context FILE --window 999 -o EMPTY",
    ],
)
@pytest.mark.parametrize("word", ["", "/", "\udc80", "x" * 5000, "/dev/null/x"])
def test_any_word_is_taken_or_refused(
    command: str,
    word: str,
    words: dict[str, str],
    capfd: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An empty one, a directory, one that is not UTF-8, one without end."""
    monkeypatch.chdir(tmp_path)  # where some of them are files that are written
    given = {**words, "EMPTY": word}
    status = main([given.get(name, name) for name in command.split()])
    out, err = capfd.readouterr()
    assert status in (0, 2, 5)
    assert bool(err) or bool(out)
