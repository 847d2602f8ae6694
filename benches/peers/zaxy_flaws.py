#!/usr/bin/env python3
"""Plays histories that Zaxy 3.2.0 gets wrong through Zaxy itself and through Memlith.

Zaxy is installed from PyPI in a virtual environment, and its side is `zaxy_histories.py`;
ours is the program, and for what it does not show by itself the test of the same name. Prints
a table, or with --json one object a line. Ends with 1 where Memlith's outcome is wrong, and
with 3 where none is, but a test could not be run.

Python's standard library alone; Linux.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

from zaxy import PACKAGE, installed

REPOSITORY = Path(__file__).resolve().parents[2]
TASKS = [
    "Deploy the release: build the image.",
    "Deploy the release: push the image.",
    "Deploy the release: restart the service.",
    "Deploy the release: watch the dashboard.",
]
QUESTION = "how do we deploy the release?"
TODAY = datetime.now(UTC).replace(microsecond=0)


def main():
    arguments = parse()
    python = installed(arguments.venv) / "python"
    wanted = [flaw for flaw in FLAWS if not arguments.only or flaw[0] == arguments.only]
    rows = []
    for name, history, ours in wanted:
        with tempfile.TemporaryDirectory() as folder:
            side = Path(__file__).with_name("zaxy_histories.py")
            told = output([python, "-I", side, name.lower(), folder])
            theirs = json.loads(told.splitlines()[-1])
        with tempfile.TemporaryDirectory() as folder:
            try:
                is_right, outcome = ours(Ledger(arguments.memlith.resolve(), Path(folder)))
            except NotRun as error:
                is_right, outcome = None, str(error)
        rows.append({"flaw": name, "history": history, "zaxy": theirs["outcome"],
                     "zaxy_right": theirs["right"], "memlith": outcome, "right": is_right})
        print(f"{name}: {outcome}", file=sys.stderr)
    show(rows, arguments.json)
    sys.exit(ended([row["right"] for row in rows]))


class NotRun(Exception):
    """What was to be shown could not be run: nothing is known of it."""


def ended(rights):
    """The code to end with: a wrong outcome counts for more than one that is not known."""
    if False in rights:
        return 1
    return 3 if None in rights else 0


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--memlith", required=True, type=Path, help="the program")
    parser.add_argument("--only", help="one flaw, as the table names it")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--venv", type=Path, default=Path(tempfile.gettempdir(), "memlith-zaxy"))
    return parser.parse_args()


def show(rows, as_json):
    if as_json:
        for row in rows:
            print(json.dumps(row))
        return
    print(f"| flaw | history | {PACKAGE} | Memlith | right? |\n|---|---|---|---|---|")
    for row in rows:
        right = {True: "yes", False: "NO", None: "not run"}[row["right"]]
        same = "" if not row["zaxy_right"] else " (right)"
        print(f"| {row['flaw']} | {row['history']} | {row['zaxy']}{same} | {row['memlith']} "
              f"| {right} |")


def output(command):
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL).stdout


def day(number):
    """An instant so many days after the beginning, which is a year ago."""
    return (TODAY - timedelta(days=365 - number)).isoformat().replace("+00:00", "Z")


class Ledger:
    """One ledger, through the program."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder / "ledger"
        self.run("init")

    def at(self, folder):
        """The same program on another folder."""
        other = object.__new__(Ledger)
        other.program, other.folder = self.program, folder
        return other

    def tried(self, *words, now=None):
        """The code with which it ends, and its answer."""
        command = [self.program, *words, "--json", "--ledger", self.folder]
        command += ["--now", day(now)] if now is not None else []
        run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        return run.returncode, json.loads(run.stdout) if run.stdout.strip() else None

    def run(self, *words, now=None):
        code, answer = self.tried(*words, now=now)
        assert code in (0, 1), f"{words} ended with {code}"
        return answer

    def say(self, text, *words, now=None):
        return self.run("remember", text, *words, now=now)["id"]

    def tasks(self):
        return [self.say(task) for task in TASKS]

    def shown(self, question=QUESTION, *words, now=None):
        return [item["id"] for item in self.run("checkout", question, *words, now=now)["items"]]

    def salience(self, item, now=None):
        return float(self.run("show", "--why", item, now=now)["salience"])

    def derived(self, text, on, *words):
        sources = [word for item in on for word in ("--rests-on", item)]
        return self.say(text, *sources, *words)

    def file(self, prefix):
        return sorted(self.folder.glob(prefix + "*"))


