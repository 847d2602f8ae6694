"""Random operations on LangGraph's own store and on ours, which is opened again at random points."""

import asyncio
import os
import random
from pathlib import Path
from typing import Any

import pytest

import memlith

pytest.importorskip("langgraph.store.base")

from langgraph.store.base import GetOp, ListNamespacesOp, MatchCondition, PutOp, SearchOp
from langgraph.store.memory import InMemoryStore

from memlith.langgraph import MemlithStore

OPERATIONS = int(os.environ.get("MEMLITH_OPERATIONS", "500"))
PARTS = ["a", "b", "A", "\u00e9", "x y", "*", "1"]
KEYS = ["k", "K", "caf\u00e9", "\U0001f600", "", "a\nb", '"', "k.2"]
SCALARS = [None, True, 0, 1, -3, 2.5, 10**20, "", "tea", "tea and coffee", "\u0663", '{"x": 1}', "a\n\u2028b"]
PATHS = [("a",), ("*",), ("b", "*"), ("*", "b"), ("a", "b"), ()]


def embed(texts: Any) -> list[list[float]]:
    return [[len(text) + 1.0, text.count("e") + 0.5, sum(map(ord, text)) % 97 + 0.25] for text in texts]


def space(chance: random.Random, least: int = 1) -> tuple[str, ...]:
    return tuple(chance.choice(PARTS) for _ in range(chance.randrange(least, 4)))


def value(chance: random.Random, depth: int = 0) -> Any:
    if depth and (depth > 2 or chance.random() < 0.6):
        return chance.choice(SCALARS)
    if depth and chance.random() < 0.4:
        return [value(chance, depth + 1) for _ in range(chance.randrange(4))]
    return {chance.choice(["text", "n", "deep", "\u00e9"]): value(chance, depth + 1) for _ in range(3)}


def wanted(chance: random.Random) -> Any:
    if chance.random() < 0.4:
        return None
    compared = {chance.choice(["$eq", "$ne"]): chance.choice(SCALARS)}
    bounds = {chance.choice(["$gt", "$gte", "$lt", "$lte"]): chance.choice([0, 1, 2.5])}
    nested = {"text": chance.choice(SCALARS)}
    return {chance.choice(["text", "n", "deep"]): chance.choice([*SCALARS, compared, bounds, nested, []])}


def put(chance: random.Random) -> PutOp:
    # A text of its own: InMemoryStore can't embed one text twice in a batch.
    own = value(chance) | {"own": f"{chance.choice(SCALARS)} {chance.random()}"}
    return PutOp(space(chance), chance.choice(KEYS), own if chance.random() < 0.75 else None)


def read(chance: random.Random) -> Any:
    kind = chance.randrange(4)
    if kind == 0:
        return GetOp(space(chance), chance.choice(KEYS))
    if kind < 3:
        query = chance.choice([None, "tea", "a cup of coffee"])
        return SearchOp(
            space(chance, 0)[:2], wanted(chance), chance.randrange(12), chance.randrange(4), query
        )
    conditions = [
        MatchCondition(chance.choice(["prefix", "suffix"]), chance.choice(PATHS))  # type: ignore[arg-type]
        for _ in range(chance.randrange(3))
    ]
    depth = chance.choice([None, None, 1, 2, 3])
    return ListNamespacesOp(tuple(conditions) or None, depth, chance.randrange(12), chance.randrange(3))


def answer(store: InMemoryStore, ops: list[Any], is_async: bool) -> Any:
    """Answers without their instants, which no two stores share; or the kind of the exception."""

    def plain(one: Any) -> Any:
        if isinstance(one, list):
            return [plain(each) for each in one]
        if hasattr(one, "value"):
            return (one.namespace, one.key, one.value, getattr(one, "score", None))
        return one

    try:
        return plain(asyncio.run(store.abatch(ops)) if is_async else store.batch(ops))
    except Exception as error:
        return type(error)


@pytest.mark.parametrize("indexed", [False, True])
def test_random_operations_are_answered_alike(tmp_path: Path, indexed: bool) -> None:
    chance = random.Random(int(os.environ.get("MEMLITH_SEED", "1")))
    index: Any = {"dims": 3, "embed": embed, "fields": ["own"]} if indexed else None
    memory = memlith.Memory.open(tmp_path / "memory")
    ours, theirs = MemlithStore(memory, index=index), InMemoryStore(index=index)
    last: dict[Any, PutOp] = {}
    done = 0
    while done < OPERATIONS:
        # A batch that fails is of reads alone.
        makes = put if chance.random() < 0.5 else read
        ops = [makes(chance) for _ in range(chance.choice([1, 1, 2, 4]))]
        if makes is put and chance.random() < 0.4:
            ops += [GetOp(space(chance), "k"), *(put(chance) for _ in range(2))]
        is_async = chance.random() < 0.02
        expected = answer(theirs, ops, is_async)
        assert answer(ours, ops, is_async) == expected, ops
        done += len(ops)
        puts = {(op.namespace, op.key): op for op in ops if isinstance(op, PutOp)}
        for place, op in puts.items() if isinstance(expected, list) else ():
            last.pop(place, None)
            if op.value is not None:
                last[place] = op
        if chance.random() < 0.02:
            memory.close()
            memory = memlith.Memory.open(tmp_path / "memory")
            ours, theirs = MemlithStore(memory, index=index), InMemoryStore(index=index)
            theirs.batch([PutOp(op.namespace, op.key, op.value) for op in last.values()])
            everything = [SearchOp((), None, 10**6), ListNamespacesOp(None, None, 10**6)]
            assert answer(ours, everything, False) == answer(theirs, everything, False)
    assert memory.verify().ok
    memory.close()
