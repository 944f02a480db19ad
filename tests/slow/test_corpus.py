"""Real inputs, and the edge cases that other parsers are tested with.

They are found by STREAMCLIP_CORPUS, a directory with payloads/ and conformance/.
"""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ijson
import pytest

from streamclip import BudgetTooSmallError, InvalidJSONError, clip
from test_bad_input import Oracle, WrongByteError, found, is_valid_for_json, verdict
from test_report import assert_told, assert_true, block_of, has_duplicates
from test_validity import FORMS, assert_lawful, data_of, documents_in, read

pytestmark = pytest.mark.slow

BUDGETS = (600, 2_000, 8_000, 30_000)
DEPTH = 200  # what an oracle that calls itself can follow
TEXTS = {".json", ".jsonl", ".ndjson", ".ipynb", ".har", ".sarif", ".geojson"}


def files(directory: Path) -> Iterator[Path]:
    """Return the inputs below a directory, in order."""
    assert directory.is_dir()
    return (
        path
        for path in sorted(directory.rglob("*"))
        if path.is_file() and path.name not in ("LICENSES.txt", "LICENSE", "README.md")
    )


def is_multi(data: bytes) -> bool:
    """Tell whether data are JSON Lines."""
    return len(documents_in(data.removeprefix(b"\xef\xbb\xbf"))) > 1


