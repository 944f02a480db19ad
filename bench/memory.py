"""Print the peak memory of each contender, each in a process of its own.

    python bench/memory.py [MB ...]

The whole job of bench_clip.py on rows; `import` is what a process has before it
reads the first byte. Linux only: the peak is read from /proc.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from contenders import CLIPPERS
from inputs import MB, document_file

KIND = "rows"


def peak_mb() -> float:
    """Return the most memory this process has had, in MB."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) * 1024 / MB
    raise RuntimeError("/proc/self/status has no VmHWM")


def run(name: str, path: str) -> None:
    """Do the job once and print the peak before and after."""
    contender = CLIPPERS[name]()
    before = peak_mb()
    contender.clip(Path(path), "array")
    print(before, peak_mb())


def measured(name: str, path: Path) -> tuple[float, float]:
    """Return what `run` prints in a fresh process."""
    command = [sys.executable, __file__, "--run", name, str(path)]
    shown = subprocess.run(command, check=True, capture_output=True, text=True)
    before, after = map(float, shown.stdout.split())
    return before, after


def main(sizes: list[int]) -> None:
    """Print one line for each contender."""
    paths = [document_file(KIND, size) for size in sizes]
    print("\nPeak memory in MB, rows\n")
    heads = ["import", *(f"{size // MB} MB" for size in sizes)]
    print(f"| {'':12} | " + " | ".join(f"{head:>8}" for head in heads) + " |")
    print("|" + "-" * 14 + "|" + "|".join("-" * 9 + ":" for _ in heads) + "|")
    for name in CLIPPERS:
        peaks = [measured(name, path) for path in paths]
        cells = [peaks[0][0], *(after for _, after in peaks)]
        print(f"| {name:12} | " + " | ".join(f"{cell:8.1f}" for cell in cells) + " |")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--run"]:
        run(*sys.argv[2:])
    else:
        main([int(mb) * MB for mb in sys.argv[1:]] or [MB, 50 * MB])
