"""Seeded documents to measure with.

Nothing in them repeats: a branch predictor learns a small document that is read
again and again, and speeds measured so are never seen in use. `document` makes
one in memory, `document_file` one in a file, which is kept under build/ and made
again when this file changes.
"""

from __future__ import annotations

import functools
import itertools
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import orjson

__all__ = [
    "KINDS",
    "MB",
    "Kind",
    "Truth",
    "answers",
    "document",
    "document_file",
    "truth",
]

MB = 1_000_000
SEED = 8259
HERE = Path(__file__)
CACHE = HERE.parents[1] / "build" / "bench"

SYLLABLES = (
    "ba",
    "de",
    "ko",
    "li",
    "mun",
    "or",
    "pas",
    "qui",
    "ren",
    "sol",
    "ta",
    "um",
)
HAN = [chr(code) for code in range(0x4E00, 0x4E00 + 4000)]
TINY = (b"0", b"7", b"-1", b"[]", b"{}", b'""', b'"a"', b"true", b"null", b"1.5")


@functools.cache
def vocabulary() -> list[str]:
    """Return 4,000 words, some of them with what has to be escaped."""
    random = Random(SEED)
    words = ["".join(random.choices(SYLLABLES, k=1 + n % 4)) for n in range(4000)]
    for at in range(0, len(words), 50):
        words[at] += random.choice(['"', "\\", "\n", "\t", "é", "😀"])
    return words


def words(random: Random, count: int) -> str:
    """Return a text of so many words."""
    return " ".join(random.choices(vocabulary(), k=count))


def han(random: Random, count: int) -> str:
    """Return a text of so many Chinese characters."""
    return "".join(random.choices(HAN, k=count))


def row(random: Random, number: int) -> dict[str, Any]:
    """Return a record of about 300 bytes."""
    return {
        "id": number,
        "name": words(random, 2),
        "city": han(random, random.randint(2, 6)),
        "price": round(random.uniform(0, 5000), 2),
        "count": random.randrange(10_000),
        "active": random.random() < 0.7,
        "parent": random.choice([None, random.randrange(1_000_000)]),
        "tags": random.choices(vocabulary(), k=random.randint(0, 4)),
        "at": {"lat": random.uniform(-90, 90), "lon": random.uniform(-180, 180)},
        "note": words(random, random.randint(1, 12)) + han(random, number % 9),
    }


def compact_row(random: Random, number: int) -> bytes:
    """Write a row without white space."""
    return orjson.dumps(row(random, number))


def pretty_row(random: Random, number: int) -> bytes:
    """Write a row as it stands in an indented array."""
    text = orjson.dumps(row(random, number), option=orjson.OPT_INDENT_2)
    return b"\n  " + text.replace(b"\n", b"\n  ")


def escaped_row(random: Random, number: int) -> bytes:
    """Write a row in ASCII, with a `u` escape for each other character."""
    return json.dumps(row(random, number), separators=(",", ":")).encode()


def member(random: Random, number: int) -> bytes:
    """Write a row under a key of its own."""
    return b'"item-%d-%d":' % (random.randrange(1000), number) + compact_row(
        random, number
    )


def numbers(random: Random, number: int) -> bytes:
    """Write five numbers of different lengths."""
    return orjson.dumps(
        [
            number,
            random.uniform(-180, 180),
            random.randrange(10 ** random.randint(1, 18)),
            round(random.uniform(0, 100), 2),
            random.uniform(0, 1) * 10.0 ** random.randint(-30, 30),
        ]
    )


def long_string(random: Random, number: int) -> bytes:
    """Write a text of 200 to 4,000 bytes; each eighth is Chinese."""
    if number % 8 == 0:
        return orjson.dumps(han(random, random.randint(60, 1200)))
    return orjson.dumps(words(random, random.randint(25, 500)))


def nested(random: Random, number: int) -> bytes:
    """Write a value that is 10 to 60 levels deep, with a little at each."""
    value: Any = number
    for level in range(random.randint(10, 60)):
        if random.random() < 0.5:
            value = [value, words(random, 2), level]
        else:
            value = {random.choice(SYLLABLES): value, "note": words(random, 2)}
    return orjson.dumps(value)


