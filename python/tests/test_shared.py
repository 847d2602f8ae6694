"""A ledger that several nodes write, from Python."""

import subprocess
import sys
from pathlib import Path

import memlith


def program(*words: str) -> str:
    """What the program in the wheel says on its error output."""
    done = subprocess.run([sys.executable, "-m", "memlith", *words], capture_output=True, text=True, check=True)
    return done.stderr


def test_two_nodes_write_one_ledger_over_a_folder(tmp_path: Path) -> None:
    place, one, two = (tmp_path / name for name in ("place", "one", "two"))
    place.mkdir()
    said = program("init", "--ledger", str(one), "--shared", str(place))
    invitation = said.split("--join ")[1].split(";")[0]
    program("init", "--ledger", str(two), "--shared", str(place), "--join", invitation)
    with memlith.Memory.open(one) as memory:
        memory.remember("The safe of the office is blue.")
    with memlith.Memory.open(two) as memory:
        memory.remember("The door of the office is green.")
        assert {hit.text for hit in memory.search("office")} == {
            "The safe of the office is blue.",
            "The door of the office is green.",
        }
