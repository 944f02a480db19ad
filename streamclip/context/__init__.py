r"""The context ledger: one token window, four channels, no silent cut.

>>> from streamclip.context import Chunk, assemble, check_ledger
>>> ledger = assemble(
...     window=120, output_reserve=40, system="Answer from the sources.",
...     chunks=[Chunk(id="faq", text="Opens at nine.\nCloses at five.\n" * 9)],
...     history=[{"role": "user", "content": "When do you open?"}],
... )
>>> check_ledger(ledger)
>>> ledger.ok, ledger.total, ledger.kept_chunks
(True, 78, 1)
"""

from streamclip.context.assembly import assemble
from streamclip.context.checks import check_ledger
from streamclip.context.chunks import Chunk
from streamclip.context.ledger import Item, Ledger

__all__ = ["Chunk", "Item", "Ledger", "assemble", "check_ledger"]
