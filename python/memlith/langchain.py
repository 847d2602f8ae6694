"""LangChain's ``BaseRetriever`` over a ledger: ``MemlithRetriever``."""

from __future__ import annotations

import asyncio
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import Field

from ._answers import Hit
from ._memory import Memory


class MemlithRetriever(BaseRetriever):
    """Returns what a memory knows about a query, the best answer first.

    By default it searches, and writes nothing. With ``observe=True`` it checks out: the ledger
    records the documents as shown, which counts for them. A checkout is bounded by
    ``budget_tokens`` instead of ``k``, so that no document is recorded that was not returned.

    A document has the stored text as ``page_content``: data, never instructions. Its metadata are
    ``id``, ``citation``, ``speaker``, ``said_at`` (ISO 8601, UTC) and ``score``, all JSON values.

    >>> import memlith, tempfile
    >>> from memlith.langchain import MemlithRetriever
    >>> memory = memlith.Memory.open(tempfile.mkdtemp() + "/memory")
    >>> written = memory.remember("The staging database runs Postgres 16.")
    >>> MemlithRetriever(memory, k=1).invoke("which database is staging on?")[0].page_content
    'The staging database runs Postgres 16.'
    """

    memory: Memory = Field(exclude=True, repr=False)
    k: int = Field(default=4, ge=1)
    observe: bool = False
    budget_tokens: int = Field(default=2_000, ge=1)

    def __init__(self, memory: Memory, **fields: Any) -> None:
        super().__init__(**{"memory": memory, **fields})

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun | None = None
    ) -> list[Document]:
        return self._documents(query)

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun | None = None
    ) -> list[Document]:
        return await asyncio.to_thread(self._documents, query)

    def _documents(self, query: str) -> list[Document]:
        if self.observe:
            hits = list(self.memory.checkout(query, budget_tokens=self.budget_tokens))
        else:
            hits = self.memory.search(query, self.k)
        return [_document(hit) for hit in hits]


def _document(hit: Hit) -> Document:
    metadata = {
        "id": hit.id,
        "citation": hit.citation,
        "speaker": hit.speaker,
        "said_at": hit.said_at.isoformat(),
        "score": hit.score,
    }
    return Document(page_content=hit.text, id=hit.id, metadata=metadata)


__all__ = ["MemlithRetriever"]
