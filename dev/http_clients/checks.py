"""What a check is, and how the table of checks is run and printed."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from daemon import Daemon

# A check that takes longer hangs, and fails.
SECONDS = 60


class Skip(Exception):
    """The check cannot run here; the text says why."""


@dataclass(frozen=True)
class Check:
    """One line of the table: a client, and what it is seen to do."""

    client: str
    what: str
    run: Callable[[Daemon], None]


CHECKS: list[Check] = []


def check(client: str, what: str) -> Callable[[Callable[[Daemon], None]], Callable[[Daemon], None]]:
    """Adds a function to the table. It fails by any exception but `Skip`."""

    def add(function: Callable[[Daemon], None]) -> Callable[[Daemon], None]:
        CHECKS.append(Check(client, what, function))
        return function

    return add


def expect(holds: object, what: object) -> None:
    """Fails the check with what was seen."""
    if not holds:
        raise AssertionError(str(what))


def equal(have: object, want: object, of: str = "") -> None:
    expect(have == want, f"{of + ': ' if of else ''}want {want!r}, have {have!r}")


def expect_error(call: Callable[[], object], kind: type[Exception]) -> Exception:
    """The error of a kind that a call has to end with."""
    try:
        answer = call()
    except kind as error:
        return error
    raise AssertionError(f"want {kind.__name__}, have the answer {str(answer)[:200]!r}")


def line(client: str, what: str, result: str) -> str:
    return f"{client:<18} {what:<118} {result}"


def run_all(checks: Iterable[Check], daemon: Daemon) -> int:
    """Runs the checks one after the other. Returns how many failed."""
    failed = skipped = count = 0
    for each in checks:
        count += 1
        started = time.monotonic()
        previous = signal.signal(signal.SIGALRM, _late)
        signal.alarm(SECONDS)
        try:
            each.run(daemon)
            result = f"ok      {time.monotonic() - started:6.2f} s"
        except Skip as reason:
            skipped += 1
            result = f"skipped: {reason}"
        except Exception as error:  # a client reports faults by errors of many types
            failed += 1
            result = f"FAILED  {_sentence(error)}"
        finally:
            signal.alarm(0)
            signal.signal(signal.SIGALRM, previous)
        print(line(each.client, each.what, result), flush=True)
    print(f"{count - failed - skipped} passed, {failed} failed, {skipped} skipped")
    return failed


def _late(signal_number: int, frame: object) -> None:
    raise TimeoutError(f"it takes longer than {SECONDS} s")


def _sentence(error: Exception) -> str:
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}"[:600]
