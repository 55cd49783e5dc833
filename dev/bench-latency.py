#!/usr/bin/env python3
"""Measures how long verdicts take at half of what a daemon can do, in quiet and through what operators do to it.

    dev/bench-latency.py [--bin FOLDER] [--seconds N] [--json FILE] [--check]

The daemon has a folder of its own, and listens on loopback. Its ledger is in a file, and then, where a PostgreSQL server is installed, in a database
with two standbys of which one confirms each commit. `assay bench` sends uploads of virtual iPhones by a schedule, and
counts from the intended time: first faster and faster, until the daemon no longer keeps up, and then at half of the highest rate that it kept up with.
Load and daemon share the machine. Everything is ended and removed at the end. Exit status 1 with --check if a bar is exceeded.
"""

import argparse
import contextlib
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

from bench_latency import postgresql

# Milliseconds.
BARS = {"p50": 2, "p99": 8, "p99.9": 20}
# The longest wait through the death of a standby.
LONGEST = 2000
# A rate is kept up with if 99 of 100 calls take no longer, in milliseconds.
KEPT_UP = 50
FIRST_RATE = 500
STEP = 1.25
# As many entries as Google's list has had, and more to come.
REVOKED = 5000
CONFIGURATION = """
listen:
  - tcp: 127.0.0.1:{port}
store: {store}
callers: {{loopback_demo: true}}
trust: {{test_roots: [phone/root.pem]}}
apps:
  camera:
    accept_simulated: true
    app_attest: {{identities: [{{app_id: ABCDE12345.com.example.camera}}]}}
    android:
      packages: [{{name: com.example.camera, signers: ["{signer}"]}}]
      revocation: {{source: file, file: revoked.json}}
"""


class Installation:
    """A daemon in a folder of its own."""

    def __init__(self, programs, store="{path: ledger.sqlite}"):
        (self.programs, self.store) = (programs, store)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="assay-latency-"))
        with socket.create_server(("127.0.0.1", 0)) as server:
            self.port = server.getsockname()[1]
        self.address = f"127.0.0.1:{self.port}"
        self.process = None
        self.versions = 0

    def __enter__(self):
        try:
            self.assay("simulate", "phone", "phone", "--app-id", "ABCDE12345.com.example.camera")
            (self.folder / "assayd.yaml").write_text(CONFIGURATION.format(port=self.port, store=self.store, signer="ab" * 32))
            self.revoke(self.another_list())
            log = open(self.folder / "assayd.log", "w")
            self.process = subprocess.Popen(
                [self.programs / "assayd", "--config", "assayd.yaml"], cwd=self.folder, stdin=subprocess.DEVNULL,
                stdout=log, stderr=log)
            end = time.monotonic() + 30
            while time.monotonic() < end and self.process.poll() is None:
                if self.call("status").returncode == 0:
                    return self
                time.sleep(0.05)
            raise SystemExit("the daemon does not answer:\n" + (self.folder / "assayd.log").read_text())
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *_):
        if self.process and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def call(self, *arguments):
        return subprocess.run(
            [self.programs / "assay", *arguments], cwd=self.folder, env={**os.environ, "ASSAY_SERVER": self.address},
            stdin=subprocess.DEVNULL, capture_output=True, text=True)

    def assay(self, *arguments):
        result = self.call(*arguments)
        if result.returncode != 0:
            raise SystemExit(f"assay {' '.join(map(str, arguments))}: exit status {result.returncode}\n{result.stderr}")
        return result.stdout

    def bench(self, rate, seconds):
        """The answer of assay bench, also if calls failed."""
        result = self.call(
            "bench", "--app", "camera", "--phone", "phone", "--rate", str(rate), "--for", f"{seconds}s", "--json")
        try:
            return json.loads(result.stdout)
        except ValueError:
            raise SystemExit(f"assay bench: exit status {result.returncode}\n{result.stderr}")

    def require_alive(self):
        if self.process.poll() is not None:
            raise SystemExit("the daemon ended:\n" + (self.folder / "assayd.log").read_text()[-2000:])

    # What happens to it

    def reload(self):
        self.process.send_signal(signal.SIGHUP)

    def another_list(self):
        """The file of another list of revoked certificates."""
        self.versions += 1
        entries = {f"{self.versions:x}{serial:030x}": {"status": "REVOKED"} for serial in range(1, REVOKED)}
        made = self.folder / f"revoked-{self.versions}.json"
        made.write_text(json.dumps({"entries": entries}))
        return made

    def revoke(self, made):
        """Puts the file of a list in the place where a reload reads it."""
        made.rename(self.folder / "revoked.json")

    def updates(self, count):
        """What puts another list in force, so many times. The lists are written now: that is not to share the machine with the uploads."""
        lists = [self.another_list() for _ in range(count)]

        def update():
            self.revoke(lists.pop())
            self.reload()

        return update


