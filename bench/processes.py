"""Measure each contender in a process of its own: its time and its peak memory.

    python bench/processes.py build/processes.json [MB ...]

The whole job of bench_clip.py on rows of each size, by streamclip with each kernel
that runs here and by its rivals. All have to count the same. The peak is that of
the first time, with what a process has before it reads the first byte; the time is
the best of those after it. Linux only: the peak is read from /proc.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

from clock import cpu_seconds
from contenders import CLIPPERS
from inputs import MB, document_file

KIND = "rows"
KERNELS = ("avx512", "avx2", "sse2", "neon", "scalar")


def peak() -> int:
    """Return the most bytes of memory that this process or a child of it has had."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return max(int(line.split()[1]), children) * 1024
    raise RuntimeError("/proc/self/status has no VmHWM")


def run(name: str, path: Path) -> None:
    """Do the job at least three times and print what was measured."""
    contender = CLIPPERS[name]()
    before = peak()
    data, count = contender.clip(path, "array")
    after = peak()
    seconds: list[float] = []
    while len(seconds) < 2 or sum(seconds) < 1:
        start = cpu_seconds()
        contender.clip(path, "array")
        seconds.append(cpu_seconds() - start)
    measured = {"seconds": min(seconds), "before": before, "peak": after}
    print(json.dumps({**measured, "count": count, "length": len(data)}))


def measured(name: str, path: Path, **environment: str) -> dict[str, Any]:
    """Return what `run` prints in a fresh process."""
    command = [sys.executable, __file__, "--run", name, str(path)]
    shown = subprocess.run(
        command, check=True, stdout=subprocess.PIPE, env={**os.environ, **environment}
    )
    return json.loads(shown.stdout)


def kernels() -> list[str]:
    """Return the kernels that can be forced here, beside the one that is chosen."""
    ask = [sys.executable, "-c", "import streamclip; print(streamclip.kernel())"]
    found = []
    for name in ("", *KERNELS):
        environment = {**os.environ, "STREAMCLIP_KERNEL": name}
        shown = subprocess.run(ask, env=environment, capture_output=True, text=True)
        if shown.returncode == 0:
            found.append(shown.stdout.strip())
    return [name for name in found[1:] if name != found[0]]


def main(results: Path, sizes: list[int]) -> None:
    """Measure every contender on every size and write what was found."""
    ways = [(name, name, {}) for name in CLIPPERS]
    ways[1:1] = [
        (f"clip, {kernel}", "clip", {"STREAMCLIP_KERNEL": kernel})
        for kernel in kernels()
    ]
    figures = []
    for size in sizes:
        path = document_file(KIND, size)
        counts = set()
        for who, name, environment in ways:
            found = measured(name, path, **environment)
            counts.add(found["count"])
            figures.append({"who": who, "bytes": path.stat().st_size, **found})
        if len(counts) != 1:
            raise AssertionError(f"the contenders count differently: {counts}")
    results.write_text(json.dumps(figures, indent=1))


if __name__ == "__main__":
    if sys.argv[1] == "--run":
        run(sys.argv[2], Path(sys.argv[3]))
    else:
        main(Path(sys.argv[1]), [int(mb) * MB for mb in sys.argv[2:]] or [50 * MB])
