"""What once went wrong on hostile or unlucky input goes right."""

import json
import tracemalloc
from collections.abc import Iterator

import pytest

from streamclip import (
    BudgetTooSmallError,
    IncompleteJSONError,
    InvalidJSONError,
    clip,
)

TEXT = '{"名":"值é😀","b":[1,2,"订单"]}'.encode()


@pytest.mark.parametrize("incomplete", ["error", "keep"])
@pytest.mark.parametrize("max_chars", range(1, 30, 3))
def test_input_cut_inside_a_character_is_no_decoding_error(
    max_chars: int, incomplete: str
) -> None:
    """Whatever is measured first."""
    for end in range(len(TEXT)):
        for data in (TEXT[:end], TEXT[:end] + b"\xff\xff"):
            try:
                result = clip(data, max_chars=max_chars, incomplete=incomplete)  # type: ignore[arg-type]
            except (InvalidJSONError, BudgetTooSmallError):
                continue
            assert len(result.text) <= max_chars
            json.loads(result.data)


@pytest.mark.parametrize("text_format", ["auto", "json", "jsonl"])
@pytest.mark.parametrize("data", [b"\xef", b"\xef\xbb"])
def test_half_a_byte_order_mark_is_incomplete(data: bytes, text_format: str) -> None:
    """Also where nothing at all would be a document."""
    for source in (data, iter([data])):
        with pytest.raises(IncompleteJSONError) as caught:
            clip(source, max_bytes=100, format=text_format)  # type: ignore[arg-type]
        assert caught.value.offset == len(data)


@pytest.mark.parametrize(
    ("data", "text_format"),
    [
        (b'{\n "a":0\n}\n{\n "a":1\n}', "auto"),
        (b'{"a":0}\n[\n1]', "auto"),
        (b'{\n"a":0}', "jsonl"),
    ],
)
def test_documents_over_several_lines_come_out_one_a_line(
    data: bytes, text_format: str
) -> None:
    """JSON Lines are read line by line."""
    for source in (data, iter([data])):
        result = clip(source, max_bytes=100, format=text_format)  # type: ignore[arg-type]
        assert result.complete
        for line in result.data.splitlines():
            json.loads(line)


def test_carriage_returns_end_lines_too_but_are_not_written() -> None:
    """Alone as the ends of old; a line feed is what JSON Lines have."""
    result = clip(b'{"a":1}\r{"b":2}', max_bytes=100)
    assert (result.data, result.complete) == (b'{"a":1}\n{"b":2}', True)
    data = b'{"a":1}\r\n{"b":2}\r\n'
    assert clip(data, max_bytes=100).data == data


def test_a_cap_that_takes_nothing_leaves_the_input_as_it_came() -> None:
    """Law 3 (a)."""
    data = b'[ 1, "abc" ]'
    result = clip(data, max_bytes=100, max_items=10, max_string_chars=10)
    assert (result.data, result.complete) == (data, True)


def test_a_number_too_long_for_int_is_no_error() -> None:
    """It is text here; only Python's int has a limit."""
    rows = b",".join([b"1"] * 20_000)
    data = b'{"next_cursor":"c","n":' + b"7" * 5000 + b',"rows":[' + rows + b"]}"
    result = clip(data, max_bytes=20_000)
    assert b"7" * 5000 in result.data
    assert result.report.cursor_gap == "/next_cursor"


@pytest.mark.parametrize("depth", [900, 990, 1000, 1010, 1023, 50_000])
def test_a_deep_document_is_searched_for_cursors_without_an_error(depth: int) -> None:
    """At depths around every limit of recursion; those near the top are found."""
    data = b'{"d":' * depth + b'{"next":"d"}' + b"}" * depth
    rows = b",".join([b"1"] * (20_000 + 4 * depth))
    data = b'{"rows":[' + rows + b'],"d":' + data + b',"next_cursor":"c"}'
    result = clip(data, max_bytes=20_000 + 6 * depth, max_depth=60_000)
    assert result.report.cursor_gap == "/next_cursor"


