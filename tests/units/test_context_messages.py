"""Messages are known by their shape, and what is wrong with one is told with its place."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conversations import SHAPES
from streamclip import InvalidMessageError
from streamclip.context import assemble, check_ledger
from streamclip.context.groups import grouped
from streamclip.context.recognition import SHAPES as KNOWN
from streamclip.context.recognition import shape_of

USER = {"role": "user", "content": "hello"}


def call(*ids: str) -> dict[str, Any]:
    """Return an assistant's message with calls."""
    calls = [{"id": key, "type": "function", "function": {"name": "f"}} for key in ids]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def result(key: str) -> dict[str, Any]:
    """Return a message that answers a call."""
    return {"role": "tool", "tool_call_id": key, "content": "found"}


def use(*ids: str) -> dict[str, Any]:
    """Return a message with Anthropic's tool_use blocks."""
    blocks = [{"type": "tool_use", "id": key, "name": "f", "input": {}} for key in ids]
    return {"role": "assistant", "content": blocks}


def used(*ids: str, text: str = "") -> dict[str, Any]:
    """Return a user's message with tool_result blocks, and maybe a text."""
    blocks: list[dict[str, Any]]
    blocks = [
        {"type": "tool_result", "tool_use_id": key, "content": "x"} for key in ids
    ]
    return {
        "role": "user",
        "content": blocks + ([{"type": "text", "text": text}] if text else []),
    }


def item(kind: str, key: str = "", **members: Any) -> dict[str, Any]:
    """Return an item of Responses."""
    return {"type": kind, **({"call_id": key} if key else {}), **members}


REASONING = item("reasoning", id="rs_1", summary=[])
SAID = {"type": "message", "role": "assistant", "content": "well"}


@pytest.mark.parametrize(
    ("shape", "history", "sizes"),
    [
        ("chat", [USER, call("a", "b"), result("b"), result("a"), USER], [1, 3, 1]),
        ("chat", [call("a"), result("a"), call("a"), result("a")], [2, 2]),
        ("chat", [call("a", "a"), result("a"), result("a")], [3]),
        ("chat", [USER, USER, call("a", "b"), result("a")], [1, 1, 2]),
        (
            "chat",
            [
                {"role": "assistant", "function_call": {"name": "f", "arguments": ""}},
                {"role": "function", "name": "f", "content": "found"},
            ],
            [2],
        ),
        ("anthropic", [USER, use("a", "b"), used("b", "a", text="and?")], [1, 2]),
        ("anthropic", [use("a"), use("b"), used("a"), used("b"), USER], [4, 1]),
        ("anthropic", [USER, {"role": "system", "content": "x"}, SAID], [2, 1]),
        (
            "responses",
            [
                USER,
                item("function_call", "a", name="f", arguments="{}"),
                item("function_call", "b", name="f", arguments="{}"),
                item("function_call_output", "b", output="x"),
                item("function_call_output", "a", output="x"),
                SAID,
            ],
            [1, 4, 1],
        ),
        (
            "responses",
            [
                USER,
                REASONING,
                SAID,
                item("custom_tool_call", "a", name="f", input=""),
                item("custom_tool_call_output", "a", output="x"),
                REASONING,
                item("web_search_call", id="ws_1", action={}),
                REASONING,
                SAID,
                USER,
            ],
            [1, 4, 4, 1],
        ),
        (
            "responses",
            [
                item("mcp_approval_request", id="ap_1", name="f", arguments="{}"),
                item("mcp_approval_response", approval_request_id="ap_1", approve=True),
            ],
            [2],
        ),
    ],
)
def test_calls_stay_with_their_results(
    shape: str, history: list[Any], sizes: list[int]
) -> None:
    """By adjacency: ids repeat. Reasoning stays with what it led to."""
    groups = grouped(history, KNOWN[shape])
    assert [group.stop - group.start for group in groups] == sizes
    assert sum(sizes) == len(history)


