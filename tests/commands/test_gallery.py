"""The gallery shows what streamclip makes of its documents now."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from test_report import assert_in_order, assert_told, assert_true, block_of
from test_validity import data_of, documents_in, read

ROOT = Path(__file__).resolve().parents[2]
EXHIBITS = 12


@pytest.fixture(scope="module")
def gallery() -> ModuleType:
    """Import the program that writes the page, which belongs to no package."""
    path = ROOT / "examples" / "gallery.py"
    spec = importlib.util.spec_from_file_location("gallery", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["gallery"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def test_the_page_is_what_the_command_writes(gallery: ModuleType) -> None:
    """After a change of the rules: `make gallery`, and look at what changed."""
    assert gallery.PAGE == ROOT / "docs" / "gallery.md"
    assert gallery.PAGE.read_text(encoding="utf-8") == gallery.page()


@pytest.mark.parametrize("number", range(EXHIBITS))
def test_a_clip_is_within_budget_and_true(gallery: ModuleType, number: int) -> None:
    """Each is held against its document, place by place."""
    assert len(gallery.EXHIBITS) == EXHIBITS
    exhibit = gallery.EXHIBITS[number]
    multi = exhibit.file.endswith(".jsonl")
    form = exhibit.options.get("report", "inline")
    result = exhibit.clip()
    assert 0 < len(result.data) <= gallery.BUDGET
    assert result.stats.bytes_out == len(result.data)
    assert not result.complete
    whole = read(exhibit.text.encode(), multi=multi)
    assert_true(result, data_of(result, whole, multi=multi, form=form), whole)
    assert_in_order(result.report.cuts)
    if form == "inline":
        assert_told(result, block_of(result, multi=multi))


@pytest.mark.parametrize("number", range(EXHIBITS))
def test_the_shown_form_is_only_indented(gallery: ModuleType, number: int) -> None:
    """It says the same, numbers as they are written."""
    exhibit = gallery.EXHIBITS[number]
    data = exhibit.clip().data
    shown = gallery.section(exhibit).split("```json\n")[1].split("\n```")[0]
    assert documents_in(shown.encode()) == documents_in(data)


def test_the_call_that_is_shown_gives_the_clip(
    gallery: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Typed as it stands, with the document in the file that it names."""
    monkeypatch.chdir(tmp_path)
    for exhibit in gallery.EXHIBITS:
        Path(exhibit.file).write_text(exhibit.text, encoding="utf-8", newline="\n")
        names = {"clip": gallery.streamclip.clip, "Path": Path}
        exec(exhibit.call, names)
        assert names["result"].data == exhibit.clip().data
