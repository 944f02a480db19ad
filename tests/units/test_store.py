"""The store: what has a handle is whole; what has not, leads nowhere."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamclip import (
    BudgetTooSmallError,
    Clipper,
    InvalidJSONError,
    ReferenceNotFoundError,
    Store,
    aclip,
    clip,
    clip_records,
)

ROWS = {"rows": [{"id": n, "text": f"record {n}"} for n in range(200)], "next": "c"}
LARGE = json.dumps([{"id": n, "text": "x" * 90} for n in range(30000)]).encode()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return where the store of a test is."""
    return tmp_path / "store"


def names(path: Path) -> list[str]:
    """Return the files of the default namespace."""
    directory = path / "default"
    return sorted(p.name for p in directory.iterdir()) if directory.exists() else []


def put(store: Store, source: Any = ROWS, **options: Any) -> str:
    """Have a document stored."""
    ref = clip(source, max_bytes=400, store=store, **options).report.ref
    assert ref is not None
    return ref


def test_the_report_leads_to_the_whole_document(path: Path) -> None:
    """A handle of sixty random bits stands in the report and in the data."""
    store = Store(path)
    data = json.dumps(ROWS).encode()
    result = clip(data, max_bytes=400, store=store)
    ref = result.report.ref
    assert ref is not None
    assert re.fullmatch("clip:[0-9a-hjkmnp-tv-z]{12}", ref)
    assert json.loads(result.data)["_clip"]["more"] == ref
    assert result.report.to_dict()["ref"] == ref
    assert len(result.data) <= 400
    assert b"".join(store.read(ref)) == data
    assert ref != put(store)


def test_a_complete_clip_stores_nothing(path: Path) -> None:
    """Nor does one that only lost white space, or members that were deselected."""
    store = Store(path)
    small = [{"id": n} for n in range(20)]
    whole = clip(small, max_bytes=4000, store=store)
    squeezed = clip(json.dumps(small, indent=9), max_bytes=300, store=store)
    dropped = clip(small, max_bytes=4000, store=store, drop=["id"])
    for result in (whole, squeezed, dropped):
        assert result.complete
        assert result.report.ref is None
        assert b"clip:" not in result.data
    assert names(path) == []


def test_bad_input_stores_nothing(path: Path) -> None:
    """However much of it was good; nor does a clip that nothing fits."""
    store = Store(path)
    with pytest.raises(InvalidJSONError):
        clip(LARGE[:-1] + b"}", max_bytes=400, store=store)
    with pytest.raises(BudgetTooSmallError):
        clip(LARGE, max_bytes=10, store=store)
    with Clipper(max_bytes=400, store=store) as clipper:
        clipper.feed(LARGE)
        assert len(names(path)) == 1
    assert names(path) == []


@pytest.mark.parametrize("size", [1, 1000, 300_000, 10**9])
def test_every_chunking_stores_the_same(path: Path, size: int) -> None:
    """A byte order mark is not stored; offsets are those of the text."""
    store = Store(path)
    data = b"\xef\xbb\xbf" + (LARGE if size > 999 else LARGE[:3000] + b'"}]')
    with Clipper(max_bytes=400, store=store) as clipper:
        for start in range(0, len(data), size):
            clipper.feed(data[start : start + size])
        ref = clipper.finish().report.ref
    assert ref is not None
    assert b"".join(store.read(ref)) == data[3:]
    assert json.loads(store.fetch(ref, at="/20/id", max_bytes=99).data) == 20


async def _clipped(store: Store) -> list[str | None]:
    result = await aclip(json.dumps(ROWS), max_bytes=400, store=store)
    return [result.report.ref]


def test_everything_that_clips_stores(path: Path) -> None:
    """Records, files, text, asynchronous or not."""
    import anyio

    store = Store(path)
    refs = anyio.run(_clipped, store)
    refs.append(clip_records(ROWS["rows"], max_bytes=400, store=store).report.ref)
    file = path.parent / "rows.json"
    file.write_text(json.dumps(ROWS))
    refs.append(clip(file, max_bytes=400, store=store).report.ref)
    assert None not in refs
    assert [stored.ref for stored in store.list()] == refs


