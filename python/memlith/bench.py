"""Compares memories on public data: ``python -m memlith.bench locomo PATH``.

Each conversation is told to a fresh system, text by text; then its questions are asked. No model answers
or judges: what counts is which of the texts that the data names as evidence come back. ``evaluate`` takes
any ``System``; figures are means over questions, in percent. ``nDCG@10`` is binary; ``tokens`` are four bytes
each, of the words returned; ``p50 ms`` is the median time of a search.

- **memlith**: this library, in a ledger of its own for each conversation. ``remember`` by the speaker, of
  rank ``assistant`` where that is the name and ``user`` otherwise, ``at`` the data's own time, in a session
  named by that day: these data's times are those of sessions, and beliefs are said in none. ``search`` as of
  the last text, by the person who spoke if there is but one, whom a question's "I" means, else by nobody who
  spoke. A hit is the text that its id was given for. A text that was ``known`` has the id of the one it
  repeats: a hit on that is a hit on both, which take a place each. A text that was replaced is found no
  more, and is missed where a question wants it: its words are not returned. The notes count what became of
  the texts. Of long texts a hit has an excerpt, which is what ``tokens`` counts.
- **BM25**: k1 1.2 and b 0.75 over ``words``: runs of letters and digits in lower case, without stop words
  and endings of plurals. The speaker's name is part of a text, for **dense**, too: cosines of what
  ``--embedder`` makes, or all-MiniLM-L6-v2. **newest first** doesn't look at the question.
- **mem0**: the package ``mem0ai``, as ``MEM0_CONFIG`` or ``OPENAI_API_KEY`` sets it up. What its model words
  counts for the text it was made of.
"""

from __future__ import annotations

import argparse
import importlib
import json
import math
import os
import re
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from functools import cache, partial
from operator import mul
from pathlib import Path
from typing import Any, Protocol

from ._answers import EPOCH
from ._datasets import Conversation, Dataset, Question, Text, beam, locomo, pmb, ranked
from ._memory import Memory

# fmt: off
__all__ = [
    "Bm25", "Conversation", "Dataset", "Dense", "Embedder", "Mem0", "Memlith", "Newest", "Question", "Row",
    "System", "Text", "Unavailable", "beam", "evaluate", "locomo", "main", "pmb", "ranked", "table", "words",
]
# fmt: on

Embedder = Callable[[list[str]], Iterable[Iterable[float]]]


class System(Protocol):
    """A memory to compare: it is told texts, each with a ``ref``, and answers with refs, the best first.

    It may have more: ``forget(ref)``, of a text that holds no longer; ``close()``; ``shown``, the bytes that
    the last search returned, where these aren't whole texts; and ``notes``, a ``Counter``.
    """

    def add(self, text: str, speaker: str, at: datetime, ref: str) -> None: ...

    def search(self, query: str, k: int) -> Sequence[str]: ...


Factory = Callable[[Path], System]  # Makes a system in an empty folder, or raises ``Unavailable``.


class Unavailable(Exception):
    """Says why a system can't run here."""


@dataclass(frozen=True)
class Row:
    """A system's figures by column, or why there are none."""

    system: str
    figures: Mapping[str, float] = field(default_factory=dict)
    notes: Mapping[str, int] = field(default_factory=dict)
    why_not: str | None = None


def evaluate(systems: Mapping[str, Factory], dataset: Dataset) -> list[Row]:
    """Tells each conversation to a fresh system of each kind, and asks its questions: a row a kind.

    A system that fails doesn't stop the others: its row has the error.
    """
    rows = []
    for name, factory in systems.items():
        try:
            rows.append(_row(name, factory, dataset))
        except Unavailable as why:
            rows.append(Row(name, why_not=f"not run: {why}"))
        except Exception as error:
            rows.append(Row(name, why_not=f"failed: {type(error).__name__}: {error}"))
    return rows


def _row(name: str, factory: Factory, dataset: Dataset) -> Row:
    columns: dict[str, list[float]] = {}
    notes: Counter[str] = Counter()
    seconds, tokens = [], []
    for conversation in dataset.conversations:
        with tempfile.TemporaryDirectory() as folder:
            system: Any = factory(Path(folder))
            for one in conversation.texts:
                system.add(one.text, one.speaker, one.at, one.ref)
            for ref in conversation.forgotten if hasattr(system, "forget") else ():
                system.forget(ref)
            sizes = {one.ref: len(one.text.encode()) for one in conversation.texts}
            for question in conversation.questions:
                begun = time.perf_counter()
                refs = list(system.search(question.text, question.k))[: question.k]
                seconds.append(time.perf_counter() - begun)
                shown = getattr(system, "shown", None)
                tokens.append((sum(sizes[ref] for ref in refs) if shown is None else shown) / 4)
                for column, value in dataset.score(question, refs).items():
                    columns.setdefault(column, []).append(value)
            notes.update(getattr(system, "notes", {}))
            if hasattr(system, "close"):
                system.close()
    columns |= {"tokens": tokens, "p50 ms": [1e3 * statistics.median(seconds)]} if seconds else {}
    return Row(name, {column: statistics.fmean(values) for column, values in columns.items()}, dict(notes))


