"""The shapes are those that the vendors' own clients declare."""

from __future__ import annotations

import typing
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conversations import SHAPES, requests
from streamclip.context import assemble
from streamclip.context.costs import RESULT_OF_SERVER, TEXT_BLOCKS
from streamclip.context.responses import CALLS, MODEL, NOTES, RESULTS

pytestmark = pytest.mark.slow  # their types take seconds to import


def members(union: Any) -> Iterator[Any]:
    """Return the classes of a union, and of unions and lists in it."""
    found = typing.get_args(union)
    if not found:
        yield union
    for member in found:
        yield from members(member)


def types_in(union: Any) -> set[str]:
    """Return what `type` may be in the members of a union."""
    found: set[str] = set()
    for member in members(union):
        hints = typing.get_type_hints(member) if isinstance(member, type) else {}
        kind = hints.get("type")
        found |= {
            name
            for literal in (kind, *typing.get_args(kind))
            for name in typing.get_args(literal)
            if isinstance(name, str)
        }
    return found


def priced(kinds: set[str]) -> set[str]:
    """Return the types of blocks whose cost the caller has to tell."""
    text = {kind for kind in kinds if kind.endswith(RESULT_OF_SERVER)}
    return kinds - text - TEXT_BLOCKS


def test_every_item_of_responses_is_known() -> None:
    """No request that the client accepts is refused for an item's type."""
    from openai.types.responses import ResponseInputItemParam

    known = {"message", "reasoning", *CALLS, *RESULTS, *MODEL, *NOTES}
    assert known == types_in(ResponseInputItemParam)


def test_every_call_of_responses_has_its_result() -> None:
    """The tables are of one length, and the ids stand where they are said to."""
    from openai.types.responses import ResponseInputItemParam

    for member in members(ResponseInputItemParam):
        hints = typing.get_type_hints(member) if isinstance(member, type) else {}
        for kind in types_in(member):
            name = {**CALLS, **RESULTS}.get(kind)
            assert name is None or name in hints
    assert len(CALLS) == len(RESULTS)


def test_only_what_is_no_text_has_a_price_of_its_own() -> None:
    """All other blocks of all clients are counted."""
    from anthropic.types import ContentBlockParam
    from openai.types.chat import ChatCompletionContentPartParam
    from openai.types.responses import ResponseInputContentParam

    blocks = types_in(ContentBlockParam)
    assert {"text", "tool_use", "tool_result", "thinking"} <= blocks
    assert priced(blocks) == {"container_upload", "document", "image"}
    parts = types_in(ChatCompletionContentPartParam)
    assert priced(parts) == {"file", "image_url", "input_audio"}
    assert priced(types_in(ResponseInputContentParam)) == {"input_file", "input_image"}


def read_all(value: Any) -> Any:
    """Go through a value, as what is typed as iterable is checked only then."""
    if isinstance(value, dict):
        return {name: read_all(member) for name, member in value.items()}
    if isinstance(value, (str, int, type(None))):
        return value
    return [read_all(element) for element in value]


@pytest.mark.parametrize("shape", SHAPES)
@settings(max_examples=30)
@given(data=st.data(), window=st.integers(1, 600))
def test_what_is_sent_is_what_the_client_takes(
    shape: str, data: st.DataObject, window: int
) -> None:
    """The bodies of the requests, whole and fitted, by the clients' own types."""
    from anthropic.types import message_create_params as anthropic_params
    from openai.types.chat import completion_create_params as chat_params
    from openai.types.responses import response_create_params as responses_params
    from pydantic import TypeAdapter

    params: Any = {
        "chat": chat_params.CompletionCreateParamsNonStreaming,
        "responses": responses_params.ResponseCreateParamsNonStreaming,
        "anthropic": anthropic_params.MessageCreateParamsNonStreaming,
    }[shape]
    adapter = TypeAdapter(params)
    request = data.draw(requests(shape))
    for size in (1 << 30, window):
        ledger = assemble(**request, window=size, tokenizer=len)
        if ledger.ok:
            body = {"model": "gpt-5", **ledger.body()}
            body |= {"max_tokens": 100} if shape == "anthropic" else {}
            assert read_all(adapter.validate_python(body)) == read_all(body)
