"""The library as its users call it."""

import asyncio
import doctest
import importlib
import os
import pickle
import sys
import threading
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

import memlith

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))


def test_a_value_is_replaced_and_its_life_is_told(memory: memlith.Memory) -> None:
    ana = memory.user("ana")
    old = ana.remember("The staging database runs Postgres 15.", metadata={"from": "wiki"})
    new = ana.remember("The staging database runs Postgres 16.")
    assert (old.status, new.status, new.superseded) == ("added", "replaced", (old.id,))
    entry = ana.get(old.id)
    assert entry.standing == "superseded" and entry.replaced_by == new.id
    assert entry.metadata == {"from": "wiki"} and entry.created_at.tzinfo is not None
    assert [step.kind for step in ana.history(new.id)].count("memory.remembered") == 2
    standing = [one.text for one in ana.list(standing="active")]
    assert standing == ["The staging database runs Postgres 16."] and len(ana.list()) == 2
    assert [one.id for one in ana.list(standing="superseded")] == [old.id]
    assert [one.id for one in ana.list(metadata={"from": "wiki"}, standing="superseded")] == [old.id]


def test_a_checkout_is_cited_written_down_and_reported_on(memory: memlith.Memory) -> None:
    ana = memory.user("ana")
    tea = ana.remember("I drink tea in the morning.")
    pack = ana.checkout("what do I drink?")
    assert pack.items[0].id == tea.id and tea.id[:10] in str(pack)
    assert pack.observed is not None and len(pack) == 1 and list(pack)[0].text in pack.text
    before = ana.explain(tea.id).detail
    assert ana.report(pack, helped=True).id
    assert ana.explain(tea.id).detail != before
    quiet = ana.checkout("what do I drink?", observe=False)
    assert quiet.observed is None and quiet.not_observed
    assert ana.search("what do I drink?")[0].score > 0
    assert "<table" in pack._repr_html_() and "<table" in ana.list()._repr_html_()
    assert hash(ana.get(tea.id)) == hash(ana.get(tea.id))


def test_a_correction_is_seen_where_the_memory_was(memory: memlith.Memory) -> None:
    shared = memory.remember("The office closes at six.")
    new = memory.user("ana").update(shared.id, "The office closes at seven.")
    assert memory.search("when does the office close?")[0].text == "The office closes at seven."
    assert memory.user("bob").get(new.id).standing == "active"
    private = memory.user("ana").remember("I live in Pune.")
    with pytest.raises(memlith.MemlithError):
        memory.user("bob").update(private.id, "I live in Oslo.")
    port = memory.remember("The port is 1.", entity="api", predicate="port", value="1")
    memory.update(port.id[:12], "The port is 2.", entity="api", predicate="port", value="2")
    assert [one.value for one in memory.facts("api")] == ["2"]


def test_a_memory_is_named_as_a_model_saw_it(memory: memlith.Memory) -> None:
    tea = memory.remember("I drink tea in the morning.")
    pack = memory.checkout("what do I drink?")
    assert memory.get(tea.id[:10]).id == tea.id and tea.id[:10] in pack.text
    assert memory.get(pack.items[0].citation).id == tea.id
    assert memory.forget(tea.id[:10], "wrong").status == "changed"


def test_a_life_and_a_state_are_pictures(memory: memlith.Memory) -> None:
    then = datetime.now(timezone.utc) - timedelta(days=60)
    tea = memory.at(then).remember("I drink <b>tea</b> & milk.")
    memory.checkout("what do I drink?")
    life = memory.explain(tea.id)
    assert life.curve[0] == (memory.get(tea.id).created_at, 1.0) and 0.2 < life.salience < 0.3
    assert "<polyline" in life._repr_html_() and "<b>" not in memory.list()._repr_html_()
    state = memory.state()
    assert state.memories == {"active": 1} and state.records == memory.records()
    assert "<rect" in state._repr_html_()
    bob = memory.user("bob").remember("Bob has a dog.")
    everything = memory.everywhere()
    assert everything.get(bob.id).text == "Bob has a dog." and len(everything.list()) == 2
    with pytest.raises(memlith.MemlithError):
        everything.remember("It is read only.")


