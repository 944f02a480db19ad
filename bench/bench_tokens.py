"""From a file to valid JSON of 2,000 tokens, and what else it might cost.

`clip` has a budget of tokens, and `clip-bytes` one of 8,000 bytes: the difference
is what the tokens cost. `tokenize-all` only counts the tokens of the input, as
whoever looks at those first must. `orjson-halving` is what people write: load
all, and halve the number of rows until the tokens of the text are few enough.
"""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest

from inputs import document_file, truth
from streamclip import clip
from streamclip.tokens.counting import counter

LIMIT = 2000
BYTES = 8000
COUNT = counter()


def by_tokens(path: Path) -> bytes:
    """Clip to a budget of tokens."""
    return clip(path, max_tokens=LIMIT).data


def by_bytes(path: Path) -> bytes:
    """Clip to a budget of bytes."""
    return clip(path, max_bytes=BYTES).data


def tokenize_all(path: Path) -> bytes:
    """Count the tokens of the input; return what is within by proportion."""
    text = path.read_text(encoding="utf-8")
    rows = orjson.loads(text)
    return orjson.dumps(rows[: len(rows) * LIMIT // COUNT(text)])


def orjson_halving(path: Path) -> bytes:
    """Load all, and look for the number of rows whose text is within."""
    rows = orjson.loads(path.read_bytes())
    low, high = 0, len(rows)
    while low < high:
        middle = (low + high + 1) // 2
        if COUNT(orjson.dumps(rows[:middle]).decode()) <= LIMIT:
            low = middle
        else:
            high = middle - 1
    return orjson.dumps(rows[:low])


WAYS = {
    "clip": by_tokens,
    "clip-bytes": by_bytes,
    "tokenize-all": tokenize_all,
    "orjson-halving": orjson_halving,
}


@pytest.mark.parametrize("contender", WAYS)
def test_tokens(benchmark, size, contender):
    """Each answer begins with the rows of the document, and is within."""
    path = document_file("rows", size)
    data = WAYS[contender](path)
    found = orjson.loads(data)
    rows = found["data"] if isinstance(found, dict) else found
    assert rows
    assert rows == truth("rows", size).first[: len(rows)]
    if contender != "clip-bytes":
        assert LIMIT * 0.9 < COUNT(data.decode()) <= LIMIT
    benchmark.extra_info.update(
        suite="tokens",
        job=f"rows {size // 10**6} MB",
        who=contender,
        bytes=path.stat().st_size,
    )
    # seconds each, and not many of them
    rounds = 3 if contender in ("tokenize-all", "orjson-halving") else 10
    benchmark.pedantic(WAYS[contender], (path,), rounds=rounds)
