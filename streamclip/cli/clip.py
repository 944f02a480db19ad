"""The command line: parse, call `clip`, print; or run a command that has a name.

Data goes to standard output and nothing else does; the line of statistics, the
progress bar and all errors go to standard error. Only this module, those of COMMANDS
and what they share need the extra `cli`, click and rich.
"""

from __future__ import annotations

import contextlib
import importlib
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import streamclip
from streamclip.api import clip
from streamclip.cli.console import (
    LEFT_OUT,
    check_output,
    is_one_stream,
    open_input,
    print_data,
    save,
    say,
)

try:
    import click
    import rich  # noqa: F401  # rich.progress takes long to import: when shown
except ImportError as error:
    sys.stderr.write(
        f"streamclip: {error}: the command line needs click and rich: "
        'pip install "streamclip[cli]"\n'
    )
    raise SystemExit(2) from error

from streamclip.cli.doubts import doubts
from streamclip.cli.failures import exit_status as as_exit_status
from streamclip.cli.failures import named, options_checked
from streamclip.cli.options import (
    POSITIVE,
    budget_options,
    force_option,
    help_option,
    open_store,
    split_names,
    with_a_budget,
)
from streamclip.cli.status import statistics, with_progress

if TYPE_CHECKING:
    from streamclip import Clip

# The commands that have a name: where each is, and what --help says of it. Any
# other first word is a FILE.
COMMANDS: dict[str, tuple[str, str]] = {
    "context": (
        "streamclip.cli.context:context_command",
        "Show what of a chat request fits into a model's window.",
    ),
    "fetch": ("streamclip.cli.store:fetch_command", "Fetch a page of what was stored."),
    "outline": (
        "streamclip.cli.store:outline_command",
        "Tell the shape of a document.",
    ),
    "store": ("streamclip.cli.store:store_command", "List what is stored, or prune."),
}

# What the name of a file of JSON Lines ends with.
LINES = (".jsonl", ".ndjson")

EPILOG = """
\b
Examples:
  streamclip orders.json -b 4000
  streamclip orders.json -t 2000 --tokenizer gpt-4o
  curl -s https://example.com/big.json | streamclip --collection /rows
  streamclip orders.json --store default
  streamclip fetch clip:7f3a9c2k8m4q --at /orders --start 12

\b
Exit status:
  0    the clip was written
  1    something was left out (only with --exit-status)
  2    wrong usage, an unreadable file, a budget that nothing fits
  5    the input is not valid JSON
  70   a fault of streamclip: please report it
  130  interrupted
  141  the reader of the output went away

The output is the clip itself, byte for byte, and at most the budget; a line
break is added on a terminal only. A FILE that has a command's name is written
with its directory: ./NAME.
"""


