"""One clip for each kind of real payload, as somebody has read and approved it.

The payloads are not ours to copy, so golden.tsv has of each clip only its size,
its digest and its largest cuts. After a change of the rules: read what differs,
then write the table anew with
`python tests/slow/test_golden.py "$STREAMCLIP_CORPUS/payloads"`.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from streamclip import clip

BUDGET = 2_000
TABLE = Path(__file__).with_name("golden.tsv")

pytestmark = pytest.mark.slow


def row(root: Path, name: str) -> str:
    """Clip a payload and write its line of the table."""
    result = clip(root / name, max_bytes=BUDGET)
    cuts = [f"{c.path or '/'} {c.kept}/{c.total}" for c in result.report.cuts[:3]]
    digest = hashlib.sha256(result.data).hexdigest()[:16]
    return "\t".join([name, str(len(result.data)), digest, *cuts])


def names() -> Iterator[str]:
    """Yield the payloads that the table has."""
    for line in TABLE.read_text().splitlines():
        yield line.split("\t")[0]


def test_clips_are_as_they_were_approved(corpus: Path) -> None:
    """Whoever changes a rule reads what it changes."""
    found = [row(corpus / "payloads", name) for name in names()]
    assert found == TABLE.read_text().splitlines()


if __name__ == "__main__":
    root = Path(sys.argv[1])  # the payloads of STREAMCLIP_CORPUS
    TABLE.write_text("\n".join([row(root, name) for name in names()]) + "\n")
