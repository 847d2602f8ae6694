"""Drives `memlith mcp serve --profile memory-tool` by the memory tool of the public SDK: its abstract
class hands each command over as the SDK's own type, and its own tool on files is the reference.

Arguments: the program, and a folder with a ledger in it. Prints what it checked.
"""

import asyncio
import os
import sys
import tempfile

from anthropic.lib.tools import BetaAsyncAbstractMemoryTool
from anthropic.lib.tools import _beta_builtin_memory_tool as reference
from mcp import Client, StdioServerParameters

PROGRAM, FOLDER = sys.argv[1], sys.argv[2]
A, B = "/memories/a.md", "/memories/notes/b.md"

# Where the reference and this server say it in the same words, they are compared.
COMMANDS = [
    {"command": "create", "path": A, "file_text": "one\ntwo\nthree\n"},
    {"command": "create", "path": B, "file_text": "port 80\n"},
    {"command": "view", "path": A},
    {"command": "view", "path": A, "view_range": [2, 3]},
    {"command": "str_replace", "path": A, "old_str": "two", "new_str": "2"},
    {"command": "insert", "path": A, "insert_line": 1, "insert_text": "between\n"},
    {"command": "view", "path": A},
    {"command": "rename", "old_path": B, "new_path": "/memories/c.md"},
    {"command": "view", "path": "/memories/c.md"},
    {"command": "delete", "path": "/memories/c.md"},
]
REFUSED = [
    {"command": "view", "path": B},
    {"command": "create", "path": A, "file_text": "again"},
    {"command": "str_replace", "path": A, "old_str": "none", "new_str": "x"},
    {"command": "insert", "path": A, "insert_line": 99, "insert_text": "x"},
    {"command": "delete", "path": B},
    {"command": "view", "path": "/memories/../etc/passwd"},
]


class Ledger(BetaAsyncAbstractMemoryTool):
    """The SDK's tool with this server behind it."""

    def __init__(self, client):
        super().__init__()
        self.client = client
        self.handed = set()

    async def hand(self, command):
        self.handed.add(type(command).__name__)
        answer = await self.client.call_tool("memory", command.model_dump(exclude_none=True))
        if answer.is_error:
            raise ValueError(answer.content[0].text.rstrip("\n"))
        return answer.structured_content["text"]

    view = create = str_replace = insert = delete = rename = hand


async def tried(tool, command):
    """What it says, and whether it is done."""
    try:
        return True, await tool.call(command)
    except Exception as error:
        return False, str(error)


async def drive():
    server = StdioServerParameters(
        command=PROGRAM, args=["mcp", "serve", "--profile", "memory-tool"], cwd=FOLDER, env=dict(os.environ)
    )
    equal = 0
    with tempfile.TemporaryDirectory() as folder:
        theirs = reference.BetaAsyncLocalFilesystemMemoryTool(folder)
        async with Client(server) as client:
            ours = Ledger(client)
            for command in COMMANDS + REFUSED:
                expected, given = await tried(theirs, command), await tried(ours, command)
                assert expected[0] == given[0] == (command in COMMANDS), f"{command}: {expected} {given}"
                if expected[1] == given[1]:
                    equal += 1
                else:
                    print(f"  {command['command']}: {expected[1]!r} there, {given[1]!r} here")
    assert len(ours.handed) == 6, ours.handed
    return f"6 types, {len(COMMANDS)} commands done and {len(REFUSED)} refused as there, {equal} in the same words"


print(f"the SDK's memory tool: {asyncio.run(drive())}")
