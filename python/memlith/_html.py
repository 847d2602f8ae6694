"""Answers as HTML for a notebook. Stored text is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from html import escape
from math import log2

_WIDTH, _HEIGHT, _LEFT, _TOP = 640, 220, 60, 36


def table(rows: Iterable[object], columns: Sequence[str]) -> str:
    head = "".join(f"<th>{escape(name.replace('_', ' '))}</th>" for name in columns)
    lines = []
    for row in rows:
        cells = (escape(_cell(getattr(row, name))) for name in columns)
        lines.append("<tr>" + "".join(f"<td style='text-align:left'>{cell}</td>" for cell in cells) + "</tr>")
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table>"


def curve(title: str, points: Sequence[tuple[datetime, float]]) -> str:
    """Draws salience over time: each step up doubles it."""
    if len(points) < 2 or points[0][0] == points[-1][0]:
        return f"<p>{escape(title)}</p>"
    first, span = points[0][0], (points[-1][0] - points[0][0]).total_seconds()
    heights = [log2(max(salience, 1e-9)) for _, salience in points]
    low, high = min([*heights, max(heights) - 1]), max(heights)

    def x(at: datetime) -> float:
        return _LEFT + (at - first).total_seconds() / span * (_WIDTH - _LEFT - 20)

    def y(height: float) -> float:
        return _TOP + (high - height) / (high - low) * (_HEIGHT - _TOP - 40)

    parts = [_words(_LEFT, 20, title)]
    for step in range(3):
        height = low + (high - low) * step / 2
        parts.append(_words(_LEFT - 8, y(height) + 4, f"{2**height:.2f}", "end"))
        parts.append(f"<path d='M{_LEFT} {y(height):.1f}H{_WIDTH - 20}' stroke='#ddd'/>")
    line = " ".join(f"{x(at):.1f},{y(height):.1f}" for (at, _), height in zip(points, heights, strict=True))
    parts.append(f"<polyline points='{line}' fill='none' stroke='#1b6ca8' stroke-width='2'/>")
    parts.append(_words(_LEFT, _HEIGHT - 12, f"{points[0][0]:%Y-%m-%d}"))
    parts.append(_words(_WIDTH - 20, _HEIGHT - 12, f"{points[-1][0]:%Y-%m-%d}", "end"))
    return _drawing(_HEIGHT, parts)


def bars(title: str, counts: Mapping[str, int], notes: Sequence[str]) -> str:
    """Draws a bar for each count."""
    most = max([*counts.values(), 1])
    parts = [_words(10, 20, title)]
    for row, (name, count) in enumerate(counts.items()):
        top = _TOP + row * 22
        parts.append(_words(110, top + 13, name, "end"))
        parts.append(f"<rect x='120' y='{top}' width='{count / most * 440:.1f}' height='16' fill='#1b6ca8'/>")
        parts.append(_words(126 + count / most * 440, top + 13, f"{count:,}"))
    drawn = _drawing(_TOP + 22 * len(counts) + 10, parts)
    return drawn + "".join(f"<p>{escape(note)}</p>" for note in notes)


def _drawing(height: float, parts: Sequence[str]) -> str:
    head = "<svg xmlns='http://www.w3.org/2000/svg' font-family='sans-serif' font-size='12'"
    whole = f"{head} width='{_WIDTH}' height='{height}'><rect width='100%' height='100%' fill='#fff'/>"
    return whole + "".join(parts) + "</svg>"


def _words(x: float, y: float, words: str, anchor: str = "start") -> str:
    return f"<text x='{x:.1f}' y='{y:.1f}' text-anchor='{anchor}' fill='#222'>{escape(words)}</text>"


def _cell(value: object) -> str:
    if isinstance(value, datetime):
        return value.strftime("%Y-%m-%d %H:%M")
    return f"{value:.2f}" if isinstance(value, float) else str(value)