# ---- Systems ----


class Memlith:
    """This library, through ``remember`` and ``search``."""

    def __init__(self, folder: Path, sessions: bool = True) -> None:
        self._memory = Memory.open(folder / "ledger")
        self._sessions = sessions
        self._refs: dict[str, list[str]] = {}
        self._people: set[str] = set()
        self._now = EPOCH
        self.shown = 0
        self.notes: Counter[str] = Counter()

    def add(self, text: str, speaker: str, at: datetime, ref: str) -> None:
        rank = "assistant" if speaker.lower() == "assistant" else "user"
        self._people |= {speaker} if rank == "user" else set()
        who = self._memory.speaker(speaker, rank).at(at)
        written = (who.session(f"{at:%Y-%m-%d}") if self._sessions else who).remember(text)
        self._refs.setdefault(written.id, []).append(ref)
        self._now = max(self._now, at)
        self.notes[written.status] += 1

    def forget(self, ref: str) -> None:
        ids = [id for id, refs in self._refs.items() if ref in refs]
        self._memory.at(self._now).forget(ids, "superseded in the data")

    def search(self, query: str, k: int) -> list[str]:
        who = self._memory
        if len(self._people) == 1:
            who = who.speaker(next(iter(self._people)), "user")
        hits = who.at(self._now).search(query, k) if query.strip() and k else []
        self.shown = sum(len(hit.text.encode()) for hit in hits)
        return [ref for hit in hits for ref in self._refs.get(hit.id, ())]

    def close(self) -> None:
        self._memory.close()


class Newest:
    """The last texts, whatever is asked."""

    def __init__(self, _: Path) -> None:
        self._texts: dict[str, str] = {}

    def add(self, text: str, speaker: str, at: datetime, ref: str) -> None:
        self._texts[ref] = f"{speaker}: {text}"

    def forget(self, ref: str) -> None:
        del self._texts[ref]

    def search(self, query: str, k: int) -> list[str]:
        return list(reversed(self._texts))[:k]


_STOP_WORDS = frozenset(
    "a an and are as at be but by did do does for from had has have he her his how i if in is it its me "
    "my of on or our she so that the their them they this to was we were what when where which who why "
    "will with you your".split()
)


def words(text: str) -> list[str]:
    """Cuts a text into words without stop words and endings of plurals (Harman's S stemmer, 1991)."""
    said = (word for word in re.findall(r"[^\W_]+", text.lower()) if word not in _STOP_WORDS)
    return [re.sub(r"(?<=[^us])s$", "", re.sub(r"(?<=[^ae])ies$", "y", word)) for word in said]


class Bm25(Newest):
    """BM25 with k1 1.2 and b 0.75 over ``words``; what shares no word is not returned."""

    def search(self, query: str, k: int) -> list[str]:
        if not hasattr(self, "_index"):
            self._index = {ref: Counter(words(text)) for ref, text in self._texts.items()}
            self._sizes = {ref: counts.total() for ref, counts in self._index.items()}
            self._having = Counter(word for counts in self._index.values() for word in counts)
        average = sum(self._sizes.values()) / max(1, len(self._sizes))
        scores: dict[str, float] = {}
        for word in sorted(set(words(query)) & self._having.keys()):
            having = self._having[word]
            rarity = math.log(1 + (len(self._index) - having + 0.5) / (having + 0.5))
            for ref, counts in self._index.items():
                if often := counts.get(word, 0):
                    norm = 1.2 * (1 - 0.75 + 0.75 * self._sizes[ref] / average)
                    scores[ref] = scores.get(ref, 0.0) + rarity * often * 2.2 / (often + norm)
        return sorted(scores, key=lambda ref: -scores[ref])[:k]


class Dense(Newest):
    """Cosines of an embedder's vectors; the texts are embedded when the first question comes."""

    def __init__(self, folder: Path, embedder: str | Embedder | None = None) -> None:
        super().__init__(folder)
        self._embed = embedder if callable(embedder) else _embedder(embedder)

    def search(self, query: str, k: int) -> list[str]:
        if not hasattr(self, "_vectors"):
            rows = self._embed(list(self._texts.values()))
            self._vectors = dict(zip(self._texts, map(_unit, rows), strict=True))
        (asked,) = map(_unit, self._embed([query]))
        near = {ref: sum(map(mul, asked, row)) for ref, row in self._vectors.items()}
        return sorted(near, key=lambda ref: -near[ref])[:k]


def _unit(vector: Iterable[float]) -> list[float]:
    row = [float(number) for number in vector]
    length = math.hypot(*row) or 1.0
    return [number / length for number in row]


