from collections.abc import Iterator
from pathlib import Path

import pytest

import memlith


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[memlith.Memory]:
    with memlith.Memory.open(tmp_path / "memory") as opened:
        yield opened
