"""Random histories against an oracle: slots, ranks, the content rule, erasure, scopes, keys, reopening."""

import os
import tempfile
from datetime import datetime, timezone
from types import SimpleNamespace
from typing import Any

import pytest

import memlith

pytest.importorskip("hypothesis")

from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

DAY = [datetime(2024, 1, 1 + n, tzinfo=timezone.utc) for n in range(6)]
LIVE, NEVER = 1_000, 1_000_000  # Instants are days; those of the clock come behind them.
# Words that no rule of language knows, none of them in two texts.
TEXTS = ["zorqa plenk", "vaddu brisk", "tolpe wexxa", "gurro sneff", "hylba quond"]
ENTITIES, PREDICATES, VALUES = ["Nuxo", "Brelt"], ["hue", "rung"], ["ochra", "tealo", "umbra"]
SCOPES = [("ana", None, None), ("bob", None, None), (None, None, None)]  # User, project, agent.
SCOPES += [("ana", "shop", None), ("bob", "shop", "helper"), ("ana", None, "helper")]
RANKS = {"web": 1, "tool": 2, "assistant": 3, "user": 4, "reviewer": 5, "owner": 6}
SPEAKERS = [
    None,
    ("bot", "assistant"),
    ("boss", "owner"),
    ("page", "web"),
    ("tool", "tool"),
    ("judge", "reviewer"),
]
SPEAKERS += [("bot", "user")]
KINDS = ["remember"] * 8 + ["forget", "forget", "update", "confirm", "accept", "accept", "reject", "erase"]
KINDS += ["erase entity", "keyed", "checkout", "reopen", "look", "look"]


class Refusal(Exception):
    pass


class Row(SimpleNamespace):
    __eq__, __hash__ = object.__eq__, object.__hash__

    def is_open(self, at: int) -> bool:
        return all(end > at for end in self.ends.values()) and self.until > at

    def standing(self, now: int) -> str:
        if self.own != "active":
            return self.own
        if any(end <= now for end in self.ends.values()):
            return "superseded"
        return "expired" if self.until <= now else "future" if now < self.begins else "active"


def sees(by: Any, row: Row) -> bool:
    return all(part in (None, own) for part, own in zip(row.cell, by.cell, strict=True))


def reaches(tier: int, rank: int, guard: int) -> bool:
    return rank >= guard and tier >= min(guard, 4)


def raise_guard(row: Row, rank: int) -> None:
    row.guard = max(row.guard, 0 if rank < 4 else 6 if rank == 6 else 4)


