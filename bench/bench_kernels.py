"""Each kernel by itself: the bare scan, and the whole job with it.

The scan is strict: it validates every byte and counts the elements. It is called
from Python with chunks of 256 KiB, as a file is read; pysimdjson parses the same
bytes at once, with a parser that has its memory already.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from streamclip._core import ffi, lib

from bench_clip import begins
from contenders import CLIPPERS, SCANNERS
from inputs import KINDS, MB, document, document_file, truth
from streamclip import kernel
from streamclip.core.binding import usable_kernels, using_kernel

CHUNK = 256 * 1024
MAX_DEPTH = 1024
KERNELS = usable_kernels()
CLIP_RIVALS = ("orjson", "pysimdjson", "msgspec-raw")


def scan(name: str, data: bytes, shape: str, chunk: int = CHUNK) -> int:
    """Scan a document; return how many elements, members or lines it has."""
    scanner = lib.sc_scanner_new(name.encode(), MAX_DEPTH, lib.SC_FORMAT_AUTO)
    told = ffi.new("sc_scanned *")
    floor = 0 if shape == "lines" else 1
    with ffi.from_buffer("uint8_t[]", data) as pointer:
        # the bracket that opens it counts as one, for the first element
        at = lib.sc_scanner_feed(scanner, pointer, floor, 0)
        while at < len(data):
            size = min(chunk, len(data) - at)
            taken = lib.sc_scanner_feed(scanner, pointer + at, size, floor)
            at += taken
            if taken < size:
                break
        lib.sc_scanner_tell(scanner, told)
    lib.sc_scanner_free(scanner)
    assert told.status == 0
    assert told.depth == 0
    return int(told.count)


def scanner_of(who: str) -> Callable[[bytes, str], int]:
    """Return what counts the elements of a document."""
    if who in KERNELS:
        return lambda data, shape: scan(who, data, shape)
    return SCANNERS[who]().count


@pytest.mark.parametrize("who", [*KERNELS, "pysimdjson"])
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "text"])
def test_kernel_scan(benchmark, kind, size, who):
    """In memory."""
    data, shape = document(kind, size), KINDS[kind].shape
    count = scanner_of(who)
    assert count(data, shape) == truth(kind, size).count
    job = f"{kind} {size // MB} MB"
    benchmark.extra_info.update(suite="kernels", job=job, who=who, bytes=len(data))
    benchmark(count, data, shape)


@pytest.mark.parametrize("who", [*KERNELS, *CLIP_RIVALS])
def test_kernel_clip(benchmark, size, who):
    """From a file in the page cache to valid JSON of 8,192 bytes."""
    path = document_file("rows", size)
    clipper = CLIPPERS["clip" if who in KERNELS else who]()
    job = f"rows {size // MB} MB"
    benchmark.extra_info.update(
        suite="kernel-clip", job=job, who=who, bytes=path.stat().st_size
    )
    with using_kernel(who if who in KERNELS else kernel()):
        data, count = clipper.clip(path, "array")
        known, kept = truth("rows", size), begins(data, "array")
        assert count == known.count
        assert kept == known.first[: len(kept)]
        benchmark(clipper.clip, path, "array")


@pytest.mark.parametrize("kib", [256, 64, 16, 4, 1])
@pytest.mark.parametrize("name", KERNELS)
def test_chunk_size(benchmark, size, name, kib):
    """Small chunks cost a call each, and tiles that are not full."""
    data = document("rows", size)
    assert scan(name, data, "array", kib * 1024) == truth("rows", size).count
    job = f"rows {size // MB} MB in {kib} KiB"
    benchmark.extra_info.update(suite="chunks", job=job, who=name, bytes=len(data))
    benchmark(scan, name, data, "array", kib * 1024)


@pytest.mark.parametrize("threads", [1, 2])
def test_threads(benchmark, size, threads):
    """Each thread clips the file; the bytes are those of all of them."""
    if len(os.sched_getaffinity(0)) < threads:
        pytest.skip(f"there are fewer than {threads} CPUs")
    path, clipper = document_file("rows", size), CLIPPERS["clip"]()
    expected = clipper.clip(path, "array")
    with ThreadPoolExecutor(threads) as pool:

        def clip_all() -> list[tuple[bytes, int]]:
            return list(pool.map(clipper.clip, [path] * threads, ["array"] * threads))

        assert clip_all() == [expected] * threads
        benchmark.extra_info.update(
            suite="threads",
            job=f"rows {size // MB} MB, {threads} threads",
            who="clip",
            bytes=threads * path.stat().st_size,
        )
        benchmark(clip_all)
