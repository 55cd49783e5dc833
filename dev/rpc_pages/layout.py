"""Code in one line where it fits, and otherwise in several.

A piece of code is a text, a Group, or a list of pieces that stand side by side, of which the longest group is the one that is broken into lines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, List, Tuple


@dataclass
class Group:
    """Items between brackets, each with a label such as the name of a member."""

    open: str
    items: List[Tuple[str, Any]]
    close: str
    separator: str = ", "
    space: str = ""
    """Within the brackets, in one line."""
    end: str = ""
    """Behind the last item, where each has a line of its own."""
    is_aligned: bool = False
    """Values of neighbouring lines begin in one column, as gofmt has them."""


@dataclass(frozen=True)
class Style:
    step: str
    width: int = 110


def flat(piece):
    if isinstance(piece, str):
        return piece
    if isinstance(piece, list):
        return "".join(map(flat, piece))
    inner = piece.separator.join(label + flat(value) for label, value in piece.items)
    space = piece.space if inner else ""
    return piece.open + space + inner + space + piece.close


def written(piece, style, indent="", column=0):
    """The text of a piece that begins at the column, in lines that are indented so far."""
    line = flat(piece)
    if isinstance(piece, str) or column + len(line) <= style.width:
        return line
    if isinstance(piece, list):
        groups = [index for index, part in enumerate(piece) if not isinstance(part, str)]
        if not groups:
            return line
        broken = max(groups, key=lambda index: len(flat(piece[index])))
        before, after = flat(piece[:broken]), flat(piece[broken + 1:])
        # Wider than the line, so that the group is broken although it would fit alone.
        return before + written(piece[broken], style, indent, column + len(before) + len(after)) + after
    if len(piece.items) == 1 and piece.close and not piece.items[0][0] and not isinstance(piece.items[0][1], str):
        # One group within another: their brackets share lines.
        return piece.open + written(piece.items[0][1], style, indent, column + len(piece.open) + len(piece.close)) + piece.close
    inner = indent + style.step
    lines = [(label, written(value, style, inner, len(inner) + len(label) + 1)) for label, value in piece.items]
    if piece.is_aligned:
        lines = aligned(lines)
    separator = piece.separator.rstrip() + "\n"
    close = "\n" + indent + piece.close if piece.close else ""
    return piece.open + "\n" + separator.join(inner + label + value for label, value in lines) + piece.end + close


def aligned(lines):
    """Labels as wide as the widest of their neighbours; a value of several lines has none."""
    padded, at = list(lines), 0
    while at < len(lines):
        end = at
        while end < len(lines) and "\n" not in lines[end][1]:
            end += 1
        width = max((len(label) for label, _ in lines[at:end]), default=0)
        padded[at:end] = [(label.ljust(width), value) for label, value in lines[at:end]]
        at = end + 1
    return padded


class Notation:
    """How a language writes JSON. Each has text(text), object(members) of names and pieces, and list(items) of pieces."""

    def number(self, number):
        return str(number)

    def boolean(self, value):
        return "true" if value else "false"

    def of(self, value):
        if isinstance(value, dict):
            return self.object([(key, self.of(member)) for key, member in value.items()])
        if isinstance(value, list):
            return self.list([self.of(item) for item in value])
        if isinstance(value, bool):
            return self.boolean(value)
        return self.text(value) if isinstance(value, str) else self.number(value)
