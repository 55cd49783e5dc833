"""What was seen, within bounds: the entry that was not used for the longest time is forgotten."""
from __future__ import annotations

from collections import OrderedDict
from typing import Generic, TypeVar

V = TypeVar("V")
Key = tuple[object, ...]


class Memory(Generic[V]):
    def __init__(self, limit: int) -> None:
        self._limit, self._values = limit, OrderedDict[Key, V]()
        self.forgotten = 0
        """Entries that were forgotten since this was last set to 0."""

    def __len__(self) -> int:
        return len(self._values)

    def get(self, key: Key) -> V | None:
        if key in self._values:
            self._values.move_to_end(key)
            return self._values[key]
        return None

    def set(self, key: Key, value: V) -> None:
        self._values[key] = value
        self._values.move_to_end(key)
        if len(self._values) > self._limit:
            self._values.popitem(last=False)
            self.forgotten += 1
