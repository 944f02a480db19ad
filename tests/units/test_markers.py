"""Input that somebody else has cut, and marked, can be clipped."""

import json

import pytest

from streamclip import InvalidJSONError, clip

WHOLE = json.dumps({"rows": [{"id": n, "t": "abc"} for n in range(9)], "n": 1}).encode()

MARKERS = [
    b"... [truncated]",
    b"\n\n[... 12,345 characters truncated ...]",
    b"<response clipped>",
    "…".encode(),
    b"...",
    b"\n(output truncated)\n",
    b"[Content omitted due to size]",
    b" ... output truncated",
]


@pytest.mark.parametrize("marker", MARKERS)
def test_a_marker_after_a_whole_document(marker: bytes) -> None:
    """The document is there, and is known to have been cut."""
    result = clip(WHOLE + marker, max_bytes=1000, incomplete="keep")
    assert result.report.input_cut
    assert not result.complete
    found = json.loads(result.data)
    assert found.pop("_clip")["input_cut"] is True
    assert found == json.loads(WHOLE)


@pytest.mark.parametrize("marker", MARKERS)
def test_a_marker_in_the_middle_of_a_document(marker: bytes) -> None:
    """Wherever it was cut, in whatever chunks it comes."""
    rows = json.loads(WHOLE)["rows"]
    for end in range(20, len(WHOLE), 7):
        data = WHOLE[:end] + marker
        result = clip(data, max_bytes=1000, incomplete="keep")
        assert result.report.input_cut
        kept = json.loads(result.data).get("rows", [])
        for row, whole in zip(kept, rows, strict=False):
            row.pop("_clip", None)  # the only one may be there in part
            assert row.items() <= whole.items()
        chunks = (data[at : at + 5] for at in range(0, len(data), 5))
        assert clip(chunks, max_bytes=1000, incomplete="keep").data == result.data


@pytest.mark.parametrize("marker", MARKERS)
def test_without_keep_a_marker_is_an_error(marker: bytes) -> None:
    """At the first byte that is not JSON."""
    with pytest.raises(InvalidJSONError) as caught:
        clip(WHOLE + marker, max_bytes=1000)
    assert len(WHOLE) <= caught.value.offset < len(WHOLE + marker)


def test_text_that_speaks_of_markers_is_text() -> None:
    """A document that ends as documents do has none."""
    data = json.dumps(
        {"log": "... [truncated]", "rows": ["(output truncated)"]}
    ).encode()
    result = clip(data, max_bytes=1000, incomplete="keep")
    assert (result.data, result.complete) == (data, True)
