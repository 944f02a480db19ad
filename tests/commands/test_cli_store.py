"""The command line keeps documents, and fetches pages of them."""

import json
import re
from pathlib import Path

import pytest

from streamclip.cli.clip import main
from streamclip.tokens.counting import counter

ROWS = [{"id": n, "status": ["open", "done"][n % 2]} for n in range(300)]


@pytest.fixture
def ref(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> str:
    """Store a document, and return its reference."""
    file = tmp_path / "rows.json"
    file.write_text(json.dumps({"rows": ROWS}))
    assert main([str(file), "-b", "400", "--store", str(tmp_path / "store")]) == 0
    more = json.loads(capfd.readouterr().out)["_clip"]["more"]
    assert isinstance(more, str)
    return more


def test_a_page_is_fetched(
    ref: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Data to standard output, which part it is to standard error."""
    store = ["--store", str(tmp_path / "store")]
    asked = ["--at", "/rows", "--start", "12", "--count", "3"]
    assert main(["fetch", ref, *asked, *store]) == 0
    out, err = capfd.readouterr()
    assert json.loads(out)["data"] == ROWS[12:15]
    assert err == "3 of 300 from 12, go on with --start 15\n"
    assert main(["fetch", ref, "--at", "/rows", "--start", "300", *store]) == 0
    assert "past the end, there are 300" in capfd.readouterr().err
    assert main(["fetch", f"{ref}#/rows/7", "-q", *store]) == 0
    out, err = capfd.readouterr()
    assert (json.loads(out), err) == (ROWS[7], "")


def test_a_page_has_a_budget_of_tokens(
    ref: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """As a clip has."""
    asked = ["--at", "/rows", "-t", "200", "--tokenizer", "cl100k_base"]
    assert main(["fetch", ref, *asked, "--store", str(tmp_path / "store")]) == 0
    out = capfd.readouterr().out
    assert 150 < counter("cl100k_base")(out) <= 200


def test_records_are_chosen(
    ref: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """By members, whose values are JSON or text."""
    where = ["--where", "status=done", "--where", "id=7"]
    store = ["--store", str(tmp_path / "store")]
    assert main(["fetch", ref, "--at", "/rows", *where, *store]) == 0
    assert json.loads(capfd.readouterr().out)["data"] == [ROWS[7]]
    assert main(["fetch", ref, "--where", "status", *store]) == 2
    assert "has no '='" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["clip:000000000000"], "repeat the call"),
        (["../../etc/passwd"], "copy it from there"),
        (["REF", "--at", "/rowz"], 'which has the members "rows"'),
        (["REF", "--at", "/rows", "-b", "10"], "raise --max-bytes"),
        (["REF", "--at", "/rows", "-t", "5"], "raise --max-tokens"),
        (["REF", "--where", "id=1"], "where needs an array"),
        (["REF", "--namespace", "../x"], "a namespace has letters"),
    ],
)
def test_what_cannot_be_fetched_is_explained(
    words: list[str],
    says: str,
    ref: str,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """In a line on standard error, with exit status 2."""
    asked = [ref if word == "REF" else word for word in words]
    assert main(["fetch", *asked, "--store", str(tmp_path / "store")]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert says in " ".join(err.split())


def test_the_store_is_listed_and_pruned(
    ref: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Each document with its size, its age and what is left of its life."""
    store = ["--store", str(tmp_path / "store")]
    assert main(["store", "ls", *store]) == 0
    line = capfd.readouterr().out
    assert re.fullmatch(rf"{ref} +\d\.\d KB +\d s  23 h left\n", line)
    assert main(["store", "prune", *store]) == 0
    assert capfd.readouterr().out == "0 deleted\n"
    assert main(["store", "ls", "--namespace", "x", *store]) == 0
    assert capfd.readouterr().out == ""


def test_a_store_that_fails_is_told_on_standard_error(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Whoever asked for it learns so without reading the report, also with -q."""
    file = tmp_path / "rows.json"
    file.write_text(json.dumps({"rows": ROWS}))
    assert main([str(file), "-q", "-b", "400", "--store", str(file)]) == 0
    out, err = capfd.readouterr()
    assert "more" not in json.loads(out)["_clip"]
    assert err == f"streamclip: the rest could not be stored in {file}\n"


def test_a_file_without_an_outline_is_named(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """As it is for a clip: no number of an error."""
    absent = tmp_path / "absent.json"
    assert main(["outline", str(absent)]) == 2
    assert capfd.readouterr().err == (
        f"streamclip: {absent}: No such file or directory\n"
    )
