"""Gives the reference memory server and `memlith mcp --profile graph` the same calls, and compares
the answers; then has Memlith take the reference's own file in, and search it.

Arguments: the program, a folder with a ledger in it, another one, and the reference server.

Where they differ and are documented to: the words of an answer are fenced here, so what is
compared is the structured result; what was deleted and is created again stands where it first
stood, so that lists are compared as sets; and names and contents are drawn without a repetition
inside one call, which the reference keeps twice.
"""

import asyncio
import json
import os
import random
import subprocess
import sys

from mcp import Client, StdioServerParameters

PROGRAM, FOLDER, IMPORTED, REFERENCE = sys.argv[1:5]
CALLS, SEED, ENTITIES = 400, 30, 1_000
NAMES = [f"Node {number}" for number in range(12)] + ["\u00dcn\u00efcode", "a-b", "--as=owner", "x\"y"]
KINDS = ["person", "Service", "place"]
FACTS = [f"fact {number} of Tea" for number in range(9)] + ["Ana's cup", "<b>", "two\nlines", "TEA"]
TIES = ["uses", "knows"]


def drawn(chance):
    """One call."""
    names = lambda: chance.sample(NAMES, chance.randint(1, 3))
    facts = lambda: chance.sample(FACTS, chance.randint(0, 3))
    ties = lambda: list(
        {
            (one["from"], one["to"], one["relationType"]): one
            for one in (
                {"from": chance.choice(NAMES), "to": chance.choice(NAMES), "relationType": chance.choice(TIES)}
                for _ in range(chance.randint(1, 3))
            )
        }.values()
    )
    entity = lambda name: {"name": name, "entityType": chance.choice(KINDS), "observations": facts()}
    return chance.choice(
        [
            lambda: ("create_entities", {"entities": [entity(name) for name in names()]}),
            lambda: ("create_entities", {"entities": [entity(name) for name in names()]}),
            lambda: ("create_relations", {"relations": ties()}),
            lambda: (
                "add_observations",
                {"observations": [{"entityName": name, "contents": facts()} for name in names()]},
            ),
            lambda: ("delete_entities", {"entityNames": names()[:1]}),
            lambda: (
                "delete_observations",
                {"deletions": [{"entityName": name, "observations": facts()} for name in names()]},
            ),
            lambda: ("delete_relations", {"relations": ties()}),
            lambda: ("read_graph", {}),
            lambda: ("search_nodes", {"query": chance.choice(["tea", "NODE 1", "person", "", "none"])}),
            lambda: ("open_nodes", {"names": names()}),
        ]
    )()


def plain(answer):
    if answer.is_error:
        return "error"
    return in_order({key: value for key, value in answer.structured_content.items() if key != "notes"})


def in_order(value):
    """The same with its lists sorted."""
    if isinstance(value, dict):
        return {key: in_order(part) for key, part in value.items()}
    if isinstance(value, list):
        return sorted((in_order(part) for part in value), key=lambda part: json.dumps(part, sort_keys=True))
    return value


async def compare():
    """The same calls to both; how many of each tool."""
    kept = os.path.join(FOLDER, "reference.jsonl")
    theirs = StdioServerParameters(command=REFERENCE, env=dict(os.environ, MEMORY_FILE_PATH=kept))
    ours = StdioServerParameters(
        command=PROGRAM, args=["mcp", "serve", "--profile", "graph"], cwd=FOLDER, env=dict(os.environ)
    )
    chance, counts = random.Random(SEED), {}
    async with Client(theirs) as theirs, Client(ours) as ours:
        for number in range(CALLS):
            tool, arguments = drawn(chance)
            expected = plain(await theirs.call_tool(tool, arguments))
            given = plain(await ours.call_tool(tool, arguments))
            assert given == expected, f"call {number}: {tool} {arguments}\n{expected}\n{given}"
            counts[tool] = counts.get(tool, 0) + 1
    assert len(counts) == 9, counts
    return counts


async def take_in():
    """The reference's file of many entities; searched as the reference searches."""
    kept = os.path.join(IMPORTED, "memory.jsonl")
    with open(kept, "w") as file:
        for number in range(ENTITIES):
            line = {"type": "entity", "name": f"Part {number}", "entityType": "part"}
            file.write(json.dumps({**line, "observations": [f"lies in box {number % 7}"]}) + "\n")
        for number in range(1, ENTITIES):
            ends = {"from": f"Part {number}", "to": f"Part {number // 2}"}
            file.write(json.dumps({"type": "relation", **ends, "relationType": "fits"}) + "\n")
    command = [PROGRAM, "import", "mcp-memory", kept]
    subprocess.run(command, cwd=IMPORTED, stdout=subprocess.DEVNULL, check=True)
    theirs = StdioServerParameters(command=REFERENCE, env=dict(os.environ, MEMORY_FILE_PATH=kept))
    ours = StdioServerParameters(
        command=PROGRAM, args=["mcp", "serve", "--profile", "graph"], cwd=IMPORTED, env=dict(os.environ)
    )
    async with Client(theirs) as theirs, Client(ours) as ours:
        for tool, arguments in [
            ("search_nodes", {"query": "box 3"}),
            ("search_nodes", {"query": "PART 77"}),
            ("open_nodes", {"names": ["Part 500", "Part 0"]}),
            ("read_graph", {}),
        ]:
            expected = plain(await theirs.call_tool(tool, arguments))
            given = plain(await ours.call_tool(tool, arguments))
            assert given == expected, f"{tool} {arguments} of what was imported"


counts = asyncio.run(compare())
print(f"the reference's nine tools: {sum(counts.values())} calls, seed {SEED}, equal answers")
asyncio.run(take_in())
print(f"the reference's file: {ENTITIES} entities and {ENTITIES - 1} relations taken in, equal answers")
