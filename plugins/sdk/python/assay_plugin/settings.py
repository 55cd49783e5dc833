"""Reads a configuration: each problem is reported with its path and a sentence, and reading goes on, so that all come at once."""
from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, TypeVar

T = TypeVar("T")

PROBLEM_LIMIT = 100
TEXT_LIMIT = 4096


class Problems:
    """Paths and sentences."""

    def __init__(self) -> None:
        self.found: list[tuple[str, str]] = []

    def report(self, path: str, sentence: str) -> None:
        if len(self.found) < PROBLEM_LIMIT:
            self.found.append((path, sentence))


class Required:
    """In place of a default: the setting has to be given."""


REQUIRED = Required()


class Settings:
    """An object of the configuration.

    Each reader returns the value of a member; `default` if it is not given, and without one reports that it is required. A value
    that is wrong is reported, and a harmless one of the same type returned: a configuration with problems is never used.
    """

    def __init__(self, members: dict[str, Any], problems: Problems, path: str = "") -> None:
        # `null` counts as not given.
        self._members = {name: value for name, value in members.items() if value is not None}
        self._problems, self._path = problems, path

    def __contains__(self, name: str) -> bool:
        return name in self._members

    def path(self, name: str = "") -> str:
        """Where a member stands, such as "secrets[2].id"."""
        readable = json.dumps(name, ensure_ascii=False)[1:-1]
        return f"{self._path}.{readable}" if self._path and readable else self._path or readable

    def report(self, name: str, sentence: str) -> None:
        """Reports a problem of a member; name "" is the whole object. The sentence says what was expected and found; no secrets."""
        self._problems.report(self.path(name), sentence)

    # MARK: Values

    def _absent(self, name: str, default: T | Required, harmless: T) -> T:
        """What a reader returns for a member that is not given."""
        if not isinstance(default, Required):
            return default
        self.report(name, "this key is required, and not given")
        return harmless

    def _wrong(self, name: str, expected: str, value: Any) -> None:
        self.report(name, f"expected {expected}, found {kind_of(value)}")

    def text(self, name: str, default: str | Required = REQUIRED, *, limit: int = TEXT_LIMIT) -> str:
        """Text of 1 to `limit` bytes without NUL."""
        if name not in self._members:
            return self._absent(name, default, "")
        value = self._members[name]
        if not isinstance(value, str):
            self._wrong(name, "a string", value)
        elif not 1 <= len(value.encode()) <= limit or "\0" in value:
            self.report(name, f"expected text of 1 to {limit} bytes without NUL, found {len(value.encode())} bytes")
        else:
            return value
        return ""

    def choice(self, name: str, words: Sequence[str], default: str | Required = REQUIRED) -> str:
        if name not in self._members:
            return self._absent(name, default, words[0])
        value = self._members[name]
        if value not in words:
            self.report(name, f"expected one of {', '.join(words)}")
        return value if value in words else words[0]

    def hex(self, name: str, size: int, default: bytes | Required = REQUIRED) -> bytes:
        """`size` bytes as hex digits."""
        if name not in self._members:
            return self._absent(name, default, bytes(size))
        value = self._members[name]
        if not isinstance(value, str):
            self._wrong(name, "a string", value)
        elif len(value) != 2 * size or not all(digit in "0123456789abcdefABCDEF" for digit in value):
            self.report(name, f"expected {size} bytes as {2 * size} hex digits, found {len(value)} characters")
        else:
            return bytes.fromhex(value)
        return bytes(size)

    def integer(self, name: str, least: int, most: int, default: int | Required = REQUIRED) -> int:
        if name not in self._members:
            return self._absent(name, default, least)
        value = self._members[name]
        if isinstance(value, int) and not isinstance(value, bool) and least <= value <= most:
            return value
        found = value if isinstance(value, (int, float)) and not isinstance(value, bool) else kind_of(value)
        self.report(name, f"expected an integer from {least} to {most}, found {found}")
        return least

    def number(self, name: str, least: float, most: float, default: float | Required = REQUIRED) -> float:
        if name not in self._members:
            return self._absent(name, default, least)
        value = self._members[name]
        if isinstance(value, (int, float)) and not isinstance(value, bool) and least <= value <= most:
            return float(value)
        found = value if isinstance(value, (int, float)) and not isinstance(value, bool) else kind_of(value)
        self.report(name, f"expected a number from {least} to {most}, found {found}")
        return least

    def boolean(self, name: str, default: bool | Required = REQUIRED) -> bool:
        if name not in self._members:
            return self._absent(name, default, False)
        value = self._members[name]
        if not isinstance(value, bool):
            self._wrong(name, "true or false", value)
        return value is True

    # MARK: Structure

    def texts(self, name: str, least: int, most: int, *, limit: int = TEXT_LIMIT) -> list[str]:
        """A list of `least` to `most` texts; empty if it is not given and `least` is 0."""
        elements = self._list(name, least, most)
        found = []
        for index, value in enumerate(elements):
            if isinstance(value, str) and 1 <= len(value.encode()) <= limit and "\0" not in value:
                found.append(value)
            else:
                self._problems.report(f"{self.path(name)}[{index}]", f"expected text of 1 to {limit} bytes without NUL, found {kind_of(value)}")
        return found

    def integers(self, name: str, fewest: int, most: int, *, low: int, high: int) -> list[int]:
        """A list of `fewest` to `most` integers, each from `low` to `high`; empty if it is not given and `fewest` is 0."""
        found = []
        for index, value in enumerate(self._list(name, fewest, most)):
            if isinstance(value, int) and not isinstance(value, bool) and low <= value <= high:
                found.append(value)
            else:
                self._problems.report(f"{self.path(name)}[{index}]", f"expected an integer from {low} to {high}, found {kind_of(value)}")
        return found

    def value(self, name: str) -> Any:
        """The value as JSON has it, of any kind; None if it is not given."""
        return self._members.get(name)

    def object(self, name: str, members: Sequence[str]) -> Settings:
        """An object with these members and no others; without any if it is not given."""
        if name not in self._members:
            return Settings({}, self._problems, self.path(name))
        return self._object(self.path(name), self._members[name], members) or Settings({}, Problems(), self.path(name))

    def objects(self, name: str, least: int, most: int, members: Sequence[str]) -> list[Settings]:
        """A list of `least` to `most` objects with these members and no others. Objects with other members are left out."""
        elements = self._list(name, least, most)
        read = [self._object(f"{self.path(name)}[{index}]", value, members) for index, value in enumerate(elements)]
        return [settings for settings in read if settings is not None]

    def _list(self, name: str, least: int, most: int) -> list[Any]:
        if name not in self._members:
            return self._absent(name, [] if least == 0 else REQUIRED, [])
        value = self._members[name]
        if not isinstance(value, list):
            self._wrong(name, "a list", value)
        elif not least <= len(value) <= most:
            self.report(name, f"expected a list of {least} to {most}, found {len(value)}")
        else:
            return value
        return []

    def _object(self, path: str, value: Any, members: Sequence[str]) -> Settings | None:
        if not isinstance(value, dict):
            self._problems.report(path, f"expected an object, found {kind_of(value)}")
            return None
        settings = Settings(value, self._problems, path)
        return settings if settings.require_only(members) else None

    def require_only(self, members: Sequence[str]) -> bool:
        """Reports members of other names."""
        others = [name for name in self._members if name not in members]
        for name in others:
            self.report(name, "there is no such key; remove it")
        return not others


def kind_of(value: Any) -> str:
    kinds = {bool: "true or false", str: "a string", int: "a number", float: "a number", list: "a list", dict: "an object"}
    return kinds.get(type(value), "null")
