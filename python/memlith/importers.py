"""Reads exports of other memories and of chat programs into a ledger.

``messages`` of ChatGPT's and Claude's data exports become what was said, which is found and cited
and is no memory; memories of mem0, of a LangGraph store and of PAM become memories. Each takes in
only what is new when it is called again. A progress bar is shown where ``tqdm`` is installed.

>>> import memlith, tempfile
>>> memory = memlith.Memory.open(tempfile.mkdtemp() + "/memory")
>>> import_mem0(memory, [{"memory": "Likes tea", "user_id": "ana", "created_at": "2026-05-01T12:00:00Z"}])
Imported(added=1, known=0, skipped={}, redacted=0)
"""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ._answers import Imported
from ._memory import Memory
from ._native import Refused

if TYPE_CHECKING:
    from langgraph.store.base import BaseStore

Source = str | os.PathLike[str]
T = TypeVar("T")

_BATCH = 2_000
_LARGEST = 4 << 30


def import_chatgpt(memory: Memory, source: Source) -> Imported:
    """Takes in the conversations of a ChatGPT data export: the zip, its folder, or the JSON file."""
    return _import_lines(memory, _conversations(source), _of_chatgpt)


def import_claude(memory: Memory, source: Source) -> Imported:
    """Takes in the conversations of a Claude data export: the zip, its folder, or the JSON file."""
    return _import_lines(memory, _conversations(source), _of_claude)


def import_mem0(memory: Memory, source: Source | Iterable[Mapping[str, Any]]) -> Imported:
    """Takes in memories of mem0: what ``get_all`` answers, as a file or as it is.

    ``user_id``, else ``agent_id``, else ``run_id`` says whose it is; metadata is kept, and
    ``memlith.mem0.Memory`` finds them.
    """
    read = _read(source) if isinstance(source, (str, os.PathLike)) else source
    items = read.get("results", read.get("memories", [])) if isinstance(read, Mapping) else read
    return _remember_all(memory, "mem0", items, _of_mem0)


def import_pam(memory: Memory, source: Source | Mapping[str, Any]) -> Imported:
    """Takes in the memories of a Portable AI Memory file."""
    read = _read(source) if isinstance(source, (str, os.PathLike)) else source
    return _remember_all(memory, "pam", read.get("memories", []), _of_pam)


def import_langgraph(memory: Memory, store: BaseStore, *, limit: int = 100_000) -> Imported:
    """Puts the items of another LangGraph store into ``memlith.langgraph.MemlithStore`` over ``memory``."""
    from .langgraph import MemlithStore

    own, added, known = MemlithStore(memory), 0, 0
    for namespace in store.list_namespaces(limit=limit):
        for item in store.search(namespace, limit=limit):
            if tuple(item.namespace) != tuple(namespace):
                continue
            there = own.get(namespace, item.key)
            if there is not None and there.value == item.value:
                known += 1
                continue
            own.put(namespace, item.key, item.value)
            added += 1
    return Imported(added, known, {}, 0)


@dataclass(frozen=True)
class _Item:
    """A memory of another system: its name there, words, time, owner and end."""

    name: str
    text: str
    at: datetime | None
    metadata: dict[str, str]
    owner: tuple[str, str] | None = None
    until: datetime | None = None


def _remember_all(
    memory: Memory, source: str, items: Iterable[Any], parse: Callable[[Mapping[str, Any]], _Item | str]
) -> Imported:
    """Remembers items, each under a key of its own name, words and owner."""
    counts: Counter[str] = Counter()
    skipped: Counter[str] = Counter()
    redacted = 0
    for item in _progress(list(items), source):
        one = parse(item) if isinstance(item, Mapping) else "no-object"
        if isinstance(one, str):
            skipped[one] += 1
            continue
        speaks = memory
        if one.owner is not None:
            speaks = _speaker(memory, *one.owner)
        speaks = speaks if one.at is None else speaks.at(min(one.at, datetime.now(timezone.utc)))
        key = hashlib.sha256(json.dumps([source, one.name, one.text, one.owner]).encode()).hexdigest()
        try:
            written = speaks.keyed(key).remember(one.text, metadata=one.metadata, valid_until=one.until)
        except Refused:
            skipped["refused-before"] += 1
            continue
        counts["known" if written.status in ("known", "skipped") else "added"] += 1
        redacted += written.redacted
    return Imported(counts["added"], counts["known"], dict(sorted(skipped.items())), redacted)


def _speaker(memory: Memory, kind: str, name: str) -> Memory:
    """Who speaks in ``memlith.mem0.Memory`` for a user, an agent or a run."""
    return memory.user(name) if kind == "user" else memory.project(f"{kind}:{name}")


def _of_mem0(item: Mapping[str, Any]) -> _Item | str:
    text = item.get("memory") or item.get("text") or item.get("data")
    if not isinstance(text, str) or not text.strip():
        return "no-text"
    names = {key: str(item[key]) for key in ("user_id", "agent_id", "run_id") if item.get(key)}
    owner = next(((key.removesuffix("_id"), name) for key, name in names.items()), None)
    beside = {key: json.dumps(value) for key, value in (item.get("metadata") or {}).items()}
    beside |= {f"mem0.{key}": name for key, name in names.items()}
    beside |= {"mem0.id": str(item["id"])} if item.get("id") else {}
    at = _instant(item.get("created_at") or item.get("updated_at"))
    return _Item(str(item.get("id", "")), text, at, beside, owner)


