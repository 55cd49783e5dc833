#!/usr/bin/env python3
"""Runs the tests that `dev/build.sh --build-tests` built: all of them, or those that are named.

    dev/test.py                       everything
    dev/test.py AppAttestTests ...    the tests of these targets, or of these suites that start processes (BackupTests)
    dev/test.py --plan                what would run, and runs nothing
    dev/test.py --slowest 40          how many of the slowest tests the end shows (default 15)
    dev/test.py --beside COMMAND      runs the command, too, beside the tests, and fails if it fails; may be given several times
    dev/test.py --build COMMAND       runs the command before the tests, and ends with its status if it fails
    dev/test.py --early COMMAND       as --beside, for what needs nothing of the build: it has what the build leaves of the machine
    dev/test.py --times FILE          writes the time of every test there, as lines of "seconds test"

One process runs all modules that do not mind what runs beside them. The suites whose tests start daemons or commands share a process by threes, and
the long ones have their own; in such a process one test runs after the other. These processes run at once, as many as the machine takes. A module
whose tests measure waiting time has no neighbour of its kind, and all others give way to it; what floods the machine runs alone at the end.
Every test that the executable lists has to have run, or have been skipped by its own condition; if one is missing, the run fails.
Exit status: 0 if all passed, 1 if a test failed or did not run, 2 for a wrong argument.
"""

import argparse
import collections
import concurrent.futures
import glob
import itertools
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

# Modules and suites whose tests bound time from above, or use more than one core: one of them at a time, before which others give way.
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
    "DaemonProvisioningTests",
}

# Suites of those modules that have a process of their own: one that floods a connection, since what else measures time in its module would wait for
# the threads, and one that mostly waits, and bounds no time so closely that it minds its neighbours.
APART = {"AssayFramedRPCTests": "UnreadAnswerTests", "AssayPluginsTests": "ProcessTests/ExaminationTests"}

# The suites whose suites start processes, each in its module.
PROCESSES = {
    "AssayDaemonTests": "ProcessTests",
    "DaemonCommandTests": "ProcessTests",
    "DaemonProvisioningTests": "ProcessTests",
    "AssayCommandTests": "CommandTests",
}

# What loads the whole machine on purpose.
ALONE = {"UnreadAnswerTests", "HostileClientTests", "HostileProvisioningTests", "IdleConnectionTests"}

# What gives way to none: those, and a suite whose daemons have to be back in time.
URGENT = ONE_AT_A_TIME | ALONE | {"CrashTests"}

# Suites that take longest, mostly by waiting: begun first, so that the end does not wait for one of them, and in turn with others, which use the
# processors meanwhile.
LONG = {
    "APIKeyTests",
    "AlertTests",
    "BalancerTests",
    "BenchCommandTests",
    "CrashTests",
    "DeploymentTests",
    "DocumentedStepsTests",
    "ExaminationTests",
    "FleetCommandTests",
    "SharedLedgerTests",
    "StatusListTests",
    "TestServerCommandTests",
    "TokenResultTests",
}

# How many of the other suites share a process. The test executable takes half a second to begin, for one test as for all.
SHARED = 3

AT_ONCE = os.cpu_count() + 2

# Tests that run at once in the process of many modules. Without a bound all begin together, and a test that waits for something goes on
# after a thousand others have taken their turns.
WIDTH = 4 * os.cpu_count()


# By how much other jobs give way to those above, and what runs beside the build to it. Two of them have two thirds of a core beside what uses both.
NICE = ["nice", "-n", "5"]


class Job:
    """One process of the test executable: a name to show, and which tests it runs."""

    is_early = False

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
        self.process = None

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
        if self.name not in URGENT:
            command = NICE + command
        self.process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace",
            process_group=0 if self.is_early else None)
        self.output = self.process.stdout.read()
        # With what the programs used that the process started and waited for.
        _, status, used = os.wait4(self.process.pid, 0)
        self.status = self.process.returncode = os.waitstatus_to_exitcode(status)
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
    """A command that is no test of the executable. An early one runs beside the build too."""

    def __init__(self, command, is_early=False):
        super().__init__(command, [])
        self.is_early = is_early

    def run(self, _):
        self.measure(["sh", "-c", self.name])

    def shown(self):
        return self.output.splitlines()

    def reasons(self):
        return self.shown()[-40:]


