"""The program that the wheel carries: `memlith ...`."""

import os
import sys
from pathlib import Path

PROGRAM = Path(__file__).resolve().parent / "bin" / "memlith"


def main() -> None:
    """Becomes the program. Hooks that it installs call it itself, and no Python."""
    if not PROGRAM.exists():
        sys.exit("this build of the package carries no program: `cargo install memlith-cli`")
    os.execv(PROGRAM, [str(PROGRAM), *sys.argv[1:]])


if __name__ == "__main__":
    main()
