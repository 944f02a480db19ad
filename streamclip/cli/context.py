"""`streamclip context`: the ledger of a request body, and the body that fits."""

from __future__ import annotations

import contextlib
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from streamclip.cli.console import (
    BAD_INPUT,
    USAGE,
    check_output,
    open_input,
    print_data,
    save,
)
from streamclip.cli.failures import FailedError, named, options_checked
from streamclip.cli.options import force_option, help_option
from streamclip.context.assembly import assemble
from streamclip.context.bodies import channels_of, fitted
from streamclip.context.ledger import Ledger
from streamclip.context.recognition import SHAPES
from streamclip.context.request import ORDERS
from streamclip.tokens.counting import counter

__all__ = ["context_command"]

TOKENS = click.IntRange(min=0)

EPILOG = """
\b
Exit status:
  0    the request fits, perhaps without its oldest messages
  2    wrong usage, an unreadable file, a request that cannot be made to fit
  5    the file is no request body
"""


@click.command(epilog=EPILOG)
@click.argument("request")
@click.option("--window", type=TOKENS, required=True, help="Tokens the model takes.")
@click.option(
    "--reserve",
    "output_reserve",
    type=TOKENS,
    default=0,
    help="Tokens left to the answer.",
)
@click.option(
    "--margin",
    "safety_margin",
    type=TOKENS,
    default=0,
    help="Tokens left for what is not counted.",
)
@click.option(
    "--tokenizers",
    metavar="NAMES",
    default="o200k_base",
    show_default=True,
    help="Encodings or OpenAI models, separated by commas: a ledger for each.",
)
@click.option(
    "--shape",
    type=click.Choice(["auto", *SHAPES]),
    default="auto",
    show_default=True,
    help="What kind of request it is.",
)
@click.option(
    "--order",
    type=click.Choice(ORDERS),
    default=ORDERS[0],
    show_default=True,
    help="What is packed first, and so cut last.",
)
@click.option(
    "--overhead",
    "message_overhead",
    type=TOKENS,
    help="Tokens of a message beside its text. [default: 4]",
)
@click.option(
    "--block-tokens", type=TOKENS, help="Tokens of each block that is no text."
)
@click.option(
    "--clip-tool-results",
    type=click.IntRange(min=1),
    help="Tokens of a tool result that is not part of the last step.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the ledgers as JSON.")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Write the request that fits there, counted by the first tokenizer.",
)
@force_option
@help_option
def context_command(
    request: str,
    tokenizers: str,
    shape: str,
    output: str | None,
    force: bool,
    as_json: bool,
    block_tokens: int | None,
    window: int,
    output_reserve: int,
    safety_margin: int,
    **options: Any,
) -> int:
    """Show what of REQUEST fits into a model's window.

    REQUEST is a file with the body of a request, or with its messages alone: OpenAI
    Chat Completions or Responses, or Anthropic Messages. - is standard input.
    """
    if output == "-":
        raise click.UsageError("the ledger is written to standard output: -o is a FILE")
    if window <= output_reserve + safety_margin:
        raise click.UsageError("--reserve and --margin leave nothing of --window")
    with options_checked():
        counters = {name: counter(name) for name in tokenizers.split(",")}
    path = None if request == "-" else request
    with named(request), contextlib.closing(open_input(path)) as file:
        with named(str(output)):
            check_output(file, output, force)
        body, channels = _read(file.read(), request, shape)
        if block_tokens is not None:
            channels["block_cost"] = lambda block: block_tokens
        ledgers = {
            name: assemble(
                **channels,
                window=window,
                output_reserve=output_reserve,
                safety_margin=safety_margin,
                tokenizer=count,
                **options,
            )
            for name, count in counters.items()
        }
    first = next(iter(ledgers.values()))
    with named("<stdout>"):
        print_data(_as_json(ledgers) if as_json else _as_text(ledgers))
    if output is not None and first.ok:
        with named(output):
            save(_json(fitted(body, first)), Path(output))
    return 0 if all(ledger.ok for ledger in ledgers.values()) else USAGE


def _read(data: bytes, name: str, shape: str) -> tuple[Any, dict[str, Any]]:
    """Read a request's body, and what of it is packed."""
    try:
        body = json.loads(data, parse_float=_finite, parse_constant=_finite)
        return body, channels_of(body, shape)
    except (ValueError, RecursionError) as error:
        raise FailedError(BAD_INPUT, f"{name}: {error}") from error


def _finite(number: str) -> float:
    """Read a number that can be written again: json takes NaN and 1e999."""
    value = float(number)
    if not math.isfinite(value):
        raise ValueError(f"{number} is no number of JSON, or is out of range")
    return value


def _as_text(ledgers: Mapping[str, Ledger]) -> bytes:
    parts = [f"{name}\n{ledger}\n" for name, ledger in ledgers.items()]
    return "\n".join(parts).encode()


def _as_json(ledgers: Mapping[str, Ledger]) -> bytes:
    values = {name: ledger.to_dict() for name, ledger in ledgers.items()}
    return _json(values) + b"\n"


def _json(value: Any) -> bytes:
    # A lone surrogate that came as an escape goes as one.
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "backslashreplace")
