"""The OpenAI Agents SDK's ``Session`` over a ledger: ``MemlithSession``.

A row of the ledger holds the items of one ``add_items``, an item a line. A pop is a row of its own,
whose key names the item: of two pops at once one wins, and the other takes the item before.
"""

from __future__ import annotations

import asyncio
import json
import uuid
from typing import cast

from agents.items import TResponseInputItem
from agents.memory import SessionSettings
from agents.memory.session_settings import resolve_session_limit

from ._answers import Written
from ._json import plain, readable
from ._memory import Memory
from ._native import MemlithError, Refused

_MARK = "openai-agents"
_ROW_CHARACTERS = 262_144

Row = tuple[list[str], list[str]]
"""The lines of a row that are left, and the ids of the row and of its pops."""


class MemlithSession:
    """A conversation that outlives the process; several processes may share it.

    Returns items as the JSON that was added, in order. Items that are added together, up to
    256 KiB, stay together. The ledger takes secrets out of what it keeps: a key or password comes
    back as ``[REDACTED:...]``. Where that would break the JSON of an item, each value in it that is
    not a plain word comes back as ``[REDACTED]``. An item of more than 1 MiB is ``Refused``.

    Rows belong to the agent ``openai-agents``, so that other searches do not return them, and to
    the user or project of ``memory``. Each session of a ledger needs its own id.

    >>> import asyncio, memlith, tempfile
    >>> from memlith.openai_agents import MemlithSession
    >>> session = MemlithSession("42", memlith.Memory.open(tempfile.mkdtemp() + "/memory"))
    >>> asyncio.run(session.add_items([{"role": "user", "content": "Hello."}]))
    >>> asyncio.run(session.get_items())
    [{'role': 'user', 'content': 'Hello.'}]
    """

    session_settings: SessionSettings | None = None

    def __init__(
        self, session_id: str, memory: Memory, *, session_settings: SessionSettings | None = None
    ) -> None:
        self.session_id = session_id
        self.session_settings = session_settings
        # A name in hex is compared byte by byte, and never taken for a secret.
        self._name = f"{_MARK} {session_id.encode('utf-8', 'surrogatepass').hex()}"
        self._mark = {_MARK: self._name}
        self._memory = memory.speaker(_MARK, "assistant").agent(_MARK).session(self._name)

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """Returns the items, or the newest ``limit``, the oldest of them first."""
        return await asyncio.to_thread(self._get, resolve_session_limit(limit, self.session_settings))

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Adds all items, or none if one is refused. They are durable when it returns."""
        await asyncio.to_thread(self._add, [json.dumps(item) for item in items])

    async def pop_item(self) -> TResponseInputItem | None:
        """Removes and returns the newest item; returns ``None`` if there is none."""
        return await asyncio.to_thread(self._pop)

    async def clear_session(self) -> None:
        """Takes all items out of sight. They stay in the ledger's files: see ``Memory.erase``."""
        await asyncio.to_thread(self._clear)

    def _get(self, limit: int | None) -> list[TResponseInputItem]:
        if limit is not None and limit <= 0:
            return []
        lines = [line for left, _ in reversed(self._rows(limit)) for line in left if readable(line)]
        return [json.loads(line) for line in (lines if limit is None else lines[-limit:])]

    def _add(self, lines: list[str]) -> None:
        rows: list[list[str]] = []
        room = 0
        for line in lines:
            if not rows or len(line) > room:
                rows.append([])
                room = _ROW_CHARACTERS
            rows[-1].append(line)
            room -= len(line)
        ids: list[str] = []
        try:
            for row in rows:
                ids.append(self._add_row(row))
        except MemlithError:
            self._forget(ids, "not added")
            raise

    def _add_row(self, lines: list[str]) -> str:
        written = self._write(uuid.uuid4().hex, lines)
        if not written.redacted:
            return written.id
        kept = self._memory.get(written.id).text.split("\n")[1:]
        if len(kept) != len(lines):
            kept = [""] * len(lines)
        if all(map(readable, kept)):
            return written.id
        self._forget([written.id], "redacted")
        left = [line if readable(one) else plain(line) for line, one in zip(lines, kept, strict=True)]
        return self._write(uuid.uuid4().hex, left).id

    def _pop(self) -> TResponseInputItem | None:
        while rows := self._rows(1):
            lines, ids = rows[-1]
            if len(lines) == 1:
                won = self._forget(ids, "popped")
            else:
                won = self._write(f"{ids[0]} {len(lines)}", [], popped=ids[0]).status != "known"
            if won and readable(lines[-1]):
                return cast(TResponseInputItem, json.loads(lines[-1]))
        return None

    def _clear(self) -> None:
        while rows := self._rows(None):
            self._forget([id for _, ids in rows for id in ids], "cleared")

    def _rows(self, limit: int | None) -> list[Row]:
        """Returns the rows of the newest ``limit`` items, the newest row first."""
        rows: list[Row] = []
        pops: dict[str, list[str]] = {}
        page = 500 if limit is None else min(500, limit + 1)
        for entry in self._memory.all(session=self._name, metadata=self._mark, standing="active", limit=page):
            if "popped" in entry.metadata:
                pops.setdefault(entry.metadata["popped"], []).append(entry.id)
                continue
            gone = pops.get(entry.id, [])
            lines = entry.text.split("\n")[1:]
            left = lines[: len(lines) - len(gone)]
            if left:
                rows.append((left, [entry.id, *gone]))
            if limit is not None:
                limit -= len(left)
                if limit <= 0:
                    break
        return rows

    def _write(self, name: str, lines: list[str], **metadata: str) -> Written:
        """Writes a row of this name, which no other row has, once."""
        return self._memory.keyed(f"{self._name} {name}").remember(
            "\n".join([name, *lines]),
            entity=self._name,
            predicate=name,
            value=name,
            metadata=self._mark | metadata,
        )

    def _forget(self, ids: list[str], reason: str) -> bool:
        """Forgets rows; returns whether it did, and not another process before."""
        try:
            if ids:
                self._memory.forget(ids, reason)
            return True
        except Refused:
            if all(self._memory.get(id).standing == "active" for id in ids):
                raise
            return False


__all__ = ["MemlithSession"]
