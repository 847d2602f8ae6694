"""The evaluation kit, on made-up data with figures worked out by hand."""

import json
import lzma
import math
import os
import sys
import warnings
from collections.abc import Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

import memlith.mem0
from memlith import bench

DAY = datetime(2024, 3, 15, tzinfo=timezone.utc)


class Told:
    """Answers with refs that are given beforehand."""

    def __init__(self, _: Path, answers: Sequence[str] = ("c", "a")) -> None:
        self.answers, self.told = answers, list[str]()

    def add(self, text: str, speaker: str, at: datetime, ref: str) -> None:
        self.told.append(ref)

    def search(self, query: str, k: int) -> Sequence[str]:
        assert self.told == ["a", "b", "c"]
        return self.answers


def small(*questions: bench.Question) -> bench.Dataset:
    said = {"a": "My cat is called Miso.", "b": "I work in Lisbon.", "c": "Lunch was good."}
    texts = [bench.Text(ref, text, "Ana", DAY) for ref, text in said.items()]
    return bench.Dataset("small", [bench.Conversation(texts, questions)])


def test_figures_are_those_worked_out_by_hand() -> None:
    # The evidence is a and b; c, a come back: one of two, in the second place.
    [row] = bench.evaluate({"told": Told}, small(bench.Question("?", frozenset("ab"))))
    assert row.figures["recall@5"] == row.figures["recall@10"] == 50
    ideal = 1 + 1 / math.log2(3)
    assert row.figures["nDCG@10"] == pytest.approx(100 * (1 / math.log2(3)) / ideal)
    assert row.figures["tokens"] == (22 + 15) / 4 and row.figures["p50 ms"] >= 0
    # Places from six on count for ten alone, and those from eleven on for nothing.
    places = [*"uvwxya", *"pqrs", "b"]
    assert bench.ranked(bench.Question("?", frozenset("ab")), places) == {
        "recall@5": 0,
        "recall@10": 50,
        "nDCG@10": pytest.approx(100 * (1 / math.log2(7)) / ideal),
    }
    # Two questions are averaged: c is found in the first place.
    two = small(bench.Question("?", frozenset("ab")), bench.Question("?", frozenset("c")))
    assert bench.evaluate({"told": Told}, two)[0].figures["recall@5"] == 75


def test_memlith_bm25_and_newest_first_answer() -> None:
    systems: dict[str, bench.Factory] = {
        "memlith": bench.Memlith,
        "BM25": bench.Bm25,
        "newest": bench.Newest,
    }
    dataset = small(bench.Question("What are cats called?", frozenset("a"), k=1))
    ours, words, newest = bench.evaluate(systems, dataset)
    assert ours.figures["recall@5"] == words.figures["recall@5"] == 100
    assert newest.figures["recall@5"] == 0 and newest.figures["tokens"] == 15 / 4
    assert ours.notes == {"added": 3} and ours.figures["tokens"] == 22 / 4


def test_bm25_is_its_formula(tmp_path: Path) -> None:
    system = bench.Bm25(tmp_path)
    for ref, text in {"x": "red apples", "y": "red", "z": "blue sky and sea"}.items():
        system.add(text, "Bo", DAY, ref)
    assert bench.words("The berries' glasses, and apples") == ["berry", "glasse", "apple"]
    # Sizes are 3, 2 and 4 with the speaker's name; the shorter of the two that say red comes first.
    assert system.search("red", 10) == ["y", "x"]
    assert system.search("red apple", 10) == ["x", "y"] and system.search("green", 10) == []


def test_what_was_known_or_replaced_is_counted(tmp_path: Path) -> None:
    system = bench.Memlith(tmp_path)
    texts = ["The staging database runs Postgres 15.", "I like tea.", "I like tea."]
    for ref, text in enumerate([*texts, "The staging database runs Postgres 16."]):
        system.add(text, "Ana", DAY, str(ref))
    assert system.notes == {"added": 2, "known": 1, "replaced": 1}
    assert system.search("Which database is staging on?", 10)[0] == "3"
    assert "0" not in system.search("Which database is staging on?", 10)
    assert system.search("What do I like?", 10)[:2] == ["1", "2"]
    system.forget("1")
    assert not {"1", "2"} & {*system.search("tea", 10)} and system.search(" ", 10) == []
    system.close()


