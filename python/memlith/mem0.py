"""mem0's ``Memory`` over a ledger: change ``from mem0 import Memory`` to ``from memlith.mem0 import Memory``.

No model is called. ``add`` keeps each message of a user as it is said, where mem0 lets a model word
facts, unless ``infer=False``; with an assistant's messages, and the system's, it does nothing. A
message that replaces an older one comes back as ``UPDATE``, one that says nothing new not at all.
Identifiers are this ledger's.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ._answers import Entry, Hit
from ._memory import Memory as Ledger

Messages = str | Mapping[str, Any] | Iterable[Mapping[str, Any]]

_OWNERS = ("user_id", "agent_id", "run_id")


class Memory:
    """mem0's calls, with its arguments and its answers.

    >>> import tempfile
    >>> memory = Memory(path=tempfile.mkdtemp() + "/memory")
    >>> added = memory.add("I moved to Oslo.", user_id="ana")
    >>> [one["memory"] for one in memory.search("where do I live?", filters={"user_id": "ana"})["results"]]
    ['I moved to Oslo.']
    """

    def __init__(self, config: Any = None, *, path: str | os.PathLike[str] | None = None) -> None:
        """Opens the ledger in ``path``, else ``$MEMLITH_LEDGER``, else ``~/.local/share/memlith``.

        ``config`` is mem0's and says nothing here: there is no model and no vector store.
        """
        named = path or os.environ.get("MEMLITH_LEDGER")
        self._ledger = Ledger.open(named or Path.home() / ".local/share/memlith")

    @classmethod
    def from_config(cls, config_dict: Mapping[str, Any]) -> Memory:
        """Opens the ledger that ``config_dict["path"]`` names; other keys are mem0's."""
        return cls(config_dict, path=config_dict.get("path"))

    def add(
        self,
        messages: Messages,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        infer: bool = True,
        **_: Any,
    ) -> dict[str, Any]:
        """Keeps messages; returns ``{"results": [{"id", "memory", "event"}]}``."""
        owner = self._owner(user_id, agent_id, run_id)
        beside = {key: json.dumps(value) for key, value in (metadata or {}).items()}
        names = {"user_id": user_id, "agent_id": agent_id, "run_id": run_id}
        beside |= {f"mem0.{key}": name for key, name in names.items() if name is not None}
        results = []
        for role, text in _said(messages):
            if role == "system" or (infer and role != "user"):
                continue
            written = owner.remember(text, metadata=beside)
            event = {"added": "ADD", "may_replace": "ADD", "replaced": "UPDATE", "waiting": "ADD"}
            if written.status in event:
                results.append({"id": written.id, "memory": text, "event": event[written.status]})
        return {"results": results}

    def get(self, memory_id: str) -> dict[str, Any] | None:
        """Returns a memory, or ``None`` if there is none or it was deleted."""
        from ._native import MemlithError

        try:
            entry = self._seen(memory_id)[1]
        except MemlithError:
            return None
        return _item(entry) if entry.standing in ("active", "contested", "outdated") else None

    def get_all(
        self, *, filters: Mapping[str, Any] | None = None, top_k: int = 20, **named: Any
    ) -> dict[str, Any]:
        """Returns memories, the newest first: ``{"results": [...]}``."""
        owner, beside = self._filtered(filters, named)
        found = owner.list(standing="active", metadata=beside, limit=top_k)
        return {"results": [_item(entry) for entry in found]}

    def search(
        self,
        query: str,
        *,
        top_k: int = 20,
        filters: Mapping[str, Any] | None = None,
        threshold: float = 0.1,
        **named: Any,
    ) -> dict[str, Any]:
        """Returns the memories that answer ``query`` best: ``{"results": [{..., "score"}]}``."""
        top_k = named.pop("limit", top_k)
        owner, beside = self._filtered(filters, named)
        results = []
        for hit in owner.search(query, top_k if not beside else max(top_k * 4, 64)):
            entry = owner.get(hit.id)
            if hit.score >= threshold and beside.items() <= entry.metadata.items():
                results.append(_item(entry, hit))
        return {"results": results[:top_k]}

    def update(
        self,
        memory_id: str,
        text: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        *,
        data: str | None = None,
        **_: Any,
    ) -> dict[str, str]:
        """Replaces the text of a memory, whose id changes: ``history`` leads from one to the other."""
        owner, entry = self._seen(memory_id)
        words = text if text is not None else data if data is not None else entry.text
        beside = dict(entry.metadata)
        beside |= {key: json.dumps(value) for key, value in (metadata or {}).items()}
        owner.update(memory_id, words, metadata=beside)
        return {"message": "Memory updated successfully!"}

    def delete(self, memory_id: str) -> dict[str, str]:
        """Takes a memory out of sight."""
        self._seen(memory_id)[0].forget(memory_id, "deleted")
        return {"message": "Memory deleted successfully!"}

    def delete_all(
        self, user_id: str | None = None, agent_id: str | None = None, run_id: str | None = None
    ) -> dict[str, str]:
        """Takes all memories of a user, agent or run out of sight."""
        owner = self._owner(user_id, agent_id, run_id)
        names = {"user_id": user_id, "agent_id": agent_id, "run_id": run_id}
        beside = {f"mem0.{key}": name for key, name in names.items() if name is not None}
        ids = [entry.id for entry in owner.all(standing="active", metadata=beside, limit=500)]
        for start in range(0, len(ids), 500):
            owner.forget(ids[start : start + 500], "deleted")
        return {"message": "Memories deleted successfully!"}

    def history(self, memory_id: str) -> list[dict[str, Any]]:
        """Returns what became of a memory, and of what it replaced, the oldest first."""
        steps, before = [], None
        for step in self._seen(memory_id)[0].history(memory_id):
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
        """Refuses: a ledger is a folder; delete that, or ``delete_all`` of an owner."""
        raise NotImplementedError("a ledger keeps its records: delete_all(), or delete its folder")

    def close(self) -> None:
        """Ends the use of the ledger."""
        self._ledger.close()

    def _owner(self, user_id: str | None, agent_id: str | None, run_id: str | None) -> Ledger:
        if not (user_id or agent_id or run_id):
            raise ValueError("name at least one of user_id, agent_id and run_id")
        owner = self._ledger.user(user_id) if user_id else self._ledger
        owner = owner.agent(agent_id) if agent_id else owner
        return owner.session(run_id) if run_id else owner

    def _seen(self, memory_id: str) -> tuple[Ledger, Entry]:
        """The memory of this id, whoever's it is, and a ledger that sees it."""
        owner = Ledger(self._ledger._native.of_record(memory_id))
        return owner, owner.get(memory_id)

    def _filtered(
        self, filters: Mapping[str, Any] | None, named: Mapping[str, Any]
    ) -> tuple[Ledger, dict[str, str]]:
        wanted = {**(filters or {}), **{key: named[key] for key in _OWNERS if key in named}}
        unknown = [key for key, value in wanted.items() if isinstance(value, (dict, list))]
        if unknown:
            raise NotImplementedError(f"filters compare for equality: {', '.join(unknown)}")
        owner = self._owner(*(wanted.get(name) for name in _OWNERS))
        beside = {f"mem0.{key}": wanted[key] for key in _OWNERS if wanted.get(key)}
        rest = {key: json.dumps(wanted[key]) for key in wanted if key not in _OWNERS}
        return owner, beside | rest


def _said(messages: Messages) -> Iterable[tuple[str, str]]:
    if isinstance(messages, str):
        yield "user", messages
        return
    for one in [messages] if isinstance(messages, Mapping) else messages:
        content = one.get("content")
        if isinstance(content, str) and content.strip():
            yield str(one.get("role", "user")), content


def _item(entry: Entry, hit: Hit | None = None) -> dict[str, Any]:
    own = {key: value for key, value in entry.metadata.items() if not key.startswith("mem0.")}
    item: dict[str, Any] = {
        "id": entry.id,
        "memory": entry.text,
        "hash": hashlib.md5(entry.text.encode(), usedforsecurity=False).hexdigest(),
        "metadata": {key: json.loads(value) for key, value in own.items()} or None,
        "created_at": entry.created_at.isoformat(),
        "updated_at": entry.created_at.isoformat(),
    }
    if hit is not None:
        item["score"] = hit.score
    for name in _OWNERS:
        if f"mem0.{name}" in entry.metadata:
            item[name] = entry.metadata[f"mem0.{name}"]
    return item