class Repeated:
    """Does something beside a load: again and again after so many seconds, or once."""

    def __init__(self, action, after, again=True):
        (self.action, self.after, self.again) = (action, after, again)
        (self.count, self.ended) = (0, threading.Event())
        self.thread = threading.Thread(target=self.run)

    def run(self):
        while not self.ended.wait(self.after):
            self.action()
            self.count += 1
            if not self.again:
                return

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join()


def percentiles(answer):
    """The latencies of the uploads in milliseconds, from the intended time."""
    latency = next(row for row in answer["operations"] if row["name"] == "assertion")["latency_ms"]
    return {"p50": latency["p50"], "p99": latency["p99"], "p99.9": latency["p999"], "max": latency["max"]}


def saturation(installation):
    """The highest rate that the daemon keeps up with, by steps of a quarter."""
    (rate, kept) = (FIRST_RATE, 0)
    while True:
        answer = installation.bench(round(rate), 5)
        found = percentiles(answer)
        print(f"  {rate:8.0f} uploads/s: p50 {found['p50']:8.2f} ms, p99 {found['p99']:8.2f} ms", flush=True)
        if not answer["passed"] or found["p99"] > KEPT_UP:
            break
        kept = rate
        rate *= STEP
    if not kept:
        raise SystemExit(f"the daemon does not keep up with {FIRST_RATE} uploads a second")
    return kept


def measured(name, installation, rate, seconds, bars=BARS, beside=None):
    """The latencies of a part, and whether all calls passed and the bars are held."""
    with beside or contextlib.nullcontext():
        answer = installation.bench(rate, seconds)
    latencies = percentiles(answer)
    held = answer["passed"] and all(latencies[key] <= bar for key, bar in bars.items())
    found = {"name": name, "times": beside.count if beside else 0, "bars": bars, "passed": answer["passed"], "held": held, **latencies}
    values = ", ".join(f"{key} {found[key]:.2f} ms" for key in [*BARS, "max"])
    times = f" ({found['times']} times)" if found["times"] > 1 else ""
    print(f"  {name}{times}: {values}: {'held' if held else 'NOT held'}", flush=True)
    return found


def in_a_file(options, programs):
    with Installation(programs) as installation:
        (most, rate) = rates(options, installation)
        parts = [
            measured("nothing", installation, rate, options.seconds),
            measured("a reload twice a second", installation, rate, options.seconds, beside=Repeated(installation.reload, 0.5)),
            measured("a new list of revoked certificates twice a second", installation, rate, options.seconds,
                     beside=Repeated(installation.updates(2 * options.seconds + 60), 0.5)),
        ]
        installation.require_alive()
    return {"ledger": "a file", "saturation": most, "rate": rate, "parts": parts}


def in_a_database(options, programs):
    with postgresql.Cluster() as cluster, Installation(programs, cluster.store) as installation:
        (most, rate) = rates(options, installation)
        parts = [
            measured("nothing", installation, rate, options.seconds),
            measured("the death of one of two standbys", installation, rate, options.seconds, {"max": LONGEST},
                     Repeated(cluster.lose_standby, 3 + options.seconds / 2, again=False)),
        ]
        installation.require_alive()
    return {"ledger": "PostgreSQL with two standbys", "saturation": most, "rate": rate, "parts": parts}


def rates(options, installation):
    """The highest rate, if it is looked for, and the one to measure at."""
    most = None
    if not options.rate:
        print("The highest rate:")
        most = saturation(installation)
    rate = options.rate or round(most / 2)
    print(f"{rate} uploads a second, for {options.seconds} s each; bars " + ", ".join(f"{k} {v} ms" for k, v in BARS.items()))
    return (most, rate)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, default=pathlib.Path(".build/release"), help="the folder of assayd and assay")
    parser.add_argument("--seconds", type=int, default=30, help="how long each part is measured")
    parser.add_argument("--rate", type=int, help="uploads in a second, in place of half of what is found")
    parser.add_argument("--json", type=pathlib.Path, help="write the figures to this file")
    parser.add_argument("--check", action="store_true", help="exit status 1 unless all bars are held")
    options = parser.parse_args()
    if options.seconds < 1 or (options.rate is not None and options.rate < 1):
        parser.error("--seconds and --rate are positive")
    programs = options.bin.resolve()
    for program in ["assayd", "assay"]:
        if not os.access(programs / program, os.X_OK):
            parser.error(f"there is no {program} in {options.bin}")
    print("A ledger in a file")
    runs = [in_a_file(options, programs)]
    if postgresql.programs():
        print("A ledger on PostgreSQL with two standbys")
        runs.append(in_a_database(options, programs))
    else:
        print("There is no PostgreSQL server here: not measured")
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps({"seconds": options.seconds, "runs": runs}, indent=2) + "\n")
    if options.check and not all(part["held"] for run in runs for part in run["parts"]):
        sys.exit(1)


if __name__ == "__main__":
    main()
