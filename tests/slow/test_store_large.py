"""The store under load: large objects, a real server, kills, two processes.

Run by `make test-store`.
"""

from __future__ import annotations

import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from streamclip import Store, clip

pytestmark = pytest.mark.store

MB = 1_000_000
STATUS = ["open", "pending", "done"]


def write_rows(path: Path, size: int) -> list[tuple[int, int]]:
    """Write a document of so many bytes; return where each record is."""
    where, at = [], 0
    numbers = random.Random(7)
    with path.open("wb") as file:
        at += file.write(b'{"kind":"rows","rows":[')
        while at < size:
            record = {
                "id": len(where),
                "status": STATUS[len(where) % 3],
                "text": "größer, 日本語, 😀 " * numbers.choice([0, 1, 5, 20, 60]),
                "tags": ["a", "b"] * numbers.randrange(4),
                "sum": round(numbers.random() * 1000, 2),
            }
            text = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
            sign = b"," if where else b""
            data = text.encode()
            where.append((at + len(sign), at + len(sign) + len(data)))
            at += file.write(sign + data)
        file.write(b'],"next":"c2"}')
    return where


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Any]]:
    """Return a document of 200 MB and where its records are."""
    path = tmp_path_factory.mktemp("large") / "rows.json"
    return path, write_rows(path, 200 * MB)


def test_every_record_of_200_mb_comes_back(
    rows: tuple[Path, list[Any]], tmp_path: Path
) -> None:
    """Byte for byte: all of them in pages, and hundreds one by one."""
    path, where = rows
    store = Store(tmp_path)
    ref = clip(path, max_bytes=8000, store=store).report.ref
    assert ref is not None
    data = path.read_bytes()
    start: int | None = 0
    # So many fit, and nothing has to be searched for.
    options: dict[str, Any] = {"count": 1500, "max_bytes": 8 * MB}
    while start is not None:
        result = store.fetch(ref, at="/rows", start=start, report="detached", **options)
        assert result.slice is not None
        assert result.slice.total == len(where)
        first, last = where[start], where[start + result.slice.kept - 1]
        assert result.data == b"[" + data[first[0] : last[1]] + b"]"
        start = result.slice.next
    for number in random.Random(1).sample(range(len(where)), 300):
        record = store.fetch(ref, at=f"/rows/{number}", max_bytes=8000)
        assert record.data == data[slice(*where[number])]
        assert record.complete
    assert store.fetch(ref, at="/next", max_bytes=100).data == b'"c2"'


def test_where_counts_all_of_200_mb(
    rows: tuple[Path, list[Any]], tmp_path: Path
) -> None:
    """The count is that of the document."""
    path, where = rows
    store = Store(tmp_path)
    ref = clip(path, max_bytes=8000, store=store).report.ref
    assert ref is not None
    page = store.fetch(ref, at="/rows", where={"status": "pending"}, max_bytes=4000)
    assert page.slice is not None
    assert page.slice.total == (len(where) + 1) // 3


class Proxy(threading.Thread):
    """A way to a server that counts the bytes that come back."""

    def __init__(self, port: int) -> None:
        super().__init__(daemon=True)
        self.received = 0
        self.server_port = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]

    def run(self) -> None:
        """Accept connections until the listener is closed."""
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            server = socket.create_connection(("127.0.0.1", self.server_port))
            for ends in ((client, server, False), (server, client, True)):
                threading.Thread(target=self._copy, args=ends, daemon=True).start()

    def _copy(self, come: socket.socket, go: socket.socket, counted: bool) -> None:
        try:
            while data := come.recv(65536):
                if counted:
                    self.received += len(data)
                go.sendall(data)
            go.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def close(self) -> None:
        """Take no more connections."""
        self._listener.close()


@pytest.fixture
def s3() -> Iterator[Proxy]:
    """Start a server that speaks S3, and a proxy before it."""
    pytest.importorskip("s3fs")
    pytest.importorskip("moto")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "moto.server", "-p", str(port)]
    server = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    proxy = Proxy(port)
    try:
        for _ in range(300):
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                break
            except OSError:
                time.sleep(0.1)
        proxy.start()
        yield proxy
    finally:
        proxy.close()
        server.kill()
        server.wait()


def options_for(port: int) -> dict[str, Any]:
    """Return what a client of a server at this port has to know."""
    endpoint = {"endpoint_url": f"http://127.0.0.1:{port}"}
    return {"key": "k", "secret": "s", "client_kwargs": endpoint}


