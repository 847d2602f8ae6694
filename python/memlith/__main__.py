"""`python -m memlith ...` is the program."""

from ._program import main

main()
