"""LangGraph's ``BaseStore`` over a ledger: ``MemlithStore``.

Items are held in memory, as ``InMemoryStore`` does it, and every put and delete is in the ledger
when its call returns. So answers are those of ``InMemoryStore``, and they are there again in the next
process. Values come back as JSON has them: a tuple as a list. Secrets are taken out of what the
ledger keeps; of a value whose JSON that would break plain words alone are kept. With ``ttl`` in
minutes an item ends by itself. Items are memories, which ``search`` finds: give the store a memory
of its own, such as ``memory.agent("store")``.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import threading
import time
from collections.abc import Iterable
from datetime import datetime, timedelta, timezone
from typing import Any, Literal

from langgraph.store.base import (
    GetOp,
    IndexConfig,
    Item,
    ListNamespacesOp,
    Op,
    PutOp,
    Result,
    SearchOp,
    TTLConfig,
)
from langgraph.store.memory import InMemoryStore

from ._answers import Entry, Written
from ._json import plain, readable
from ._memory import Memory
from ._native import Refused

Place = tuple[tuple[str, ...], str]
Fields = Literal[False] | list[str] | None
"""The fields of an item that are embedded: ``None`` for those of the store."""

_MARK = "langgraph"


class MemlithStore(InMemoryStore):
    """A store whose items outlive the process; several processes may share a ledger.

    >>> import memlith, tempfile
    >>> from memlith.langgraph import MemlithStore
    >>> memory = memlith.Memory.open(tempfile.mkdtemp() + "/memory")
    >>> store = MemlithStore(memory)
    >>> store.put(("users", "ana"), "likes", {"drink": "tea"})
    >>> MemlithStore(memory).get(("users", "ana"), "likes").value
    {'drink': 'tea'}
    """

    supports_ttl = True

    def __init__(
        self,
        memory: Memory,
        *,
        index: IndexConfig | None = None,
        ttl: TTLConfig | None = None,
    ) -> None:
        super().__init__(index=index)
        self.ttl_config = ttl
        self._memory = memory
        self._held = threading.RLock()
        self._count = itertools.count()
        self._seen = -1
        self._ids: dict[Place, str] = {}
        self._ends: dict[Place, tuple[datetime, float]] = {}
        self._fields: dict[Place, Fields] = {}

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        ops = list(ops)
        with self._held:
            self._prepare()
            answers = super().batch(ops)
            self._keep(ops)
            return answers

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        ops = list(ops)
        if self.embeddings is None:
            return await asyncio.to_thread(self.batch, ops)
        await asyncio.to_thread(self._prepare)
        answers = await super().abatch(ops)
        await asyncio.to_thread(self._keep, ops)
        return answers

    def _prepare(self) -> None:
        """Takes in what other processes wrote, and ends what is over."""
        with self._held:
            if self._memory.records() != self._seen:
                self._load()
            now = datetime.now(timezone.utc)
            for place in [place for place, (end, _) in self._ends.items() if end <= now]:
                self._drop(place)

    def _keep(self, ops: list[Op]) -> None:
        """Writes what was put and deleted; where the ledger refuses, all is read from it anew."""
        last = {(op.namespace, op.key): op for op in ops if isinstance(op, PutOp)}
        with self._held:
            try:
                for place, op in last.items():
                    self._write(place, op)
                for place in {place for op in ops for place in self._read(op)} - last.keys():
                    minutes = self._ends[place][1]
                    item = self._data[place[0]][place[1]]
                    self._put(place, item.value, minutes, self._fields.get(place))
                self._seen = self._memory.records()
            except BaseException:
                for held in (self._data, self._vectors, self._ids, self._ends, self._fields):
                    held.clear()
                self._seen = -1
                raise

    def _read(self, op: Op) -> list[Place]:
        """The places whose end a read puts off."""
        if isinstance(op, GetOp) and op.refresh_ttl:
            place = (op.namespace, op.key)
            return [place] if place in self._ends else []
        if isinstance(op, SearchOp) and op.refresh_ttl and self._ends:
            depth = len(op.namespace_prefix)
            return [place for place in self._ends if place[0][:depth] == op.namespace_prefix]
        return []

    def _write(self, place: Place, op: PutOp) -> None:
        if op.value is None:
            self._ends.pop(place, None)
            if place in self._ids and self._memory.forget(self._ids[place], "deleted").status == "disputed":
                raise Refused("somebody of a higher rank put this item: its deletion is disputed")
            self._ids.pop(place, None)
        else:
            self._put(place, dict(op.value), op.ttl, op.index)

    def _put(self, place: Place, value: dict[str, Any], minutes: float | None, fields: Fields) -> None:
        namespace, key = place
        beside = ({} if minutes is None else {"minutes": repr(minutes)}) | (
            {} if fields is None else {"fields": json.dumps(fields)}
        )
        written = self._row(place, json.dumps(value, ensure_ascii=False), minutes, beside)
        if written.redacted and not readable(self._memory.get(written.id).text.partition("\n")[2]):
            written = self._row(place, plain(json.dumps(value)), minutes, beside)
        if written.status in ("waiting", "disputed"):
            raise Refused(f"the speaker may not put {key!r}: a higher rank has to accept {written.id}")
        self._ids[place], self._fields[place] = written.id, fields
        if minutes is None:
            self._ends.pop(place, None)
        else:
            self._ends[place] = (datetime.now(timezone.utc) + timedelta(minutes=minutes), minutes)

    def _row(self, place: Place, text: str, minutes: float | None, beside: dict[str, str]) -> Written:
        namespace, key = place
        names = json.dumps([*namespace, key], ensure_ascii=False)
        # A put is a new value even of the same words, and after a delete.
        number = f"{time.time_ns()}.{next(self._count)}"
        end = None if minutes is None else datetime.now(timezone.utc) + timedelta(minutes=minutes)
        return self._memory.remember(
            f"{names} {number}\n{text}",
            entity=f"{_MARK} {json.dumps(namespace).encode().hex()}",
            predicate=key.encode("utf-8", "surrogatepass").hex() or "-",
            value=number,
            valid_until=end,
            metadata={_MARK: names.encode().hex()} | beside,
        )

    def _drop(self, place: Place) -> None:
        self._ends.pop(place, None)
        self._ids.pop(place, None)
        self._data[place[0]].pop(place[1], None)
        self._vectors[place[0]].pop(place[1], None)

    def _load(self) -> None:
        """Reads every item of the ledger, the oldest first."""
        found: dict[Place, tuple[Entry, Item]] = {}
        for entry in self._memory.all(standing="active", limit=500):
            line = entry.text.partition("\n")[2]
            if _MARK not in entry.metadata or not readable(line):
                continue
            try:
                *namespace, key = json.loads(bytes.fromhex(entry.metadata[_MARK]))
            except (ValueError, TypeError):
                continue  # Somebody else's.
            place, value = (tuple(namespace), key), json.loads(line)
            at = entry.created_at
            item = Item(value=value, key=key, namespace=place[0], created_at=at, updated_at=at)
            found.setdefault(place, (entry, item))
        known, self._ids, self._ends = dict(self._ids), {}, {}
        for place in [place for place in known if place not in found]:
            self._drop(place)
        new: list[Op] = []
        for place, (entry, item) in reversed(found.items()):
            self._ids[place] = entry.id
            if "minutes" in entry.metadata:
                minutes = float(entry.metadata["minutes"])
                end = entry.created_at + timedelta(minutes=minutes)
                self._ends[place] = (end, minutes)
            self._fields[place] = json.loads(entry.metadata.get("fields", "null"))
            if known.get(place) != entry.id:
                new.append(PutOp(place[0], place[1], item.value, self._fields[place]))
        for one in new if self.embeddings else ():
            # One by one: its own batch can't embed a text twice.
            super().batch([one])
        if not self.embeddings:
            super().batch(new)
        for place, (_, item) in found.items():
            self._data[place[0]][place[1]] = item


__all__ = ["GetOp", "ListNamespacesOp", "MemlithStore", "PutOp", "SearchOp"]
