"""What Zaxy makes of the histories of `zaxy_flaws.py`: one function a flaw.

Runs inside the environment that has Zaxy: `python -I zaxy_histories.py NAME FOLDER` prints
one JSON object, whether its outcome is right and what it is.
"""

import json
import os
import pathlib
import subprocess
import sys
from datetime import UTC, datetime, timedelta

from zaxy.compaction import build_compaction_projection
from zaxy.consolidation import build_consolidation_review_event
from zaxy.editable import build_memory_rollback_event
from zaxy.event import EventLog
from zaxy.long_horizon import build_long_horizon_plan
from zaxy.salience import (
    SalienceLedger,
    build_invalidated_reinforcement_event,
    build_promoted_reinforcement_event,
    event_ref_index,
)

TASKS = [
    "Deploy the release: build the image.",
    "Deploy the release: push the image.",
    "Deploy the release: restart the service.",
    "Deploy the release: watch the dashboard.",
]
QUESTION = "how do we deploy the release?"
PROGRAM = pathlib.Path(sys.executable).parent / "zaxy"
EPOCH = datetime(2026, 1, 1, tzinfo=UTC)


def log_of(folder, session="s"):
    return EventLog(folder / f"{session}.jsonl")


def append(log, kind, payloads):
    log.append_many([
        {"event_type": kind, "actor": "ana", "thread": log.path.stem, "payload": payload}
        for payload in payloads
    ])


def proposed(folder):
    """Four tasks, and what is made of them, awaiting review."""
    log = log_of(folder)
    append(log, "task.proposed", [{"title": task} for task in TASKS])
    run("memory", "consolidation", "propose-from-log", "--eventloom-path", folder,
        "--session-id", "s", "--json")
    return log


def run(*words):
    """The program's own answer, in a fresh process."""
    ended = subprocess.run([PROGRAM, *map(str, words)], stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True)
    return ended.returncode, ended.stdout


def checkout(folder, question=QUESTION):
    code, text = run("checkout", question, "--eventloom-path", folder, "--session-id", "s",
                     "--json")
    assert code == 0, text
    return json.loads(text[text.index("{"):])


def cited(pack):
    """The sequences of what is shown as current."""
    return {int(fact["citation"].split("/events/")[1].split("#")[0])
            for fact in pack["current_facts"] if fact.get("citation")}


def seqs(log, *kinds):
    return {event.seq for event in log.read_all() if event.type in kinds}


def invalidate(log, targets, times=1):
    for number in range(times):
        event = build_invalidated_reinforcement_event(
            actor="ana", session_id="s", invalidation_id=f"wrong-{number}", targets=targets)
        log.append_many([event])


def refs(log, wanted):
    return [{"seq": event.seq, "hash": event.hash} for event in log.read_all()
            if event.seq in wanted]


def score(events, now):
    """Salience after reinforcements, each a kind and a day."""
    made = [{"type": "memory.reinforcement", "timestamp": when(day).isoformat(),
             "payload": {"kind": kind, "targets": [{"seq": 1, "hash": "a" * 64}],
                         "source": {"test": "test"}, "authority_status": "non_authoritative"}}
            for kind, day in events]
    states = SalienceLedger().replay(made, now=when(now))
    return next((state.score for state in states.values()), 1.0)


def when(day):
    return EPOCH + timedelta(days=day)


def f1(folder):
    log = proposed(folder)
    candidates = seqs(log, "consolidation.candidate.created")
    shown = cited(checkout(folder)) & candidates
    raised = {target["seq"] for event in log.read_all() if event.type == "memory.reinforcement"
              for target in event.payload["targets"]} & candidates
    return (not shown and not raised,
            f"{len(shown)} of {len(candidates)} shown, {len(raised)} raised")


def f2(folder):
    log = proposed(folder)
    tasks, candidates = seqs(log, "task.proposed"), seqs(log, "consolidation.candidate.created")
    invalidate(log, refs(log, tasks), times=2)
    shown = cited(checkout(folder))
    return (not shown & (tasks | candidates),
            f"{len(shown & tasks)} sources and {len(shown & candidates)} candidates shown")


