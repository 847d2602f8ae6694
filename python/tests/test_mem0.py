"""mem0's documented calls, by one changed import."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from memlith.mem0 import Memory


@pytest.fixture
def m(tmp_path: Path) -> Iterator[Memory]:
    memory = Memory(path=tmp_path / "memory")
    yield memory
    memory.close()


def test_the_quickstart_of_mem0(m: Memory) -> None:
    messages = [
        {"role": "user", "content": "I'm planning to watch a movie tonight. Any suggestions?"},
        {"role": "assistant", "content": "How about a thriller? They can be quite engaging."},
        {"role": "user", "content": "I'm not a big fan of thrillers, but I love sci-fi movies."},
    ]
    added = m.add(messages, user_id="alice", metadata={"category": "movies"})
    assert {one["event"] for one in added["results"]} == {"ADD"}
    found = m.search("What kind of movies does alice love?", filters={"user_id": "alice"})
    first = found["results"][0]
    assert "sci-fi" in first["memory"] and first["user_id"] == "alice"
    assert first["metadata"] == {"category": "movies"} and first["score"] > 0
    assert m.search("movies", user_id="bob")["results"] == []


def test_the_life_of_a_memory(m: Memory) -> None:
    one = m.add("My port is 8080.", user_id="ana")["results"][0]["id"]
    assert m.get(one)["memory"] == "My port is 8080."  # type: ignore[index]
    two = m.add("My port is 9090.", user_id="ana")["results"][0]
    assert two["event"] == "UPDATE"
    assert [step["event"] for step in m.history(two["id"])] == ["ADD", "UPDATE"]
    assert m.update(two["id"], data="My port is 7070.")["message"].startswith("Memory updated")
    all_of_ana = m.get_all(filters={"user_id": "ana"})["results"]
    assert [item["memory"] for item in all_of_ana] == ["My port is 7070."]
    assert m.delete(all_of_ana[0]["id"])["message"].startswith("Memory deleted")
    assert m.get(all_of_ana[0]["id"]) is None and m.get_all(user_id="ana")["results"] == []
    assert m.history(all_of_ana[0]["id"])[-1]["event"] == "DELETE"


def test_filters_and_owners(m: Memory) -> None:
    m.add("The deploy runs at noon.", agent_id="ops", metadata={"team": "a", "tags": ["x"]})
    m.add("The report is due at noon.", user_id="ana", run_id="r1", metadata={"team": "b"})
    found = m.search("noon", filters={"agent_id": "ops", "team": "a"})["results"]
    assert [one["metadata"]["team"] for one in found] == ["a"] and found[0]["agent_id"] == "ops"
    assert m.get_all(filters={"user_id": "ana", "team": "a"})["results"] == []
    assert m.get_all(filters={"user_id": "ana", "run_id": "r1"})["results"][0]["run_id"] == "r1"
    m.delete_all(user_id="ana")
    assert m.get_all(user_id="ana")["results"] == []
    for call in (lambda: m.add("x y z"), lambda: m.search("x"), m.delete_all, m.get_all):
        with pytest.raises(ValueError, match="user_id"):
            call()
    with pytest.raises(NotImplementedError):
        m.search("x", filters={"user_id": "ana", "n": {"gte": 3}})
    assert m.get("nonsense") is None
