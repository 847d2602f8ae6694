"""What calls return: frozen dataclasses. Instants are aware datetimes in UTC."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from typing import Any

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
    """An answer to a question: words, citation, and how well they answer (``score``, from 0)."""

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
        return _table([self], ("text", "speaker", "said_at", "score", "citation"))


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
        return _table(self.items, ("text", "speaker", "said_at", "score", "citation"))


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
    metadata: Mapping[str, str] = field(default_factory=dict)
    replaced_by: str | None = None
    replaced_at: datetime | None = None

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> Entry:
        times = {name: instant(raw[name]) for name in ("created_at", "replaced_at")}
        return cls(**{**raw, **times})

    def _repr_html_(self) -> str:
        return _table([self], ("text", "standing", "speaker", "created_at", "id"))


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
        return _table(self.items, ("text", "standing", "speaker", "created_at", "id"))


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
    """Why a memory is as salient as it is. ``detail`` holds factors, decay and result, from 0 to 1."""

    id: str
    standing: str
    at: datetime
    detail: Mapping[str, Any]

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> Explanation:
        return cls(**{**raw, "at": instant(raw["at"])})


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


def _table(rows: Any, columns: tuple[str, ...]) -> str:
    """Renders rows for a notebook; stored text is escaped."""
    from html import escape

    head = "".join(f"<th>{escape(name.replace('_', ' '))}</th>" for name in columns)
    cells = (
        "".join(f"<td style='text-align:left'>{escape(_cell(getattr(row, name)))}</td>" for name in columns)
        for row in rows
    )
    body = "".join(f"<tr>{row}</tr>" for row in cells)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(value: object) -> str:
    if isinstance(value, datetime):
        return value.strftime("%Y-%m-%d %H:%M")
    return f"{value:.2f}" if isinstance(value, float) else str(value)
