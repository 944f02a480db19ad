"""Retrieved texts: what one is, how it travels, and how many of them fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from streamclip.context.costs import Costs
from streamclip.context.shape import Message
from streamclip.context.texts import is_json, shortened

__all__ = ["Chunk", "Packed", "pack"]


@dataclass(frozen=True, slots=True)
class Chunk:
    """A text that was retrieved for the question.

    Args:
        id: What the model may call it by. It stands above the text.
        text: Plain text, Markdown, HTML or JSON.
        priority: The lower, the sooner it is packed.

    Raises:
        TypeError: A value is of the wrong type.
        ValueError: The id is empty, or has a line break in it.
    """

    id: str
    text: str
    priority: float = 0

    def __post_init__(self) -> None:
        if not isinstance(self.id, str) or not isinstance(self.text, str):
            raise TypeError("a chunk's id and text are str")
        if not isinstance(self.priority, (int, float)):
            raise TypeError(f"a chunk's priority is a number, not {self.priority!r}")
        if not self.id or len(self.id.splitlines()) > 1:
            raise ValueError(f"a chunk's id is one line of text, not {self.id!r}")

    def content(self, text: str | None = None) -> str:
        r"""Return the message's content, with the text or a part of it.

        >>> Chunk(id="faq", text="Opens at nine.").content()
        '[faq]\nOpens at nine.'
        """
        return f"[{self.id}]\n{self.text if text is None else text}"


@dataclass(frozen=True, slots=True)
class Packed:
    """What became of a chunk.

    Args:
        index: Where it is in the list of chunks.
        chunk: The chunk.
        needed: Tokens that it costs whole, its message and header included.
        tokens: Tokens that it costs as kept; 0 if it is left out.
        text: What is kept of it, None if it is left out.
    """

    index: int
    chunk: Chunk
    needed: int
    tokens: int
    text: str | None

    @property
    def message(self) -> Message:
        """The system message that it travels as."""
        return {"role": "system", "content": self.chunk.content(self.text)}

    @property
    def why(self) -> str:
        """Why it is not whole, in words; empty if it is."""
        if self.text is None:
            return "no room"
        if self.text == self.chunk.text:
            return ""
        if is_json(self.chunk.text):
            return "as JSON"
        kept, total = len(self.text), len(self.chunk.text)
        at = "before a line break" if self.chunk.text[kept] in "\r\n" else "in a line"
        return f"{at}, {kept} of {total} characters"


def pack(chunks: Sequence[Chunk], room: int, costs: Costs) -> list[Packed]:
    """Pack chunks into a room, those of the lowest priority number first.

    Each is kept whole if it fits; else as much of it as fits; else not at all, and
    those after it may still fit. So a larger room never holds fewer tokens, if a
    longer part of a text never counts less.

    Args:
        chunks: The chunks.
        room: Tokens there are for all of them.
        costs: Counts.

    Returns:
        What became of each, in the order in which they were packed.
    """
    packed = []
    for index in sorted(range(len(chunks)), key=lambda at: chunks[at].priority):
        chunk = chunks[index]
        needed = costs.system(chunk.content())
        found = _kept(chunk, needed, room, costs)
        tokens = needed
        if found != chunk.text:
            tokens = 0 if found is None else costs.system(chunk.content(found))
        packed.append(Packed(index, chunk, needed, tokens, found))
        room -= tokens
    return packed


def _kept(chunk: Chunk, needed: int, room: int, costs: Costs) -> str | None:
    if needed <= room:
        return chunk.text
    around = costs.system("") - costs.text("")

    def count(text: str) -> int:
        return costs.text(chunk.content(text))

    return shortened(chunk.text, room - around, count)
