"""What a caller may ask for, checked in one place."""

from __future__ import annotations

import dataclasses
import functools
import json
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypedDict

from streamclip.core.binding import BOM, CoreOptions
from streamclip.options.profiles import PROFILES, Profile

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from streamclip.tokens.counting import Tokenizer

__all__ = [
    "BYTES_PER_TOKEN",
    "MAX_TOKENS",
    "ClipOptions",
    "Limits",
    "Options",
    "Store",
    "Writer",
    "checked",
    "squeezed",
]

# Four rooms of this size still have 32-bit sizes.
MAX_BUDGET_BYTES = 1 << 28
BYTES_PER_CHAR = 4
BYTES_PER_TOKEN = 16  # that are retained; text of more is cut as if it had these
MAX_TOKENS = MAX_BUDGET_BYTES // BYTES_PER_TOKEN
LEAST_ROOM = 64 * 1024
EXTRA_ROOM = 256 * 1024
EMBEDDED_ROOM = 512 * 1024
NO_LIMIT = 1 << 31  # larger than any room: the core counts in 32 bits
MAX_DEPTH = 1 << 20
ONE_CALL_BUDGET = 1 << 20  # bytes; memory for so many is taken before a call

CHOICES = {
    "keep": ("head", "tail", "ends"),
    "report": ("inline", "siblings", "detached"),
    "lang": ("en", "zh"),
    "read": ("all", "enough"),
    "format": ("auto", "json", "jsonl"),
    "incomplete": ("error", "keep"),
}
SIZES = ("max_record_bytes", "max_string_chars", "max_items")


class Writer(Protocol):
    """One document on its way into a store."""

    @property
    def ref(self) -> str:
        """What it will be known by."""

    def write(self, chunk: bytes | memoryview) -> None:
        """Take the next bytes."""

    def commit(self, *, jsonl: bool, cut: bool) -> bool:
        """Keep what was written, and tell whether it is safely kept.

        Args:
            jsonl: Whether it is JSON Lines.
            cut: Whether it ended early.
        """

    def abort(self) -> None:
        """Drop what was written, if it is not kept yet."""


class Store(Protocol):
    """What keeps documents: a `streamclip.Store`."""

    @property
    def tool(self) -> str | None:
        """The name of the tool that fetches from it, for the reader."""

    def writer(self, max_depth: int, text_format: str) -> Writer:
        """Begin to take a document."""


class ClipOptions(TypedDict, total=False):
    """The keyword arguments of everything that clips.

    A budget or a profile has to be given; all budgets hold for the final text,
    the report in it included.

    Args:
        max_bytes: Budget in bytes of UTF-8, at most 256 MiB.
        max_chars: Budget in code points, at most 64 Mi.
        max_tokens: Budget in tokens, at most 16 Mi. A document of more than 16
            bytes a token is taken not to fit.
        tokenizer: What counts them: the name of an encoding ("o200k_base", the
            default, or "cl100k_base") or of an OpenAI model, a
            `tiktoken.Encoding`, a `tokenizers.Tokenizer`, or a function from str
            to int, called at most 6 times; in `aclip` it may be asynchronous.
        profile: Name of a host whose limits are the budgets, as far as they are
            not given: "claude-code", "codex", "gemini-cli", "mcp-http" (see
            profiles.py).
        max_record_bytes: Share of one element of an array once something has
            to be left out. What is larger is shortened inside, and marked.
            Default: a quarter of its array's room, at least 400.
        max_string_chars: Most code points of any string, whatever the budget.
        max_items: Most elements of any array, whatever the budget.
        collection: JSON Pointer of the collection that is cut first. All beside
            its way stays whole while an eighth of the room is left for it. It is
            not the one to protect. A pointer that leads nowhere changes nothing.
            Default: all share fairly.
        fields: Names of the members of each record that are kept, with all that
            is in them; the others are as if they were not in the input. A
            record is an object that is an element of an array, or a line, and
            in no other record. JSON Lines then need `format="jsonl"`.
        drop: Names of members that are as if they were not in the input, at any
            depth.
        keep: Which elements of an array remain, or which lines: the first
            ("head"), the last ("tail"), or both ("ends"). The report says with
            `gap_at` how many of those kept stand before the omitted ones.
        embedded: Whether a string that has to be shortened and holds JSON, of
            which up to 512 KiB are looked at, is clipped as JSON. It stays a
            string, but is no prefix any more; what it lacks is told in it, and
            in the report under `PATH#INNER`.
        report: "inline" puts a `_clip` member first; "siblings" puts `total`,
            `omitted` and `note` beside each cut array; "detached" adds nothing.
        note: Whether the report has a sentence for the reader, or its text; it
            is the first to go where room is short.
        lang: Language of that sentence: "en" or "zh".
        read: "all" counts the whole input; "enough" stops reading where
            something first has to be given up, and totals become minima.
        format: "json", "jsonl", or "auto": JSON Lines if there are several.
        incomplete: "error", or "keep" to clip what arrived of input that ends
            early.
        max_depth: Levels of nesting that are accepted.
        default: Called by orjson for a value that it cannot write, when the
            source is one that orjson has to write.
        store: Where the whole input goes if something is left out of the clip,
            which then tells how to get it (`Store`). None: nowhere.
    """

    max_bytes: int | None
    max_chars: int | None
    max_tokens: int | None
    tokenizer: Tokenizer | Callable[[str], Awaitable[int]]
    profile: Profile | None
    max_record_bytes: int | None
    max_string_chars: int | None
    max_items: int | None
    collection: str | None
    fields: Sequence[str] | None
    drop: Sequence[str] | None
    keep: Literal["head", "tail", "ends"]
    embedded: bool
    report: Literal["inline", "siblings", "detached"]
    note: bool | str
    lang: Literal["en", "zh"]
    read: Literal["all", "enough"]
    format: Literal["auto", "json", "jsonl"]
    incomplete: Literal["error", "keep"]
    max_depth: int
    default: Callable[[Any], Any] | None
    store: Store | None


