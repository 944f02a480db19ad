"""A budget of tokens holds for the final text, is used well, and costs little."""

from __future__ import annotations

import asyncio
import functools
import importlib.util
import json
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import sentencepiece
import tokenizers
from hypothesis import given
from hypothesis import strategies as st
from test_corpus import files, is_multi

import streamclip
from documents import Sample, samples
from streamclip import BudgetTooSmallError, Clip, clip
from streamclip.tokens.counting import counter, stretches
from test_report import assert_told, assert_true, block_of, has_duplicates
from test_validity import (
    FORMS,
    SMALL,
    asked,
    assert_lawful,
    clip_or_size,
    clip_or_what_is_needed,
    data_of,
    read,
)

COUNT = {name: counter(name) for name in ("o200k_base", "cl100k_base")}
o200k = COUNT["o200k_base"]

# Beside the budget: what is counted again because it changes with each step (the
# report), and the ends of what turns out to be too much.
STEPS = 400


def orders(count: int) -> dict[str, Any]:
    """Return a page of orders in two languages."""
    rows = [
        {"id": n, "客户": f"第 {n} 号客户", "note": "to be sent by the end of May"}
        for n in range(count)
    ]
    return {"rows": rows, "next_cursor": "c40"}


ORDERS = json.dumps(orders(2_000), ensure_ascii=False).encode()


# --- It holds


@pytest.mark.parametrize("text", SMALL)
@pytest.mark.parametrize("form", FORMS)
def test_every_budget_holds_or_the_error_says_what_is_needed(
    text: str, form: str
) -> None:
    """From 1 up to more than all of it: no silent overrun anywhere."""
    data = text.encode()
    for limit in range(1, o200k(text) + 2, 3):
        options: dict[str, Any] = {"max_tokens": limit, "report": form}
        result = clip_or_size(data, **options)
        if isinstance(result, BudgetTooSmallError):
            assert (result.needed > limit, result.unit) == (True, "tokens")
            continue
        assert_lawful(result, data, options, multi="\n" in text)
        assert o200k(result.text) == result.stats.tokens <= limit


@given(
    samples,
    st.sampled_from(FORMS),
    st.integers(1, 300),
    st.none() | st.integers(1, 800),
    st.none() | st.integers(1, 800),
    st.sampled_from([*COUNT]),
)
def test_generated_documents_meet_all_budgets_together(
    of: Sample,
    form: str,
    max_tokens: int,
    max_bytes: int | None,
    max_chars: int | None,
    name: str,
) -> None:
    """With caps, named collections, ends and shares, whichever is the tightest."""
    keep = of.options.keep
    options = asked(of) | {"keep": keep, "report": form}
    budgets = {
        "max_tokens": max_tokens,
        "max_bytes": max_bytes,
        "max_chars": max_chars,
    }
    options |= {**budgets, "tokenizer": name}
    result = clip_or_size(of.data, **options)
    if isinstance(result, BudgetTooSmallError):
        assert result.needed > options[f"max_{result.unit}"]
        return
    assert len(result.data) <= (max_bytes or len(result.data))
    assert len(result.text) <= (max_chars or len(result.text))
    if keep == "head":
        assert_lawful(result, of.data, options, multi=of.multi)
    assert COUNT[name](result.text) == result.stats.tokens <= max_tokens


@given(samples, st.sampled_from(FORMS))
def test_what_is_needed_works_when_it_is_given(of: Sample, form: str) -> None:
    """For any document: ask for 1, then for what the error names."""
    own = asked(of) | {"max_items": None, "max_string_chars": None}
    clip_or_what_is_needed(of.data, own | {"report": form, "max_tokens": 1})


@pytest.mark.parametrize("text", SMALL)
def test_what_is_needed_is_the_least(text: str) -> None:
    """The error names the tokens of a text there is, and one less is too few."""
    with pytest.raises(BudgetTooSmallError) as caught:
        clip(text, max_tokens=1)
    needed = caught.value.needed
    assert clip(text, max_tokens=needed).stats.tokens <= needed
    with pytest.raises(BudgetTooSmallError):
        clip(text, max_tokens=needed - 1)


