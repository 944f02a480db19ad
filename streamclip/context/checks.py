"""What must hold of every ledger, checked from what it returns.

The checks are for the tests of a gateway, with the tokenizer that it uses; they
know nothing of how a ledger was made.
"""

from __future__ import annotations

from collections.abc import Sequence

from streamclip.context.clips import is_clip_of
from streamclip.context.groups import grouped
from streamclip.context.ledger import Ledger
from streamclip.context.shape import Message, Shape
from streamclip.context.texts import is_json
from streamclip.errors import InvalidMessageError

__all__ = ["check_ledger"]


def check_ledger(ledger: Ledger) -> None:
    """Check that nothing was cut silently and nothing is over the budget.

    Args:
        ledger: What `assemble` returned.

    Raises:
        AssertionError: One of these does not hold. The total is what the messages
            and tools count, and at most the input budget. The system prompt comes
            first and the last message last, both as they were given. The chunks
            between them, and tool results that were clipped, are beginnings of what
            was given, or clips if that is JSON: with a report, whose numbers are not
            checked, and nothing in them that was not there. The history is a suffix
            of what was given, calls with their results. What is kept and dropped is
            what the items say. If nothing can be sent, nothing is.
    """
    if ledger.messages is None:
        _expect(ledger.reason != "ok", "there are no messages, and no reason")
        _expect(ledger.detail != "", "the reason has no detail")
        return
    _expect(ledger.reason == "ok", f"there are messages, and {ledger.reason}")
    request = ledger.request
    messages = [*request.shape.prefix(ledger.system), *ledger.messages]
    prompt = [
        *request.shape.prefix(request.system),
        *request.history[: request.leading()],
    ]
    _expect(messages[: len(prompt)] == prompt, "the system prompt has changed")
    _expect(ledger.tools == request.tools, "the tools have changed")
    chunks = len(prompt) + ledger.kept_chunks
    _check_chunks(ledger, messages[len(prompt) : chunks])
    _check_history(ledger, messages[chunks:])
    _check_total(ledger, messages)


def _expect(holds: bool, otherwise: str) -> None:
    if not holds:
        raise AssertionError(otherwise)


def _check_total(ledger: Ledger, messages: Sequence[Message]) -> None:
    costs = ledger.request.costs
    total = costs.tools(ledger.request.tools) + sum(
        costs.message(message, at) for at, message in enumerate(messages)
    )
    _expect(
        ledger.total == total,
        f"the total is {ledger.total}, and the messages count {total}",
    )
    _expect(
        total <= ledger.input_budget,
        f"{total} tokens are over the input budget of {ledger.input_budget}",
    )
    by_channel = sum(ledger.tokens.values())
    _expect(by_channel == total, f"the items have {by_channel} tokens, not {total}")


def _check_chunks(ledger: Ledger, sent: Sequence[Message]) -> None:
    items = [item for item in ledger.items if item.channel == "chunks"]
    _expect(len(items) == len(ledger.request.chunks), "a chunk is not in the ledger")
    kept = [item for item in items if item.status != "dropped"]
    for item, message in zip(kept, sent, strict=True):
        chunk = ledger.request.chunks[item.index]
        header = chunk.content("")
        content = message["content"]
        _expect(content.startswith(header), f"chunk {chunk.id!r} is not in its place")
        _check_part(chunk.text, content[len(header) :], f"chunk {chunk.id!r}")


def _check_part(whole: str, part: str, what: str) -> None:
    """Check that a text is a beginning of the other one, or a clip if that is JSON."""
    if part != whole and is_json(whole):
        _expect(is_json(part), f"{what} is no JSON any more")
        _expect(is_clip_of(part, whole), f"{what} is no clip of what was given")
        return
    _expect(whole.startswith(part), f"{what} is not a beginning of what was given")


def _check_history(ledger: Ledger, sent: Sequence[Message]) -> None:
    request = ledger.request
    start = len(request.history) - len(sent)
    _expect(start >= request.leading(), "the history has more messages than were given")
    dropped = start - request.leading()
    _expect(ledger.dropped_messages == dropped, f"{dropped} messages are dropped")
    if not sent:
        _expect(not request.groups(), "the last message is missing")
        return
    _expect(sent[-1] == request.history[-1], "the last message has changed")
    starts = [group.start for group in request.groups()]
    _expect(start in starts, "a group of the history is not whole")
    try:
        groups = grouped(sent, request.shape)
    except InvalidMessageError as error:
        raise AssertionError(f"a call and its result are parted: {error}") from error
    _expect(
        [group.start + start for group in groups] == starts[starts.index(start) :],
        "the groups of the history have changed",
    )
    for at, message in enumerate(sent, start):
        _check_message(ledger, message, at, in_last=at >= starts[-1])


def _check_message(ledger: Ledger, sent: Message, at: int, *, in_last: bool) -> None:
    request = ledger.request
    given = request.history[at]
    if sent == given:
        return
    clips = request.clip_tool_results is not None and not in_last
    bare, texts = _without_results(request.shape, given)
    sent_bare, sent_texts = _without_results(request.shape, sent)
    _expect(clips and bare == sent_bare, f"history[{at}] has changed")
    for whole, part in zip(texts, sent_texts, strict=True):
        _check_part(whole, part, f"the tool result in history[{at}]")


def _without_results(shape: Shape, message: Message) -> tuple[Message, list[str]]:
    """Take the texts of its tool results out of a message."""
    texts: list[str] = []

    def taken(text: str) -> str:
        texts.append(text)
        return ""

    return shape.map_results(message, taken), texts
