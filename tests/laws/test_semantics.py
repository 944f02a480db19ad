"""The worked examples of docs/semantics.md come out as they are shown."""

import doctest
from pathlib import Path

RULES = Path(__file__).parents[2] / "docs" / "semantics.md"


def test_the_worked_examples_are_true() -> None:
    """All of them, in the order in which they stand."""
    results = doctest.testfile(str(RULES), module_relative=False)
    assert results.attempted > 7
    assert results.failed == 0
