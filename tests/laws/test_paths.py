"""The paths of the report's lines are in order, and bounded together."""

import time
from collections.abc import Iterator
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import streamclip

ROOM = 64 * 1024  # the least that is retained
KEYS = st.text("ab/~*!#. é\n", max_size=3)
TREES = st.recursive(
    st.just([1, 2]) | st.just("a b"),
    lambda inner: st.dictionaries(KEYS, inner, min_size=1, max_size=4),
    max_leaves=30,
)


def places(value: Any, path: str = "") -> Iterator[str]:
    """Yield the path of each array and string."""
    if not isinstance(value, dict):
        yield path
        return
    for key, member in value.items():
        token = "~2" if key == "*" else key.replace("~", "~0").replace("/", "~1")
        yield from places(member, f"{path}/{token}")


@given(TREES)
def test_equal_cuts_stand_in_the_order_of_their_paths(tree: Any) -> None:
    """In that of the bytes, though they are compared by rank."""
    result = streamclip.clip(
        {"v": tree}, max_items=1, max_string_chars=1, max_bytes=60_000
    )
    cuts = result.report.cuts
    items = [cut.path for cut in cuts if cut.unit == "items"]
    chars = [cut.path for cut in cuts if cut.unit == "chars"]
    assert items == sorted(items, key=lambda path: written(path))
    assert chars == sorted(chars, key=lambda path: written(path))
    assert sorted(items + chars) == sorted(places({"v": tree}))


def written(path: str) -> bytes:
    """Return a path as it stands in a JSON string, in which it is compared."""
    return path.replace("\n", "\\n").encode()


def tree_below(levels: int) -> str:
    """Return a document with 65,536 strings that can be cut, behind so many levels."""
    text = '"a b"'
    for _ in range(4):
        text = "{" + ",".join(f'"{n:x}":{text}' for n in range(16)) + "}"
    return '{"a":' * levels + text + "}" * levels


def report_of(levels: int) -> tuple[streamclip.Report, float]:
    """Clip such a document, and measure that."""
    document = tree_below(levels)
    begin = time.process_time()
    result = streamclip.clip(document, max_string_chars=1, max_bytes=540_000)
    report = result.report
    report.cuts  # noqa: B018  which is read when it is asked for
    return report, time.process_time() - begin


def test_long_paths_are_told_up_to_a_bound() -> None:
    """What is retained bounds what is told; the rest is counted."""
    report, _ = report_of(1000)
    told = sum(len(cut.path) for cut in report.cuts)
    assert told <= 540_000 + 256 * 1024 < told + 3000
    assert len(report.cuts) + report.more_cuts > 60_000


def test_long_paths_take_no_longer() -> None:
    """A hundred times the levels do not take more than some times as long."""
    short = min(report_of(10)[1] for _ in range(3))
    assert min(report_of(1000)[1] for _ in range(2)) < 4 * short + 0.1
