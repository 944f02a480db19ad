"""What docs/context.md shows is what happens."""

import doctest
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs" / "context.md"


def test_the_example_is_true() -> None:
    """Its ledger is printed as it is shown."""
    results = doctest.testfile(str(DOCS), module_relative=False)
    assert results.attempted > 4
    assert results.failed == 0
