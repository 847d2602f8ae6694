"""JSON that the ledger keeps: what is left of it when secrets were taken out."""

from __future__ import annotations

import json
import re
from typing import Any

_PLAIN = re.compile(r"[\w .,-]*")


def readable(line: str) -> bool:
    """Whether a line is an object still."""
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False


def plain(line: str) -> str:
    """The object without any value, or key, that is not plain words."""

    def of(value: Any) -> Any:
        if isinstance(value, dict):
            return {of(key): of(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [of(inner) for inner in value]
        return value if isinstance(value, str) and _PLAIN.fullmatch(value) else "[REDACTED]"

    return json.dumps(of(json.loads(line)))