def f3(folder):
    log = proposed(folder)
    checkout(folder)
    gone = {max(seqs(log, "task.proposed"))}
    invalidate(log, refs(log, gone))
    kept = build_compaction_projection(log, strategy="exemplar", max_records=3).records
    bad = {record.event_seq for record in kept} - (seqs(log, "task.proposed") - gone)
    kinds = sorted({event.type for event in log.read_all() if event.seq in bad})
    return not bad, f"{len(bad)} of {len(kept)} exemplars from: {', '.join(kinds)}"


def n1(_folder):
    confirmed = [("confirmed", 0)] * 3
    before, after = score(confirmed, 180), score([*confirmed, ("surfaced", 180)], 180)
    return after <= before * 1.06, f"{before:.4f}, shown once {after:.4f}"


def n2(_folder):
    before, after = score([("confirmed", 0)], 120), score(
        [("confirmed", 0), ("invalidated", 120)], 120)
    return after < before, f"{before:.4f}, invalidated {after:.4f}"


def n3(folder):
    log = log_of(folder)
    append(log, "task.proposed", [{"title": TASKS[0]}])
    invalidate(log, refs(log, {1}))
    shown = cited(checkout(folder))
    return 1 not in shown, "shown after it was invalidated" if 1 in shown else "out"


def n4(_folder):
    shown, untouched = score([("surfaced", 0)], 3), score([], 3)
    later = score([], 365)
    return (shown >= untouched and later < untouched,
            f"3 days: shown {shown:.4f}, never shown {untouched:.4f}; a year: {later:.4f}")


def n5(folder):
    log = log_of(folder)
    append(log, "note.taken", [{"text": "The staging database runs Postgres."},
                               {"text": "The office has tea."}])
    checkout(folder, "which database does staging run?")
    text = log.path.read_text(encoding="utf-8")
    log.path.write_text(text.replace("Postgres", "Memcache", 1), encoding="utf-8")
    code, answer = run("checkout", "which database does staging run?", "--eventloom-path",
                       folder, "--session-id", "s", "--json")
    served = code == 0 and "Memcache" in answer
    return not served, ("serves the changed text" if served else "refuses") + (
        ", full verification finds it" if not log.verify().ok else "")


def n6(folder):
    log = log_of(folder)
    append(log, "note.taken", [{"text": f"Fact number {number} of the kettle."}
                               for number in range(50)])
    checkout(folder, "Fact number 40 of the kettle")
    lines = log.path.read_text(encoding="utf-8").splitlines(keepends=True)
    log.path.write_text("".join(lines[:20]), encoding="utf-8")
    code, text = run("checkout", "Fact number 40 of the kettle", "--eventloom-path", folder,
                     "--session-id", "s", "--json")
    shown = cited(json.loads(text[text.index("{"):])) if code == 0 else set()
    beyond = {seq for seq in shown if seq > 20}
    return code != 0, f"answers, {len(beyond)} cited that are gone" if code == 0 else "refuses"


def n7(_folder):
    import inspect

    import zaxy
    folder = pathlib.Path(inspect.getfile(zaxy)).parent
    uses = [path.name for path in folder.rglob("*.py")
            if "marshal.loads" in path.read_text(encoding="utf-8")]
    return not uses, f"reads Python marshal from disk: {', '.join(sorted(uses))}"


def n8(folder):
    worker, mission = log_of(folder, "worker"), log_of(folder, "mission")
    append(worker, "finding.reported", [{"text": "The cache is the bottleneck."}])
    targets = refs(worker, {1})
    mission.append_many([{"event_type": "mission.started", "actor": "ana", "thread": "mission",
                          "payload": {"goal": "speed"}}])
    mission.append_many([promotion(targets)])
    now = datetime.now(UTC)
    states = SalienceLedger().replay(
        [event.model_dump() for event in worker.read_all()], now=now)
    worth = next((state.score for state in states.values()), 1.0)
    known = {(seq, ref[0]) for seq, ref in event_ref_index(mission.read_all()).items()}
    there = any((target["seq"], target["hash"]) in known for target in targets)
    return worth > 1.0 or there, f"{worth:.1f} in the worker's session, not found in the mission's"


def promotion(targets):
    return build_promoted_reinforcement_event(
        actor="ana", session_id="mission", promotion_id="finding", targets=targets)


def n9(folder):
    log = log_of(folder)
    append(log, "note.taken", [{"text": f"Fact number {number}."} for number in range(200)])
    before = log.path.stat().st_size
    run("compact", log.path)
    after = log.path.stat().st_size
    return after <= before, f"`compact`: {before} bytes become {after}"


