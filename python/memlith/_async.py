"""The same calls for asyncio: each on a thread."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from functools import wraps
from typing import Any

from ._answers import Entry
from ._memory import Memory

_SPEAKERS = ("user", "project", "agent", "session", "speaker", "at", "keyed", "everywhere")
_CALLS = (
    "remember update confirm forget erase report embed import_messages search checkout get list facts "
    "history explain waiting accept reject state records head verify close"
).split()


class AsyncMemory:
    """A ``Memory`` whose calls are awaited. A call that is cancelled still ends on its thread.

    >>> import asyncio, memlith, tempfile
    >>> async def main() -> str:
    ...     async with await memlith.AsyncMemory.open(tempfile.mkdtemp() + "/memory") as memory:
    ...         await memory.user("ana").remember("Ana drinks tea.")
    ...         return (await memory.user("ana").search("what does Ana drink?"))[0].text
    >>> asyncio.run(main())
    'Ana drinks tea.'
    """

    def __init__(self, memory: Memory) -> None:
        if not isinstance(memory, Memory):
            raise TypeError("AsyncMemory takes a Memory; AsyncMemory.open takes a folder")
        self._memory = memory

    @classmethod
    async def open(cls, path: str | os.PathLike[str], **options: Any) -> AsyncMemory:
        """Opens the ledger in the folder ``path``; see ``Memory.open``."""
        return cls(await asyncio.to_thread(Memory.open, path, **options))

    async def __aenter__(self) -> AsyncMemory:
        return self

    async def __aexit__(self, *error: object) -> None:
        await asyncio.to_thread(self._memory.close)

    async def all(self, **filters: Any) -> AsyncIterator[Entry]:
        """Yields every memory that fits the filters of ``list``, page after page."""
        cursor = None
        while True:
            page = await asyncio.to_thread(self._memory.list, **filters, cursor=cursor)
            for entry in page:
                yield entry
            cursor = page.next
            if cursor is None:
                return

    def __repr__(self) -> str:
        return f"<memlith.AsyncMemory over {self._memory!r}>"


def _speaker(name: str) -> Callable[..., AsyncMemory]:
    @wraps(getattr(Memory, name))
    def speaker(self: AsyncMemory, *args: Any, **named: Any) -> AsyncMemory:
        return AsyncMemory(getattr(self._memory, name)(*args, **named))

    return speaker


def _call(name: str) -> Callable[..., Any]:
    @wraps(getattr(Memory, name))
    async def call(self: AsyncMemory, *args: Any, **named: Any) -> Any:
        return await asyncio.to_thread(getattr(self._memory, name), *args, **named)

    return call


for _name in _SPEAKERS:
    setattr(AsyncMemory, _name, _speaker(_name))
for _name in _CALLS:
    setattr(AsyncMemory, _name, _call(_name))
