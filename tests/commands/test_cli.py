"""The command line keeps its promises to shells, pipes, terminals and people."""

import contextlib
import errno
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import streamclip
from streamclip.cli.failures import worded
from streamclip.cli.status import in_bytes, kept, statistics
from streamclip.errors import IncompleteJSONError
from streamclip.errors.hints import FAULTS, MAGIC, NEXT, TABLES, ZEROS

COMMAND = [sys.executable, "-m", "streamclip"]
ROWS = [{"id": i, "name": f"第 {i} 行", "text": "内容" * 15} for i in range(40)]
DATA = json.dumps({"rows": ROWS, "next": "c40"}, ensure_ascii=False).encode() + b"\n"

needs_posix = pytest.mark.skipif(os.name != "posix", reason="needs a POSIX system")


def run(*args: str | Path, data: bytes = b"", **options: Any) -> Any:
    """Run the command and wait for it."""
    return subprocess.run(
        [*COMMAND, *args], input=data, capture_output=True, timeout=60, **options
    )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Write the document to a file."""
    path = tmp_path / "in.json"
    path.write_bytes(DATA)
    return path


# What comes out


def test_a_file_and_a_pipe_give_the_clip(path: Path) -> None:
    """The output is Clip.data, byte for byte."""
    expected = streamclip.clip(DATA, max_bytes=2000).data
    assert len(expected) <= 2000
    for done in (
        run(path, "-b", "2000"),
        run("-b", "2000", data=DATA),
        run("-", "--max-bytes=2000", data=DATA),
    ):
        assert done.returncode == 0, done.stderr
        assert done.stdout == expected


def test_the_default_budget_is_8000_bytes() -> None:
    """It holds only if no budget is given."""
    data = json.dumps(ROWS * 10).encode()
    assert run(data=data).stdout == streamclip.clip(data, max_bytes=8000).data
    by_chars = run("-c", "20000", data=data).stdout
    assert by_chars == streamclip.clip(data, max_chars=20_000).data
    assert len(by_chars) > 8000


@pytest.mark.parametrize(
    ("words", "options"),
    [
        ("-b 2000 -c 900", {"max_bytes": 2000, "max_chars": 900}),
        ("-t 300", {"max_tokens": 300}),
        ("-t 300 --tokenizer gpt-4", {"max_tokens": 300, "tokenizer": "cl100k_base"}),
        ("-b 900 --collection /rows", {"max_bytes": 900, "collection": "/rows"}),
        ("-b 900 --max-record-bytes 60", {"max_bytes": 900, "max_record_bytes": 60}),
        ("-b 9000 --max-string-chars 5", {"max_bytes": 9000, "max_string_chars": 5}),
        (
            "-b 900 --fields id,title --fields a --drop blob",
            {"max_bytes": 900, "fields": ["id", "title", "a"], "drop": ["blob"]},
        ),
        ("-b 9000 --max-items 3", {"max_bytes": 9000, "max_items": 3}),
        ("-b 900 --report siblings", {"max_bytes": 900, "report": "siblings"}),
        ("-b 900 --report detached", {"max_bytes": 900, "report": "detached"}),
        ("-b 900 --no-note", {"max_bytes": 900, "note": False}),
        ("-b 900 --lang zh", {"max_bytes": 900, "lang": "zh"}),
        ("-b 900 --format json", {"max_bytes": 900, "format": "json"}),
        ("-b 900 --read enough", {"max_bytes": 900, "read": "enough"}),
        ("-b 900 --incomplete keep", {"max_bytes": 900, "incomplete": "keep"}),
        ("-b 900 --max-depth 3", {"max_bytes": 900, "max_depth": 3}),
    ],
)
def test_options_are_those_of_clip(words: str, options: dict[str, Any]) -> None:
    """Each has the same name and the same effect."""
    done = run(*words.split(), data=DATA)
    assert done.returncode == 0, done.stderr
    assert done.stdout == streamclip.clip(DATA, **options).data


def test_a_name_that_is_missing_is_wrong_usage() -> None:
    """As after a comma too many."""
    done = run("-b", "900", "--drop", "blob,", data=DATA)
    assert done.returncode == 2
    assert b"a name is missing" in done.stderr


def test_what_fits_comes_out_unchanged(path: Path) -> None:
    """White space and the last line break included, and none is added."""
    assert run(path, "-b", "100000").stdout == DATA
    assert run("-b", "100000", data=DATA.rstrip()).stdout == DATA.rstrip()


# What is said about it


def test_one_line_of_statistics_goes_to_stderr(path: Path) -> None:
    """It tells how many rows are left, and how much was read."""
    done = run(path, "-b", "2000")
    kept = len(json.loads(done.stdout)["rows"])
    expected = (
        rf"kept {kept} of 40 items, \d\.\d KB of {len(DATA) / 1000:.1f} KB "
        rf"read at \d+(\.\d)? [KMG]B/s\n"
    )
    assert re.fullmatch(expected, done.stderr.decode()), done.stderr


def test_quiet_drops_it(path: Path) -> None:
    """Errors stay."""
    assert run(path, "-q", "-b", "2000").stderr == b""
    assert b"No such file" in run("absent.json", "-q").stderr


def result_of(**changes: Any) -> Any:
    """Make a result with one cut, for the line of statistics."""
    cut = {"unit": "items", "kept": 12, "total": 40}
    report = {"total_is": "exact", "input_cut": False}
    stats = {"kept": 12, "total": 40, "bytes_out": 1900, "bytes_read": 5_300_000}
    for part in (cut, report, stats):
        part.update({name: changes[name] for name in changes.keys() & part.keys()})
    cuts = (SimpleNamespace(**cut),) if changes.get("cut", True) else ()
    return SimpleNamespace(
        report=SimpleNamespace(cuts=cuts, **report),
        stats=SimpleNamespace(
            seconds=changes.get("seconds", 0.0044),
            tokens=changes.get("tokens"),
            **stats,
        ),
    )


@pytest.mark.parametrize(
    ("changes", "start", "end"),
    [
        ({}, "kept 12 of 40 items, ", ""),
        ({"cut": False}, "kept all, ", ""),
        ({"tokens": 700}, "kept 12 of 40 items, 700 tokens, ", ""),
        ({"total_is": "at_least"}, "kept 12 of at least 40 items, ", ""),
        ({"input_cut": True}, "kept 12 of 40 items, ", ", the input ends early"),
    ],
)
def test_the_line_of_statistics(changes: dict[str, Any], start: str, end: str) -> None:
    """It is one line, whatever happened."""
    middle = "1.9 KB of 5.3 MB read at 1.2 GB/s"
    assert statistics(result_of(**changes)) == start + middle + end


@pytest.mark.parametrize("unit", ["chars", "members"])
def test_other_cuts_are_counted_in_their_unit(unit: str) -> None:
    """Where no array was cut, the largest cut is told."""
    result = result_of(unit=unit, kept=200, total=5120)
    result.stats.kept = result.stats.total = 1
    assert kept(result) == f"kept 200 of 5120 {unit}"


def test_a_result_at_once_has_a_rate() -> None:
    """A coarse clock may say that no time passed."""
    assert "/s" in statistics(result_of(seconds=0.0))


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (999.7, "1.0 KB"),
        (1000, "1.0 KB"),
        (999_949, "999.9 KB"),
        (999_950, "1.0 MB"),
        (5.3e9, "5.3 GB"),
        (2e15, "2000.0 TB"),
    ],
)
def test_bytes_are_written_for_people(count: float, text: str) -> None:
    """Never 1000 of a unit."""
    assert in_bytes(count) == text


# Exit status and errors


def test_exit_status_tells_of_omissions_if_asked(path: Path) -> None:
    """Without the option a clip is a success."""
    assert run(path, "-b", "2000").returncode == 0
    assert run(path, "-b", "2000", "--exit-status").returncode == 1
    assert run(path, "-b", "100000", "--exit-status").returncode == 0


@pytest.mark.parametrize(
    "words",
    [
        ["--nonsense"],
        ["-b", "0"],
        ["-b", "many"],
        ["--report", "elsewhere"],
        ["--collection", "rows"],
        ["one", "two"],
    ],
)
def test_wrong_usage_exits_2(words: list[str]) -> None:
    """The error names the option, and nothing is written."""
    done = run(*words, data=DATA)
    assert done.returncode == 2
    assert done.stdout == b""
    assert b"Usage: streamclip" in done.stderr
    assert b"Traceback" not in done.stderr


def test_a_budget_that_nothing_fits_exits_2() -> None:
    """The message names the size that is needed, and that size is enough."""
    done = run("-b", "5", data=DATA)
    assert (done.returncode, done.stdout) == (2, b"")
    found = re.fullmatch(
        r"streamclip: <stdin>: nothing useful fits: (\d+) bytes are needed; "
        r"raise --max-bytes\n",
        done.stderr.decode(),
    )
    assert found, done.stderr
    assert run("-b", found[1], data=DATA).returncode == 0
    assert b"--max-chars" in run("-c", "5", data=DATA).stderr
    url = b'"https://example.com/"'
    assert (
        b"raise --max-string-chars\n" in run("--max-string-chars", "3", data=url).stderr
    )


def test_a_tokenizer_that_is_not_known_exits_2() -> None:
    """The message says what may be given instead."""
    done = run("-t", "300", "--tokenizer", "claude-sonnet", data=DATA)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"pass an encoding's name (o200k_base, cl100k_base)" in done.stderr


def test_without_the_extra_for_tokens_it_exits_2() -> None:
    """The message says what to install; without tokens it is not missed."""
    code = (
        "import sys; sys.modules['tiktoken'] = None; "
        "from streamclip.cli import main; sys.exit(main({}))"
    )
    for words, status in (["-b", "300"], 0), (["-t", "300"], 2):
        command = [sys.executable, "-c", code.format(words)]
        done = subprocess.run(command, input=DATA, capture_output=True, check=False)
        assert done.returncode == status
    assert done.stderr.decode() == (
        'streamclip: counting tokens needs an extra: pip install "streamclip[tokens]"\n'
    )


@pytest.mark.parametrize(
    ("data", "offset"),
    [
        (b'{"a":tru}', 8),
        (b"<html>", 0),
        (b"[1,2]]", 5),
        (b'["ab\xff"]', 4),
        (b'["\n"]', 2),
        (b"[" + b"1," * 1_000_000 + b"x]", 2_000_001),
    ],
)
def test_bad_input_exits_5_and_says_where(data: bytes, offset: int) -> None:
    """The offset is the first byte that cannot belong to a document."""
    done = run(data=data)
    assert (done.returncode, done.stdout) == (5, b"")
    start = f"streamclip: <stdin>: invalid JSON at byte {offset}: ".encode()
    assert done.stderr.startswith(start), done.stderr
    assert done.stderr.count(b"\n") == 1


def test_bad_input_is_named(tmp_path: Path) -> None:
    """By the name that was given."""
    path = tmp_path / "bad.json"
    path.write_bytes(b"[1,]")
    message = f"streamclip: {path}: invalid JSON at byte 3: "
    assert run(path).stderr.decode().startswith(message)


def test_input_that_ends_early_exits_5_or_is_kept() -> None:
    """The error names the option that keeps what arrived."""
    done = run(data=DATA[:3000])
    assert (done.returncode, done.stdout) == (5, b"")
    assert b"invalid JSON at byte 3000: " in done.stderr
    assert b"--incomplete keep" in done.stderr

    done = run("--incomplete", "keep", data=DATA[:3000])
    assert done.returncode == 0
    assert 0 < len(json.loads(done.stdout)["rows"]) < 40
    assert b"the input ends early" in done.stderr


def test_a_file_that_cannot_be_read_exits_2(tmp_path: Path) -> None:
    """In the words of the system."""
    absent = tmp_path / "absent.json"
    done = run(absent)
    assert (done.returncode, done.stdout) == (2, b"")
    message = f"streamclip: {absent}: {os.strerror(errno.ENOENT)}\n"
    assert done.stderr.decode() == message
    if os.name == "posix":
        done = run(tmp_path)
        assert done.returncode == 2
        assert os.strerror(errno.EISDIR) in done.stderr.decode()


def test_an_unusable_kernel_is_no_traceback(path: Path) -> None:
    """The name comes from the environment, which is usage too."""
    done = run(path, env={**os.environ, "STREAMCLIP_KERNEL": "abacus"})
    assert done.returncode == 2
    assert b"abacus" in done.stderr
    assert b"Traceback" not in done.stderr


HINTS = [
    *MAGIC.values(),
    *TABLES.values(),
    *FAULTS.values(),
    *ZEROS.values(),
    *(hint for _, hint in NEXT.values()),
    IncompleteJSONError("it ended", 7).hint,
]


@pytest.mark.parametrize("hint", HINTS)
def test_no_hint_tells_a_shell_to_call_python(hint: str) -> None:
    """What the library says to a program is put in other words, or was fit for both."""
    assert not re.search(
        r"\bpass\b|open\(|clip_records|csv\.|\w_\w|\w=[\"']", worded(hint)
    )


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\x1f\x8b", "it is compressed with gzip"),
        (b"\xff\xfe[\0", "`iconv -f utf-16 -t utf-8` converts it"),
        (b"[\0]\0", "`iconv -f utf-16le -t utf-8` converts it"),
        (b"PK\x03\x04", "`unzip -p` writes a file of it"),
    ],
)
def test_a_hint_is_a_command(data: bytes, message: str) -> None:
    """Which a person can type."""
    done = run(data=data)
    assert done.returncode == 5
    assert message in done.stderr.decode()


def test_the_name_of_json_lines_says_what_they_are(tmp_path: Path) -> None:
    """For --fields, which has to know it from the first line on."""
    lines = b'{"a":1,"b":2}\n' * 99
    for name, status in (("x.jsonl", 0), ("x.ndjson", 0), ("x.json", 2)):
        path = tmp_path / name
        path.write_bytes(lines)
        done = run(path, "--fields", "a", "-b", "300")
        assert done.returncode == status
        if status == 0:
            assert b'\n{"a":1}\n' in done.stdout
        else:
            assert b"--format jsonl" in done.stderr
    assert b"--format jsonl" in run("--fields", "a", data=lines).stderr
    path = tmp_path / "one.jsonl"  # one document, under the name of lines
    path.write_bytes(b'{\n"a": 1\n}\n')
    assert run(path).returncode == 0


# Files that are written


def test_output_goes_to_a_file(path: Path, tmp_path: Path) -> None:
    """Nothing goes to standard output, and nothing else is left behind."""
    output = tmp_path / "out.json"
    done = run(path, "-b", "2000", "-o", output)
    assert (done.returncode, done.stdout) == (0, b"")
    assert output.read_bytes() == streamclip.clip(DATA, max_bytes=2000).data
    assert sorted(tmp_path.iterdir()) == [path, output]
    assert run(path, "-b", "2000", "-o", "-").stdout == output.read_bytes()


def test_the_input_is_replaced_only_if_asked(path: Path) -> None:
    """By whichever name; it is read before the output is put in its place."""
    link, other = path.with_name("link.json"), path.with_name("other.json")
    link.symlink_to(path)
    other.hardlink_to(path)
    message = "it is the input as well; --force replaces it\n"
    for output in (path, link, other):
        done = run(path, "-b", "2000", "-o", output)
        assert (done.returncode, path.read_bytes()) == (2, DATA)
        assert done.stderr.decode() == f"streamclip: {output}: {message}"
        with path.open("rb") as file:
            done = subprocess.run(
                [*COMMAND, "-o", output], stdin=file, capture_output=True, timeout=60
            )
        assert (done.returncode, path.read_bytes()) == (2, DATA)
        assert done.stderr.decode().endswith(message)
    assert run(path, "-b", "2000", "-o", link, "--force").returncode == 0
    assert path.read_bytes() == streamclip.clip(DATA, max_bytes=2000).data
    assert other.read_bytes() == DATA


def test_an_error_leaves_the_old_file(path: Path, tmp_path: Path) -> None:
    """Nothing half-written looks whole."""
    output = tmp_path / "out.json"
    output.write_bytes(b"old")
    assert run("-o", output, data=DATA[:-2]).returncode == 5
    assert output.read_bytes() == b"old"
    assert sorted(tmp_path.iterdir()) == [path, output]


@needs_posix
def test_a_file_keeps_its_mode_and_its_links(path: Path, tmp_path: Path) -> None:
    """What a link points to is replaced, not the link."""
    output, link = tmp_path / "out.json", tmp_path / "link.json"
    output.write_bytes(b"old")
    output.chmod(0o604)
    link.symlink_to(output)
    assert run(path, "-o", link).returncode == 0
    assert link.is_symlink()
    assert output.stat().st_mode & 0o777 == 0o604
    assert output.read_bytes() != b"old"


@needs_posix
def test_a_device_is_written_to(path: Path) -> None:
    """It is not replaced by a file."""
    null = Path(os.devnull)
    assert run(path, "-o", null).returncode == 0
    assert null.is_char_device()


def test_a_file_that_cannot_be_written_exits_2(path: Path, tmp_path: Path) -> None:
    """The message names it."""
    output = tmp_path / "absent" / "out.json"
    done = run(path, "-o", output)
    assert done.returncode == 2
    message = f"streamclip: {output}: {os.strerror(errno.ENOENT)}\n"
    assert done.stderr.decode() == message


# Pipes


@needs_posix
def test_a_closed_pipe_is_quiet(path: Path) -> None:
    """The status is that of a program that SIGPIPE ended."""
    receiver, sender = os.pipe()
    os.close(receiver)
    with os.fdopen(sender, "wb") as output:
        done = subprocess.run(
            [*COMMAND, path], stdout=output, stderr=subprocess.PIPE, timeout=60
        )
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_told(path: Path) -> None:
    """Once, in the words of the system."""
    with Path("/dev/full").open("wb") as output:
        done = subprocess.run(
            [*COMMAND, path], stdout=output, stderr=subprocess.PIPE, timeout=60
        )
    message = f"streamclip: <stdout>: {os.strerror(errno.ENOSPC)}\n"
    assert (done.returncode, done.stderr.decode()) == (2, message)


@needs_posix
@pytest.mark.parametrize(
    ("redirection", "status"), [("<&-", 2), (">&-", 2), ("2>&-", 0), ("2>/dev/full", 0)]
)
def test_closed_streams_are_no_traceback(redirection: str, status: int) -> None:
    """Without statistics one can do, without data one cannot."""
    script = f'"$@" {redirection}'
    done = subprocess.run(
        ["sh", "-c", script, "sh", *COMMAND, "-b", "2000"],
        input=DATA,
        capture_output=True,
        timeout=60,
    )
    assert done.returncode == status
    assert b"Traceback" not in done.stderr
    assert b"Exception" not in done.stderr
    assert bool(done.stdout) == (status == 0)


@contextlib.contextmanager
def endless(*args: str, **options: Any) -> Iterator[subprocess.Popen[bytes]]:
    """Run the command on input that does not end before the block does.

    The block begins when more has been written than a pipe holds: when the
    command is up and reads.
    """
    process = subprocess.Popen([*COMMAND, *args], stdin=subprocess.PIPE, **options)
    flowing, ended = threading.Event(), threading.Event()

    def write() -> None:
        written = 0
        assert process.stdin is not None
        with contextlib.suppress(BrokenPipeError), process.stdin as file:
            file.write(b"[1")
            while not ended.wait(0.001):
                file.write(b",1" * 30_000)
                file.flush()
                if (written := written + 1) > 40:
                    flowing.set()
            file.write(b"]")

    thread = threading.Thread(target=write)
    thread.start()
    try:
        assert flowing.wait(60)
        yield process
    finally:
        ended.set()
        process.wait(60)
        thread.join(60)


@needs_posix
@pytest.mark.usefixtures("_sigint_is_heard")
def test_ctrl_c_ends_an_endless_input() -> None:
    """With the status of a shell, and without a traceback or data."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with endless(**pipes) as process:
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130
        assert process.stdout is not None
        assert process.stderr is not None
        with process.stdout, process.stderr:
            assert process.stdout.read() == b""
            assert process.stderr.read().strip() == b""


