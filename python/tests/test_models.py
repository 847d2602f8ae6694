"""Embedders and arbiters of the program's own."""

import math
import time
from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import memlith

WORDS = {"zorp": 0, "tea": 0, "blick": 1, "volvo": 1}


def concepts(texts: list[str]) -> list[Any]:
    """A vector of two concepts: one buffer, one list, one iterator, by turns."""
    vectors: list[Any] = []
    for number, text in enumerate(texts):
        counts = [0.1, 0.1]
        for word in text.lower().strip("?.").split():
            counts[WORDS.get(word, 0)] += 1.0 if word in WORDS else 0.0
        shapes = (array("f", counts), counts, iter(counts), array("d", counts))
        vectors.append(shapes[(number + len(text)) % 4])
    return vectors


def test_vectors_find_what_shares_no_word(tmp_path: Path) -> None:
    embedder = memlith.Embedder("concepts", concepts)
    with memlith.Memory.open(tmp_path / "memory") as memory:
        memory.user("ana").remember("Ana drinks tea.")
        assert memory.user("ana").search("the zorp") == []
    with memlith.Memory.open(tmp_path / "memory", embedder=embedder) as memory:
        ana = memory.user("ana")
        assert ana.embed() == 1 and ana.embed() == 0
        car = ana.remember("Ana drives a Volvo.")
        assert ana.embed() == 0
        assert ana.search("the zorp")[0].text == "Ana drinks tea."
        assert ana.checkout("the blick", observe=False).items[0].id == car.id
        new = ana.update(car.id, "Ana drives a red Volvo.")
        assert ana.search("the blick")[0].id == new.id and ana.embed() == 0


@pytest.mark.parametrize(
    ("embed", "error"),
    [
        (lambda texts: [[math.nan, 1.0]], memlith.Wrong),
        (lambda texts: [[0.0, 0.0]], memlith.Wrong),
        (lambda texts: [[]], memlith.Wrong),
        (lambda texts: [[1.0] * 5000], memlith.Wrong),
        (lambda texts: [[1.0, 2.0, 3.0]], memlith.MemlithError),
        (lambda texts: [], ValueError),
        (lambda texts: ["tea"], TypeError),
        (lambda texts: None, TypeError),
        (lambda texts: 1 / 0, ZeroDivisionError),
    ],
)
def test_a_broken_embedder_is_an_exception_and_writes_nothing(
    tmp_path: Path, embed: Any, error: type[Exception]
) -> None:
    with memlith.Memory.open(tmp_path / "m", embedder=memlith.Embedder("two", concepts)) as memory:
        memory.remember("Tea is green.")
    with memlith.Memory.open(tmp_path / "m", embedder=memlith.Embedder("two", embed)) as memory:
        before = memory.records()
        for call in (lambda: memory.remember("The bus is red."), lambda: memory.search("tea")):
            with pytest.raises(error):
                call()
        assert memory.records() == before


FIRST, SECOND = "Ana prefers green tea in the morning.", "In the morning Ana likes green tea better."
Rows = Sequence[tuple[str, str, float]]


def status(folder: Path, judge: Any, seconds: float = 5.0) -> str:
    with memlith.Memory.open(folder, arbiter=memlith.Arbiter("me", judge, seconds)) as memory:
        memory.remember(FIRST)
        return memory.remember(SECOND).status


def test_an_arbiter_decides_what_likeness_leaves_open(tmp_path: Path) -> None:
    asked: list[tuple[str, Rows]] = []

    def replaces(text: str, rows: Rows) -> str:
        asked.append((text, rows))
        return rows[0][0]

    assert status(tmp_path / "a", replaces) == "replaced"
    [(text, [(_, near, cosine)])] = asked
    assert (text, near) == (SECOND, FIRST) and 0.7 < cosine < 1.0
    assert status(tmp_path / "b", lambda text, rows: "skip") == "skipped"
    assert status(tmp_path / "c", lambda text, rows: "add") == "added"


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_arbiter_that_fails_or_stalls_decides_nothing(tmp_path: Path) -> None:
    for name, judge in [
        ("raises", lambda text, rows: 1 / 0),
        ("rubbish", lambda text, rows: 5),
        ("invents", lambda text, rows: "mem_99_0123456789ab"),
        ("nothing", lambda text, rows: None),
    ]:
        assert status(tmp_path / name, judge) == "added", name
    assert status(tmp_path / "stalls", lambda text, rows: time.sleep(2) or "skip", 0.1) == "added"


def test_an_arbiter_may_call_back_in(tmp_path: Path) -> None:
    memory = None

    def judge(text: str, rows: Rows) -> str:
        assert memory is not None
        memory.remember("Somebody asked.")
        return "add"

    memory = memlith.Memory.open(tmp_path / "memory", arbiter=memlith.Arbiter("me", judge))
    memory.remember(FIRST)
    assert memory.remember(SECOND).status == "added" and len(memory.list()) == 3
    memory.close()
