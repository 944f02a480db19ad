"""What an input that is not JSON may be instead, for the errors' sake."""

from __future__ import annotations

import contextlib
import os
import re

__all__ = ["HEAD_BYTES", "NEAR_BYTES", "fault_hint", "head_hint", "path_hint"]

HEAD_BYTES = 1024  # enough to tell what an input that is not JSON may be
NEAR_BYTES = 32  # on each side of a wrong byte

PATH = r"(?i)(~|\.{1,2})?(?!/[/*])[/\\]|[a-z]:[\\/]|[^\[{\"]*\.(json|jsonl|ndjson|geojson)(\.gz)?$"


def path_hint(text: str) -> str | None:
    """Say what a text that is not JSON may be: the name of a file, or a URL.

    Args:
        text: The text that was given as a source.

    Returns:
        A clause for the error, or None if the text looks like neither.

    >>> path_hint("results/orders.json")
    'this str looks like a path, but no such file exists'
    >>> path_hint('{"a": tru}')
    """
    if len(text) > 4096 or "\n" in text:
        return None
    if re.match(r"(?i)[a-z][a-z0-9+.-]*://", text):
        return "this str is a URL: fetch it, and pass what came"
    with contextlib.suppress(OSError, ValueError):
        if os.path.isfile(text):  # noqa: PTH113 # pathlib takes long to import
            return "this str names a file: pass a pathlib.Path to read it"
    if re.match(PATH, text):
        return "this str looks like a path, but no such file exists"
    return None


UTF_16 = "it is UTF-16: pass open(path, encoding='{}')"
UTF_32 = "it is UTF-32: pass open(path, encoding='{}')"

YAML = "it looks like YAML: convert it to JSON first"
REPR = "it looks like a Python repr: use json.dumps"

# The longer ones first: the mark of UTF-32 begins like that of UTF-16.
MAGIC = {
    b"```": "it begins with a Markdown fence",
    b"data:": "it looks like server-sent events: pass what stands behind data:",
    b"event:": "it looks like server-sent events: pass what stands behind data:",
    b"HTTP/": "it is an HTTP response with its headers: pass its body",
    b"---\n": YAML,
    b"apiVersion:": YAML,
    b"{'": REPR,
    b"\x1f\x8b": "it is compressed with gzip: pass gzip.open(path)",
    b"\x28\xb5\x2f\xfd": "it is compressed with zstd: decompress it first",
    b"PK\x03\x04": "it is a zip archive: pass a file from zipfile.ZipFile(path).open(name)",
    b"\xff\xfe\0\0": UTF_32.format("utf-32"),
    b"\0\0\xfe\xff": UTF_32.format("utf-32"),
    b"\xff\xfe": UTF_16.format("utf-16"),
    b"\xfe\xff": UTF_16.format("utf-16"),
    b"<": "it looks like HTML or XML",
}

# Two lines that have the separator between words, numbers, or texts in quotes.
ROW = rb'("[^"\n]*"|[^"\s,{}\[\]][^"\n\t,{}\[\]]*)?'
ROWS = rb"%(row)s(%(sign)s%(row)s)+\r?\n([^\n]*%(sign)s|%(row)s\Z)"
TABLES = {
    ROWS % {b"row": ROW, b"sign": b","}: "it looks like CSV: clip_records takes "
    "the rows that csv.DictReader reads",
    ROWS % {b"row": ROW, b"sign": b"\t"}: "it looks like TSV: clip_records takes "
    'the rows that csv.DictReader(file, delimiter="\\t") reads',
}

# Which of the first bytes of a text that begins with ASCII are zero.
ZEROS = {
    (False, True, True, True): UTF_32.format("utf-32-le"),
    (True, True, True, False): UTF_32.format("utf-32-be"),
    (False, True, False): UTF_16.format("utf-16-le"),
    (True, False): UTF_16.format("utf-16-be"),
}


def head_hint(head: bytes) -> str | None:
    r"""Say what an input that is not JSON is, by its first bytes.

    Args:
        head: The beginning of the input, as much as there is of `HEAD_BYTES`.

    Returns:
        A clause for the error, or None if the bytes are of no known kind.

    >>> head_hint(b"<!DOCTYPE html>")
    'it looks like HTML or XML'
    >>> head_hint(b'{\0"\0')
    "it is UTF-16: pass open(path, encoding='utf-16-le')"
    >>> head_hint(b'{"a"')
    """
    for magic, hint in MAGIC.items():
        if head.startswith(magic):
            return hint
    for rows, hint in TABLES.items():
        if re.match(rows, head):
            return hint
    # Without a mark: JSON begins with ASCII, so the zeros tell (RFC 4627, 3).
    zeros = tuple(byte == 0 for byte in head)
    return next((ZEROS[n] for n in ZEROS if zeros[: len(n)] == n), None)


NAN = "NaN and Infinity are no JSON: write null; json.dumps refuses them by allow_nan=False"

# What begins at the wrong byte, and stands before it but for white space.
FAULTS = {
    rb"NaN\b|(?<=n)an\b|[Ii]nf(inity)?\b": NAN,
    rb"(True|False|None)\b": REPR,
    rb"undefined\b": "undefined is JavaScript's: write null, or use JSON.stringify",
    rb"'": "strings are in double quotes: of a Python value, use json.dumps",
    rb"//|/\*|(?<=.)#": "JSON has no comments: take them out first",
    rb"(?<=,)[]}]": "JSON has no trailing commas: take out the one before it",
    rb"(?<=[{,])[A-Za-z_$][\w$]*\s*:": "names are in double quotes: it looks like "
    "JavaScript or JSON5",
}
# Likewise, where a value has just ended: inside the document, and behind it.
NEXT = {
    "token": (rb'(?<=[]}"0-9])["\[{0-9-]', "a comma or a colon is missing before it"),
    "trailing": (
        rb"(?<=[]}])[\[{]",
        "documents follow each other on a line: `jq -c .` writes one a line",
    ),
}


def fault_hint(before: bytes, after: bytes, kind: str) -> str | None:
    r"""Say what is wrong at a byte that cannot belong to JSON.

    Args:
        before: What stands before it, as much as there is of `NEAR_BYTES`.
        after: The byte and what follows, likewise.
        kind: "token" if one cannot begin there, "word" inside a number or literal,
            "trailing" if the document has ended before it.

    Returns:
        A clause for the error, or None if it is no known mistake.

    >>> fault_hint(b'{"a": [1, 2,\n', b"]}", "token")
    'JSON has no trailing commas: take out the one before it'
    >>> fault_hint(b'{"a":1}', b'{"a":2}', "trailing")
    'documents follow each other on a line: `jq -c .` writes one a line'
    """
    before = before.rstrip(b" \t\r\n")
    text, at = before + after, len(before)
    for fault, hint in (*FAULTS.items(), *filter(None, [NEXT.get(kind)])):
        if re.compile(fault).match(text, at):
            return hint
    return None
