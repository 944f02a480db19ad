"""streamclip and the libraries that it is compared with, doing the same jobs.

`count` validates a document in memory and returns how many elements, members or
lines it has, or the characters of its long text. `clip` does the whole job from
a file: it returns valid JSON of at most `BUDGET` bytes that begins like the
document, and the same count. The rivals do it as people do: load all, keep the
first elements that fit, write them. Each is used at its best: parsers and
decoders are made once, and nothing is decoded that the library can leave alone.

A contender imports its library when it is made, so that a process that measures
memory holds no other (but orjson, which writes the documents).
"""

from __future__ import annotations

import itertools
import json
import shutil
import subprocess
from collections.abc import Callable, Iterable, Iterator, Sized
from pathlib import Path
from typing import Any

__all__ = ["BUDGET", "CLIPPERS", "SCANNERS", "pairs"]

BUDGET = 8192
CHUNK = 256 * 1024


class Streamclip:
    """The clipper, fed in chunks; and the whole job."""

    def __init__(self) -> None:
        from streamclip import Clipper, clip

        self._clipper, self._clip = Clipper, clip

    def count(self, data: bytes, shape: str) -> int:
        view = memoryview(data)
        with self._clipper(max_bytes=BUDGET) as clipper:
            for start in range(0, len(data), CHUNK):
                clipper.feed(view[start : start + CHUNK])
            return clipper.finish().report.cuts[0].total

    def clip(self, path: Path, shape: str) -> tuple[bytes, int]:
        result = self._clip(path, max_bytes=BUDGET)
        return result.data, result.report.cuts[0].total


class StreamclipCheck:
    """The bare scan. It counts nothing, so it is only asked whether all is well."""

    def __init__(self) -> None:
        from streamclip.core.binding import check

        self._check = check

    def count(self, data: bytes, shape: str) -> None:
        self._check(data, 1024, "auto")


class Loader:
    """Load all, keep the first elements that fit, write them."""

    loads: Callable[[bytes], Any]
    dumps: Callable[[Any], bytes]

    def elements(self, data: bytes, shape: str) -> Iterable[Any]:
        """Return the elements or lines; of a map, pairs of key and value."""
        if shape == "lines":
            return [self.loads(line) for line in data.splitlines()]
        found = self.loads(data)
        return found.items() if shape == "map" else found

    def object(self, data: bytes) -> dict[str, Any]:
        """Return a document that is an object, as a dict."""
        return dict(self.loads(data))

    def count(self, data: bytes, shape: str) -> int:
        if shape == "text":
            return len(self.object(data)["body"])
        return count_of(self.elements(data, shape))

    def clip(self, path: Path, shape: str) -> tuple[bytes, int]:
        data = path.read_bytes()
        if shape == "text":
            return self.shorten(self.object(data))
        return self.keep(self.elements(data, shape), shape)

    def keep(self, elements: Iterable[Any], shape: str) -> tuple[bytes, int]:
        kept: list[bytes] = []
        room = BUDGET - 2
        rest = iter(elements)
        for element in rest:
            if shape == "map":
                key, value = element
                piece = self.dumps(key) + b":" + self.dumps(value)
            else:
                piece = self.dumps(element)
            room -= len(piece) + 1
            if room < 0:
                break
            kept.append(piece)
        sized = isinstance(elements, Sized)
        total = len(elements) if sized else len(kept) + 1 + count_of(rest)
        begin, between, end = {
            "array": (b"[", b",", b"]"),
            "map": (b"{", b",", b"}"),
            "lines": (b"", b"\n", b"\n"),
        }[shape]
        return begin + between.join(kept) + end, total

    def shorten(self, found: dict[str, Any]) -> tuple[bytes, int]:
        body = found["body"]
        size = BUDGET
        while True:
            text = self.dumps({**found, "body": body[:size]})
            if len(text) <= BUDGET:
                return text, len(body)
            size -= 1 + (len(text) - BUDGET) // 4


def count_of(elements: Iterable[Any]) -> int:
    """Return how many there are."""
    if isinstance(elements, Sized):
        return len(elements)
    return sum(1 for _ in elements)


class Json(Loader):
    """The standard library."""

    def __init__(self) -> None:
        self.loads = json.loads

    def dumps(self, value: Any) -> bytes:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


class Orjson(Loader):
    """orjson."""

    def __init__(self) -> None:
        import orjson

        self.loads, self.dumps = orjson.loads, orjson.dumps


class Msgspec(Loader):
    """msgspec, into Python objects."""

    def __init__(self) -> None:
        from msgspec.json import Decoder, Encoder

        self._decoder = Decoder()
        self.loads, self.dumps = self._decoder.decode, Encoder().encode

    def elements(self, data: bytes, shape: str) -> Iterable[Any]:
        if shape == "lines":
            return self._decoder.decode_lines(data)
        return super().elements(data, shape)


