#!/usr/bin/env python3
"""Compares Memlith's policy `compat-zaxy` with the salience of Zaxy 3.2.0 itself.

Makes random histories of reinforcements of one memory, with times that also go back and
strengths that are stated or not, and has each read at a random instant by Zaxy's own
`SalienceLedger`, installed from PyPI in a virtual environment, and by Memlith. Prints one
JSON object with the greatest relative difference; fails above --most.

Python's standard library alone.
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from zaxy import PACKAGE, installed

REPOSITORY = Path(__file__).resolve().parents[2]
DAY_US = 86_400_000_000

# Runs inside the environment.
READ = """
import json, sys
from datetime import UTC, datetime, timedelta
from zaxy.salience import SalienceLedger
epoch, ledger = datetime(1970, 1, 1, tzinfo=UTC), SalienceLedger()
def when(us):
    return epoch + timedelta(microseconds=us)
for line in sys.stdin:
    history, events = json.loads(line), []
    for event in history["events"]:
        payload = {"kind": event["kind"], "targets": [{"seq": 1, "hash": "a" * 64}],
                   "source": {"test": "test"}, "authority_status": "non_authoritative"}
        if event["weight"] is not None:
            payload["weight"] = event["weight"] / 1_000_000
        events.append({"type": "memory.reinforcement", "payload": payload,
                       "timestamp": when(event["at"]).isoformat()})
    states = ledger.replay(events, now=when(history["now"]))
    assert len(states) == bool(events), states
    print(repr(next((state.score for state in states.values()), 1.0)))
"""


def main():
    arguments = parse()
    histories = list(made(random.Random(arguments.seed), arguments.histories))
    lines = "".join(json.dumps(history) + "\n" for history in histories)
    python = installed(arguments.venv) / "python"
    theirs = scores([python, "-I", "-c", READ], lines)
    command = ["cargo", "run", "--quiet", "--release", "-p", "memlith-salience"]
    ours = scores(command + ["--example", "scores", "--", "compat-zaxy"], lines)
    assert len(ours) == len(theirs) == len(histories)
    differences = [abs(our / their - 1) for our, their in zip(ours, theirs)]
    worst = max(range(len(histories)), key=differences.__getitem__)
    print(json.dumps({
        "histories": len(histories),
        "events": sum(len(history["events"]) for history in histories),
        "seed": arguments.seed,
        "greatest_relative_difference": differences[worst],
        "at_the_bounds": sum(score in (0.01, 10.0) for score in theirs),
        "peer": PACKAGE,
    }))
    if differences[worst] > arguments.most:
        print(f"{histories[worst]}: {ours[worst]} here, {theirs[worst]} there", file=sys.stderr)
        sys.exit(1)


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--histories", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--most", type=float, default=1e-9, help="relative difference allowed")
    parser.add_argument("--venv", type=Path, default=Path(tempfile.gettempdir(), "memlith-zaxy"))
    return parser.parse_args()


def made(chance, count):
    """Histories over four years; a third of the strengths are stated, to the millionth."""
    kinds, often = ["surfaced", "confirmed", "promoted", "invalidated"], [10, 4, 1, 2]
    for _ in range(count):
        at, events = chance.randrange(365 * DAY_US), []
        for kind in chance.choices(kinds, often, k=chance.randrange(40)):
            # Most go on, some at the same instant; one in eight goes back.
            step = chance.choice([0, DAY_US, 5 * DAY_US, 60 * DAY_US])
            at += chance.randrange(step + 1) * (-1 if chance.randrange(8) == 0 else 1)
            weight = chance.choice([None, None, chance.randrange(1, 10_000_001)])
            events.append({"kind": kind, "at": at, "weight": weight})
        yield {"now": at + chance.randrange(-30 * DAY_US, 200 * DAY_US), "events": events}


def scores(command, lines):
    run = subprocess.run(command, input=lines, cwd=REPOSITORY, check=True, text=True,
                         stdout=subprocess.PIPE)
    return [float(line) for line in run.stdout.split()]


if __name__ == "__main__":
    main()
