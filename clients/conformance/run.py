#!/usr/bin/env python3
"""Runs the conformance suite against clients of assayd: clients/conformance/README.md."""

from __future__ import annotations

import argparse
import fnmatch
import json
import os
import queue
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True

from case import ANYTHING, Case, Run  # noqa: E402
from cases import all_cases  # noqa: E402
from certificates import Certificates  # noqa: E402
from daemon import DaemonCases, daemon_case_names  # noqa: E402
from scripted import ScriptedServer  # noqa: E402

LANGUAGES = ["python", "node", "go", "java", "rust", "swift"]
# A call has an answer in this time, or the case fails.
PATIENCE = 30.0
# Set when the run is ended by a signal: drivers stop behind their present case.
ENDED = threading.Event()


class Driver:
    """A driver's process."""

    def __init__(self, command: List[str], folder: Path) -> None:
        self._log = tempfile.TemporaryFile()
        self._process = subprocess.Popen(command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._log)
        self._lines: "queue.Queue[Optional[bytes]]" = queue.Queue()
        self._count = 0
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self._process.stdout
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put(None)

    def ask(self, line: Dict[str, Any]) -> Dict[str, Any]:
        """The answer to a line. Raises OSError if there is none."""
        self._count += 1
        assert self._process.stdin
        self._process.stdin.write(json.dumps({"id": self._count, **line}).encode() + b"\n")
        self._process.stdin.flush()
        end = time.monotonic() + PATIENCE
        while True:
            try:
                text = self._lines.get(timeout=max(0.0, end - time.monotonic()))
            except queue.Empty:
                raise OSError(f"the driver does not answer within {PATIENCE:g} s: {self._errors()}") from None
            if text is None:
                raise OSError(f"the driver has ended: {self._errors()}")
            try:
                answer = json.loads(text)
            except ValueError:
                raise OSError(f"the driver wrote what is not JSON: {text[:200]!r}") from None
            if not isinstance(answer, dict) or answer.get("id") != self._count:
                raise OSError(f"the driver answered another line: {text[:200]!r}")
            return answer

    def _errors(self) -> str:
        self._log.seek(0)
        return self._log.read()[-2000:].decode(errors="replace").strip()

    def close(self) -> None:
        try:
            if self._process.stdin:
                self._process.stdin.close()
        except OSError:
            pass
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


