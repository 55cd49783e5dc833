#!/usr/bin/env python3
"""Runs the tests that `dev/build.sh --build-tests` built: all of them, or those that are named.

    dev/test.py                       everything
    dev/test.py AppAttestTests ...    the tests of these targets, or of these suites that start processes (BackupTests)
    dev/test.py --plan                what would run, and runs nothing
    dev/test.py --slowest 40          how many of the slowest tests the end shows (default 15)
    dev/test.py --beside COMMAND      runs the command, too, beside the tests, and fails if it fails; may be given several times
    dev/test.py --times FILE          writes the time of every test there, as lines of "seconds test"

One process runs all modules that do not mind what runs beside them. The tests that start daemons or commands are one process for each suite; within
a suite they run one after the other. Such processes run at once, as many as the machine takes. A module whose tests measure waiting time has one
neighbour at most, which is none of its kind, and what floods the machine runs alone at the end.
Every test that the executable lists has to have run, or have been skipped by its own condition; if one is missing, the run fails.
Exit status: 0 if all passed, 1 if a test failed or did not run, 2 for a wrong argument.
"""

import argparse
import collections
import concurrent.futures
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time

# Modules and suites whose tests bound time from above, or use more than one core: one of them at a time, with one other job beside it.
ONE_AT_A_TIME = {
    "AssayDaemonTests",
    "AssayFramedRPCTests",
    "AssayListeningTests",
    "AssayOperationsTests",
    "AssayPluginsTests",
    "AssayPostgresTests",
    "AssaySQLiteTests",
    "AssayServiceTests",
    "AssayTraceExportTests",
    "CrashTests",
    "DaemonProvisioningTests",
}

# Suites of those modules that flood a connection: what else measures time in their module would wait for the threads.
FLOODS = {"AssayFramedRPCTests": "UnreadAnswerTests"}

# The suites whose suites start processes, each in its module. A suite below them is a process of its own.
PROCESSES = {
    "AssayDaemonTests": "ProcessTests",
    "DaemonCommandTests": "ProcessTests",
    "DaemonProvisioningTests": "ProcessTests",
    "AssayCommandTests": "CommandTests",
}

# What loads the whole machine on purpose.
ALONE = {"UnreadAnswerTests", "HostileClientTests", "HostileProvisioningTests", "IdleConnectionTests"}

# Suites that take longest, mostly by waiting: begun first, so that the end does not wait for one of them.
LONG = {"DocumentedStepsTests", "FleetCommandTests", "StatusListTests"}

AT_ONCE = os.cpu_count() + 1

# Tests that run at once in the process of many modules. Without a bound all begin together, and a test that waits for something goes on
# after a thousand others have taken their turns.
WIDTH = 4 * os.cpu_count()


class Job:
    """One process of the test executable: a name to show, and which tests it runs."""

    def __init__(self, name, filters, skips=()):
        self.name = name
        self.filters = filters
        self.skips = skips
        self.status = None
        self.seconds = 0.0
        self.cpu = 0.0
        self.output = ""
        self.started = set()
        self.skipped = set()
        self.times = {}

    def run(self, executable):
        events = tempfile.NamedTemporaryFile(suffix=".jsonl", delete=False)
        events.close()
        command = [executable, "--testing-library", "swift-testing"]
        if len(self.filters) > 1:
            command += ["--experimental-maximum-parallelization-width", str(WIDTH)]
        for each in self.filters:
            command += ["--filter", each]
        for each in self.skips:
            command += ["--skip", each]
        command += ["--event-stream-output-path", events.name, "--event-stream-version", "0"]
        self.measure(command)
        with open(events.name, errors="replace") as lines:
            self.read(lines)
        os.unlink(events.name)

    def measure(self, command):
        begin = time.monotonic()
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace")
        self.output = process.stdout.read()
        # With what the programs used that the process started and waited for.
        _, status, used = os.wait4(process.pid, 0)
        self.status = process.returncode = os.waitstatus_to_exitcode(status)
        self.seconds = time.monotonic() - begin
        self.cpu = used.ru_utime + used.ru_stime

    def read(self, lines):
        """Which tests ran and how long each took, from the event stream of Swift Testing."""
        begun = {}
        for line in lines:
            try:
                record = json.loads(line)
            except ValueError:
                continue  # The process died while it wrote.
            if record.get("kind") != "event":
                continue
            event = record["payload"]
            test = plain(event.get("testID", ""))
            at = event.get("instant", {}).get("absolute", 0)
            if event["kind"] == "testStarted":
                begun[test] = at
                self.started.add(test)
            elif event["kind"] == "testSkipped":
                self.skipped.add(test)
            elif event["kind"] == "testEnded" and test in begun:
                self.times[test] = at - begun[test]

    @property
    def failed(self):
        return self.status != 0

    def shown(self):
        """What of the output is shown when it has ended."""
        lines = self.output.splitlines()
        lines = failures(lines, self.status) if self.failed else list(filter(SHOWN.search, lines))
        return lines + re.findall(r"Test run with.*", self.output)[-1:]

    def reasons(self):
        """What is repeated of a failure below the summary."""
        return list(filter(REASON.search, self.output.splitlines()))[:40]


