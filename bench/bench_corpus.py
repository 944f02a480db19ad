"""Real payloads, if STREAMCLIP_CORPUS names a directory that has payloads/.

streamclip checks them, and clips each to 8,192 bytes; its rivals only read them.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import orjson
import pytest

from clock import cpu_seconds
from contenders import BUDGET, RIVALS, StreamclipCheck
from streamclip import clip

CORPUS = os.environ.get("STREAMCLIP_CORPUS")
READERS = ("pysimdjson", "msgspec", "orjson", "json", "jiter")

pytestmark = [
    pytest.mark.benchmark(timer=cpu_seconds),
    pytest.mark.skipif(not CORPUS, reason="STREAMCLIP_CORPUS is not set"),
]


@pytest.fixture(scope="module")
def payloads() -> list[bytes]:
    """Return what orjson reads: JSON Lines and other encodings are left out."""
    found = []
    for path in sorted(Path(CORPUS or "", "payloads").rglob("*.json")):
        data = path.read_bytes()
        try:
            orjson.loads(data)
        except orjson.JSONDecodeError:
            continue
        found.append(data)
    return found


def plain(value: Any) -> Any:
    """Return what pysimdjson found as Python objects."""
    for name in ("as_dict", "as_list"):
        if hasattr(value, name):
            return getattr(value, name)()
    return value


def check_all(payloads: list[bytes]) -> None:
    """Check them one after another."""
    checker = StreamclipCheck()
    for data in payloads:
        checker.count(data, "")


def clip_all(payloads: list[bytes]) -> list[bytes]:
    """Clip them one after another."""
    return [clip(data, max_bytes=BUDGET).data for data in payloads]


@pytest.mark.parametrize("contender", ["check", "clip", *READERS])
def test_corpus(benchmark, payloads, contender):
    """All of them in turn, most of which a branch predictor cannot know by heart."""
    if contender == "check":
        job = check_all
    elif contender == "clip":
        job = clip_all
        for data, clipped in zip(payloads, clip_all(payloads), strict=True):
            assert len(clipped) <= BUDGET
            assert orjson.loads(clipped)
            assert len(data) > BUDGET or clipped == data
    else:
        loads = RIVALS[contender]().loads

        def job(payloads: list[bytes]) -> None:
            for data in payloads:
                loads(data)

        for data in payloads:
            assert plain(loads(data)) == orjson.loads(data)
    total = sum(map(len, payloads))
    benchmark.extra_info.update(
        suite="corpus",
        job=f"{len(payloads)} payloads, {total // 10**6} MB",
        who=contender,
        bytes=total,
    )
    benchmark(job, payloads)