def test_the_only_person_asks_for_what_is_theirs(tmp_path: Path) -> None:
    system = bench.Memlith(tmp_path)
    system.add("My flight leaves from gate nine.", "User", DAY, "said")
    system.add("A flight leaves from a gate, mostly.", "Assistant", DAY, "told")
    assert system.search("From which gate does my flight leave?", 10) == ["said", "told"]


def test_dense_takes_an_embedder(tmp_path: Path) -> None:
    system = bench.Dense(tmp_path, lambda texts: [[text.count("a"), text.count("o")] for text in texts])
    for ref, text in {"x": "aaa", "y": "oo", "z": "aaoo"}.items():
        system.add(text, "", DAY, ref)
    assert system.search("oooo", 2) == ["y", "z"]


def test_a_row_says_why_it_has_no_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken(Told):
        def search(self, query: str, k: int) -> Sequence[str]:
            raise RuntimeError("the server is down")

    for name in ("mem0", "sentence_transformers"):
        monkeypatch.setitem(sys.modules, name, None)
    bench._mem0.cache_clear()
    bench._embedder.cache_clear()
    systems: dict[str, bench.Factory] = {"mem0": bench.Mem0, "dense": bench.Dense, "broken": Broken}
    rows = bench.evaluate(systems, small(bench.Question("?", frozenset("a"))))
    assert ["mem0ai" in str(rows[0].why_not), "--embedder" in str(rows[1].why_not)] == [True, True]
    assert rows[2].why_not == "failed: RuntimeError: the server is down"
    printed = bench.table(rows)
    assert printed.splitlines()[3] == "broken  failed: RuntimeError: the server is down"


def test_mem0_is_asked_as_its_package_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mem0", memlith.mem0)  # It has the same calls.
    bench._mem0.cache_clear()
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(bench.Unavailable, match="MEM0_CONFIG"):
        bench.Mem0(tmp_path)
    config = tmp_path / "config.json"
    config.write_text(json.dumps({"path": str(tmp_path / "store")}))
    monkeypatch.setenv("MEM0_CONFIG", str(config))
    [row] = bench.evaluate({"mem0": bench.Mem0}, small(bench.Question("Where do I work?", frozenset("b"))))
    bench._mem0.cache_clear()
    assert row.figures["recall@5"] == 100


def written(path: Path, data: Any) -> Path:
    path.write_text(json.dumps(data))
    return path


def test_locomo_is_read_and_its_evidence_normalised(tmp_path: Path) -> None:
    turns = [
        {"speaker": "Ana", "dia_id": "D2:1", "text": "Look!", "blip_caption": "a dog"},
        {"speaker": "Bo", "dia_id": "D2:02", "text": "Nice."},
    ]
    qa = [
        {"question": "one", "evidence": ["D2:1; D:2:2", "D9:9"]},
        {"question": "none", "evidence": ["D"]},
    ]
    said = {"session_2_date_time": "1:56 pm on 8 May, 2023", "session_2": turns, "session_10_date_time": ""}
    data = [{"conversation": said, "qa": qa}] * 2
    dataset = bench.locomo(written(tmp_path / "locomo.json", data), limit=1)
    [conversation] = dataset.conversations
    at = datetime(2023, 5, 8, 13, 56, tzinfo=timezone.utc)
    assert conversation.texts[0] == bench.Text("2:1", "Look! a dog", "Ana", at)
    assert conversation.questions == [bench.Question("one", frozenset({"2:1", "2:2"}))]


