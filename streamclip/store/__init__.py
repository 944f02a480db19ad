"""The store: documents kept whole, read again by ranges, in pages or as an outline."""

from __future__ import annotations

from streamclip.store.store import Store, Stored

__all__ = ["Store", "Stored"]