class Oracle:
    def __init__(self) -> None:
        self.rows, self.erased_words, self.keys = [], set(), {}

    def target(self, by: Any, row: Row) -> None:
        if row.own == "erased" or not sees(by, row):
            raise Refusal

    def meet(self, said: Row) -> list[tuple[Row, bool]]:
        """The rows of these words, then those of this value."""
        own = [r for r in self.rows if r is not said and r.cell == said.cell and r.own != "erased"]
        value = [r for r in own if said.slot and (r.slot, r.value) == (said.slot, said.value)]
        return [(r, True) for r in own if r.text == said.text] + [
            (r, False) for r in value if r.text != said.text
        ]

    def places(self, slot: Any) -> list[Row]:
        found = [row for row in self.rows if slot and row.placed and row.slot == slot]
        return sorted(found, key=lambda row: (row.begins, row.order))

    def held(self, said: Row) -> Row | None:
        rows = [r for r in self.places(said.slot) if r.begins <= said.begins and r.own == "active"]
        return ([None] + [row for row in rows if row.is_open(said.begins)])[-1]

    def take_place(self, row: Row, displaced: list[Row], tier: int, rank: int) -> None:
        for one, same in self.meet(row):
            if (
                same
                and one.own == "pending"
                and one.slot in (None, row.slot)
                and reaches(tier, rank, one.guard)
            ):
                one.own = "retracted"
        places = self.places(row.slot)
        earlier = [one for one in places if one.begins <= row.begins]
        for one in displaced + ([one for one in earlier if one.is_open(row.begins)] or earlier)[-1:]:
            one.ends[row.order] = row.begins
        for one in [one for one in places if one.begins > row.begins][:1]:
            row.ends[one.order] = one.begins
        row.placed, row.own = True, "active"

    def remember(self, by: Any, said: Row, corrects: Row | None = None) -> Any:
        said.begins = corrects.begins if corrects else said.begins
        if said.until <= said.begins:
            raise Refusal
        tier, reopened, met = min(by.rank, 4), None, self.meet(said)
        for row, _ in met:
            if row.own in ("invalidated", "rejected") and (row.before == "active" or tier <= row.tier):
                if not reaches(tier, by.rank, row.barred_by) or by.at <= row.barred_at:
                    raise Refusal
                reopened = row if row.before == "active" and row.is_open(said.begins) else reopened
        if said.text in self.erased_words:
            raise Refusal
        if reopened and not corrects:
            reopened.own = "active"
            reopened.repeats.append(said.text)
            return "known", reopened, ()
        held = self.held(said)
        if not corrects:
            same = [row for row, same in met if same and row.is_open(said.begins)]
            known = [row for row in same if row.own == "active" and said.slot in (None, row.slot)][:1]
            known += [row for row in same if row.own == "pending" and tier < 3][-1:]
            known += [held] if held and held.value == said.value else []
            if known:
                known[0].repeats.append(said.text)
                raise_guard(known[0], by.rank)
                return "waiting" if known[0].own == "pending" else "known", known[0], ()
        said.against = [corrects] if corrects else [held] if held else []
        waits = tier < 3 or not all(reaches(tier, by.rank, one.guard) for one in said.against)
        said.tier, said.guard = tier, 6 if by.rank == 6 and not waits else tier
        said.own = "pending"
        if not waits:
            self.take_place(said, said.against, tier, by.rank)
        self.rows.append(said)
        status = "waiting" if waits else "replaced" if said.against else "added"
        return status, said, () if waits else tuple(one.id for one in said.against)

    def update(self, by: Any, row: Row, said: Row) -> Any:
        self.target(by, row)
        while end := min(((at, order) for order, at in row.ends.items()), default=None):
            later = self.rows[end[1]]
            if end[0] != row.begins or end[0] > by.at or later.order < row.order or later.own == "erased":
                break
            row = later
        if row.standing(by.at) not in ("active", "superseded"):
            raise Refusal
        said.cell = row.cell  # It is seen where the old one was.
        return self.remember(by, said, row)

    def forget(self, by: Any, row: Row, now: int) -> Any:
        self.target(by, row)
        if row.own not in ("pending", "active") and (row.own != "invalidated" or by.rank <= row.barred_by):
            raise Refusal
        if by.rank < row.guard:
            return "disputed", row, ()
        row.before = row.before if row.own == "invalidated" else row.own
        row.own, row.barred_by, row.barred_at = "invalidated", by.rank, now
        return "changed", row, ()

    def confirm(self, by: Any, row: Row) -> Any:
        self.target(by, row)
        if row.standing(by.at) != "active":
            raise Refusal
        raise_guard(row, by.rank)
        return "changed", row, ()

    def judge(self, by: Any, row: Row, accept: bool, now: int) -> Any:
        self.target(by, row)
        if row.own != "pending" or by.rank < 4 or by.name == row.name:
            raise Refusal
        if not accept:
            row.before, row.own, row.barred_by, row.barred_at = "pending", "rejected", by.rank, now
            return "changed", row, ()
        met, held = self.meet(row), self.held(row)
        barred = [one for one, _ in met if one.own in ("invalidated", "rejected")]
        fits = [one for one, same in met if same and one.own == "active" and one.is_open(row.begins)]
        fits = [one for one in fits if row.slot in (None, one.slot)]
        said = [one for one in fits if one not in row.against] + [
            one for one in [held] if one and one.value == row.value
        ]
        against = [one for one in row.against if one.own == "active" and one.begins <= row.begins]
        displaced = {*against, *([held] if held else []), *(one for one in fits if one.guard < row.guard)}
        if (
            any(by.rank < one.barred_by or by.at <= one.barred_at for one in barred)
            or any(one.guard >= row.guard for one in said)
            or any(by.rank < one.guard for one in displaced)
        ):
            raise Refusal
        for one in barred:
            if one.own == "invalidated" and one.before == "active" and one.is_open(row.begins):
                one.ends[row.order] = row.begins
        ordered = sorted(displaced, key=lambda one: one.order)
        self.take_place(row, ordered, 4, by.rank)
        raise_guard(row, by.rank)
        return "changed", row, tuple(one.id for one in ordered)

    def erase(self, by: Any, rows: list[Row]) -> set[str]:
        if by.rank < 6:
            raise Refusal
        gone = [row for row in rows if row.own != "erased"]
        for row in gone:
            row.own, row.placed = "erased", False
            self.erased_words |= {row.text, *row.repeats}
        return {row.id for row in gone}


