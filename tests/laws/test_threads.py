"""One thread at a time uses a clipper; different clippers are independent."""

from __future__ import annotations

import itertools
import json
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from random import Random

import pytest

from documents import sample
from native import Native
from reference import Options
from streamclip import BudgetTooSmallError, Clipper, ClipperBusyError, clip
from streamclip.core.binding import Core
from test_validity import asked

WAIT = 60  # seconds, for what takes milliseconds


def test_a_clipper_in_use_by_another_thread_is_busy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whatever is called; and it goes on as if nothing had happened."""
    inside, may_go = threading.Event(), threading.Event()
    feed = Core.feed

    def slow_feed(core: Core, data: bytes) -> bool:
        inside.set()
        assert may_go.wait(WAIT)
        return feed(core, data)

    clipper = Clipper(max_bytes=100)
    clipper.feed(b"[1,")
    monkeypatch.setattr(Core, "feed", slow_feed)
    with ThreadPoolExecutor(1) as pool:
        fed = pool.submit(clipper.feed, b"2,")
        assert inside.wait(WAIT)
        for call in (lambda: clipper.feed(b"x"), clipper.finish, clipper.close):
            with pytest.raises(ClipperBusyError, match="another thread"):
                call()
        may_go.set()
        assert fed.result(WAIT) is True
    clipper.feed(b"3]")
    assert clipper.finish().data == b"[1,2,3]"


def test_threads_that_fight_for_a_clipper_never_corrupt_it() -> None:
    """Each piece is taken whole or refused: the total is what was taken."""
    switch = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    piece = b'{"some":"row of words"},' * 2000
    try:
        with Clipper(max_bytes=2000) as clipper, ThreadPoolExecutor(4) as pool:
            clipper.feed(b"[")

            def push(_: int) -> tuple[int, int]:
                taken = refused = 0
                for _ in range(50):
                    try:
                        clipper.feed(piece)
                        taken += 1
                    except ClipperBusyError:
                        refused += 1
                return taken, refused

            counts = list(pool.map(push, range(4)))
            clipper.feed(b"0]")
            result = clipper.finish()
    finally:
        sys.setswitchinterval(switch)
    taken = sum(count for count, _ in counts)
    assert sum(itertools.chain(*counts)) == 200
    assert result.report.cuts[0].total == 2000 * taken + 1
    assert json.loads(result.data)["data"][0] == {"some": "row of words"}


def test_closing_while_another_thread_feeds_is_refused_or_ends_it() -> None:
    """The memory is never freed under a thread that is inside."""
    for _ in range(50):
        clipper = Clipper(max_bytes=100)
        clipper.feed(b"[")
        start = threading.Barrier(2)
        ends: list[object] = []

        def push(
            clipper: Clipper = clipper,
            start: threading.Barrier = start,
            ends: list[object] = ends,
        ) -> None:
            start.wait(WAIT)
            try:
                for _ in range(20):
                    clipper.feed(b"1234567,[],{}," * 300)
            except (ClipperBusyError, ValueError) as error:
                ends.append(error)

        thread = threading.Thread(target=push)
        thread.start()
        start.wait(WAIT)
        try:
            clipper.close()
        except ClipperBusyError as error:
            ends.append(error)
        thread.join(WAIT)
        assert not thread.is_alive()
        assert all(isinstance(e, ClipperBusyError) or "closed" in str(e) for e in ends)


def test_many_clippers_in_many_threads_give_the_same_answers() -> None:
    """As one after the other in one thread."""
    random = Random(5)
    works: list[Callable[[], object]] = []
    for _ in range(60):
        of = sample(random)
        options = asked(of) | {"max_bytes": random.randrange(50, 2000)}

        def work(
            data: bytes = of.data,
            options: dict[str, object] = options,
            step: int = random.randrange(1, 200),
        ) -> object:
            try:
                pieces = (data[at : at + step] for at in range(0, len(data), step))
                result = clip(pieces, **options)
                return result.data, result.report
            except BudgetTooSmallError as error:
                return error.needed

        works.append(work)
    alone = [work() for work in works]
    with ThreadPoolExecutor(8) as pool:
        for _ in range(3):
            together = list(pool.map(lambda work: work(), works))
            assert together == alone


@pytest.mark.parametrize("work", ["feed", "check"])
def test_other_threads_run_while_the_core_works(work: str) -> None:
    """The interpreter's lock is released: not because Python would switch."""
    data = b"[" + b'{"some":"row of words","n":[1,2,3]},' * 200_000 + b"0]"
    inside = done = seen = False

    def run() -> None:
        nonlocal inside, done
        try:
            for _ in range(50):
                core = Native(Options(), room=1000)
                if work == "feed":
                    inside = True
                    core.feed([data])
                    inside = False
                else:
                    inside = True
                    clip(data, max_bytes=len(data))
                    inside = False
                if seen:
                    break
        finally:
            done = True

    switch = sys.getswitchinterval()
    sys.setswitchinterval(WAIT)
    try:
        thread = threading.Thread(target=run)
        thread.start()
        while not done and not seen:
            seen = inside
            time.sleep(0.0001)
        thread.join(WAIT)
    finally:
        sys.setswitchinterval(switch)
    assert seen
