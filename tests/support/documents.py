"""Documents to test with, which reach for the borders of every rule.

Two sources: `sample(random)` makes one of a few thousand bytes from a seeded
`random.Random`, `samples` is a hypothesis strategy of smaller ones. `shrink`
makes a sample of the first kind small, too.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from random import Random
from typing import TypeAlias

from hypothesis import strategies as st

from reference import Options
from reference_text import squeeze


@dataclass
class Members:
    """An object: keys as they are written, with their values."""

    pairs: list[tuple[str, Tree]]


# A str is a scalar or a string as it is written, quotes and escapes included.
Tree: TypeAlias = str | list["Tree"] | Members


@dataclass(frozen=True)
class Sample:
    """A document and what is asked of it."""

    trees: list[Tree]  # one, or the lines of JSON Lines
    multi: bool = False
    spaces: tuple[str, ...] = ("",)  # what may stand beside a sign
    options: Options = field(default_factory=Options)

    @property
    def data(self) -> bytes:
        """The document as JSON text."""
        random = Random(len(self.spaces))

        def space() -> str:
            return random.choice(self.spaces)

        lines = ["".join(_written(tree, space)) for tree in self.trees]
        ends = ["\n", "\r\n", "\n \n"] if len(self.spaces) > 1 else ["\n"]
        text = "".join(line + random.choice(ends) for line in lines)
        return (text if random.random() < 0.5 else text.rstrip()).encode()


def _written(tree: Tree, space: Callable[[], str]) -> Iterator[str]:
    """Write a tree, with white space around its signs."""
    if isinstance(tree, str):
        yield tree
    elif isinstance(tree, list):
        yield "[" + space()
        for at, element in enumerate(tree):
            yield "," + space() if at else ""
            yield from _written(element, space)
        yield space() + "]"
    else:
        yield "{" + space()
        for at, (key, value) in enumerate(tree.pairs):
            yield f"{',' if at else ''}{space()}{key}{space()}:{space()}"
            yield from _written(value, space)
        yield space() + "}"


def quoted(text: str) -> str:
    """Write a string plainly; lone surrogates as escapes."""
    return '"' + squeeze(text).decode() + '"'


# --- Strings

CLUSTERS = (
    ["a", " ", "b", "word ", "é", "\x7f"],
    ["汉", "字", "。", "漢字"],
    ["e\u0301", "o\u0302\u0323", "n"],
    ["🇩🇪", "🇨🇳", "🇩", " "],
    [
        "👩🏽‍🚀",
        "👨‍👩‍👧‍👦",
        "👍🏿",
        "❤\ufe0f",
        "🏴\U000e0067\U000e0062\U000e007f",
        "x\u200d",
    ],
    ["\u1112\u1161\u11ab", "\uac00", "\u1160"],
    ["\n", "\r\n", "\r", "\t", '"', "\\", "/", "\x01", "\x1f", "a"],
    ["\ud83d", "\udc00", "\ud800", "a", "\U0001f600"],
    ["\u0301", "\u200d", "\U0001f1e9", "a"],
)
LENGTHS = (0, 1, 2, 5, 9, 20, 27, 28, 29, 30, 31, 47, 48, 49, 60, 70, 75, 80, 100, 200)
TOKEN = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_=.:-"
SCALARS = (
    *("0", "-0", "7", "12", "1.10", "1E+2", "-3.5e-7", "9007199254740993"),
    *("true", "false", "null"),
)
LONGEST_KEY = 100
SHORT_KEYS = ("id", "a", "b", "t", "v", "key", "name", "next_cursor", "has_more")
ODD_KEYS = (
    "",
    "*",
    "~",
    "/",
    "a/b",
    "~1",
    "é",
    "汉字",
    '"',
    "\n",
    "a\\b",
    "_clip",
    "0",
)


def written(random: Random, text: str) -> str:
    """Write a string, some of its characters with more escapes than needed."""
    rate = random.choice([0, 0, 0, 0.1, 1])
    if rate == 0:
        return quoted(text)
    parts = []
    for char in text:
        if random.random() >= rate:
            parts.append(quoted(char)[1:-1])
        elif char == "/":
            parts.append("\\/")
        else:
            units = char.encode("utf-16-be", "surrogatepass").hex()
            units = units.upper() if random.random() < 0.5 else units
            parts += ["\\u" + units[i : i + 4] for i in range(0, len(units), 4)]
    return '"' + "".join(parts) + '"'


def text(random: Random) -> str:
    """Make a string's value that is text for the most part."""
    length = random.choice(LENGTHS)
    if random.random() < 0.1:
        length = random.randrange(200, 1500)
    pieces = random.choice(CLUSTERS)
    if random.random() < 0.3:
        return random.choice(pieces) * length
    if random.random() < 0.05:
        return "e" + "\u0301" * random.choice([62, 63, 64, 65, 127, 128, 129]) + "f"
    return "".join(random.choices(pieces, k=length))