@cache
def _embedder(name: str | None) -> Embedder:
    module, _, function = (name or "sentence_transformers:SentenceTransformer").partition(":")
    try:
        made: Any = getattr(importlib.import_module(module), function)
        model = None if name else made("sentence-transformers/all-MiniLM-L6-v2")
    except (ImportError, OSError) as error:
        raise Unavailable(f"{error}; --embedder MODULE:FUNCTION names another") from error
    return (lambda texts: model.encode(texts).tolist()) if model else made


class Mem0:
    """The package ``mem0ai``, each conversation as a user of its own."""

    def __init__(self, folder: Path) -> None:
        self._memory, self._owner = _mem0(), folder.name
        self._refs: dict[str, str] = {}
        self.shown = 0

    def add(self, text: str, speaker: str, at: datetime, ref: str) -> None:
        role = "assistant" if speaker.lower() == "assistant" else "user"
        message = {"role": role, "content": f"{speaker}: {text}"}
        beside = {"speaker": speaker, "said_at": at.isoformat()}
        added = self._memory.add([message], user_id=self._owner, metadata=beside)["results"]
        self._refs |= {one["id"]: ref for one in added}

    def forget(self, ref: str) -> None:
        for id in [id for id, told in self._refs.items() if told == ref]:
            self._memory.delete(id)

    def search(self, query: str, k: int) -> list[str]:
        if not query.strip() or not k:
            return []
        found = self._memory.search(query, top_k=k, filters={"user_id": self._owner})["results"]
        self.shown = sum(len(one["memory"].encode()) for one in found)
        return list(dict.fromkeys(self._refs[one["id"]] for one in found if one["id"] in self._refs))


@cache
def _mem0() -> Any:
    try:
        package = importlib.import_module("mem0")
    except ImportError as error:
        raise Unavailable(f"{error}: it is the package mem0ai") from error
    if config := os.environ.get("MEM0_CONFIG"):
        return package.Memory.from_config(json.loads(Path(config).read_text()))
    if "OPENAI_API_KEY" not in os.environ:
        raise Unavailable("MEM0_CONFIG names no JSON file for from_config, and there is no OPENAI_API_KEY")
    return package.Memory()


# ---- The program ----


def table(rows: Sequence[Row]) -> str:
    """Lays rows out as plain text."""
    columns = list(dict.fromkeys(column for row in rows for column in row.figures))
    width = max(len(row.system) for row in rows)
    lines = ["  ".join(["system".ljust(width), *(column.rjust(9) for column in columns)])]
    for row in rows:
        cells = [f"{row.figures[column]:.1f}".rjust(9) for column in columns if column in row.figures]
        lines.append("  ".join([row.system.ljust(width), *(cells or [row.why_not or ""])]))
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the program; 1 where a system failed."""
    parser = argparse.ArgumentParser(
        prog="python -m memlith.bench", description="Compares memories on public data."
    )
    parser.add_argument("data", choices=("locomo", "beam", "pmb"))
    parser.add_argument("paths", nargs="+", metavar="PATH", help="a file of it; of pmb: BELIEFS CASES")
    parser.add_argument("--limit", type=int, metavar="N", help="takes the first N conversations, or cases")
    parser.add_argument("--json", action="store_true", help="prints JSON")
    parser.add_argument("--embedder", metavar="MODULE:FUNCTION", help="makes vectors of a list of texts")
    chosen = parser.parse_args(arguments)
    if len(chosen.paths) != (2 if chosen.data == "pmb" else 1):
        parser.error("pmb takes BELIEFS and CASES, the others one PATH")
    read: dict[str, Callable[..., Dataset]] = {"locomo": locomo, "beam": beam, "pmb": pmb}
    try:
        dataset = read[chosen.data](*chosen.paths, limit=chosen.limit)
    except (OSError, LookupError, TypeError, ValueError) as error:
        parser.error(f"not to be read as {chosen.data}: {error!r}")
    own, dense = partial(Memlith, sessions=chosen.data != "pmb"), partial(Dense, embedder=chosen.embedder)
    rows = evaluate(
        {"memlith": own, "BM25": Bm25, "newest first": Newest, "dense": dense, "mem0": Mem0}, dataset
    )
    texts = sum(len(one.texts) for one in dataset.conversations)
    questions = sum(len(one.questions) for one in dataset.conversations)
    counts = {"conversations": len(dataset.conversations), "texts": texts, "questions": questions}
    if chosen.json:
        print(json.dumps({"data": dataset.name, **counts, "rows": [asdict(row) for row in rows]}, indent=1))
    else:
        print(f"{dataset.name}: " + ", ".join(f"{count} {name}" for name, count in counts.items()))
        print(table(rows))
        for row in rows:
            if row.notes:
                print(f"{row.system}: " + ", ".join(f"{count} {note}" for note, count in row.notes.items()))
    return int(any((row.why_not or "").startswith("failed") for row in rows))


if __name__ == "__main__":
    sys.exit(main())
