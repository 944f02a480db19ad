"""How much of a conversation fits: a suffix of its groups."""

from __future__ import annotations

from collections.abc import Sequence

from streamclip.context.groups import Group
from streamclip.context.shape import Shape

__all__ = ["first_kept"]


def first_kept(
    groups: Sequence[Group], tokens: Sequence[int], room: int, shape: Shape
) -> int:
    """Return which group is the first that is kept; the last is kept in any case.

    What fits is a suffix of the groups. If it is not all of them, it is made to
    begin at a user turn, its oldest: an answer says little without its question.
    Where the only user turn in it would be the last message itself, a long turn of
    an agent is cut inside, and the suffix begins at the oldest calls that fit with
    their results; unless the API wants a user turn first.

    A larger room never keeps fewer groups.

    Args:
        groups: The groups, oldest first, at least one.
        tokens: What each costs.
        room: Tokens there are for all but the last.
        shape: The API that the messages are for.
    """
    last = len(groups) - 1
    first = last
    while first and tokens[first - 1] <= room:
        first -= 1
        room -= tokens[first]
    if first == 0:
        return 0
    suffix = range(first, last)
    turns = [at for at in suffix if groups[at].opens]
    if turns:
        return turns[0]
    if groups[last].opens and shape.opens_with_user:
        return last
    calls = [at for at in suffix if groups[at].calls]
    return calls[0] if calls else last