def test_input_that_fits_is_returned_as_it_came() -> None:
    """With its white space and escapes, if its own tokens are not too many."""
    text = json.dumps(orders(5), indent=2)
    result = clip(text, max_tokens=o200k(text))
    assert (result.text, result.complete) == (text, True)
    assert result.stats.tokens == o200k(text)


def test_what_fits_without_its_white_space_is_complete() -> None:
    """White space and needless escapes go before anything else does."""
    text = json.dumps(orders(5), indent=2)
    plain = json.dumps(orders(5), ensure_ascii=False, separators=(",", ":"))
    result = clip(text, max_tokens=o200k(text) - 1)
    assert (result.text, result.complete) == (plain, True)
    assert clip(text, max_tokens=o200k(plain)).text == plain
    assert not clip(text, max_tokens=o200k(plain) - 1).complete


def test_text_that_looks_like_a_special_token_is_text() -> None:
    """It is counted as what it is, and raises nothing."""
    rows = ["<|endoftext|> in text"] * 50
    result = clip(rows, max_tokens=200)
    assert o200k(result.text) == result.stats.tokens <= 200
    assert result.report.cuts[0].kept > 10


def test_a_document_of_more_than_sixteen_bytes_a_token_is_taken_not_to_fit() -> None:
    """Such a text has hardly any tokens; no more of it is held than that."""
    data = b'{"a":"' + b" " * 1000 + b'","b":1}'
    assert o200k(data.decode()) < 30
    least = -(-len(data) // 16)
    assert clip(data, max_tokens=least).complete
    result = clip(data, max_tokens=least - 1)
    assert not result.complete
    assert len(result.data) <= (least - 1) * 16


# --- It is used well


def best_texts(data: bytes, options: dict[str, Any], top: int) -> list[Clip]:
    """Return the clips for every number of bytes, each once, smallest first."""
    found: list[Clip] = []
    for size in range(1, top + 1):
        result = clip_or_size(data, **options, max_bytes=size)
        if isinstance(result, Clip) and (not found or result.data != found[-1].data):
            found.append(result)
    return found


def kept_of(of: Clip) -> list[tuple[str, str, int]]:
    """Return how much a clip has of what was cut."""
    return sorted((cut.path, cut.unit, cut.kept) for cut in of.report.cuts)


def long_atoms() -> str:
    """Return rows of which some are left out as soon as anything has to be."""
    rows = [{"id": n, "key": "Zq7" * (900 if n % 3 == 1 else 3)} for n in range(9)]
    return json.dumps({"rows": rows, "note": "a few words " * 20})


SHAPES = {
    "orders": json.dumps(orders(12), ensure_ascii=False),
    "large records": json.dumps([["word " * 12, n, "x" * n] for n in range(9)]),
    "text": json.dumps({"title": "断章", "body": "会计层要同时覆盖中文与工具。" * 30}),
    "a map": json.dumps({f"key {n}": {"n": n, "s": "é" * n} for n in range(30)}),
    "lines": "".join(f'{{"n":{n},"word":"{"ab" * n}"}}\n' for n in range(25)),
    "several": json.dumps({"a": [*range(90)], "b": ["two words"] * 20, "c": 1.5}),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", [*COUNT])
def test_no_more_would_fit_than_two_percent_or_a_record(shape: str, name: str) -> None:
    """Against all the texts there are: the search finds the last that fits."""
    text = SHAPES[shape]
    count = COUNT[name]
    options = {"report": "inline"}
    texts = best_texts(text.encode(), options, len(text.encode()) + 1)
    sizes = [count(found.text) for found in texts]
    for limit in (*range(60, count(text), 37), count(text) - 1):
        result = clip_or_size(text, max_tokens=limit, tokenizer=name)
        fitting = [at for at, size in enumerate(sizes) if size <= limit]
        if isinstance(result, BudgetTooSmallError):
            assert fitting == []
            continue
        at = [found.data for found in texts].index(result.data)
        if sizes[at] < 0.98 * sizes[fitting[-1]]:
            # Of all that is larger and fits, none has more than one thing more.
            larger = {str(kept_of(texts[k])) for k in fitting if k > at}
            assert len(larger - {str(kept_of(result))}) <= 1


def test_looking_for_more_and_less_changes_nothing() -> None:
    """What was tried before, on either side, leaves no trace in what is found."""
    text = long_atoms()
    texts = [found.data for found in best_texts(text.encode(), {}, 3_000)]
    for limit in range(60, 700, 60):
        result = clip(text, max_tokens=limit)
        assert result.data in texts


@pytest.mark.parametrize("limit", [300, 1_500, 6_000])
def test_a_budget_is_filled_by_small_records(limit: int) -> None:
    """Up to two percent or a record of 30 tokens."""
    result = clip(ORDERS, max_tokens=limit)
    assert limit - max(limit // 50, 30) <= o200k(result.text) <= limit


# --- It costs little


def several() -> dict[str, Any]:
    """Return collections that share the room, so that each text differs all over."""
    return {
        name: [{"id": n, name: f"{name} {n * 7919}"} for n in range(50 + 40 * at)]
        for at, name in enumerate(["users", "orders", "события", "商品", "logs"])
    }


COSTLY = {
    "orders": ORDERS,
    "pretty": json.dumps(orders(150), indent=4).encode(),
    "several": json.dumps(several(), ensure_ascii=False).encode(),
    "several, pretty": json.dumps(several(), indent=2).encode(),
    "prose": json.dumps(
        {"a": ["A few words. " * 90] * 9, "中": "会计层。" * 2_000}
    ).encode(),
    "base64": json.dumps({"b": "QUJD" * 9_000, "c": [*range(3_000)]}).encode(),
}


@pytest.mark.parametrize("limit", [200, 1_000, 4_000, 12_000])
@pytest.mark.parametrize("kind", COSTLY)
def test_no_more_is_counted_than_three_times_the_budget(kind: str, limit: int) -> None:
    """Whether it fits, fits after squeezing, or has to be cut."""
    result = clip(COSTLY[kind], max_tokens=limit)
    assert result.stats.tokens_counted <= 3 * limit + STEPS


def test_nothing_is_counted_without_a_budget_of_tokens() -> None:
    """Nor is the tokenizer looked at."""
    result = clip(ORDERS, max_bytes=2_000, tokenizer="no such model")
    assert (result.stats.tokens, result.stats.tokens_counted) == (None, 0)


@given(st.text(alphabet="a7汉é \n\t{}[]\",:'’́s-", max_size=60), st.text())
def test_the_counts_of_stretches_add_up(text: str, more: str) -> None:
    """They are whole pieces to both encodings, so that none is counted twice."""
    for name in COUNT:
        whole = "".join((text, json.dumps([text, more], ensure_ascii=False)) * 5)
        found = list(stretches(whole))
        assert "".join(found) == whole
        assert sum(map(COUNT[name], found)) == COUNT[name](whole)


@pytest.mark.parametrize("text", ["a😀", "tiế", "नमस्ते", "x" * 300, "😀"])
def test_stretches_take_time_in_proportion(text: str) -> None:
    """Also where words do not end as they mostly do, hundreds of thousands of times."""
    texts = [text] * (400_000 // len(text))
    whole = json.dumps(texts, ensure_ascii=False, separators=(",", ":"))
    began = time.process_time()
    found = list(stretches(whole))
    assert time.process_time() - began < 20  # it takes two, and once took an hour
    assert "".join(found) == whole


# --- A function of the caller's


class Counted:
    """Count words, and the calls."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, text: str) -> int:
        """Count what white space, quotes and commas separate."""
        self.calls += 1
        return len(text.replace('"', " ").replace(",", " , ").split())


@given(samples, st.integers(1, 200), st.sampled_from(FORMS))
def test_a_function_is_called_six_times_at_most(
    of: Sample, limit: int, form: str
) -> None:
    """And what it says of the final text is what holds."""
    count = Counted()
    options = asked(of) | {"report": form}
    result = clip_or_size(of.data, max_tokens=limit, tokenizer=count, **options)
    assert count.calls <= 6
    if isinstance(result, Clip):
        assert count(result.text) == result.stats.tokens <= limit


@pytest.mark.parametrize("limit", [200, 2_000, 20_000])
def test_a_function_s_budget_is_filled_in_six_calls(limit: int) -> None:
    """As one that is at hand, within two percent or a record of 20 words."""
    count = Counted()
    result = clip(ORDERS, max_tokens=limit, tokenizer=count)
    assert count.calls <= 6
    assert limit - max(limit // 50, 30) <= count(result.text) <= limit


@pytest.mark.parametrize("limit", [80, 90, 95])
def test_a_text_that_begins_densely_is_not_lost_for_want_of_calls(limit: int) -> None:
    """All of its tokens are in what any part of it has: no share tells where."""
    text = "汉" * 100 + " and so on" * 40
    result = clip({"text": text}, max_tokens=limit, tokenizer=lambda t: t.count("汉"))
    assert result.stats.tokens is not None
    assert limit / 3 <= result.stats.tokens <= limit


async def words_later(text: str) -> int:
    """Count as `Counted`, from far away."""
    await asyncio.sleep(0)
    return Counted()(text)


async def each(items: list[Any]) -> AsyncIterator[Any]:
    """Give items one by one."""
    for item in items:
        yield item


def words_soon(text: str) -> Awaitable[int]:
    """Return what has to be awaited, without being a coroutine function."""
    return words_later(text)


@pytest.mark.parametrize(
    "tokenizer", [words_later, words_soon, Counted(), "o200k_base"]
)
def test_aclip_takes_a_function_that_is_awaited(tokenizer: Any) -> None:
    """From memory, from a stream and for records, with the same answer as ever."""
    same = Counted() if tokenizer in (words_later, words_soon) else tokenizer
    expected = clip(ORDERS, max_tokens=500, tokenizer=same).data

    async def run() -> None:
        options = {"max_tokens": 500, "tokenizer": tokenizer}
        assert (await streamclip.aclip(ORDERS, **options)).data == expected
        assert (await streamclip.aclip(each([ORDERS]), **options)).data == expected
        assert (await streamclip.aclip(json.loads(ORDERS), **options)).stats.tokens
        rows = json.loads(ORDERS)["rows"]
        found = await streamclip.aclip_records(each(rows), **options)
        assert found.stats.tokens <= 500
        assert found.report.cuts[0].total == len(rows)

    asyncio.run(run())


def test_aclip_lets_others_run_while_an_encoding_counts() -> None:
    """Even for a short text: its first use loads the encoding."""

    async def run() -> int:
        turns = 0

        async def others() -> None:
            nonlocal turns
            while True:
                turns += 1
                await asyncio.sleep(0)

        running = asyncio.create_task(others())
        await streamclip.aclip(b"[1, 2, 3]", max_tokens=100)
        running.cancel()
        return turns

    assert asyncio.run(run()) > 0


@pytest.mark.parametrize("call", [clip, streamclip.clip_records, streamclip.Clipper])
def test_only_aclip_takes_it(call: Callable[..., Any]) -> None:
    """The others refuse it before anything is read."""
    source = [] if call is streamclip.Clipper else [iter(())]
    with pytest.raises(TypeError, match="use aclip"):
        call(*source, max_tokens=100, tokenizer=words_later)


@pytest.mark.filterwarnings("error")
def test_a_function_that_returns_a_coroutine_is_told_of_aclip() -> None:
    """It cannot be told from others before it is called."""
    with pytest.raises(TypeError, match="use aclip"):
        clip(ORDERS, max_tokens=100, tokenizer=lambda text: words_later(text))


def test_what_a_function_raises_comes_through() -> None:
    """Also from aclip, and the clipper is closed."""

    def fail(text: str) -> int:
        raise ConnectionError("the endpoint is away")

    with pytest.raises(ConnectionError, match="the endpoint is away"):
        clip(ORDERS, max_tokens=100, tokenizer=fail)
    with pytest.raises(ConnectionError, match="the endpoint is away"):
        asyncio.run(streamclip.aclip(each([ORDERS]), max_tokens=100, tokenizer=fail))
    clipper = streamclip.Clipper(max_tokens=100, tokenizer=fail)
    clipper.feed(ORDERS)
    with pytest.raises(ConnectionError):
        clipper.finish()
    with pytest.raises(ValueError, match="closed"):
        clipper.finish()


@pytest.mark.parametrize("value", [True, 3.5, "many", -1, [1, 2, 3]])
def test_what_is_no_count_is_refused(value: Any) -> None:
    """A function that returns the tokens themselves is the likeliest."""
    with pytest.raises((TypeError, ValueError), match="the tokenizer"):
        clip(ORDERS, max_tokens=100, tokenizer=lambda text: value)


# --- Everywhere


def test_every_call_takes_it() -> None:
    """The push form, records, and a stream give what a document in memory gives."""
    whole = clip(ORDERS, max_tokens=400)
    with streamclip.Clipper(max_tokens=400) as clipper:
        for start in range(0, len(ORDERS), 1_000):
            clipper.feed(ORDERS[start : start + 1_000])
        assert clipper.finish().data == whole.data
    assert clip(iter([ORDERS]), max_tokens=400).data == whole.data
    found = streamclip.clip_records(orders(500)["rows"], max_tokens=400)
    assert o200k(found.text) == found.stats.tokens <= 400
    assert found.report.cuts[0].total == 500


def test_strings_that_hold_json_and_both_ends() -> None:
    """With `embedded`, and with `keep="ends"`."""
    inner = {"content": [{"type": "text", "text": json.dumps(orders(80))}]}
    result = clip(inner, max_tokens=400, embedded=True)
    assert o200k(result.text) <= 400
    assert json.loads(json.loads(result.text)["content"][0]["text"])["next_cursor"]
    ends = clip(ORDERS, max_tokens=400, keep="ends")
    assert o200k(ends.text) <= 400
    assert json.loads(ends.text)["rows"][-1]["id"] == 1_999


@pytest.mark.parametrize("value", [0, -5, 1 << 25])
def test_a_budget_out_of_range_is_an_error(value: int) -> None:
    """As for bytes and characters."""
    with pytest.raises(ValueError, match="max_tokens is at"):
        clip(ORDERS, max_tokens=value)


@pytest.mark.parametrize("value", [2.5, "2000", True])
def test_a_budget_of_another_type_is_an_error(value: Any) -> None:
    """Nothing is guessed."""
    with pytest.raises(TypeError, match="max_tokens is a whole number"):
        clip(ORDERS, max_tokens=value)


# --- Tokenizers of other families


def sentence_piece() -> Callable[[str], int]:
    """Return a counter by the SentencePiece model that mistral-common ships."""
    spec = importlib.util.find_spec("mistral_common")
    assert spec is not None
    assert spec.origin is not None
    model = Path(spec.origin).parent / "data" / "tokenizer.model.v1"
    pieces = sentencepiece.SentencePieceProcessor(model_file=str(model))
    return lambda text: len(pieces.encode(text))


def word_pieces() -> tokenizers.Tokenizer:
    """Return a WordPiece tokenizer of a few hundred words."""
    made = tokenizers.Tokenizer(tokenizers.models.WordPiece(unk_token="[UNK]"))
    made.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    trainer = tokenizers.trainers.WordPieceTrainer(
        vocab_size=400, special_tokens=["[UNK]"], show_progress=False
    )
    made.train_from_iterator([ORDERS.decode()[:20_000], *SHAPES.values()], trainer)
    return made


def subwords() -> tokenizers.Tokenizer:
    """Return one that marks where words begin, also at the start of a stretch."""
    made = tokenizers.Tokenizer(tokenizers.models.BPE(unk_token="?"))
    made.pre_tokenizer = tokenizers.pre_tokenizers.Metaspace()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=400,
        special_tokens=["?"],
        show_progress=False,
        max_token_length=6,
    )
    made.train_from_iterator([ORDERS.decode()[:20_000], *SHAPES.values()], trainer)
    return made


FAMILIES: dict[str, Callable[[], Any]] = {
    "o200k_base": lambda: "o200k_base",
    "cl100k_base": lambda: "cl100k_base",
    "SentencePiece": sentence_piece,
    "WordPiece": word_pieces,
    "BPE of words": subwords,
}


@functools.cache
def family(name: str) -> Any:
    """Return a tokenizer, made once."""
    return FAMILIES[name]()


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("shape", [*SHAPES, "long atoms"])
def test_the_same_holds_by_any_tokenizer(name: str, shape: str) -> None:
    """Their counts need not agree; each is kept to, and more keeps no less."""
    text = SHAPES.get(shape) or long_atoms()
    tokenizer = family(name)
    count = counter(tokenizer)
    limits = (count(text) // 4 + 60, count(text) // 2 + 60, count(text))
    found = [clip(text, max_tokens=n, tokenizer=tokenizer) for n in limits]
    for limit, result in zip(limits, found, strict=True):
        assert count(result.text) == result.stats.tokens <= limit
        assert_lawful(result, text.encode(), {}, multi=shape == "lines")
    assert found[-1].text == text or len(text.encode()) > 16 * limits[-1]
    for less, more in pairwise(found):
        assert len(less.data) <= len(more.data)


@pytest.mark.parametrize("name", ["WordPiece", "BPE of words"])
def test_a_hugging_face_tokenizer_counts_little_too(name: str) -> None:
    """Its stretches do not surely add up: what may fit is counted as a whole."""
    for limit in (200, 1_000, 4_000):
        result = clip(ORDERS, max_tokens=limit, tokenizer=family(name))
        assert result.stats.tokens_counted <= 6 * limit + STEPS
        assert limit - max(limit // 50, 60) <= result.stats.tokens


# --- Real input


@pytest.mark.slow
@pytest.mark.parametrize("limit", [300, 1_500, 6_000])
@pytest.mark.parametrize("name", [*COUNT])
def test_every_payload_meets_the_budget(
    corpus: Path, name: str, limit: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """Lawful, its report true, and with no more counting than promised."""
    used = []
    for path in files(corpus / "payloads"):
        data = path.read_bytes()
        multi = is_multi(data)
        whole = read(data, multi=multi)
        result = clip_or_size(data, max_tokens=limit, tokenizer=name)
        assert isinstance(result, Clip), (path, result)
        assert COUNT[name](result.text) == result.stats.tokens <= limit
        assert result.stats.tokens_counted <= 3 * limit + STEPS, path
        assert_lawful(result, data, {}, multi=multi)
        if not result.complete:
            used.append(result.stats.tokens / limit)
            if not has_duplicates(whole):
                kept = data_of(result, whole, multi=multi, form="inline")
                assert_true(result, kept, whole)
            assert_told(result, block_of(result, multi=multi))
    used.sort()
    parts = " ".join(
        f"{p}%: {used[len(used) * p // 100]:.3f}" for p in (0, 5, 25, 50, 75)
    )
    with capsys.disabled():
        sys.stdout.write(f"\n{name} over {limit} of {len(used)} cut clips: {parts}\n")
