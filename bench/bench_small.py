"""Answers of 5 KB: one that fits, and one that is cut to 2 KB.

A hundred different ones are clipped in turn; the time of one is reported.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import orjson
import pytest

from clock import cpu_seconds
from inputs import answers
from streamclip import clip

pytestmark = pytest.mark.benchmark(timer=cpu_seconds)

COUNT = 100
BUDGETS = {"fits": 8192, "cut": 2048}


def with_orjson(found: dict[str, Any], budget: int) -> bytes:
    """Write an answer, with as many of its first items as fit and a word on it."""
    text = orjson.dumps(found)
    if len(text) <= budget:
        return text
    items = found["items"]
    note = {"kept": len(items), "total": len(items)}
    kept: list[Any] = []
    shortened = {"_clip": note, **found, "items": kept}
    room = budget - len(orjson.dumps(shortened))
    for item in items:
        room -= len(orjson.dumps(item)) + 1
        if room < 0:
            break
        kept.append(item)
    note["kept"] = len(kept)
    return orjson.dumps(shortened)


def clip_all(sources: list[Any], budget: int) -> list[bytes]:
    """Clip them one after another, report included."""
    return [clip(source, max_bytes=budget).data for source in sources]


def orjson_bytes(sources: list[Any], budget: int) -> list[bytes]:
    """Load, shorten, write."""
    return [with_orjson(orjson.loads(source), budget) for source in sources]


def orjson_dict(sources: list[Any], budget: int) -> list[bytes]:
    """Shorten, write."""
    return [with_orjson(source, budget) for source in sources]


def numbers(items: list[dict[str, Any]]) -> list[int]:
    """Return what tells the items apart: in a clip one of them may be shortened."""
    return [item["number"] for item in items]


WAYS: dict[tuple[str, str], Callable[[list[Any], int], list[bytes]]] = {
    ("bytes", "clip"): clip_all,
    ("bytes", "orjson"): orjson_bytes,
    ("dict", "clip"): clip_all,
    ("dict", "orjson"): orjson_dict,
}


@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize(("source", "contender"), WAYS)
def test_small(benchmark, source, budget, contender):
    """What the fixed cost of a call comes to."""
    texts = answers(COUNT)
    sources = texts if source == "bytes" else [orjson.loads(text) for text in texts]
    way, limit = WAYS[source, contender], BUDGETS[budget]
    for text, data in zip(texts, way(sources, limit), strict=True):
        whole, found = orjson.loads(text), orjson.loads(data)
        kept = found["items"]
        assert len(data) <= limit
        assert numbers(kept) == numbers(whole["items"])[: len(kept)]
        assert found["next_cursor"] == whole["next_cursor"]
        assert ("_clip" in found) == (budget == "cut")
        assert kept
    benchmark.extra_info.update(
        suite="small",
        job=f"{source}, {budget}",
        who=contender,
        bytes=sum(map(len, texts)),
        times=COUNT,
    )
    benchmark(way, sources, limit)