class Beside(Job):
    """A command that is no test of the executable."""

    def __init__(self, command):
        super().__init__(command, [])

    def run(self, _):
        self.measure(["sh", "-c", self.name])

    def shown(self):
        return self.output.splitlines()

    def reasons(self):
        return self.shown()[-40:]


def failures(lines, status):
    """What the output of a failed process says of its failures: each issue with the lines that belong to it, such as what an expectation compared.
    Where a process names none, or died by a signal, the end of its output says where."""
    shown = set()
    belongs = 0
    for place, line in enumerate(lines):
        if ISSUE.search(line):
            belongs = DETAIL_LINES
        elif belongs == 0 or MARKED.search(line) and "↳" not in line:
            belongs = 0
            continue
        else:
            belongs -= 1
        shown.add(place)
    if not shown or status < 0 or status > 128:
        shown.update([place for place, line in enumerate(lines) if not MARKED.search(line)][-END_LINES:])
    return [lines[place] for place in sorted(shown)][-FAILURE_LINES:]


def plain(test):
    """An identifier of a test as `--list-tests` writes it: without the file and the line."""
    return re.sub(r"/[^/]+\.swift:\d+:\d+$", "", test)


def module(test):
    return test.split(".", 1)[0]


def suite(test):
    """The suite of a test that starts processes: the first two parts of `Module.ProcessTests/Suite/test()`."""
    parts = test.split("/")
    return "/".join(parts[:2]) if PROCESSES.get(module(test)) == parts[0].split(".", 1)[1] and len(parts) > 2 else None


def names(test):
    """The names by which a test can be asked for: its module, and its suite if it starts processes."""
    below = suite(test)
    return {module(test)} | ({below.split("/")[1]} if below else set())


def plan(tests):
    """The jobs for these tests."""
    present = list(dict.fromkeys(map(module, tests)))
    counts = collections.Counter(filter(None, map(suite, tests)))
    unserialised = [name for name in present if any(module(test) == name and not suite(test) for test in tests)]
    quiet = [name for name in unserialised if name not in ONE_AT_A_TIME]
    without = [f"^{name}\\.{parent}/" for name, parent in PROCESSES.items()]
    jobs = []
    if quiet:
        jobs.append(Job(quiet[0] if len(quiet) == 1 else f"{len(quiet)} modules together", [f"^{name}\\." for name in quiet],
                        without))
    for name in unserialised:
        if name in FLOODS:
            flood = f"^{name}\\.{FLOODS[name]}/"
            jobs.append(Job(FLOODS[name], [flood]))
            jobs.append(Job(name, [f"^{name}\\."], without + [flood]))
        elif name in ONE_AT_A_TIME:
            jobs.append(Job(name, [f"^{name}\\."], without))
    suites = [Job(name.split("/")[1], [f"^{re.escape(name)}/"]) for name, _ in counts.most_common()]
    return jobs + sorted(suites, key=lambda job: job.name not in LONG)


