"""Bodies of requests: where an API's request has what shares the window."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from streamclip.context.ledger import Ledger
from streamclip.context.recognition import SHAPES, shape_of

__all__ = ["channels_of", "fitted"]


def channels_of(body: Any, shape: str = "auto") -> dict[str, Any]:
    """Return a request's channels, as arguments of `assemble`.

    Args:
        body: The body of a request, or only the list of its messages.
        shape: Which API it is for, if that is known.

    Raises:
        ValueError: It is no such body, not one of that shape, or its system prompt or
            its tools are none.

    >>> channels_of({"model": "m", "input": "Hello", "instructions": "Be brief."})
    ... # doctest: +NORMALIZE_WHITESPACE
    {'history': [{'role': 'user', 'content': 'Hello'}], 'shape': 'responses',
     'system': 'Be brief.', 'tools': None}
    """
    system = tools = None
    possible = list(SHAPES)
    if isinstance(body, list):
        history = body
    elif not isinstance(body, Mapping):
        raise ValueError("a request is an object, or the list of its messages")
    elif "input" in body:
        history, system = body["input"], body.get("instructions")
        possible = ["responses"]
        if isinstance(history, str):
            history = [{"role": "user", "content": history}]
    elif "messages" in body:
        history, system = body["messages"], body.get("system")
        possible = ["anthropic"] if system else ["anthropic", "chat"]
    else:
        raise ValueError("a request has its messages in 'messages' or in 'input'")
    if not isinstance(history, list):
        raise ValueError("a request's messages are a list")
    if isinstance(body, Mapping):
        tools = _tools(body)
    if shape == "auto" and len(possible) == 1:
        shape = possible[0]
    shape = shape_of(shape, history, tools or ()).name
    if shape not in possible:
        raise ValueError(f"the request is one of {' or '.join(possible)}, not {shape}")
    try:
        SHAPES[shape].prefix(system)
    except TypeError as error:
        raise ValueError(str(error)) from None
    return {"history": history, "shape": shape, "system": system, "tools": tools}


def _tools(body: Mapping[str, Any]) -> list[Any] | None:
    """Return the schemas, which an older member may have.

    Raises:
        ValueError: They are no list.
    """
    for name in ("tools", "functions"):
        if not isinstance(body.get(name), (list, type(None))):
            raise ValueError(f"{name} is a list of schemas, not {body[name]!r}")
    return body.get("tools") or body.get("functions")


def fitted(body: Any, ledger: Ledger) -> Any:
    """Return the body with the messages that fit; all else stays.

    Args:
        body: The body that `channels_of` took apart.
        ledger: What `assemble` made of it, which is ok.
    """
    members = ledger.body()
    if isinstance(body, list):
        return members[ledger.request.shape.member]
    if "input" in body and body.get("instructions"):
        # They stay where they are, and are the first message here.
        members["input"] = members["input"][1:]
    members.pop("tools", None)
    return {**body, **members}
