"""The retriever under LangChain's own calls."""

import asyncio
from typing import Any

import pytest

import memlith

pytest.importorskip("langchain_core.retrievers")

from langchain_core.documents import Document
from langchain_core.language_models import FakeListChatModel
from langchain_core.load import dumps
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnableLambda, RunnablePassthrough

from memlith.langchain import MemlithRetriever

TEXTS = ["The staging database runs Postgres 16.", "Ana drinks tea.", "The office is in Milan."]


@pytest.fixture
def ana(memory: memlith.Memory) -> memlith.Memory:
    ana = memory.user("ana")
    for text in TEXTS:
        ana.remember(text)
    return ana


def test_documents_are_the_answers_of_a_search(ana: memlith.Memory) -> None:
    first = MemlithRetriever(ana, k=2).invoke("which database is staging on?")[0]
    hit = ana.search("which database is staging on?", 2)[0]
    assert first.page_content == hit.text == TEXTS[0] and first.id == hit.id
    assert first.metadata == {
        "id": hit.id,
        "citation": hit.citation,
        "speaker": "ana",
        "said_at": hit.said_at.isoformat(),
        "score": hit.score,
    }
    assert hit.id in dumps(first)


def test_k_bounds_the_documents(memory: memlith.Memory) -> None:
    for name in ("Ana", "Ben", "Eve", "Kim"):
        memory.remember(f"{name} plays chess with the {name} club.")
    assert len(MemlithRetriever(memory).invoke("who plays chess?")) == 4
    assert len(MemlithRetriever(memory, k=3).invoke("who plays chess?")) == 3
    with pytest.raises(ValueError):
        MemlithRetriever(memory, k=0)


def test_only_an_observed_query_is_written_down(ana: memlith.Memory) -> None:
    before = ana.records()
    MemlithRetriever(ana).invoke("what does Ana drink?")
    assert ana.records() == before
    found = MemlithRetriever(ana, observe=True).invoke("what does Ana drink?")
    assert found[0].page_content == "Ana drinks tea." and ana.records() > before
    factors = ana.explain(found[0].metadata["id"]).detail["factors"]
    assert [factor["change"] for factor in factors] == ["surfaced"]
    assert MemlithRetriever(ana, observe=True, budget_tokens=1).invoke("what does Ana drink?") == []


def test_a_retriever_sees_what_its_speaker_sees(ana: memlith.Memory, memory: memlith.Memory) -> None:
    assert MemlithRetriever(memory.user("bob")).invoke("what does Ana drink?") == []
    assert asyncio.run(MemlithRetriever(ana).ainvoke("what does Ana drink?"))


def test_batches_and_awaited_calls_are_the_same(ana: memlith.Memory) -> None:
    retriever = MemlithRetriever(ana, k=1)
    queries = ["which database?", "where is the office?"]
    want = [[TEXTS[0]], [TEXTS[2]]]
    for found in (retriever.batch(queries), asyncio.run(retriever.abatch(queries))):
        assert [[one.page_content for one in page] for page in found] == want


def test_a_chain_puts_documents_before_its_model(ana: memlith.Memory) -> None:
    asked: list[Any] = []

    def keep(prompt: Any) -> Any:
        asked.append(prompt.to_string())
        return prompt

    def join(found: list[Document]) -> str:
        return "\n".join(one.page_content for one in found)

    chain = (
        {"context": MemlithRetriever(ana, k=1) | join, "question": RunnablePassthrough()}
        | ChatPromptTemplate.from_template("Known: {context}\nQuestion: {question}")
        | RunnableLambda(keep)
        | FakeListChatModel(responses=["Postgres 16"])
        | StrOutputParser()
    )
    assert chain.invoke("which database is staging on?") == "Postgres 16"
    assert asked == [f"Human: Known: {TEXTS[0]}\nQuestion: which database is staging on?"]
    assert asyncio.run(chain.ainvoke("which database is staging on?")) == "Postgres 16"