class Limits(NamedTuple):
    """What a text may measure, or None."""

    max_bytes: int | None
    max_chars: int | None

    def hold(self, text: bytes) -> bool:
        """Tell whether a text is within them."""
        if self.max_bytes is not None and len(text) > self.max_bytes:
            return False
        if self.max_chars is None or len(text) <= self.max_chars:
            return True
        return len(text.decode()) <= self.max_chars


def checked(options: ClipOptions) -> Options:
    """Check keyword arguments.

    Raises:
        TypeError: One of them does not exist; see also `Options`.
        ValueError: See `Options`.
    """
    if options.keys() <= NAMES:
        plain: dict[str, Any] = {**options}
        # Most calls are like one before.
        if PLAIN_TYPES.issuperset(map(type, plain.values())):
            return _checked_once(**plain)
        return Options(**options)
    name = min(options.keys() - NAMES)
    message = f"there is no option {name!r}"
    import difflib  # for a mistake only

    near = difflib.get_close_matches(name, ClipOptions.__annotations__, n=1)
    if near:
        message += f": did you mean {near[0]!r}?"
    raise TypeError(message)


NAMES = frozenset(ClipOptions.__annotations__)
PLAIN_TYPES = {int, bool, str, type(None)}


@functools.lru_cache(maxsize=128, typed=True)
def _checked_once(**options: Any) -> Options:
    return Options(**options)


