"""A ledger together with the one who speaks."""

from __future__ import annotations

import builtins
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from types import TracebackType
from typing import Any

from . import _native
from ._answers import (
    Entry,
    Explanation,
    Hit,
    Imported,
    Pack,
    Page,
    Report,
    State,
    Step,
    Written,
    micros,
)
from ._models import Arbiter, Embedder

Ids = str | Iterable[str]


class Memory:
    """A memory in a folder: some twenty calls, which are enough for most programs.

    A call blocks, and lets other threads run meanwhile; any number of threads and processes may
    share a ledger. ``user``, ``project``, ``agent``, ``session``, ``speaker``, ``at`` and ``keyed``
    return a memory that speaks for somebody else over the same open ledger.

    >>> import memlith, tempfile
    >>> with memlith.Memory.open(tempfile.mkdtemp() + "/memory") as memory:
    ...     ana = memory.user("ana")
    ...     old = ana.remember("The staging database runs Postgres 15.")
    ...     new = ana.remember("The staging database runs Postgres 16.")
    ...     print(new.status, ana.checkout("which database is staging on?").items[0].text)
    replaced The staging database runs Postgres 16.
    """

    def __init__(self, native: _native.Memory, embedder: Embedder | None = None) -> None:
        if not isinstance(native, _native.Memory):
            raise TypeError("Memory.open takes a folder")
        self._native = native
        if embedder is not None and not isinstance(embedder, Embedder):
            raise TypeError("embedder is an Embedder: its name, and the callable")
        self._embedder = embedder

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        *,
        read_only: bool = False,
        lock_timeout: float = 10.0,
        embedder: Embedder | None = None,
        arbiter: Arbiter | None = None,
    ) -> Memory:
        """Opens the ledger in the folder ``path``, and makes one where there is none.

        A process opens a ledger once for writing; its threads share that. A write waits
        ``lock_timeout`` seconds for another process. With ``read_only`` nothing is made or changed,
        and what is shown is not learned from. ``embedder`` gives what is written and asked vectors;
        ``arbiter`` is asked where likeness leaves open what a write is.

        Raises ``Damaged`` if bytes are wrong, ``Unusable`` if the folder can't be used, ``Refused`` if
        this process has it open already.
        """
        return cls(_native.Memory.open(os.fspath(path), read_only, lock_timeout, arbiter), embedder)

    def __enter__(self) -> Memory:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        try:
            return f"<memlith.Memory, {self.records()} records>"
        except _native.Closed:
            return "<memlith.Memory, closed>"

    def close(self) -> None:
        """Ends the use of the ledger, for all memories over it; a second time does nothing."""
        self._native.close()

    # ---- Who speaks ----

    def user(self, name: str) -> Memory:
        """Returns a memory with which the person ``name`` speaks; it is about that person."""
        return self._with(self._native.user(_named(name)))

    def project(self, name: str) -> Memory:
        """Returns a memory about the project ``name``, whoever speaks."""
        return self._with(self._native.project(_named(name)))

    def agent(self, name: str) -> Memory:
        """Returns a memory that only the agent ``name`` sees; it sees what all share, too."""
        return self._with(self._native.agent(_named(name)))

    def session(self, name: str) -> Memory:
        """Returns a memory that writes and asks in the session ``name``."""
        return self._with(self._native.session(_named(name)))

    def speaker(self, name: str, rank: str) -> Memory:
        """Returns a memory with which somebody of this name and rank speaks.

        Ranks, lowest first: ``web``, ``tool``, ``assistant``, ``user``, ``reviewer``, ``owner``. Who is
        lower displaces nothing of who is higher; the owner alone erases.
        """
        return self._with(self._native.speaker(name, rank))

    def at(self, now: datetime) -> Memory:
        """Returns a memory that reads as of ``now``, and writes what was said then."""
        at = micros(now, "now")
        if at is None:
            raise TypeError("now is a datetime, not None")
        return self._with(self._native.at(at))

    def keyed(self, key: str) -> Memory:
        """Returns a memory for one write, which has this key: repeated, it writes nothing."""
        return self._with(self._native.keyed(_named(key)))

    def everywhere(self) -> Memory:
        """Returns a memory that reads what every user, project and agent wrote; it can't write."""
        return self._with(self._native.everywhere())

    def _with(self, native: _native.Memory) -> Memory:
        return Memory(native, self._embedder)

    # ---- Writing ----

    def remember(
        self,
        text: str,
        *,
        entity: str | None = None,
        predicate: str | None = None,
        value: str | None = None,
        valid_from: datetime | None = None,
        valid_until: datetime | None = None,
        metadata: Mapping[str, str] | None = None,
    ) -> Written:
        """Writes a text, compared with what is remembered already: ``status`` says what became of it.

        ``entity``, ``predicate`` and ``value`` name one value of a thing, all three or none. Metadata
        has at most 64 pairs of 64 KiB in all. Durable when it returns.

        Secrets are taken out of it: ``redacted`` counts them. A text that is ``known`` keeps its
        metadata. Raises ``Refused`` of a text that was erased, by whom ever and of whom ever, or
        declared wrong by a higher rank.
        """
        slot = _slot(entity, predicate, value)
        times = micros(valid_from, "valid_from"), micros(valid_until, "valid_until")
        pairs = dict(metadata or {})
        raw = self._native.remember(text, slot, *times, pairs, self._vector(text))
        return Written.of(json.loads(raw))

    def update(
        self,
        id: str,
        text: str,
        *,
        entity: str | None = None,
        predicate: str | None = None,
        value: str | None = None,
        metadata: Mapping[str, str] | None = None,
    ) -> Written:
        """Replaces a memory that was wrong from its start, for all who saw it.

        The new one has the value and the metadata that are named here, and none of the old one's.
        Ids are whole, or begun as ``checkout`` shows them to a model, or citations.
        """
        vector, slot = self._vector(text), _slot(entity, predicate, value)
        written = Written.of(json.loads(self._native.update(id, text, slot, dict(metadata or {}))))
        if vector is not None:
            self._native.embed(vector[0], [(written.id, vector[1])])
        return written

    def confirm(self, ids: Ids) -> Written:
        """Says that memories are right, which strengthens them."""
        return Written.of(json.loads(self._native.confirm(_list(ids))))

    def forget(self, ids: Ids, reason: str) -> Written:
        """Takes memories out of sight, for a reason. They stay in the files: see ``erase``."""
        return Written.of(json.loads(self._native.forget(_list(ids), reason)))

    def erase(
        self,
        ids: Ids | None = None,
        *,
        entity: str | None = None,
        mentions: str | None = None,
        before: datetime | None = None,
    ) -> tuple[str, ...]:
        """Takes words out of the ledger's files, for good; returns the records whose words are gone.

        Either ``ids``, with all that rests on them, or what fits the filters within this memory's
        user, project, agent and session. The speaker has to be the owner: see ``speaker``.
        """
        filters = (entity, mentions, before)
        if ids is not None:
            if filters != (None, None, None):
                raise ValueError("name ids, or filters")
            return tuple(json.loads(self._native.erase_ids(_list(ids))))
        if filters == (None, None, None):
            raise ValueError("name ids, entity, mentions or before: a call without any takes all")
        return tuple(json.loads(self._native.erase(entity, mentions, micros(before, "before"))))

    def embed(self) -> int:
        """Gives a vector to every memory of this scope that has none of the embedder's model.

        Returns their number. Those of users, projects and agents take a call for each. 64 texts at a
        time; cut short, it goes on where it ended.
        """
        if self._embedder is None:
            raise ValueError("open the memory with an embedder")
        name, given = self._embedder.name, 0
        missing = self._native.without_vector(name)
        for start in range(0, len(missing), 64):
            ids = missing[start : start + 64]
            vectors = self._embedder.of_all([self.get(id).text for id in ids])
            given += self._native.embed(name, list(zip(ids, vectors, strict=True)))
        return given

    def _vector(self, text: str) -> tuple[str, bytes] | None:
        return None if self._embedder is None else self._embedder.of(text)

    def import_messages(self, lines: str | Iterable[str]) -> Imported:
        """Takes in conversations: a line of JSON for each message.

        A line has ``session``, ``role`` (``user``, ``assistant``, ``system``, ``tool``), ``at`` (RFC
        3339) and ``text``; ``id``, else its time, role and words, names it: it is taken in once. What
        was said is found by ``search`` and ``checkout``, and is no memory. ``memlith.importers`` reads
        exports.
        """
        text = lines if isinstance(lines, str) else "\n".join(lines)
        return Imported.of(json.loads(self._native.import_messages(text)))

    def report(self, what: Pack | Ids, *, helped: bool) -> Written:
        """Says whether acting on what was shown went well: it counts for more, or for less."""
        ids = [item.id for item in what.items] if isinstance(what, Pack) else _list(what)
        return Written.of(json.loads(self._native.report(ids, helped)))

    # ---- Asking ----

    def search(self, query: str, limit: int = 10, *, as_of: datetime | None = None) -> builtins.list[Hit]:
        """Returns the best answers. Nothing is written down, and nothing learned."""
        at, vector = micros(as_of, "as_of"), self._vector(query)
        found = json.loads(self._native.search(query, _number(limit, "limit"), at, vector))
        return [Hit.of(one) for one in found]

    def checkout(
        self,
        query: str,
        *,
        budget_tokens: int = 2_000,
        as_of: datetime | None = None,
        observe: bool = True,
    ) -> Pack:
        """Answers with cited items within a budget, and writes down what was shown.

        A token is four bytes. What was shown is written down unless ``observe`` is false or the
        question is of the past; being shown counts for a memory.
        """
        at, vector = micros(as_of, "as_of"), self._vector(query)
        budget = _number(budget_tokens, "budget_tokens", 2**32)
        return Pack.of(json.loads(self._native.checkout(query, budget, at, observe, vector)))

    def get(self, id: str) -> Entry:
        """Returns one memory, whatever became of it."""
        return Entry.of(json.loads(self._native.get(id)))

    def list(
        self,
        *,
        entity: str | None = None,
        session: str | None = None,
        standing: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        metadata: Mapping[str, str] | None = None,
        limit: int = 50,
        cursor: str | None = None,
    ) -> Page:
        """Returns a page of memories, the newest first, those that were replaced too.

        ``standing="active"`` takes those that stand. ``cursor`` is the ``next`` of a page before.
        """
        times = micros(since, "since"), micros(until, "until")
        pairs, most = dict(metadata or {}), max(1, _number(limit, "limit"))
        raw = self._native.list(entity, session, standing, *times, pairs, most, cursor)
        return Page.of(json.loads(raw))

    def all(self, **filters: Any) -> Iterator[Entry]:
        """Yields every memory that fits the filters of ``list``, page after page."""
        cursor = None
        while True:
            page = self.list(**filters, cursor=cursor)
            yield from page
            cursor = page.next
            if cursor is None:
                return

    def facts(self, entity: str) -> builtins.list[Entry]:
        """Returns what is known now of an entity, as values of its properties."""
        return [Entry.of(one) for one in json.loads(self._native.facts(entity))]

    def history(self, id: str) -> builtins.list[Step]:
        """Returns the life of a memory and of what it replaced, the oldest event first."""
        return [Step.of(one) for one in json.loads(self._native.history(id))]

    def explain(self, id: str) -> Explanation:
        """Returns why a memory is as salient as it is."""
        return Explanation.of(json.loads(self._native.explain(id)))

    # ---- Review ----

    def waiting(self) -> builtins.list[Entry]:
        """Returns the memories that wait for review."""
        return [Entry.of(one) for one in json.loads(self._native.waiting())]

    def accept(self, id: str, reason: str | None = None) -> Written:
        """Takes a memory that waits in; it may take another's place."""
        return Written.of(json.loads(self._native.judge(id, True, reason)))

    def reject(self, id: str, reason: str | None = None) -> Written:
        """Refuses a memory that waits, for good."""
        return Written.of(json.loads(self._native.judge(id, False, reason)))

    # ---- Proof ----

    def records(self) -> int:
        """Returns the number of records of the ledger."""
        return int(json.loads(self._native.records()))

    def state(self) -> State:
        """Counts what the ledger holds: memories by standing, messages, bytes."""
        return State.of(json.loads(self._native.stat()))

    def head(self) -> str:
        """Returns the ledger's head: a line to keep where nobody who writes its files can reach."""
        return str(json.loads(self._native.head()))

    def verify(self) -> Report:
        """Reads every byte, and checks the chain and every kept state."""
        return Report.of(json.loads(self._native.verify()))


def verify(path: str | os.PathLike[str], *, full: bool = True) -> Report:
    """Checks the ledger in a folder, which need not be whole; changes no byte."""
    return Report.of(json.loads(_native.verify(os.fspath(path), full)))


def _slot(entity: str | None, predicate: str | None, value: str | None) -> tuple[str, str, str] | None:
    if entity is not None and predicate is not None and value is not None:
        return entity, predicate, value
    if (entity, predicate, value) != (None, None, None):
        raise ValueError("name entity, predicate and value, or none of them")
    return None


def _named(name: str) -> str:
    if name == "":
        raise ValueError("the name is empty")
    return name


def _number(value: int, name: str, limit: int = 2**63) -> int:
    if not 0 <= value < limit:
        raise ValueError(f"{name} is from 0 to {limit - 1}, not {value}")
    return value


def _list(ids: Ids) -> list[str]:
    return [ids] if isinstance(ids, str) else list(ids)
