#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Runs the benchmark agent-memory-integrity (agmi) 0.6.3 against Memlith.

    pip install agent-memory-integrity==0.6.3 blake3 && python integrity.py --program ./memlith

The edits, the checks that they landed, and the attacks are the benchmark's own classes. This is
their target: it writes a ledger with the program, then edits the ledger's files as one of two
attackers. "crc" mends checksums, lengths and numbers, and computes no hash. "all" computes digests,
record hashes, links, checkpoint records, footers and the mark anew. Neither has the signing key.

Each edit is tried in one open segment, and with long texts, so that the middle memories lie in a
sealed segment. Then verify is asked: (a) alone, (b) with the head line kept last, (c) with a signed
head over the last record and `--exact`, from an empty HOME; the writer's HOME holds the key.
Exit code 0 if (c) names 9 of 9 edits of both attackers in both layouts, and the controls hold.
"""

import argparse, importlib.metadata, json, os, random, shutil  # noqa: E401
import struct, subprocess, tempfile, zlib  # noqa: E401
from pathlib import Path

from agmi.adapters.base import MemoryAdapter, Record
from agmi.adapters.semantic_base import Retrieved, SemanticMemoryAdapter
from agmi.attacks.at_rest import AT_REST_ATTACKS_WITH_SNAPSHOT
from agmi.attacks.memory_specific import ALL_MEMORY_ATTACKS
from blake3 import blake3

WAYS = {"a": "verify --full", "b": "kept head line", "c": "signed head, --exact"}
DAMAGE = 3  # the program's exit code for "bytes of the ledger are wrong"
TOPICS = ["Ana keeps bees", "the boiler is new", "invoice 88 is paid", "the talk is on moss", "it is dry"]


def K(context, data):
    return blake3(data, derive_key_context="memlith v1 " + context).digest()


def mended(seed, raw):
    """A header, frame head, footer or mark slot with its own CRC, which lies at offset 4."""
    return raw[:4] + struct.pack("<I", zlib.crc32(raw[8:], zlib.crc32(raw[:4], seed))) + raw[8:]


class Frame:
    def __init__(self, raw):
        assert raw[16] == 0, "erased or destroyed frames are not edited here"
        self.back, self.chain = raw[12:16], raw[24:56]
        numbers = struct.unpack_from("<QqIH4xHH", raw, 56)
        self.seq, self.at, length, self.kind, self.pos, self.of = numbers
        self.sort = raw[76:82]  # kind, version, codec, flags
        self.blind, self.body = raw[88:104], raw[104 : 104 + length]

    def header(self):
        return (
            struct.pack("<QqI", self.seq, self.at, len(self.body))
            + self.sort
            + struct.pack("<HHH", self.pos, self.of, 0)
        )

    def linked_to(self, before):
        said = self.blind + self.body
        digest = K("payload", said + bytes(-len(said) % 64))
        return K("link", before + K("record", self.header() + digest))

    def raw(self, salt):
        slot = (self.blind + self.body + bytes(-len(self.body) % 8)).ljust(32, b"\0")
        head = b"MLF1" + bytes(4) + struct.pack("<I", 88 + len(slot)) + self.back + bytes(4)
        head += struct.pack("<I", zlib.crc32(slot, salt)) + self.chain + self.header()
        return mended(salt, head) + slot


class Segment:
    def __init__(self, path):
        raw, at = path.read_bytes(), 128
        self.path, self.size, self.head, self.batches = path, len(raw), raw[:128], []
        self.salt = int.from_bytes(raw[56:60], "little")
        while raw[at : at + 4] == b"MLF1":
            end = at + int.from_bytes(raw[at + 8 : at + 12], "little")
            frame = Frame(raw[at:end])
            if frame.pos == 0:
                self.batches.append([])
            self.batches[-1].append(frame)
            at = end
        self.foot = raw[at:] if raw[at : at + 4] == b"MLE1" else None


class Files:
    """The segments and the mark: read as they lie there, written back as an attacker would."""

    def __init__(self, folder):
        self.folder, paths = folder, sorted(folder.glob("seg-??????????"))
        self.segments = [Segment(path) for path in paths]

    def memories(self, subject=None):
        """Where memories are, of one subject or all: (segment, index of the batch), in order."""
        return [
            (s, i)
            for s in self.segments
            for i, batch in enumerate(s.batches)
            if batch[-1].kind == 96 and subject in (None, parts_of(batch[-1].body)["subject"])
        ]

    def write(self, attacker):
        every = attacker == "all"
        seq, chain, now = 0, self.segments[0].head[64:96], {}
        for s in self.segments:
            base, places, before = seq, [], chain if every else s.head[64:96]
            out = bytearray(
                mended(0, s.head[:40] + struct.pack("<Q", base) + s.head[48:64] + before + s.head[96:])
            )
            for f in (f for batch in s.batches for f in batch):
                old, f.seq = f.seq, seq
                if every and f.kind == 3:  # a checkpoint record names a record and its chain
                    number, link = now.get(int.from_bytes(f.body[:8], "little"), (seq - 1, chain))
                    f.body = struct.pack("<Q", number) + link + f.body[40:]
                if every:
                    f.chain = chain = f.linked_to(chain)
                now[old] = seq, f.chain
                places.append((seq, len(out)))
                out += f.raw(s.salt)
                seq += 1
            if s.foot:
                step, sparse = 16384 if s.foot[104] & 2 else 65536, {}
                for multiple in range(0, places[-1][1] + 1, step):
                    place = next(p for p in places if p[1] >= multiple)
                    sparse[place] = struct.pack("<QQ", *place)
                size = struct.pack("<I", 128 + 16 * len(sparse))
                proof = chain + K("segment", out) if every else s.foot[40:104]
                foot = struct.pack("<IQQQ", len(sparse), seq - base, base, seq - 1) + proof
                foot += s.foot[104:120] + b"".join(sparse.values()) + size + b"MLEt"
                out += mended(s.salt, b"MLE1" + bytes(4) + size + foot)
            else:
                out += bytes(max(s.size - len(out), -len(out) % 4096))
            s.path.write_bytes(out)
        if every:
            mark = (self.folder / "mark").read_bytes()
            for at in (at for at in (0, 4096) if mark[at : at + 4] == b"MLK1"):
                slot = mark[at : at + 24] + struct.pack("<Q", seq - 1) + mark[at + 32 : at + 40] + chain
                mark = mark[:at] + mended(0, slot + mark[at + 72 : at + 128]) + mark[at + 128 :]
            (self.folder / "mark").write_bytes(mark)


def parts_of(body):
    """The body of a `remembered` record (kind 96) in parts that an edit can exchange."""
    at = 0

    def number(size=8):
        nonlocal at
        at += size
        return int.from_bytes(body[at - size : at], "little")

    def text():
        nonlocal at
        length = number()
        at += length
        return body[at - length : at].decode()

    _ = text(), number(1) and text()  # tenant, agent
    subject, _ = number(1) and text(), (number(1) and text(), number(1))  # session, session only
    scope, actor, rank, start = body[:at], text(), number(4), at
    _ = number(8), number(1) and number(1), number(8)  # origin, via; tier cap; occurred_at
    _ = [number(18) for _ in range(number())], number(1) and number(16)  # links; key
    _ = number(1) and number(30)  # copied from
    return dict(
        scope=scope,
        subject=subject,
        actor=actor,
        rank=rank,
        middle=body[start:at],
        text=text(),
        end=body[at:],
    )


def body_of(p):
    actor, said = p["actor"].encode(), p["text"].encode()
    return (
        p["scope"]
        + struct.pack("<Q", len(actor))
        + actor
        + struct.pack("<I", p["rank"])
        + p["middle"]
        + struct.pack("<Q", len(said))
        + said
        + p["end"]
    )


class Ledger:
    """A ledger made by the program, with the heads and the key kept outside of it."""

    program = None

    def setup(self):
        self.top = Path(tempfile.mkdtemp(prefix="integrity-"))
        self.ledger = self.top / "ledger"
        _ = self.do("init"), self.do("config", "keys", "new")
        (self.top / "key").write_text(self.do("config", "keys"))

    def teardown(self):
        shutil.rmtree(self.top)

    def run(self, *args, text=None, home="home"):
        (self.top / home).mkdir(exist_ok=True)
        env = {"HOME": str(self.top / home), "PATH": os.environ.get("PATH", "")}
        return subprocess.run(
            [self.program, "--ledger", self.ledger, *args],
            input=text,
            env=env,
            capture_output=True,
            encoding="utf-8",
        )

    def do(self, *args, text=None):
        done = self.run(*args, text=text)  # a write that waits for review exits with 1
        if done.returncode and '"outcome":"pending"' not in done.stdout:
            raise RuntimeError(f"{args}: exit code {done.returncode}: {done.stderr.strip()}")
        return done.stdout

    def keep_heads(self):
        self.line = self.do("head").strip()
        (self.top / "signed").write_text(self.do("head", "sign"), encoding="utf-8")

    def verdicts(self):
        said, signed = {}, ("--head", self.top / "signed", "--key", self.top / "key", "--exact")
        for way, more in (("a", ()), ("b", ("--head", self.line)), ("c", signed)):
            done = self.run("verify", "--full", "--json", *more, home="auditor")
            assert done.returncode in (0, DAMAGE), done.stderr
            # Where it is refused without a report, the verdict has no name.
            answer = json.loads(done.stdout or '{"ok": false, "verdict": "exit 3, no JSON"}')
            assert answer["ok"] == (done.returncode == 0), "`ok` contradicts the exit code"
            said[way] = "ok" if answer["ok"] else answer["verdict"]
        return said


class Stored(Ledger, MemoryAdapter):
    """Nine edits of the files. The benchmark's record is a memory: what one `remember` wrote."""

    name, detection_point = "memlith", "audit"
    supports_replay = supports_metadata = supports_snapshot = True

    def __init__(self, attacker, layout):
        self.attacker, self.layout, self.filler = attacker, layout, ""
        if layout == "sealed":  # three such texts fill the first segment, which holds 1 MiB
            dice = random.Random(7)
            self.filler = " ".join(f" word{dice.randrange(10000)}" for _ in range(34000))

    def remember(self, subject, *texts, keep=True):
        for words in texts:
            self.do("remember", "-", "--scope", f"subject={subject}", "--json", text=words + self.filler)
        _ = keep and self.keep_heads()

    def seed(self, n):
        self.remember("ana", *(f"{topic}, says entry {i}." for i, topic in enumerate(TOPICS[:n])))

    def seed_other(self, n):
        self.remember("bob", *(f"Bob's note {i}: ladder {i * i + 3} is lent." for i in range(n)))

    def append_genuine(self):
        self.remember("ana", "One more honest record is on lighthouses.")

    def read(self, subject):
        last = [s.batches[i][-1] for s, i in Files(self.ledger).memories(subject)]
        return [Record(i, {**parts_of(f.body), "blind": f.blind}) for i, f in enumerate(last)]

    def read_all_raw(self):
        return self.read("ana")

    def read_other_raw(self):
        return self.read("bob")

    def save(self, files):
        files.write(self.attacker)
        for path in [*self.ledger.glob("ckpt-*"), *self.ledger.glob("run-*")]:
            path.unlink()  # derived state: without it the program folds what the log says now

    def write_raw(self, record):
        files = Files(self.ledger)
        places = files.memories("ana")
        segment, index = places[min(record.seq, len(places) - 1)]
        batch, tail = segment.batches[index], files.segments[-1]
        if record.seq == len(places):  # a forged one, behind the last record
            batch = [Frame(f.raw(segment.salt)) for f in batch]
            for f in batch:  # (a stale chain, for the attacker that computes none)
                f.at, f.chain = tail.batches[-1][-1].at + 1, tail.batches[-1][-1].chain
            tail.batches.append(batch)
        batch[-1].body, batch[-1].blind = body_of(record.fields), record.fields["blind"]
        self.save(files)

    def delete_raw(self, seq):
        files = Files(self.ledger)
        segment, index = files.memories("ana")[seq]
        if (segment, index) == files.memories()[-1]:  # the end is cut off, with what follows it
            for s in files.segments[files.segments.index(segment) :]:
                del s.batches[index if s is segment else 0 :]
        else:
            del segment.batches[index]
        self.save(files)

    def replay_onto(self, victim_seq, donor):  # the slot keeps number, time and scope
        kept = {k: self.read("ana")[victim_seq].fields[k] for k in ("scope", "subject")}
        self.write_raw(Record(victim_seq, {**donor.fields, **kept}))

    def mutate_payload(self, record):
        record.fields["text"] = record.fields["text"].replace(" is ", " is NOT ", 1) + " [TAMPERED]"
        return record

    def read_meta(self, seq):
        return {"rank": self.read("ana")[seq].fields["rank"]}

    def write_meta(self, seq, meta):  # what a user (4) said becomes what the owner (6) said
        self.write_raw(Record(seq, {**self.read("ana")[seq].fields, "rank": 6}))

    def snapshot_store(self):
        return shutil.copytree(self.ledger, self.top / "copy")

    def restore_store(self, token):
        _ = shutil.rmtree(self.ledger), shutil.copytree(token, self.ledger)

    def payload_of(self, record):
        return record.fields["text"]

    def owner_of(self, record):
        return record.fields["subject"]

    def identity_of(self, record):
        return f"{record.fields['subject']}:{record.seq}"

    def reload(self):
        pass  # every run of the program opens the ledger anew

    def verify(self):
        self.said = self.verdicts()
        done = self.run("list", "--json", "--scope", "subject=ana")
        there = sorted(r.fields["text"] for r in self.read("ana"))
        self.opens = (
            "refused"
            if done.returncode == DAMAGE
            else (
                "serves it"
                if there == sorted(i["text"] for i in json.loads(done.stdout)["items"])
                else "ignores it"
            )
        )
        return self.said["c"] == "ok"


