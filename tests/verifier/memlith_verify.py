#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Independent verifier for Memlith ledgers, signed heads and proofs, made from format.md and proofs.md alone.
It changes no byte and takes no lock. Exit codes: 0 ok, 3 not ok, 2 usage or a bad key, 4 input or output."""
from __future__ import annotations
import argparse, base64, hashlib, json, os, re, struct, sys
from collections import namedtuple
from zlib import crc32
from blake3 import blake3
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

MAX_SEGMENT, MAX_BATCH, MAX_BODY, MAX_PROOF, MAX_NOTE = 256 << 20, 32 << 20, 16 << 20, 16 << 20, 16 << 10
UNKNOWN_FLOOR, SEALED, INCOMPAT, LOSS, DENSE, PRESENT, ERASED, DESTROYED = 2**32 - 1, 1, 8, 1, 2, 0, 1, 2
KNOWN_KINDS = {*range(8), 64, 65, 80, 81, *range(96, 105), 128, 144, *range(160, 164), *range(176, 179), 192,
               208, *range(224, 230), *range(240, 243), 288, 304, 305}
# Bodies of the log's own kinds: length, length of an element, offset of their number, begin and end of zeros.
OWN = {0: [8], 1: [16, 40, 4, 2, 4], 2: [16], 3: [128], 4: [80], 5: [64, 40, 48, 52, 56], 6: [16], 7: [24]}
WHITE = "".join(c for c in map(chr, range(0x3001)) if c.isspace() and c not in "\x1c\x1d\x1e\x1f")
CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")
ORIGIN, NAME = "memlith/([0-9a-f]{32})", r"[^\s+\x00-\x1f\x7f-\x9f]+"
NOTE = re.compile(rf"(({ORIGIN})\n([1-9][0-9]{{0,14}})\n(.{{44}})\nchain ([0-9a-f]{{64}})\n)\n"
                  rf"((?:— {NAME} [A-Za-z0-9+/]{{7}}[A-Za-z0-9+/=]+\n){{1,16}})")
HEAD_LINE = re.compile("memlith-head:([0-9a-f]{32}):(0|[1-9][0-9]{0,14}):([0-9a-f]{64})\n?")
Frame = namedtuple("Frame", "length floor_back state zeros crc_slot chain seq at size kind version codec "
                            "flags pos count zero hash body ends")  # the body: only of the log's own kinds
Head = namedtuple("Head", "ledger size chain root")
Record = namedtuple("Record", "seq inner size kind version codec flags zero body hash path")

class Refusal(Exception): ...  # a sentence and a verdict

def need(condition: object, detail: str, verdict: str = "corrupt") -> None:
    if not condition:
        raise Refusal(detail, verdict)
def derive(context: str, data: bytes) -> bytes:
    return blake3(data, derive_key_context="memlith v1 " + context).digest()
def payload_digest(blind_and_body: bytes) -> bytes:
    return derive("payload", blind_and_body + bytes(-len(blind_and_body) % 64))
def sha(*parts: bytes) -> bytes:
    return hashlib.sha256(b"".join(parts)).digest()
def b64(data: bytes) -> str:
    return base64.b64encode(data).decode()
def unb64(text: str, size: int | None = None) -> bytes:
    data = base64.b64decode(text)
    need(b64(data) == text and size in (None, len(data)), f"wrong base64 or size: {text[:50]}", "malformed")
    return data

# ---- The tree of RFC 6962, section 2.1 ----
def tree_root(hashes: list[bytes]) -> bytes:
    level = [sha(b"\0", each) for each in hashes]
    while len(level) > 1:  # a node without a partner moves up
        pairs = (level[i:i + 2] for i in range(0, len(level), 2))
        level = [sha(b"\1", *pair) if len(pair) == 2 else pair[0] for pair in pairs]
    return level[0]

def climb(index: int, last: int, path: list[bytes], node: bytes) -> tuple[bytes, bytes] | None:
    """The roots of the old and of the whole tree to which a path (2.1.1, 2.1.2) leads from a node."""
    old = new = node
    for each in path:
        if last == 0:
            return None
        if index & 1 or index == last:
            old, new = sha(b"\1", each, old), sha(b"\1", each, new)
            while index and not index & 1:
                index, last = index >> 1, last >> 1
        else:
            new = sha(b"\1", new, each)
        index, last = index >> 1, last >> 1
    return (old, new) if last == 0 else None

def grown_roots(old: int, new: int, proof: list[bytes], known: bytes) -> tuple[bytes, bytes] | None:
    index, last, path = old - 1, new - 1, ([] if old & (old - 1) else [known]) + proof
    while index & 1:
        index, last = index >> 1, last >> 1
    if old >= new or not path:
        return (known, known) if old == new and not proof else None
    return climb(index, last, path[1:], path[0])

# ---- The files of a ledger ----
def read_file(path: str, limit: int) -> bytes:  # never more than limit + 1 bytes
    if not os.path.isfile(path):
        raise OSError(f"{path} is not there, or not a regular file")
    with open(path, "rb") as file:
        return file.read(limit + 1)
def table(data: bytes, magic: bytes, layout: str, seed: int = 0) -> tuple | None:  # all begin with a CRC
    good = len(data) >= 8 + struct.calcsize("<" + layout) and data[:4] == magic
    good = good and data[4:8] == struct.pack("<I", crc32(data[:4] + data[8:], seed))
    return struct.unpack_from("<" + layout, data, 8) if good else None

def find_footer(data: bytes, salt: int) -> tuple:
    """Offset, flags, byte_hash and all else of the footer at the end of a file; offset 0 if there is none."""
    end = len(data.rstrip(b"\0"))
    start = end - struct.unpack_from("<I", data, end - 8)[0] if end >= 256 else 0
    fields = table(data[start:end], b"MLE1", "IIQQQ32s32sI12s", salt) if start >= 128 else None
    if not fields or data[end - 4:end] != b"MLEt" or not fields[0] == end - start == 128 + 16 * fields[1]:
        return 0, 0, b"", ()
    *told, byte_hash, flags, zeros = fields[2:]
    need(flags < 4 and not any(zeros), "a footer has unknown flags, or reserved bytes that are not zero")
    return start, flags, byte_hash, (*told, [*struct.iter_unpack("<QQ", data[start + 120:end - 8])])

def read_head(data: bytes, at: int, salt: int) -> Frame | None:  # checked as far as crc_head
    fields = table(data[at:at + 88], b"MLF1", "IIB3sI32sQqIHBBHHHH", salt) if at % 8 == 0 else None
    frame = Frame(*fields, bytes(32), b"", fields[13] + 1 == fields[14]) if fields else None
    good = frame and frame.length == 88 + max(32, 16 + (frame.size + 7) // 8 * 8) <= len(data) - at
    return frame if good and frame.size <= MAX_BODY else None
def batch_fields_hold(frame: Frame) -> bool:
    floor = frame.floor_back
    return frame.pos < frame.count <= 4096 and (floor == UNKNOWN_FLOOR or frame.pos < floor <= frame.seq + 1)

def check_own(frame: Frame) -> None:  # version 0, codec 0 and a fixed layout
    if frame.state == PRESENT and (frame.kind < 64 or frame.seq == 0):
        body = frame.body
        fixed, each, at, begin, end = (*OWN.get(frame.kind, [len(body)]), 0, 0, 0, 0)[:5]
        number = int.from_bytes(body[at:at + 4], "little") if each else 0
        good = len(body) == fixed + each * number and (frame.kind != 1 or number <= 16384)
        good = good and not any(body[begin:end]) and (frame.seq or frame.kind == 0)
        good = good and (frame.kind != 5 or body[:8] == struct.pack("<Q", frame.seq))
        need(good and frame.version == frame.codec == 0, f"record {frame.seq} is not what its kind has to be")

def known_synced(data: bytes, salt: int, end: int, end_at: int) -> int:
    """D, as the frames of the last segment tell it. The valid prefix ends with `end`, at `end_at`."""
    known, at, search = -1, 128, False
    while at >= 0:
        frame = read_head(data, at, salt)
        floor = frame.seq - frame.floor_back if frame and frame.floor_back != UNKNOWN_FLOOR else -1
        if frame and search and (  # what is found by searching has to show more
                frame.seq <= end or floor > end + (at - end_at) // 120 or not batch_fields_hold(frame)
                or crc32(data[at + 88:at + frame.length], salt) != frame.crc_slot):
            frame = None
        search = search or not frame
        known, at = (max(known, floor), at + frame.length) if frame else (known, at + 1)
        at = data.find(b"MLF1", at) if search else at
    return known

class Ledger:  # what one walk over every byte of a ledger finds out
    def __init__(self) -> None:
        self.id, self.chain, self.tail, self.findings, self.records, self.whole, self.lost = b"", b"", "", [], [], 0, {}
        self.damage: tuple[str, str] | None = None  # a sentence and a verdict, if the walk could not end

    def head(self, size: int) -> Head:
        first = self.records[:size]
        known = first and all(each.state != DESTROYED for each in first)  # else a leaf is not known
        root = tree_root([each.hash for each in first]) if known else None
        return Head(self.id, size, first[-1].chain if first else b"", root)

    def read_mark(self, data: bytes) -> list[tuple]:  # the valid slots; damage counts for nothing
        slots = [slot for slot in (data[:128], data[4096:4224]) if any(slot) or len(slot) < 128]
        marks = [table(slot, b"MLK1", "16sQQ32s16sB39s") for slot in slots]
        good = [mark for mark in marks if mark and mark[5] < 2 and not any(mark[6])]
        if not len(good) == len(slots) > 0 or any(data[128:4096] + data[4224:8192]):
            self.findings.append("the mark is missing or damaged")
        return sorted(good, key=lambda mark: mark[2])

    def sound(self, frame: Frame, slot: bytes, salt: int, size: int) -> bool:  # all but the link
        if crc32(slot, salt) != frame.crc_slot:
            return False
        newer = frame.flags > 15 or frame.flags & INCOMPAT and frame.kind not in KNOWN_KINDS
        need(frame.state <= DESTROYED and not newer, f"record {frame.seq} is of a newer format")
        before, pos = self.records[-1] if self.records else frame, len(self.records) - self.whole
        padding = slot[(16 + frame.size, 32, 0)[frame.state]:]
        return (not any(frame.zeros + padding) and frame.zero == 0 and frame.seq == len(self.records)
                and (frame.kind == 6 or frame.at >= before.at) and frame.pos == pos and size <= MAX_BATCH
                and (pos == 0 or frame.count == before.count) and batch_fields_hold(frame))

    def walk(self, data: bytes, salt: int) -> tuple[int, str, int | None, list[tuple[int, int]]]:
        """Takes in records; returns the end of whole batches, what is wrong or unlinked there, offsets."""
        at, done, link, offsets = 128, 128, self.chain, []
        while at < len(data):
            frame = read_head(data, at, salt)
            slot = data[at + 88:at + frame.length] if frame else b""
            if not frame or not self.sound(frame, slot, salt, at + frame.length - done):
                return done, f"no valid frame at {at}", None, offsets
            if frame.state != DESTROYED:
                digest = payload_digest(slot[:16 + frame.size]) if frame.state == PRESENT else slot[:32]
                frame = frame._replace(hash=derive("record", data[at + 56:at + 88] + digest))
                if derive("link", link + frame.hash) != frame.chain:
                    return done, f"record {frame.seq} does not link at {at}", frame.seq, offsets
            own = frame.state == PRESENT and frame.kind < 64
            self.records.append(frame._replace(body=slot[16:16 + frame.size] if own else b""))
            offsets.append((frame.seq, at))
            at, link = at + frame.length, frame.chain
            if frame.ends:
                for each in self.records[self.whole:]:
                    check_own(each)
                self.chain, done, self.whole = link, at, len(self.records)
        return done, "the last batch is incomplete" if done < at else "", None, offsets

    def read(self, path: str) -> None:
        names, lossy = set(os.listdir(path)), False
        marks = self.read_mark(read_file(os.path.join(path, "mark"), 8192) if "mark" in names else b"")
        numbers = [int(n[4:]) for n in names if re.fullmatch("seg-([0-9]{10}|[1-9][0-9]{10,19})", n)] or [0]
        for number in range(max(numbers) + 1):
            name, base, last, tail = f"seg-{number:010}", len(self.records), number == max(numbers), b""
            need(name in names, f"{name} is missing")
            data, known = read_file(os.path.join(path, name), MAX_SEGMENT), base - 1
            need(len(data) <= MAX_SEGMENT, f"{name} is longer than any segment")
            header = table(data[:128], b"MLH1", "II16sQQQII32s32s")
            if number == 0 and header:
                self.id, self.chain = header[2], derive("genesis", header[2] + struct.pack("<II40x", 1, 1))
            right = header and (1, 1, self.id, number, base, *header[5:7], 0, self.chain, bytes(32))
            need(header and header == right, f"the header of {name} is damaged, newer, or of another chain")
            salt = header[6]
            start, flags, byte_hash, told = find_footer(data, salt)
            if last and derive("segment", data[:start]) != byte_hash:
                start = 0  # it alone survived a power cut, and is part of the tail
            need(start or last, f"{name} has a successor and no valid footer")
            done, wrong, unlinked, offsets = self.walk(data[:start] if start else data, salt)
            del self.records[self.whole:]
            if start:
                need(not wrong, f"{name}: {wrong}", "corrupt" if unlinked is None else "chain_break")
                step, before = 16384 if flags & DENSE else 65536, [(0, -1), *offsets]
                sparse = [one for one, (_, at) in zip(offsets, before) if one[1] // step > at // step]
                right = (len(offsets), base, len(self.records) - 1, self.chain, sparse)
                need(offsets and told == right, f"{name} contradicts its footer")
            else:
                tail = data[done:].rstrip(b"\0")
                known = max(known, known_synced(data, salt, len(self.records) - 1, done))
            begin = self.records[base] if base < len(self.records) else None
            loss = begin.body if begin and begin.kind == 5 else b""
            need(not lossy or not begin or loss, f"{name} does not begin with the loss of the footer before")
            lossy = start and flags & LOSS
        need(all(mark[0] == self.id for mark in marks), "the mark has a foreign ledger id")
        need(not start or "mark" in names, "the last segment is sealed, and there is no mark")
        for _, seq, _, chain, *_ in marks[-1:]:
            if seq < len(self.records) and loss[8:48] != struct.pack("<Q", seq + 1) + chain:
                right = self.records[seq].chain == chain and self.records[seq].ends
                need(right, f"record {seq} is not the one of the mark, or ends no batch")
            known = max(known, seq)
        need(unlinked is None or unlinked > known, wrong, "chain_break")
        ended = f"record {known} was synced, but only {len(self.records)} records are valid. {wrong}"
        need(known < len(self.records), ended, "corrupt" if tail else "torn_tail")
        need(self.records, "there is no genesis")
        self.check_erasures()
        self.tail = f"{len(tail)} bytes behind the {len(self.records)} records: {wrong}" if tail else ""

    def check_erasures(self) -> None:
        own = [each for each in self.records if each.body]
        finished = {int.from_bytes(each.body[:8], "little"): each.seq for each in own if each.kind == 2}
        named = {ERASED: set(), DESTROYED: self.lost}
        for seq, kind, body in ((each.seq, each.kind, each.body) for each in own):
            if kind == 5:
                for at, chain in struct.iter_unpack("<Q32s", body[56:-8]):
                    if at < seq and self.records[at].state == DESTROYED:
                        self.lost.setdefault(at, seq)
                        if self.records[at - 1].chain != chain:
                            self.findings.append(f"other records stood before {at} when its loss was accepted")
            if kind == 1:
                pairs = list(struct.iter_unpack("<Q32s", body[8:-8]))
                targets = [self.records[target] for target, hashed in pairs if target < seq and
                           (self.records[target].state == DESTROYED or self.records[target].hash == hashed)]
                right = len(targets) == len(pairs) and all(each.kind >= 64 for each in targets)
                named[ERASED].update(each.seq for each in targets if right)
                if not right or finished.get(seq, -1) < seq or any(each.state == PRESENT for each in targets):
                    self.findings.append(f"erasure {seq} is pending or incomplete, or a target of it is none")
        self.findings += [f"no record names {each.seq}, whose words are gone" for each in self.records
                          if each.state != PRESENT and each.seq not in named[each.state]]

def verify_ledger(path: str, head: bytes | None, vkey: str | None) -> tuple[str, str, Head]:
    line = HEAD_LINE.fullmatch((head or b"").decode())
    kept = parse_note(head, vkey) if head is not None and not line else None
    if line:
        kept = Head(bytes.fromhex(line[1]), int(line[2]) + 1, bytes.fromhex(line[3]), None)
    for _ in range(2):  # once more if there is damage: a writer may have continued meanwhile
        ledger = Ledger()
        try:
            ledger.read(path)
            break
        except Refusal as refusal:
            ledger.damage = refusal.args
            del ledger.records[ledger.whole:]
    told, grown = "; ".join([*ledger.findings[:8], ledger.tail]).strip("; "), 0
    found = ledger.head(len(ledger.records))
    if kept and ledger.id not in (b"", kept.ledger):
        return f"the head is of ledger {kept.ledger.hex()}, not of {ledger.id.hex()}", "other_ledger", found
    if ledger.damage:
        return f"{ledger.damage[0]}. {told}", ledger.damage[1], found
    if kept:
        then, grown = ledger.head(kept.size), found.size - kept.size
        if grown < 0:
            return f"{-grown} records are missing. {told}", "torn_tail" if ledger.tail else "rollback", found
        other_root = None not in (then.root, kept.root) and then.root != kept.root
        if then.chain != kept.chain or other_root or not ledger.records[kept.size - 1].ends:
            return f"the ledger holds other records than the head. {told}", "fork", found
        if any(at < kept.size <= accepted for at, accepted in ledger.lost.items()):
            return f"a record up to the head is destroyed, and its loss accepted later. {told}", "unbound", found
    verdict = "corrupt" if ledger.findings else "torn_tail" if told else "unsigned_growth" if grown else "ok"
    return told or (f"{grown} records follow on the head" if grown else ""), verdict, found

# ---- Keys and signed heads ----
def parse_note(raw: bytes, vkey: str | None, algorithms: tuple = (1,)) -> Head:
    """A signed head that is valid under the key; with the key of a witness (4), by its cosignature."""
    key = re.fullmatch(rf"({NAME})\+([0-9a-f]{{8}})\+([A-Za-z0-9+/]{{44}})", str(vkey))
    algorithm, *public = base64.b64decode(key[3]) if key else b"\0"
    right = algorithm in algorithms and (algorithm == 4 or re.fullmatch(ORIGIN, key[1]))
    right = right and sha(key[1].encode(), b"\n", base64.b64decode(key[3])).hex().startswith(key[2])
    need(right, "this is no verifier key, or none for this", "bad_key")
    note = NOTE.fullmatch(raw.decode()) if len(raw) <= MAX_NOTE else None
    need(note and int(note[4]) <= 1 << 48, "this is no signed head", "malformed")
    head = Head(bytes.fromhex(note[3]), int(note[4]), bytes.fromhex(note[6]), unb64(note[5], 32))
    lines = [(name, unb64(data)) for _, name, data in (line.split(" ") for line in note[7][:-1].split("\n"))]
    ours = [data[4:] for name, data in lines if name == key[1] and data[:4].hex() == key[2]]
    signature, message = (ours or [b""])[0], note[1].encode()
    if algorithm == 4:
        time, signature = int.from_bytes(signature[:8], "big"), signature[8:]
        message = b"cosignature/v1\ntime %d\n" % time + message
    try:
        Ed25519PublicKey.from_public_bytes(bytes(public)).verify(signature, message)
    except (InvalidSignature, ValueError):
        raise Refusal("no line of the key, or its signature is wrong", "bad_signature") from None
    need(algorithm == 4 or key[1] == note[2], "the key is of another ledger", "other_ledger")
    return head

# ---- Bodies: bincode 1 ----
Option = namedtuple("Option", "of")
# A shape: letters of `struct`, "text", a range or the variants of a u32, an Option, [element], or fields.
ID, WORDS = ("Q", "6s"), Option("text")
SCOPE = ("text", WORDS, WORDS, WORDS, "?")
ENVELOPE = (SCOPE, "text", range(7), range(6), range(3), Option("B"), "q", [(range(6), ID)], Option("16s"),
            Option(("16s", ID)))
REMEMBERED = ("text", Option(("text", "text", "text", "?")), (Option("q"), Option("q")),
              Option({0: None, 1: None, 2: range(4)}))
RECEIPT = ("16s", "16s", "Q", "32s", "text", SCOPE, "text", Option("Q"), *"qII", "text", Option("Q"), "32s",
           *"III", [(ID, *"IIq")], [(range(10), "I")], "32s", *[WORDS] * 4, Option(("text", ["b"])))
CONTRAST = ("I", {0: "text", 1: None, 2: None, 3: "text", 4: None}, "I", "I", Option(ID))
CONTENTS = {(80, 1): ("text", WORDS, "?"), (96, 1): REMEMBERED, (96, 2): (*REMEMBERED, [("text", "text")]),
    (81, 1): (*["text"] * 2, Option("?"), Option("i"), "text", Option("Q")),
    (97, 1): ([ID], Option(range(1, 10_000_001)), Option(RECEIPT)), (288, 1): ("text", "text", "text"),
    (192, 1): ("text", "32s", [("text", "text")], *"IIIIIIQI", [CONTRAST], "text", "I"),
    (208, 1): (*("H", "32s", "32s", "Q", "Q"), [(ID, "I", "I", "text")], [(range(5), "text")], [("B", "I")])}

def decode(data: bytes, at: int, shape: object) -> tuple[object, int]:  # and the offset behind it
    if isinstance(shape, (range, dict)):
        number, at = decode(data, at, "I")
        need(number in shape, f"variant {number} is not known", "not_shown")
        return decode(data, at, shape[number]) if isinstance(shape, dict) and shape[number] else (number, at)
    if isinstance(shape, Option):
        tag, at = decode(data, at, "?")
        return decode(data, at, shape.of) if tag else (None, at)
    if isinstance(shape, (tuple, list)):
        count, at = decode(data, at, "Q") if isinstance(shape, list) else (len(shape), at)
        values = []
        for i in range(count):  # an element takes a byte at least: too long a list fails at the body's end
            value, at = decode(data, at, shape[i % len(shape)])
            values.append(value)
        return values, at
    size, at = decode(data, at, "Q") if shape == "text" else (struct.calcsize("<" + shape), at)
    raw = data[at:at + size]
    need(len(raw) == size and (shape != "?" or raw[0] < 2), "a body is short, or a tag wrong", "not_shown")
    need(shape != "text" or raw.decode(errors="ignore").encode() == raw, "a text is not UTF-8", "not_shown")
    return raw.decode() if shape == "text" else struct.unpack("<" + shape, raw)[0], at + size

def content(record: Record) -> list | None:  # what stands behind the envelope; None if it is erased
    shape = CONTENTS.get((record.kind, record.version))
    known = shape and record.codec == 1 and not record.flags & SEALED
    need(known, f"record {record.seq} is encrypted, or of a kind, version or codec without text", "not_shown")
    if record.body is None:
        return None
    (_, parts), end = decode(record.body, 0, (ENVELOPE, shape))
    need(end == len(record.body), f"the body of record {record.seq} has bytes left over", "not_shown")
    return parts

def words(record: Record) -> bytes | None:  # the text of an item
    need(record.kind != 97, "an answer has no text", "not_shown")
    parts, text = content(record), ""
    if parts is None:
        return None
    if record.kind == 80:
        text = "\n".join([parts[0]] * (parts[0] != "") + [f"[picture: {parts[1]}]"] * (parts[1] is not None))
    elif record.kind == 81:
        failed = "\n[failed]" if parts[2] is False else ""
        code = failed if parts[3] is None else f"\n[exit code {parts[3]}]"
        text = f"{parts[0]} {parts[1]}\n{parts[4]}{code}"
    elif record.kind == 96:
        text = parts[0]
    elif record.kind == 192:
        steps = [f"{i}. {verb} {rest}".rstrip(WHITE) for i, (verb, rest) in enumerate(parts[2], 1)]
        text = "\n".join([parts[0], *steps])
    elif record.kind == 208:
        for (seq, start), _, _, quote in sorted(parts[5], key=lambda each: each[0][0]):
            text += f"mem_{seq}_{start.hex()}: {' '.join(CONTROL.sub(' ', quote).split())}\n"
    else:
        text = f"{parts[1]} {parts[2]}"
    return text.encode()

# ---- Proofs ----
# The shape of a value in JSON: a type or pattern, a choice, [element], or an object with exactly these keys.
HEX, SHOWN = re.compile("[0-9a-f]{64}"), {"seq": int, "text": (str, type(None))}
RECORD = {"seq": int, "header": HEX, "slot": str, "path": [str]}
COMMON = {"memlith_proof": int, "kind": str, "head": str, "verifier_key": str, "not_shown": [str]}
PROOFS = {"growth": {**COMMON, "old_head": str, "old_verifier_key": str, "consistency": [str]},
          "record": {**COMMON, "records": [(RECORD, {**RECORD, "slot": type(None), "payload_digest": HEX})]}}
PROOFS["answer"] = {**PROOFS["record"], "answer": int, "question": str, "shown": [SHOWN]}

def fits(value: object, shape: object) -> bool:
    if isinstance(shape, tuple):
        return any(fits(value, each) for each in shape)
    if isinstance(shape, list):
        return type(value) is list and all(fits(each, shape[0]) for each in value)
    if isinstance(shape, dict):
        return type(value) is dict and value.keys() == shape.keys() and \
            all(fits(value[key], shape[key]) for key in shape)
    return type(value) is shape if isinstance(shape, type) else type(value) is str and shape.fullmatch(value)

def parse_record(fields: dict) -> Record:
    header, slot = bytes.fromhex(fields["header"]), None if fields["slot"] is None else unb64(fields["slot"])
    need(slot is None or len(slot) >= 16, "a slot is shorter than its blind", "malformed")
    digest = bytes.fromhex(fields["payload_digest"]) if slot is None else payload_digest(slot)
    path, body = [unb64(each, 32) for each in fields["path"]], None if slot is None else slot[16:]
    inner = struct.unpack("<Q8xIHBBH4xH", header)
    return Record(fields["seq"], *inner, body, derive("record", header + digest), path)

def parse_proof(raw: bytes) -> dict:  # step 1: the version, then the form
    need(len(raw) <= MAX_PROOF, "the proof is too long", "malformed")
    proof = json.loads(raw.decode(), parse_constant=int,  # what is not allowed becomes what fits no shape
        parse_int=lambda n: int(n) if n.isdigit() and float(n) < 2**53 else 0.0,
        object_pairs_hook=lambda p: dict(p) if len(dict(p)) == len(p) else {**dict(p), "a key twice": p})
    need(isinstance(proof, dict) and type(proof.get("memlith_proof")) is int, "this is no proof", "malformed")
    need(proof["memlith_proof"] == 1, "the proof has another version", "other_version")
    kind, shape = proof.get("kind"), PROOFS.get(str(proof.get("kind")))
    need(shape and fits(proof, shape), "a kind, key or value that is wrong, missing or twice", "malformed")
    json.dumps(proof, ensure_ascii=False).encode()  # fails for half a surrogate pair
    proof["consistency"] = [unb64(each, 32) for each in proof.get("consistency", [])]
    proof["records"] = [parse_record(each) for each in proof.get("records", [])]
    seqs = [each.seq for each in proof["records"]]
    count = len(seqs) == 1 if kind == "record" else bool(seqs) == (kind == "answer")
    need(count and seqs == sorted(set(seqs)), "too few or many records, or in a wrong order", "malformed")
    return proof

def check_answer(proof: dict, head: Head) -> None:  # steps 5 and 6
    records, texts = {record.seq: record for record in proof["records"]}, {}
    answer = records.get(proof["answer"])
    parts = content(answer) if answer and answer.kind == 97 else None
    need(parts and parts[2], "the answer's record is missing, of another kind, or no receipt", "not_shown")
    _, ledger, view, _, query, *_ = receipt = parts[2]
    items, order = receipt[17], [seq for (seq, _), *_ in receipt[17]]
    need(ledger == head.ledger, "the receipt is of another ledger", "other_ledger")
    good = view < answer.seq and order == [shown["seq"] for shown in proof["shown"]]
    need(good, "the receipt's view is not before the answer, or its items are not those shown", "not_shown")
    for ((seq, start), first, end, _), shown in zip(items, proof["shown"]):
        record, told = records.get(seq), shown["text"] if shown["text"] is None else shown["text"].encode()
        good = record and seq <= view and record.hash[:6] == start
        need(good, f"the record of item {seq} is missing, behind the view, or another one", "not_shown")
        text = texts[seq] = texts[seq] if seq in texts else words(record)
        if text is not None:
            cut = first <= end <= len(text) and not 0x80 <= (text[first:first + 1] or b" ")[0] < 0xc0
            text = text[first:end] if cut else b"\xff"  # which equals no text
        need(text == told, f"the text of item {seq} is not what was shown", "not_shown")
    pack = b"".join(struct.pack("<Q6sIIq", *item[0], *item[1:]) for item in items)
    good = proof["question"] == query and derive("pack", pack) == receipt[19]
    need(good, "the question, or the digest of the pack, is not the receipt's", "not_shown")
    need(set(records) == {answer.seq, *order}, "there are records that the answer doesn't need", "not_shown")

def check_proof(raw: bytes, vkey: str | None) -> Head:  # the steps of proofs.md, in order
    proof = parse_proof(raw)
    named = [proof["verifier_key"], proof.get("old_verifier_key", proof["verifier_key"])]
    need(set(named) <= set(str(vkey).split()), "the proof names another key than those given", "bad_key")
    head = parse_note(proof["head"].encode(), named[0])
    if proof["kind"] == "growth":
        old = parse_note(proof["old_head"].encode(), named[1])
        roots = grown_roots(old.size, head.size, proof["consistency"], old.root)
        good = roots == (old.root, head.root) and (old.size < head.size or old == head)
        need(good, "the old tree does not grow into the new one", "fork")
    for record in proof["records"]:
        sized = record.body is None or len(record.body) == record.size
        good = sized and record.seq == record.inner < head.size and record.zero == 0
        need(good, f"record {record.seq} has another header", "not_included")
        roots = climb(record.seq, head.size - 1, record.path, sha(b"\0", record.hash))
        need(roots and roots[1] == head.root, f"record {record.seq} is not in the tree", "not_included")
    if proof["kind"] == "answer":
        check_answer(proof, head)
    return head

def check(what: str, given: object, vkey: str | None = None, head: bytes | None = None) -> dict:
    """Checks a `ledger` in a folder, also against a kept head, or the bytes of a `note` or `proof`."""
    detail, verdict, found = "", "ok", Head(b"", 0, b"", None)
    try:
        if what == "ledger":
            detail, verdict, found = verify_ledger(given, head, vkey)
        else:
            found = parse_note(given, vkey, (1, 4)) if what == "note" else check_proof(given, vkey)
    except Refusal as refusal:
        detail, verdict = refusal.args
    except (ValueError, RecursionError) as error:
        detail, verdict = str(error)[:200], "malformed"
    if what == "ledger" and verdict in ("malformed", "bad_key"):
        verdict = "bad_signature"
    told = {"ledger": found.ledger.hex(), "seq": found.size - 1, "chain": found.chain.hex()}
    return {"ok": verdict in ("ok", "unsigned_growth"), "verdict": verdict, "detail": detail,
            "records": found.size, "head": told if found.size else {}, "root": found.root and b64(found.root)}

def main() -> int:
    parser = argparse.ArgumentParser(description="Verifies Memlith ledgers, signed heads and proofs.")
    parser.add_argument("what", choices=("ledger", "note", "proof"))
    parser.add_argument("path", help="the ledger's folder; else the file")
    parser.add_argument("--key", help="the verifier key that notes, proofs and signed heads need; of proofs several, with blanks between")
    parser.add_argument("--head", help="of a ledger: a file of a signed head or of a line `memlith-head:...`")
    asked = parser.parse_args()
    try:
        given = asked.path if asked.what == "ledger" else read_file(asked.path, MAX_PROOF)
        told = check(asked.what, given, asked.key, asked.head and read_file(asked.head, MAX_NOTE))
    except OSError as error:
        parser.exit(4, f"{error}\n")
    print(json.dumps(told))
    return 0 if told["ok"] else 2 if told["verdict"] == "bad_key" else 3

if __name__ == "__main__":
    sys.exit(main())
