"""Draw speed against peak memory, one dot for each contender, as an SVG.

Both axes are logarithmic: fast and small is at the top left. The background is left
clear and the colours are of middle brightness, so that the picture can be read on a
white page and on a black one; what a viewer says of its theme is often not what the
page around the picture looks like.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple
from xml.sax.saxutils import escape

__all__ = ["Dot", "drawn"]

WIDTH, HEIGHT = 800, 420
LEFT, RIGHT, TOP, BOTTOM = 80, 150, 50, 56  # what is around the field of the dots
CROWDED = 0.6  # of the field: dots beyond have their labels in the right margin
LINE = 17  # labels there are so far apart at least
GREY, OURS = "#7d8590", "#2f81f7"
FONT = "font-family='system-ui, sans-serif' font-size='13'"


class Dot(NamedTuple):
    """One contender: its peak memory in MB, its speed in MB/s."""

    label: str
    memory: float
    speed: float
    ours: bool


def ticks(low: float, high: float) -> list[float]:
    """Return 1, 2, 5, 10, 20, … from the last one below `low` to the first above.

    >>> ticks(17, 130)
    [10, 20, 50, 100, 200]
    """
    exponents = range(math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 2)
    series = [digit * 10**exponent for exponent in exponents for digit in (1, 2, 5)]
    first = max(at for at, tick in enumerate(series) if tick < low)
    last = min(at for at, tick in enumerate(series) if tick > high)
    return series[first : last + 1]


def scale(marks: list[float], start: float, end: float) -> Callable[[float], float]:
    """Return what takes a value to its place between `start` and `end`."""
    low, high = math.log(marks[0]), math.log(marks[-1])
    return lambda value: start + (math.log(value) - low) / (high - low) * (end - start)


def line(x1: float, y1: float, x2: float, y2: float, opacity: float = 0.25) -> str:
    """Write a thin line."""
    where = f"x1='{x1:.1f}' y1='{y1:.1f}' x2='{x2:.1f}' y2='{y2:.1f}'"
    return f"<line {where} stroke='{GREY}' stroke-opacity='{opacity}'/>"


def words(x: float, y: float, text: str, anchor: str = "start", more: str = "") -> str:
    """Write a text whose middle is at a height of `y`."""
    where = f"x='{x:.1f}' y='{y + 4.5:.1f}' text-anchor='{anchor}' {more}"
    return f"<text {where.strip()}>{escape(text)}</text>"


def spread(heights: list[float], lowest: float) -> list[float]:
    """Return sorted heights with a line between each two, none below the lowest.

    >>> spread([40, 70, 72, 80], 100)
    [40, 66, 83, 100]
    """
    places: list[float] = []
    for height in heights:
        places.append(max(height, places[-1] + LINE) if places else height)
    for at in reversed(range(len(places))):
        places[at] = min(places[at], lowest)
        lowest = places[at] - LINE
    return places


def labelled(places: list[tuple[float, float, Dot]]) -> list[str]:
    """Write the dots with their labels, beside them or in the margin."""
    crowded = LEFT + CROWDED * (WIDTH - LEFT - RIGHT)
    aside = sorted(
        (place for place in places if place[0] > crowded),
        key=lambda place: (place[1] // LINE, place[0]),
    )
    heights = spread([y for _, y, _ in aside], HEIGHT - BOTTOM)
    margin = {dot: height for (_, _, dot), height in zip(aside, heights, strict=True)}
    parts = []
    for x, y, dot in places:
        colour = OURS if dot.ours else GREY
        where, height = x + 10, y
        if dot in margin:
            where, height = WIDTH - RIGHT + 20, margin[dot]
            parts.append(line(x, y, where - 4, height, 0.6))
        parts.append(f"<circle cx='{x:.1f}' cy='{y:.1f}' r='5' fill='{colour}'/>")
        parts.append(words(where, height, dot.label, more=f"fill='{colour}'"))
    return parts


def drawn(dots: list[Dot], title: str) -> str:
    """Return the picture.

    >>> dots = [Dot("ours", 18, 900, True), Dot("theirs", 300, 80, False)]
    >>> drawn(dots, "50 MB").count("<circle")
    2
    """
    columns = ticks(min(d.memory for d in dots), max(d.memory for d in dots))
    rows = ticks(min(d.speed for d in dots), max(d.speed for d in dots))
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    across, down = scale(columns, LEFT, right), scale(rows, bottom, TOP)
    parts = [words(LEFT, 16, title, more="font-weight='bold'")]
    for memory in columns:
        x = across(memory)
        parts.append(line(x, TOP, x, bottom))
        parts.append(words(x, bottom + 16, shown(memory, ""), "middle"))
    for speed in rows:
        y = down(speed)
        parts.append(line(LEFT, y, right, y))
        parts.append(words(LEFT - 8, y, shown(speed, "/s"), "end"))
    parts.append(words(LEFT - 8, TOP - 16, "speed", "end"))
    parts.append(words(right, bottom + 36, "peak memory of the process", "end"))
    parts.extend(labelled([(across(d.memory), down(d.speed), d) for d in dots]))
    head = (
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {WIDTH} {HEIGHT}' "
        f"role='img' {FONT} fill='{GREY}'>"
    )
    return "\n".join([head, f"<title>{escape(title)}</title>", *parts, "</svg>\n"])


def shown(mb: float, per: str) -> str:
    """Write so many MB.

    >>> shown(50, "/s"), shown(2000, "")
    ('50 MB/s', '2 GB')
    """
    return f"{mb / 1000:g} GB{per}" if mb >= 1000 else f"{mb:g} MB{per}"
