"""Commands that have a name stand beside the one that has none."""

import errno
import json
import re
from pathlib import Path

import click
import pytest

import streamclip
from streamclip.cli.clip import COMMANDS, main
from streamclip.errors import InternalError

ROWS = json.dumps([{"id": n, "text": "a record"} for n in range(200)]).encode()


@click.command()
@click.argument("names", nargs=-1)
@click.option("--loud", is_flag=True)
def greet(names: tuple[str, ...], loud: bool) -> int:
    """Greet some people."""
    greeting = f"hello {' and '.join(names)}"
    click.echo(greeting.upper() if loud else greeting)
    return len(names)


@pytest.fixture(autouse=True)
def _greet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(
        COMMANDS, "greet", ("test_commands:greet", "Greet some people.")
    )


def test_a_first_word_that_is_a_name_runs_the_command(
    capfd: pytest.CaptureFixture[str],
) -> None:
    """With the words after it, and its exit status."""
    assert main(["greet", "Ann", "Bo", "--loud"]) == 2
    assert capfd.readouterr().out == "HELLO ANN AND BO\n"


@pytest.mark.parametrize("word", ["./greet", "greet.json"])
def test_any_other_first_word_is_a_file(
    word: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    """A file that has a command's name is named with its directory."""
    monkeypatch.chdir(tmp_path)
    Path(word).write_bytes(ROWS)
    assert main([word, "-b", "500"]) == 0
    out = capfdbinary.readouterr().out
    assert out == streamclip.clip(ROWS, max_bytes=500).data


def test_a_name_is_a_command_as_the_first_word_only(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    """After an option it is a FILE."""
    monkeypatch.chdir(tmp_path)
    Path("greet").write_bytes(ROWS)
    assert main(["-b", "500", "greet"]) == 0
    out = capfdbinary.readouterr().out
    assert out == streamclip.clip(ROWS, max_bytes=500).data


def test_wrong_usage_names_the_command(capfd: pytest.CaptureFixture[str]) -> None:
    """And exits 2, as without a name."""
    assert main(["greet", "--quietly"]) == 2
    assert "Usage: streamclip greet" in capfd.readouterr().err


@click.command()
@click.argument("error")
def stumble(error: str) -> int:
    """Raise an error."""
    raise {
        "fault": InternalError("it is not JSON"),
        "memory": MemoryError(),
        "pipe": BrokenPipeError(),
        "disk": OSError(errno.ENOSPC, "No space left"),
        "file": OSError(errno.EACCES, "Permission denied", "some/file"),
        "extra": ImportError("it needs an extra"),
        "ctrl-c": KeyboardInterrupt(),
    }[error]


@pytest.mark.parametrize(
    ("error", "status", "message"),
    [
        ("fault", 70, "please report it"),
        ("memory", 2, "give a smaller budget"),
        ("pipe", 141, ""),
        ("disk", 2, "streamclip: No space left\n"),
        ("file", 2, "streamclip: some/file: Permission denied\n"),
        ("extra", 2, "streamclip: it needs an extra\n"),
        ("ctrl-c", 130, ""),
    ],
)
def test_an_error_of_any_command_is_a_status(
    error: str,
    status: int,
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """And one line, or none where nobody is to be told."""
    monkeypatch.setitem(COMMANDS, "stumble", ("test_commands:stumble", "Stumble."))
    assert main(["stumble", error]) == status
    out, err = capfd.readouterr()
    assert (out, err.count("\n")) == ("", bool(message))
    assert message in err


def test_a_fault_that_nobody_expects_comes_through(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With its traceback, to be seen and reported."""
    monkeypatch.setitem(COMMANDS, "stumble", ("test_commands:stumble", "Stumble."))
    with pytest.raises(KeyError):
        main(["stumble", "otherwise"])


def test_help_lists_the_commands(capfd: pytest.CaptureFixture[str]) -> None:
    """Each with what it does; a command has a help of its own."""
    assert main(["--help"]) == 0
    assert re.search(r"^  greet +Greet some people\.$", capfd.readouterr().out, re.M)
    assert main(["greet", "--help"]) == 0
    assert "--loud" in capfd.readouterr().out


def test_every_command_is_found(capfd: pytest.CaptureFixture[str]) -> None:
    """Where the table says it is."""
    for name in COMMANDS:
        assert main([name, "--help"]) == 0
        assert f"Usage: streamclip {name}" in capfd.readouterr().out
