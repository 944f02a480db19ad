"""The whole job: from a file in the page cache to valid JSON of 8,192 bytes."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from clock import cpu_seconds
from contenders import BUDGET, CLIPPERS, pairs
from inputs import KINDS, document_file, truth

pytestmark = pytest.mark.benchmark(timer=cpu_seconds)

# All but `strings`: there streamclip shortens the elements that take more than their
# share of the budget, and its rivals do not.
JOBS = tuple(kind for kind in KINDS if kind != "strings")


def begins(data: bytes, shape: str) -> Any:
    """Return what a clip keeps of the document, without the report in it."""
    if shape == "lines":
        found = [orjson.loads(line) for line in data.splitlines()]
        return [line for line in found if "_clip" not in line]
    found = orjson.loads(data)
    if shape == "text":
        return found["body"]
    if shape == "map":
        found.pop("_clip", None)
        return list(found.items())
    return found["data"] if isinstance(found, dict) else found


@pytest.mark.parametrize(("kind", "contender"), pairs(JOBS, CLIPPERS))
def test_clip(benchmark, kind, size, contender):
    """Nothing is kept from one round to the next but parsers and decoders."""
    path, shape = document_file(kind, size), KINDS[kind].shape
    clipper = CLIPPERS[contender]()
    known = truth(kind, size)
    data, count = clipper.clip(path, shape)
    kept = begins(data, shape)
    assert BUDGET * 3 // 4 < len(data) <= BUDGET
    assert count == known.count
    assert kept == known.first[: len(kept)]
    benchmark.extra_info.update(
        suite="clip",
        job=f"{kind} {size // 10**6} MB",
        who=contender,
        bytes=path.stat().st_size,
    )
    benchmark(clipper.clip, path, shape)