def listed(executable):
    done = subprocess.run(
        [executable, "--testing-library", "swift-testing", "--list-tests"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        text=True, check=True)
    # Tests of the same name in several modules are listed with file and line.
    return [plain(line.strip()) for line in done.stdout.splitlines() if "." in line and "/" in line]


SHOWN = re.compile(r"✘|➜|^skipped|is absent")
# Lines that begin with a symbol of Swift Testing, in colour or not, and those among them, and of compilers and programs, that tell of a failure.
MARKED = re.compile(r"^(\x1b\[[0-9;]*m)*[◇✔✘➜◆⚠↳]")
ISSUE = re.compile(r"✘|(^|[ :])([Ff]atal )?error:")
# Lines that may follow an issue, lines of an end, and all lines that are shown of a failed process.
DETAIL_LINES = 40
END_LINES = 40
FAILURE_LINES = 400
REASON = re.compile(r"✘|rror:|↳")


def show(job, lock):
    with lock:
        print(f"== {job.name}: {'FAILED' if job.failed else 'passed'} in {job.seconds:.0f} s")
        for line in job.shown():
            print("  " + line)
        sys.stdout.flush()


class Schedule:
    """Which job runs next: those of ``ONE_AT_A_TIME`` first, one after the other, with one neighbour; then all at once that the machine takes."""

    def __init__(self, jobs):
        self.single = [job for job in jobs if job.name in ONE_AT_A_TIME]
        self.others = [job for job in jobs if job.name not in ONE_AT_A_TIME and job.name not in ALONE]
        self.alone = [job for job in jobs if job.name in ALONE]
        self.running = set()
        self.change = threading.Condition()

    def may_begin(self):
        """The job that may begin now, if there is one."""
        if self.single and not any(job.name in ONE_AT_A_TIME for job in self.running):
            # It waits until no more than one neighbour is left.
            return self.single[0] if len(self.running) <= 1 else None
        if self.others:
            width = 2 if any(job.name in ONE_AT_A_TIME for job in self.running) else AT_ONCE
            return self.others[0] if len(self.running) < width else None
        return self.alone[0] if self.alone and not self.running and not self.single else None

    def work(self, one):
        while True:
            with self.change:
                while not (job := self.may_begin()):
                    if not (self.single or self.others or self.alone):
                        return
                    self.change.wait()
                for waiting in (self.single, self.others, self.alone):
                    if job in waiting:
                        waiting.remove(job)
                self.running.add(job)
            try:
                one(job)
            finally:
                with self.change:
                    self.running.discard(job)
                    self.change.notify_all()


def run(jobs, executable):
    lock = threading.Lock()

    def one(job):
        job.run(executable)
        show(job, lock)

    schedule = Schedule(jobs)
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        for done in [pool.submit(schedule.work, one) for _ in range(AT_ONCE)]:
            done.result()


def kind(job):
    """How a job runs beside others, for those who look at a plan."""
    return " (alone)" if job.name in ALONE else " (one at a time)" if job.name in ONE_AT_A_TIME else ""


def main():
    arguments = argparse.ArgumentParser(description="Runs the tests that `dev/build.sh --build-tests` built.")
    arguments.add_argument("names", nargs="*", help="test targets, or suites that start processes; none: everything")
    arguments.add_argument("--plan", action="store_true", help="show what would run, and run nothing")
    arguments.add_argument("--slowest", type=int, default=15, help="how many of the slowest tests to show (default: %(default)s)")
    arguments.add_argument("--beside", metavar="COMMAND", action="append", default=[], help="a command that is run beside the tests; may be repeated")
    arguments.add_argument("--times", help="a file for the time of every test")
    options = arguments.parse_args()

    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    executables = glob.glob(".build/debug/*PackageTests.xctest")
    if len(executables) != 1:
        print("there is no .build/debug/*PackageTests.xctest: dev/build.sh --build-tests makes it", file=sys.stderr)
        return 2
    executable = os.path.abspath(executables[0])

    everything = listed(executable)
    tests = [test for test in everything if not options.names or names(test) & set(options.names)]
    for name in sorted(set(options.names) - set().union(*map(names, tests))):
        print(f"no test target and no suite that starts processes is called {name}", file=sys.stderr)
        return 2
    jobs = plan(tests)
    jobs[:0] = map(Beside, options.beside)
    if options.plan:
        for job in jobs:
            print(f"{job.name}{kind(job)}: {' '.join(job.filters)}")
        return 0

    begin = time.monotonic()
    run(jobs, executable)
    seconds = time.monotonic() - begin

    ran = set().union(*(job.started | job.skipped for job in jobs))
    lost = [test for test in tests if test not in ran]
    times = sorted(((value, test) for job in jobs for test, value in job.times.items() if test.endswith(")")), reverse=True)
    if options.times:
        with open(options.times, "w") as file:
            file.writelines(f"{value:.2f} {test}\n" for value, test in times)
    print(f"\nthe slowest of {len(tests)} tests:")
    for value, test in times[: options.slowest]:
        print(f"  {value:6.1f} s  {test}")
    print("\nprocesses:")
    for job in jobs:
        print(f"  {'FAILED' if job.failed else 'passed'}  {job.seconds:5.0f} s {job.cpu:5.0f} s of CPU  {job.name}")
    failed = [job for job in jobs if job.failed]
    if failed:
        # Repeated below the summary, where the end of a long log shows it.
        print("\nfailures:")
        for job in failed:
            print(f"{job.name}:")
            for line in job.reasons():
                print("  " + line)
    if lost:
        print(f"\n{len(lost)} tests did not run:")
        for test in lost[:40]:
            print("  " + test)
    print(f"\n{len(jobs) - len(failed)} passed, {len(failed)} failed; {len(ran & set(tests))} of {len(tests)} tests, {seconds:.0f} s")
    return 1 if failed or lost else 0


sys.exit(main())