def test_every_payload_is_clipped_lawfully(
    corpus: Path, subtests: pytest.Subtests, capsys: pytest.CaptureFixture[str]
) -> None:
    """At four budgets: valid, within it, a sub-document, and the counts true."""
    used: list[float] = []
    for path in files(corpus / "payloads"):
        data = path.read_bytes()
        multi = is_multi(data)
        whole = read(data, multi=multi)
        countable = not has_duplicates(whole)
        for budget in BUDGETS:
            for form in FORMS:
                with subtests.test(path.name, budget=budget, form=form):
                    options: dict[str, Any] = {"max_bytes": budget, "report": form}
                    result = clip(data, **options)
                    assert_lawful(result, data, options, multi=multi)
                    if result.complete:
                        continue
                    if form != "siblings" and countable:
                        kept = data_of(result, whole, multi=multi, form=form)
                        assert_true(result, kept, whole)
                    if form == "inline":
                        used.append(len(result.data) / budget)
                        assert_told(result, block_of(result, multi=multi))
    used.sort()
    parts = " ".join(
        f"{p}%: {used[len(used) * p // 100]:.3f}" for p in (0, 5, 25, 50, 75)
    )
    with capsys.disabled():
        sys.stdout.write(f"\noutput over budget of {len(used)} cut clips: {parts}\n")
    assert used[len(used) // 2] > 0.7


def test_every_payload_is_clipped_lawfully_in_characters(
    corpus: Path, subtests: pytest.Subtests
) -> None:
    """Read in chunks of odd sizes, with another kind of budget and a named one."""
    for path in files(corpus / "payloads"):
        data = path.read_bytes()
        multi = is_multi(data)
        for budget in (900, 5000):
            with subtests.test(path.name, budget=budget):
                options: dict[str, Any] = {"max_chars": budget, "lang": "zh"}
                step = 4096 + budget % 97
                chunks = (data[at : at + step] for at in range(0, len(data), step))
                result = clip(chunks, **options)
                assert result.data == clip(data, **options).data
                assert_lawful(result, data, options, multi=multi)


def events(data: bytes) -> list[object]:
    """Return what ijson sees."""
    parsed = ijson.basic_parse(io.BytesIO(data), multiple_values=True)
    return list(parsed)


def test_the_core_sees_what_ijson_sees(corpus: Path, subtests: pytest.Subtests) -> None:
    """Written again without loss, every payload gives the same events."""
    for path in files(corpus / "payloads"):
        data = path.read_bytes().removeprefix(b"\xef\xbb\xbf")
        with subtests.test(path.name):
            # White space that does not fit has it written by the core.
            options: dict[str, Any] = {"max_bytes": len(data), "report": "detached"}
            result = clip(b" " * 8 + data, **options)
            assert result.complete
            assert len(result.data) <= len(data)
            assert events(result.data) == events(data)
            multi = is_multi(data)
            assert read(result.data, multi=multi) == read(data, multi=multi)
            again = clip(b" " * len(data) + result.data, **options)
            assert again.data == result.data


def test_valid_files_are_accepted_and_invalid_ones_rejected(
    corpus: Path, subtests: pytest.Subtests
) -> None:
    """JSONTestSuite: all of y_, none of n_, in both formats."""
    seen = {"y": 0, "n": 0, "i": 0}
    for path in files(corpus / "conformance" / "JSONTestSuite" / "test_parsing"):
        kind = path.name[0]
        seen[kind] += 1
        data = path.read_bytes()
        for text_format in ("json", "auto"):
            with subtests.test(path.name, format=text_format):
                options: dict[str, Any] = {"max_bytes": 1 << 20, "format": text_format}
                if kind == "y":
                    assert clip(data, **options).complete
                elif kind == "n":
                    with pytest.raises(InvalidJSONError) as caught:
                        clip(data, **options)
                    assert 0 <= caught.value.offset <= len(data)
                else:
                    found(data, **options)
    assert min(seen.values()) > 30


def test_every_file_is_judged_as_by_the_grammar(
    corpus: Path, subtests: pytest.Subtests
) -> None:
    """All of conformance/, at the first byte that is wrong."""
    count = 0
    for path in files(corpus / "conformance"):
        data = path.read_bytes()
        if len(data) > 1 << 18:
            continue
        count += 1
        with subtests.test(str(path.relative_to(corpus))):
            for lines, text_format in ((False, "json"), (True, "auto")):
                expected = verdict(data, lines=lines, max_depth=DEPTH)
                assert found(data, format=text_format, max_depth=DEPTH) == expected
            try:
                valid = is_valid_for_json(data)
            except RecursionError:
                continue
            assert valid == (found(data, format="json", max_depth=1 << 20) is None)
    assert count > 500


def test_bad_utf8_is_rejected_where_python_rejects_it(
    corpus: Path, subtests: pytest.Subtests
) -> None:
    """Each line of the torture tests, as a string."""
    counts = {True: 0, False: 0}
    directory = corpus / "conformance" / "utf8"
    names = ("markus_kuhn/UTF-8-test.txt", "utf8tests/utf8tests.bin")
    for path in (directory / name for name in names):
        for number, line in enumerate(path.read_bytes().split(b"\n")):
            data = b'"' + re.sub(rb'[\x00-\x1f"\\]', b"", line) + b'"'
            with subtests.test(path.name, line=number):
                try:
                    data.decode()
                    expected = None
                except UnicodeDecodeError as error:
                    expected = error.start
                assert found(data) == expected
                assert found(b"[0,[[" + data + b"]]]", max_items=1) == (
                    None if expected is None else expected + 5
                )
                counts[expected is None] += 1
    assert min(counts.values()) > 50


def test_utf16_from_real_tools_is_named(corpus: Path) -> None:
    """With a mark, as PowerShell writes it."""
    count = 0
    for path in files(corpus / "conformance" / "realworld_utf16"):
        with pytest.raises(InvalidJSONError, match="UTF-16") as caught:
            clip(path, max_bytes=1000)
        assert caught.value.offset == 0
        with path.open(encoding="utf-16") as file:
            clip(file, max_bytes=1000)
        count += 1
    assert count


def test_published_files_that_are_invalid_are_rejected(corpus: Path) -> None:
    """At the byte after the comma that is one too many."""
    for path in files(corpus / "conformance" / "realworld_invalid"):
        data = path.read_bytes()
        with pytest.raises(WrongByteError) as expected:
            Oracle(data).document(lines=False)
        with pytest.raises(InvalidJSONError) as caught:
            clip(path, max_bytes=1000)
        assert caught.value.offset == expected.value.args[0]


def test_a_document_cut_at_every_byte_is_early_or_kept(corpus: Path) -> None:
    """The torture input of jq."""
    data = (corpus / "conformance/jq/torture/input0.json").read_bytes()
    for size in range(0, len(data), 7):
        early = data[:size]
        expected = verdict(early, lines=True)
        assert found(early) == expected
        if expected != "early":
            continue
        try:
            result = clip(early, max_bytes=2000, incomplete="keep")
        except (InvalidJSONError, BudgetTooSmallError):
            assert size < 10
            continue
        assert result.report.input_cut
        documents_in(result.data)
