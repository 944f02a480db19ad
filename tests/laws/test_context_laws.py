"""Whatever the request, the window and the tokenizer: nothing is cut silently."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conversations import ENCODINGS, SHAPES, requests, tokenizer
from streamclip.context import Ledger, assemble, check_ledger
from streamclip.tokens.counting import counter

TOKENIZERS = [*ENCODINGS, "sentencepiece"]
REASONS = {"ok", "protected_overflow", "last_message_overflow", "assemble_overflow"}

MEMBERS = ("role", "name", "tool_call_id", "tool_calls", "function_call")

every_shape = pytest.mark.parametrize("shape", SHAPES)
every_tokenizer = pytest.mark.parametrize("name", TOKENIZERS)


def fitted(request: dict[str, Any], name: str, share: float) -> Ledger:
    """Assemble for a window that is a share of what the whole request needs."""
    options = {**request, "tokenizer": tokenizer(name)}
    whole = assemble(**options, window=1 << 30).total
    return assemble(
        **options, window=max(1, int(whole * share)) + 60, output_reserve=60
    )


def compact(value: Any) -> str:
    """Write JSON without white space."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def recounted(ledger: Ledger, count: Callable[[str], int]) -> int:
    """Count all that is sent, by the rule in docs/context.md, written once more."""
    total = count(compact(ledger.tools)) if ledger.tools else 0
    system = ledger.system or []
    prompts = [system] if isinstance(system, str) else [b["text"] for b in system]
    messages = [{"role": "system", "content": prompt} for prompt in prompts]
    assert ledger.messages is not None
    for message in [*messages, *ledger.messages]:
        total += 4
        if "role" not in message:
            seen = {k: v for k, v in message.items() if k not in ("id", "status")}
        else:
            seen = {name: message[name] for name in MEMBERS if message.get(name)}
            content = message.get("content")
            seen["content"] = '""' if content is None else content
        total += sum(
            count(value if isinstance(value, str) else compact(value))
            for value in seen.values()
        )
    return total


def orphans(messages: list[dict[str, Any]]) -> list[str]:
    """Return the calls and results that stand alone, ids and shape apart."""
    waiting: list[str] = []
    alone: list[str] = []
    for message in messages:
        content = message.get("content")
        blocks = content if isinstance(content, list) else []
        calls = [call["id"] for call in message.get("tool_calls") or []]
        calls += [block["id"] for block in blocks if block["type"] == "tool_use"]
        results = [b["tool_use_id"] for b in blocks if b["type"] == "tool_result"]
        if message.get("role") == "tool":
            results.append(message["tool_call_id"])
        if message.get("type") == "function_call":
            calls.append(message["call_id"])
        if message.get("type") == "function_call_output":
            results.append(message["call_id"])
        for found in results:
            if found in waiting:
                waiting.remove(found)
            else:
                alone.append(found)
        if message.get("role") == "user" and not results:
            alone += waiting
            waiting = []
        waiting += calls
    return alone + waiting


@every_shape
@every_tokenizer
@settings(max_examples=10)
@given(data=st.data(), share=st.floats(0.05, 1.1))
def test_what_is_sent_holds_what_is_promised(
    shape: str, name: str, data: st.DataObject, share: float
) -> None:
    """Within the budget when counted again, the ends verbatim, pairs whole."""
    request = data.draw(requests(shape))
    given_history = copy.deepcopy(request["history"])
    ledger = fitted(request, name, share)
    check_ledger(ledger)
    assert request["history"] == given_history
    assert ledger.reason in REASONS
    assert ledger.remaining == ledger.input_budget - ledger.total
    if not ledger.ok:
        assert ledger.messages is ledger.tools is None
        assert ledger.total > ledger.input_budget
        return
    assert ledger.messages is not None
    assert ledger.total == recounted(ledger, counter(tokenizer(name)))
    assert 0 < ledger.total <= ledger.input_budget
    assert ledger.messages[-1] == given_history[-1]
    assert (ledger.tools or None) == request["tools"]
    assert orphans(ledger.messages) == []
    if request["system"] and shape != "anthropic":
        system = {"role": "system", "content": request["system"]}
        assert ledger.messages[0] == system
    kept = len(given_history) - ledger.dropped_messages
    if request["clip_tool_results"] is None:
        assert ledger.messages[-kept:] == given_history[-kept:]


@every_shape
@settings(max_examples=12)
@given(data=st.data(), share=st.floats(0.05, 1.1))
def test_the_same_request_gives_the_same_ledger(
    shape: str, data: st.DataObject, share: float
) -> None:
    """Also as a dict, and as text."""
    request = data.draw(requests(shape))
    first, again = (fitted(request, "o200k_base", share) for _ in range(2))
    assert first == again
    assert str(first) == str(again)
    assert json.loads(json.dumps(first.to_dict())) == again.to_dict()


@every_shape
@settings(max_examples=12)
@given(data=st.data())
def test_what_fits_is_sent_as_it_came(shape: str, data: st.DataObject) -> None:
    """Every message, every chunk, and no line of the ledger says cut."""
    request = data.draw(requests(shape)) | {"clip_tool_results": None}
    ledger = assemble(**request, window=1 << 30, tokenizer=len)
    assert ledger.messages is not None
    assert ledger.messages[-len(request["history"]) :] == request["history"]
    assert {item.status for item in ledger.items} == {"kept"}
    assert ledger.kept_chunks == len(request["chunks"])
    exact = assemble(**request, window=ledger.total, tokenizer=len)
    assert exact.messages == ledger.messages
    assert exact.remaining == 0


@every_shape
@settings(max_examples=12)
@given(data=st.data(), share=st.floats(0.05, 1.1))
def test_the_items_add_up(shape: str, data: st.DataObject, share: float) -> None:
    """Each thing has a line; their tokens are the channels' and the total."""
    request = data.draw(requests(shape))
    ledger = fitted(request, "o200k_base", share)
    by_channel = {
        channel: [item for item in ledger.items if item.channel == channel]
        for channel in ("system", "tools", "chunks", "history")
    }
    assert len(by_channel["history"]) == len(request["history"])
    assert len(by_channel["chunks"]) == len(request["chunks"])
    assert len(by_channel["tools"]) == bool(request["tools"])
    for channel, items in by_channel.items():
        assert ledger.tokens[channel] == sum(item.tokens for item in items)
    for item in ledger.items:
        assert (item.tokens == 0) == (item.status == "dropped")
        assert item.status != "kept" or item.tokens == item.needed
        assert item.status == "kept" or item.why
    if ledger.ok:
        assert sum(ledger.tokens.values()) == ledger.total
    else:
        assert {item.status for item in ledger.items} == {"dropped"}
