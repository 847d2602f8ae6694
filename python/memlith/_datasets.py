"""Public data to compare memories on: conversations, questions, and how answers are scored.

In PrecisionMemBench a belief is its name, aliases and content. The cases of a scope are asked of the user's
beliefs of that scope, after those that were superseded are forgotten. Pinned ones are the harness's and
don't count, but take of a case's budget. A case has passed where nothing required is missing and nothing
excluded is there; precision and recall are means over the cases that expect beliefs.
"""

from __future__ import annotations

import json
import lzma
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Text:
    """Something said. ``ref`` is the data's name of it."""

    ref: str
    text: str
    speaker: str
    at: datetime


@dataclass(frozen=True)
class Question:
    """A question, the refs that answer it, and how many answers it takes; ``case`` is the data's own."""

    text: str
    gold: frozenset[str]
    k: int = 10
    case: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Conversation:
    """Texts in the order they were said, questions, and the refs of texts that hold no longer."""

    texts: Sequence[Text]
    questions: Sequence[Question]
    forgotten: Sequence[str] = ()


def ranked(question: Question, refs: Sequence[str]) -> dict[str, float]:
    """Scores answers by their places; there is at least one ref to find."""
    gold, gains = question.gold, [1 / math.log2(place + 2) for place in range(10)]
    gain = sum(gain for gain, ref in zip(gains, refs, strict=False) if ref in gold)
    five, ten = (100 * len(gold.intersection(refs[:cut])) / len(gold) for cut in (5, 10))
    return {"recall@5": five, "recall@10": ten, "nDCG@10": 100 * gain / sum(gains[: len(gold)])}


@dataclass(frozen=True)
class Dataset:
    """Conversations, and how answers are scored: a column may be left out of a question's score."""

    name: str
    conversations: Sequence[Conversation]
    score: Callable[[Question, Sequence[str]], Mapping[str, float]] = ranked


def _read(path: str | Path) -> Any:
    with (lzma.open if str(path).endswith(".xz") else open)(path, "rb") as file:
        return json.load(file)


def locomo(path: str | Path, limit: int | None = None) -> Dataset:
    """Reads LoCoMo's dialogues: the unit is the turn, with the caption of its picture."""
    found = []
    for one in _read(path)[:limit]:
        texts, said = [], one["conversation"]
        for number in sorted(int(key[8:]) for key in said if re.fullmatch(r"session_\d+", key)):
            date = said[f"session_{number}_date_time"]
            at = datetime.strptime(date, "%I:%M %p on %d %B, %Y").replace(tzinfo=timezone.utc)
            for turn in said[f"session_{number}"]:
                text = f"{turn['text']} {turn.get('blip_caption', '')}".strip()
                texts.append(Text(_turn(turn["dia_id"]), text, turn["speaker"], at))
        asked = [(each["question"], " ".join(each["evidence"])) for each in one["qa"]]
        found.append(_answerable(texts, ((q, map(_turn, re.split(r"[\s;,]+", gold))) for q, gold in asked)))
    return Dataset("LoCoMo", found)


def _turn(name: str) -> str:
    """Normalises a turn's name, which was written by hand: ``D:11:26``, ``D30:05``."""
    return ":".join(str(int(number)) for number in re.findall(r"\d+", name))


def beam(path: str | Path, limit: int | None = None) -> Dataset:
    """Reads BEAM's conversations: the unit is the message; a batch has the day that it names first."""
    found = []
    for one in _read(path)[:limit]:
        days: dict[int, str] = {}
        for message in one["msgs"]:
            if message["t"]:
                days.setdefault(message["b"], message["t"])
        texts, day = [], "January-01-2024"
        for message in one["msgs"]:
            day = days.get(message["b"], day)
            at = datetime.strptime(day, "%B-%d-%Y").replace(tzinfo=timezone.utc)
            speaker = "User" if message["r"] == "u" else "Assistant"
            texts.append(Text(str(message["id"]), message["c"], speaker, at))
        found.append(_answerable(texts, ((each["q"], map(str, each["gold"])) for each in one["qs"])))
    return Dataset("BEAM", found)


def _answerable(texts: list[Text], asked: Iterable[tuple[str, Iterable[str]]]) -> Conversation:
    """Makes a conversation with those questions that have evidence in it."""
    known = {one.ref for one in texts}
    questions = [Question(text, frozenset(known.intersection(gold))) for text, gold in asked]
    return Conversation(texts, [question for question in questions if question.gold])


def pmb(beliefs: str | Path, cases: str | Path, limit: int | None = None) -> Dataset:
    """Reads PrecisionMemBench: a conversation is a user's beliefs of a scope, with the cases of both."""
    rooms: dict[tuple[str, ...], list[Any]] = {}
    for case in _read(cases)[:limit]:
        rooms.setdefault((case.get("userId", "test-user"), *case["scope"]), []).append(case)
    found, told = [], sorted(_read(beliefs), key=lambda one: str(one["created_at"]))
    for (user, *scope), own in rooms.items():
        seen = [one for one in told if one["user_id"] == user and {*scope} & {*one["scope"]}]
        texts = []
        for one in seen:
            text = " ".join([one["canonical_name"], *one["aliases"], one["content"]])
            at = datetime.fromisoformat(one["created_at"].replace("Z", "+00:00"))
            texts.append(Text(one["_id"], text, user, at))
        pinned = {one["_id"] for one in seen if one["pinned"]}
        questions = []
        for case in own:
            wanted = case["expect"].get("relevantBeliefs", {})
            gold = frozenset(wanted.get("shouldOnlyInclude", ()))
            budget = case.get("budget", {}).get("maxBeliefs", 20)
            questions.append(Question(case["query"], gold, budget, {**wanted, "pinned": pinned}))
        found.append(Conversation(texts, questions, [one["_id"] for one in seen if one["superseded_by"]]))
    return Dataset("PrecisionMemBench", found, _precise)


def _precise(question: Question, refs: Sequence[str]) -> dict[str, float]:
    pinned, gold = question.case["pinned"], question.gold
    shown = {*[ref for ref in refs if ref not in pinned][: max(0, question.k - len(pinned))]}
    passed = shown.isdisjoint(question.case.get("mustExclude", ()))
    if "shouldOnlyInclude" in question.case:
        passed &= shown == gold
    right = len(gold & shown)
    figures = {"precision": 100 * right / max(1, len(shown)), "recall": 100 * right / max(1, len(gold))}
    return {"passed": 100.0 * passed, **(figures if gold else {})}
