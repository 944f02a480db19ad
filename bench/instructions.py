"""Count the instructions of a fixed set of jobs, now and in an earlier commit.

    python bench/instructions.py --against HEAD~1

Seconds depend on what else a machine does; instructions, counted by callgrind, do
not. Both versions are built by the same compiler in worktrees of their own and do
the same jobs, all of them in one process for each version and kernel: large
documents are clipped to 8,192 bytes, and only scanned; small ones fit, or are cut.
What starts Python and warms it up is not counted.

Two figures are told of each job: all of its instructions, and those in the compiled
core alone. The latter are the same in every run; of all, up to 1 % depends on where
things happen to lie in memory. If one of them grew by more than 5 %, the exit
status is 1.

What is new is HEAD with the changes to tracked files that are not committed yet. A
kernel that a version does not have is left out. Valgrind knows no AVX-512.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__)
ROOT = HERE.parents[1]
KERNELS = ("scalar", "avx2")
LIMIT = 5  # per cent
LARGE = ("rows", "pretty", "numbers", "strings", "tiny")
SMALL = {"fits": 8192, "cut": 2048}
JOBS = [
    *(f"{verb} {kind}" for kind in LARGE for verb in ("scan", "clip")),
    *(f"small {what}" for what in SMALL),
]

# Each call of this function starts a new count: one of libc's that Python can call
# and that nobody else does.
MARK = "getloadavg"


class Counts(NamedTuple):
    """Instructions of one job: all of them, and those in the compiled core."""

    all: int
    core: int


def write_inputs(directory: Path) -> None:
    """Write what is clipped: large documents, and a file of small ones, by line."""
    from inputs import MB, answers, document

    for kind in LARGE:
        (directory / kind).write_bytes(document(kind, MB))
    (directory / "small").write_bytes(b"\n".join(answers(20)))


def jobs(inputs: Path) -> Iterator[Callable[[], object]]:
    """Yield what JOBS names."""
    from streamclip import clip
    from streamclip.core.binding import check

    for kind in LARGE:
        data = (inputs / kind).read_bytes()
        yield lambda data=data: check(data, 1024, "auto")
        yield lambda data=data: clip(data, max_bytes=8192)
    small = (inputs / "small").read_bytes().splitlines()
    for budget in SMALL.values():
        yield lambda budget=budget: [clip(data, max_bytes=budget) for data in small]


def run(inputs: Path, version: Path) -> None:
    """Do each job twice, and have the second time counted. Runs under valgrind."""
    import streamclip

    if not Path(streamclip.__file__).is_relative_to(version):
        raise RuntimeError(f"{streamclip.__file__} is not in {version}")
    try:
        streamclip.kernel()
    except ValueError:
        return
    for job in list(jobs(inputs)):  # so that none is made ready while one is counted
        for _ in range(2):
            os.getloadavg()
            job()
    os.getloadavg()


def count(inputs: Path, version: Path, kernel: str) -> dict[str, Counts]:
    """Return what each job takes; nothing if there is no such kernel."""
    with tempfile.TemporaryDirectory() as name:
        out = Path(name) / "counts"
        command = [
            "valgrind",
            "--quiet",
            "--tool=callgrind",
            f"--callgrind-out-file={out}",
            f"--dump-before={MARK}",
            "--compress-strings=no",
            "--compress-pos=no",
            sys.executable,
            str(HERE),
            "--run",
            str(inputs),
            str(version),
        ]
        # Whether a growing block is copied depends on what stands behind it. So all
        # that lies in memory is the same each time, and large blocks are mapped.
        needed = ("PATH", "LD_LIBRARY_PATH")
        environment = {
            **{name: os.environ[name] for name in needed if name in os.environ},
            "PYTHONPATH": str(version),
            "PYTHONHASHSEED": "0",
            "GLIBC_TUNABLES": "glibc.malloc.mmap_threshold=16384",
            "STREAMCLIP_KERNEL": kernel,
        }
        subprocess.run(command, check=True, env=environment)
        # The first is the start; then come a warm-up and a count for each job.
        dumps = [Path(f"{out}.{2 * at + 3}") for at in range(len(JOBS))]
        if not dumps[0].exists():
            return {}
        return dict(zip(JOBS, map(read, dumps), strict=True))


def read(dump: Path) -> Counts:
    """Add up a callgrind file."""
    every = core = 0
    in_core = is_call = False
    with dump.open() as lines:
        for line in lines:
            if line.startswith("ob="):
                in_core = "/streamclip/_core" in line
            elif line.startswith("calls="):
                is_call = True  # the next line has the callee's, counted there
            elif line[0].isdigit():
                cost = 0 if is_call else int(line.split()[1])
                every += cost
                core += cost if in_core else 0
                is_call = False
    return Counts(every, core)


def git(*arguments: str) -> str:
    """Run git on this repository and return what it prints."""
    command = ["git", "-C", str(ROOT), *arguments]
    shown = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return shown.stdout.strip()


@contextmanager
def built(commit: str, path: Path) -> Iterator[None]:
    """Have a commit checked out at a path, with its core compiled."""
    git("worktree", "add", "--quiet", "--detach", str(path), commit)
    try:
        build = ["setup.py", "--quiet", "build_ext", "--inplace"]
        subprocess.run([sys.executable, *build], check=True, cwd=path)
        yield
    finally:
        git("worktree", "remove", "--force", str(path))


def growth(old: int, new: int) -> float:
    """Return by how many per cent a count grew."""
    return 100 * (new - old) / old if old else 0.0


def compare(kernel: str, old: dict[str, Counts], new: dict[str, Counts]) -> bool:
    """Print both versions' counts; tell whether one grew too much."""
    if not new:
        print(f"{kernel:7} is not in this version")
    failed = False
    for job, after in new.items():
        line = f"{kernel:7} {job:12} {after.all / 1e6:8.2f} {after.core / 1e6:8.2f}"
        if job in old:
            grew = [growth(*pair) for pair in zip(old[job], after, strict=True)]
            line += "".join(f" {percent:+8.2f} %" for percent in grew)
            if max(grew) > LIMIT:
                line += "  too much"
                failed = True
        print(line)
    return failed


def main(against: str) -> int:
    """Build, count, compare; return the exit status."""
    old_commit = git("rev-parse", "--verify", f"{against}^{{commit}}")
    new_commit = git("stash", "create") or git("rev-parse", "HEAD")
    failed = False
    with tempfile.TemporaryDirectory() as name:
        inputs, old, new = (Path(name) / part for part in ("inputs", "old", "new"))
        inputs.mkdir()
        write_inputs(inputs)
        with built(old_commit, old), built(new_commit, new):
            print(f"millions of instructions, and growth since {old_commit[:10]}")
            print(f"{'':20} {'all':>8} {'core':>8} {'all':>10} {'core':>10}")
            for kernel in KERNELS:
                counts = [count(inputs, version, kernel) for version in (old, new)]
                failed |= compare(kernel, *counts)
    return int(failed)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--run"]:
        run(*map(Path, sys.argv[2:]))
    else:
        parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
        parser.add_argument("--against", default="HEAD~1", metavar="COMMIT")
        sys.exit(main(parser.parse_args().against))