def f1(ledger):
    tasks = ledger.tasks()
    sources = [word for task in tasks for word in ("--rests-on", task)]
    candidate = ledger.run("review", "propose", "procedure",
                           "To deploy the release, build, push, restart.", *sources)["id"]
    shown = [ledger.shown() for _ in range(3)]
    worth = ledger.salience(candidate)
    waits = ledger.run("show", candidate)["authority"] == "pending"
    count = sum(candidate in ids for ids in shown)
    return (waits and count == 0 and worth <= 1.0 and all(set(ids) == set(tasks) for ids in shown),
            f"{count} of 1 shown, salience {worth:.4f}")


def f2(ledger):
    tasks = ledger.tasks()
    ledger.derived("We deploy the release step by step.", tasks)
    for task in tasks:
        ledger.run("forget", task)
    shown = ledger.shown()
    return not shown, f"{len(shown)} sources and summaries shown"


def n1(ledger):
    item = ledger.say(TASKS[0], now=0)
    for name in ("ana", "ben", "eve"):
        ledger.run("confirm", item, "--as", f"user:{name}", now=0)
    before = ledger.salience(item, now=180)
    shown = ledger.shown(now=180)
    after = ledger.salience(item, now=180)
    return (shown == [item] and abs(after / before - 1.05) < 1e-6,
            f"{before:.4f}, shown once {after:.4f}")


def n2(ledger):
    item = ledger.say(TASKS[0], now=0)
    ledger.run("confirm", item, now=0)
    before = ledger.salience(item, now=120)
    ledger.run("forget", item, now=120)
    after = ledger.salience(item, now=120)
    return after < before, f"{before:.4f}, invalidated {after:.4f}"


def n3(ledger):
    item = ledger.say(TASKS[0], now=0)
    ledger.run("forget", item, now=0)
    shown = [ledger.shown(now=number) for number in range(0, 14, 3)]
    return not any(shown), "shown" if any(shown) else "out at once, and for 12 days after"


def n4(ledger):
    item, other = ledger.say(TASKS[0], now=0), ledger.say("Tea is in the kitchen.", now=0)
    assert ledger.shown("build the image", now=0) == [item]
    shown, untouched = ledger.salience(item, now=3), ledger.salience(other, now=3)
    later = ledger.salience(other, now=365)
    return (shown > untouched > later,
            f"3 days: shown {shown:.4f}, never shown {untouched:.4f}; a year: {later:.4f}")


def n5(ledger):
    ledger.say("The staging database runs Postgres.")
    ledger.say("The office has tea.")
    ledger.run("maintain", "checkpoint")
    [segment] = ledger.file("seg-")
    segment.write_bytes(segment.read_bytes().replace(b"Postgres", b"Memcache"))
    code, answer = ledger.tried("checkout", "which database does staging run?")
    served = "Memcache" in json.dumps(answer)
    found, _ = ledger.tried("verify")
    return (not served and code == 3 and found == 3,
            f"checkout ends with {code}, verification with {found}")


def n6(ledger):
    cut = facts_and_copy(ledger, 20)
    for number in range(20, 50):
        ledger.say(f"Fact number {number} of the kettle.")
    ledger.run("maintain", "checkpoint")
    for file in [*ledger.file("ckpt-"), *ledger.file("run-")]:
        shutil.copy(file, cut.folder)
    code, _ = cut.tried("checkout", "Fact number 40 of the kettle")
    return code == 3, f"checkout ends with {code}"


