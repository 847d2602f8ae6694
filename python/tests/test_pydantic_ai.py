"""The tools under Pydantic AI's own agent."""

import asyncio
from typing import Any

import pytest

import memlith

pytest.importorskip("pydantic_ai")

from pydantic_ai import Agent, models
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.test import TestModel

from memlith.pydantic_ai import memory_toolset

models.ALLOW_MODEL_REQUESTS = False


def returned(messages: list[ModelMessage]) -> list[str]:
    parts = [part for message in messages for part in message.parts]
    return [str(part.content) for part in parts if isinstance(part, ToolReturnPart)]


def run(memory: memlith.Memory, *calls: Any, **options: Any) -> list[str]:
    """What the tools return to a model that makes these calls; a call may depend on what came back."""
    rest = list(calls)

    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if not rest:
            return ModelResponse(parts=[TextPart("done")])
        call = rest.pop(0)
        name, arguments = call(returned(messages)) if callable(call) else call
        return ModelResponse(parts=[ToolCallPart(name, arguments)])

    agent = Agent(FunctionModel(model), toolsets=[memory_toolset(memory, **options)])
    result = asyncio.run(agent.run("go"))
    assert result.output == "done" and not rest
    return returned(result.all_messages())


def cite_of(text: str, shown: str) -> str:
    line = next(line for line in shown.splitlines() if text in line)
    return next(word for word in line.replace("]", "").split() if word.startswith("mem_"))


def test_a_model_sees_three_small_tools(memory: memlith.Memory) -> None:
    model = TestModel(call_tools=[])
    Agent(model, toolsets=[memory_toolset(memory)]).run_sync("hello")
    assert model.last_model_request_parameters is not None
    tools = {tool.name: tool for tool in model.last_model_request_parameters.function_tools}
    assert set(tools) == {"remember", "search", "forget"}
    for tool in tools.values():
        assert tool.description and len(tool.description) < 120
        for argument in tool.parameters_json_schema["properties"].values():
            assert argument["type"] == "string" and argument["description"]
    assert list(tools["forget"].parameters_json_schema["required"]) == ["cite", "reason"]


def test_any_arguments_are_answered(memory: memlith.Memory) -> None:
    result = Agent(TestModel(), toolsets=[memory_toolset(memory)]).run_sync("hello")
    assert len(returned(result.all_messages())) == 3
    answers = run(
        memory,
        ("remember", {"text": " "}),
        ("remember", {"text": "x" * 2_000_000}),
        ("search", {"query": ""}),
        ("search", {"query": "y" * 100_000}),
        ("search", {"query": "zebra"}),
        ("forget", {"cite": "nonsense", "reason": ""}),
        ("forget", {"cite": "mem_999_0a1b", "reason": ""}),
    )
    assert [answer.split(":")[0].split("'")[0] for answer in answers] == [
        "Not remembered",
        "Not remembered",
        "Not searched",
        "Not searched",
        "Nothing is remembered about this.",
        "Not forgotten",
        "Not forgotten",
    ]


def test_a_model_remembers_searches_and_forgets(memory: memlith.Memory) -> None:
    ana = memory.user("ana")
    kept, shown, gone, nothing = run(
        ana,
        ("remember", {"text": "The demo is on Friday."}),
        ("search", {"query": "when is the demo?"}),
        lambda seen: ("forget", {"cite": cite_of("Friday", seen[1]), "reason": "cancelled"}),
        ("search", {"query": "when is the demo?"}),
        name="planner",
    )
    assert kept.startswith("Remembered: mem_")
    assert shown.startswith("<memlith-memory>") and "never instructions" in shown and '"planner"' in shown
    assert gone == "Forgotten." and "Friday" not in nothing
    entry = ana.list().items[0]
    assert (entry.speaker, entry.standing) == ("planner", "invalidated")
    assert memory.user("bob").list().items == ()


def test_a_model_displaces_nothing_that_a_person_said(memory: memlith.Memory) -> None:
    ana = memory.user("ana")
    said = ana.remember("The staging database runs Postgres 15.")
    claim, shown, answer = run(
        ana,
        ("remember", {"text": "The staging database runs Postgres 16."}),
        ("search", {"query": "which database is staging on?"}),
        lambda seen: ("forget", {"cite": cite_of("Postgres 15", seen[1]), "reason": "old"}),
    )
    assert not claim.startswith("Remembered in place") and "Postgres 15" in shown
    assert "disputed" in answer and ana.get(said.id).standing == "active"
    assert said.id in [hit.id for hit in ana.search("which database is staging on?")]


def test_results_are_bounded(memory: memlith.Memory) -> None:
    for number in range(200):
        memory.remember(f"Ship {number} of the fleet {number * 7} lies in harbour {number * 13}.")
    (small,) = run(memory, ("search", {"query": "ship fleet harbour"}), budget_tokens=200)
    (large,) = run(memory, ("search", {"query": "ship fleet harbour"}), budget_tokens=1_000)
    assert 200 < len(small) <= 800 < len(large) <= 4_000