def test_embedded_clips_are_not_stored_beside(path: Path) -> None:
    """One document, one handle."""
    store = Store(path)
    source = {"text": json.dumps(ROWS)}
    result = clip(source, max_bytes=900, store=store, embedded=True)
    assert result.report.ref is not None
    assert len(names(path)) == 2


@pytest.mark.skipif(os.name != "posix", reason="these are permissions of POSIX")
def test_only_the_owner_can_read_what_is_stored(path: Path) -> None:
    """Directory 0700, files 0600, whatever the umask."""
    old = os.umask(0)
    try:
        put(Store(path), LARGE)
    finally:
        os.umask(old)
    directory = path / "default"
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700
    assert {stat.S_IMODE(p.stat().st_mode) for p in directory.iterdir()} == {0o600}


def test_a_handle_leads_nowhere_once_it_has_expired(path: Path) -> None:
    """Even before it is pruned."""
    store = Store(path, ttl=0.3)
    ref = put(store)
    store.fetch(ref, max_bytes=400)
    time.sleep(0.35)
    with pytest.raises(ReferenceNotFoundError, match="has expired") as caught:
        store.fetch(ref, max_bytes=400)
    assert caught.value.ref == ref
    assert len(names(path)) == 2
    assert store.prune() == 1
    assert names(path) == []


def test_documents_without_a_lifetime_stay(path: Path) -> None:
    """With ttl=None."""
    store = Store(path, ttl=None)
    ref = put(store)
    assert store.prune() == 0
    assert store.list()[0].expires is None
    store.delete(ref)
    assert store.list() == []


def test_the_oldest_go_first(path: Path) -> None:
    """Until all that is left is within the limit."""
    refs = [put(Store(path)) for _ in range(5)]
    size = Store(path).list()[0].size
    store = Store(path, max_size=2 * size + 10)
    assert store.prune() == 3
    assert [stored.ref for stored in store.list()] == refs[3:]


def test_a_store_prunes_itself(path: Path) -> None:
    """A limit that is passed by far is not waited for."""
    store = Store(path, max_size=100_000)
    for _ in range(60):
        put(store)
    assert sum(stored.size for stored in store.list()) < 150_000


def test_a_namespace_reads_its_own_documents_only(path: Path) -> None:
    """The same store, the same directory, another tenant."""
    ours, theirs = Store(path, namespace="a"), Store(path, namespace="b@x.org")
    ref = put(ours)
    with pytest.raises(ReferenceNotFoundError) as caught:
        theirs.fetch(ref, max_bytes=400)
    with pytest.raises(ReferenceNotFoundError) as unknown:
        theirs.fetch("clip:000000000000", max_bytes=400)
    assert str(caught.value).replace(ref, "") == str(unknown.value).replace(
        "clip:000000000000", ""
    )
    assert theirs.list() == []
    assert theirs.prune() == 0
    theirs.delete(ref)
    ours.fetch(ref, max_bytes=400)


HOSTILE = [
    "",
    "clip:",
    "7f3a9c2k8m4q",
    "clip:../../../etc/passwd",
    "clip:..%2f..%2fetc%2f",
    "clip:7f3a9c2k8m4q/../../x",
    "clip:7F3A9C2K8M4Q",
    "clip:7f3a9c2k8m4",
    "clip:7f3a9c2k8m4qq",
    "clip:7f3a9c2k8m4q\n",
    "clip:7f3a9c2k8m4q\x00",
    "clip:7f3a9c2k8m4q.meta",
    "clip:/etc/passwd",
    "clip:７f3a9c2k8m4q",
    "file:///etc/passwd",
    "clip:" + "../" * 100_000,
    "\ud83d",
]


