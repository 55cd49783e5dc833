"""Reads members of JSON documents: each reader returns a value of the kind and range, or refuses the body with the member's place."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from assay_plugin import Refusal, parse_json


class Members:
    """An object and where it stands, such as "images[1]"."""

    def __init__(self, value: Any, place: str = "") -> None:
        if not isinstance(value, dict):
            raise Refusal("malformed", f"expected {place or 'the body'} as an object")
        self._members, self._place = value, place

    @property
    def where(self) -> str:
        return self._place

    def __contains__(self, name: str) -> bool:
        return name in self._members

    def place(self, name: str) -> str:
        return f"{self._place}.{name}" if self._place else name

    def refuse(self, name: str, expected: str) -> Refusal:
        return Refusal("malformed", f"expected {self.place(name)} as {expected}")

    def require_only(self, names: Sequence[str]) -> None:
        unknown = len(self._members.keys() - set(names))
        if unknown:
            raise Refusal("malformed", f"expected no members but {', '.join(names)}; {unknown} of the body's members {'is' if unknown == 1 else 'are'} not known")

    def text(self, name: str, limit: int) -> str:
        value = self._members.get(name)
        if not isinstance(value, str) or not 1 <= len(value.encode()) <= limit or not value.isprintable():
            raise self.refuse(name, f"text of 1 to {limit} bytes without control characters")
        return value

    def choice(self, name: str, words: Sequence[str]) -> str:
        value = self._members.get(name)
        if not isinstance(value, str) or value not in words:
            raise self.refuse(name, f"one of {', '.join(words)}")
        return value

    def integer(self, name: str, least: int, most: int) -> int:
        value = self._members.get(name)
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            raise self.refuse(name, f"an integer from {least} to {most}")
        return value

    def number(self, name: str, least: float, most: float) -> float:
        value = self._members.get(name)
        if not isinstance(value, (int, float)) or isinstance(value, bool) or not least <= value <= most:
            raise self.refuse(name, f"a number from {least} to {most}")
        return float(value)

    def boolean(self, name: str) -> bool:
        value = self._members.get(name)
        if not isinstance(value, bool):
            raise self.refuse(name, "true or false")
        return value

    def hex(self, name: str, least: int, most: int) -> bytes:
        """`least` to `most` bytes as lower-case hex digits."""
        value = self._members.get(name)
        sizes = f"{least}" if least == most else f"{least} to {most}"
        if not isinstance(value, str) or len(value) % 2 or not 2 * least <= len(value) <= 2 * most or set(value) - set("0123456789abcdef"):
            raise self.refuse(name, f"{sizes} bytes in lower-case hex digits")
        return bytes.fromhex(value)

    def object(self, name: str) -> Members:
        return Members(self._members.get(name), self.place(name))

    def objects(self, name: str, least: int, most: int) -> list[Members]:
        value = self._members.get(name)
        if not isinstance(value, list) or not least <= len(value) <= most:
            raise self.refuse(name, f"a list of {least} to {most}")
        return [Members(element, f"{self.place(name)}[{index}]") for index, element in enumerate(value)]


def read_object(body: bytes) -> Members:
    try:
        return Members(parse_json(body))
    except ValueError as error:
        raise Refusal("malformed", f"the body is not JSON: {error}") from None
