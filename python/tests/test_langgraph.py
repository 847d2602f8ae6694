"""The store beside LangGraph's own."""

import asyncio
import random
from pathlib import Path
from typing import Any

import pytest

import memlith

pytest.importorskip("langgraph.store.base")

from langgraph.store.base import GetOp, ListNamespacesOp, MatchCondition, PutOp, SearchOp
from langgraph.store.memory import InMemoryStore

from memlith.langgraph import MemlithStore

NAMESPACES = [("a",), ("a", "b"), ("a", "B"), ("c", "\u00e9"), ("c", "d", "e")]
KEYS = ["k", "K", "k2", "caf\u00e9", "x y", "\U0001f600"]


def value(chance: random.Random) -> dict[str, Any]:
    return {
        "text": chance.choice(["Ana drinks tea.", "Ben drinks coffee.", "", "\u0663"]),
        "n": chance.choice([0, 1, 2.5, -3]),
        "deep": {"tag": chance.choice(["x", "y"]), "list": [1, {"z": None}]},
    }


def op(chance: random.Random) -> Any:
    place = chance.choice(NAMESPACES), chance.choice(KEYS)
    kind = chance.randrange(8)
    if kind < 3:
        return PutOp(*place, value(chance))
    if kind == 3:
        return PutOp(*place, None)
    if kind == 4:
        return GetOp(*place)
    if kind < 7:
        wanted = chance.choice(
            [
                None,
                {"n": 1},
                {"n": {"$gte": 1}},
                {"deep": {"tag": "x"}},
                {"text": {"$ne": ""}},
                {"deep": {"list": [1, {"z": None}]}},
            ]
        )
        prefix = chance.choice([(), ("a",), ("c",), ("a", "b")])
        return SearchOp(prefix, wanted, chance.randrange(1, 9), chance.randrange(3))
    condition = chance.choice(
        [None, (MatchCondition("prefix", ("a",)),), (MatchCondition("suffix", ("*",)),)]
    )
    return ListNamespacesOp(condition, chance.choice([None, 1, 2]), chance.randrange(1, 9))


def plain(result: Any) -> Any:
    """An answer without its instants, which no two stores share."""
    if isinstance(result, list):
        return [plain(one) for one in result]
    if hasattr(result, "value"):
        return (result.namespace, result.key, result.value, getattr(result, "score", None))
    return result


def test_secrets_leave_a_store_that_can_be_read(memory: memlith.Memory) -> None:
    store = MemlithStore(memory)
    store.put(("a",), "k", {"token": 2.5, "name": "the gate"})
    store.put(("token=abcdef0123456789",), "password=hunter2hunter2", {"n": 1})
    memory.remember("Somebody else's.", metadata={"langgraph": "[]"})
    again = MemlithStore(memory)
    assert again.get(("a",), "k").value["name"] == "the gate"
    assert "2.5" not in str(again.get(("a",), "k").value)
    assert again.get(("token=abcdef0123456789",), "password=hunter2hunter2").value == {"n": 1}


def test_a_text_twice_is_embedded_in_the_next_process_too(memory: memlith.Memory) -> None:
    index: Any = {"dims": 2, "embed": lambda texts: [[len(t) + 1.0, 1.0] for t in texts], "fields": ["text"]}
    store = MemlithStore(memory, index=index)
    store.put(("a",), "1", {"text": "tea"})
    store.put(("a",), "2", {"text": "tea"})
    store.put(("a",), "3", {"text": "tea"}, index=False)
    found = MemlithStore(memory, index=index).search(("a",), query="tea")
    assert {item.key: item.score is None for item in found} == {"1": False, "2": False, "3": True}


