"""A memory for agents that can prove what it knows."""

from ._answers import Entry, Explanation, Hit, Imported, Pack, Page, Report, State, Step, Written
from ._async import AsyncMemory
from ._memory import Memory, verify
from ._models import Arbiter, Embedder
from ._native import Closed, Damaged, MemlithError, Refused, Unusable, Wrong

__all__ = [
    "Arbiter",
    "AsyncMemory",
    "Closed",
    "Damaged",
    "Embedder",
    "Entry",
    "Explanation",
    "Hit",
    "Imported",
    "MemlithError",
    "Memory",
    "Pack",
    "Page",
    "Refused",
    "Report",
    "State",
    "Step",
    "Unusable",
    "Written",
    "Wrong",
    "verify",
]
