"""Clip large JSON to a budget: the best valid JSON that fits, saying what it lacks.

>>> import streamclip
>>> result = streamclip.clip_records(({"id": n} for n in range(500)), max_bytes=400)
>>> len(result.data) <= 400, result.report.cuts[0].total
(True, 500)
"""

from __future__ import annotations

# Not that of typing, which takes long to import.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

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


# Every name is imported when it is asked for first: the command line hears Ctrl-C
# before anything else takes time. No module may have the name of a function here:
# whoever imported it would put it in the function's place.
MODULES = {
    "api": ("aclip", "aclip_records", "clip", "clip_records"),
    "clipper": ("Clip", "Clipper", "Stats"),
    "core.binding": ("kernel",),
    "errors": (
        "BudgetTooSmallError",
        "ClipperBusyError",
        "IncompleteJSONError",
        "InternalError",
        "InvalidJSONError",
        "InvalidMessageError",
        "ReferenceNotFoundError",
        "StreamclipError",
    ),
    "options.options": ("ClipOptions",),
    "report.values": ("Cut", "Report", "Slice"),
    "store.outlines": ("outline",),
    "store.store": ("Store", "Stored"),
}


def __getattr__(name: str) -> Any:
    """Import a public name, and keep it for the next time."""
    import importlib

    for module, names in MODULES.items():
        if name in names:
            found = importlib.import_module(f"streamclip.{module}")
            globals()[name] = value = getattr(found, name)
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """List the public names, imported or not."""
    return sorted({*globals(), *__all__})