@pytest.mark.parametrize(
    ("shape", "history", "index", "reason"),
    [
        ("chat", [USER, "hello"], 1, "a message is a dict, not str"),
        ("chat", [{"content": "hello"}], 0, "its role is one of system, developer"),
        ("chat", [USER, {"role": "robot", "content": ""}], 1, "not 'robot'"),
        ("chat", [{"role": "user", "content": 7}], 0, "a text or a list of blocks"),
        ("chat", [{"role": "user", "content": [{"text": ""}]}], 0, "with a type"),
        ("chat", [USER, {"role": "tool", "content": ""}], 1, "it has no tool_call_id"),
        ("chat", [{**call("a"), "tool_calls": "a"}], 0, "its tool_calls are no list"),
        ("chat", [{**call("a"), "tool_calls": [{}]}], 0, "its tool_calls has no id"),
        ("chat", [USER, result("a")], 1, "the result of 'a', which no call"),
        ("chat", [call("a"), result("a"), USER, result("a")], 3, "the result of 'a'"),
        ("chat", [call("a"), result("b")], 1, "the result of 'b'"),
        ("chat", [USER, call("a", "b"), result("b"), USER], 1, "the call 'a' has no"),
        ("chat", [USER, call("a"), call("b"), result("b")], 1, "the call 'a' has no"),
        ("anthropic", [USER, use("a"), USER], 1, "the call 'a' has no result"),
        ("anthropic", [USER, used("a")], 1, "the result of 'a'"),
        ("anthropic", [{"role": "tool", "content": ""}], 0, "user, assistant, system"),
        ("anthropic", [{"role": "system", "content": ""}], 0, "pass the prompt as"),
        (
            "anthropic",
            [{**use("a"), "content": [{"type": "tool_use"}]}],
            0,
            "has no id",
        ),
        ("responses", [item("function_call_output", "a")], 0, "the result of 'a'"),
        ("responses", [item("function_call", name="f")], 0, "it has no call_id"),
        ("responses", [item("phone_call", "a")], 0, "of the type 'phone_call'"),
        ("responses", [item("function_call", "a"), USER], 0, "the call 'a' has no"),
        ("responses", [7], 0, "a message is a dict, not int"),
    ],
)
def test_a_message_that_is_wrong_is_named_by_its_index(
    shape: Any, history: list[Any], index: int, reason: str
) -> None:
    """With what is wrong, before anything is counted."""
    with pytest.raises(InvalidMessageError, match=reason) as caught:
        assemble(window=1000, history=history, shape=shape)
    assert caught.value.index == index
    assert str(caught.value).startswith(f"history[{index}]: ")


NAMES = st.sampled_from(
    [
        "role",
        "content",
        "type",
        "tool_calls",
        "tool_call_id",
        "function_call",
        "id",
        "call_id",
        "tool_use_id",
        "name",
        "output",
        "summary",
        "text",
    ]
)
WORDS = st.sampled_from(
    [
        "user",
        "assistant",
        "tool",
        "system",
        "a",
        "b",
        "text",
        "tool_use",
        "tool_result",
        "message",
        "reasoning",
        "function_call",
        "function_call_output",
        "image",
    ]
)
JUNK = st.recursive(
    st.none() | st.integers() | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner),
    max_leaves=12,
)


@settings(max_examples=200)
@given(
    history=st.lists(st.dictionaries(NAMES, JUNK | WORDS) | JUNK, max_size=4),
    shape=st.sampled_from(["auto", *SHAPES]),
)
def test_whatever_is_no_conversation_is_a_clear_error(
    history: list[Any], shape: Any
) -> None:
    """Or it is one after all, and then its ledger is true."""
    options: dict[str, Any] = {"shape": shape, "tokenizer": len}
    wrong: ValueError | None = None
    try:
        ledger = assemble(window=99, history=history, clip_tool_results=5, **options)
        check_ledger(ledger)
    except ValueError as error:
        wrong = error
    if isinstance(wrong, InvalidMessageError):
        assert wrong.index < len(history)
    else:
        assert wrong is None or "signs of several shapes" in str(wrong)


def test_an_object_of_a_client_library_is_told_how_to_become_a_message() -> None:
    """People append what they got to what they send."""

    class ChatCompletionMessage:
        def model_dump(self) -> None: ...

    with pytest.raises(InvalidMessageError, match="give its model_dump"):
        assemble(window=100, history=[USER, ChatCompletionMessage()])  # type: ignore[list-item]