def atom(random: Random) -> str:
    """Make a string's value that is an atom, or nearly one."""
    kind = random.randrange(6)
    if kind == 0:
        head = random.choice(
            ["https://e.org/a?b=", "s3://", "x+y.z-1://", "X://", "1://"]
        )
        return head + "p/" * random.choice(LENGTHS)
    if kind == 1:
        tail = "".join(random.choices(TOKEN, k=random.choice(LENGTHS)))
        return random.choice(["data:", "data:image/png;base64,", "Data:"]) + tail
    if kind == 2:  # long ones: 2,046 characters are not, 2,047 are
        head = random.choice(["", "", 'data:"', "汉"])
        return head + "Q" * (
            random.choice([2040, 2046, 2047, 2048, 2100, 3000]) - len(head)
        )
    length = random.choice([38, 39, 40, 41, 47, 48, 49, 60, 90, 300])
    chars = random.choices(TOKEN, k=length)
    if kind == 3:  # with something that no atom has
        at = random.choice([0, 39, 40, 46, 47, 48, 49])
        chars[min(at, length - 1)] = random.choice([" ", "é", "\x7f", "\n", '"', "!"])
    return "".join(chars)


def scalar(random: Random) -> str:
    """Write a scalar or a string."""
    kind = random.random()
    if kind < 0.4:
        return random.choice(SCALARS)
    if kind < 0.45:
        return "1" + "234567890" * random.choice([1, 3, 4, 8, 9, 30])
    if kind < 0.85:
        return written(random, text(random))
    return written(random, atom(random))


