"""More room never keeps less of what is packed first."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conversations import MARKDOWN, PLAIN, SHAPES, chunks, histories
from streamclip.context import Ledger, assemble

every_shape = pytest.mark.parametrize("shape", SHAPES)


def words(text: str) -> int:
    """Count words and single other characters: a longer text never has fewer."""
    return len(re.findall(r"\w+|\W", text))


def ledgers(steps: int = 16, **request: Any) -> list[Ledger]:
    """Assemble for windows from next to nothing to all there is."""
    options = {"tokenizer": words, **request}
    whole = assemble(window=1 << 30, **options).total
    windows = sorted({1 + whole * step // steps for step in range(steps + 1)})
    found = [assemble(window=window, **options) for window in windows]
    return [ledger for ledger in found if ledger.ok]


def is_rising(numbers: list[int]) -> bool:
    """Tell whether none is smaller than the one before."""
    return numbers == sorted(numbers)


@every_shape
@settings(max_examples=15)
@given(data=st.data())
def test_history_that_is_packed_first_only_grows(
    shape: str, data: st.DataObject
) -> None:
    """So it does without chunks; what was kept of it stays kept."""
    history = data.draw(histories(shape))
    found = ledgers(
        shape=shape,
        history=history,
        chunks=data.draw(chunks()),
        order="history-first",
    )
    assert is_rising([-ledger.dropped_messages for ledger in found])
    alone = ledgers(shape=shape, history=history)
    assert is_rising([-ledger.dropped_messages for ledger in alone])
    assert alone[-1].dropped_messages == 0


@settings(max_examples=25)
@given(
    retrieved=chunks(PLAIN | MARKDOWN),
    history=histories("chat"),
)
def test_chunks_that_are_packed_first_only_grow(
    retrieved: list[Any], history: list[Any]
) -> None:
    """In tokens of all of them; one may well give way to a better one."""
    found = ledgers(shape="chat", history=history, chunks=retrieved)
    assert is_rising([ledger.tokens["chunks"] for ledger in found])
    assert found[-1].kept_chunks == len(retrieved)


@every_shape
@settings(max_examples=15)
@given(data=st.data())
def test_a_history_begins_where_it_should(shape: str, data: st.DataObject) -> None:
    """At a user turn, or, where only the last message is one, at calls."""
    history = data.draw(histories(shape))
    for ledger in ledgers(shape=shape, history=history):
        assert ledger.messages is not None
        kept = ledger.messages
        if ledger.dropped_messages == 0 or is_user(kept[0]):
            continue
        turns = [at for at, message in enumerate(kept) if is_user(message)]
        assert has_calls(kept[0]) or kept[0].get("type") == "reasoning" or not turns
        if shape == "anthropic":
            assert turns == []
        assert all(at == len(kept) - 1 for at in turns)


def is_user(message: dict[str, Any]) -> bool:
    """Tell whether a message opens a user turn."""
    content = message.get("content")
    blocks = content if isinstance(content, list) else []
    results = any(block["type"] == "tool_result" for block in blocks)
    return message.get("role") == "user" and not results


def has_calls(message: dict[str, Any]) -> bool:
    """Tell whether a message has calls."""
    content = message.get("content")
    blocks = content if isinstance(content, list) else []
    return (
        bool(message.get("tool_calls"))
        or message.get("type") == "function_call"
        or any(block["type"] == "tool_use" for block in blocks)
    )


def test_a_long_turn_of_an_agent_is_cut_inside() -> None:
    """Its oldest steps go first, whether its last message is theirs or the user's."""
    step = [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "c", "type": "function", "function": {"name": "f"}},
                {"id": "d", "type": "function", "function": {"name": "g"}},
            ],
        },
        {"role": "tool", "tool_call_id": "d", "content": "found something"},
        {"role": "tool", "tool_call_id": "c", "content": "and more"},
    ]
    task = [{"role": "user", "content": "do it"}]
    for end in ([], task):
        found = ledgers(100, history=[*task, *step * 30, *end])
        sizes = {len(ledger.messages or ()) - len(end) for ledger in found}
        assert sizes <= {*range(0, 91, 3), 91}
        assert len(sizes) > 25


def test_anthropic_is_sent_a_user_turn_first_if_there_is_one() -> None:
    """Its API has refused what begins with the model, so the steps go with the turn."""
    use = {"type": "tool_use", "id": "t", "name": "f", "input": {"q": "a few words"}}
    result = {"type": "tool_result", "tool_use_id": "t", "content": "found something"}
    step = [
        {"role": "assistant", "content": [use]},
        {"role": "user", "content": [result]},
    ]
    task = [{"role": "user", "content": "do it"}]
    for end, fewest in ((task, {1, 22}), ([], {*range(2, 21, 2), 21})):
        found = ledgers(100, history=[*task, *step * 10, *end])
        assert {len(ledger.messages or ()) for ledger in found} == fewest