def facts_and_copy(ledger, count):
    for number in range(count):
        ledger.say(f"Fact number {number} of the kettle.")
    return copied(ledger)


def copied(ledger):
    copy = ledger.folder.with_name("copy")
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(ledger.folder, copy)
    return ledger.at(copy)


def n7(ledger):
    for number in range(8):
        ledger.say(f"Fact number {number} of the kettle.")
    ledger.run("maintain", "checkpoint")
    question = ("Fact number 4 of the kettle", "--no-observe")
    expected, answers = ledger.shown(*question), []
    for file in [*ledger.file("ckpt-"), *ledger.file("run-")]:
        sound = file.read_bytes()
        for at in range(0, len(sound), len(sound) // 10):
            noise = bytes(byte ^ 0x5A for byte in sound[at:at + 24])
            file.write_bytes(sound[:at] + noise + sound[at + 24:])
            answers.append(ledger.shown(*question) == expected)
        file.write_bytes(sound)
    return all(answers), f"{sum(answers)} of {len(answers)} damaged ones change no answer"


def n8(ledger):
    finding = ledger.say("The cache is the bottleneck.", "--scope", "session=worker")
    ledger.run("review", "promote", finding, "--scope", "session=mission")
    worth = ledger.salience(finding)
    where = [name for name in ("worker", "mission")
             if finding in ledger.shown("what is the bottleneck?", "--no-observe", "--scope",
                                        f"session={name}")]
    return (abs(worth - 2.0) < 0.01 and len(where) == 2,
            f"{worth:.1f}, found in {' and '.join(where)}")


def n9(ledger):
    for number in range(40):
        ledger.say(f"Fact number {number}.")
    [segment] = ledger.file("seg-")
    before = segment.read_bytes().rstrip(b"\0")
    for verb in ("compact", "checkpoint"):
        ledger.run("maintain", verb)
    after = segment.read_bytes()
    kept = after.startswith(before)
    return kept, "no byte that was written changes" if kept else "records were rewritten"


def n10(ledger):
    tasks = ledger.tasks()
    summary = ledger.derived("We deploy the release step by step.", tasks)
    for task in tasks:
        ledger.run("forget", task)
    for number in range(60):
        ledger.say(f"Later note number {number}.")
    shown = set(ledger.shown()) & {summary, *tasks}
    stale = ledger.run("show", summary)["authority"]
    for task in tasks:
        ledger.run("undo", task)
    back = ledger.run("show", summary)["authority"]
    return (not shown and stale == "stale" and back == "active",
            f"{len(shown)} of 5 shown; the summary is {stale}, taken back {back}")


def n11(ledger):
    for number in range(30):
        other = [f"tool{(number * 13 + at * at * 7) % 31}" for at in range(15)]
        steps = other + (["fetch", "patch", "verify"] if number % 3 == 0 else []) + other[::-1]
        file = ledger.folder.with_name(f"rollout-{number}.jsonl")
        file.write_text(rollout(number, steps), encoding="utf-8")
        ledger.run("import", "codex", file)
    mined = ledger.run("procedures", "find")
    found = [([step["verb"] for step in one["steps"]], one["support"])
             for one in mined["procedures"]]
    return (found == [(["fetch", "patch", "verify"], 10)] and mined["sessions"] == 30,
            f"{len(found)} procedure of {mined['sessions']} sessions, "
            f"followed in {sum(support for _, support in found)}")


def rollout(number, steps):
    """A session of Codex in which each step is a tool call that went well."""
    meta = {"id": f"session-{number}", "cwd": "/shop", "originator": "codex_cli_rs"}
    lines = [("session_meta", meta)]
    for at, step in enumerate(steps):
        output = json.dumps({"output": "", "metadata": {"exit_code": 0}})
        lines += [("response_item", {"type": "function_call", "name": step, "arguments": "{}",
                                     "call_id": f"c{at}"}),
                  ("response_item", {"type": "function_call_output", "call_id": f"c{at}",
                                     "output": output})]
    return "".join(json.dumps({"timestamp": day(number), "type": kind, "payload": payload}) + "\n"
                   for kind, payload in lines)


def n13(ledger):
    kept = ledger.say("What was acknowledged.")
    torn = copied(ledger)
    ledger.say("What was being written when the power went.")
    [segment] = ledger.file("seg-")
    old, new = (torn.folder / segment.name).read_bytes(), segment.read_bytes()
    differs = [at for at, (one, other) in enumerate(zip(old, new)) if one != other]
    middle = (differs[0] + differs[-1]) // 2
    (torn.folder / segment.name).write_bytes(new[:middle] + old[middle:])
    after = torn.say("What came after.")
    shown = set(torn.shown("what was acknowledged, and what came after?"))
    code, _ = torn.tried("verify")
    return shown == {kept, after} and code == 0, "cut off, and goes on"


def n14(ledger):
    early = facts_and_copy(ledger, 10)
    for number in range(10, 20):
        ledger.say(f"Fact number {number} of the kettle.")
    [segment] = ledger.file("seg-")
    shutil.copy(early.folder / segment.name, segment)
    verified, _ = ledger.tried("verify")
    asked, _ = ledger.tried("checkout", QUESTION)
    return (verified == 3 and asked == 3,
            f"verification ends with {verified}, checkout with {asked}")


def n15(ledger):
    tasks = ledger.tasks()
    for task in tasks:
        ledger.run("forget", task)
    out = ledger.run("checkout", QUESTION)
    counted = sum(one["count"] for one in out["receipt"]["left_out"])
    unique = {one["id"] for one in out["left_out"]}
    return (counted == len(unique) == len(out["left_out"]) == 4,
            f"{counted} counted, {len(unique)} memories")


def tested(name):
    """What the program does not show by itself: the test of the same history."""
    def run(_ledger):
        command = ["cargo", "test", "--quiet", "-p", "memlith-engine-tests", "--test", "it", name]
        try:
            run = subprocess.run(command, cwd=REPOSITORY, stdout=subprocess.PIPE, text=True,
                                 stderr=subprocess.PIPE, env=os.environ)
        except OSError as error:
            raise NotRun(f"`{name}` not run: cargo can't be started ({error.strerror})") from error
        if "test result:" not in run.stdout:
            said = run.stderr.strip().splitlines() or ["it says nothing"]
            raise NotRun(f"`{name}` not run: cargo ended with {run.returncode} before any test "
                         f"({said[-1]})")
        passed = run.returncode == 0 and "1 passed" in run.stdout
        return passed, f"`{name}` {'passes' if passed else 'FAILS'}"
    return run


FLAWS = [
    ("F1", "four tasks, what is made of them awaits review, checkouts", f1),
    ("F2", "all sources are invalidated", f2),
    ("F3", "a summary of tasks, one of them invalidated",
     tested("f3_a_summary_is_made_of_what_stands")),
    ("N1", "three times confirmed, 180 days, shown once", n1),
    ("N2", "confirmed, 120 days, invalidated", n2),
    ("N3", "invalidated, and asked for", n3),
    ("N4", "one shown once, one never", n4),
    ("N5", "a text below the checkpoint is changed on disk", n5),
    ("N6", "the log is cut behind its checkpoint", n6),
    ("N7", "checkpoints made by somebody else", n7),
    ("N8", "a worker's finding, promoted in the mission", n8),
    ("N9", "compacting a log of short events", n9),
    ("N10", "a summary of what is taken back, 60 events later", n10),
    ("N11", "one procedure in ten of thirty sessions", n11),
    ("N12", "one append to a short and to a long log",
     tested("n12_an_append_costs_the_same_in_a_long_log")),
    ("N13", "the last line is torn", n13),
    ("N14", "the log loses its end", n14),
    ("N15", "four memories left out", n15),
]


if __name__ == "__main__":
    main()
