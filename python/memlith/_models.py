"""Models of the program's own: embedders and arbiters."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Embedder:
    """A model that makes vectors: ``embed`` is called with texts, and returns as many vectors.

    A vector is a buffer of floats (a row of numpy, ``array``) or an iterable of numbers; all of a
    model are as long. ``name`` stands for the model for ever: vectors of two names are never
    compared. An exception of ``embed`` reaches the caller, and nothing was written.
    """

    name: str
    embed: Callable[[list[str]], Iterable[Any]]

    def of(self, text: str) -> tuple[str, bytes]:
        """The model's name and the vector of one text."""
        return self.name, self.of_all([text])[0]

    def of_all(self, texts: list[str]) -> list[bytes]:
        """The vectors of texts, as 32-bit floats."""
        vectors = [_floats(one) for one in self.embed(texts)]
        if len(vectors) != len(texts):
            raise ValueError(f"{self.name} made {len(vectors)} vectors of {len(texts)} texts")
        return vectors


@dataclass(frozen=True)
class Arbiter:
    """Somebody who is asked where likeness leaves open what a write is.

    ``judge`` is called with the words of the write, and for each memory near it the id, the words and
    the cosine, the nearest first. It answers ``"add"``, ``"skip"``, or the id of the memory that the
    write takes the place of. It runs on a thread of its own, while no lock is held, and is waited for
    ``seconds``; without an answer in time, or with one that is none, likeness alone decides.
    """

    name: str
    judge: Callable[[str, Sequence[tuple[str, str, float]]], str]
    seconds: float = 5.0


def _floats(vector: Any) -> bytes:
    try:
        view = memoryview(vector)
    except TypeError:
        return array("f", vector).tobytes()
    if view.format == "f" and view.ndim == 1:
        return view.tobytes()
    return array("f", view.tolist()).tobytes()
