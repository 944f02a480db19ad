"""What an input that is not JSON may be instead, for the errors' sake."""

from __future__ import annotations

import contextlib
import os
import re

__all__ = ["head_hint", "path_hint"]

PATH = (
    r"(?i)(~|\.{1,2})?[/\\]|[a-z]:[\\/]|[^\[{\"]*\.(json|jsonl|ndjson|geojson)(\.gz)?$"
)


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

# The longer ones first: the mark of UTF-32 begins like that of UTF-16.
MAGIC = {
    b"```": "it begins with a Markdown fence",
    b"data:": "it looks like server-sent events: pass what stands behind data:",
    b"event:": "it looks like server-sent events: pass what stands behind data:",
    b"HTTP/": "it is an HTTP response with its headers: pass its body",
    b"---\n": YAML,
    b"apiVersion:": YAML,
    b"{'": "it looks like a Python repr: use json.dumps",
    b"\x1f\x8b": "it is compressed with gzip: pass gzip.open(path)",
    b"\x28\xb5\x2f\xfd": "it is compressed with zstd: decompress it first",
    b"PK\x03\x04": "it is a zip archive: pass a file from zipfile.ZipFile(path).open(name)",
    b"\xff\xfe\0\0": UTF_32.format("utf-32"),
    b"\0\0\xfe\xff": UTF_32.format("utf-32"),
    b"\xff\xfe": UTF_16.format("utf-16"),
    b"\xfe\xff": UTF_16.format("utf-16"),
    b"<": "it looks like HTML or XML",
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
        head: The beginning of the input, as many as the longest of `MAGIC` has.

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
    # Without a mark: JSON begins with ASCII, so the zeros tell (RFC 4627, 3).
    zeros = tuple(byte == 0 for byte in head)
    return next((ZEROS[n] for n in ZEROS if zeros[: len(n)] == n), None)
