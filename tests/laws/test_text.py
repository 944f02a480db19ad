"""Text is cut between clusters, and atoms are told by how they begin.

The first half of this file is docs/semantics.md, sections 3 and 6, written
again in plain Python; the tests compare the core with it at every limit.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import product
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from streamclip._core import ffi, lib

NO_LIMIT = 2**64 - 1
CLUSTER_MAX = 64
TABLE = Path(__file__).resolve().parents[2] / "csrc" / "tree" / "cut_points_table.h"

ESCAPES = {
    '"': '\\"',
    "\\": "\\\\",
    "\b": "\\b",
    "\f": "\\f",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
}

ACUTE = "\u0301"
ENCLOSED = "\u20dd"
NUKTA = "\u093c"
SELECTOR = "\ufe0f"
LATE_SELECTOR = "\U000e0100"
JOINER = "\u200d"
MAN, WOMAN, GIRL = "\U0001f468", "\U0001f469", "\U0001f467"
SKIN = "\U0001f3fd"
TAG, TAG_END = "\U000e0067", "\U000e007f"
FLAG_A, FLAG_B = "\U0001f1e6", "\U0001f1e7"
JAMO_LEAD, JAMO_VOWEL, JAMO_TAIL = "\u1112", "\u1161", "\u11ab"
HIGH, LOW = "\ud83d", "\ude00"

# All marks here are in category M in every Unicode version from 13 on.
MARKS = ACUTE + "\u0308\u0483\u05bc\u064b\u0903\u0e31\u0f71\u302a\u3099"
MARKS += NUKTA + ENCLOSED + SELECTOR + LATE_SELECTOR + "\ufe20\U0001d165"

# Words of the generated strings: what joins, what does not, what is near.
PIECES = [
    *MARKS,
    *"aZ 0~\x7f\xad\xe9\u02ff\u0370\u4e2d\u6587\u9fff\uac00\ud7a3\uffff",
    *'"\\/\b\f\n\r\t\x00\x1f',
    *"\u115f\u1160\u11ff\u1200\u200b\u200c\u200e",
    *"\U0001f1e5\U0001f200\U0001f3fa\U0001f400\U000e001f\U000e0080\U0010ffff",
    *(JOINER, SKIN, TAG, TAG_END, FLAG_A, FLAG_B, MAN, HIGH, LOW),
    *(JAMO_LEAD, JAMO_VOWEL, JAMO_TAIL, "\r\n"),
    "plain words",
    "a" * 17,
    JOINER.join([MAN, WOMAN, GIRL]),
    JOINER.join([MAN, "\u2764" + SELECTOR, MAN]),
    WOMAN + SKIN + JOINER + "\u2695" + SELECTOR,
    FLAG_A + FLAG_B + FLAG_A,
    "\U0001f3f4" + TAG * 3 + TAG_END,
    "1" + SELECTOR + ENCLOSED,
    ACUTE * 70,
]
texts = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)


def squeeze(text: str) -> bytes:
    """Return the squeezed body of a string with this value."""
    units = text.encode("utf-16-le", "surrogatepass")
    value = units.decode("utf-16-le", "surrogatepass")
    return "".join(map(squeeze_char, value)).encode()


def squeeze_char(char: str) -> str:
    """Return how a squeezed body writes this character."""
    if char < " " or "\ud800" <= char <= "\udfff":
        return ESCAPES.get(char, f"\\u{ord(char):04x}")
    return ESCAPES.get(char, char)


def characters(body: bytes) -> list[tuple[int, str]]:
    """Return where each character of a body ends, and its value."""
    values = {escape: char for char, escape in ESCAPES.items()}
    found = []
    end = 0
    for unit in re.findall(r"\\u[0-9a-f]{4}|\\.|.", body.decode(), re.DOTALL):
        end += len(unit.encode())
        value = chr(int(unit[2:], 16)) if unit[:2] == "\\u" else unit
        found.append((end, values.get(unit, value)))
    return found


def extends(char: str) -> bool:
    """Tell whether text is never cut before this character."""
    return (
        unicodedata.category(char).startswith("M")
        or char == JOINER
        or "\U0001f3fb" <= char <= "\U0001f3ff"
        or "\U000e0020" <= char <= "\U000e007f"
        or "\u1160" <= char <= "\u11ff"
    )


def joined(text: str, i: int) -> bool:
    """Tell whether the characters i - 1 and i are of one cluster."""
    flags = re.search("[\U0001f1e6-\U0001f1ff]*\\Z", text[:i])
    second = bool(re.match("[\U0001f1e6-\U0001f1ff]", text[i]))
    return (
        extends(text[i])
        or text[i - 1] == JOINER
        or text[i - 1 : i + 1] == "\r\n"
        or (second and flags is not None and len(flags.group()) % 2 == 1)
    )


def cut_points(body: bytes) -> list[tuple[int, int]]:
    """Return the cut points of a body, each as bytes and characters."""
    found = characters(body)
    text = "".join(char for _, char in found)
    points = [(0, 0)]
    for i, (end, _) in enumerate(found, start=1):
        if i == len(text) or i - points[-1][1] == CLUSTER_MAX or not joined(text, i):
            points.append((end, i))
    return points


def best(
    points: list[tuple[int, int]], max_bytes: int, max_chars: int
) -> tuple[int, int]:
    """Return the last of these cut points that is within both limits."""
    return max(p for p in points if p[0] <= max_bytes and p[1] <= max_chars)


def prefix(
    body: bytes, max_bytes: int = NO_LIMIT, max_chars: int = NO_LIMIT
) -> tuple[int, int]:
    """Ask the core; the body is flush with the end of what it may read."""
    data = ffi.new("uint8_t[]", len(body))
    ffi.memmove(data, body, len(body))
    chars = ffi.new("uint64_t *")
    size = lib.sc_text_prefix(data, len(body), max_bytes, max_chars, chars)
    return size, chars[0]


def is_atom(body: bytes) -> bool:
    """Ask the core; the body is flush with the end of what it may read."""
    data = ffi.new("uint8_t[]", len(body))
    ffi.memmove(data, body, len(body))
    return bool(lib.sc_text_is_atom(data, len(body)))


def should_be_atom(body: bytes) -> bool:
    """Tell whether a body is an atom, as section 3 says it."""
    head = "".join(char for _, char in characters(body)[:48])
    shape = r"[a-z][a-z0-9+.-]*://|data:|[A-Za-z0-9+/_=.:-]{40}"
    return bool(re.fullmatch("[!-~]*", head) and re.match(shape, head))


def check_every_limit(body: bytes) -> None:
    """Compare the core with the restatement at every limit of either kind."""
    points = cut_points(body)
    total = points[-1][1]
    for limit in [*range(len(body) + 2), NO_LIMIT]:
        want = best(points, limit, NO_LIMIT)
        assert prefix(body, max_bytes=limit) == want, (body, limit)
    for limit in [*range(total + 2), NO_LIMIT]:
        want = best(points, NO_LIMIT, limit)
        assert prefix(body, max_chars=limit) == want, (body, limit)


@given(texts)
@example("")
@example(ACUTE * 200)
@example(JOINER * 65 + "ab")
@example((FLAG_A + FLAG_B) * 40)
@example((FLAG_A + JOINER) * 40 + FLAG_A * 3)
@example("a" * 100 + "\r\n" * 40)
def test_every_limit_gives_the_longest_prefix(text: str) -> None:
    """Bytes and characters, from none to more than there are."""
    check_every_limit(squeeze(text))


@given(texts, st.integers(0, 500), st.integers(0, 300))
def test_both_limits_hold_together(text: str, room: int, most: int) -> None:
    """With two limits the nearer one decides."""
    body = squeeze(text)
    assert prefix(body, room, most) == best(cut_points(body), room, most)


@pytest.mark.parametrize(
    ("alphabet", "length"),
    [
        (["a", ACUTE, JOINER, MAN, SKIN, FLAG_A, "\r", "\n", "\u4e2d"], 4),
        (["a", JOINER, FLAG_A, '"', TAG, JAMO_VOWEL, HIGH, LOW, "\x00"], 4),
        ([FLAG_A, JOINER, ACUTE], 6),
    ],
)
def test_every_short_string(alphabet: list[str], length: int) -> None:
    """All strings of up to a few characters that matter, at every limit."""
    for n in range(length + 1):
        for pieces in product(alphabet, repeat=n):
            check_every_limit(squeeze("".join(pieces)))


@pytest.mark.parametrize(
    "end", ["", ACUTE, "\u4e2d", '"', "\\", "\r\n", "\x01", MAN, JOINER + "b"]
)
def test_plain_runs_of_every_length(end: str) -> None:
    """The character after the limit decides, wherever a word begins."""
    for n in range(36):
        check_every_limit(squeeze("a" * n + end + "bc"))
        check_every_limit(squeeze(ACUTE + "a" * n + end))


@pytest.mark.parametrize("special", ['"', "\\", "\x1f", "\u4e2d", "\x7f", " "])
def test_what_ends_a_plain_run_is_seen_at_every_place(special: str) -> None:
    """No byte of a word hides behind its neighbours."""
    for at in range(20):
        text = "~" * at + special + ACUTE + "z" * (20 - at)
        check_every_limit(squeeze(text))


@pytest.mark.parametrize(
    ("text", "clusters"),
    [
        ("e" + ACUTE + "\u0308", 1),
        (JOINER.join([MAN, WOMAN, GIRL]), 1),
        (WOMAN + SKIN + JOINER + "\u2695" + SELECTOR, 1),
        ("\u2764" + SELECTOR, 1),
        ("\u845b" + LATE_SELECTOR, 1),
        (FLAG_A + FLAG_B, 1),
        (FLAG_A + FLAG_B + FLAG_B + FLAG_A, 2),
        (FLAG_A * 3, 2),
        ("\U0001f3f4" + TAG * 3 + TAG_END, 1),
        (JAMO_LEAD + JAMO_VOWEL + JAMO_TAIL, 1),
        ("\ud55c\uae00", 2),
        ("\r\n", 1),
        ("\n\r", 2),
        ("\n\n", 2),
        ("\x00" + ACUTE, 1),
        (HIGH, 1),
        (LOW + HIGH, 2),
        (HIGH + LOW, 1),
        ("\u4e2d\u6587", 2),
        (ACUTE * 64, 1),
        (ACUTE * 65, 2),
        ("a" + ACUTE * 63 + JOINER + "b", 2),
    ],
)
def test_clusters_stay_whole(text: str, clusters: int) -> None:
    """A prefix ends where a reader sees a character end."""
    body = squeeze(text)
    ends = {prefix(body, max_bytes=n) for n in range(1, len(body) + 1)}
    assert len(ends - {(0, 0)}) == clusters


@given(texts, st.data())
def test_prefixes_nest(text: str, data: st.DataObject) -> None:
    """A prefix of a prefix is the prefix, whatever the limits were."""
    body = squeeze(text)
    a = data.draw(st.integers(0, len(body) + 1))
    b = data.draw(st.integers(0, a))
    by_bytes, _ = prefix(body, max_bytes=a)
    assert prefix(body[:by_bytes], max_bytes=b) == prefix(body, max_bytes=b)
    by_chars, _ = prefix(body, max_chars=a)
    assert prefix(body[:by_chars], max_chars=b) == prefix(body, max_chars=b)
    want = prefix(body, max_bytes=b, max_chars=a)
    assert prefix(body[:by_chars], max_bytes=b) == want


@given(texts, texts)
def test_what_follows_the_next_character_does_not_matter(text: str, more: str) -> None:
    """Cut points before the last one stay when the text goes on."""
    body = squeeze(text + "|")
    longer = body + squeeze(more)
    settled = cut_points(body)[:-1]
    assert cut_points(longer)[: len(settled)] == settled
    for limit in range(len(body)):
        assert prefix(longer, limit) == prefix(body, limit)


@given(st.lists(st.sampled_from(PIECES), max_size=3), st.integers(0, 400))
def test_a_whole_body_is_its_own_prefix(pieces: list[str], n: int) -> None:
    """Within both limits all is kept, and every character counted."""
    for text in ("x" * n + "".join(pieces), "".join(pieces) * 20 + "y" * n):
        body = squeeze(text)
        whole = (len(body), len(characters(body)))
        assert prefix(body) == whole
        assert prefix(body, len(body), len(body)) == whole
        assert prefix(body, len(body), whole[1]) == whole


@pytest.mark.parametrize(
    "tail", [squeeze(c) for c in ["\xe9", "\u4e2d", MAN, '"', "\n", "\0", HIGH]]
)
def test_a_broken_tail_is_not_there(tail: bytes) -> None:
    """A body that ends inside a character ends before that character."""
    for n in range(40):
        for start in (b"a" * n, "\xe9".encode() * n, b"\\\\" * n):
            whole = (len(start), len(characters(start)))
            for size in range(1, len(tail)):
                assert prefix(start + tail[:size]) == whole
                assert prefix(start + tail[:size], max_chars=n + 1) == whole


@given(st.binary(max_size=60), st.integers(0, 70), st.integers(0, 70))
def test_any_bytes_are_safe(body: bytes, room: int, most: int) -> None:
    """What is no squeezed body gets some answer within the limits."""
    for max_chars in (most, NO_LIMIT):
        size, chars = prefix(body, room, max_chars)
        assert size <= min(room, len(body))
        assert chars <= max_chars
    assert is_atom(body) in (False, True)


def test_nothing_behind_the_body_is_looked_at() -> None:
    """The same bytes within a longer buffer give the same answer."""
    chars = ffi.new("uint64_t *")
    for text in ("abc", "a" * 16, "\u4e2d", "a\\", "\r", FLAG_A, ""):
        body = squeeze(text)
        for rest in (ACUTE, "\n", JOINER, FLAG_B, "x" * 20, '"'):
            data = ffi.from_buffer("uint8_t[]", body + squeeze(rest))
            size = lib.sc_text_prefix(data, len(body), NO_LIMIT, 99, chars)
            assert (size, chars[0]) == (len(body), len(text))
            size = lib.sc_text_prefix(data, len(body), 99, len(text), chars)
            assert (size, chars[0]) == (len(body), len(text))


def test_the_table_is_unicode_s() -> None:
    """Every code point is judged as this Python's Unicode data judges it.

    A Python with older data knows fewer characters, one with newer data knows
    marks that the table has not got.
    """
    found = re.search(r"Unicode ([0-9.]+);", TABLE.read_text("ascii"))
    assert found is not None
    table_version = tuple(map(int, found[1].split(".")))
    version = tuple(map(int, unicodedata.unidata_version.split(".")))
    for code in range(0x110000):
        char = chr(code)
        if 0xD800 <= code <= 0xDFFF or char in ESCAPES or char < " ":
            continue
        if version < table_version and unicodedata.category(char) == "Cn":
            continue
        in_table = prefix(b"a" + char.encode(), 1) == (0, 0)
        if in_table or version <= table_version:
            assert in_table == extends(char), hex(code)


HEX = "0123456789abcdef" * 16


@pytest.mark.parametrize(
    "text",
    [
        "https://example.com/a?b=c#d",
        "s3://bucket/key",
        "git+ssh://host",
        "a://",
        "a" * 60 + "://x",
        "data:image/png;base64,iVBORw0KGgo=",
        "data:",
        HEX[:40],
        HEX[:48],
        HEX,
        HEX[:40] + "\\" * 8,
        "sha256-" + "A+/=_.:-" * 5,
        HEX[:48] + " and then words, \u4e2d, \n",
        "https://" + "x" * 40 + " and then words",
        'https://x/"q"\\' + "y" * 40,
        "https://x/" + "\\" * 38 + " ",
        "data:," + '"' * 42 + "\n",
    ],
)
def test_atoms(text: str) -> None:
    """Schemes, data: and 40 characters of an identifier, printable for 48."""
    body = squeeze(text)
    assert should_be_atom(body)
    assert is_atom(body)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "word",
        "a:",
        "data",
        "Data:x",
        " data:x",
        "http:/x",
        "://x",
        "1a://x",
        "Http://x",
        "a_b://x",
        "x https://y",
        HEX[:39],
        HEX[:39] + "\\" + HEX,
        HEX[:39] + ",",
        HEX[:40] + " ",
        HEX[:47] + " " + HEX,
        HEX[:47] + "\u4e2d",
        HEX[:47] + "\n",
        HEX[:47] + "\x7f",
        HEX[:47] + HIGH,
        "https://x/ y",
        "https://x/\t",
        "https://x/\x00",
        "https://\u4e2d.example",
        "https://" + "\\" * 39 + " ",
        "data:," + '"' * 41 + "\n",
        "data:\xa0",
    ],
)
def test_other_strings_are_no_atoms(text: str) -> None:
    """Words, near misses, and anything not printable in the first 48."""
    body = squeeze(text)
    assert not should_be_atom(body)
    assert not is_atom(body)


@given(
    st.sampled_from(["", "https://", "data:", "urn:", "a+b.c-d://", HEX[:38]]),
    st.text("aZ09+/_=.:-", max_size=50),
    st.text('aZ09+/_=.:-, "\\\n\x00\x7f\xe9\u4e2d\ud800', max_size=8),
    st.text("aZ09+/_=.:- \\", max_size=20),
)
def test_atoms_are_told_as_written(
    head: str, run: str, special: str, rest: str
) -> None:
    """The core and the rule agree on strings near the border."""
    body = squeeze(head + run + special + rest)
    assert is_atom(body) == should_be_atom(body)


@given(st.text("aZ0:/.- \\\n\xe9", max_size=60), texts)
def test_the_first_48_characters_decide(text: str, more: str) -> None:
    """Whether a body is an atom is settled once 48 characters are there."""
    head = squeeze((text + "x" * 48)[:48])
    assert is_atom(head + squeeze(more)) == is_atom(head)


def test_an_atom_is_told_from_its_shortest_head() -> None:
    """A head of exactly 48 characters is enough, however many bytes."""
    body = squeeze('https://x/"' + "\\" * 37)
    assert len(characters(body)) == 48
    assert is_atom(body)
    assert not is_atom(squeeze('https://x/"' + "\\" * 36 + " "))
