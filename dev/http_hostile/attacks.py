"""What an attack is, and how it is measured: memory and processor of the daemon, and how long an honest call takes meanwhile."""

from __future__ import annotations

import http.client
import multiprocessing
import pathlib
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "http_schema"))

from daemon import Daemon  # noqa: E402

HONEST_SECONDS = 1.0


@dataclass(frozen=True)
class Attack:
    name: str
    run: Callable[[Daemon], str]
    """Says what was seen. Fails by any exception."""
    is_slow: bool
    most: float
    """MiB that it may cost while it runs."""


ATTACKS: list[Attack] = []


def attack(name: str, *, slow: bool = False, most: float = 200) -> Callable[[Callable[[Daemon], str]], Callable[[Daemon], str]]:
    def add(function: Callable[[Daemon], str]) -> Callable[[Daemon], str]:
        ATTACKS.append(Attack(name, function, slow, most))
        return function

    return add


def expect(holds: object, what: object) -> None:
    if not holds:
        raise AssertionError(str(what)[:700])


class Honest:
    """A client in a process of its own that calls all the time, by a connection that it keeps and by new ones."""

    def __init__(self, daemon: Daemon) -> None:
        self.longest = multiprocessing.Value("d", 0.0)
        self.count = multiprocessing.Value("i", 0)
        self.failed = multiprocessing.Value("i", 0)
        self.peak = multiprocessing.Value("d", 0.0)
        process = daemon.process
        self.process = multiprocessing.Process(
            target=self.call_all_the_time, args=(daemon.plain, process.pid if process else 0), daemon=True)
        self.process.start()

    def call_all_the_time(self, address: str, pid: int) -> None:
        kept = http.client.HTTPConnection(address, timeout=20)
        status = pathlib.Path(f"/proc/{pid}/status")
        while True:
            for connection in (kept, http.client.HTTPConnection(address, timeout=20)):
                started = time.monotonic()
                try:
                    connection.request("POST", "/v1/operations/who-am-i", b"{}", {"content-type": "application/json"})
                    answer = connection.getresponse()
                    answer.read()
                    if answer.status != 200:
                        self.failed.value += 1
                except (OSError, http.client.HTTPException):
                    self.failed.value += 1
                    connection.close()
                self.longest.value = max(self.longest.value, time.monotonic() - started)
                self.count.value += 1
                if connection is not kept:
                    connection.close()
            try:
                resident = next(line for line in status.read_text().splitlines() if line.startswith("VmRSS"))
                self.peak.value = max(self.peak.value, int(resident.split()[1]) / 1024)
            except (OSError, StopIteration):
                return
            time.sleep(0.02)

    def begin(self) -> None:
        self.longest.value, self.count.value, self.failed.value, self.peak.value = 0, 0, 0, 0

    def stop(self) -> None:
        self.process.kill()


def run(attacks: list[Attack], daemon: Daemon) -> int:
    """Runs attacks one after the other. Returns how many failed."""
    honest = Honest(daemon)
    failed = 0
    print(f"{'attack':<66} {'s':>6} {'CPU s':>6} {'MiB before, most, after':>24} {'honest s':>9}  outcome")
    try:
        for each in attacks:
            time.sleep(0.2)
            honest.begin()
            before, processor, started = daemon.resident, daemon.processor, time.monotonic()
            faults: list[str] = []
            try:
                outcome = each.run(daemon)
            except Exception as error:  # each of the attacks may end in its own way
                outcome = f"{type(error).__name__}: {' '.join(str(error).split())}"
                faults.append("outcome")
            took, used = time.monotonic() - started, daemon.processor - processor
            time.sleep(0.3)
            most, after = max(honest.peak.value, daemon.resident), daemon.resident
            if daemon.process is None or daemon.process.poll() is not None:
                faults.append("the daemon ended")
            if honest.longest.value > HONEST_SECONDS:
                faults.append("honest calls are slow")
            if honest.failed.value:
                faults.append(f"{honest.failed.value} of {honest.count.value} honest calls fail")
            if most - before > each.most:
                faults.append("memory")
            if faults:
                failed += 1
            print(
                f"{each.name:<66} {took:6.1f} {used:6.2f} {before:8.0f}{most:8.0f}{after:8.0f} {honest.longest.value:9.3f}  "
                f"{'FAILED (' + ', '.join(faults) + ') ' if faults else ''}{outcome}", flush=True)
            if "the daemon ended" in faults:
                break
    finally:
        honest.stop()
    print(f"{len(attacks) - failed} as wanted, {failed} failed")
    return failed
