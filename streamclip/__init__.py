"""Clip large JSON to a budget: the best valid JSON that fits, saying what it lacks.

>>> import streamclip
>>> result = streamclip.clip_records(({"id": n} for n in range(500)), max_bytes=400)
>>> len(result.data) <= 400, result.report.cuts[0].total
(True, 500)
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from streamclip.api import aclip, aclip_records, clip, clip_records
from streamclip.clipper import Clip, Clipper, Stats
from streamclip.core.binding import kernel
from streamclip.errors import (
    BudgetTooSmallError,
    ClipperBusyError,
    IncompleteJSONError,
    InternalError,
    InvalidJSONError,
    InvalidMessageError,
    ReferenceNotFoundError,
    StreamclipError,
)
from streamclip.options.options import ClipOptions
from streamclip.report.values import Cut, Report, Slice

if TYPE_CHECKING:
    from streamclip.store.outlines import outline
    from streamclip.store.store import Store, Stored

__version__ = "0.1.0"

__all__ = [
    "BudgetTooSmallError",
    "Clip",
    "ClipOptions",
    "Clipper",
    "ClipperBusyError",
    "Cut",
    "IncompleteJSONError",
    "InternalError",
    "InvalidJSONError",
    "InvalidMessageError",
    "ReferenceNotFoundError",
    "Report",
    "Slice",
    "Stats",
    "Store",
    "Stored",
    "StreamclipError",
    "aclip",
    "aclip_records",
    "clip",
    "clip_records",
    "kernel",
    "outline",
]


# What few programs use is imported when it is asked for. No module may have the
# name of a function here: whoever imported it would put it in the function's place.
WHEN_ASKED = {"Store": "store", "Stored": "store", "outline": "store.outlines"}


def __getattr__(name: str) -> Any:
    """Import what is not imported at once."""
    if name not in WHEN_ASKED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"streamclip.{WHEN_ASKED[name]}"), name)
