#!/usr/bin/env python3
"""Measures how long verdicts take at half of what a daemon can do, in quiet and through what operators do to it.

    dev/bench-latency.py [--bin FOLDER] [--seconds N] [--json FILE] [--check]

The daemon has a ledger in a file in a folder of its own, and listens on loopback. `assay bench` sends uploads of virtual iPhones by a schedule, and
counts from the intended time: first faster and faster, until the daemon no longer keeps up, and then at half of the highest rate that it kept up with.
Load and daemon share the machine. Everything is ended and removed at the end. Exit status 1 with --check if a bar is exceeded.
"""

import argparse
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

# Milliseconds.
BARS = {"p50": 2, "p99": 8, "p99.9": 20}
# A rate is kept up with if 99 of 100 calls take no longer, in milliseconds.
KEPT_UP = 50
FIRST_RATE = 500
STEP = 1.25
# As many entries as Google's list has had, and more to come.
REVOKED = 5000
CONFIGURATION = """
listen:
  - tcp: 127.0.0.1:{port}
store: {{path: ledger.sqlite}}
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

    def __init__(self, programs):
        self.programs = programs
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="assay-latency-"))
        with socket.create_server(("127.0.0.1", 0)) as server:
            self.port = server.getsockname()[1]
        self.address = f"127.0.0.1:{self.port}"
        self.process = None
        self.versions = 0

    def __enter__(self):
        try:
            self.assay("simulate", "phone", "phone", "--app-id", "ABCDE12345.com.example.camera")
            (self.folder / "assayd.yaml").write_text(CONFIGURATION.format(port=self.port, signer="ab" * 32))
            self.revoke()
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

    # What happens to it

    def reload(self):
        self.process.send_signal(signal.SIGHUP)

    def revoke(self):
        """Another list of revoked certificates, which a reload puts in force."""
        self.versions += 1
        entries = {f"{self.versions:x}{serial:030x}": {"status": "REVOKED"} for serial in range(1, REVOKED)}
        made = self.folder / "revoked.json.new"
        made.write_text(json.dumps({"entries": entries}))
        made.rename(self.folder / "revoked.json")

    def update(self):
        self.revoke()
        self.reload()


class Repeated:
    """Does something twice a second, beginning in the load's first seconds."""

    def __init__(self, action):
        (self.action, self.count, self.ended) = (action, 0, threading.Event())
        self.thread = threading.Thread(target=self.run)

    def run(self):
        while not self.ended.wait(0.5):
            self.action()
            self.count += 1

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


def measured(name, installation, rate, seconds, action=None):
    repeated = Repeated(action) if action else None
    if repeated:
        with repeated:
            answer = installation.bench(rate, seconds)
    else:
        answer = installation.bench(rate, seconds)
    found = percentiles(answer)
    found |= {"name": name, "passed": answer["passed"], "times": repeated.count if repeated else 0}
    print(f"  {line(found)}", flush=True)
    return found


def line(found):
    times = f" ({found['times']} times)" if found["times"] else ""
    held = all(found[key] <= bar for key, bar in BARS.items()) and found["passed"]
    values = ", ".join(f"{key} {found[key]:.2f} ms" for key in [*BARS, "max"])
    return f"{found['name']}{times}: {values}: {'held' if held else 'NOT held'}"


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
    with Installation(programs) as installation:
        limit = None
        if not options.rate:
            print("The highest rate:")
            limit = saturation(installation)
        rate = options.rate or round(limit / 2)
        print(f"{rate} uploads a second, for {options.seconds} s each; bars " + ", ".join(f"{k} {v} ms" for k, v in BARS.items()))
        parts = [
            measured("quiet", installation, rate, options.seconds),
            measured("through reloads", installation, rate, options.seconds, installation.reload),
            measured("through new revocation lists", installation, rate, options.seconds, installation.update),
        ]
        if installation.process.poll() is not None:
            raise SystemExit("the daemon ended:\n" + (installation.folder / "assayd.log").read_text()[-2000:])
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps({"saturation": limit, "rate": rate, "seconds": options.seconds, "bars": BARS, "parts": parts}, indent=2) + "\n")
    held = all(part["passed"] and part[key] <= bar for part in parts for key, bar in BARS.items())
    if options.check and not held:
        sys.exit(1)


main()