def test_who_speaks_decides_what_is_seen_and_what_waits(memory: memlith.Memory) -> None:
    memory.user("ana").remember("I live in Pune.")
    assert memory.user("bob").search("where do I live?") == []
    person = memory.project("shop").user("ana")
    person.remember("The port is 8080.", entity="api", predicate="port", value="8080")
    bot = memory.project("shop").speaker("bot", "assistant")
    claim = bot.remember("The port is 9090.", entity="api", predicate="port", value="9090")
    assert claim.status == "waiting"
    assert [one.id for one in person.waiting()] == [claim.id]
    assert person.accept(claim.id).status in ("changed", "replaced")
    assert [one.value for one in person.facts("api")] == ["9090"]
    with pytest.raises(memlith.Wrong, match="no rank"):
        memory.speaker("x", "king")


def test_what_is_erased_is_gone_for_good(memory: memlith.Memory) -> None:
    ana = memory.user("ana")
    ana.remember("Lena Vogt rents the flat in Maple Street.")
    with pytest.raises(memlith.MemlithError):
        ana.erase(mentions="Lena Vogt")
    owner = ana.speaker("ana", "owner")
    assert len(owner.erase(mentions="Lena Vogt")) >= 1
    assert ana.search("who rents the flat?") == []
    with pytest.raises(memlith.Refused):
        ana.remember("Lena Vogt rents the flat in Maple Street.")
    with pytest.raises(ValueError):
        owner.erase()


def test_instants_know_their_zone(memory: memlith.Memory) -> None:
    then = datetime(2026, 3, 1, 12, tzinfo=timezone(timedelta(hours=2)))
    old = memory.at(then).remember("The office is in Rome.")
    assert memory.get(old.id).created_at == then
    between = datetime.now(timezone.utc)
    memory.remember("The office is in Milan.")
    past = memory.search("where is the office?", as_of=between)
    assert [one.text for one in past] == ["The office is in Rome."]
    with pytest.raises(memlith.Refused, match="knew nothing"):
        memory.search("where is the office?", as_of=then)
    week = timedelta(days=7)
    ends = datetime.now(timezone.utc) - week
    memory.remember("The fair is open.", valid_from=ends - week, valid_until=ends)
    assert memory.search("is the fair open?") == []
    for call in (
        lambda: memory.at(datetime(2026, 3, 1)),
        lambda: memory.remember("x y", valid_from=datetime(2026, 3, 1)),
        lambda: memory.list(since=datetime(2026, 3, 1)),
    ):
        with pytest.raises(ValueError, match="no time zone"):
            call()


def test_a_key_makes_a_write_safe_to_repeat(memory: memlith.Memory) -> None:
    first = memory.keyed("deploy 41").remember("Deployed build 41.")
    again = memory.keyed("deploy 41").remember("Deployed build 41.")
    assert (again.id, again.status) == (first.id, "known")
    with pytest.raises(memlith.MemlithError):
        memory.keyed("deploy 41").remember("Deployed build 42.")


def test_the_ledger_is_proven(memory: memlith.Memory, tmp_path: Path) -> None:
    memory.remember("Tea is green.")
    assert memory.head().startswith("memlith-head:") and memory.verify().ok
    memory.close()
    assert bool(memlith.verify(tmp_path / "memory"))
    segment = tmp_path / "memory" / "seg-0000000000"
    data = bytearray(segment.read_bytes())
    data[data.index(b"Tea is green") + 2] ^= 1
    segment.write_bytes(data)
    report = memlith.verify(tmp_path / "memory")
    assert not report and report.findings
    with pytest.raises(memlith.Damaged):
        memlith.Memory.open(tmp_path / "memory")


def test_threads_share_a_ledger_and_do_not_wait_for_the_interpreter(memory: memlith.Memory) -> None:
    def write(name: str) -> None:
        for number in range(20):
            memory.user(name).remember(f"Box {number} of {name} is blue.")
            memory.user(name).search(f"which colour has box {number}?")

    threads = [threading.Thread(target=write, args=(f"user{n}",)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(len(list(memory.user(f"user{n}").all(limit=7))) == 20 for n in range(8))


def test_calls_can_be_awaited(tmp_path: Path) -> None:
    async def work() -> list[str]:
        async with await memlith.AsyncMemory.open(tmp_path / "memory") as memory:
            ana = memory.user("ana")
            await asyncio.gather(*(ana.remember(f"Shelf {n} holds jars.") for n in range(10)))
            return [entry.text for entry in await ana.list()]

    assert len(asyncio.run(work())) == 10


def test_answers_are_frozen_and_can_be_pickled(memory: memlith.Memory) -> None:
    written = memory.remember("Frozen things stay.")
    with pytest.raises(AttributeError):
        written.id = "x"  # type: ignore[misc]
    entry = memory.get(written.id)
    assert pickle.loads(pickle.dumps(entry)) == entry
    assert "Frozen things stay." in repr(entry) and "records" in repr(memory)


def test_the_examples_of_the_docstrings_run() -> None:
    for name in ("_memory", "_async", "mem0", "langgraph"):
        failed, tried = doctest.testmod(importlib.import_module(f"memlith.{name}"))
        assert tried > 0 and failed == 0


def test_the_stub_of_the_awaited_calls_is_that_of_the_code() -> None:
    import stubs

    assert (stubs.HERE / "_async.pyi").read_text() == stubs.stub()


# ---- Bad input ----


@pytest.mark.parametrize("bad", [None, 7, b"bytes", ["list"], {"a": 1}])
def test_a_value_of_another_type_is_refused(memory: memlith.Memory, bad: object) -> None:
    for call in (memory.remember, memory.search, memory.checkout, memory.get, memory.user):
        with pytest.raises((TypeError, memlith.Wrong)):
            call(bad)  # type: ignore[operator]


def test_broken_values_are_exceptions_that_say_what_to_do(memory: memlith.Memory) -> None:
    with pytest.raises(UnicodeEncodeError):
        memory.remember("half \ud800 a letter")
    with pytest.raises(memlith.MemlithError):
        memory.remember("x" * (100 << 20))
    with pytest.raises(memlith.MemlithError):
        memory.remember("")
    with pytest.raises(memlith.Wrong, match="names no record"):
        memory.get("nonsense")
    with pytest.raises(memlith.MemlithError):
        memory.get("mem_99_0123456789ab")
    with pytest.raises(ValueError, match="all three|or none"):
        memory.remember("The port is 1.", entity="api")
    for call in (
        lambda: memory.search("tea", -1),
        lambda: memory.checkout("tea", budget_tokens=2**40),
        lambda: memory.user(""),
        lambda: memory.keyed(""),
    ):
        with pytest.raises(ValueError, match="from 0|empty"):
            call()
    for wrong in (lambda: memlith.Memory("x"), lambda: memlith.AsyncMemory("x"), lambda: memory.at(None)):
        with pytest.raises(TypeError):
            wrong()
    with pytest.raises(memlith.Wrong, match="standing"):
        memory.list(standing="asleep")
    with pytest.raises(memlith.Wrong):
        memory.list(cursor="nonsense")
    with pytest.raises(memlith.Wrong):
        memlith.Memory.open("/tmp/x", lock_timeout=float("nan"))
    with pytest.raises(memlith.MemlithError):
        memlith.Memory.open("/dev/null")
    assert memory.list().items == ()


def test_a_closed_ledger_says_so(tmp_path: Path) -> None:
    memory = memlith.Memory.open(tmp_path / "memory")
    ana = memory.user("ana")
    memory.close()
    memory.close()
    for call in (lambda: ana.remember("late"), ana.list, ana.head):
        with pytest.raises(memlith.Closed, match="open it again"):
            call()
    assert "closed" in repr(ana)


def test_a_close_waits_for_the_calls_that_run(tmp_path: Path) -> None:
    memory = memlith.Memory.open(tmp_path / "memory")
    wrong: list[BaseException] = []

    def write() -> None:
        try:
            for number in range(500):
                memory.remember(f"Line {number} is written.")
        except memlith.Closed:
            pass
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=write) for _ in range(4)]
    for thread in threads:
        thread.start()
    memory.close()
    for thread in threads:
        thread.join()
    assert wrong == [] and memlith.verify(tmp_path / "memory").ok


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_fork_opens_the_ledger_anew(memory: memlith.Memory, tmp_path: Path) -> None:
    memory.remember("Before the fork.")
    child = os.fork()
    if child == 0:
        try:
            memory.remember("In the child.")
        except memlith.Closed:
            memory.close()
            os._exit(0)
        os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
    memory.remember("After the fork.")
    assert memory.verify().ok
