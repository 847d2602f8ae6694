"""Exports of other programs: small ones, in the shapes that those write."""

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

import memlith
from memlith import importers


def node(parent: str | None, role: str, text: str, at: float, **more: Any) -> dict[str, Any]:
    content = {"content_type": "text", "parts": [text]}
    message = {"id": f"m{at}", "author": {"role": role}, "create_time": at, "content": content, **more}
    return {"id": f"m{at}", "parent": parent, "children": [], "message": message}


HIDDEN = {"metadata": {"is_visually_hidden_from_conversation": True}}
CHATGPT = [
    {
        "title": "Kayaks",
        "create_time": 1_700_000_000.0,
        "conversation_id": "c1",
        "current_node": "d",
        "mapping": {
            "root": {"id": "root", "parent": None, "children": ["a"], "message": None},
            "a": node("root", "system", "You are helpful.", 1_700_000_000.5, **HIDDEN),
            "b": node("a", "user", "My kayak is yellow.", 1_700_000_001.0),
            "c": node("b", "assistant", "An answer that was taken back.", 1_700_000_002.0),
            "d": node("b", "assistant", "Yellow is easy to see.", 1_700_000_003.0),
        },
    },
    {"title": "Old", "id": "c2", "mapping": {"x": node(None, "user", "Paris is old.", 1_600_000_000.0)}},
]
CLAUDE = [
    {
        "uuid": "u1",
        "name": "Boats",
        "created_at": "2026-02-14T10:04:22.000Z",
        "chat_messages": [
            {
                "uuid": "m1",
                "sender": "human",
                "text": "My canoe is green.",
                "content": [{"type": "text", "text": "My canoe is green."}],
                "created_at": "2026-02-14T10:04:22.000Z",
            },
            {
                "uuid": "m2",
                "sender": "assistant",
                "text": "",
                "content": [{"type": "thinking"}, {"type": "text", "text": "A green canoe!"}],
                "created_at": "2026-02-14T10:05:22.123456Z",
            },
        ],
    }
]


def test_a_chatgpt_export_is_what_was_said(memory: memlith.Memory, tmp_path: Path) -> None:
    ana = memory.user("ana")
    export = tmp_path / "export.zip"
    with zipfile.ZipFile(export, "w") as archive:
        archive.writestr("conversations.json", json.dumps(CHATGPT))
        archive.writestr("user.json", "{}")
    # Two sessions, each with its start, its messages and its end.
    assert importers.import_chatgpt(ana, export) == memlith.Imported(7, 0, {}, 0)
    assert importers.import_chatgpt(ana, export) == memlith.Imported(0, 7, {}, 0)
    [hit] = ana.search("which colour is my kayak?", 1)
    assert hit.text == "My kayak is yellow." and hit.is_record and hit.said_at.year == 2023
    assert ana.search("taken back") == [] and ana.list().items == ()
    assert memory.user("bob").search("kayak") == []


def test_messages_without_names_are_taken_in_once(memory: memlith.Memory) -> None:
    line = {"session": "s", "role": "user", "at": "2026-05-01T12:00:00Z", "text": "My canoe is green."}
    for number, text in enumerate(["My canoe is green.", "My tent is red.", "My tent is red."]):
        done = memory.import_messages([json.dumps({**line, "text": text})])
        assert (done.known > 0) == (number > 0)
    assert memory.state().said == 2


def test_a_claude_export_is_what_was_said(memory: memlith.Memory, tmp_path: Path) -> None:
    folder = tmp_path / "export"
    folder.mkdir()
    (folder / "conversations.json").write_text(json.dumps(CLAUDE))
    assert importers.import_claude(memory, folder).added == 4
    found = memory.search("which colour is my canoe?")
    assert {hit.text for hit in found} == {"My canoe is green.", "A green canoe!"}
    assert memory.state().said == 2