class MsgspecRaw(Loader):
    """msgspec, which leaves the elements as they are written."""

    def __init__(self) -> None:
        from msgspec import Raw
        from msgspec.json import Decoder, Encoder

        self._list, self._map = Decoder(list[Raw]), Decoder(dict[str, Raw])
        self._lines = Decoder(Raw)
        self.loads, self.dumps = Decoder().decode, Encoder().encode

    def elements(self, data: bytes, shape: str) -> Iterable[Any]:
        if shape == "lines":
            return self._lines.decode_lines(data)
        if shape == "map":
            return self._map.decode(data).items()
        return self._list.decode(data)


class Pysimdjson(Loader):
    """pysimdjson with a parser that has its memory already."""

    def __init__(self) -> None:
        import orjson
        import simdjson

        self._dumps = orjson.dumps
        self.loads = simdjson.Parser().parse

    def dumps(self, value: Any) -> bytes:
        return value.mini if hasattr(value, "mini") else self._dumps(value)

    def elements(self, data: bytes, shape: str) -> Iterable[Any]:
        if shape == "lines":
            # what it returns lives no longer than until it parses again
            return [self._line(line) for line in data.splitlines()]
        found = self.loads(data)
        return Members(found) if shape == "map" else found

    def _line(self, line: bytes) -> Any:
        self.loads(line)
        return Written(line)

    def object(self, data: bytes) -> dict[str, Any]:
        return self.loads(data).as_dict()


class Members:
    """The members of a simdjson object, counted without making them."""

    def __init__(self, found: Any) -> None:
        self._found = found

    def __len__(self) -> int:
        return len(self._found)

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        return self._found.items()


class Written(bytes):
    """A line that has been checked and is passed on as it was written."""

    @property
    def mini(self) -> bytes:
        return self


class Jiter(Loader):
    """jiter, the parser of pydantic; written by orjson."""

    def __init__(self) -> None:
        import jiter
        import orjson

        self.loads, self.dumps = jiter.from_json, orjson.dumps


class Ijson(Loader):
    """ijson on yajl, which reads the file as a stream; written by orjson."""

    def __init__(self) -> None:
        import ijson.backends.yajl2_c
        import orjson

        self._ijson = ijson.backends.yajl2_c
        self.dumps = orjson.dumps

    def elements(self, data: Any, shape: str) -> Iterable[Any]:
        if shape == "map":
            return self._ijson.kvitems(data, "", use_float=True)
        if shape == "lines":
            return self._ijson.items(data, "", use_float=True, multiple_values=True)
        return self._ijson.items(data, "item", use_float=True)

    def object(self, data: Any) -> dict[str, Any]:
        return next(self._ijson.items(data, "", use_float=True))

    def clip(self, path: Path, shape: str) -> tuple[bytes, int]:
        with path.open("rb") as file:
            if shape == "text":
                return self.shorten(self.object(file))
            return self.keep(self.elements(file, shape), shape)


class Jq:
    """jq, a program of its own: the count, then the first elements that fit."""

    # without two brackets and the end of the line
    FIT = f"""[label $full | foreach .[] as $element (
        {BUDGET} - 3;
        . - ($element | tojson | utf8bytelength) - 1;
        if . < 0 then break $full else $element end
    )]"""

    def clip(self, path: Path, shape: str) -> tuple[bytes, int]:
        if shape == "lines":
            options, code = ["--slurp"], f"length, {self.FIT}[]"
        else:
            options, code = [], f"length, {self.FIT}"
        command = ["jq", "--compact-output", *options, code, str(path)]
        shown = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
        count, _, kept = shown.partition(b"\n")
        return kept, int(count)


RIVALS = {
    "pysimdjson": Pysimdjson,
    "msgspec-raw": MsgspecRaw,
    "msgspec": Msgspec,
    "orjson": Orjson,
    "json": Json,
    "jiter": Jiter,
    "ijson": Ijson,
}
LEFT_OUT = {
    # yajl starts a string again with each block of a file that it has read: 50 MB
    # of one string would take minutes.
    ("text", "ijson"),
    # jq 1.6 rounds integers of more than 53 bits.
    ("numbers", "jq"),
    # Its program above is for elements.
    ("map", "jq"),
    ("text", "jq"),
}


def pairs(kinds: Iterable[str], contenders: Iterable[str]) -> list[tuple[str, str]]:
    """Return what to measure: each kind of document with each contender."""
    return [
        pair for pair in itertools.product(kinds, contenders) if pair not in LEFT_OUT
    ]


SCANNERS = {"check": StreamclipCheck, "clipper": Streamclip, **RIVALS}
CLIPPERS = {"clip": Streamclip, **RIVALS}
if shutil.which("jq"):
    CLIPPERS["jq"] = Jq