class History:
    def __init__(self, folder: str) -> None:
        self.folder, self.oracle, self.now = folder, Oracle(), LIVE
        self.memory = memlith.Memory.open(folder)

    def reopen(self) -> None:
        self.memory.close()
        self.memory = memlith.Memory.open(self.folder)

    def by(self, scope: int, speaker: int = 0, at: int | None = None, session: str | None = None) -> Any:
        """Who speaks, where and when."""
        user, project, agent = SCOPES[scope]
        name, rank = SPEAKERS[speaker] or (user or "user", "user")
        memory = self.memory
        for part, made in (("user", user), ("project", project), ("agent", agent), ("session", session)):
            memory = getattr(memory, part)(made) if made else memory
        memory = memory.speaker(name, rank)
        memory, when = (memory, self.now) if at is None else (memory.at(DAY[at]), at)
        place = {"cell": (agent, project or user), "session": session}
        return SimpleNamespace(memory=memory, name=name, rank=RANKS[rank], at=when, **place)

    def check(self, by: Any) -> None:
        """What a scope sees is what the oracle sees."""
        rows, memory = self.oracle.rows, by.memory
        seen = [row for row in reversed(rows) if row.own != "erased" and sees(by, row)]
        assert [one.id for one in memory.all(limit=3)] == [row.id for row in seen]

        def listed(fits: Any, **filters: Any) -> list[Row]:
            found = [row for row in seen if fits(row)]
            assert [one.id for one in memory.list(limit=1_000, **filters)] == [row.id for row in found], (
                filters
            )
            return found

        for entry, row in zip(memory.list(limit=1_000), seen, strict=True):
            at, order = min(((at, order) for order, at in row.ends.items()), default=(LIVE, None))
            slot = (*row.slot[1:], row.value) if row.slot else (None, None, None)
            assert (entry.text, entry.speaker, entry.standing) == (row.text, row.name, row.standing(by.at)), (
                row
            )
            assert (entry.entity, entry.predicate, entry.value, entry.metadata) == (
                *slot,
                {"order": str(row.order)},
            )
            assert entry.replaced_by == (None if order is None else rows[order].id)
            assert row.said >= LIVE or entry.created_at == DAY[row.said]
            assert at >= LIVE or entry.replaced_at == DAY[at]
            assert entry == memory.get(row.id)
        for standing in ("active", "superseded", "pending", "rejected"):
            listed(lambda row, is_so=standing: row.standing(by.at) == is_so, standing=standing)
        listed(lambda row: row.session == "s1", session="s1")
        for entity in ENTITIES:
            known = listed(lambda row, name=entity: row.slot and row.slot[1] == name, entity=entity)
            known = [row for row in known if row.standing(by.at) == "active"]
            known.sort(key=lambda row: (row.slot[2], row.begins, row.order))
            assert [one.id for one in memory.facts(entity)] == [row.id for row in known]
        assert [one.id for one in memory.waiting()] == [r.id for r in reversed(seen) if r.own == "pending"]
        for row in rows:
            if row.own == "erased":
                assert (memory.get(row.id).standing, memory.get(row.id).text) == ("erased", "")
            elif not sees(by, row):
                with pytest.raises(memlith.Refused):
                    memory.get(row.id)
        # A history tells of the row, of what it replaced, and of what ended one of these.
        shown = [row for row in rows if row.own == "erased" or sees(by, row)]
        life = set(seen[:1])
        while more := {one for row in life for one in shown if row.order in one.ends} - life:
            life |= more
        life |= {one for one in shown for row in life if one.order in row.ends}
        steps = memory.history(seen[0].id) if seen else []
        assert {step.id for step in steps if step.kind == "memory.remembered"} == {row.id for row in life}

    def step(self, kind: str, a: int, b: int, c: int, d: int, e: int, f: int) -> None:
        oracle, before, grows = self.oracle, self.memory.records(), False
        self.now += 1
        by = self.by(max(0, a - 6), b if b < 7 else 0, e if e < 6 else None, f"s{f % 2}" if f < 4 else None)
        row = oracle.rows[c % len(oracle.rows)] if oracle.rows else None
        if kind == "reopen":
            self.reopen()
        elif kind == "checkout":
            pack = by.memory.checkout(TEXTS[d % 5], observe=c % 2 == 0)
            assert {one.id for one in pack} <= {
                r.id for r in oracle.rows if sees(by, r) and r.standing(by.at) == "active"
            }
            grows = pack.observed is not None
        elif kind == "look" or row is None and kind not in ("remember", "keyed"):
            self.check(by)
        else:
            grows = self.write(kind, by, row, (a, b, c, d, f))
        after = self.memory.records()
        assert after > before if grows else after == before, (kind, before, after)

    def write(self, kind: str, by: Any, row: Any, chance: tuple[int, ...]) -> bool:
        """Makes a call that writes, and says whether records were to be added."""
        oracle, memory, (a, b, c, d, f) = self.oracle, by.memory, chance
        said = Row(
            order=len(oracle.rows), text=TEXTS[d % 5], cell=by.cell, slot=None, value=None, until=NEVER
        )
        said.begins, said.said, said.session, said.name = by.at, by.at, by.session, by.name
        said.id, said.ends, said.repeats, said.placed = "", {}, [], False
        told: dict[str, Any] = {"metadata": {"order": str(said.order)}}
        wanted: Any = None
        first = None
        try:
            if kind in ("remember", "keyed"):
                if c > 3:
                    named = ENTITIES[c % 2], PREDICATES[c // 10], VALUES[d % 3]
                    said.slot, said.value = (by.cell, *named[:2]), named[2]
                    told |= dict(zip(("entity", "predicate", "value"), named, strict=True))
                if f > 5:
                    said.begins, told["valid_from"] = f - 6, DAY[f - 6]
                if d > 9:
                    said.until, told["valid_until"] = d - 7, DAY[d - 7]
                key = (by.name, by.cell, f % 2) if kind == "keyed" else None
                text, first = said.text, oracle.keys.get(key)
                if first and d % 2 == 0:
                    text, told = first[:2]
                memory = memory.keyed(f"key {f % 2}") if key else memory
                call = lambda: memory.remember(text, **told)  # noqa: E731
                # A decision that says a row again keeps its words and its slot alone.
                told_slot = {part: told.get(part) for part in ("entity", "predicate", "value")}
                repeats = first and first[3] is not None and text == first[0]
                repeats = repeats and (told_slot == first[3] or not any(told_slot.values()))
                if first and (first[2].own == "erased" or not (repeats or first[:2] == (text, told))):
                    raise Refusal
                status = "waiting" if first and first[2].own == "pending" else "known"
                wanted = (status, first[2], ()) if first else oracle.remember(by, said)
                again = None if wanted[1] is said else told_slot
                oracle.keys |= {key: (text, told, wanted[1], again)} if key and not first else {}
            elif kind == "update":
                call = lambda: memory.update(row.id, said.text, **told)  # noqa: E731
                wanted = oracle.update(by, row, said)
            elif kind == "forget":
                call = lambda: memory.forget(row.id, f"reason {self.now}")  # noqa: E731
                wanted = oracle.forget(by, row, self.now)
            elif kind == "confirm":
                call = lambda: memory.confirm(row.id)  # noqa: E731
                wanted = oracle.confirm(by, row)
            elif kind in ("accept", "reject"):
                row = ([one for one in oracle.rows if one.own == "pending"] or [row])[-1 - c % 2 :][0]
                call = lambda: getattr(memory, kind)(row.id)  # noqa: E731
                wanted = oracle.judge(by, row, kind == "accept", self.now)
            else:
                owner = self.by(max(0, a - 6), 2 if d < 10 or b > 6 else b)
                about, gone = ENTITIES[c % 2], [row]
                call = lambda: owner.memory.erase(row.id)  # noqa: E731
                if kind == "erase entity":
                    gone = [one for one in oracle.rows if one.slot and one.slot[1] == about]
                    fits = [
                        {None: one.cell[n]}.get(part, part)
                        for one in gone
                        for n, part in enumerate(owner.cell)
                    ]
                    gone = [one for n, one in enumerate(gone) if one.cell == tuple(fits[2 * n : 2 * n + 2])]
                    call = lambda: owner.memory.erase(entity=about)  # noqa: E731
                elif row.own != "erased":
                    oracle.target(owner, row)
                wanted = oracle.erase(owner, gone)
        except Refusal:
            with pytest.raises(memlith.Refused):
                call()
            return False
        done = call()
        if isinstance(done, tuple):
            assert set(done) & {one.id for one in oracle.rows} == wanted
            return bool(done)
        wanted[1].id = wanted[1].id or done.id
        assert (done.status, done.id, done.superseded) == (wanted[0], wanted[1].id, wanted[2])
        return first is None


@seed(int(os.environ.get("MEMLITH_SEED", "1")))
@settings(
    max_examples=int(os.environ.get("MEMLITH_HISTORIES", "200")),
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)
@given(st.lists(st.tuples(st.sampled_from(KINDS), *[st.integers(0, 11)] * 6), min_size=15, max_size=40))
def test_every_history_is_as_the_oracle_says(steps: list[Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        history = History(folder + "/memory")
        for step in steps:
            history.step(*step)
        for _ in range(2):
            history.now += 1
            for scope in range(len(SCOPES)):
                history.check(history.by(scope))
            history.reopen()
        assert history.memory.verify().ok
        history.memory.close()