@pytest.mark.filterwarnings("ignore")  # those of the client's libraries
def test_one_record_of_200_mb_moves_less_than_1_mb(
    rows: tuple[Path, list[Any]], s3: Proxy
) -> None:
    """From a server that speaks S3: ranged reads, index and report included."""
    import s3fs

    path, where = rows
    url = "s3://bucket/clips"
    s3fs.S3FileSystem(**options_for(s3.server_port)).mkdir("bucket")
    store = Store(url, storage_options=options_for(s3.server_port), strict=True)
    ref = clip(path, max_bytes=8000, store=store).report.ref
    assert ref is not None
    store = Store(url, storage_options=options_for(s3.port))
    with path.open("rb") as file:
        for number in (0, len(where) // 2, len(where) - 1):
            s3.received = 0
            record = store.fetch(ref, at=f"/rows/{number}", max_bytes=8000)
            file.seek(where[number][0])
            assert record.data == file.read(where[number][1] - where[number][0])
            assert s3.received < MB
            s3.received = 0
            page = store.fetch(ref, at="/rows", start=number, max_bytes=8000)
            assert page.slice is not None
            assert page.slice.total == len(where)
            assert s3.received < MB
    assert [stored.ref for stored in store.list()] == [ref]
    store.delete(ref)
    assert store.list() == []


PUTTER = """
import sys, streamclip
store = streamclip.Store(sys.argv[1])
body = b",".join(b'{"id":%d}' % n for n in range(300_000))
while True:
    result = streamclip.clip(b"[" + body + b"]", max_bytes=400, store=store)
    print(result.report.ref, flush=True)
"""


def test_a_killed_process_leaves_no_handle_to_half_a_file(tmp_path: Path) -> None:
    """Whenever it dies: what it told of is there, and what is there is whole."""
    whole = b"[" + b",".join(b'{"id":%d}' % n for n in range(300_000)) + b"]"
    store = Store(tmp_path)
    delays = random.Random(3)
    told: list[str] = []
    for _ in range(25):
        process = subprocess.Popen(
            [sys.executable, "-c", PUTTER, str(tmp_path)], stdout=subprocess.PIPE
        )
        assert process.stdout is not None
        time.sleep(0.3 + delays.random() * 0.5)
        os.kill(process.pid, signal.SIGKILL)
        out = process.communicate()[0].decode()
        told += re.findall("(clip:[0-9a-z]{12})\n", out)
    there = [stored.ref for stored in store.list()]
    assert set(told) <= set(there)
    assert len(told) > 5
    for ref in there:
        assert b"".join(store.read(ref)) == whole
        assert store.fetch(ref, start=299_999, max_bytes=200).slice is not None


SHARER = """
import concurrent.futures, json, sys, streamclip
store = streamclip.Store(sys.argv[1])
count, who = int(sys.argv[2]), sys.argv[3]

def put_and_fetch(number):
    rows = [{"who": who, "id": number, "n": n} for n in range(30)]
    result = streamclip.clip(rows, max_bytes=300, store=store)
    page = store.fetch(result.report.ref, start=29, max_bytes=300)
    assert json.loads(page.data)["data"] == rows[29:], page.data
    return result.report.ref

with concurrent.futures.ThreadPoolExecutor(8) as pool:
    for number, ref in enumerate(pool.map(put_and_fetch, range(count))):
        print(ref, number)
"""


def test_two_processes_share_a_directory(tmp_path: Path) -> None:
    """Ten thousand puts and fetches from eight threads each: nothing is lost."""
    command = [sys.executable, "-c", SHARER, str(tmp_path), "5000"]
    processes = [
        subprocess.Popen([*command, who], stdout=subprocess.PIPE, text=True)
        for who in ("a", "b")
    ]
    told = {}
    for who, process in zip("ab", processes, strict=True):
        out = process.communicate()[0]
        assert process.returncode == 0
        for line in out.splitlines():
            ref, number = line.split()
            told[ref] = (who, int(number))
    assert len(told) == 10_000
    store = Store(tmp_path)
    assert {stored.ref for stored in store.list()} == told.keys()
    for ref, (who, number) in told.items():
        first = json.loads(store.fetch(ref, at="/0", max_bytes=300).data)
        assert first == {"who": who, "id": number, "n": 0}