# Terminals


def read_terminal(descriptor: int) -> bytes:
    """Return all that was written to a terminal whose other side is closed."""
    text = b""
    with contextlib.suppress(OSError):  # Linux reports the end as an error
        while data := os.read(descriptor, 65536):
            text += data
    os.close(descriptor)
    return text.replace(b"\r\n", b"\n")


def run_on_terminal(
    stream: str, *args: str | Path, **options: Any
) -> tuple[int, bytes]:
    """Run the command with one of its streams on a terminal; tell what it shows."""
    import pty

    ours, theirs = pty.openpty()
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, **options}
    process = subprocess.Popen([*COMMAND, *args], **{**streams, stream: theirs})
    os.close(theirs)
    text = read_terminal(ours)
    return process.wait(60), text


@needs_posix
def test_a_line_break_is_added_on_a_terminal(path: Path) -> None:
    """Else the prompt would stand behind the data."""
    data = streamclip.clip(DATA, max_bytes=900).data
    status, text = run_on_terminal("stdout", path, "-qb", "900")
    assert (status, text) == (0, data + b"\n")
    assert run_on_terminal("stdout", path, "-qb100000") == (0, DATA)


@needs_posix
def test_no_file_on_a_terminal_shows_the_usage() -> None:
    """Nobody types JSON by hand; with - one can."""
    status, _ = run_on_terminal("stdin", stderr=subprocess.DEVNULL)
    assert status == 2