class DriverRun:
    """All cases against one driver."""

    def __init__(self, name: str, command: List[str], folder: Path, said: Dict[str, Any], certificates: Certificates, scratch: Path) -> None:
        self.name = name
        self._command, self._folder = command, folder
        self._skip: Dict[str, str] = said.get("skip", {})
        self._only: Optional[Dict[str, Any]] = said.get("only")
        self._lacks: List[str] = said.get("lacks", {}).get("members", [])
        self._certificates, self._scratch = certificates, scratch
        self._driver: Optional[Driver] = None
        self.passed = 0
        self.failed: List[str] = []
        self.skipped: List[str] = []
        self.not_run: List[str] = []
        self.slowest: List[Tuple[float, str]] = []

    def run(self, cases: List[Case], daemon: Optional[DaemonCases], daemon_names: List[str]) -> None:
        try:
            for case in cases:
                if ENDED.is_set():
                    return
                self._judge(case.name, lambda case=case: self._scripted(case))
            for name in daemon_names:
                if ENDED.is_set():
                    return
                if daemon is None:
                    self.not_run.append(name)
                else:
                    self._judge(name, lambda name=name: daemon.check(name, self.name, self.ask))
        finally:
            self._end_driver()

    def ask(self, line: Dict[str, Any]) -> Dict[str, Any]:
        if self._driver is None:
            self._driver = Driver(self._command, self._folder)
        answer = self._driver.ask(line)
        if isinstance(answer.get("error"), dict):
            answer["error"].update({name: ANYTHING for name in self._lacks})
        return answer

    def _end_driver(self) -> None:
        if self._driver is not None:
            self._driver.close()
            self._driver = None

    def _judge(self, name: str, check: Any) -> None:
        reason = next((reason for pattern, reason in self._skip.items() if fnmatch.fnmatchcase(name, pattern)), None)
        if reason is None and self._only and not any(fnmatch.fnmatchcase(name, pattern) for pattern in self._only["cases"]):
            reason = self._only["reason"]
        if reason is not None:
            self.skipped.append(f"{name}: {reason}")
            return
        start = time.monotonic()
        try:
            problem = check()
        except OSError as error:
            problem = str(error)
            self._end_driver()
        self.slowest.append((time.monotonic() - start, name))
        if problem is None:
            self.passed += 1
        else:
            self.failed.append(f"{name}: {problem}")

    def _scripted(self, case: Case) -> Optional[str]:
        server: Optional[ScriptedServer] = None
        closed: Optional[socket.socket] = None
        place, _, certificate = case.place.partition(":")
        values = self._certificates.placeholders()
        options: Dict[str, Any] = {}
        path = self._scratch / f"{self.name}.sock"
        if place == "unix":
            path.unlink(missing_ok=True)
            server = ScriptedServer(case.steps, path=path)
            values["url"] = f"http+unix:{path}"
        elif place == "refused":
            closed = socket.socket()
            closed.bind(("127.0.0.1", 0))
            values["port"] = str(closed.getsockname()[1])
            values["url"] = f"http://127.0.0.1:{values['port']}"
        elif place != "none":
            tls = self._certificates.server(certificate or "good") if place == "tls" else None
            server = ScriptedServer(case.steps, tls=tls)
            values["port"] = str(server.port)
            values["url"] = f"https://localhost:{server.port}" if tls else f"http://127.0.0.1:{server.port}"
            if tls:
                options["caFile"] = values["ca"]
        if "url" in values:
            options["url"] = values["url"]
        start = time.monotonic()
        try:
            answers = [self.ask({**line, "options": self._filled({**options, **case.options, **line["options"]}, case, values)}) for line in case.calls]
        finally:
            if server is not None:
                server.close()
            if closed is not None:
                closed.close()
            path.unlink(missing_ok=True)
        run = Run(answers, server, time.monotonic() - start)
        for answer in answers:
            if "broken" in answer or ("outcome" in answer) == ("error" in answer):
                return f"the driver says {str(answer)[:500]}"
        return next((problem for problem in (check(run) for check in case.checks) if problem is not None), None)

    def _filled(self, options: Dict[str, Any], case: Case, values: Dict[str, str]) -> Dict[str, Any]:
        filled: Dict[str, Any] = {}
        for name, value in options.items():
            if value is None:
                continue
            if isinstance(value, str):
                for key, text in values.items():
                    value = value.replace("{" + key + "}", text)
            # A kept client is that of its case.
            filled[name] = f"{case.name}/{value}" if name == "client" else value
        return filled


def missing_program(needs: List[str], folder: Path, bin: Path) -> Optional[str]:
    for need in needs:
        name = need.replace("{bin}", str(bin))
        if not (shutil.which(name) or (folder / name).exists()):
            return name
    return None


def own_tests(language: str, command: List[str], folder: Path, environment: Dict[str, str]) -> bool:
    """Runs a client's own tests."""
    tested = subprocess.run(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if tested.returncode:
        print(f"{language}: FAILED its own tests: {' '.join(command)}\n{tested.stdout.decode(errors='replace')[-4000:]}")
    else:
        print(f"{language}: its own tests pass")
    return tested.returncode == 0


def end(number: int, _: object) -> None:
    """At a signal: what was started is ended, and the temporary folder removed."""
    ENDED.set()
    sys.exit(128 + number)


def main() -> int:
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, end)
    parser = argparse.ArgumentParser(description="Runs the conformance suite against clients of assayd.", epilog="Exit status: 0: no case failed; 1: one did, or a client could not be built; 64: wrong usage.")
    parser.add_argument("languages", nargs="*", metavar="LANGUAGE", help=f"of {', '.join(LANGUAGES)}; all that have a client if none is given")
    parser.add_argument("--case", default="", metavar="TEXT", help="only cases whose name contains the text")
    parser.add_argument("--bin", type=Path, default=HERE.parent.parent / ".build/debug", metavar="DIRECTORY", help="where assayd and assay are (default: .build/debug)")
    parser.add_argument("--list", action="store_true", help="print the names of the cases, and end")
    parser.add_argument("--verbose", action="store_true", help="print each case that does not apply, with the reason, and the ten that took longest")
    parser.error = lambda message: (parser.print_usage(sys.stderr), print(f"run.py: {message}", file=sys.stderr), sys.exit(64))  # type: ignore[assignment,func-returns-value]
    arguments = parser.parse_args()
    for language in arguments.languages:
        if language not in LANGUAGES:
            parser.error(f"there is no language {language}: it is one of {', '.join(LANGUAGES)}")
    cases = [case for case in all_cases() if arguments.case in case.name]
    daemon_names = [name for name in daemon_case_names() if arguments.case in name]
    if arguments.list:
        print("\n".join([case.name for case in cases] + daemon_names))
        return 0
    if not cases and not daemon_names:
        parser.error(f"no case has a name with {arguments.case!r}")
    with tempfile.TemporaryDirectory(prefix="assay-conformance-") as scratch:
        return run_all(arguments, cases, daemon_names, Path(scratch))