@pytest.mark.parametrize("ref", HOSTILE)
def test_hostile_handles_lead_nowhere(path: Path, ref: str) -> None:
    """No part of one becomes a path, and the error is short and of use."""
    store = Store(path)
    put(store)
    for call in (store.read, store.delete, lambda r: store.fetch(r, max_bytes=400)):
        with pytest.raises(ReferenceNotFoundError) as caught:
            call(ref)
        assert len(str(caught.value)) < 500
    assert len(names(path)) == 2


@given(st.text(max_size=30))
def test_any_text_is_a_handle_or_leads_nowhere(text: str) -> None:
    """Nothing else comes of it."""
    with pytest.raises(ReferenceNotFoundError):
        Store("there-is-no-such-directory").fetch("clip:" + text, max_bytes=400)


def test_the_error_tells_a_reader_what_to_do(path: Path) -> None:
    """In a sentence that a model can follow."""
    with pytest.raises(ReferenceNotFoundError, match="repeat the call that gave it"):
        Store(path).fetch("clip:000000000000", max_bytes=400)
    with pytest.raises(ReferenceNotFoundError, match="copy it from there"):
        Store(path).fetch("the rest, please", max_bytes=400)


@pytest.mark.parametrize(
    "arguments",
    [
        {"ttl": 0},
        {"max_size": 0},
        {"namespace": "../x"},
        {"namespace": ""},
        {"namespace": ".x"},
        {"namespace": "a/b"},
    ],
)
def test_wrong_arguments_are_refused(path: Path, arguments: dict[str, Any]) -> None:
    """A namespace is one name, and no way out of the directory."""
    with pytest.raises(ValueError, match=next(iter(arguments))):
        Store(path, **arguments)


@pytest.mark.parametrize(
    "arguments", [{"ttl": "1d"}, {"ttl": timedelta(days=1)}, {"max_size": "1GB"}]
)
def test_what_is_no_number_is_refused(path: Path, arguments: dict[str, Any]) -> None:
    """The error says what is wanted instead."""
    with pytest.raises(TypeError, match=f"{next(iter(arguments))} is a number of"):
        Store(path, **arguments)


def test_a_store_and_reading_enough_exclude_each_other(path: Path) -> None:
    """What is not read cannot be stored."""
    with pytest.raises(ValueError, match="enough"):
        clip(ROWS, max_bytes=400, store=Store(path), read="enough")
    with pytest.raises(TypeError, match="Store"):
        clip(ROWS, max_bytes=400, store=str(path))  # type: ignore[typeddict-item]


@pytest.mark.parametrize("source", [ROWS, LARGE])
def test_a_store_that_fails_costs_the_reference_only(path: Path, source: Any) -> None:
    """The clip is made, and says that the rest was not stored."""
    path.write_text("a file, where a directory has to be")
    result = clip(source, max_bytes=400, store=Store(path))
    assert result.report.ref is None
    assert result.report.warning == "the rest could not be stored"
    block = json.loads(result.data)["_clip"]
    assert block["warning"] == result.report.warning
    assert "more" not in block
    assert len(result.data) <= 400


@pytest.mark.parametrize("source", [ROWS, LARGE])
def test_a_strict_store_that_fails_fails_the_clip(path: Path, source: Any) -> None:
    """With what the file system said."""
    path.write_text("a file, where a directory has to be")
    with pytest.raises(OSError, match="store"):
        clip(source, max_bytes=400, store=Store(path, strict=True))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_reference_is_within_a_budget_of_tokens(path: Path) -> None:
    """It is there only if something is cut, and a store that fails costs it."""
    store = Store(path)
    rows = [{"id": n, "text": "some words"} for n in range(400)]
    complete = clip(rows[:5], max_tokens=500, store=store)
    assert complete.complete
    assert complete.report.ref is None
    result = clip(rows, max_tokens=500, store=store)
    assert result.stats.tokens is not None
    assert result.stats.tokens <= 500
    assert json.loads(result.data)["_clip"]["more"] == result.report.ref
    kept = result.report.cuts[0].kept
    page = store.fetch(str(result.report.ref), start=kept, max_tokens=500)
    assert json.loads(page.data)["data"][0]["id"] == kept
    assert len(store.list()) == 1
    (path / "file").touch()
    failed = clip(rows, max_tokens=500, store=Store(path / "file" / "below"))
    assert failed.report.ref is None
    assert failed.report.warning
    assert failed.report.cuts


