"""Print what `make bench` measured as one table of ratios.

    python bench/report.py build/bench.json

The first figures are streamclip's own; those of a rival tell how many times as
long it took for the same job in the same run: 2.0 is twice as slow as
streamclip, 0.5 twice as fast. Times are the best of all rounds.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, NamedTuple

# Rivals are compared with the last of ours that took part.
OURS = ("check", "clipper", "clip", "scalar", "sse2", "avx2", "avx512", "neon")
TITLES = {
    "scan": "Validate and count, in memory (check only validates)",
    "clip": "From a file to valid JSON of 8,192 bytes",
    "tokens": "From a file to valid JSON of 2,000 tokens",
    "kernels": "The bare scan: validate and count, in chunks of 256 KiB",
    "kernel-clip": "The whole job with each kernel",
    "chunks": "The bare scan in chunks of other sizes",
    "threads": "Clips of a file, by threads at the same time",
    "small": "Answers of 5 KB: whole, and cut to 2 KB with a report",
}


class Figure(NamedTuple):
    """The best time of one contender for one document, and its bytes."""

    seconds: float
    bytes: float

    def shown(self) -> str:
        """Write a speed, or for a small document the time."""
        if self.bytes < 100_000:
            return f"{self.seconds * 1e6:.1f} µs"
        return f"{self.bytes / self.seconds / 1e9:.2f} GB/s"


Suites = dict[str, dict[str, dict[str, Figure]]]  # suite, job, contender


def read(results: dict[str, Any]) -> Suites:
    """Sort the benchmarks by suite, job and contender."""
    suites: Suites = {}
    for found in results["benchmarks"]:
        extra = found["extra_info"]
        times = extra.get("times", 1)
        job = suites.setdefault(extra["suite"], {}).setdefault(extra["job"], {})
        job[extra["who"]] = Figure(
            found["stats"]["min"] / times, extra["bytes"] / times
        )
    return suites


def ratio(value: float) -> str:
    """Write a ratio with two digits that count."""
    return f"{value:.0f}" if value >= 9.95 else f"{value:.2g}"


def table(jobs: dict[str, dict[str, Figure]]) -> list[list[str]]:
    """Return the rows of a suite's table, its head first."""
    names = list(dict.fromkeys(who for job in jobs.values() for who in job))
    ours = [name for name in OURS if name in names]
    rivals = [name for name in names if name not in OURS]
    rows = [["", *ours, *rivals]]
    for job, figures in jobs.items():
        base = figures[ours[-1]].seconds
        row = [job, *(figures[name].shown() for name in ours)]
        row += [
            ratio(figures[name].seconds / base) if name in figures else ""
            for name in rivals
        ]
        rows.append(row)
    return rows


def printed(rows: list[list[str]]) -> str:
    """Write rows as a Markdown table that is aligned, too."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "| "
        + " | ".join(
            cell.rjust(width) if at else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        + " |"
        for row in rows
    ]
    rule = "|".join(
        "-" * (width + 1) + (":" if at else "-") for at, width in enumerate(widths)
    )
    return "\n".join([lines[0], f"|{rule}|", *lines[1:]])


def machine(results: dict[str, Any]) -> str:
    """Name what the figures depend on."""
    info = results["machine_info"]
    cpu = info["cpu"]
    versions = ", ".join(f"{name} {v}" for name, v in info["versions"].items())
    return (
        f"{cpu.get('brand_raw', info['machine'])}, {cpu.get('count', '?')} CPUs; "
        f"{info['python_implementation']} {info['python_version']}; "
        f"{info['c_compiler']}; kernel {info['kernel']}.\n{versions}."
    )


def main(path: Path) -> None:
    """Print the tables of a file of results."""
    results = json.loads(path.read_bytes())
    for suite, jobs in read(results).items():
        print(f"\n{TITLES[suite]}\n\n{printed(table(jobs))}")
    print(f"\n{machine(results)}")
    print("A rival's figure: its time, as a multiple of streamclip's.")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
