#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Compares the program with the verifier of this folder: on the golden ledgers, on ledgers and signed heads with
changed bytes, and on changed proofs. Both have to say ok, or both not. Ends with 1 at a difference.

    python tests/verifier/agree.py --program target/release/memlith --rounds 1000
"""

from __future__ import annotations
import argparse, json, os, random, shutil, subprocess, sys, tempfile
from pathlib import Path
from zlib import crc32

import memlith_verify

HERE = Path(__file__).resolve().parent


class Desk:
    """A ledger with a key, in a folder of its own."""

    def __init__(self, program: str, folder: Path) -> None:
        self.program, self.folder = program, folder
        self.ledger = folder / "ledger"
        self.environment = {"HOME": str(folder), "USER": "ana", "PATH": os.environ["PATH"]}

    def run(self, *args: str, ledger: Path | None = None) -> subprocess.CompletedProcess[str]:
        command = [self.program, "--ledger", str(ledger or self.ledger), *args]
        return subprocess.run(command, env=self.environment, cwd=self.folder, capture_output=True, text=True)

    def done(self, *args: str) -> str:
        ran = self.run(*args)
        if ran.returncode != 0:
            sys.exit(f"{args}: {ran.stdout}{ran.stderr}")
        return ran.stdout

    def fill(self) -> None:
        self.done("init")
        self.done("config", "keys", "new")
        for at in range(12):
            self.done("remember", f"Crate number {at} stands in hall {at + 7}.")
        self.done("erase", "6", "--as", "owner", "--yes")


def changed(data: bytes, chance: random.Random, mends: bool) -> bytes:
    """The bytes with one place changed; with the CRC of the frame that it lies in mended, if asked for."""
    at = chance.randrange(len(data))
    out = bytearray(data)
    kind = chance.randrange(4)
    if kind == 0:
        del out[at:]
    elif kind == 1:
        out[at:at] = bytes([chance.randrange(256)])
    else:
        out[at] ^= 1 << chance.randrange(8)
    start = bytes(out).rfind(b"MLF1", 0, at)
    if mends and kind > 1 and start >= 0 and start % 8 == 0:
        mend(out, start)
    return bytes(out)


def mend(out: bytearray, start: int) -> None:
    """Makes the CRCs of the frame at `start` right, as an attacker does."""
    salt = int.from_bytes(out[56:60], "little")
    length = int.from_bytes(out[start + 8 : start + 12], "little")
    slot = bytes(out[start + 88 : start + length])
    out[start + 20 : start + 24] = crc32(slot, salt).to_bytes(4, "little")
    head = bytes(out[start : start + 4]) + bytes(out[start + 8 : start + 88])
    out[start + 4 : start + 8] = crc32(head, salt).to_bytes(4, "little")


class Tally:
    """Cases, and the differences among them."""

    def __init__(self) -> None:
        self.cases = self.refused = 0
        self.differences: list[str] = []

    def compare(self, name: str, program: bool, verifier: dict) -> None:
        self.cases += 1
        self.refused += not program
        if program != verifier["ok"]:
            self.differences.append(f"{name}: program {'ok' if program else 'not ok'}, verifier {verifier}")


def ledgers(desk: Desk, rounds: int, chance: random.Random, tally: Tally) -> None:
    """Changes a segment or the mark, and asks both, alone and under a signed head."""
    head = desk.done("head", "sign").encode()
    key = desk.done("config", "keys").strip()
    (desk.folder / "head").write_bytes(head)
    work = desk.folder / "changed"
    names = [one.name for one in desk.ledger.iterdir() if one.name.startswith("seg-") or one.name == "mark"]
    for number in range(rounds):
        shutil.rmtree(work, ignore_errors=True)
        shutil.copytree(desk.ledger, work)
        path = work / chance.choice(names)
        path.write_bytes(changed(path.read_bytes(), chance, number % 2 == 1))
        signed = number % 4 == 0
        args = ["verify", "--full", "--json"] + (["--head", "head", "--key", key] if signed else [])
        ran = desk.run(*args, ledger=work)
        told = memlith_verify.check("ledger", str(work), key if signed else None, head if signed else None)
        tally.compare(f"ledger {number}", ran.returncode == 0, told)


def proofs(desk: Desk, rounds: int, chance: random.Random, tally: Tally) -> None:
    """Changes proofs of each kind."""
    key = desk.done("config", "keys").strip()
    (desk.folder / "old").write_text(desk.done("head", "sign"))
    observed = json.loads(desk.done("checkout", "where does crate number 3 stand?", "--json"))["observation"]
    made = [desk.done("prove", "2"), desk.done("prove", observed), desk.done("prove", "--since", "old")]
    file = desk.folder / "proof"
    for number in range(rounds):
        proof = chance.choice(made).encode()
        data = proof if number < 3 else changed(proof, chance, False)
        if number < 3:
            data = made[number].encode()
        file.write_bytes(data)
        ran = desk.run("prove", "--check", str(file), "--key", key)
        tally.compare(f"proof {number}", ran.returncode == 0, memlith_verify.check("proof", data, key))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    chance, tally = random.Random(asked.seed), Tally()
    for golden in sorted((HERE / "../../crates/log/tests/golden").resolve().iterdir()):
        told = memlith_verify.check("ledger", str(golden))
        tally.compare(f"golden {golden.name}", True, told)
    with tempfile.TemporaryDirectory() as folder:
        desk = Desk(str(Path(asked.program).resolve()), Path(folder))
        desk.fill()
        ledgers(desk, asked.rounds, chance, tally)
        proofs(desk, asked.rounds, chance, tally)
    for difference in tally.differences:
        print(difference)
    print(json.dumps({"cases": tally.cases, "refused": tally.refused, "differences": len(tally.differences)}))
    return 1 if tally.differences else 0


if __name__ == "__main__":
    sys.exit(main())
