"""The commands `fetch`, `outline` and `store`: what a reader of a clip asks for."""

from __future__ import annotations

import contextlib
import json
import time
from typing import Any

import click

from streamclip.cli.console import open_input, print_data, say
from streamclip.cli.failures import named, options_checked
from streamclip.cli.options import (
    POSITIVE,
    budget_options,
    help_option,
    namespace_option,
    open_store,
    store_option,
    with_a_budget,
)
from streamclip.cli.status import in_bytes
from streamclip.clipper import Clip
from streamclip.store.outlines import outline

__all__ = ["fetch_command", "outline_command", "store_command"]


def parse_where(
    _: click.Context, parameter: click.Parameter, words: tuple[str, ...]
) -> dict[str, Any] | None:
    """Read NAME=VALUE; a value that is not JSON is a text."""
    found: dict[str, Any] = {}
    for word in words:
        name, sign, value = word.partition("=")
        if not sign:
            raise click.BadParameter(f"{word!r} has no '='", param=parameter)
        try:
            found[name] = json.loads(value)
        except ValueError:
            found[name] = value
    return found or None


@click.command()
@click.argument("ref")
@click.option("--at", metavar="POINTER", help="JSON Pointer of the value: /rows.")
@click.option(
    "--start",
    type=click.IntRange(min=0),
    default=0,
    help="First element, member or character.",
)
@click.option("--count", type=POSITIVE, help="At most so many. [default: what fits]")
@click.option(
    "--where",
    multiple=True,
    metavar="NAME=VALUE",
    callback=parse_where,
    help="Only records with this member. Repeatable.",
)
@budget_options
@click.option("-q", "--quiet", is_flag=True, help="No statistics.")
@store_option
@namespace_option
@help_option
def fetch_command(
    ref: str, store: str, namespace: str, quiet: bool, **options: Any
) -> int:
    """Fetch a page of the document that REF leads to.

    REF is the `more` of a clip, such as clip:7f3a9c2k8m4q#/rows. Exit status 2: it
    leads nowhere, or nothing fits the budget.
    """
    opened = open_store(store, namespace)
    with options_checked():
        page = opened.fetch(ref, **with_a_budget(options))
    with named("<stdout>"):
        print_data(page.data)
    if not quiet:
        say(_told(page))
    return 0


def _told(page: Clip) -> str:
    """Say in a line which part it is."""
    part = page.slice
    if part is None or page.complete:
        return "all of it"
    if part.start >= part.total:
        return f"nothing: --start {part.start} is past the end, there are {part.total}"
    going_on = "to the end" if part.next is None else f"go on with --start {part.next}"
    return f"{part.kept} of {part.total} from {part.start}, {going_on}"


@click.command()
@click.argument("source", required=False, metavar="[FILE | REF]")
@click.option(
    "-b", "--max-bytes", type=POSITIVE, default=4000, show_default=True, help="Budget."
)
@store_option
@namespace_option
@help_option
def outline_command(
    source: str | None, max_bytes: int, store: str, namespace: str
) -> int:
    """Tell the shape of the JSON in FILE, or of the document that REF leads to.

    FILE may be - or missing for standard input.
    """
    name = "<stdin>" if source in (None, "-") else str(source)
    with contextlib.ExitStack() as stack, options_checked():
        opened: Any
        if name.startswith("clip:"):
            opened = open_store(store, namespace).read(name)
        else:
            stack.enter_context(named(name))
            opened = open_input(None if name == "<stdin>" else name)
            stack.enter_context(contextlib.closing(opened))
        shape = outline(opened, max_bytes=max_bytes)
    with named("<stdout>"):
        print_data(shape.data)
    return 0


@click.group()
@help_option
def store_command() -> None:
    """Look after the documents in a store."""


@store_command.command("ls")
@store_option
@namespace_option
@help_option
def list_command(store: str, namespace: str) -> int:
    """List reference, size, age and lifetime left, oldest first."""
    now = time.time()
    lines = []
    for document in open_store(store, namespace).list():
        left = "for ever"
        if document.expires is not None:
            seconds = document.expires - now
            left = f"{_span(seconds)} left" if seconds > 0 else "expired"
        size, age = in_bytes(document.size), _span(now - document.created)
        lines.append(f"{document.ref}  {size:>8}  {age:>5}  {left}\n")
    with named("<stdout>"):
        print_data("".join(lines).encode())
    return 0


@store_command.command("prune")
@store_option
@namespace_option
@help_option
def prune_command(store: str, namespace: str) -> int:
    """Delete what has expired, and what killed processes have left."""
    count = open_store(store, namespace).prune()
    with named("<stdout>"):
        print_data(f"{count} deleted\n".encode())
    return 0


def _span(seconds: float) -> str:
    """Write a time for a person.

    >>> _span(5), _span(200), _span(7500), _span(300_000)
    ('5 s', '3 min', '2 h', '3 d')
    """
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= size:
            return f"{seconds // size:.0f} {unit}"
    return f"{max(seconds, 0):.0f} s"