class Written(Ledger, SemanticMemoryAdapter):
    """Attacks that write as a client does. Users are subjects of a scope; the label "external" is
    the rank `web`, "user" is `user`. The program takes no signature with a write."""

    def __init__(self, verb):
        self.name, self.verb, self.limit, self.top = verb, verb, verb == "search", None

    def reset(self):
        _ = self.close(), self.setup()

    def close(self):
        return self.top and self.teardown()

    def add_memory(self, item):
        self.keep_heads()  # so that the heads are of before the last write
        self.do(
            "remember",
            "-",
            "--json",
            "--scope",
            f"subject={item.user_id}",
            "--as",
            "web" if item.source == "external" else "user",
            text=item.text,
        )

    def retrieve(self, query, user_id, k=5):
        found = self.do(
            self.verb,
            query,
            "--json",
            "--scope",
            f"subject={user_id}",
            *(["--limit", str(k)] if self.limit else []),
        )
        return [
            Retrieved(hit["text"], user_id, hit["score"])
            for hit in json.loads(found)["results" if self.limit else "items"][:k]
        ]


def controls(layout):
    """No edit, honest growth, and what no head of before can show; then what went wrong."""

    def rewrite(t):  # reading and writing back without an edit has to change no byte
        before = {p: p.read_bytes() for p in t.ledger.iterdir()}
        (files := Files(t.ledger)).write("all")
        assert before == {p: p.read_bytes() for p in t.ledger.iterdir()}, "rewriting changed bytes"
        assert bool(files.segments[0].foot) == (layout == "sealed"), "the layout is not as meant"

    def stale(t):
        t.snapshot_store()
        t.remember("ana", "Nobody kept a head after this one.", keep=False)
        t.restore_store(t.top / "copy")

    rows, wrong = [], []
    for name, change, expected in (
        ("control: no edit", lambda t: None, "ok ok ok"),
        ("control: read, written back", rewrite, "ok ok ok"),
        (
            "control: honest growth",
            lambda t: t.remember("ana", "This is growth.", keep=False),
            "ok ok unsigned_growth",
        ),
        ("limit: T9, no head since", stale, "ok ok ok"),
    ):
        t = Stored("all", layout)
        _ = t.setup(), t.seed(5), change(t), t.verify(), t.teardown()
        rows.append([layout, "-", name, t.opens, *t.said.values()])
        wrong += [f"{layout}, {name}"] if " ".join(t.said.values()) != expected else []
    return rows, wrong


