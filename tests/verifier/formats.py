#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Reads what `memlith export` writes in other people's formats with their own libraries: PROV-JSON with `prov`,
CloudEvents with `cloudevents`. Ends with an error where one of them refuses.

    python tests/verifier/formats.py --program target/release/memlith
"""

from __future__ import annotations
import argparse, json, tempfile
from pathlib import Path

from cloudevents.core.formats.json import JSONFormat
from cloudevents.core.v1.event import CloudEvent
from prov.model import ProvDocument

from agree import Desk


def main() -> None:
    parser = argparse.ArgumentParser(description="Reads exports with other libraries.")
    parser.add_argument("--program", required=True)
    program = str(Path(parser.parse_args().program).resolve())
    with tempfile.TemporaryDirectory() as folder:
        desk = Desk(program, Path(folder))
        desk.fill()
        desk.done("remember", "Staging runs Postgres 15.")
        new = json.loads(desk.done("remember", "Staging runs Postgres 16.", "--json"))["id"]
        desk.done("checkout", "which Postgres does staging run?")
        life = ProvDocument.deserialize(content=desk.done("export", "prov", new), format="json")
        told = life.get_provn()
        for word in ("wasDerivedFrom", "wasInvalidatedBy", "wasAttributedTo", "Postgres 15", "Postgres 16"):
            assert word in told, f"{word} is missing in {told}"
        lines = desk.done("export", "cloudevents").splitlines()
        for number, line in enumerate(lines):
            event = JSONFormat().read(CloudEvent, line)
            assert int(event.get_extension("sequence")) == number and event.get_source().startswith("memlith://")
        print(json.dumps({"prov_records": len(life.get_records()), "cloudevents": len(lines)}))


if __name__ == "__main__":
    main()