def tiny_elements(random: Random, _: int) -> bytes:
    """Write a thousand of the smallest elements there are."""
    return b",".join(random.choices(TINY, k=1000))


def paragraph(random: Random, number: int) -> bytes:
    """Write a piece of one long text."""
    return long_string(random, number)[1:-1]


class Kind(NamedTuple):
    """How a document is put together: `begin`, pieces and `between`, `end`."""

    shape: str  # "array", "map", "lines", or "text": one member that is long
    piece: Callable[[Random, int], bytes]
    begin: bytes = b"["
    between: bytes = b","
    end: bytes = b"]"


KINDS = {
    "rows": Kind("array", compact_row),
    "pretty": Kind("array", pretty_row, end=b"\n]\n"),
    "escaped": Kind("array", escaped_row),
    "numbers": Kind("array", numbers),
    "strings": Kind("array", long_string),
    "deep": Kind("array", nested),
    "tiny": Kind("array", tiny_elements),
    "map": Kind("map", member, b"{", b",", b"}"),
    "lines": Kind("lines", compact_row, b"", b"\n", b"\n"),
    "text": Kind("text", paragraph, b'{"id":7,"body":"', b" ", b'","done":true}'),
}


def pieces(kind: str, size: int, seed: int) -> Iterator[bytes]:
    """Yield a document of about `size` bytes."""
    made = KINDS[kind]
    random = Random(f"{kind} {seed}")
    left = size - len(made.begin) - len(made.end)
    yield made.begin
    for number in itertools.count():
        piece = made.piece(random, number)
        yield piece
        left -= len(piece) + len(made.between)
        if left <= 0:
            break
        yield made.between
    yield made.end


def document(kind: str, size: int, seed: int = SEED) -> bytes:
    """Return a document of about `size` bytes."""
    return document_file(kind, size, seed).read_bytes()


def document_file(kind: str, size: int, seed: int = SEED) -> Path:
    """Return a file that holds a document of about `size` bytes."""
    path = CACHE / f"{kind}-{size}-{seed}.json"
    if path.exists() and path.stat().st_mtime > HERE.stat().st_mtime:
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".unfinished")
    with unfinished.open("wb") as file:
        file.writelines(pieces(kind, size, seed))
    unfinished.replace(path)
    return path


def answers(count: int, seed: int = SEED) -> list[bytes]:
    """Return answers of an API, each about 5 KB: a page of issues."""
    random = Random(f"answers {seed}")
    return [orjson.dumps(_page(random)) for _ in range(count)]


def _page(random: Random) -> dict[str, Any]:
    number = random.randrange(1000, 100_000)
    return {
        "total_count": random.randrange(100, 10_000),
        "items": [_issue(random, number - at) for at in range(12)],
        "next_cursor": f"{random.getrandbits(128):032x}",
        "has_more": True,
    }


def _issue(random: Random, number: int) -> dict[str, Any]:
    return {
        "number": number,
        "url": f"https://example.org/issues/{number}",
        "title": words(random, random.randint(3, 9)),
        "state": random.choice(["open", "closed"]),
        "user": {"login": words(random, 1), "id": random.randrange(10**8)},
        "labels": random.choices(vocabulary(), k=random.randint(0, 3)),
        "comments": random.randrange(40),
        "created_at": f"2025-{random.randint(1, 12):02}-11T08:{number % 60:02}:00Z",
        "body": words(random, random.randint(5, 25)) + han(random, number % 20),
    }


class Truth(NamedTuple):
    """What is known of a document: its count, and how it begins."""

    count: int
    first: Any  # elements, members as pairs, or lines; or characters


@functools.lru_cache(maxsize=1)
def truth(kind: str, size: int, seed: int = SEED) -> Truth:
    """Return what a contender has to find, and what its clip has to begin with."""
    data, shape = document(kind, size, seed), KINDS[kind].shape
    if shape == "lines":
        lines = data.splitlines()
        return Truth(len(lines), [orjson.loads(line) for line in lines[:1000]])
    found = orjson.loads(data)
    if shape == "map":
        return Truth(len(found), list(itertools.islice(found.items(), 1000)))
    if shape == "text":
        return Truth(len(found["body"]), found["body"][:10_000])
    return Truth(len(found), found[:5000])