IMAGES: dict[str, dict[str, Any]] = {
    "chat": {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
    "responses": {"type": "input_image", "image_url": "data:image/png;base64,AAAA"},
    "anthropic": {"type": "image", "source": {"type": "base64", "data": "AAAA"}},
}


@pytest.mark.parametrize("shape", SHAPES)
def test_an_image_costs_what_the_caller_says(shape: Any) -> None:
    """Without that there is an error, never a guess."""
    kind = "input_text" if shape == "responses" else "text"
    text = {"type": kind, "text": "what is it?"}
    message = {"role": "user", "content": [text, IMAGES[shape]]}
    with pytest.raises(InvalidMessageError, match=r"history\[1\].*block_cost"):
        assemble(window=1000, history=[USER, message], shape=shape)
    plain = assemble(window=1000, history=[USER, {**message, "content": [text]}])
    seen: list[Any] = []
    priced = assemble(
        window=1000,
        history=[USER, message],
        shape=shape,
        block_cost=lambda block: seen.append(block) or 85,  # type: ignore[func-returns-value]
    )
    assert priced.total == plain.total + 85
    assert seen[0] is IMAGES[shape]
    check_ledger(priced)


def test_an_image_in_a_tool_result_is_found() -> None:
    """It stands one level deeper."""
    results = used("a")
    results["content"][0]["content"] = [IMAGES["anthropic"]]
    with pytest.raises(InvalidMessageError, match=r"history\[1\].*'image'"):
        assemble(window=1000, history=[use("a"), results])


def test_only_what_json_cannot_write_is_said_to_be_so() -> None:
    """What the caller's functions return or raise is not the message's fault."""
    circular: list[Any] = []
    circular.append(circular)
    for value in (circular, {1, 2}):
        with pytest.raises(InvalidMessageError, match="JSON cannot write it"):
            assemble(window=1000, history=[{**USER, "name": value}], tokenizer=len)
        with pytest.raises(TypeError, match="JSON cannot write the tools"):
            assemble(window=1000, history=[USER], tools=[value], tokenizer=len)
    image = {"role": "user", "content": [IMAGES["anthropic"]]}
    with pytest.raises(TypeError, match=r"^block_cost returned 8.5"):
        assemble(window=1000, history=[image], block_cost=lambda block: 8.5)  # type: ignore[arg-type,return-value]
    with pytest.raises(TypeError, match=r"^the tokenizer returned '7'"):
        assemble(window=1000, history=[USER], tokenizer=lambda text: "7")  # type: ignore[arg-type,return-value]


def test_what_is_no_block_of_a_tool_result_is_left_as_it_is() -> None:
    """Also where the texts beside it are clipped."""
    results = used("a")
    results["content"][0]["content"] = ["text", None, {"type": "text", "text": "x" * 9}]
    history = [use("a"), results, USER]
    ledger = assemble(window=1000, history=history, tokenizer=len, clip_tool_results=5)
    assert ledger.messages is not None
    kept = ledger.messages[1]["content"][0]["content"]
    assert kept == ["text", None, {"type": "text", "text": "x" * 5}]
    check_ledger(ledger)


@pytest.mark.parametrize(
    ("history", "tools", "shape"),
    [
        ([USER], [], "chat"),
        ([USER, call("a")], [], "chat"),
        ([USER, use("a")], [], "anthropic"),
        ([USER, REASONING], [], "responses"),
        ([{**USER, "content": [{"type": "input_text", "text": ""}]}], [], "responses"),
        ([USER], [{"type": "function", "function": {}}], "chat"),
        ([USER], [{"type": "function", "name": "f"}], "responses"),
        ([USER], [{"name": "f", "input_schema": {}}], "anthropic"),
    ],
)
def test_a_shape_is_recognised(
    history: list[Any], tools: list[Any], shape: str
) -> None:
    """By what only it has; by the tools, where the messages are plain."""
    assert shape_of("auto", history, tools).name == shape


def test_signs_of_two_shapes_are_refused() -> None:
    """With the place of each."""
    expected = r"chat in history\[0\], anthropic in history\[1\].*shape="
    with pytest.raises(ValueError, match=expected):
        assemble(window=100, history=[call("a"), use("b")])


def test_anthropic_has_its_system_prompt_beside_the_messages() -> None:
    """As it came; chunks are blocks after it."""
    from streamclip.context import Chunk

    block = {
        "type": "text",
        "text": "Be brief.",
        "cache_control": {"type": "ephemeral"},
    }
    options: dict[str, Any] = {"window": 500, "history": [USER], "shape": "anthropic"}
    plain = assemble(**options, system="Be brief.")
    assert plain.body() == {"system": "Be brief.", "messages": [USER]}
    ledger = assemble(**options, system=[block], chunks=[Chunk(id="a", text="b")])
    assert ledger.system == [block, {"type": "text", "text": "[a]\nb"}]
    assert ledger.messages == [USER]
    check_ledger(ledger)


def test_what_the_model_does_not_see_costs_nothing() -> None:
    """Ids and states of items."""
    plain = item("function_call", "a", name="f", arguments="{}")
    long = {**plain, "id": "fc_" + "0" * 60, "status": "completed"}
    totals = {assemble(window=99, history=[found]).total for found in (plain, long)}
    assert len(totals) == 1


def test_null_costs_two_quotes() -> None:
    """A content that is not there is counted as an empty JSON string."""
    count = {"assistant": 10, '""': 3, "": 0}.get
    for message in ({"role": "assistant", "content": None}, {"role": "assistant"}):
        ledger = assemble(window=99, history=[message], tokenizer=count)  # type: ignore[arg-type]
        assert ledger.total == 4 + 10 + 3
