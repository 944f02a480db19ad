"""Validate a document in memory and count what it has."""

from __future__ import annotations

import pytest

from clock import cpu_seconds
from contenders import SCANNERS, pairs
from inputs import KINDS, document, truth
from streamclip import InvalidJSONError
from streamclip.core.binding import check

pytestmark = pytest.mark.benchmark(timer=cpu_seconds)


@pytest.mark.parametrize(("kind", "contender"), pairs(KINDS, SCANNERS))
def test_scan(benchmark, kind, size, contender):
    """Every byte is checked; most rivals also build what they read."""
    data, shape = document(kind, size), KINDS[kind].shape
    scanner = SCANNERS[contender]()
    if contender == "check":
        with pytest.raises(InvalidJSONError) as caught:
            check(data + b"!", 1024, "auto")
        assert caught.value.offset == len(data)
    else:
        assert scanner.count(data, shape) == truth(kind, size).count
    benchmark.extra_info.update(
        suite="scan", job=f"{kind} {size // 10**6} MB", who=contender, bytes=len(data)
    )
    benchmark(scanner.count, data, shape)
