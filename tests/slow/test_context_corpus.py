"""Real conversations, at windows from nothing to all of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conversations import tokenizer
from streamclip.context import assemble, check_ledger
from streamclip.context.bodies import channels_of
from streamclip.tokens.counting import counter
from test_context_laws import TOKENIZERS, orphans, recounted

pytestmark = pytest.mark.slow

WINDOWS = 20


def conversations(corpus: Path) -> Iterator[tuple[str, Any]]:
    """Return the requests and logs among the payloads, as bodies of requests."""
    for path in sorted((corpus / "payloads" / "chat").iterdir()):
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".jsonl":
            lines = [json.loads(line) for line in text.splitlines() if line]
            yield path.name, [line["message"] for line in lines if "message" in line]
            continue
        body = json.loads(text)
        if isinstance(body, list) and body and isinstance(body[0], list):
            yield from ((f"{path.name}/{at}", one) for at, one in enumerate(body))
        elif "loglines" in body:
            lines = [line.get("message") for line in body["loglines"]]
            yield path.name, [line for line in lines if line]
        elif isinstance(body, list) or "messages" in body or "input" in body:
            yield path.name, body


@pytest.mark.parametrize("name", TOKENIZERS)
def test_every_conversation_fits_lawfully(
    name: str, corpus: Path, subtests: pytest.Subtests
) -> None:
    """Never over, never an orphan, the ends as they were."""
    count = counter(tokenizer(name))
    seen = 0
    for file, body in conversations(corpus):
        channels = channels_of(body)
        whole = assemble(**channels, window=1 << 30, tokenizer=count).total
        for step in range(1, WINDOWS + 1):
            with subtests.test(file, step=step):
                window = whole * step // WINDOWS
                ledger = assemble(**channels, window=window, tokenizer=count)
                check_ledger(ledger)
                if not ledger.ok:
                    continue
                assert ledger.messages is not None
                assert recounted(ledger, count) == ledger.total <= window
                assert ledger.messages[-1] == channels["history"][-1]
                assert orphans(ledger.messages) == orphans(channels["history"])
        assert (ledger.ok, ledger.dropped_messages) == (True, 0), file
        seen += 1
    assert seen > 15