def show_version(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    """Print the version and the kernel in use, and exit."""
    if wanted and not context.resilient_parsing:
        with options_checked():
            kernel = streamclip.kernel()
        with named("<stdout>"):
            line = f"streamclip {streamclip.__version__} ({kernel})\n"
            print_data(line.encode())
        context.exit()


class ClipCommand(click.Command):
    """The command that has no name, whose help lists those that have one."""

    def format_options(
        self, context: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """Write the options, and below them the commands."""
        super().format_options(context, formatter)
        with formatter.section("Commands, as the first word"):
            formatter.write_dl([(name, COMMANDS[name][1]) for name in COMMANDS])


@click.command(cls=ClipCommand, epilog=EPILOG)
@click.argument("file", required=False)
@budget_options
@click.option(
    "--collection",
    metavar="POINTER",
    help="JSON Pointer of the collection to cut first, such as /rows.",
)
@click.option(
    "--fields",
    multiple=True,
    metavar="NAMES",
    callback=split_names,
    help="Keep only these members of each record: id,title. Repeatable.",
)
@click.option(
    "--drop",
    multiple=True,
    metavar="NAMES",
    callback=split_names,
    help="Leave out the members of these names at any depth. Repeatable.",
)
@click.option(
    "--max-record-bytes",
    type=POSITIVE,
    help="Shorten a record that is larger. [default: a quarter of its array's room]",
)
@click.option(
    "--max-string-chars", type=POSITIVE, help="Shorten a string that is longer."
)
@click.option(
    "--max-items", type=POSITIVE, help="Keep at most this many elements of every array."
)
@click.option(
    "--keep",
    type=click.Choice(["head", "tail", "ends"]),
    default="head",
    show_default=True,
    help="Which elements of an array remain: the first, the last, or both.",
)
@click.option(
    "--embedded",
    is_flag=True,
    help="Clip JSON inside strings as JSON.",
)
@click.option(
    "--report",
    type=click.Choice(["inline", "siblings", "detached"]),
    default="inline",
    show_default=True,
    help="Where the data says what was left out.",
)
@click.option("--note/--no-note", default=True, help="Add a sentence to the report.")
@click.option(
    "--lang",
    type=click.Choice(["en", "zh"]),
    default="en",
    show_default=True,
    help="Language of that sentence.",
)
@click.option(
    "--format",
    type=click.Choice(["auto", "json", "jsonl"]),
    default="auto",
    show_default=True,
    help="What the input is.",
)
@click.option(
    "--incomplete",
    type=click.Choice(["error", "keep"]),
    default="error",
    show_default=True,
    help="What to do with input that ends early.",
)
@click.option(
    "--read",
    type=click.Choice(["all", "enough"]),
    default="all",
    show_default=True,
    help="Read to the end, for exact totals, or only as far as needed.",
)
@click.option(
    "--max-depth",
    type=POSITIVE,
    default=1024,
    show_default=True,
    help="Levels of nesting that are accepted.",
)
@click.option(
    "--store",
    metavar="URL",
    help="Keep all of the input there, if something is left out: a directory, "
    "a URL, or 'default', in the user's cache.",
)
@click.option(
    "-o", "--output", metavar="FILE", help="Write there, and only a whole result."
)
@force_option
@click.option("-q", "--quiet", is_flag=True, help="No statistics, no progress.")
@click.option("--exit-status", is_flag=True, help="Exit 1 if something was left out.")
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=show_version,
    help="Show the version and the kernel in use.",
)
@help_option
def clip_command(
    file: str | None,
    output: str | None,
    force: bool,
    quiet: bool,
    exit_status: bool,
    **options: Any,
) -> int:
    """Clip the JSON or JSON Lines in FILE to a budget.

    The result is valid JSON that says what was left out. FILE may be - or
    missing for standard input.
    """
    if file is None and sys.stdin is not None and sys.stdin.isatty():
        raise click.UsageError("no FILE is given, and standard input is a terminal")
    options = with_a_budget(options)
    store = options["store"]
    if store is not None:
        options["store"] = open_store(store)
    name = "<stdin>" if file in (None, "-") else str(file)
    if options["fields"] and options["format"] == "auto" and name.endswith(LINES):
        options["format"] = "jsonl"
    with contextlib.ExitStack() as stack, options_checked(), named(name):
        opened = stack.enter_context(open_input(None if name == "<stdin>" else file))
        with named(str(output)):
            check_output(opened, output, force)
        result = clip_file(opened, quiet, options)
    with named("<stdout>" if output in (None, "-") else str(output)):
        if output in (None, "-"):
            print_data(result.data)
        else:
            save(result.data, Path(str(output)))
    found = doubts(result, options["collection"], options["fields"])
    lines = [f"streamclip: {doubt}" for doubt in found]
    if result.report.warning:
        lines.insert(0, f"streamclip: {result.report.warning} in {store}")
    if not quiet:
        lines.append(statistics(result))
    if lines:
        # 2>&1 must not glue them to the data.
        is_glued = output in (None, "-") and is_one_stream()
        say("\n" * is_glued + "\n".join(lines))
    return LEFT_OUT if exit_status and not result.complete else 0


@as_exit_status
def main(args: Sequence[str] | None = None) -> int:
    """Run the command line.

    A first word that is the name of a command runs it; any other is a FILE, and so
    is `./NAME`.

    Args:
        args: The words after the program's name; those of the process if None.

    Returns:
        The exit status.
    """
    words = [*(sys.argv[1:] if args is None else args)]
    command, name = clip_command, "streamclip"
    if words and words[0] in COMMANDS:
        module, _, function = COMMANDS[words[0]][0].partition(":")
        command = getattr(importlib.import_module(module), function)
        name = f"{name} {words.pop(0)}"
    # Not by command.main, which has an exit status of its own for a closed pipe.
    with command.make_context(name, words) as context:
        status: int = command.invoke(context)
    return status


def clip_file(file: BinaryIO, quiet: bool, options: dict[str, Any]) -> Clip:
    """Clip a file that is open, with a progress bar if a person waits."""
    if quiet or sys.stderr is None or not sys.stderr.isatty():
        return clip(file, **options)
    with contextlib.closing(with_progress(file)) as chunks:
        return clip(chunks, **options)
