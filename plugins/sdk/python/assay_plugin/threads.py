"""Threads within a limit of address space."""
from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable

# What Python takes for granted when it bounds recursion, whatever the machine's default is.
STACK_SIZE = 8 * 1024 * 1024
# glibc's number of M_ARENA_MAX.
ARENA_MAX = -8


def started(count: int, work: Callable[[], None]) -> list[threading.Thread]:
    """Threads that do the work: `count`, or as many as there is memory for."""
    bound_heaps()
    threading.stack_size(STACK_SIZE)
    threads: list[threading.Thread] = []
    try:
        while len(threads) < count:
            thread = threading.Thread(target=work, daemon=True)
            thread.start()
            threads.append(thread)
    except RuntimeError:
        pass  # as many as there is memory for
    return threads


def bound_heaps() -> None:
    """glibc sets 64 MiB of addresses aside for the heap of each thread, which a limit counts. One heap serves all: Python allocates
    under its own lock."""
    try:
        ctypes.CDLL(None).mallopt(ARENA_MAX, 1)
    except (AttributeError, OSError):
        pass  # another libc has no such heaps
