"""Answers of the calls: frozen dataclasses. Instants are aware datetimes in UTC."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from typing import Any

from ._html import bars, curve, table

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def instant(at: int | None) -> datetime | None:
    """Makes a datetime of microseconds since 1970."""
    return None if at is None else EPOCH + timedelta(microseconds=at)


def micros(at: datetime | None, name: str) -> int | None:
    """Makes microseconds since 1970 of a datetime, which must know its time zone."""
    if at is None:
        return None
    if not isinstance(at, datetime):
        raise TypeError(f"{name} is a datetime, not {type(at).__name__}")
    if at.tzinfo is None or at.utcoffset() is None:
        raise ValueError(f"{name} has no time zone: use datetime.now(timezone.utc), or tzinfo=...")
    return (at - EPOCH) // timedelta(microseconds=1)


@dataclass(frozen=True)
class Written:
    """What became of a write.

    ``status`` is ``added``; ``replaced``: it took the place of ``superseded``; ``may_replace``: it
    stands beside ``contested``; ``known``: nothing was added; ``skipped``; ``waiting``: it waits for
    review; ``changed``; ``disputed``. ``near`` are memories that it may have made out of date.
    ``redacted`` counts the secrets that were taken out of it.
    """

    id: str
    status: str
    superseded: tuple[str, ...] = ()
    contested: tuple[str, ...] = ()
    near: tuple[str, ...] = ()
    redacted: int = 0

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> Written:
        lists = {name: tuple(raw[name]) for name in ("superseded", "contested", "near")}
        return cls(id=raw["id"], status=raw["status"], redacted=raw["redacted"], **lists)


@dataclass(frozen=True)
class Hit:
    """An answer to a question: its words, where they stand, and how well they answer.

    Of a long text ``text`` has the passages that answer, 480 bytes; ``get(id).text`` has all.
    ``score`` is from 0, mostly up to 1; what has less than 0.1 seldom answers. ``is_record`` tells
    what was said from what is remembered.
    """

    id: str
    text: str
    citation: str
    speaker: str
    said_at: datetime
    score: float
    is_record: bool
    standing: str

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> Hit:
        return cls(**{**raw, "said_at": instant(raw["said_at"])})

    def _repr_html_(self) -> str:
        return table([self], ("text", "speaker", "said_at", "score", "citation"))


@dataclass(frozen=True)
class Pack:
    """Cited items within a budget. ``text`` is for a model: items as data, each with its citation.

    ``observed`` is the record that holds what was shown; ``None`` where it was not written down,
    for the reason ``not_observed``.
    """

    items: tuple[Hit, ...]
    text: str
    observed: str | None
    not_observed: str | None

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> Pack:
        items = tuple(Hit.of(one) for one in raw["items"])
        return cls(items, raw["prompt"], raw["observed"], raw["not_observed"])

    def __str__(self) -> str:
        return self.text

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.items)

    def _repr_html_(self) -> str:
        return table(self.items, ("text", "speaker", "said_at", "score", "citation"))


@dataclass(frozen=True)
class Entry:
    """A memory as it stands. ``text`` is empty where it was erased."""

    id: str
    text: str
    speaker: str | None
    standing: str
    created_at: datetime
    entity: str | None
    predicate: str | None
    value: str | None
    metadata: Mapping[str, str] = field(default_factory=dict, hash=False)
    replaced_by: str | None = None
    replaced_at: datetime | None = None

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> Entry:
        times = {name: instant(raw[name]) for name in ("created_at", "replaced_at")}
        return cls(**{**raw, **times})

    def _repr_html_(self) -> str:
        return table([self], ("text", "standing", "speaker", "created_at", "id"))


@dataclass(frozen=True)
class Page:
    """A page of entries. ``next`` is the cursor of the page behind it; ``None`` behind the last."""

    items: tuple[Entry, ...]
    next: str | None

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> Page:
        return cls(tuple(Entry.of(one) for one in raw["items"]), raw["next"])

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.items)

    def _repr_html_(self) -> str:
        return table(self.items, ("text", "standing", "speaker", "created_at", "id"))


@dataclass(frozen=True)
class Step:
    """An event in the life of a memory: its record, when, its kind, and its words if it has some."""

    id: str
    at: datetime
    kind: str
    text: str | None

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> Step:
        return cls(**{**raw, "at": instant(raw["at"])})


@dataclass(frozen=True)
class Explanation:
    """Why a memory is as salient as it is: ``salience``, ``curve`` up to ``at``, and all factors.

    ``curve`` has instants and the salience at each, from 0, where 1 is that of a new memory.
    ``detail`` holds the events that moved it, factors and decay. In a notebook it is a picture.
    """

    id: str
    standing: str
    at: datetime
    curve: tuple[tuple[datetime, float], ...]
    detail: Mapping[str, Any] = field(hash=False)

    @property
    def salience(self) -> float:
        return self.curve[-1][1] if self.curve else 1.0

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> Explanation:
        points = tuple((EPOCH + timedelta(microseconds=at), salience) for at, salience in raw["curve"])
        return cls(**{**raw, "at": instant(raw["at"]), "curve": points})

    def _repr_html_(self) -> str:
        return curve(f"{self.id}, {self.standing}: salience {self.salience:.2f}", self.curve)


@dataclass(frozen=True)
class Imported:
    """Result of an import: numbers of entries. ``skipped`` has a number for each reason."""

    added: int
    known: int
    skipped: Mapping[str, int] = field(hash=False)
    redacted: int

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> Imported:
        return cls(**raw)

    def __add__(self, other: Imported) -> Imported:
        reasons = {*self.skipped, *other.skipped}
        skipped = {one: self.skipped.get(one, 0) + other.skipped.get(one, 0) for one in sorted(reasons)}
        redacted = self.redacted + other.redacted
        return Imported(self.added + other.added, self.known + other.known, skipped, redacted)


@dataclass(frozen=True)
class State:
    """The state of a ledger: memories by standing, ``said`` (messages and calls of tools), bytes.

    ``findings`` are what was noticed as it was opened; ``verify`` looks at all of it.
    """

    ledger: str
    records: int
    recorded_at: datetime
    memories: Mapping[str, int] = field(hash=False)
    said: int
    bytes: int
    checkpoints: int
    findings: tuple[str, ...]

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> State:
        times = {"recorded_at": instant(raw["recorded_at"]), "findings": tuple(raw["findings"])}
        return cls(**{**raw, **times})

    def _repr_html_(self) -> str:
        size = f"{self.bytes / 1_000_000:.1f} MB"
        title = (
            f"{self.ledger}: {self.records} records, {size}, the last of {self.recorded_at:%Y-%m-%d %H:%M}"
        )
        return bars(title, {**self.memories, "said": self.said}, self.findings)


@dataclass(frozen=True)
class Report:
    """What a verification found. ``holds_through`` is the last record up to which all holds."""

    ok: bool
    records: int
    findings: tuple[str, ...]
    holds_through: int | None

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> Report:
        return cls(raw["ok"], raw["records"], tuple(raw["findings"]), raw["holds_through"])

    def __bool__(self) -> bool:
        return self.ok
