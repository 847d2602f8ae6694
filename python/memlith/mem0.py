"""mem0's ``Memory`` over a ledger: change ``from mem0 import Memory`` to ``from memlith.mem0 import Memory``.

No model is called. ``add`` keeps each message of a user as it is said, where mem0 lets a model word
facts, unless ``infer=False``; with an assistant's messages, and the system's, it does nothing. A
message that replaces an older one comes back as ``UPDATE``, one that says nothing new not at all.
What is replaced gets a new id; the old one stays good for every call, and leads to the newest.

A memory belongs to its user, else to its agent, else to its run; the other names are filters. So
what is known of a user is compared with what is known of that user, whatever the agent or run: what
one run replaces is replaced for all, and what two runs say is one memory of both.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date, datetime, time, timedelta, timezone
from functools import wraps
from pathlib import Path
from typing import Any

from . import _native
from ._answers import Entry, Hit
from ._memory import Memory as Ledger

Messages = str | Mapping[str, Any] | Iterable[Mapping[str, Any]]
Names = dict[str, str]

_OWNERS = ("user_id", "agent_id", "run_id")
_SHOWN = ("active", "contested", "outdated")
_EVENTS = {"replaced": "UPDATE", "added": "ADD", "may_replace": "ADD", "waiting": "ADD", "changed": "ADD"}


class Memory:
    """mem0's calls, with its arguments and its answers.

    >>> import tempfile
    >>> memory = Memory(path=tempfile.mkdtemp() + "/memory")
    >>> added = memory.add("I moved to Oslo.", user_id="ana")
    >>> [one["memory"] for one in memory.search("where do I live?", filters={"user_id": "ana"})["results"]]
    ['I moved to Oslo.']
    """

    def __init__(self, config: Any = None, *, path: str | os.PathLike[str] | None = None) -> None:
        """Opens the ledger in ``path`` or ``config["path"]``.

        Else it opens ``$MEMLITH_LEDGER``, else ``~/.local/share/memlith``. A process opens a ledger
        once. What else is in ``config`` is mem0's, and says nothing here: there is no model and no
        vector store.
        """
        if path is None and isinstance(config, Mapping):
            path = config.get("path")
        named = path or os.environ.get("MEMLITH_LEDGER")
        self._ledger = Ledger.open(named or Path.home() / ".local/share/memlith")

    @classmethod
    def from_config(cls, config_dict: Mapping[str, Any]) -> Memory:
        """Opens the ledger that ``config_dict["path"]`` names; other keys are mem0's."""
        return cls(config_dict)

    def add(
        self,
        messages: Messages,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        infer: bool = True,
        expiration_date: str | date | None = None,
        memory_type: None = None,
        prompt: None = None,
    ) -> dict[str, Any]:
        """Keeps messages; returns ``{"results": [{"id", "memory", "event"}]}``.

        Of a message with several parts the texts are kept. A memory holds until the end of its
        ``expiration_date`` in UTC. ``memory_type`` and ``prompt`` are for a model.
        """
        if memory_type is not None or prompt is not None:
            raise NotImplementedError("no model is called: there is no memory_type and no prompt")
        names = _names({"user_id": user_id, "agent_id": agent_id, "run_id": run_id})
        owner, (begin, end) = self._owner(names), _validity(expiration_date)
        beside = {key: json.dumps(value) for key, value in (metadata or {}).items()}
        beside |= {f"mem0.{key}": name for key, name in names.items()}
        results = []
        for role, text in _said(messages):
            if role == "system" or (infer and role != "user"):
                continue
            written = owner.remember(text, metadata=beside, valid_from=begin, valid_until=end)
            id, event = written.id, _EVENTS.get(written.status)
            if written.status == "known":
                id, event = self._said_again(owner, id, beside)
            if event is not None:
                results.append({"id": id, "memory": text, "event": event})
        return {"results": results}

    def _said_again(self, owner: Ledger, id: str, beside: dict[str, str]) -> tuple[str, str | None]:
        """Gives a memory that is there already the names and metadata of one who says it again."""
        entry = owner.get(id)
        was_deleted = owner.history(id)[-1].kind == "memory.reconfirmed"
        sets, names = _sets(entry), _sets_of(beside)
        kept = names if was_deleted else sets + [one for one in names if one not in sets]
        merged = {**_own(entry.metadata), **_own(beside), **_stored(kept)}
        if merged != dict(entry.metadata):
            id = owner.update(id, entry.text, metadata=merged).id
        elif not was_deleted:
            return id, None
        return id, "ADD" if was_deleted or kept != sets else "UPDATE"

    def get(self, memory_id: str) -> dict[str, Any] | None:
        """Returns a memory, or ``None`` if there is none or it was deleted."""
        try:
            entry = self._newest(memory_id)[1]
        except ValueError:
            return None
        return _items(entry)[0] if entry.standing in _SHOWN else None

    def get_all(
        self,
        *,
        filters: Mapping[str, Any] | None = None,
        top_k: int = 20,
        limit: int | None = None,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
    ) -> dict[str, Any]:
        """Returns memories, the newest first: ``{"results": [...]}``."""
        named = {"user_id": user_id, "agent_id": agent_id, "run_id": run_id}
        owner, wanted = self._filtered(filters, named)
        most = top_k if limit is None else limit
        results: list[dict[str, Any]] = []
        for entry in self._shown(owner):
            if len(results) >= most:
                break
            item = next(filter(wanted, _items(entry)), None)
            if item is not None:
                results.append(item)
        return {"results": results}

    def search(
        self,
        query: str,
        *,
        top_k: int = 20,
        limit: int | None = None,
        filters: Mapping[str, Any] | None = None,
        threshold: float = 0.1,
        rerank: bool = False,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
    ) -> dict[str, Any]:
        """Returns the memories that answer ``query`` best: ``{"results": [{..., "score"}]}``.

        Filters compare as mem0's do: with equality, ``eq ne gt gte lt lte in nin contains
        icontains``, ``"*"``, and ``AND OR NOT``. They name a user, agent or run by equality.
        ``rerank`` changes nothing: the order is the ledger's.
        """
        named = {"user_id": user_id, "agent_id": agent_id, "run_id": run_id}
        owner, wanted = self._filtered(filters, named)
        most = top_k if limit is None else limit
        asked = max(4 * most, 64)
        while True:
            hits = owner.search(query, asked)
            results = []
            for hit in (hit for hit in hits if hit.score >= threshold and not hit.is_record):
                item = next(filter(wanted, _items(owner.get(hit.id), hit)), None)
                if item is not None:
                    results.append(item)
                if len(results) >= most:
                    return {"results": results}
            if len(hits) < asked:
                return {"results": results}
            asked *= 4

    def update(
        self,
        memory_id: str,
        text: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        *,
        data: str | None = None,
    ) -> dict[str, str]:
        """Replaces the text of a memory."""
        owner, entry = self._standing(memory_id)
        words = text if text is not None else data if data is not None else entry.text
        beside = dict(entry.metadata)
        beside |= {key: json.dumps(value) for key, value in (metadata or {}).items()}
        owner.update(entry.id, words, metadata=beside)
        return {"message": "Memory updated successfully!"}

    def delete(self, memory_id: str) -> dict[str, str]:
        """Takes a memory out of sight."""
        owner, entry = self._standing(memory_id)
        owner.forget(entry.id, "deleted")
        return {"message": "Memory deleted successfully!"}

    def delete_all(
        self, user_id: str | None = None, agent_id: str | None = None, run_id: str | None = None
    ) -> dict[str, str]:
        """Takes all memories of a user, agent or run out of sight."""
        owner, wanted = self._filtered(None, {"user_id": user_id, "agent_id": agent_id, "run_id": run_id})
        for entry in list(self._shown(owner)):
            left = [one for one, item in zip(_sets(entry), _items(entry), strict=True) if not wanted(item)]
            if not left:
                self._scope(entry.id).forget(entry.id, "deleted")
            elif len(left) < len(_sets(entry)):
                metadata = {**_own(entry.metadata), **_stored(left)}
                self._scope(entry.id).update(entry.id, entry.text, metadata=metadata)
        return {"message": "Memories deleted successfully!"}

    def history(self, memory_id: str) -> list[dict[str, Any]]:
        """Returns what became of a memory, and of what it replaced, the oldest first."""
        try:
            owner, newest = self._newest(memory_id)
        except ValueError:
            return []
        steps, before = [], None
        for step in owner.history(newest.id):
            if step.kind == "memory.remembered":
                event, old, new = ("UPDATE" if before else "ADD"), before, step.text
                before = step.text
            elif step.kind == "memory.invalidated":
                event, old, new, before = "DELETE", before, None, None
            else:
                continue
            at = step.at.isoformat()
            steps.append(
                {
                    "id": step.id,
                    "memory_id": memory_id,
                    "old_memory": old,
                    "new_memory": new,
                    "event": event,
                    "created_at": at,
                    "updated_at": at,
                    "is_deleted": event == "DELETE",
                }
            )
        return steps

    def reset(self) -> None:
        """Takes all that was added here out of sight."""
        for entry in list(self._shown(self._ledger.everywhere())):
            if any(_sets(entry)):
                self._scope(entry.id).forget(entry.id, "deleted")

    @property
    def ledger(self) -> Ledger:
        """The ledger, for what mem0 has not: checkouts, proofs, erasure. It is open once."""
        return self._ledger

    def close(self) -> None:
        """Ends the use of the ledger."""
        self._ledger.close()

    def _owner(self, names: Names) -> Ledger:
        """A ledger that writes for the user, else the agent, else the run."""
        if not names:
            raise ValueError("name at least one of user_id, agent_id and run_id")
        if "user_id" in names:
            owner = self._ledger.user(names["user_id"])
        elif "agent_id" in names:
            owner = self._ledger.project(f"agent:{names['agent_id']}")
        else:
            owner = self._ledger.project(f"run:{names['run_id']}")
        return owner.session(names["run_id"]) if "run_id" in names else owner

    def _scope(self, memory_id: str) -> Ledger:
        """A ledger that sees the memory of this id, whoever's it is, and writes for its owner."""
        try:
            return Ledger(self._ledger._native.of_record(memory_id))
        except (_native.Wrong, _native.Refused) as error:
            raise ValueError(f"there is no memory {memory_id}") from error

    def _newest(self, memory_id: str) -> tuple[Ledger, Entry]:
        if not memory_id.startswith("mem_"):
            imported = self._ledger.everywhere().list(metadata={"mem0.id": memory_id}, limit=1).items
            memory_id = imported[0].id if imported else memory_id
        owner = self._scope(memory_id)
        entry = owner.get(memory_id)
        while entry.replaced_by is not None:
            entry = owner.get(entry.replaced_by)
        return owner, entry

    def _standing(self, memory_id: str) -> tuple[Ledger, Entry]:
        owner, entry = self._newest(memory_id)
        if entry.standing not in _SHOWN:
            raise ValueError(f"the memory {memory_id} was deleted")
        return owner, entry

    def _shown(self, owner: Ledger) -> Iterator[Entry]:
        return (entry for entry in owner.all(limit=200) if entry.standing in _SHOWN)

    def _filtered(
        self, filters: Mapping[str, Any] | None, named: Mapping[str, Any]
    ) -> tuple[Ledger, Callable[[Mapping[str, Any]], bool]]:
        """What to read, and whether an item of it is wanted."""
        wanted = {**(filters or {}), **_names(named)}
        for key in _OWNERS:
            if filters and named.get(key) and str(filters.get(key, named[key])) != str(named[key]):
                raise ValueError(f"{key} is named twice: {named[key]} and {filters[key]}")
        names = _names({key: value for key, value in _equalities(wanted) if key in _OWNERS})
        if not names:
            raise ValueError("name one of user_id, agent_id and run_id by equality, and not within OR or NOT")
        owner = self._ledger.user(names["user_id"]) if "user_id" in names else self._ledger.everywhere()
        return owner, lambda item: _fits(item, wanted)


