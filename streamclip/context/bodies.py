"""Bodies of requests: where an API's request has what shares the window."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from streamclip.context.ledger import Ledger

__all__ = ["channels_of", "fitted"]


def channels_of(body: Any, shape: str = "auto") -> dict[str, Any]:
    """Return a request's channels, as arguments of `assemble`.

    Args:
        body: The body of a request, or only the list of its messages.
        shape: Which API it is for, if that is known.

    Raises:
        ValueError: It is no such body, or not one of that shape.

    >>> channels_of({"model": "m", "input": "Hello", "instructions": "Be brief."})
    ... # doctest: +NORMALIZE_WHITESPACE
    {'history': [{'role': 'user', 'content': 'Hello'}], 'shape': 'responses',
     'system': 'Be brief.', 'tools': None}
    """
    if isinstance(body, list):
        return {"history": body, "shape": shape}
    if not isinstance(body, Mapping):
        raise ValueError("a request is an object, or the list of its messages")
    if "input" in body:
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
    if shape == "auto" and len(possible) == 1:
        shape = possible[0]
    if shape not in ("auto", *possible):
        raise ValueError(f"the request is one of {' or '.join(possible)}, not {shape}")
    return {
        "history": history,
        "shape": shape,
        "system": system,
        "tools": body.get("tools") or body.get("functions"),
    }


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
