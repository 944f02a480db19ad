"""`streamclip context` shows the ledger of a request body, and writes what fits."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from streamclip.cli import context as command
from streamclip.cli.clip import main
from streamclip.context import assemble
from streamclip.context.bodies import channels_of

TALK = [
    {"role": role, "content": f"{text} " * 30}
    for role, text in (("user", "first"), ("assistant", "answer"), ("user", "last"))
]
CHAT = {
    "model": "gpt-4o",
    "messages": [{"role": "system", "content": "Be brief."}, *TALK],
    "tools": [{"type": "function", "function": {"name": "f"}}],
    "temperature": 0.5,
}
RESPONSES = {
    "model": "gpt-5",
    "instructions": "Be brief.",
    "input": TALK,
    "tools": [{"type": "function", "name": "f"}],
}
ANTHROPIC = {
    "model": "claude-opus-4-5",
    "system": [{"type": "text", "text": "Be brief."}],
    "messages": TALK,
    "max_tokens": 100,
}


@pytest.fixture
def context(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> Any:
    """Return what runs the command on a body, and tells status, output, errors."""

    def run(body: Any, *words: str) -> tuple[int, str, str]:
        path = tmp_path / "request.json"
        path.write_text(
            body if isinstance(body, str) else json.dumps(body), encoding="utf-8"
        )
        status = main(["context", str(path), *words])
        captured = capfd.readouterr()
        return status, captured.out, captured.err

    return run


def test_it_prints_the_ledger(context: Any) -> None:
    """As str() gives it, below the tokenizer's name."""
    status, out, err = context(CHAT, "--window", "128000", "--reserve", "4000")
    channels = {"history": CHAT["messages"], "tools": CHAT["tools"]}
    ledger = assemble(window=128_000, output_reserve=4000, **channels)  # type: ignore[arg-type]
    assert (status, err) == (0, "")
    assert out == f"o200k_base\n{ledger}\n"


def test_it_prints_one_for_each_tokenizer(context: Any) -> None:
    """They do not agree, and are not made to."""
    words = ("--window", "999", "--tokenizers", "o200k_base,cl100k_base", "--json")
    status, out, _ = context(ANTHROPIC, *words)
    ledgers = json.loads(out)
    assert status == 0
    assert list(ledgers) == ["o200k_base", "cl100k_base"]
    assert {ledger["shape"] for ledger in ledgers.values()} == {"anthropic"}


@pytest.mark.parametrize("body", [CHAT, RESPONSES, ANTHROPIC, CHAT["messages"]])
def test_it_writes_the_request_that_fits(
    body: Any, context: Any, tmp_path: Path
) -> None:
    """The messages are the suffix that fits; all other members stay."""
    output = tmp_path / "fitted.json"
    status, _, err = context(body, "--window", "90", "-o", str(output))
    assert (status, err) == (0, "")
    fitted = json.loads(output.read_text(encoding="utf-8"))
    before, after = (
        found if isinstance(found, list) else found.get("messages", found.get("input"))
        for found in (body, fitted)
    )
    assert after == [message for message in before if message not in TALK[:2]]
    assert len(after) < len(before)
    if isinstance(body, dict):
        changed = {"messages", "input"}
        assert {k: v for k, v in fitted.items() if k not in changed} == {
            k: v for k, v in body.items() if k not in changed
        }


def test_the_request_is_replaced_only_if_asked(context: Any, tmp_path: Path) -> None:
    """Else what does not fit is lost."""
    words = ("--window", "90", "-o", str(tmp_path / "request.json"))
    status, out, err = context(CHAT, *words)
    assert (status, out) == (2, "")
    assert "--force replaces it" in err
    assert context(CHAT, *words, "--force")[0] == 0
    fitted = json.loads((tmp_path / "request.json").read_text(encoding="utf-8"))
    assert len(fitted["messages"]) < len(CHAT["messages"])


def test_what_fits_already_is_written_as_it_was(context: Any, tmp_path: Path) -> None:
    """Also when a text stands for the only message."""
    output = tmp_path / "fitted.json"
    for body in (CHAT, RESPONSES, ANTHROPIC):
        assert context(body, "--window", "9999", "-o", str(output))[0] == 0
        assert json.loads(output.read_text(encoding="utf-8")) == body
    text = {"model": "gpt-5", "input": "Hello"}
    assert channels_of(text)["history"] == [{"role": "user", "content": "Hello"}]
    assert context(text, "--window", "9999")[0] == 0