def test_stopping_early_is_not_an_early_end() -> None:
    """`input_cut` is about the input, not about our patience."""
    ended = clip(b'{"a":[1,2', read="enough", incomplete="keep", max_bytes=200)
    assert ended.report.input_cut
    stopped = clip(iter([b"["] + [b"1,"] * 200_000), read="enough", max_bytes=200)
    assert not stopped.report.input_cut
    assert stopped.report.total_is == "at_least"
    with pytest.raises(BudgetTooSmallError):
        clip(b'{"b":"' + b"A" * 200_000 + b'"}', read="enough", max_bytes=100)


def test_the_budget_that_is_blamed_is_the_one_that_is_too_small() -> None:
    """Of two."""
    with pytest.raises(BudgetTooSmallError) as caught:
        clip(b'"' + b"A" * 100_000 + b'"', max_bytes=100_002, max_chars=10)
    assert caught.value.unit == "chars"
    assert caught.value.needed == 100_002


@pytest.mark.parametrize(
    "option", ["max_record_bytes", "max_items", "max_string_chars"]
)
@pytest.mark.parametrize("value", [2**31, 2**32, 2**64, 10**30])
def test_sizes_beyond_every_room_limit_nothing(option: str, value: int) -> None:
    """The core counts in fewer bits than Python."""
    data = json.dumps([{"id": n} for n in range(1000)]).encode()
    caps = {option: value}
    plain = clip(data, max_bytes=500)
    if option == "max_record_bytes":
        assert len(clip(data, max_bytes=500, **caps).data) <= 500  # type: ignore[misc]
    else:
        assert clip(data, max_bytes=500, **caps).data == plain.data  # type: ignore[misc]


def test_siblings_of_many_arrays_take_no_time() -> None:
    """In a map nothing is written beside them; this took minutes."""
    data = b"{" + b",".join([b'"a":[1,1]'] * 20_000) + b"}"
    result = clip(data, max_bytes=10**6, max_items=1, report="siblings")
    assert b"total" not in result.data
    assert result.report.cuts[0].places == 20_000


def test_a_path_as_long_as_a_page_is_only_counted() -> None:
    """Else the report of a deep document would be quadratic."""
    depth = 3000
    data = b'{"x":[1,1],"b":' * depth + b"1" + b"}" * depth
    tracemalloc.start()
    result = clip(data, max_bytes=10**6, max_items=1, max_depth=2**13)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert max(len(cut.path) for cut in result.report.cuts) <= 4096
    assert json.loads(result.data[:200].partition(b'"cuts":')[0] + b'"cuts":[]}}')
    assert not result.complete
    assert peak < 40e6


def test_a_note_longer_than_the_budget_takes_no_records() -> None:
    """It is the first thing to go."""
    rows = [{"id": n} for n in range(5000)]
    without = clip(rows, max_bytes=5000, note=False)
    with_note = clip(rows, max_bytes=5000, note="x" * 6000)
    kept = [result.report.cuts[0].kept for result in (without, with_note)]
    assert kept[1] >= kept[0] * 0.9


def test_empty_chunks_take_no_memory() -> None:
    """Streams that are kept alive have many."""

    def chunks(count: int) -> Iterator[bytes]:
        yield b"[1"
        for _ in range(count):
            yield b""
        yield b"]"

    tracemalloc.start()
    clip(chunks(50_000), max_bytes=1000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1e6


def test_many_names_of_ours_are_passed_over_quickly() -> None:
    """A free one is found all the same."""
    names = b",".join(b'"_clip_%d":1' % n for n in range(2, 20_000))
    data = b'{"_clip":1,' + names + b',"rows":[' + b"1," * 50_000 + b"1]}"
    result = clip(data, max_bytes=len(data) // 2)
    keys = [key for key, _ in json.loads(result.data, object_pairs_hook=list)]
    assert len(keys) == len(set(keys))
    assert keys[0] == result.report.key


@pytest.mark.parametrize("incomplete", ["error", "keep"])
def test_a_document_in_memory_is_not_copied(incomplete: str) -> None:
    """Nothing is taken whole, though it come in one piece."""
    data = b"[" + b"12345," * 2_000_000 + b"1]"
    tracemalloc.start()
    clip(data, max_bytes=500, incomplete=incomplete)  # type: ignore[arg-type]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1e6