def test_a_full_disk_leaves_no_handle(path: Path) -> None:
    """The file that could not be written goes, and the clip says so."""
    code = f"""
import resource, signal, streamclip
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, 2_000_000))
data = b"[" + b'{{"id":1}},' * 400_000 + b"1]"
result = streamclip.clip(data, max_bytes=400, store=streamclip.Store({str(path)!r}))
print(result.report.ref, result.report.warning)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout == "None the rest could not be stored\n"
    assert names(path) == []


def test_damaged_documents_lead_nowhere(path: Path) -> None:
    """Half a file is none; neither is a meta file that says something else."""
    store = Store(path)
    ref = put(store)
    data = path / "default" / f"{ref[5:]}.data"
    data.write_bytes(data.read_bytes()[:-1])
    with pytest.raises(ReferenceNotFoundError):
        store.fetch(ref, at="/next", max_bytes=400)
    ref = put(store)
    (path / "default" / f"{ref[5:]}.data").unlink()
    with pytest.raises(ReferenceNotFoundError):
        store.fetch(ref, max_bytes=400)
    for text in (b"", b"{}", b"[1]\n", b'{"version":1}\nx', b"\xff" * 2000):
        (path / "default" / f"{ref[5:]}.meta").write_bytes(text)
        with pytest.raises(ReferenceNotFoundError):
            store.fetch(ref, max_bytes=400)
    store.prune()


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_note_names_the_tool_if_there_is_one(path: Path, lang: Any) -> None:
    """By the name that the caller's reader knows it by."""
    options: dict[str, Any] = {"max_bytes": 900, "lang": lang}
    unnamed = clip(ROWS, store=Store(path), **options)
    named = clip(ROWS, store=Store(path, tool="get_{more}"), **options)
    note = json.loads(named.data)["_clip"]["note"]
    assert "get_{more}" in note
    assert len(named.data) <= 900
    for result in (unnamed, clip(ROWS, **options)):
        assert "more`" not in json.loads(result.data)["_clip"]["note"]


def test_the_note_of_a_page_leads_to_the_next_one(path: Path) -> None:
    """Not to its own value from the start again."""
    store = Store(path, tool="fetch")
    ref = put(store)
    page = store.fetch(ref, at="/rows", start=3, max_bytes=900)
    block = json.loads(page.data)["_clip"]
    assert "`more`, and slice.next as start" in block["note"]
    assert block["slice"]["next"] == page.slice.next  # type: ignore[union-attr]


def test_the_default_directory_is_in_the_users_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where platformdirs says."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    put(Store())
    assert [*tmp_path.rglob("*.meta")]


def test_urls_are_reached_by_fsspec() -> None:
    """Here one in memory."""
    store = Store("memory://streamclip-test", ttl=60)
    ref = put(store, LARGE)
    assert json.loads(store.fetch(ref, at="/29999/id", max_bytes=99).data) == 29999
    assert b"".join(store.read(ref)) == LARGE
    assert [stored.ref for stored in store.list()] == [ref]
    store.delete(ref)
    with pytest.raises(ReferenceNotFoundError):
        store.fetch(ref, max_bytes=400)
    assert store.prune() == 0


def test_a_file_url_is_a_directory(path: Path) -> None:
    """And has the same permissions."""
    ref = put(Store(f"file://{path}"))
    assert names(path)
    Store(path).fetch(ref, max_bytes=400)
