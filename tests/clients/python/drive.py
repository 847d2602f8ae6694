"""Drives `memlith mcp` with the client of the package `mcp`: every tool, over both transports,
in both lifecycles of the protocol.

Arguments: the program, and a folder with a ledger in it. Prints what it checked.
"""

import asyncio
import os
import re
import subprocess
import sys

from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

PROGRAM, FOLDER = sys.argv[1], sys.argv[2]
FULL = ["mcp", "serve", "--profile", "full", "--allow-erase", "--as", "owner"]


async def call(client, tool, arguments):
    answer = await client.call_tool(tool, arguments)
    text = answer.content[0].text
    assert not answer.is_error, f"{tool} {arguments}: {text}"
    if tool in ("memory_checkout", "memory_search"):
        # Their words stand once, in the text.
        assert answer.structured_content is None, f"{tool} gave its words twice"
        return text
    assert isinstance(answer.structured_content, dict), f"{tool} gave nothing structured"
    return answer.structured_content


async def every_tool(client):
    """Calls every tool that is listed, and reads what there is beside them."""
    assert client.server_info.name == "memlith", client.server_info
    listed = {tool.name for tool in (await client.list_tools()).tools}
    called = set()

    async def done(tool, **arguments):
        called.add(tool)
        return await call(client, tool, arguments)

    written = await done("memory_remember", text="Ana drinks tea.")
    spare = await done("memory_remember", text=f"Nobody needs note {id(client)}.")
    shown = await done("memory_checkout", query="what does Ana drink?")
    assert "Ana drinks tea." in shown, shown
    found = await done("memory_search", query="tea", limit=3)
    assert "Ana drinks tea." in found, found
    assert (await done("memory_list", limit=5))["items"]
    await done("memory_outcome", result="success", shown_in=shown.split("observed as ")[1].split()[0])
    await done("memory_explain", id=written["id"])
    await done("memory_history", id=written["id"])
    await done("memory_trace", id=written["id"])
    await done("memory_review", do="list")
    await done("memory_procedures")
    await done("memory_compact", dry_run=True)
    await done("memory_audit")
    right = await done("memory_update", id=written["id"], text="Ana drinks mint tea.")
    await done("memory_forget", ids=[right["id"]], reason="a test")
    await done("memory_forget", ids=[written["id"]], reason="a test")
    erased = await done("memory_erase", ids=[right["id"], written["id"], spare["id"]])
    assert spare["id"] in erased["erased"], erased
    # A command beside the server, so that the next run may say the same again.
    lift = [PROGRAM, "maintain", "tombstones", "lift", "all", "--as", "owner"]
    subprocess.run(lift, cwd=FOLDER, stdout=subprocess.DEVNULL, check=True)
    assert (await done("memory_status"))["events"]
    assert called == listed, f"not called: {listed - called}; not listed: {called - listed}"
    wrong = await client.call_tool("memory_remember", {"text": "x", "rank": "owner"})
    assert wrong.is_error, wrong
    templates = (await client.list_resource_templates()).resource_templates
    assert len(templates) == 3, templates
    for uri in (right["citation"], right["citation"].replace("#", "/proof#")):
        assert (await client.read_resource(uri)).contents[0].text, uri
    for prompt in (await client.list_prompts()).prompts:
        assert (await client.get_prompt(prompt.name)).messages, prompt
    return f"{len(called)} tools called, protocol {client.protocol_version}"


async def over_stdio(mode):
    server = StdioServerParameters(command=PROGRAM, args=FULL, cwd=FOLDER, env=dict(os.environ))
    async with Client(server, mode=mode) as client:
        return await every_tool(client)


async def over_http(mode):
    command = [PROGRAM, *FULL, "--http"]
    server = subprocess.Popen(command, cwd=FOLDER, stderr=subprocess.PIPE, text=True)
    try:
        url = server.stderr.readline().strip()
        name, token = server.stderr.readline().strip().split(": ", 1)
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/mcp", url), url
        async with create_mcp_http_client(headers={name: token}) as http:
            transport = streamable_http_client(url, http_client=http)
            async with Client(transport, mode=mode) as client:
                return await every_tool(client)
    finally:
        server.kill()
        server.wait()


for mode in ("legacy", "auto"):
    print(f"PyPI client, standard input: {asyncio.run(over_stdio(mode))}")
    print(f"PyPI client, HTTP: {asyncio.run(over_http(mode))}")