def test_beam_is_read_with_the_days_of_its_batches(tmp_path: Path) -> None:
    messages = [
        {"b": 1, "r": "u", "id": 0, "t": None, "c": "Hi."},
        {"b": 1, "r": "a", "id": 1, "t": "March-15-2024", "c": "Hello."},
        {"b": 2, "r": "u", "id": 2, "t": None, "c": "Bye."},
    ]
    asked = [{"q": "which?", "gold": [2, 9]}, {"q": "none", "gold": []}]
    path = tmp_path / "beam.json.xz"
    path.write_bytes(lzma.compress(json.dumps([{"msgs": messages, "qs": asked}]).encode()))
    [conversation] = bench.beam(path).conversations
    assert {one.at for one in conversation.texts} == {DAY}
    assert [one.speaker for one in conversation.texts] == ["User", "Assistant", "User"]
    assert [one.gold for one in conversation.questions] == [{"2"}]


def belief(name: str, content: str, scope: str = "s", **more: Any) -> dict[str, Any]:
    made = {"_id": name, "user_id": "test-user", "scope": [scope], "canonical_name": name, "aliases": []}
    rest = {"content": content, "created_at": "2024-03-15T00:00:00Z", "pinned": False, "superseded_by": None}
    return {**made, **rest, **more}


def test_precision_is_counted_without_pinned_beliefs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    beliefs = [
        belief("old", "Lints with Pylint.", superseded_by="new"),
        belief("new", "Lints with Ruff."),
        belief("pin", "Lints on every push.", pinned=True),
        belief("else", "Lints in another room.", scope="t"),
        belief("tea", "Drinks tea."),
    ]
    expect = [
        {"shouldOnlyInclude": ["new"]},  # BM25 has just that: passed, 100, 100.
        {"shouldOnlyInclude": ["new", "tea"]},  # One of two: failed, 100, 50.
        {"shouldOnlyInclude": []},  # Something comes: failed, and no precision.
        {"mustExclude": ["tea"]},  # Passed.
    ]
    cases = [{"query": "lints", "scope": ["s"], "expect": {"relevantBeliefs": one}} for one in expect]
    cases.append({**cases[0], "budget": {"maxBeliefs": 1}})  # The pinned one takes the room: failed, 0, 0.
    paths = written(tmp_path / "beliefs.json", beliefs), written(tmp_path / "cases.json", cases)
    [row] = bench.evaluate({"BM25": bench.Bm25}, bench.pmb(*paths))
    assert row.figures["passed"] == 40
    assert row.figures["precision"] == pytest.approx(200 / 3) and row.figures["recall"] == 50
    assert bench.main(["pmb", *map(str, paths), "--limit", "1", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["questions"] == 1 and printed["rows"][1]["figures"]["passed"] == 100
    assert bench.main(["pmb", *map(str, paths)]) == 0
    assert "memlith: 4 added" in capsys.readouterr().out
    for wrong in (["beam", str(paths[0])], ["locomo", str(tmp_path / "none")], ["pmb", str(paths[0])]):
        with pytest.raises(SystemExit, match="2"):
            bench.main(wrong)


def test_the_real_files_are_read(capsys: pytest.CaptureFixture[str]) -> None:
    named = os.environ.get("MEMLITH_DATA")
    if not named:
        with capsys.disabled():
            print("\nSKIPPED: MEMLITH_DATA names no folder, so the REAL DATA WAS NOT READ")
        warnings.warn("MEMLITH_DATA is not set: the real data was not read", stacklevel=1)
        pytest.skip("MEMLITH_DATA is not set")
    folder = Path(named)
    read = [
        bench.locomo(folder / "locomo-dev.json"),
        bench.beam(folder / "beam-100k-dev.json.xz"),
        bench.pmb(folder / "pmb-beliefs.seed.json", folder / "pmb-cases-dev.json"),
    ]
    assert [len(one.conversations) for one in read] == [3, 10, 3]
    assert [sum(len(each.questions) for each in one.conversations) for one in read] == [495, 179, 39]
    assert [sum(len(each.texts) for each in one.conversations) for one in read] == [1451, 2362, 29]
