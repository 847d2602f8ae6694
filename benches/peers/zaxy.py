#!/usr/bin/env python3
"""Times cold checkouts of Zaxy 3.2.0 on the log that `memlith-bench cold-checkout` measures.

Installs `zaxy-memory` from PyPI in a virtual environment of its own, gives it the log in
Eventloom's lines, lets it write its checkpoint, appends a tail through its own
`EventLog.append_many`, and times `zaxy checkout` in fresh processes: from before the start
to the last byte of the answer. Prints one JSON object.

Python's standard library alone; Linux.
"""

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

PACKAGE = "zaxy-memory==3.2.0"
SESSION = "bench"

# Runs inside the environment: the tail, appended by Zaxy itself, and its own verdict.
# Isolated, for this script has the name of the package.
APPEND = """
import json, sys
from pathlib import Path
from zaxy.event import EventLog
log = EventLog(Path(sys.argv[1]))
items = []
for line in open(sys.argv[2], encoding="utf-8"):
    event = json.loads(line)
    items.append({"event_type": event["type"], "actor": event["actorId"],
                  "thread": event["threadId"], "payload": event["payload"]})
for start in range(0, len(items), 500):
    log.append_many(items[start:start + 500])
report = log.verify()
assert report.ok, report
print(len(log.read_all()))
"""


def main():
    arguments = parse()
    environment = installed(arguments.venv)
    with tempfile.TemporaryDirectory(dir=arguments.dir) as folder:
        print(json.dumps(measure(arguments, environment, Path(folder))))


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bench", required=True, help="`memlith-bench`, which writes the log")
    parser.add_argument("--events", type=int, default=111_000, help="111000 are 115 MB")
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--tail", type=int, default=1_000, help="events after the checkpoint")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--venv", type=Path, default=Path(tempfile.gettempdir(), "memlith-zaxy"))
    parser.add_argument("--dir", help="where the log is put; else the system's temporary folder")
    return parser.parse_args()


def installed(folder):
    """The environment's folder of programs."""
    programs = folder / "bin"
    if not (programs / "zaxy").exists():
        print(f"installing {PACKAGE} in {folder}", file=sys.stderr)
        venv.create(folder, with_pip=True)
        subprocess.run([programs / "pip", "install", "--quiet", PACKAGE], check=True)
    return programs


def measure(arguments, environment, folder):
    lines, queries = written(arguments, folder)
    head, tail = len(lines) - arguments.tail, folder / "tail"
    store = folder / "store"
    store.mkdir()
    log = store / f"{SESSION}.jsonl"
    log.write_bytes(b"".join(lines[:head]))
    tail.write_bytes(b"".join(lines[head:]))
    first = checkout(environment, store, queries[0])
    checkpoint = sum(path.stat().st_size for path in store.rglob("*") if path.is_file())
    checkpoint -= log.stat().st_size
    append = [environment / "python", "-I", "-c", APPEND, log, tail]
    events = int(subprocess.run(append, check=True, stdout=subprocess.PIPE, text=True).stdout)
    runs = [checkout(environment, store, queries[run % len(queries)]) for run in range(arguments.runs)]
    walls = sorted(run["wall_ms"] for run in runs)
    return {
        "wall_ms_p50": rank(walls, 50),
        "wall_ms_p99": rank(walls, 99),
        "wall_ms_without_checkpoint": first["wall_ms"],
        "cpu_ms_p50": rank(sorted(run["cpu_ms"] for run in runs), 50),
        "bytes_read": max(run["bytes_read"] for run in runs),
        "rss_bytes": max(run["rss_bytes"] for run in runs),
        "runs": len(runs),
        "items_min": min(run["items"] for run in runs),
        "events": events,
        "tail_events": arguments.tail,
        "log_bytes": log.stat().st_size,
        "checkpoint_bytes": checkpoint,
        "load": os.getloadavg()[0],
        "engine": PACKAGE,
        "machine": f"{os.cpu_count()} x {processor()}, Linux {platform.release()}",
    }


def written(arguments, folder):
    """The log's lines, and questions from its own decisions: words that are in it."""
    path = folder / "log.jsonl"
    command = [arguments.bench, "cold-checkout", "--events", str(arguments.events)]
    # The shortest bench there is: what is wanted is the log.
    command += ["--seed", str(arguments.seed), "--runs", "1", "--no-observe", "--items-min", "0"]
    command += ["--dir", str(folder / "kept"), "--write-log", str(path)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    shutil.rmtree(folder / "kept")
    lines = path.read_bytes().splitlines(keepends=True)
    path.unlink()
    events = (json.loads(line) for line in lines)
    titles = [event["payload"]["title"] for event in events if event["type"] == "decision.made"]
    step = max(1, len(titles) // 7)
    return lines, [" ".join(title.split()[:4]) for title in titles[::step][:7]]


def checkout(environment, store, query):
    """One process, timed; its own time, bytes read by calls, most resident memory."""
    command = [environment / "zaxy", "checkout", query, "--json", "--session-id", SESSION]
    command += ["--eventloom-path", store]
    begun = time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as child:
        answer, ended = bytearray(), begun
        while chunk := os.read(child.stdout.fileno(), 1 << 20):
            ended = time.monotonic()
            answer += chunk
        # Over, and not yet waited for: its counts can be read.
        counts = Path(f"/proc/{child.pid}/io").read_text()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise SystemExit(f"the checkout of `{query}` failed: {child.returncode}")
    packed = json.loads(answer)
    read = dict(line.split(": ") for line in counts.splitlines())
    return {
        "wall_ms": round((ended - begun) * 1e3, 3),
        "cpu_ms": round((usage.ru_utime + usage.ru_stime) * 1e3, 3),
        "bytes_read": int(read["rchar"]),
        "rss_bytes": usage.ru_maxrss * 1024,
        "items": len(packed.get("current_facts", [])) + len(packed.get("evidence", [])),
    }


def rank(walls, percent):
    """The nearest rank, as `memlith-bench` has it."""
    return walls[max(1, -(-len(walls) * percent // 100)) - 1]


def processor():
    models = [line for line in open("/proc/cpuinfo") if line.startswith("model name")]
    return models[0].split(":", 1)[1].strip() if models else "unknown processor"


if __name__ == "__main__":
    main()
