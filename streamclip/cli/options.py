"""What commands share: options, and how the words given with them are read."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from streamclip.cli.console import print_data
from streamclip.cli.failures import named, options_checked
from streamclip.options.profiles import PROFILES

if TYPE_CHECKING:
    from streamclip.store.store import Store

__all__ = [
    "POSITIVE",
    "budget_options",
    "force_option",
    "help_option",
    "namespace_option",
    "open_store",
    "split_names",
    "store_option",
    "with_a_budget",
]

POSITIVE = click.IntRange(min=1)
BUDGETS = ("max_bytes", "max_chars", "max_tokens", "profile")
DEFAULT_MAX_BYTES = 8000
DEFAULT_STORE = "default"

BUDGET_OPTIONS = (
    click.option(
        "-b",
        "--max-bytes",
        type=POSITIVE,
        help=f"Budget in bytes. [default: {DEFAULT_MAX_BYTES}, if no budget is given]",
    ),
    click.option("-c", "--max-chars", type=POSITIVE, help="Budget in characters."),
    click.option("-t", "--max-tokens", type=POSITIVE, help="Budget in tokens."),
    click.option(
        "--tokenizer",
        metavar="NAME",
        default="o200k_base",
        show_default=True,
        help="What counts them: o200k_base, cl100k_base, or an OpenAI model's name.",
    ),
    click.option(
        "--profile",
        type=click.Choice([*PROFILES]),
        help="Host whose limits are the budget.",
    ),
)


def budget_options(command: Callable[..., int]) -> Callable[..., int]:
    """Give a command the options that say how much may come out."""
    for option in reversed(BUDGET_OPTIONS):
        command = option(command)
    return command


def with_a_budget(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options with the budget that holds if none was given."""
    if any(options[name] for name in BUDGETS):
        return options
    return {**options, "max_bytes": DEFAULT_MAX_BYTES}


def split_names(
    _: click.Context, parameter: click.Parameter, words: tuple[str, ...]
) -> list[str] | None:
    """Take names that are separated by commas, given once or several times."""
    names = [name for word in words for name in word.split(",")]
    if "" in names:
        raise click.BadParameter("a name is missing", param=parameter)
    return names or None


def show_help(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    """Print the help, and exit; click's own way forgets a failure to write."""
    if wanted and not context.resilient_parsing:
        with named("<stdout>"):
            print_data(f"{context.get_help()}\n".encode())
        context.exit()


help_option = click.option(
    "-h",
    "--help",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=show_help,
    help="Show this message and exit.",
)
force_option = click.option(
    "--force", is_flag=True, help="Let -o replace the input itself."
)

store_option = click.option(
    "--store",
    metavar="URL",
    default=DEFAULT_STORE,
    show_default=True,
    help="Directory or URL of the store; 'default' is in the user's cache.",
)
namespace_option = click.option(
    "--namespace", default="default", show_default=True, help="Whose documents."
)


def open_store(url: str, namespace: str = "default") -> Store:
    """Open the store that an option names.

    Raises:
        ImportError: Something has to be installed for it.
        click.UsageError: The URL or the namespace is not one.
    """
    from streamclip.store.store import Store  # which most clips do without

    with options_checked():
        return Store(None if url == DEFAULT_STORE else url, namespace=namespace)
