"""The rules. Each looks at one verdict and at what is remembered of those before, and returns flags of its device."""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from assay_plugin import Event

from .memory import Memory


@dataclass(frozen=True)
class Limits:
    counter_gap: int
    burst_count: int
    burst_seconds: int
    tracked: int


@dataclass(frozen=True)
class Flag:
    app: str
    device_id: bytes
    """Empty: the verdict names no device, and only the metrics count it."""
    flag: str
    detail: str
    at_ms: int


class Detector:
    """All that is remembered is of one app each, since keyed hashes are, and devices."""

    def __init__(self, limits: Limits, flag_ms: int) -> None:
        self.limits, self.flag_ms = limits, flag_ms
        self.models: Memory[str] = Memory(limits.tracked)
        self.patch_levels: Memory[int] = Memory(limits.tracked)
        self.counters: Memory[int] = Memory(limits.tracked)
        self.arrivals: Memory[int] = Memory(limits.tracked)
        self.flagged: Memory[int] = Memory(limits.tracked)

    def memories(self) -> tuple[Memory[str] | Memory[int], ...]:
        return self.models, self.patch_levels, self.counters, self.arrivals, self.flagged

    def look(self, event: Event) -> list[Flag]:
        """The flags of a verdict. A stored answer that was given again says nothing new."""
        if event.repeated_answer:
            return []
        found = []
        for name, detail in self._found(event):
            flag = Flag(event.app, event.device_id, name, detail, event.decided_at_ms)
            if self._is_due(flag):
                found.append(flag)
        return found

    def _found(self, event: Event) -> Iterator[tuple[str, str]]:
        if event.accepted:
            yield from self._model(event)
            yield from self._patch_level(event)
            yield from self._counter(event)
        yield from self._burst("address", event.app, event.address, event.decided_at_ms)
        yield from self._burst("subject", event.app, event.subject, event.decided_at_ms)

    def _is_due(self, flag: Flag) -> bool:
        """Whether the host is to be told: not before half of the time of the same flag has passed."""
        if not flag.device_id:
            return True
        before = self.flagged.get((flag.app, flag.device_id, flag.flag))
        return before is None or flag.at_ms - before >= self.flag_ms // 2

    def told(self, flag: Flag) -> None:
        """The host knows the flag, or is not to be told."""
        if flag.device_id:
            self.flagged.set((flag.app, flag.device_id, flag.flag), flag.at_ms)

    # MARK: Rules

    def _model(self, event: Event) -> Iterator[tuple[str, str]]:
        if not event.key_id or not event.model:
            return
        before = self.models.get((event.app, event.key_id))
        if before is None:
            self.models.set((event.app, event.key_id), event.model)
        elif before != event.model:
            yield "key_with_many_models", "its key was seen with another model of device"

    def _patch_level(self, event: Event) -> Iterator[tuple[str, str]]:
        if not event.device_id or not event.os_patch_level:
            return
        before = self.patch_levels.get((event.app, event.device_id)) or 0
        if event.os_patch_level < before:
            yield "patch_level_back", f"the OS patch level went from {before} back to {event.os_patch_level}"
        self.patch_levels.set((event.app, event.device_id), max(before, event.os_patch_level))

    def _counter(self, event: Event) -> Iterator[tuple[str, str]]:
        """Assertions may arrive in any order: the gap is from the highest counter so far."""
        if not event.device_id or not event.counter:
            return
        before = self.counters.get((event.app, event.device_id))
        if before is not None and event.counter - before > self.limits.counter_gap:
            yield "counter_gap", f"the counter went from {before} to {event.counter}, by more than {self.limits.counter_gap}"
        self.counters.set((event.app, event.device_id), max(before or 0, event.counter))

    def _burst(self, kind: str, app: str, key: bytes, now_ms: int) -> Iterator[tuple[str, str]]:
        """`burst_count` at a time are free, and so many more in each `burst_seconds` (the generic cell rate algorithm): one number a key."""
        if not key:
            return
        window = self.limits.burst_seconds * 1000
        # In parts of a millisecond, so that all is in integers: the interval is window / count.
        due = max(self.arrivals.get((kind, app, key)) or 0, now_ms * self.limits.burst_count) + window
        if due - now_ms * self.limits.burst_count > window * self.limits.burst_count:
            yield f"burst_{kind}", f"more than {self.limits.burst_count} verdicts of one {kind} in {self.limits.burst_seconds} s"
            return
        self.arrivals.set((kind, app, key), due)