class AsyncMemory:
    """The calls of ``Memory`` to be awaited, each on a thread."""

    def __init__(self, config: Any = None, *, path: str | os.PathLike[str] | None = None) -> None:
        self._memory = Memory(config, path=path)

    @classmethod
    async def from_config(cls, config_dict: Mapping[str, Any]) -> AsyncMemory:
        return cls(config_dict)

    add: Callable[..., Any]
    get: Callable[..., Any]
    get_all: Callable[..., Any]
    search: Callable[..., Any]
    update: Callable[..., Any]
    delete: Callable[..., Any]
    delete_all: Callable[..., Any]
    history: Callable[..., Any]
    reset: Callable[..., Any]
    close: Callable[..., Any]


def _awaited(name: str) -> Callable[..., Any]:
    @wraps(getattr(Memory, name))
    async def call(self: AsyncMemory, *args: Any, **named: Any) -> Any:
        return await asyncio.to_thread(getattr(self._memory, name), *args, **named)

    return call


for _name in AsyncMemory.__annotations__:
    setattr(AsyncMemory, _name, _awaited(_name))


def _names(named: Mapping[str, Any]) -> Names:
    return {key: str(name) for key, name in named.items() if name not in (None, "", "*")}


def _validity(day: str | date | None) -> tuple[datetime | None, datetime | None]:
    """From when until when a memory holds that expires on ``day``, which may be past."""
    if day is None:
        return None, None
    day = date.fromisoformat(day) if isinstance(day, str) else day
    end = datetime.combine(day, time.max, tzinfo=timezone.utc)
    return (end - timedelta(days=1) if end <= datetime.now(timezone.utc) else None), end