@needs_posix
def test_a_short_run_shows_no_progress(path: Path) -> None:
    """Only the statistics are there."""
    status, text = run_on_terminal("stderr", path)
    assert status == 0
    assert text.startswith(b"kept ")
    assert text.count(b"\n") == 1
    assert b"\x1b" not in text


@needs_posix
@pytest.mark.parametrize(("args", "shown"), [([], True), (["-q"], False)])
def test_progress_is_shown_on_a_terminal_only(args: list[str], shown: bool) -> None:
    """After half a second, on standard error, until the statistics come."""
    import pty

    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80"}
    output = {"stdout": subprocess.PIPE, "stderr": theirs, "env": environment}
    with endless(*args, **output) as process:
        os.close(theirs)
        time.sleep(1)
    assert process.returncode == 0
    assert process.stdout is not None
    with process.stdout:
        assert json.loads(process.stdout.read())["data"][0] == 1
    text = read_terminal(ours)
    assert (b"\x1b" in text) is shown
    assert (b"kept " in text.rstrip().rpartition(b"\n")[2]) is shown


@needs_posix
def test_without_a_terminal_there_is_no_progress() -> None:
    """A log gets one line, however long it took."""
    pipes = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    with endless(**pipes) as process:
        time.sleep(1)
    assert process.stderr is not None
    with process.stderr:
        text = process.stderr.read()
    assert text.startswith(b"kept ")
    assert text.count(b"\n") == 1