class Early:
    """Commands that run one after the other from before the build on: a build is one process at its beginning and its end, and waits for itself
    between them."""

    def __init__(self, commands, lock):
        self.jobs = [Beside(command, is_early=True) for command in commands]
        self.waiting = list(self.jobs)
        self.lock = lock
        self.thread = threading.Thread(target=self.work)

    def work(self):
        while self.waiting:
            job = self.waiting.pop(0)
            job.run(None)
            show(job, self.lock)

    def stop(self):
        """Ends what still runs."""
        self.waiting.clear()
        for job in self.jobs:
            if job.process and job.status is None:
                os.killpg(job.process.pid, signal.SIGTERM)


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
    jobs, suites = [], []
    if quiet:
        jobs.append(Job(quiet[0] if len(quiet) == 1 else f"{len(quiet)} modules together", [f"^{name}\\." for name in quiet],
                        without))
    for name in unserialised:
        if name in APART:
            apart = f"^{name}\\.{APART[name]}/"
            suites.append(Job(APART[name].split("/")[-1], [apart]))
            jobs.append(Job(name, [f"^{name}\\."], without + [apart]))
        elif name in ONE_AT_A_TIME:
            jobs.append(Job(name, [f"^{name}\\."], without))
    short = collections.defaultdict(list)
    for name, _ in counts.most_common():
        if name.split("/")[1] in LONG | URGENT:
            suites.append(of_suites([name]))
        else:
            short[name.split("/")[0]].append(name)
    # One with many tests has others with few beside it.
    for of_one in short.values():
        processes = -(-len(of_one) // SHARED)
        suites += [of_suites(of_one[first::processes]) for first in range(processes)]
    long, short = ([job for job in suites if (job.name in LONG) == is_long] for is_long in (True, False))
    return jobs + [job for pair in itertools.zip_longest(long, short) for job in pair if job]


def of_suites(names):
    """The job of suites that start processes, all of one parent."""
    return Job(", ".join(name.split("/")[1] for name in names), [f"^{re.escape(name)}/" for name in names])


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


def is_single(job):
    return isinstance(job, Job) and job.name in ONE_AT_A_TIME


class Schedule:
    """Which job runs next: those of ``ONE_AT_A_TIME`` first, one after the other, and beside them, and then, all at once that the machine takes."""

    def __init__(self, jobs):
        self.single = [job for job in jobs if job.name in ONE_AT_A_TIME]
        self.others = [job for job in jobs if job.name not in ONE_AT_A_TIME and job.name not in ALONE]
        self.alone = [job for job in jobs if job.name in ALONE]
        self.running = set()
        self.change = threading.Condition()

    def may_begin(self):
        """The job that may begin now, if there is one."""
        if len(self.running) < AT_ONCE:
            if self.single and not any(is_single(job) for job in self.running):
                return self.single[0]
            if self.others:
                return self.others[0]
        return self.alone[0] if self.alone and not self.running and not self.single and not self.others else None

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
                self.ended(job)

    def await_early(self, early):
        """What was begun before counts as one that runs, until all of it has ended."""
        early.thread.join()
        self.ended(early)

    def ended(self, job):
        with self.change:
            self.running.discard(job)
            self.change.notify_all()


def run(jobs, early, executable):
    def one(job):
        job.run(executable)
        show(job, early.lock)

    schedule = Schedule(jobs)
    schedule.running.add(early)
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE + 1) as pool:
        for done in [pool.submit(schedule.await_early, early)] + [pool.submit(schedule.work, one) for _ in range(AT_ONCE)]:
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
    arguments.add_argument("--build", metavar="COMMAND", help="a command that is run before the tests, and makes them")
    arguments.add_argument("--early", metavar="COMMAND", action="append", default=[], help="as --beside, from before the build on; may be repeated")
    arguments.add_argument("--times", help="a file for the time of every test")
    options = arguments.parse_args()

    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    early = Early(options.early, threading.Lock())
    if not options.plan:
        early.thread.start()
    try:
        return build_and_test(options, early)
    finally:
        early.stop()


def build_and_test(options, early):
    """The exit status."""
    if options.build and not options.plan:
        built = subprocess.run(["sh", "-c", options.build], stdin=subprocess.DEVNULL).returncode
        if built != 0:
            return built
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
    jobs[:0] = early.jobs
    if options.plan:
        for job in jobs:
            print(f"{job.name}{kind(job)}: {' '.join(job.filters)}")
        return 0

    begin = time.monotonic()
    run([job for job in jobs if job not in early.jobs], early, executable)
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