def test_what_cannot_fit_exits_2_and_writes_nothing(
    context: Any, tmp_path: Path
) -> None:
    """The ledger says why."""
    output = tmp_path / "fitted.json"
    status, out, _ = context(CHAT, "--window", "40", "-o", str(output))
    assert status == 2
    assert "last_message_overflow: " in out
    assert not output.exists()


@pytest.mark.parametrize(
    ("body", "status", "message"),
    [
        ("{", 5, "request.json: "),
        ("7", 5, "a request is an object, or the list"),
        ('{"model": "gpt-5"}', 5, "in 'messages' or in 'input'"),
        ('{"messages": [], "x": NaN}', 5, "NaN is no number of JSON"),
        ('{"messages": [], "x": -1e999}', 5, "-1e999 is no number of JSON, or is out"),
        ('{"messages": {}}', 5, "messages are a list"),
        ('{"messages": [{"role": "robot"}]}', 5, "history[0]: its role"),
        ('{"messages": [], "tools": {"name": "f"}}', 5, "tools is a list of schemas"),
        ('{"messages": [], "functions": "f"}', 5, "functions is a list of schemas"),
        ('{"messages": [], "system": 5}', 5, "system is a text"),
        ('{"messages": [], "system": false}', 5, "system is a text"),
        ('{"messages": [], "system": [{"type": "image"}]}', 5, "system is a text"),
        ('{"input": [], "instructions": {"text": "Hi"}}', 5, "system"),
        ('[{"role": "tool"}, {"type": "reasoning"}]', 5, "signs of several shapes"),
        ('{"messages": [{"type": "reasoning"}]}', 5, "not responses"),
        (
            '{"messages":[{"role":"user","content":[{"type":"image_url"}]}]}',
            5,
            "--block-tokens",
        ),
    ],
)
def test_what_is_no_request_exits_5(
    body: str, status: int, message: str, context: Any
) -> None:
    """With the file's name, in one line."""
    found, out, err = context(body, "--window", "99")
    assert (found, out) == (status, "")
    assert message in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["--window", "many"],
        ["--window", "9", "--reserve", "9"],
        ["--window", "9", "--reserve", "5", "--margin", "4"],
        ["--window", "99", "--tokenizers", "gpt-unknown"],
        ["--window", "99", "--tokenizers", "o200k_base,"],
        ["--window", "99", "--overhead", "-1"],
        ["--window", "99", "--clip-tool-results", "0"],
        ["--window", "99", "--order", "none"],
        ["--window", "99", "-o", "-"],
    ],
)
def test_wrong_usage_exits_2(words: list[str], context: Any) -> None:
    """And prints no ledger."""
    status, out, err = context(CHAT, *words)
    assert (status, out) == (2, "")
    assert "Traceback" not in err


@pytest.mark.parametrize("error", [TypeError, ValueError])
def test_a_fault_of_ours_is_not_laid_on_the_request(
    error: type[Exception], context: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It comes through, to be seen and told."""

    def broken(**arguments: Any) -> None:
        raise error("a fault")

    monkeypatch.setattr(command, "assemble", broken)
    with pytest.raises(error, match="a fault"):
        context(CHAT, "--window", "99")


@pytest.mark.parametrize(
    ("body", "shape"),
    [
        (RESPONSES, "chat"),
        (RESPONSES, "anthropic"),
        (ANTHROPIC, "chat"),
        (ANTHROPIC, "responses"),
        (CHAT, "responses"),
    ],
)
def test_a_body_of_another_shape_than_is_said_exits_5(
    body: Any, shape: str, context: Any, tmp_path: Path
) -> None:
    """What fits would be written where that API does not look for it."""
    words = ("--window", "9999", "--shape", shape, "-o", str(tmp_path / "fitted.json"))
    status, out, err = context(body, *words)
    assert (status, out) == (5, "")
    assert f"not {shape}" in err


def test_an_image_has_the_price_that_is_given(context: Any) -> None:
    """One for all of them."""
    body = {"messages": [{"role": "user", "content": [{"type": "image_url"}]}]}
    words = ("--window", "99", "--json", "--block-tokens", "50")
    total = json.loads(context(body, *words)[1])["o200k_base"]["total"]
    assert total == 4 + 1 + 50


def test_a_file_that_is_not_there_exits_2(capfd: pytest.CaptureFixture[str]) -> None:
    """In the words of the system."""
    assert main(["context", "absent.json", "--window", "99"]) == 2
    assert "absent.json: No such file" in capfd.readouterr().err


def test_a_standard_input_that_is_closed_exits_2(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As an unreadable file does."""
    monkeypatch.setattr("sys.stdin", None)
    assert main(["context", "-", "--window", "99"]) == 2
    assert capfd.readouterr().err == "streamclip: -: Bad file descriptor\n"
