"""A memory for agents that can prove what it knows."""

from ._answers import Entry, Explanation, Hit, Pack, Page, Report, Step, Written
from ._async import AsyncMemory
from ._memory import Memory, verify
from ._native import Closed, Damaged, MemlithError, Refused, Unusable, Wrong

__all__ = [
    "AsyncMemory",
    "Closed",
    "Damaged",
    "Entry",
    "Explanation",
    "Hit",
    "MemlithError",
    "Memory",
    "Pack",
    "Page",
    "Refused",
    "Report",
    "Step",
    "Unusable",
    "Written",
    "Wrong",
    "verify",
]