def _said(messages: Messages) -> Iterator[tuple[str, str]]:
    if isinstance(messages, str):
        messages = {"role": "user", "content": messages}
    for one in [messages] if isinstance(messages, Mapping) else messages:
        content = one.get("content")
        if isinstance(content, list):
            parts = (part.get("text") for part in content if isinstance(part, Mapping))
            content = "\n".join(part for part in parts if isinstance(part, str))
        if isinstance(content, str) and content.strip():
            yield str(one.get("role", "user")), content


def _equalities(filters: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """What every item has to be, by filters that compare for equality."""
    for key, value in filters.items():
        if key == "AND":
            for one in value:
                yield from _equalities(one)
        elif isinstance(value, Mapping):
            yield from ((key, value[name]) for name in ("eq",) if name in value)
        elif not isinstance(value, list):
            yield key, value


def _fits(item: Mapping[str, Any], filters: Mapping[str, Any]) -> bool:
    for key, value in filters.items():
        if key in ("AND", "OR", "NOT"):
            found = [_fits(item, one) for one in ([value] if isinstance(value, Mapping) else value)]
            if not {"AND": all(found), "OR": any(found), "NOT": not any(found)}[key]:
                return False
            continue
        own = item.get(key, (item["metadata"] or {}).get(key))
        tests = value if isinstance(value, Mapping) else {"eq": value}
        if isinstance(value, list):
            tests = {"in": value}
        if not all(_passes(own, name, than) for name, than in tests.items()):
            return False
    return True


def _passes(own: Any, name: str, than: Any) -> bool:
    if name == "eq":
        return own is not None if than == "*" else own == than or (isinstance(own, str) and own == str(than))
    if name == "ne":
        return bool(own != than)
    if name in ("in", "nin"):
        return (own in than) == (name == "in")
    if name in ("contains", "icontains"):
        fold = str.casefold if name == "icontains" else str
        return isinstance(own, str) and fold(str(than)) in fold(own)
    compare = {"gt": "__gt__", "gte": "__ge__", "lt": "__lt__", "lte": "__le__"}.get(name)
    if compare is None:
        raise ValueError(f"there is no filter {name!r}")
    return own is not None and getattr(own, compare)(than) is True


def _own(metadata: Mapping[str, str]) -> dict[str, str]:
    """Metadata without the names of owners."""
    names = {"mem0.more", *(f"mem0.{key}" for key in _OWNERS)}
    return {key: value for key, value in metadata.items() if key not in names}


def _sets(entry: Entry) -> list[Names]:
    return _sets_of(entry.metadata)


def _sets_of(metadata: Mapping[str, str]) -> list[Names]:
    """The names that said a memory: those of one ``add`` each."""
    first = {key: metadata[f"mem0.{key}"] for key in _OWNERS if f"mem0.{key}" in metadata}
    return [first, *json.loads(metadata.get("mem0.more", "[]"))]


def _stored(sets: list[Names]) -> dict[str, str]:
    stored = {f"mem0.{key}": name for key, name in sets[0].items()}
    return stored | ({"mem0.more": json.dumps(sets[1:])} if len(sets) > 1 else {})


def _items(entry: Entry, hit: Hit | None = None) -> list[dict[str, Any]]:
    """A memory as mem0 gives it, once for each of those who said it."""
    own = {key: value for key, value in _own(entry.metadata).items() if not key.startswith("mem0.")}
    item: dict[str, Any] = {
        "id": entry.id,
        "memory": entry.text,
        "hash": hashlib.md5(entry.text.encode(), usedforsecurity=False).hexdigest(),
        "metadata": {key: _json(value) for key, value in own.items()} or None,
        "created_at": entry.created_at.isoformat(),
        "updated_at": entry.created_at.isoformat(),
    }
    if hit is not None:
        item["score"] = hit.score
    return [item | names for names in _sets(entry)]


def _json(value: str) -> Any:
    """A value as it was given; that of somebody else as text."""
    try:
        return json.loads(value)
    except ValueError:
        return value