def test_memories_of_mem0_are_found_by_its_own_calls(tmp_path: Path) -> None:
    from memlith.mem0 import Memory

    items = [
        {"id": "1", "memory": "Likes tea", "user_id": "ana", "created_at": "2026-05-01T12:00:00-07:00"},
        {"id": "2", "memory": "Deploys at noon", "agent_id": "ops", "metadata": {"team": "a"}},
        {"id": "3", "memory": ""},
        "nonsense",
    ]
    export = tmp_path / "mem0.json"
    export.write_text(json.dumps({"results": items}))
    with memlith.Memory.open(tmp_path / "memory") as memory:
        skipped = {"no-object": 1, "no-text": 1}
        assert importers.import_mem0(memory, export) == memlith.Imported(2, 0, skipped, 0)
        assert importers.import_mem0(memory, items) == memlith.Imported(0, 2, skipped, 0)
        [tea] = memory.user("ana").list()
        assert tea.created_at.isoformat() == "2026-05-01T19:00:00+00:00"
    facade = Memory(path=tmp_path / "memory")
    assert facade.get_all(user_id="ana")["results"][0]["memory"] == "Likes tea"
    assert facade.get("1")["memory"] == "Likes tea"  # type: ignore[index]
    assert facade.search("deploys", filters={"agent_id": "ops"})["results"][0]["metadata"] == {"team": "a"}
    facade.close()


def test_a_portable_memory_file(memory: memlith.Memory, tmp_path: Path) -> None:
    def item(name: str, content: str, **more: Any) -> dict[str, Any]:
        temporal = {"created_at": "2026-01-15T09:00:00Z"} | more.pop("temporal", {})
        return {"id": name, "type": "preference", "content": content, "temporal": temporal, **more}

    items = [
        item("a", "Prefers metric units."),
        item("b", "Prefers miles.", temporal={"superseded_by": "a"}),
        item("c", "Was archived.", status="archived"),
    ]
    written = {"schema": "portable-ai-memory", "schema_version": "1.0", "memories": items}
    (tmp_path / "pam.json").write_text(json.dumps(written))
    done = importers.import_pam(memory, tmp_path / "pam.json")
    assert done == memlith.Imported(1, 0, {"not-active": 1, "superseded": 1}, 0)
    [entry] = memory.list()
    assert entry.text == "Prefers metric units." and entry.metadata["pam.id"] == "a"


def test_a_langgraph_store_is_copied(memory: memlith.Memory) -> None:
    memory_store = pytest.importorskip("langgraph.store.memory")
    from memlith.langgraph import MemlithStore

    store = memory_store.InMemoryStore()
    store.put(("users", "ana"), "likes", {"drink": "tea"})
    store.put(("users",), "count", {"of": 1})
    assert importers.import_langgraph(memory, store) == memlith.Imported(2, 0, {}, 0)
    assert importers.import_langgraph(memory, store) == memlith.Imported(0, 2, {}, 0)
    assert MemlithStore(memory).get(("users", "ana"), "likes").value == {"drink": "tea"}


def test_a_file_that_is_none_says_so(memory: memlith.Memory, tmp_path: Path) -> None:
    broken = tmp_path / "conversations.json"
    broken.write_text("[{")
    with pytest.raises(ValueError, match="no JSON"):
        importers.import_chatgpt(memory, broken)
    broken.write_text("{}")
    with pytest.raises(ValueError, match="no list"):
        importers.import_claude(memory, tmp_path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match="conversations.json"):
        importers.import_claude(memory, tmp_path / "empty")
    broken.write_text(json.dumps(CHATGPT))
    with pytest.raises(ValueError, match="no message"):
        importers.import_claude(memory, broken)
    with pytest.raises(memlith.MemlithError):
        memory.import_messages(["{}"] * 20)
    loop = {
        "mapping": {"a": node("b", "user", "x", 1.0), "b": node("a", "user", "y", 2.0)},
        "current_node": "a",
    }
    broken.write_text(json.dumps([loop, 5, {"mapping": {"a": {}}, "current_node": "a"}]))
    assert importers.import_chatgpt(memory, broken).added == 4