def key(random: Random) -> str:
    """Write a key."""
    kind = random.random()
    if kind < 0.6:
        return quoted(random.choice(SHORT_KEYS))
    if kind < 0.75:
        return quoted(f"k{random.randrange(30)}")
    if kind < 0.9:
        return written(random, random.choice(ODD_KEYS))
    length = random.choice([10, 40, 60, 62, 63, 64, 65, 66, 80, LONGEST_KEY])
    piece = random.choice(["k", "汉", '"', "~/"])
    return written(random, piece * (length // len(squeeze(piece))))


# --- Containers

COUNTS = (0, 1, 2, 3, 4, 5, 6, 9, 15, 16, 17, 18, 25)
FEW = (0, 1, 2, 2, 3, 4, 5, 6, 9)


class Maker:
    """Makes trees until they have about so many bytes together."""

    def __init__(self, random: Random, size: int) -> None:
        self.random = random
        self.left = size

    def some(self, count: int) -> Iterator[int]:
        """Count up, as long as there are bytes left."""
        for at in range(count):
            if self.left <= 0:
                break
            self.left -= 4
            yield at

    def scalar(self) -> str:
        """Write a scalar or a string."""
        written = scalar(self.random)
        self.left -= len(written)
        return written

    def tree(self, depth: int) -> Tree:
        """Make a tree of at most so many levels."""
        if depth <= 0 or self.random.random() < 0.2:
            return self.scalar()
        shapes = [self.array, self.array, self.members, self.members, self.rows]
        shapes += [self.rows, self.columns, self.mapping, self.lacking]
        shapes += [self.many_maps, self.texts, self.page, self.table]
        return self.random.choice(shapes)(depth)

    def array(self, depth: int) -> Tree:
        """Make an array of anything."""
        return [self.tree(depth - 1) for _ in self.some(self.random.choice(FEW))]

    def members(self, depth: int) -> Tree:
        """Make an object of anything, perhaps with duplicate keys."""
        count = self.random.choice(FEW)
        pairs = [(key(self.random), self.tree(depth - 1)) for _ in self.some(count)]
        return Members(pairs)

    def rows(self, depth: int) -> list[Tree]:
        """Make records of one shape."""
        columns = [key(self.random) for _ in range(self.random.randrange(1, 6))]
        wide = self.random.random() < 0.3

        def row(at: int) -> Members:
            cells: list[Tree] = [str(at), *(self.scalar() for _ in columns[1:])]
            if wide:
                cells[-1] = self.tree(depth - 2)
            return Members(list(zip(columns, cells, strict=True)))

        return [row(at) for at in self.some(self.random.choice([*COUNTS, 40]))]

    def columns(self, depth: int) -> Tree:
        """Make sibling arrays of one length."""
        count = self.random.choice([4, 5, 10, 30])
        cells: list[Tree] = ["1", "22222", '"xy"', quoted("w " * 20)]
        pairs: list[tuple[str, Tree]] = []
        for at in self.some(depth + 1):
            pairs.append((quoted(f"c{at}"), self.random.choices(cells, k=count)))
            self.left -= 10 * count
        return Members(pairs)

    def table(self, depth: int) -> Tree:
        """Make rows of cells, with one or two headers of as many names."""
        width = self.random.choice([2, 3, 5, 20])
        rows: Tree = [
            [self.scalar() for _ in range(width)]
            for _ in self.some(self.random.choice(COUNTS))
        ]
        pairs: list[tuple[str, Tree]] = [(quoted("rows"), rows)]
        for name in self.random.sample(["columns", "types", "total"], 2):
            at = self.random.randrange(len(pairs) + 1)
            size = self.random.choice([1, 20, 90])
            head: list[Tree] = [quoted("n" * size + str(n)) for n in range(width)]
            if self.random.random() < 0.5:
                head = [
                    Members([(quoted("name"), name), (quoted("n"), "2")])
                    for name in head
                ]
            pairs.insert(at, (quoted(name), str(depth) if name == "total" else head))
            self.left -= width * (size + 10)
        return Members(pairs)

    def mapping(self, depth: int) -> Tree:
        """Make a map: many keys, values alike."""
        deep = self.random.choice([0, 0, 1, depth - 1])
        count = self.random.choice([3, 4, 5, 6, 15, 16, 17, 18, 40])
        prefix = self.random.choice(["k", "version ", "~", "k" * 60])
        pairs = [(quoted(f"{prefix}{i}"), self.tree(deep)) for i in self.some(count)]
        return Members(pairs)

    def lacking(self, depth: int) -> Tree:
        """Make an object that will lack a certain number of members."""
        pairs: list[tuple[str, Tree]] = []
        long = quoted("A" * 2047)
        for at in self.some(self.random.choice([1, 3, 4, 5, 6, 16, 17])):
            value: Tree = long
            if self.random.random() < 0.2:
                value = Members([(quoted("blob"), long)])
                if self.random.random() < 0.7:
                    value.pairs.append((quoted("n"), str(depth)))
            name = f"gone{at}" if self.random.random() < 0.9 else "g" * 65
            pairs.append((quoted(name), value))
            self.left -= 100  # it will have gone
        for _ in self.some(self.random.choice([0, 1, 2, 13, 14])):
            at = self.random.randrange(len(pairs) + 1)
            pairs.insert(at, (key(self.random), self.scalar()))
        return Members(pairs)

    def many_maps(self, depth: int) -> Tree:
        """Make maps in an array whose keys differ from one to the next."""
        size = self.random.choice([1, 2, 3, 6, 17])
        keys = self.random.choice([4, 5, 6, 16, 17, 18, 30])
        long = self.random.random() < 0.5
        at = itertools.count()

        def one() -> Members:
            pairs: list[tuple[str, Tree]] = []
            for _ in self.some(size):
                value = quoted("text " * 40) if long else self.tree(depth - 1)
                self.left -= 200 if long else 0
                pairs.append((quoted(f"k{next(at) % keys}"), value))
            return Members(pairs)

        return [one() for _ in self.some(self.random.choice([2, 4, 9]))]

    def texts(self, depth: int) -> Tree:
        """Make an object of long texts."""
        words = self.random.choice(["word ", "汉字 ", "e\u0301 "])
        pairs: list[tuple[str, Tree]] = []
        for at in self.some(self.random.choice([1, 2, 4, 5, 16, 17])):
            pairs.append((key(self.random), quoted(words * (20 + depth * at))))
            self.left -= 100
        return Members(pairs)

    def page(self, depth: int) -> Tree:
        """Make what an API answers: a collection among small members."""
        pairs: list[tuple[str, Tree]] = [(quoted("rows"), self.rows(depth))]
        for name in self.random.sample(["total", "next_cursor", "has_more"], 2):
            value = text(self.random)[:20]
            if name == "next_cursor":
                value = atom(self.random)
            at = self.random.randrange(len(pairs) + 1)
            pairs.insert(at, (quoted(name), quoted(value)))
        return Members(pairs)


# --- Samples

COMPACT, PRETTY, NOISY = ("",), ("\n  ", " ", ""), ("", "\t", "\r\n ", "  ")
IN_A_LINE = ("", " ", "\t")


def sample(random: Random) -> Sample:
    """Make a document of some hundred or thousand bytes, and options."""
    maker = Maker(random, random.choice([50, 200, 500, 1000, 2000, 5000]))
    depth = random.choice([1, 2, 2, 3, 3, 4, 5, 6])
    multi = random.random() < 0.25
    spaces = random.choice([COMPACT, COMPACT, IN_A_LINE if multi else PRETTY])
    if multi:
        lines = maker.some(random.choice([0, 1, 2, 3, 10, 30]))
        trees = [maker.tree(depth - 2) for _ in lines]
        if random.random() < 0.6:
            trees += maker.rows(depth)
    else:
        tree = maker.tree(depth)
        while isinstance(tree, str) and random.random() < 0.9:
            tree = maker.tree(depth)
        trees = [tree]
        if random.random() < 0.1:
            spaces = NOISY
    found = Sample(trees, multi, spaces)
    return replace(found, options=options(random, found))


def options(random: Random, of: Sample) -> Options:
    """Choose options for a sample; most often none."""
    kind = random.random()
    return Options(
        keep=random.choice(["head", "tail", "tail", "ends", "ends"]),
        max_items=random.choice([1, 2, 4, 5, 16]) if kind < 0.1 else 0,
        max_string_chars=random.choice([1, 5, 47, 48, 100])
        if 0.05 < kind < 0.15
        else 0,
        max_record_bytes=random.choice([1, 31, 32, 50, 100, 300, 1000])
        if 0.15 < kind < 0.3
        else 0,
        collection=_pointer(random, of.trees[0])
        if of.trees and 0.25 < kind < 0.5
        else (),
    )


def selecting(random: Random, of: Sample) -> Sample:
    """Choose members to keep or to drop."""
    names = sorted({name for tree in of.trees for name in _names(tree)}) or [b"absent"]
    kind = random.random()
    asked = replace(
        of.options,
        fields=_some_of(random, names) if kind < 0.6 else (),
        drop=_some_of(random, names) if kind > 0.4 else (),
    )
    return replace(of, options=asked)


def _some_of(random: Random, names: list[bytes]) -> tuple[bytes, ...]:
    chosen = random.choices(names, k=random.choice([1, 1, 2, 3, len(names) // 2 + 1]))
    return tuple(dict.fromkeys([*chosen, *random.sample([b"id", b"absent", b""], 1)]))


def _names(of: Tree) -> Iterator[bytes]:
    """Yield the keys of a tree, as squeezed bodies."""
    if isinstance(of, str):
        return
    if isinstance(of, Members):
        yield from (squeeze(json.loads(name)) for name, _ in of.pairs)
    for part in of if isinstance(of, list) else (value for _, value in of.pairs):
        yield from _names(part)


def _pointer(random: Random, at: Tree) -> tuple[bytes, ...]:
    """Choose a pointer that leads to a container, or nearly so."""
    tokens: list[bytes] = []
    while isinstance(at, Members) and at.pairs:
        inner = [p for p in at.pairs if not isinstance(p[1], str)]
        name, at = random.choice(inner or at.pairs)
        tokens.append(squeeze(json.loads(name)))
        if random.random() < 0.3:
            break
    if random.random() < 0.1:
        tokens.append(random.choice([b"0", b"*", b"absent"]))
    return tuple(tokens)


# --- Making them small


def shrink(of: Sample, fails: Callable[[Sample], bool]) -> Sample:
    """Return a sample that still fails, and of which no part can be spared."""
    if len(of.spaces) > 1 and fails(replace(of, spaces=COMPACT)):
        of = replace(of, spaces=COMPACT)
    tried = True
    while tried:
        tried = False
        for trees in _fewer(of):
            if fails(replace(of, trees=trees)):
                of, tried = replace(of, trees=trees), True
                break
    return of


def _fewer(of: Sample) -> Iterator[list[Tree]]:
    """Yield the trees of a sample with one of them left out or made smaller."""
    for at, tree in enumerate(of.trees):
        before, after = of.trees[:at], of.trees[at + 1 :]
        if of.multi:
            yield before + after
        for less in _smaller(tree):
            yield [*before, less, *after]


def _smaller(of: Tree) -> Iterator[Tree]:
    """Yield trees with less in them, the largest steps first."""
    if isinstance(of, str):
        if of.startswith('"') and len(of) > 2:
            value = json.loads(of)
            for length in (len(value) // 2, len(value) - 10, len(value) - 1):
                if 0 <= length < len(value):
                    yield quoted(value[:length])
            if of != quoted(value):
                yield quoted(value)
        elif of != "1":
            yield "1"
        return
    parts = of if isinstance(of, list) else of.pairs
    step = len(parts) // 2
    while step:
        for at in range(0, len(parts), step):
            rest = [*parts[:at], *parts[at + step :]]
            yield rest if isinstance(of, list) else Members(rest)
        step //= 2
    for at, part in enumerate(parts):
        value = part[1] if isinstance(part, tuple) else part
        if not isinstance(value, str):
            yield value
        for less in _smaller(value):
            new = (part[0], less) if isinstance(part, tuple) else less
            rest = [*parts[:at], new, *parts[at + 1 :]]
            yield rest if isinstance(of, list) else Members(rest)


# --- The same in small, for hypothesis

_texts = st.one_of(
    *(st.lists(st.sampled_from(c), max_size=60).map("".join) for c in CLUSTERS),
    st.builds(
        lambda c, n: c * n, st.sampled_from(["a", "汉", "e\u0301"]), st.integers(0, 400)
    ),
    st.builds(
        lambda h, n: h + "Q" * n,
        st.sampled_from(["s://", "data:", ""]),
        st.integers(0, 60),
    ),
    st.just("Q" * 2047),
)
_keys = st.sampled_from([*SHORT_KEYS, *ODD_KEYS, "k" * 64, "k" * 65]).map(quoted)
_leaves = st.sampled_from(SCALARS) | _texts.map(quoted)


def _containers(inner: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
    pairs = st.tuples(_keys, inner)
    return st.one_of(
        st.lists(inner, max_size=8),
        st.lists(pairs, max_size=8).map(Members),
        st.builds(lambda one, n: [one] * n, inner, st.integers(1, 40)),
        st.builds(
            lambda one, n: Members([(quoted(f"k{i}"), one) for i in range(n)]),
            inner,
            st.integers(1, 20),
        ),
    )


# Names, as squeezed bodies, that such documents have.
names = st.just(()) | st.lists(
    st.sampled_from([*SHORT_KEYS, *ODD_KEYS, "k0", "k1"]).map(squeeze),
    max_size=4,
    unique=True,
).map(tuple)
trees: st.SearchStrategy[Tree] = st.recursive(_leaves, _containers, max_leaves=12)
_no, _small = st.just(0), st.integers(0, 6)
samples = st.builds(
    lambda trees, multi, **asked: Sample(
        trees if multi else trees[:1], multi, options=Options(**asked)
    ),
    st.lists(trees, min_size=1, max_size=6),
    st.booleans(),
    keep=st.sampled_from(["head", "tail", "ends"]),
    max_items=_no | _small,
    max_string_chars=_no | st.integers(0, 60),
    max_record_bytes=_no | st.integers(0, 500),
    collection=st.just(())
    | st.sampled_from(["k0", "k1", "a"]).map(lambda k: (k.encode(),)),
)
