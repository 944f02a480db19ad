"""One window, four channels: pack what fits, in a fixed order, and say what did not.

The system prompt, the tools and the last message with its group are protected. The
room that they leave goes to chunks and history, in the order that is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from streamclip.context.chunks import Chunk, Packed, pack
from streamclip.context.costs import Costs
from streamclip.context.groups import Group
from streamclip.context.history import first_kept
from streamclip.context.ledger import Item, Ledger, Reason
from streamclip.context.recognition import shape_of
from streamclip.context.request import Request, check_size
from streamclip.context.shape import Message, System
from streamclip.context.texts import shortened
from streamclip.tokens.counting import Tokenizer, counter

__all__ = ["assemble"]


def assemble(
    *,
    window: int,
    output_reserve: int = 0,
    safety_margin: int = 0,
    system: System = None,
    tools: Sequence[Any] | None = None,
    chunks: Sequence[Chunk] = (),
    history: Sequence[Message] = (),
    tokenizer: Tokenizer = "o200k_base",
    message_overhead: int | None = None,
    order: Literal["chunks-first", "history-first"] = "chunks-first",
    caps: Mapping[str, int] | None = None,
    clip_tool_results: int | None = None,
    shape: Literal["auto", "chat", "responses", "anthropic"] = "auto",
    block_cost: Callable[[Message], int] | None = None,
) -> Ledger:
    """Fit a conversation into a model's window.

    Args:
        window: Tokens that the model takes, its answer included.
        output_reserve: Tokens that are left to the answer.
        safety_margin: Tokens that are left for what cannot be counted.
        system: The system prompt: a text, or the API's own messages or blocks. Never
            cut. System messages at the head of the history are part of it.
        tools: The schemas, as the API takes them; counted, never cut.
        chunks: Retrieved texts.
        history: The messages or items, oldest first. The last is never cut, nor is
            the group that it belongs to: calls with all their results.
        tokenizer: What counts; see `streamclip.tokens.counter`.
        message_overhead: Tokens of each message beside its members; default: 4.
        order: Which is packed first and so cut last.
        caps: Tokens that a channel may have at most: "system", "tools",
            "system+tools", "chunks", "history".
        clip_tool_results: Tokens that a tool result may have, except in the last
            group; what is longer is shortened before anything is dropped, JSON as
            `clip` does it.
        shape: "chat", "responses", "anthropic"; "auto" recognises it.
        block_cost: Tells the tokens of a block that is no text, such as an image.

    Returns:
        The ledger. Its `messages` are what to send, or None if its `reason` says
        that nothing can be.

    Raises:
        TypeError: An argument is of the wrong type.
        ValueError: An argument is out of its range, `output_reserve` and
            `safety_margin` leave nothing, or the shape is not clear.
        InvalidMessageError: A message of the history is malformed, a result has no
            call or a call no result, or the cost of a block is not known.

    >>> ledger = assemble(
    ...     window=60, output_reserve=20, system="Be brief.", tokenizer=len,
    ...     message_overhead=0, history=[
    ...         {"role": "user", "content": "What is the capital of France?"},
    ...         {"role": "assistant", "content": "Paris."},
    ...         {"role": "user", "content": "And of Spain?"},
    ...     ],
    ... )
    >>> ledger.total, ledger.dropped_messages, [m["role"] for m in ledger.messages]
    (32, 2, ['system', 'user'])
    """
    history = tuple(history)
    tools = [] if tools is None else tools
    found = shape_of(shape, history, tools)
    if message_overhead is None:
        message_overhead = found.overhead
    check_size("message_overhead", message_overhead, 0)
    costs = Costs(counter(tokenizer), message_overhead, block_cost)
    request = Request(
        window=window,
        output_reserve=output_reserve,
        safety_margin=safety_margin,
        system=system,
        tools=tools,
        chunks=tuple(chunks),
        history=history,
        order=order,
        caps=caps or {},
        clip_tool_results=clip_tool_results,
        shape=found,
        costs=costs,
    )
    return _Assembly(request).ledger()


class _Assembly:
    """A request while it is packed.

    Args:
        request: What is asked for.
    """

    def __init__(self, request: Request) -> None:
        self.request = request
        self.lead = request.leading()
        self.groups = request.groups()
        self.prompt = request.shape.prefix(request.system)
        self.sent = _with_clipped_results(request, self.groups)
        cost = request.costs.message
        self.prompt_costs = [
            cost(message, at) for at, message in enumerate(self.prompt)
        ]
        self.tools_cost = request.costs.tools(request.tools)
        self.needed = [cost(message, at) for at, message in enumerate(request.history)]
        self.costs = [
            self.needed[at] if message is request.history[at] else cost(message, at)
            for at, message in enumerate(self.sent)
        ]
        self.group_costs = [
            sum(self.costs[group.start : group.stop]) for group in self.groups
        ]

    def ledger(self) -> Ledger:
        """Pack in the fixed order, or refuse."""
        request = self.request
        system = sum(self.prompt_costs) + sum(self.costs[: self.lead])
        pinned = system + self.tools_cost
        for channel, tokens in (
            ("system+tools", pinned),
            ("system", system),
            ("tools", self.tools_cost),
        ):
            room = request.cap(channel)
            if tokens > room:
                detail = f"{channel}: {tokens} tokens are needed, and {room} are there"
                return self._refused("protected_overflow", detail, pinned)

        last = self.group_costs[-1] if self.groups else 0
        room = min(request.input_budget - pinned, request.cap("history"))
        if last > room:
            what = "the last message"
            if self.groups[-1].stop - self.groups[-1].start > 1:
                what += ", with the calls or results it belongs to"
            detail = f"{what}: {last} tokens are needed, and {room} are there"
            return self._refused("last_message_overflow", detail, pinned + last)

        rest = request.input_budget - pinned - last
        if request.order == "history-first":
            first = self._first_kept(rest)
            packed = self._packed(rest - sum(self.group_costs[first:-1]))
        else:
            packed = self._packed(rest)
            first = self._first_kept(rest - sum(chunk.tokens for chunk in packed))
        return self._counted_again(packed, first)

    def _packed(self, room: int) -> list[Packed]:
        request = self.request
        return pack(request.chunks, min(room, request.cap("chunks")), request.costs)

    def _first_kept(self, room: int) -> int:
        if not self.groups:
            return 0
        room = min(room, self.request.cap("history") - self.group_costs[-1])
        return first_kept(self.groups, self.group_costs, room, self.request.shape)

    def _counted_again(self, packed: list[Packed], first: int) -> Ledger:
        """Lay the messages out, and trust no sum: count what will be sent."""
        request, shape = self.request, self.request.shape
        start = self.groups[first].start if self.groups else len(self.sent)
        chunks = [chunk.message for chunk in packed if chunk.text is not None]
        system, messages = shape.lay_out(
            request.system, [*self.sent[: self.lead], *chunks], self.sent[start:]
        )
        total = request.costs.tools(request.tools) + sum(
            request.costs.message(message, at)
            for at, message in enumerate([*shape.prefix(system), *messages])
        )
        if total > request.input_budget:
            detail = (
                f"counted again, the messages have {total} tokens, not at most "
                f"{request.input_budget}: the tokenizer contradicts itself"
            )
            return self._refused("assemble_overflow", detail, total)
        items = (*self._pinned_items(), *_chunk_items(packed), *self._items(start))
        return Ledger(
            reason="ok",
            detail="",
            system=system,
            messages=messages,
            tools=request.tools,
            total=total,
            items=items,
            request=request,
        )

    def _refused(self, reason: Reason, detail: str, total: int) -> Ledger:
        chunks, history = _chunk_items(self._packed(0)), self._items(len(self.sent))
        items = tuple(
            replace(item, status="dropped", tokens=0, why="nothing is sent")
            for item in (*self._pinned_items(), *chunks, *history)
        )
        return Ledger(
            reason=reason,
            detail=detail,
            system=None,
            messages=None,
            tools=None,
            total=total,
            items=items,
            request=self.request,
        )

    def _pinned_items(self) -> Iterator[Item]:
        for at, cost in enumerate(self.prompt_costs):
            yield Item("system", at, "system", "kept", cost, cost, "pinned")
        for at, cost in enumerate(self.costs[: self.lead]):
            index, name = len(self.prompt) + at, f"history[{at}]"
            yield Item("system", index, name, "kept", cost, cost, "pinned")
        if self.request.tools:
            cost = self.tools_cost
            yield Item("tools", 0, "tools", "kept", cost, cost, "pinned")

    def _items(self, start: int) -> Iterator[Item]:
        last = self.groups[-1].start if self.groups else 0
        clipped = f"tool results clipped to {self.request.clip_tool_results} tokens"
        for at in range(self.lead, len(self.sent)):
            name, cost, needed = f"history[{at}]", self.costs[at], self.needed[at]
            if at < start:
                why = "older than what fits"
                yield Item("history", at, name, "dropped", 0, needed, why)
            elif self.sent[at] is not self.request.history[at]:
                yield Item("history", at, name, "cut", cost, needed, clipped)
            else:
                why = "with the last message" if at >= last else ""
                why = "the last message" if at == len(self.sent) - 1 else why
                yield Item("history", at, name, "kept", cost, needed, why)


def _chunk_items(packed: Sequence[Packed]) -> Iterator[Item]:
    for one in packed:
        whole = one.text == one.chunk.text
        status: Literal["kept", "cut", "dropped"]
        status = "kept" if whole else "dropped" if one.text is None else "cut"
        name = one.chunk.id
        yield Item("chunks", one.index, name, status, one.tokens, one.needed, one.why)


def _with_clipped_results(request: Request, groups: Sequence[Group]) -> list[Message]:
    """Return the history, tool results clipped in all groups but the last."""
    history = list(request.history)
    limit = request.clip_tool_results
    if limit is None or not groups:
        return history

    def clipped(text: str) -> str:
        if request.costs.text(text) <= limit:
            return text
        shorter = shortened(text, limit, request.costs.text)
        return text if shorter is None else shorter

    for at in range(groups[0].start, groups[-1].start):
        changed = request.shape.map_results(history[at], clipped)
        if changed != history[at]:
            history[at] = changed
    return history
