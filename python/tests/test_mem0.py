"""mem0's documented calls, by one changed import."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from memlith.mem0 import AsyncMemory, Memory


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
    m.add("The deploy runs at noon.", agent_id="ops", metadata={"team": "a", "tags": ["x"], "n": 3})
    m.add("The report is due at noon.", user_id="ana", run_id="r1", metadata={"team": "b", "n": 5})
    found = m.search("noon", filters={"agent_id": "ops", "team": "a"})["results"]
    assert [one["metadata"]["team"] for one in found] == ["a"] and found[0]["agent_id"] == "ops"
    assert m.get_all(filters={"user_id": "ana", "team": "a"})["results"] == []
    assert m.get_all(filters={"user_id": "ana", "run_id": "r1"})["results"][0]["run_id"] == "r1"
    for filters, fits in [
        ({"n": {"gte": 5}}, True),
        ({"n": {"gt": 5}}, False),
        ({"OR": [{"team": "a"}, {"n": {"in": [4, 5]}}]}, True),
        ({"NOT": [{"team": "b"}]}, False),
        ({"AND": [{"team": {"icontains": "B"}}, {"n": {"ne": 4}}]}, True),
        ({"run_id": "*"}, True),
        ({"agent_id": "*"}, False),
        ({"n": {"lt": "x"}}, False),
    ]:
        found = m.search("noon", filters={"user_id": "ana", **filters})["results"]
        assert bool(found) == fits, filters
    with pytest.raises(ValueError, match="no filter"):
        m.search("noon", filters={"user_id": "ana", "n": {"near": 3}})
    m.delete_all(user_id="ana")
    assert m.get_all(user_id="ana")["results"] == []
    for call in (lambda: m.add("x y z"), lambda: m.search("x"), m.delete_all, m.get_all):
        with pytest.raises(ValueError, match="user_id"):
            call()


def test_each_name_is_a_filter_of_its_own(m: Memory) -> None:
    m.add("Both own this sofa.", user_id="w2", agent_id="a2")
    m.add("The run has a sofa.", user_id="w", run_id="r")
    m.add("The agent alone has a sofa.", agent_id="a2")

    def texts(**named: str) -> set[str]:
        return {one["memory"] for one in m.get_all(**named)["results"]}

    both, run, agent = "Both own this sofa.", "The run has a sofa.", "The agent alone has a sofa."
    assert texts(user_id="w2") == {both} and texts(agent_id="a2") == {both, agent}
    assert texts(run_id="r") == {run} and texts(user_id="w", agent_id="a2") == set()
    found = m.search("sofa", filters={"agent_id": "a2"})["results"]
    assert {one["memory"] for one in found} == {both, agent}
    m.delete_all(run_id="r")
    assert texts(user_id="w") == set() and texts(user_id="w2") == {both}
    m.delete_all(user_id="w2")
    assert texts(agent_id="a2") == {agent}
    m.reset()
    assert texts(agent_id="a2") == set()


def test_an_old_id_leads_to_the_newest(m: Memory) -> None:
    one = m.add("I drive a Volvo", user_id="u")["results"][0]["id"]
    m.update(one, data="I drive a Saab")
    m.update(one, "I drive a Fiat", metadata={"year": 2})
    assert m.get(one)["memory"] == "I drive a Fiat"  # type: ignore[index]
    assert m.get(one)["metadata"] == {"year": 2}  # type: ignore[index]
    assert [step["event"] for step in m.history(one)] == ["ADD", "UPDATE", "UPDATE"]
    m.delete(one)
    assert m.get(one) is None and m.get_all(user_id="u")["results"] == []
    for call in (lambda: m.delete(one), lambda: m.update(one, "x"), lambda: m.delete("nonsense")):
        with pytest.raises(ValueError, match="memory"):
            call()
    assert m.get("nonsense") is None and m.history("nonsense") == []
    again = m.add("I drive a Fiat", user_id="u", metadata={"b": 2})["results"]
    [back] = m.get_all(user_id="u")["results"]
    assert [one["event"] for one in again] == ["ADD"] and back["id"] == again[0]["id"]
    assert back["metadata"]["b"] == 2 and m.add("I drive a Fiat", user_id="u")["results"] == []


def test_what_two_runs_say_is_a_memory_of_both(m: Memory) -> None:
    said = "Yes, please book it."
    m.add(said, user_id="u", run_id="r1")
    [again] = m.add(said, user_id="u", run_id="r2", metadata={"k": 1})["results"]
    assert again["event"] == "ADD"
    for run in ("r1", "r2"):
        [found] = m.get_all(user_id="u", run_id=run)["results"]
        assert (found["memory"], found["run_id"]) == (said, run)
    assert len(m.get_all(user_id="u")["results"]) == 1
    assert m.search("book", filters={"run_id": "r2", "user_id": "u"})["results"][0]["metadata"] == {"k": 1}
    m.delete_all(run_id="r2")
    assert m.get_all(user_id="u", run_id="r2")["results"] == []
    assert len(m.get_all(user_id="u", run_id="r1")["results"]) == 1
    with pytest.raises(ValueError, match="twice"):
        m.search("book", user_id="u", filters={"user_id": "bob"})
    assert m.search("book", filters={"user_id": "u", "NOT": {"run_id": "r1"}})["results"] == []
    assert m.ledger.verify().ok


def test_a_filter_finds_what_stands_behind_many(m: Memory) -> None:
    words = [f"{one}{two}" for one in "bdfghklmnp" for two in ("ora", "iva", "ule", "eto", "ani", "umo")]
    m.add("The locker code of zara is green.", user_id="u", metadata={"c": "x"})
    for first in words[:40]:
        for second in words[40:50]:
            m.add(f"The locker code of {first} is {second}.", user_id="u")
    found = m.search("locker code", filters={"user_id": "u", "c": "x"}, top_k=3)["results"]
    assert [one["memory"] for one in found] == ["The locker code of zara is green."]
    assert len(m.get_all(user_id="u", limit=7)["results"]) == 7


def test_messages_and_what_is_not_there(m: Memory, tmp_path: Path) -> None:
    parts = [{"type": "text", "text": "I like jazz"}, {"type": "image_url", "image_url": {"url": "x"}}]
    assert m.add({"role": "user", "content": parts}, user_id=5)["results"]  # type: ignore[arg-type]
    assert m.get_all(user_id="5")["results"][0]["memory"] == "I like jazz"
    assert m.add("The fair is on.", user_id="d", expiration_date="2020-01-01")["results"]
    assert m.search("fair", filters={"user_id": "d"})["results"] == []
    with pytest.raises(TypeError):
        m.add("x y", user_id="u", surprise=1)  # type: ignore[call-arg]
    with pytest.raises(NotImplementedError):
        m.add("x y", user_id="u", memory_type="procedural_memory")  # type: ignore[arg-type]
    other = Memory({"path": tmp_path / "other"})
    assert (tmp_path / "other").exists()
    other.close()


def test_calls_are_awaited(tmp_path: Path) -> None:
    async def run() -> list[str]:
        memory = await AsyncMemory.from_config({"path": tmp_path / "memory"})
        await memory.add("I moved to Oslo.", user_id="ana")
        found = await memory.search("where do I live?", filters={"user_id": "ana"})
        await memory.close()
        return [one["memory"] for one in found["results"]]

    assert asyncio.run(run()) == ["I moved to Oslo."]
