"""Print what was measured as tables, or write them into the README.

    python bench/report.py [--readme]

It reads build/bench.json, of the suites, and build/processes.json. The first
figures are streamclip's own; those of a rival tell how many times as long it took
for the same job in the same run: 2.0 is twice as slow as streamclip, 0.5 twice as
fast. Times are CPU seconds, the best of all rounds. With --readme, the README gets
the tables that matter most between its two markers, and docs/bench.svg is drawn.
"""

from __future__ import annotations

import json
import sys
import textwrap
from pathlib import Path
from typing import Any, NamedTuple

from picture import Dot, drawn

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
PICTURE = ROOT / "docs" / "bench.svg"
BEGIN = "<!-- what stands between these marks is written by make bench-report -->"
END = "<!-- end -->"

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
    "corpus": "Real payloads, one after another, in memory",
}
NAMES = {
    "clip": "streamclip",
    "msgspec-raw": "msgspec `list[Raw]`",
    "ijson": "ijson (yajl2_c)",
    "jq": "jq (program)",
}
README_RIVALS = ("pysimdjson", "msgspec-raw", "ijson", "orjson")


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
Rows = list[list[str]]  # of a table, its head first


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
    return f"{value:.0f}" if value >= 9.95 else f"{value:#.2g}"


def table(jobs: dict[str, dict[str, Figure]]) -> Rows:
    """Return the rows of a suite's table: one for each job."""
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


def processes_table(processes: list[dict[str, Any]]) -> Rows:
    """Return the rows of the contenders in processes of their own: one for each."""
    found = {(each["who"], each["bytes"]): each for each in processes}
    sizes = sorted({size for _, size in found})
    heads = [f"{size / 1e6:.0f} MB" for size in sizes]
    rows = [["rows", *heads, f"peak memory at {heads[-1]}"]]
    for who in dict.fromkeys(each["who"] for each in processes):
        row = [who]
        for size in sizes:
            seconds = found[who, size]["seconds"]
            row.append(
                Figure(seconds, size).shown()
                if who == "clip"
                else ratio(seconds / found["clip", size]["seconds"])
            )
        rows.append([*row, f"{found[who, sizes[-1]]['peak'] / 1e6:,.0f} MB"])
    return rows


def printed(rows: Rows) -> str:
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
    text = (
        f"{cpu.get('brand_raw', info['machine'])}, {cpu.get('count', '?')} CPUs; "
        f"{info['os']}; {info['python_implementation']} {info['python_version']}; "
        f"{info['c_compiler']}; kernel {info['kernel']}; {results['datetime'][:10]}; "
        f"{versions}."
    )
    return textwrap.fill(text, 80)


def named(cell: str) -> str:
    """Return a contender's name as readers know it; other cells stay.

    >>> named("clip, avx2")
    'streamclip, avx2'
    """
    who, comma, kernel = cell.partition(",")
    return NAMES.get(who, who) + comma + kernel


def for_readme(rows: Rows) -> str:
    """Write rows with the names that readers know."""
    return printed([[named(cell) for cell in row] for row in rows])


def readme_part(
    suites: Suites, processes: list[dict[str, Any]], machine_named: str
) -> str:
    """Return what the README gets between its markers."""
    other = {
        job: {who: figures[who] for who in ("clip", *README_RIVALS) if who in figures}
        for job, figures in suites["clip"].items()
        if not job.startswith("rows ")  # that is the first table
    }
    before = max(each["before"] for each in processes if each["who"] == "clip")
    picture = PICTURE.relative_to(ROOT).as_posix()
    parts = [
        for_readme(processes_table(processes)),
        f"(Before it reads the first byte, such a process has {before / 1e6:.0f} MB.)",
        f"![speed against peak memory]({picture})",
        "Other documents:",
        for_readme(table(other)),
        "Answers of 5 KB, whole, and cut to 2 KB:",
        for_readme(table(suites["small"])),
        machine_named,
    ]
    return "\n\n".join(parts)


def replaced(text: str, part: str) -> str:
    """Return a text with another part between its markers.

    >>> replaced(f"a {BEGIN} b {END} c", "new").splitlines()[2]
    'new'
    """
    head, begin, rest = text.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not end:
        raise ValueError("the markers are not there")
    return f"{head}{begin}\n\n{part}\n\n{end}{tail}"


def dots(processes: list[dict[str, Any]]) -> list[Dot]:
    """Return what is drawn of the largest size."""
    size = max(each["bytes"] for each in processes)
    return [
        Dot(
            named(each["who"]).replace("`", ""),
            each["peak"] / 1e6,
            size / 1e6 / each["seconds"],
            each["who"].startswith("clip"),
        )
        for each in processes
        if each["bytes"] == size
    ]


def main(*, readme: bool) -> None:
    """Print the tables, or write them."""
    results = json.loads((ROOT / "build" / "bench.json").read_bytes())
    processes = json.loads((ROOT / "build" / "processes.json").read_bytes())
    suites = read(results)
    if readme:
        part = readme_part(suites, processes, machine(results))
        README.write_text(replaced(README.read_text("utf-8"), part), "utf-8")
        size = max(each["bytes"] for each in processes) / 1e6
        title = f"{size:.0f} MB of rows, from a file to valid JSON of 8,192 bytes"
        PICTURE.write_text(drawn(dots(processes), title), "utf-8")
        print(f"written: {README}, {PICTURE}")
        return
    for suite, jobs in suites.items():
        print(f"\n{TITLES[suite]}\n\n{printed(table(jobs))}")
    print("\nFrom a file to valid JSON of 8,192 bytes, each in a process of its own\n")
    print(printed(processes_table(processes)))
    print(f"\n{machine(results)}")
    print("A rival's figure: its CPU time, as a multiple of streamclip's.")


if __name__ == "__main__":
    main(readme="--readme" in sys.argv[1:])
