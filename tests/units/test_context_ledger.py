"""The ledger shares one window by a fixed order, and says what it did."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from streamclip.context import Chunk, Ledger, assemble, check_ledger

SYSTEM = "你是问答助手。禁止改写系统前缀。"
SEARCH = {
    "type": "function",
    "function": {
        "name": "search",
        "description": "按关键词检索",
        "parameters": {
            "type": "object",
            "properties": {"q": {"type": "string"}},
            "required": ["q"],
        },
    },
}
LOW = Chunk(id="low", text="低优先级资料。\n" * 60, priority=2)
HIGH = Chunk(
    id="high",
    text="高优先级：截断必须停在换行处。\n第二段尽量保留。",
    priority=1,
)


def talk(*texts: str) -> list[dict[str, Any]]:
    """Return messages of user and assistant in turn."""
    roles = itertools.cycle(["user", "assistant"])
    return [
        {"role": role, "content": text}
        for role, text in zip(roles, texts, strict=False)
    ]


def statuses(ledger: Ledger) -> dict[str, str]:
    """Return what became of each item, by its name."""
    return {item.name: item.status for item in ledger.items}


TIGHT: dict[str, Any] = {
    "window": 720,
    "output_reserve": 220,
    "safety_margin": 40,
    "system": SYSTEM,
    "tools": [SEARCH],
    "chunks": [LOW, HIGH],
    "history": talk("最早的问题", "最早的回答", "请根据资料作答，不要丢掉系统前缀。"),
    "message_overhead": 4,
}


def test_chunks_first_cuts_the_less_important_one_and_drops_history() -> None:
    """The numbers are those of o200k_base."""
    ledger = assemble(**TIGHT, order="chunks-first")
    check_ledger(ledger)
    assert (ledger.input_budget, ledger.total, ledger.remaining) == (460, 458, 2)
    assert (ledger.kept_chunks, ledger.dropped_messages) == (2, 2)
    assert ledger.messages is not None
    system, high, low, last = (message["content"] for message in ledger.messages)
    assert system == SYSTEM
    assert high == "[high]\n" + HIGH.text
    assert low == "[low]\n" + "\n".join(["低优先级资料。"] * 57)
    assert last == TIGHT["history"][-1]["content"]
    assert {message["role"] for message in ledger.messages[:3]} == {"system"}


def test_history_first_cuts_the_chunk_more() -> None:
    """All messages stay."""
    ledger = assemble(**TIGHT, order="history-first")
    check_ledger(ledger)
    assert (ledger.dropped_messages, ledger.kept_chunks) == (0, 2)
    assert statuses(ledger)["low"] == "cut"


ONLY: dict[str, Any] = {
    "output_reserve": 160,
    "safety_margin": 32,
    "system": SYSTEM,
    "tools": [{"type": "function", "function": {"name": "search"}}],
    "chunks": [Chunk(id="only", text="资料\n" * 40)],
    "history": talk("旧问题", "旧回答", "当前问题"),
}


def test_a_window_that_is_wide_enough_keeps_everything() -> None:
    """The window of the case has room to spare."""
    ledger = assemble(**ONLY, window=380)
    check_ledger(ledger)
    assert (ledger.total, ledger.dropped_messages, ledger.kept_chunks) == (141, 0, 1)


def test_a_tighter_one_drops_history_then_cuts_the_chunk_then_refuses() -> None:
    """In this order, token by token."""
    fates = []
    for window in range(333, 192, -1):
        ledger = assemble(**ONLY, window=window)
        check_ledger(ledger)
        names = statuses(ledger)
        fates.append((names["history[0]"], names["only"], ledger.reason))
    assert [fate for fate, _ in itertools.groupby(fates)] == [
        ("kept", "kept", "ok"),
        ("dropped", "kept", "ok"),
        ("dropped", "cut", "ok"),
        ("dropped", "dropped", "ok"),
        ("dropped", "dropped", "last_message_overflow"),
        ("dropped", "dropped", "protected_overflow"),
    ]


def test_what_is_protected_and_too_long_is_a_reason_with_both_numbers() -> None:
    """And nothing is sent."""
    protected = assemble(**ONLY, window=223)
    assert protected.reason == "protected_overflow"
    assert (protected.total, protected.input_budget) == (32, 31)
    assert protected.detail == "system+tools: 32 tokens are needed, and 31 are there"
    last = assemble(**ONLY, window=224)
    assert last.reason == "last_message_overflow"
    assert last.detail == "the last message: 7 tokens are needed, and 0 are there"
    for ledger in (protected, last):
        assert not ledger.ok
        assert ledger.messages is None
        with pytest.raises(ValueError, match="nothing to send"):
            ledger.body()


def test_the_last_message_takes_its_group_with_it() -> None:
    """A result is never sent without its call, however long it is."""
    call = {"id": "c1", "type": "function", "function": {"name": "f"}}
    history = [
        *talk("look"),
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "word " * 500},
    ]
    ledger = assemble(window=200, history=history)
    assert ledger.reason == "last_message_overflow"
    assert "with the calls or results it belongs to" in ledger.detail
    ledger = assemble(window=540, history=history)
    assert ledger.messages == history[1:] or ledger.messages == history
    check_ledger(ledger)


def test_a_tokenizer_that_contradicts_itself_is_refused() -> None:
    """What is sent was counted, so a second count that is over says so."""
    seen: set[str] = set()

    def count(text: str) -> int:
        again = text in seen
        seen.add(text)
        return len(text) * (2 if again else 1)

    history = talk("a question that is longer than what is remembered by its text")
    ledger = assemble(window=80, history=history, tokenizer=count)
    assert ledger.reason == "assemble_overflow"
    assert ledger.messages is None
    assert "contradicts itself" in ledger.detail


def test_each_text_is_counted_once_and_what_is_sent_once_more() -> None:
    """Of a refused request every chunk, too: the ledger tells what it needs."""
    chunks = [Chunk(id=f"c{n}", text=f"text {n} " * 20) for n in range(3)]
    texts = [f"message {n} " * 20 for n in range(3)]
    for window, fates in (
        (2000, ["kept"] * 6),
        (800, ["kept"] * 3 + ["dropped"] * 2 + ["kept"]),
        (200, ["dropped"] * 6),
    ):
        counted: Counter[str] = Counter()

        def count(text: str, seen: Counter[str] = counted) -> int:
            seen[text] += 1
            return len(text)

        ledger = assemble(
            window=window, chunks=chunks, history=talk(*texts), tokenizer=count
        )
        assert [item.status for item in ledger.items] == fates
        for item, text in zip(
            ledger.items, [*(chunk.content() for chunk in chunks), *texts], strict=True
        ):
            assert counted[text] == (2 if item.status == "kept" else 1)
            assert item.needed > len(text)


def test_caps_bind_a_channel_below_the_budget() -> None:
    """What is protected is refused, the rest is cut."""
    for channel in ("system", "tools", "system+tools"):
        ledger = assemble(**ONLY, window=380, caps={channel: 12})
        assert ledger.reason == "protected_overflow"
        assert ledger.detail.startswith(f"{channel}: ")
    ledger = assemble(**ONLY, window=380, caps={"chunks": 50})
    assert 0 < ledger.tokens["chunks"] <= 50
    assert ledger.dropped_messages == 0
    ledger = assemble(**ONLY, window=380, caps={"history": 20})
    assert (ledger.dropped_messages, ledger.kept_chunks) == (2, 1)
    ledger = assemble(**ONLY, window=380, caps={"history": 6})
    assert ledger.reason == "last_message_overflow"


def test_chunks_go_by_priority_and_fill_what_is_left() -> None:
    """One that is too large and cannot be cut makes room for those after it."""
    fence = Chunk(id="code", text="```\n" + "x = 1\n" * 50 + "```", priority=0)
    small = Chunk(id="small", text="a short one", priority=5)
    ledger = assemble(window=80, chunks=[small, fence], history=talk("and?"))
    check_ledger(ledger)
    assert statuses(ledger)["code"] == "dropped"
    assert statuses(ledger)["small"] == "kept"
    names = [item.name for item in ledger.items if item.channel == "chunks"]
    assert names == ["code", "small"]


def test_system_messages_at_the_head_of_the_history_are_pinned() -> None:
    """They are a system prompt, wherever it was written; chunks come after them."""
    head = [{"role": "developer", "content": "Be brief."}]
    history = head + talk(*"word " * 40)
    ledger = assemble(window=60, chunks=[Chunk(id="c", text="text")], history=history)
    check_ledger(ledger)
    assert ledger.messages is not None
    assert ledger.messages[0] == head[0]
    assert ledger.messages[1]["content"] == "[c]\ntext"
    assert ledger.dropped_messages > 0


def test_old_tool_results_are_clipped_before_anything_is_dropped() -> None:
    """JSON stays JSON; the last step is left alone, and so is what was passed."""
    call = {"id": "c1", "type": "function", "function": {"name": "f"}}
    rows = '{"rows":[' + ",".join(f'{{"id":{n}}}' for n in range(200)) + "]}"
    step = [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": rows},
    ]
    history = [*talk("look"), *step, *talk("again"), *step]
    ledger = assemble(window=10_000, history=history, clip_tool_results=100)
    check_ledger(ledger)
    assert ledger.messages is not None
    assert statuses(ledger)["history[2]"] == "cut"
    assert '"_clip"' in ledger.messages[2]["content"]
    assert ledger.messages[-1]["content"] == rows
    assert history[2]["content"] == rows


def test_the_ledger_is_read_at_a_glance() -> None:
    """Columns stand under each other, also with wide characters in an id."""
    manual = Chunk(id="手册", text=HIGH.text, priority=1)
    cut = "before a line break, 455 of 480 characters"
    assert str(assemble(**{**TIGHT, "chunks": [LOW, manual]})).splitlines() == [
        "ok: 459 of 460 tokens, 1 remain (window 720, reserve 220, margin 40)",
        "channel  item          tokens   of  status   why",
        "system   system            19   19  kept     pinned",
        "tools    tools             40   40  kept     pinned",
        "chunks   手册              30   30  kept",
        "chunks   low              350  368  cut      " + cut,
        "history  history[0:2]       0   17  dropped  older than what fits",
        "history  history[2]        20   20  kept     the last message",
    ]


def test_a_log_gets_numbers_and_no_texts() -> None:
    """Neighbours of one fate are one line, so that it stays short."""
    history = talk(*["word " * 20] * 201)
    logged = assemble(window=400, history=history).to_dict()
    assert len(logged["items"]) == 3
    dropped = logged["items"][0]
    assert (dropped["name"], dropped["status"]) == ("history[0:186]", "dropped")
    assert dropped["messages"] == 186
    assert "word word" not in str(logged)


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        ({"window": 100, "output_reserve": 100}, ValueError, "no input budget"),
        ({"window": -1}, ValueError, "window is at least 0"),
        ({"window": 10.5}, TypeError, "window is a number of tokens"),
        ({"order": "chunks"}, ValueError, "chunks-first or history-first"),
        ({"caps": {"chunk": 3}}, ValueError, "caps are for system, tools"),
        ({"caps": {"chunks": -3}}, ValueError, "the cap of chunks is at least 0"),
        ({"clip_tool_results": 0}, ValueError, "clip_tool_results is at least 1"),
        ({"shape": "gemini"}, ValueError, "shape is auto, chat"),
        ({"chunks": [{"id": "a"}]}, TypeError, "of the class Chunk"),
        ({"tools": {"name": "f"}}, TypeError, "tools is a list"),
        ({"system": {"role": "user", "content": "x"}}, TypeError, "system is a text"),
        ({"system": 5}, TypeError, "system is a text.*, not 5"),
        ({"system": 5, "shape": "anthropic"}, TypeError, "system is a text.*, not 5"),
        ({"tokenizer": "gpt-unknown"}, ValueError, "gpt-unknown"),
        ({"message_overhead": -1}, ValueError, "message_overhead is at least 0"),
    ],
)
def test_wrong_arguments_are_refused_by_name(
    wrong: dict[str, Any], error: type[Exception], message: str
) -> None:
    """And the message says what is right."""
    with pytest.raises(error, match=message):
        assemble(**{"window": 100, "history": talk("hello"), **wrong})


@pytest.mark.parametrize(
    "wrong", [{"id": ""}, {"id": "a\nb"}, {"text": None}, {"priority": "high"}]
)
def test_a_chunk_that_is_none_is_refused(wrong: dict[str, Any]) -> None:
    """When it is made, not when it is packed."""
    with pytest.raises((TypeError, ValueError), match="a chunk's"):
        Chunk(**{"id": "a", "text": "b", **wrong})


def changed(ledger: Ledger, at: int, **members: Any) -> Ledger:
    """Return a ledger that has changed one of its messages."""
    messages = list(ledger.messages or ())
    messages[at] = {**messages[at], **members}
    return replace(ledger, messages=messages)


def test_a_check_finds_a_ledger_that_is_not_true() -> None:
    """Each invariant, broken by hand."""
    rows = '{"rows":[' + ",".join(f'{{"id":{n}}}' for n in range(99)) + "]}"
    call = {"id": "c1", "type": "function", "function": {"name": "f"}}
    step = [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": rows},
    ]
    ledger = assemble(
        window=600,
        system=SYSTEM,
        tools=[SEARCH],
        chunks=[Chunk(id="note", text="a note"), Chunk(id="rows", text=rows)],
        history=[*talk("old " * 99, "new " * 99), *talk("look"), *step, *talk("and?")],
        caps={"chunks": 300},
        clip_tool_results=90,
    )
    check_ledger(ledger)
    assert ledger.messages is not None
    system, first, second, *kept = ledger.messages
    assert ledger.dropped_messages == 2
    clipped = second["content"]
    assert '{"id":0}' in clipped
    broken = {
        "the total is": replace(ledger, total=ledger.total - 1),
        "over the input budget": replace(
            ledger, request=replace(ledger.request, window=ledger.total - 1)
        ),
        "the items have": replace(
            ledger, items=(*ledger.items, replace(ledger.items[-1], channel="tools"))
        ),
        "system prompt has changed": changed(ledger, 0, content=SYSTEM[::-1]),
        "tools have changed": replace(ledger, tools=[]),
        "not in its place": replace(ledger, messages=[system, second, first, *kept]),
        "'note' is not a beginning": changed(ledger, 1, content="[note]\nbetter"),
        "'rows' is no JSON": changed(ledger, 2, content="[rows]\n" + rows[:40]),
        "'rows' is no clip": changed(
            ledger, 2, content=clipped.replace('"id":0', '"id":7')
        ),
        "history.3. has changed": changed(ledger, 4, name="f"),
        r"history.4. is no JSON": changed(ledger, 5, content=rows[:40]),
        r"history.4. is no clip": changed(ledger, 5, content='{"rows":[{"id":0}]}'),
        "last message has changed": changed(ledger, -1, content="or not?"),
        "messages are dropped": replace(
            ledger, messages=[system, first, second, *kept[1:]]
        ),
        "there are no messages": replace(ledger, messages=None),
        "there are messages, and": replace(ledger, reason="assemble_overflow"),
    }
    for message, wrong in broken.items():
        with pytest.raises(AssertionError, match=message):
            check_ledger(wrong)
    parted = replace(ledger, messages=[system, first, second, *kept[2:]])
    items = [
        replace(item, status="dropped")
        if item.name in ("history[2]", "history[3]")
        else item
        for item in ledger.items
    ]
    with pytest.raises(AssertionError, match="group of the history is not whole"):
        check_ledger(replace(parted, items=tuple(items)))