@dataclasses.dataclass(frozen=True)
class Options:
    """The same, complete and valid.

    Raises:
        TypeError: No budget is given, or a value is of the wrong type.
        ValueError: A value is out of its range.
    """

    max_bytes: int | None = None
    max_chars: int | None = None
    max_tokens: int | None = None
    tokenizer: Any = "o200k_base"
    profile: str | None = None
    max_record_bytes: int | None = None
    max_string_chars: int | None = None
    max_items: int | None = None
    collection: str | None = None
    fields: Sequence[str] | None = None
    drop: Sequence[str] | None = None
    keep: str = "head"
    embedded: bool = False
    report: str = "inline"
    note: bool | str = True
    lang: str = "en"
    read: str = "all"
    format: str = "auto"
    incomplete: str = "error"
    max_depth: int = 1024
    default: Callable[[Any], Any] | None = None
    store: Store | None = None
    cut_atoms: bool = False  # of a page: else one of base64 would show nothing

    def __post_init__(self) -> None:
        if self.profile is not None:
            self._take_budgets()
        budgets = (self.max_bytes, self.max_chars, self.max_tokens)
        if all(budget is None for budget in budgets):
            raise TypeError(
                "give a budget: max_bytes, max_chars, max_tokens or a profile"
            )
        _check_size("max_bytes", self.max_bytes, MAX_BUDGET_BYTES)
        _check_size("max_chars", self.max_chars, MAX_BUDGET_BYTES // BYTES_PER_CHAR)
        _check_size("max_tokens", self.max_tokens, MAX_TOKENS)
        _check_size("max_depth", self.max_depth, MAX_DEPTH)
        for name in SIZES:
            _check_size(name, getattr(self, name), None)
        if self.default is not None and not callable(self.default):
            raise TypeError(f"default is a function, not {self.default!r}")
        if self.store is not None:
            self._check_store()
        for name, choices in CHOICES.items():
            value = getattr(self, name)
            if value not in choices:
                raise ValueError(
                    f"{name} is one of {', '.join(choices)}, not {value!r}"
                )
        if not isinstance(self.note, (bool, str)):
            raise TypeError(f"note is a bool or a text, not {self.note!r}")
        pointer_tokens(self.collection)
        for name in ("fields", "drop"):
            _check_names(name, getattr(self, name))
        if self.fields is not None and not self.fields:
            raise ValueError("fields has at least one name")

    def _check_store(self) -> None:
        if not callable(getattr(self.store, "writer", None)):
            raise TypeError(f"store is a streamclip.Store, not {self.store!r}")
        if self.read == "enough":
            raise ValueError(
                'read="enough" leaves the rest unread, and a store keeps all of it: '
                "give one of them"
            )

    def _take_budgets(self) -> None:
        """Have the profile's budgets where none is given."""
        if self.profile not in PROFILES:
            names = ", ".join(PROFILES)
            raise ValueError(f"profile is one of {names}, not {self.profile!r}")
        for name, budget in PROFILES[self.profile].items():
            if getattr(self, name) is None:
                object.__setattr__(self, name, budget)

    @functools.cached_property
    def limits(self) -> Limits:
        """The budgets of bytes and characters."""
        return Limits(self.max_bytes, self.max_chars)

    @functools.cached_property
    def budget_bytes(self) -> int:
        """Bytes that a text within every budget can have at most."""
        budgets = (
            self.max_bytes,
            self.max_chars and self.max_chars * BYTES_PER_CHAR,
            self.max_tokens and self.max_tokens * BYTES_PER_TOKEN,
        )
        return min(budget for budget in budgets if budget is not None)

    @functools.cached_property
    def room(self) -> int:
        """Bytes that are retained while reading (docs/semantics.md, section 1)."""
        budget = self.budget_bytes
        least = EMBEDDED_ROOM if self.embedded else LEAST_ROOM
        return max(min(4 * budget, budget + EXTRA_ROOM), least)

    @property
    def has_caps(self) -> bool:
        """Whether something may be left out of a document that fits."""
        return self.max_items is not None or self.max_string_chars is not None

    @functools.cached_property
    def most_unchanged(self) -> int:
        """Bytes that a document may have of which no more has to be known.

        What would be deselected only the core finds out, and whether the tokens
        are too many only its caller.
        """
        if self.has_caps or self.selection or self.max_tokens is not None:
            return 0
        return self.budget_bytes + len(BOM)

    @functools.cached_property
    def in_one_call(self) -> bool:
        """Whether the core can clip a document in memory in one call."""
        return (
            self.most_unchanged > 0
            and self.budget_bytes <= ONE_CALL_BUDGET
            and self.store is None
            and self.read == "all"
            and self.incomplete == "error"
            and not self.embedded
        )

    @functools.cached_property
    def selection(self) -> dict[str, list[str]]:
        """What is selected, each name once; empty if everything is."""
        asked = {"fields": self.fields, "drop": self.drop}
        return {what: [*dict.fromkeys(names)] for what, names in asked.items() if names}

    @functools.cached_property
    def core(self) -> CoreOptions:
        """What the core has to know of them."""
        return CoreOptions(
            room=self.room,
            max_depth=self.max_depth,
            text_format=self.format,
            max_record_bytes=_limited(self.max_record_bytes),
            max_items=_limited(self.max_items),
            max_string_chars=_limited(self.max_string_chars),
            collection=pointer_tokens(self.collection),
            fields=tuple(map(squeezed, self.selection.get("fields", ()))),
            drop=tuple(map(squeezed, self.selection.get("drop", ()))),
            keep=self.keep,
            cut_atoms=self.cut_atoms,
            stop_early=self.read == "enough",
        )


def _limited(value: int | None) -> int | None:
    """Return a size that the core can count; larger ones limit nothing."""
    return value and min(value, NO_LIMIT)


def pointer_tokens(pointer: str | None) -> tuple[bytes, ...]:
    """Split a JSON Pointer (RFC 6901) into squeezed bodies.

    Raises:
        TypeError: It is no str.
        ValueError: It is no JSON Pointer.

    >>> pointer_tokens("/a~1b/0")
    (b'a/b', b'0')
    """
    if pointer is None:
        return ()
    if not isinstance(pointer, str):
        raise TypeError(f"collection is a JSON Pointer, a str, not {pointer!r}")
    if pointer and not pointer.startswith("/"):
        likely = "/" + pointer.lstrip("$#./").replace(".", "/")
        raise ValueError(
            f"collection is a JSON Pointer and begins with '/', such as "
            f"{likely!r}, not {pointer!r}"
        )
    if re.search(r"~(?![01])", pointer):
        raise ValueError(
            f"collection is a JSON Pointer: write '~' as '~0' and '/' in a key as "
            f"'~1', not {pointer!r}"
        )
    return tuple(
        squeezed(token.replace("~1", "/").replace("~0", "~"))
        for token in pointer.split("/")[1:]
    )


def squeezed(text: str) -> bytes:
    """Return a text as the body of a JSON string with the fewest escapes."""
    body = json.dumps(text, ensure_ascii=False)[1:-1]
    escape = re.compile("[\ud800-\udfff]")
    return escape.sub(lambda found: f"\\u{ord(found[0]):04x}", body).encode()


def _check_names(option: str, names: Sequence[str] | None) -> None:
    if names is None:
        return
    if not isinstance(names, (list, tuple)):
        raise TypeError(f"{option} is a list of member names, not {names!r}")
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"{option} is a list of member names, not of {name!r}")


def _check_size(name: str, value: int | None, most: int | None) -> None:
    if value is None:
        return
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{name} is a whole number, not {value!r}")
    if value < 1:
        raise ValueError(f"{name} is at least 1, not {value}")
    if most is not None and value > most:
        raise ValueError(f"{name} is at most {most}, not {value}")
