"""What commands share: options, and how the words given with them are read."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from streamclip.errors import BudgetTooSmallError
from streamclip.options.profiles import PROFILES

if TYPE_CHECKING:
    from streamclip.store.store import Store

__all__ = [
    "POSITIVE",
    "budget_options",
    "namespace_option",
    "open_store",
    "split_names",
    "store_option",
    "too_small",
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


def too_small(error: BudgetTooSmallError) -> str:
    """Say what would be enough, and by which option."""
    option = f"--max-{error.unit}".replace("_", "-")
    return (
        f"nothing useful fits: {error.needed} {error.unit} are needed; raise {option}"
    )


def split_names(
    _: click.Context, parameter: click.Parameter, words: tuple[str, ...]
) -> list[str] | None:
    """Take names that are separated by commas, given once or several times."""
    names = [name for word in words for name in word.split(",")]
    if "" in names:
        raise click.BadParameter("a name is missing", param=parameter)
    return names or None


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
        click.UsageError: Something has to be installed for it, or it is none.
    """
    from streamclip.store.store import Store  # which most clips do without

    try:
        return Store(None if url == DEFAULT_STORE else url, namespace=namespace)
    except (ImportError, ValueError) as error:
        raise click.UsageError(str(error)) from error
