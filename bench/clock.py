"""The clock of the benchmarks: seconds that the CPU worked.

All jobs are work for one thread on files that are in memory already, so on a quiet
machine this is also what passes on the wall. On a busy one, where the slow have to
wait more often than the fast, the ratios would be wrong by the wall's clock.
"""

from __future__ import annotations

import resource
import time

__all__ = ["cpu_seconds"]


def cpu_seconds() -> float:
    """Return what this process and its finished children have used so far."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime
