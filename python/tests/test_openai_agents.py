"""The session beside the SDK's own, and under its runner."""

import asyncio
import json
import random
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

import memlith

pytest.importorskip("agents")

from agents import Agent, RunConfig, Runner, SQLiteSession, function_tool
from agents.items import ModelResponse
from agents.memory import Session, SessionSettings
from agents.models.interface import Model
from agents.usage import Usage
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

from memlith.openai_agents import MemlithSession


def message(content: Any) -> Any:
    return {"role": "user", "content": content}


def add(session: Any, *contents: Any) -> None:
    asyncio.run(session.add_items([message(content) for content in contents]))


def contents(session: Any, limit: int | None = None) -> list[Any]:
    return [item["content"] for item in asyncio.run(session.get_items(limit))]


def test_it_is_a_session(memory: memlith.Memory) -> None:
    assert isinstance(MemlithSession("s", memory), Session)


@pytest.mark.parametrize("seed", range(4))
def test_random_calls_are_answered_as_by_the_sdk(memory: memlith.Memory, seed: int) -> None:
    chance = random.Random(seed)
    theirs = SQLiteSession("s")

    async def work() -> None:
        for number in range(120):
            ours = MemlithSession("s", memory)
            kind = chance.randrange(20)
            if kind < 8:
                items = [message(chance.choice(["hi", f"{number}"])) for _ in range(chance.randrange(4))]
                await ours.add_items(items)
                await theirs.add_items(items)
            elif kind < 14:
                assert await ours.pop_item() == await theirs.pop_item()
            elif kind < 19:
                limit = chance.choice([None, 0, 1, 2, 5, 600])
                assert await ours.get_items(limit) == await theirs.get_items(limit), limit
            else:
                await ours.clear_session()
                await theirs.clear_session()
        assert await ours.get_items() == await theirs.get_items()

    asyncio.run(work())


def test_items_are_the_json_that_was_added(memory: memlith.Memory) -> None:
    items: list[Any] = [
        message("caf\u00e9 \U0001f600 \u0000 \u2028 \ud800 line\r\nline\n\n"),
        {"type": "function_call", "call_id": "c1", "name": "f", "arguments": '{"x": "\\u00e9", "n": 1.5}'},
        {"type": "function_call_output", "call_id": "c1", "output": [{"deep": [None, True, 1e-9, {}]}]},
        message(""),
        message(""),
    ]
    for name in ("s", "S", " s ", "", "\u00e9\ud800", "token=abcdef0123456789"):
        asyncio.run(MemlithSession(name, memory).add_items(items))
    for name in ("s", "S", " s ", "", "\u00e9\ud800", "token=abcdef0123456789"):
        assert asyncio.run(MemlithSession(name, memory).get_items()) == items


def test_an_empty_session_pops_nothing(memory: memlith.Memory) -> None:
    session = MemlithSession("s", memory)
    assert asyncio.run(session.pop_item()) is None
    asyncio.run(session.clear_session())
    add(session, "one")
    assert asyncio.run(session.pop_item()) == message("one")
    assert asyncio.run(session.pop_item()) is None and contents(session) == []
    add(session, "one")
    assert contents(session) == ["one"]


def test_limits_are_those_of_the_call_then_the_session(memory: memlith.Memory) -> None:
    session = MemlithSession("s", memory, session_settings=SessionSettings(limit=2))
    add(session, "1", "2", "3")
    assert contents(session) == ["2", "3"] and contents(session, 1) == ["3"]


def test_rows_are_found_by_no_other_search(memory: memlith.Memory) -> None:
    ana = memory.user("ana")
    add(MemlithSession("s", ana), "The zebra is in the garden.")
    for other in (memory, ana, ana.agent("ops"), ana.session("s"), memory.user("bob")):
        assert other.search("zebra garden") == [] and len(other.list()) == 0
    assert contents(MemlithSession("s", memory.user("bob"))) == []
    assert contents(MemlithSession("s", ana.speaker("crawler", "web"))) == ["The zebra is in the garden."]


def test_ten_thousand_items(memory: memlith.Memory) -> None:
    session = MemlithSession("s", memory)
    add(session, *range(9_000))
    for start in range(9_000, 10_000, 4):
        add(session, *range(start, start + 4))
    assert contents(session) == list(range(10_000)) and contents(session, 3) == [9_997, 9_998, 9_999]
    assert asyncio.run(session.pop_item()) == message(9_999)
    assert contents(session, 1_100) == list(range(8_899, 9_999))
    asyncio.run(session.clear_session())
    assert contents(session) == []


def test_secrets_are_taken_out_and_items_stay_whole(memory: memlith.Memory) -> None:
    session = MemlithSession("s", memory)
    key = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD"
    cut = ["it ends in secret=", 1234567890123456]
    add(session, f"my key is {key}", {"password": 12345678}, cut, "the next", [1, "tea time"])
    got = contents(session)
    assert got[0] == "my key is [REDACTED:openai]" and got[1] == {"password": "[REDACTED]"}
    assert got[2] == ["[REDACTED]", "[REDACTED]"] and got[3:] == ["the next", [1, "tea time"]]
    assert all(item["role"] == "user" for item in asyncio.run(session.get_items()))  # type: ignore[typeddict-item]
    assert asyncio.run(session.pop_item()) == message([1, "tea time"]) and contents(session) == got[:-1]


def test_a_refused_item_adds_nothing(memory: memlith.Memory) -> None:
    session = MemlithSession("s", memory)
    add(session, "before")
    with pytest.raises(memlith.Refused, match="limit"):
        add(session, "one", "x" * 2_000_000, "two")
    assert contents(session) == ["before"]
    with pytest.raises(TypeError):
        add(session, "one", object())
    assert contents(session) == ["before"]


def test_pops_at_once_take_different_items(memory: memlith.Memory) -> None:
    async def work() -> None:
        session = MemlithSession("s", memory)
        for start in range(0, 30, 3):
            await session.add_items([message(start + part) for part in range(3)])
        popped = await asyncio.gather(*(MemlithSession("s", memory).pop_item() for _ in range(40)))
        numbers: list[Any] = [dict(item)["content"] for item in popped if item is not None]
        assert sorted(numbers) == list(range(30)) and await session.get_items() == []
        assert session._memory.list(standing="active").items == ()

    asyncio.run(work())


WORKER = """
import asyncio, json, sys, memlith
from memlith.openai_agents import MemlithSession
session = MemlithSession("s", memlith.Memory.open(sys.argv[1]))
async def add():
    for number in range(100):
        items = [{"role": "user", "content": f"{sys.argv[2]} {number} {part}"} for part in range(3)]
        await session.add_items(items)
async def pop():
    return [(await session.pop_item())["content"] for _ in range(100)]
print("ready", flush=True)
for line in sys.stdin:
    print(json.dumps(asyncio.run({"add": add, "pop": pop}[line.strip()]())), flush=True)
"""


def test_processes_add_and_pop_at_once(tmp_path: Path) -> None:
    path = tmp_path / "memory"
    memlith.Memory.open(path).close()
    command = [sys.executable, "-c", WORKER, str(path)]
    pipe = subprocess.PIPE
    workers = [subprocess.Popen([*command, who], stdin=pipe, stdout=pipe, text=True) for who in ("a", "b")]
    streams = [(one.stdin, one.stdout) for one in workers]
    pipes = [(into, out) for into, out in streams if into is not None and out is not None]
    assert [out.readline() for _, out in pipes] == ["ready\n"] * 2

    def both(work: str) -> list[Any]:
        for into, _ in pipes:
            into.write(f"{work}\n")
            into.flush()
        return [json.loads(out.readline()) for _, out in pipes]

    both("add")
    with memlith.Memory.open(path) as memory:
        before = contents(MemlithSession("s", memory))
        for who in ("a", "b"):
            mine = [one for one in before if one.startswith(who)]
            assert mine == [f"{who} {number} {part}" for number in range(100) for part in range(3)]
        calls = [one.rpartition(" ")[0] for one in before]
        assert calls[0::3] == calls[1::3] == calls[2::3]
        assert before != sorted(before, key=lambda one: one[0]), "the processes did not add at once"
        first, second = both("pop")
        assert contents(MemlithSession("s", memory)) == before[:400]
    assert sorted(first + second) == sorted(before[400:])
    for worker, (into, _) in zip(workers, pipes, strict=True):
        into.close()
        assert worker.wait(timeout=30) == 0


class Fake(Model):
    """Calls the tool ``weather`` once in a run, then answers with the number of items it was given."""

    def __init__(self) -> None:
        self.inputs: list[list[Any]] = []

    async def get_response(self, system_instructions: Any, input: Any, *args: Any, **_: Any) -> ModelResponse:
        self.inputs.append(json.loads(json.dumps(input)))
        output: Any
        if self.inputs[-1][-1].get("role") == "user":
            number = str(len(self.inputs))
            output = ResponseFunctionToolCall(
                id=number,
                call_id=number,
                type="function_call",
                name="weather",
                arguments='{"city": "K\u00f6ln"}',
            )
        else:
            text = ResponseOutputText(text=str(len(input)), type="output_text", annotations=[], logprobs=[])
            output = ResponseOutputMessage(
                id="m", content=[text], role="assistant", status="completed", type="message"
            )
        return ModelResponse(output=[output], usage=Usage(), response_id=None)

    def stream_response(self, *args: Any, **_: Any) -> AsyncIterator[Any]:
        raise NotImplementedError


@function_tool
def weather(city: str) -> str:
    """Returns the weather."""
    return f"rain in {city}"


def test_the_runner_goes_on_where_another_process_ended(memory: memlith.Memory) -> None:
    model = Fake()
    agent = Agent(name="a", model=model, tools=[weather])
    config = RunConfig(tracing_disabled=True)
    theirs = SQLiteSession("s")
    outputs = []
    for text in ("And in K\u00f6ln?", "And now?"):
        ours = MemlithSession("s", memory)
        for session in (ours, theirs):
            result = asyncio.run(Runner.run(agent, text, session=session, run_config=config))
            outputs.append(result.final_output)
    assert outputs == ["3", "3", "7", "7"]
    mine, other = items_of(ours), items_of(theirs)
    kinds = [item.get("type", item.get("role")) for item in mine]
    assert kinds == ["user", "function_call", "function_call_output", "message"] * 2
    assert list(map(without_ids, mine)) == list(map(without_ids, other))
    assert any("rain in K\u00f6ln" in str(item) for item in model.inputs[-2])


def items_of(session: Any) -> list[dict[str, Any]]:
    return list(asyncio.run(session.get_items()))


def without_ids(item: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in item.items() if key not in ("id", "call_id")}