def test_what_is_refused_is_not_seen(memory: memlith.Memory) -> None:
    store = MemlithStore(memory)
    store.put(("a",), "old", {"n": "x"})
    with pytest.raises((ValueError, TypeError)):
        store.batch([PutOp(("a",), "k", {"v": 1}), SearchOp(("a",), {"n": {"$gt": 1}})])
    assert store.get(("a",), "k") is None and MemlithStore(memory).get(("a",), "k") is None
    bot = MemlithStore(memory.speaker("bot", "assistant"))
    for call in (lambda: bot.put(("a",), "old", {"n": "y"}), lambda: bot.delete(("a",), "old")):
        with pytest.raises(memlith.Refused):
            call()
        assert bot.get(("a",), "old").value == {"n": "x"}
    with pytest.raises(memlith.MemlithError):
        store.put(("a",), "large", {"v": "x" * (2 << 20)})
    assert store.get(("a",), "large") is None


@pytest.mark.parametrize("seed", range(4))
def test_random_operations_are_answered_alike(memory: memlith.Memory, seed: int) -> None:
    chance = random.Random(seed)
    ours, theirs = MemlithStore(memory), InMemoryStore()
    for _ in range(120):
        ops = [op(chance) for _ in range(chance.randrange(1, 4))]
        assert plain(ours.batch(ops)) == plain(theirs.batch(ops)), ops
    # The next process has the same items; the order of what was never put again is kept.
    again = MemlithStore(memory)
    everything = [SearchOp((), None, 1_000)]
    order = lambda found: sorted(plain(found)[0], key=repr)  # noqa: E731
    assert order(again.batch(everything)) == order(theirs.batch(everything))


def test_another_process_is_seen(memory: memlith.Memory) -> None:
    one, two = MemlithStore(memory), MemlithStore(memory)
    one.put(("a",), "k", {"v": 1})
    assert two.get(("a",), "k").value == {"v": 1}
    two.put(("a",), "k", {"v": 2})
    assert one.get(("a",), "k").value == {"v": 2}
    two.delete(("a",), "k")
    assert one.get(("a",), "k") is None
    one.put(("a",), "k", {"v": 1})
    assert two.get(("a",), "k").value == {"v": 1}


def test_items_end_by_themselves_and_reading_puts_it_off(memory: memlith.Memory) -> None:
    store = MemlithStore(memory, ttl={"default_ttl": None, "refresh_on_read": True})
    store.put(("a",), "short", {"v": 1}, ttl=0.0005)
    store.put(("a",), "long", {"v": 2}, ttl=60)
    end = store._ends[(("a",), "long")][0]
    assert store.get(("a",), "long") is not None
    assert store._ends[(("a",), "long")][0] > end
    asyncio.run(asyncio.sleep(0.05))
    assert store.get(("a",), "short") is None
    assert [one.key for one in MemlithStore(memory).search(("a",))] == ["long"]


def test_an_index_ranks_by_its_embedding(memory: memlith.Memory) -> None:
    def embed(texts: Any) -> list[list[float]]:
        return [[text.count("tea") + 0.1, text.count("coffee") + 0.1] for text in texts]

    index: Any = {"dims": 2, "embed": embed, "fields": ["text"]}
    store = MemlithStore(memory, index=index)
    store.put(("a",), "1", {"text": "Ana drinks tea."})
    store.put(("a",), "2", {"text": "Ben drinks coffee."})
    for one in (store, MemlithStore(memory, index=index)):
        assert one.search(("a",), query="coffee")[0].key == "2"
        found = asyncio.run(one.asearch(("a",), query="tea"))
        assert found[0].key == "1" and found[0].score is not None


def test_asynchronous_calls_are_the_same(memory: memlith.Memory) -> None:
    async def work() -> None:
        store = MemlithStore(memory)
        await store.aput(("a",), "k", {"v": 1})
        assert (await store.aget(("a",), "k")).value == {"v": 1}  # type: ignore[union-attr]
        assert await store.alist_namespaces() == [("a",)]
        await store.adelete(("a",), "k")
        assert await store.aget(("a",), "k") is None

    asyncio.run(work())


def test_what_json_does_not_have_is_refused(memory: memlith.Memory, tmp_path: Path) -> None:
    store = MemlithStore(memory)
    with pytest.raises(TypeError):
        store.put(("a",), "k", {"v": object()})
    assert store.get(("a",), "k") is None
    with pytest.raises(ValueError):
        store.put((), "k", {"v": 1})
