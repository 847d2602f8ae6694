"""LlamaIndex's ``BaseMemoryBlock`` over a ledger: ``MemlithMemoryBlock``."""

from __future__ import annotations

import asyncio
from typing import Any

from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.bridge.pydantic import Field
from llama_index.core.memory import BaseMemoryBlock

from ._memory import Memory
from ._native import Refused

# A query has at most 65,536 bytes, and a character at most four of them.
_QUERY_CHARACTERS = 16_000


class MemlithMemoryBlock(BaseMemoryBlock[str]):
    """A block of ``llama_index.core.memory.Memory`` that outlives the chat history.

    Remembers the messages that leave the chat history. A user's message is said by the memory's
    own speaker, an assistant's by a speaker of rank ``assistant``, which displaces nothing that a
    person said; messages of the system and of tools are not remembered. Each is written in the
    chat's session. A text that the ledger refuses, because it was erased or is longer than 1 MiB,
    is passed over, and the chat goes on.

    Gives back a checkout within ``budget_tokens`` of what answers the newest ``messages``
    messages, the system's excepted. ``observe`` records what was shown, which counts for it.

    >>> import asyncio, memlith, tempfile
    >>> from llama_index.core.llms import ChatMessage
    >>> from memlith.llamaindex import MemlithMemoryBlock
    >>> block = MemlithMemoryBlock(memlith.Memory.open(tempfile.mkdtemp() + "/memory"))
    >>> asyncio.run(block.aput([ChatMessage(role="user", content="Ana drinks tea.")]))
    >>> "Ana drinks tea." in asyncio.run(block.aget([ChatMessage(content="What does Ana drink?")]))
    True
    """

    name: str = Field(default="memlith", description="The name of the block in the prompt.")
    memory: Memory = Field(exclude=True, repr=False, description="Speaks for the user of the chat.")
    budget_tokens: int = Field(default=1_000, ge=1, description="The size of a checkout.")
    messages: int = Field(default=2, ge=1, description="How many of the newest messages are the query.")
    observe: bool = Field(default=True, description="Whether what is shown is recorded.")

    def __init__(self, memory: Memory, **fields: Any) -> None:
        super().__init__(**{"memory": memory, **fields})

    async def _aget(self, messages: list[ChatMessage] | None = None, **block_kwargs: Any) -> str:
        said = [message for message in messages or [] if message.role != MessageRole.SYSTEM]
        texts = [text for message in said[-self.messages :] if (text := _text(message))]
        query = "\n".join(texts)[-_QUERY_CHARACTERS:]
        if not any(character.isalnum() for character in query):
            return ""
        memory = _of_session(self.memory, block_kwargs.get("session_id"))
        pack = await asyncio.to_thread(
            memory.checkout, query, budget_tokens=self.budget_tokens, observe=self.observe
        )
        return pack.text

    async def _aput(self, messages: list[ChatMessage]) -> None:
        await asyncio.to_thread(self._remember, messages)

    def _remember(self, messages: list[ChatMessage]) -> None:
        speakers = {
            MessageRole.USER: self.memory,
            MessageRole.ASSISTANT: self.memory.speaker("assistant", "assistant"),
        }
        for message in messages:
            text = _text(message)
            if text and message.role in speakers:
                memory = _of_session(speakers[message.role], message.additional_kwargs.get("session_id"))
                try:
                    memory.remember(text)
                except Refused:
                    continue


def _text(message: ChatMessage) -> str:
    return (message.content or "").strip()


def _of_session(memory: Memory, name: str | None) -> Memory:
    return memory.session(name) if name else memory


__all__ = ["MemlithMemoryBlock"]