def published():
    """The tables of results in the package's own description, by their third column's name."""
    meta, tables, rows = importlib.metadata.metadata("agent-memory-integrity"), {}, None
    for line in (meta.get_payload() or meta["Description"]).splitlines():
        cells = [c.strip().replace("`", "") for c in line.strip("|").split("|")]
        if line.startswith("| Target | Version | "):
            rows = tables.setdefault(cells[2], [])
        elif not line.startswith("|"):
            rows = None
        elif rows is not None and "---" not in line:
            rows.append([f"{cells[0]} ({cells[1]})"] + [c or "not measured" for c in cells[2:]])
    return tables


def table(title, head, rows):
    print(f"## {title}\n\n| " + " | ".join(head) + " |\n|" + "---|" * len(head))
    print("".join("| " + " | ".join(row) + " |\n" for row in rows), flush=True)


def main():
    options = argparse.ArgumentParser(description="agent-memory-integrity 0.6.3 against Memlith")
    options.add_argument("--program", default=os.environ.get("MEMLITH", "memlith"))
    Ledger.program = str(Path(shutil.which(options.parse_args().program)).resolve())
    cases, wrong, counts, words = [], [], {}, {}
    for layout in ("open", "sealed"):
        rows, failed = controls(layout)
        cases, wrong = cases + rows, wrong + failed
        for attacker in ("crc", "all"):
            count = counts.setdefault(f"{attacker}, {layout}", dict.fromkeys(WAYS, 0))
            for n, attack in enumerate(AT_REST_ATTACKS_WITH_SNAPSHOT, 1):
                target = Stored(attacker, layout)
                result = attack().run(target)
                fault = result.guard or result.error  # not landed, or not run: never a detection
                said = dict.fromkeys(WAYS, "error") if fault else target.said
                for way, verdict in said.items():
                    count[way] += verdict not in ("ok", "error")
                    word = {"ok": "accepted", "error": "error"}.get(verdict, "reported")
                    words.setdefault((attacker, way), {}).setdefault(f"T{n}", []).append(word)
                cases.append([layout, attacker, f"T{n} {attack.name}", fault or target.opens, *said.values()])
    ways = [f"({way}) {title}" for way, title in WAYS.items()]
    table("Each edit of the files", ["layout", "attacker", "edit", "what `list` does"] + ways, cases)
    ours = [
        [f"Memlith, attacker {who}, ({way}) {WAYS[way]}"] + ["/".join(sorted(set(w))) for w in row.values()]
        for (who, way), row in words.items()
    ]
    stores = published()
    table(
        "Beside the published rows (no attacker there recomputes hashes: compare with `crc`)",
        ["target"] + [f"T{n}" for n in range(1, 10)],
        ours + stores["T1"],
    )
    outcomes, details = {}, []
    for verb in ("search", "checkout"):
        target, outcomes[verb] = Written(verb), {}
        for attack in ALL_MEMORY_ATTACKS:
            result = attack().run(target)
            word = "n/a" if result.error else "kept out" if result.safe else "surfaced"
            outcomes[verb][attack.name] = word
            said = ["n/a"] * 3 if result.error else target.verdicts().values()
            details.append([verb, attack.name, word, result.error or result.detail, *said])
        target.close()
    table(
        "Six attacks through the write path (genuine records, verified with heads of before)",
        ["read by", "attack", "outcome", "the benchmark's detail"] + ways,
        details,
    )
    table(
        "Beside the published rows",
        ["target"] + [a.name for a in ALL_MEMORY_ATTACKS],
        [[f"Memlith, {v}", *o.values()] for v, o in outcomes.items()] + stores["memory_injection"],
    )
    passed = not wrong and all(count["c"] == 9 for count in counts.values())
    print(
        json.dumps(
            {
                "edits": 9,
                "detected": counts,
                "controls_failed": wrong,
                "write_path": outcomes,
                "passed": passed,
            }
        )
    )
    return 0 if passed else 1


if __name__ == "__main__":
    raise SystemExit(main())