def _of_pam(item: Mapping[str, Any]) -> _Item | str:
    text = item.get("content")
    if not isinstance(text, str) or not text.strip():
        return "no-text"
    if str(item.get("status", "active")) not in ("active", ""):
        return "not-active"
    temporal = item.get("temporal") or {}
    if temporal.get("superseded_by"):
        return "superseded"
    at, until = (_instant(temporal.get(key)) for key in ("created_at", "valid_until"))
    beside = {f"pam.{key}": str(item[key]) for key in ("type", "id") if item.get(key)}
    return _Item(str(item.get("id", "")), text, at, beside, None, until)


def _import_lines(
    memory: Memory, conversations: list[Any], read: Callable[[Mapping[str, Any]], Iterator[dict[str, Any]]]
) -> Imported:
    """Takes in the messages of conversations, some thousand at a time."""
    done, is_empty = Imported(0, 0, {}, 0), True
    lines: list[str] = []
    for conversation in _progress(conversations, "conversations"):
        if isinstance(conversation, Mapping):
            lines += [json.dumps(one, ensure_ascii=True) for one in read(conversation)]
            is_empty &= not lines
        if len(lines) >= _BATCH:
            done, lines = done + memory.import_messages(lines), []
    if conversations and is_empty:
        raise ValueError("no message was found: is it an export of another program?")
    return done + memory.import_messages(lines) if lines else done


def _of_chatgpt(conversation: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The messages of the branch that the person sees, the oldest first."""
    nodes = conversation.get("mapping") or {}
    parents = {node.get("parent") for node in nodes.values()}
    newest = [name for name in nodes if name not in parents][-1:]
    branch: list[Any] = []
    at = conversation.get("current_node") or (newest[0] if newest else None)
    while isinstance(at, str) and at in nodes and len(branch) <= len(nodes):
        branch.append(nodes[at])
        at = nodes[at].get("parent")
    session = str(conversation.get("conversation_id") or conversation.get("id") or conversation.get("title"))
    for node in reversed(branch):
        message = node.get("message") or {}
        hidden = (message.get("metadata") or {}).get("is_visually_hidden_from_conversation")
        parts = (message.get("content") or {}).get("parts") or []
        text = "\n".join(part for part in parts if isinstance(part, str))
        role = (message.get("author") or {}).get("role")
        when = _instant(message.get("create_time") or conversation.get("create_time"))
        if text.strip() and when is not None and not hidden and role in ("user", "assistant"):
            yield _line(conversation, session, str(message.get("id")), role, when, text)


def _of_claude(conversation: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    session = str(conversation.get("uuid") or conversation.get("name"))
    for message in conversation.get("chat_messages") or []:
        parts = [part.get("text") for part in message.get("content") or [] if part.get("type") == "text"]
        text = "\n".join(part for part in parts if part) or str(message.get("text") or "")
        role = {"human": "user", "assistant": "assistant"}.get(message.get("sender"))
        when = _instant(message.get("created_at") or conversation.get("created_at"))
        if text.strip() and when is not None and role is not None:
            yield _line(conversation, session, str(message.get("uuid")), role, when, text)


def _line(
    conversation: Mapping[str, Any], session: str, id: str, role: str, at: datetime, text: str
) -> dict[str, Any]:
    title = str(conversation.get("title") or conversation.get("name") or "")
    when = at.astimezone(timezone.utc).isoformat().replace("+00:00", "Z")
    return {"session": session, "id": id, "role": role, "at": when, "text": text, "title": title}


def _conversations(source: Source) -> list[Any]:
    """The conversations of an export; newer ones are cut into several files."""
    path = Path(source)
    if path.is_dir():
        files = sorted(path.glob("conversations*.json"))
        if not files:
            raise ValueError(f"{path} holds no conversations.json")
        return [one for file in files for one in _list_of(_read(file), file)]
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            found = sorted(
                (info for info in archive.infolist() if _is_conversations(info.filename)),
                key=lambda info: info.filename,
            )
            if not found:
                raise ValueError(f"{path} holds no conversations.json")
            if sum(info.file_size for info in found) > _LARGEST:
                raise ValueError(f"{path} unpacks to more than 4 GiB")
            return [one for info in found for one in _list_of(json.loads(archive.read(info)), path)]
    return _list_of(_read(path), path)


def _is_conversations(name: str) -> bool:
    last = name.rsplit("/", 1)[-1]
    return last.startswith("conversations") and last.endswith(".json")


def _list_of(read: Any, path: Path) -> list[Any]:
    if not isinstance(read, list):
        raise ValueError(f"{path} is no list of conversations")
    return read


def _read(source: Source) -> Any:
    try:
        return json.loads(Path(source).read_bytes())
    except ValueError as error:
        raise ValueError(f"{os.fspath(source)} is no JSON: {error}") from error


def _instant(value: Any) -> datetime | None:
    """An instant of seconds since 1970, or of RFC 3339; without a zone it is UTC."""
    try:
        if isinstance(value, (int, float)):
            return datetime.fromtimestamp(value, timezone.utc)
        at = datetime.fromisoformat(str(value).replace("Z", "+00:00"))
    except (ValueError, OverflowError, OSError):
        return None
    return at if at.tzinfo else at.replace(tzinfo=timezone.utc)


def _progress(items: list[T], what: str) -> Iterable[T]:
    try:
        from tqdm.auto import tqdm  # type: ignore[import-untyped, unused-ignore]
    except ImportError:
        return items
    bar: Iterable[T] = tqdm(items, desc=what)
    return bar