# About itself


def test_version_tells_the_kernel() -> None:
    """Both are needed to understand a report."""
    expected = f"streamclip {streamclip.__version__} ({streamclip.kernel()})\n"
    assert run("--version").stdout.decode().replace("\r\n", "\n") == expected


def test_help_tells_what_shells_need_to_know() -> None:
    """The default budget, every exit status, and what the output is."""
    text = run("--help").stdout.decode()
    assert "8000" in text
    for status in ("0", "1", "2", "5", "130", "141"):
        assert re.search(rf"^ +{status} +\w", text, re.MULTILINE), status
    assert "a terminal only" in " ".join(text.split())


@pytest.mark.parametrize("missing", ["click", "rich"])
def test_a_missing_extra_is_named(missing: str) -> None:
    """Without a traceback."""
    code = (
        f"import sys, runpy; sys.modules[{missing!r}] = None; "
        "runpy.run_module('streamclip', run_name='__main__')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60)
    assert done.returncode == 2
    assert b'pip install "streamclip[cli]"' in done.stderr
    assert b"Traceback" not in done.stderr


# Names that found nothing

LINES = "\n".join(json.dumps({"sub": {"id": n}, "t": "text " * 9}) for n in range(99))


@pytest.mark.parametrize(
    ("data", "words", "doubt"),
    [
        (DATA, ["--fields", "nmae"], "no record in the result has any of: nmae"),
        (DATA, ["--fields", "a,b"], "no record in the result has any of: a, b"),
        (DATA, ["--fields", "nmae,name"], None),
        (DATA, ["--fields", "id", "-c", "9000"], None),
        (LINES, ["--fields", "ib", "--format", "jsonl"], "has any of: ib"),
        (LINES, ["--fields", "sub", "--format", "jsonl"], None),
        (DATA, ["--collection", "/rwos"], "there is no /rwos in the result"),
        (DATA, ["--collection", "/next/x"], "there is no /next/x in the result"),
        (DATA, ["--collection", "/rows/x"], "there is no /rows/x in the result"),
        (DATA, ["--collection", "/rows"], None),
        (DATA, ["--collection", "/rows/39/name"], None),
        (DATA, ["--collection", ""], None),
        (json.dumps(ROWS), ["--collection", "/rows"], "there is no /rows"),
        (json.dumps(ROWS), ["--collection", "/7"], None),
        (LINES, ["--collection", "/sub"], None),
        (LINES, ["--collection", "/sbu/id"], "there is no /sbu/id"),
        (DATA, ["--collection", "/rwos", "-b", "9000"], None),
        (
            json.dumps({str(n): "x" * 90 for n in range(99)}),
            ["--collection", "/98"],
            None,
        ),
    ],
)
def test_a_name_that_found_nothing_is_told(
    data: bytes | str, words: list[str], doubt: str | None
) -> None:
    """That is no error, and it is quiet about nothing else."""
    budget = [] if {"-b", "-c"} & {*words} else ["-b", "900"]
    raw = data if isinstance(data, bytes) else data.encode()
    done = run(*words, *budget, "-q", data=raw)
    assert done.returncode == 0
    if doubt is None:
        assert done.stderr == b""
    else:
        assert done.stderr.startswith(b"streamclip: --")
        assert doubt in done.stderr.decode()


def test_what_is_told_is_not_glued_to_the_data() -> None:
    """Where both go to one pipe, as with 2>&1."""
    done = subprocess.run(
        [*COMMAND, "--collection", "/x", "-b", "900"],
        input=DATA,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=60,
        check=True,
    )
    data, doubt, statistics_line = done.stdout.splitlines()
    assert json.loads(data)
    assert doubt.startswith(b"streamclip: --collection")
    assert statistics_line.startswith(b"kept")
