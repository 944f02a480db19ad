"""Commands that have a name stand beside the one that has none."""

import json
import re
from pathlib import Path

import click
import pytest

import streamclip
from streamclip.cli.clip import COMMANDS, main

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