def run_all(arguments: argparse.Namespace, cases: List[Case], daemon_names: List[str], scratch: Path) -> int:
    if not shutil.which("openssl"):
        print("run.py: openssl is needed, for the certificates of cases over TLS", file=sys.stderr)
        return 1
    start = time.monotonic()
    bin = arguments.bin.resolve()
    certificates = Certificates(scratch)
    runs: List[DriverRun] = []
    tests: List[Tuple[str, List[str], Path]] = []
    bad = False
    for language in arguments.languages or LANGUAGES:
        folder = HERE.parent / language
        file = folder / "conformance.json"
        if not file.exists():
            print(f"{language}: not run: there is no {file.relative_to(HERE.parent.parent)}")
            bad = bad or bool(arguments.languages)
            continue
        said = json.loads(file.read_text())
        missing = missing_program(said.get("needs", []), folder, bin)
        if missing:
            print(f"{language}: not run: {missing} is not there")
            continue
        if "build" in said:
            built = subprocess.run(said["build"], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            if built.returncode:
                print(f"{language}: cannot be built: {' '.join(said['build'])}\n{built.stdout.decode(errors='replace')[-4000:]}")
                bad = True
                continue
        if "test" in said and not arguments.case:
            tests.append((language, said["test"], folder))
        for name, command in said["drivers"].items():
            filled = [part.replace("{bin}", str(bin)) for part in command]
            runs.append(DriverRun(name, filled, folder, said, certificates, scratch))
    daemon: Optional[DaemonCases] = None
    try:
        if daemon_names and runs and (bin / "assayd").exists() and (bin / "assay").exists():
            try:
                daemon = DaemonCases(bin, scratch, certificates)
            except OSError as error:
                print(f"run.py: FAILED to start a daemon: {error}")
                bad = True
        environment = {**os.environ, **(daemon.environment() if daemon else {})}
        with ThreadPoolExecutor(max_workers=2) as pool:
            tested = [pool.submit(own_tests, *test, environment) for test in tests]
            for done in [pool.submit(run.run, cases, daemon, daemon_names) for run in runs]:
                done.result()
            bad = not all([each.result() for each in tested]) or bad
    finally:
        if daemon is not None:
            daemon.close()
    for run in runs:
        for line in run.failed:
            print(f"{run.name}: FAILED {line}")
        if arguments.verbose:
            for line in run.skipped:
                print(f"{run.name}: skipped {line}")
            for seconds, name in sorted(run.slowest, reverse=True)[:10]:
                print(f"{run.name}: {seconds:.2f} s {name}")
        counts = f"{run.passed} passed, {len(run.failed)} failed, {len(run.skipped)} do not apply, {len(run.not_run)} not run"
        why = f" (assayd is not in {bin})" if run.not_run else ""
        print(f"{run.name}: {counts}{why}")
        bad = bad or bool(run.failed)
    print(f"{len(cases) + len(daemon_names)} cases, {len(runs)} drivers, {time.monotonic() - start:.1f} s")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
