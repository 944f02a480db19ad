"""The demonstration shows what it says it shows."""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

PATH = Path(__file__).resolve().parents[2] / "examples" / "demo.py"


@pytest.fixture(scope="module")
def demo() -> ModuleType:
    """Import the demonstration, which belongs to no package."""
    spec = importlib.util.spec_from_file_location("demo", PATH)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["demo"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def test_the_work_orders_are_one_line_of_5300_characters(demo: ModuleType) -> None:
    """So that they are over the budget in every unit."""
    text = demo.work_orders()
    assert 5250 <= len(text) <= 5350
    assert "\n" not in text
    assert len(json.loads(text)["rows"]) == 40


def test_only_the_clip_parses(demo: ModuleType) -> None:
    """The parser's words on the others are shown."""
    results = demo.attempts(demo.work_orders())
    assert sorted(results) == ["A", "B", "C", "D", "E"]
    assert [letter for letter, result in results.items() if not result.fault] == ["C"]
    assert all(
        len(result.data) <= 2000
        for letter, result in results.items()
        if letter in "BCE"
    )


def test_only_the_clip_tells_the_exact_count(demo: ModuleType) -> None:
    """What it tells is what is there, and the cursor is kept."""
    results = demo.attempts(demo.work_orders())
    data = json.loads(results["C"].data)
    kept = len(data["rows"])
    cut = data["_clip"]["cuts"][0]
    assert (cut["path"], cut["kept"], cut["total"]) == ("/rows", kept, 40)
    assert cut["omitted"] == 40 - kept
    assert data["next_cursor"] == "c40"
    told = f"{40 - kept} of 40 in /rows"
    assert [k for k, result in results.items() if result.lesson == told] == ["C"]


def test_a_cut_by_bytes_breaks_a_character(demo: ModuleType) -> None:
    """A client sees it as U+FFFD; the clip has none."""
    results = demo.attempts(demo.work_orders())
    assert results["B"].replaced == 1
    assert results["C"].replaced == 0


def test_the_command_keeps_numbers_and_cursor(demo: ModuleType, tmp_path: Path) -> None:
    """Out of several megabytes, as they were written."""
    path = tmp_path / "orders.json"
    demo.write_orders(path)
    assert path.stat().st_size > 3_000_000
    text, line = demo.run_command(path)
    assert len(text.encode()) <= 2000
    data = json.loads(text, parse_float=str)
    order = data["data"]["orders"][0]
    assert (order["id"], order["discount"]) == (9007199254740993, "1.10")
    assert data["next_cursor"] == "eyJvZmZzZXQiOjkwMDB9"
    assert line.startswith(
        f"kept {len(data['data']['orders'])} of 9000 items and 2 more cuts, "
    )


@pytest.mark.parametrize("locale", [{}, {"LC_ALL": "C", "PYTHONUTF8": "0"}])
def test_the_demonstration_runs(locale: dict[str, str]) -> None:
    """As a program whose output is not a terminal, in any locale."""
    done = subprocess.run(
        [sys.executable, PATH],
        capture_output=True,
        check=True,
        timeout=60,
        env={**os.environ, **locale},
    )
    text = done.stdout.decode()
    assert "$ streamclip orders.json -b 2000" in text
    assert "C clipped by streamclip" in text
    assert "\x1b" not in text
    assert done.stderr == b""
