"""Writes the stub of ``AsyncMemory`` from the code of ``Memory``: `python stubs.py`."""

from __future__ import annotations

import ast
from pathlib import Path

HERE = Path(__file__).resolve().parent / "memlith"

HEAD = """import builtins
import os
from collections.abc import AsyncIterator, Iterable, Mapping
from datetime import datetime
from typing import Any

from ._answers import Entry, Explanation, Hit, Imported, Pack, Page, Report, State, Step, Written
from ._memory import Ids, Memory
from ._models import Arbiter, Embedder

class AsyncMemory:
    def __init__(self, memory: Memory) -> None: ...
    @classmethod
    async def open(
        cls,
        path: str | os.PathLike[str],
        *,
        read_only: bool = ...,
        lock_timeout: float = ...,
        embedder: Embedder | None = ...,
        arbiter: Arbiter | None = ...,
    ) -> AsyncMemory: ...
    async def __aenter__(self) -> AsyncMemory: ...
    async def __aexit__(self, *error: object) -> None: ...
    def all(self, **filters: Any) -> AsyncIterator[Entry]: ...
"""


def stub() -> str:
    tree = ast.parse((HERE / "_memory.py").read_text())
    memory = next(node for node in tree.body if isinstance(node, ast.ClassDef))
    lines = [HEAD]
    for node in memory.body:
        own = isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
        if not own or node.name in ("open", "all"):
            continue
        assert isinstance(node, ast.FunctionDef)
        speaks = ast.unparse(node.returns or ast.Constant(None)) == "Memory"
        returns = "AsyncMemory" if speaks else ast.unparse(node.returns or ast.Constant(None))
        mark = "" if speaks else "async "
        lines.append(f"    {mark}def {node.name}({ast.unparse(node.args)}) -> {returns}: ...\n")
    return "".join(lines)


if __name__ == "__main__":
    (HERE / "_async.pyi").write_text(stub())