def n10(folder):
    log = proposed(folder)
    candidates = [event for event in log.read_all()
                  if event.type == "consolidation.candidate.created"]
    log.append_many([build_consolidation_review_event(
        actor="ben", session_id="s", candidate_id=one.payload["candidate_id"],
        status="accepted", rationale="so it is") for one in candidates])
    reviews = refs(log, seqs(log, "consolidation.candidate.reviewed"))
    log.append_many([build_memory_rollback_event(
        actor="ben", session_id="s", target=review, reason="a mistake") for review in reviews])
    invalidate(log, refs(log, seqs(log, "task.proposed")), times=2)
    append(log, "note.taken", [{"text": f"Later note number {number}."} for number in range(60)])
    plan = build_long_horizon_plan(log.read_all(), session_id="s", recent_window=50, budget=10)
    count = plan.consolidated_count
    return count == 0, f"{count} of {len(candidates)} stand for the past all the same"


def n11(folder):
    for number in range(30):
        log = log_of(folder, f"session-{number}")
        other = [f"tool{(number * 13 + at * at * 7) % 31}" for at in range(15)]
        steps = other + (["fetch", "patch", "verify"] if number % 3 == 0 else []) + other[::-1]
        append(log, "tool.call.completed",
               [{"tool_name": step, "status": "succeeded"} for step in steps])
    _, text = run("memory", "mine-procedures", "--eventloom-path", folder, "--json")
    mined = json.loads(text[text.index("{"):])
    count = max((value for value in numbers(mined)), default=0)
    return count > 0, f"{count} procedures of 30 sessions"


def numbers(value, key=None):
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from numbers(inner, name)
    elif key in ("mined", "proposed") and isinstance(value, int):
        yield value


def n12(folder):
    costs = []
    for count in (100, 2_000):
        part = folder / str(count)
        part.mkdir()
        append(log_of(part), "note.taken",
               [{"text": f"Fact number {number}."} for number in range(count)])
        own = [sys.executable, "-I", "-c", READS, str(part)]
        read = subprocess.run(own, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        costs.append(int(read.stdout.split()[-1]))
    first, last = costs
    return last <= first * 1.1, f"reads {last - first} bytes more in a log 20 times as long"


# An append through the program's own command, and the bytes that the process read in all.
READS = """
import sys
from zaxy.__main__ import main
sys.argv = ["zaxy", "append", "note.taken", "--actor", "ana", "--payload-json",
            '{"text": "one more fact"}', "--eventloom-path", sys.argv[1], "--session-id", "s"]
try:
    main()
except SystemExit:
    pass
print(open("/proc/self/io").read().split()[1])
"""


def n13(folder):
    log = log_of(folder)
    append(log, "note.taken", [{"text": "What was acknowledged."}, {"text": "What was torn."}])
    whole = log.path.read_bytes()
    log.path.write_bytes(whole[:-40])
    try:
        append(log, "note.taken", [{"text": "What came after."}])
    except Exception as error:  # whatever it is, nothing can be appended
        return False, f"append: {type(error).__name__}"
    return True, "goes on"


def n14(folder):
    log = log_of(folder)
    append(log, "note.taken", [{"text": f"Fact number {number}."} for number in range(20)])
    lines = log.path.read_text(encoding="utf-8").splitlines(keepends=True)
    log.path.write_text("".join(lines[:10]), encoding="utf-8")
    is_ok = log.verify().ok
    return not is_ok, "verification finds nothing" if is_ok else "found"


def n15(folder):
    for task in TASKS:
        run("append", "task.proposed", "--actor", "ana", "--payload-json",
            json.dumps({"title": task}), "--eventloom-path", folder, "--session-id", "s")
    log = log_of(folder)
    invalidate(log, refs(log, seqs(log, "task.proposed")), times=2)
    out = checkout(folder)["diagnostics"]["attenuation"]
    return (out["excluded_count"] <= len(TASKS),
            f"{out['excluded_count']} counted, {len(TASKS)} memories")


def main():
    name, folder = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    # Its graph lies in the working directory, whatever log it is asked of.
    os.chdir(folder)
    is_right, outcome = globals()[name](folder)
    print(json.dumps({"right": is_right, "outcome": outcome}))


if __name__ == "__main__":
    main()
