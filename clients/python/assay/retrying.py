"""When a call is tried again, for both clients: steps that each of them carries out in its own way."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass
from typing import Any, Callable, Generator, Optional, TypeVar, Union

from .errors import AssayError
from .wire import AnswerReader

_BASE = 1.0
_CAP = 30.0
_JITTER = 0.2

T = TypeVar("T")


@dataclass(frozen=True)
class Timing:
    """The clock and the chance of a client, which tests replace. Time-outs of the network are always real.

    now: seconds since some instant; monotonic.
    sleep: waits for seconds; of an `AsyncClient` it is a coroutine function. None: the usual one.
    chance: a number from 0 to 1.
    """

    now: Callable[[], float] = time.monotonic
    sleep: Optional[Callable[[float], Any]] = None
    chance: Callable[[], float] = random.random


@dataclass(frozen=True)
class Send:
    """A step: send a request, and give the reader that has its whole answer."""

    request: bytes
    remaining: float
    """Seconds until the call's time-out."""
    may_be_repeated: bool


@dataclass(frozen=True)
class Pause:
    """A step: wait."""

    seconds: float


Steps = Generator[Union[Send, Pause], Any, T]
Try = Generator[Send, AnswerReader, T]


def pause_after(attempt: int, retry_after: Optional[float], chance: float) -> float:
    """The pause after a try, counted from 1: doubled each time, up to a fifth longer or shorter, never before the daemon's time."""
    usual = min(_BASE * 2.0 ** min(attempt - 1, 16), _CAP) * (1 + _JITTER * (2 * chance - 1))
    if retry_after is None:
        return usual
    return max(usual, retry_after * (1 + _JITTER * chance))


def retried(
    one_try: Callable[[float], Try[T]], *, tries: int, timeout: float, may_be_repeated: bool, timing: Timing
) -> Steps[T]:
    """Tries until there is an answer, an error that another try does not help, no try left, or no time for one.

    one_try: the steps of one try, of the seconds that remain.
    """
    end = timing.now() + timeout
    attempt = 0
    while True:
        attempt += 1
        try:
            return (yield from one_try(max(end - timing.now(), 0.0)))
        except AssayError as error:
            error.attempts = attempt
            if error.retry != "later" or not (may_be_repeated or error.was_not_begun) or attempt >= tries:
                raise
            pause = pause_after(attempt, error.retry_after, timing.chance())
            # A pause beyond the time-out would only delay the error.
            if pause >= end - timing.now():
                raise
        yield Pause(pause)
