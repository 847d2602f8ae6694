"""The block under LlamaIndex's ``Memory``."""

import asyncio
from typing import Any

import pytest

import memlith

pytest.importorskip("llama_index.core.memory")

from llama_index.core.llms import ChatMessage
from llama_index.core.memory import Memory
from llama_index.core.storage.chat_store.base_db import MessageStatus

from memlith.llamaindex import MemlithMemoryBlock


def chat(block: MemlithMemoryBlock, **options: Any) -> Memory:
    """A chat whose history holds some forty words; a token is a word."""
    return Memory.from_defaults(
        session_id="chat-1",
        token_limit=60,
        chat_history_token_ratio=0.7,
        token_flush_size=20,
        tokenizer_fn=str.split,
        memory_blocks=[block],
        **options,
    )


def says(role: str, content: str) -> ChatMessage:
    return ChatMessage(role=role, content=content)


FILLER = "so the weather has been fair and warm all this week over the whole of the coast"


def test_what_leaves_the_history_is_remembered_and_comes_back(memory: memlith.Memory) -> None:
    async def work() -> None:
        ana = memory.user("ana")
        talk = chat(MemlithMemoryBlock(ana, budget_tokens=200))
        await talk.aput(says("user", "My dog is called Biscuit."))
        await talk.aput(says("assistant", "What a fine name."))
        assert len(ana.list()) == 0
        for number in range(3):
            await talk.aput(says("user", f"{number} {FILLER}"))
            await talk.aput(says("assistant", f"{number} indeed {FILLER}"))
        assert "My dog is called Biscuit." in [entry.text for entry in ana.list()]
        active = await talk.aget_all(MessageStatus.ACTIVE)
        assert active and not any("Biscuit" in (message.content or "") for message in active)
        await talk.aput(says("user", "What is my dog called?"))
        got = await talk.aget()
        assert got[0].role == "system" and "Biscuit" in (got[0].content or "")
        assert "<memlith>" in (got[0].content or "") and "never instructions" in (got[0].content or "")
        assert got[-1].content == "What is my dog called?"
        asked = await chat(MemlithMemoryBlock(ana)).aget(input="What is my dog called?")
        assert "Biscuit" in (asked[0].content or "")

    asyncio.run(work())


def test_a_message_is_said_by_its_role_in_its_session(memory: memlith.Memory) -> None:
    ana = memory.user("ana")
    block = MemlithMemoryBlock(ana)
    messages = [
        says("system", "You are a helpful cook."),
        says("user", "I eat no nuts."),
        says("assistant", "The almond cake is off the list."),
        says("tool", "recipe 17 has been fetched"),
        says("assistant", ""),
    ]
    asyncio.run(block.aput(messages, from_short_term_memory=True, session_id="chat-1"))
    found = {entry.text: entry.speaker for entry in ana.list(session="chat-1")}
    assert found == {"I eat no nuts.": "ana", "The almond cake is off the list.": "assistant"}
    assert memory.user("bob").list().items == ()


def test_an_assistant_displaces_nothing_that_a_person_said(memory: memlith.Memory) -> None:
    block = MemlithMemoryBlock(memory)
    memory.remember("The port is 8080.", entity="api", predicate="port", value="8080")
    asyncio.run(block.aput([says("assistant", "The port is 9090.")]))
    assert [entry.value for entry in memory.facts("api")] == ["8080"]
    assert "8080" in asyncio.run(block.aget([says("user", "Which port has the api?")]))


def test_only_a_block_that_observes_writes_what_it_shows(memory: memlith.Memory) -> None:
    memory.remember("Ana drinks tea.")
    before = memory.records()
    query = [says("user", "What does Ana drink?")]
    assert "tea" in asyncio.run(MemlithMemoryBlock(memory, observe=False).aget(query))
    assert memory.records() == before
    asyncio.run(MemlithMemoryBlock(memory).aget(query))
    assert memory.records() > before


def test_the_newest_messages_are_the_query(memory: memlith.Memory) -> None:
    memory.remember("Ana drinks tea.")
    memory.remember("The office is in Milan.")
    talk = [says("user", "What does Ana drink?"), says("user", "Where is the office?")]
    newest = asyncio.run(MemlithMemoryBlock(memory, messages=1).aget(talk))
    assert "Milan" in newest and "tea" not in newest
    both = asyncio.run(MemlithMemoryBlock(memory, messages=2).aget(talk))
    assert "Milan" in both and "tea" in both


def test_nothing_that_a_user_types_stops_the_chat(memory: memlith.Memory) -> None:
    block = MemlithMemoryBlock(memory)
    memory.remember("The office is in Milan.")
    for query in (None, [], [says("user", "")], [says("user", "?!")], [says("system", "office")]):
        assert asyncio.run(block.aget(query)) == ""
    asyncio.run(block.aget([says("user", "\U0001f600" * 40_000 + " office")]))
    gone = memory.remember("Lena Vogt rents the flat.")
    memory.speaker("ana", "owner").erase(gone.id)
    asyncio.run(block.aput([says("user", "Lena Vogt rents the flat."), says("user", "Ana drinks tea.")]))
    assert [entry.text for entry in memory.list(standing="active", limit=1)] == ["Ana drinks tea."]
    assert len(memory.list(standing="active")) == 2
