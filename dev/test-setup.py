#!/usr/bin/env python3
"""Tests dev/setup.sh and dev/setup-install.sh with an apt-get, a dpkg-query and a systemctl that only write down what they are asked, below a
folder that stands for /. Nothing is installed. It takes a second or two."""

import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
import unittest

DEV = os.path.dirname(os.path.abspath(__file__))
# What the scripts call of the system; the rest is played below.
TOOLS = "sh dirname sed tr sort cat id env mktemp rm rmdir mkdir ln ls chmod tail awk printf echo sleep grep flock mv".split()

INTERRUPTS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
BUILD = ["git", "make", "pkg-config", "libsqlite3-dev", "zlib1g-dev"]
SERVERS = ["postgresql", "nginx-light", "haproxy", "pgbouncer", "prometheus", "softhsm2"]

# What is asked of the machine is written into the file "asked"; a package that is installed is a line of the file "installed".
DPKG_QUERY = """
for name in "$@"; do
    case $name in -*|*Status*) continue ;; esac
    grep -qx "$name" "$STAGE/installed" && echo "installed $name"
done
exit 0
"""
APT_GET = """
echo "apt-get $*" >>"$STAGE/asked"
policy=$ASSAY_SETUP_ROOT/usr/sbin/policy-rc.d
if [ "$1" = install ]; then
    for service in haproxy.service cron "--quiet nginx"; do
        status=0
        [ ! -e "$policy" ] || sh "$policy" $service start || status=$?
        echo "service $service: $status" >>"$STAGE/asked"
    done
    cat "$ASSAY_SETUP_ROOT/etc/postgresql-common/createcluster.d/assay-setup.conf" >>"$STAGE/asked" 2>/dev/null
    echo haproxy.service >>"$STAGE/enabled"
fi
if [ -e "$STAGE/script" ]; then . "$STAGE/script"; fi
"""
SYSTEMCTL = """
case $1 in
    list-unit-files) while read -r unit; do echo "$unit enabled enabled"; done <"$STAGE/enabled" ;;
    *) echo "systemctl $*" >>"$STAGE/asked" ;;
esac
"""


def take_signals():
    """A shell does not trap a signal that was ignored when it began, as an interrupt is for what runs in the background."""
    for number in INTERRUPTS:
        signal.signal(number, signal.SIG_DFL)


class Machine:
    """A machine as the scripts see it, in a temporary folder."""

    def __init__(self, case, installed=(), user=0, debian=True):
        self.folder = tempfile.mkdtemp()
        case.addCleanup(shutil.rmtree, self.folder)
        self.root = self.path("root")
        for folder in ["bin", "root/usr/sbin", "root/etc/init.d", "root/run/systemd/system", "tmp"]:
            os.makedirs(self.path(folder))
        for tool in TOOLS:
            os.symlink(shutil.which(tool), self.path("bin", tool))
        self.program("swift", "")
        self.program("id", f"echo ${{PLAYED_USER:-{user}}}")
        self.program("sudo", 'echo "sudo $1" >>"$STAGE/asked"; PLAYED_USER=0 exec "$@"')
        if debian:
            self.program("dpkg-query", DPKG_QUERY)
            self.program("apt-get", APT_GET)
            self.program("systemctl", SYSTEMCTL)
        self.write("root/etc/init.d/cron", "")
        self.write("enabled", "cron.service\n")
        self.write("installed", "".join(name + "\n" for name in installed))
        self.write("asked", "")
        self.before = self.tree()

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w") as file:
            file.write(text)

    def program(self, name, text):
        path = self.path("bin", name)
        if os.path.lexists(path):
            os.unlink(path)
        self.write("bin/" + name, f"#!{shutil.which('sh')}\n{text}\n")
        os.chmod(path, 0o755)

    def tree(self):
        """Every file of the machine's / and of its folder for temporary files."""
        return sorted(
            os.path.join(folder, name)
            for top in ["root", "tmp"] for folder, folders, files in os.walk(self.path(top)) for name in folders + files)

    @property
    def environment(self):
        return {"PATH": self.path("bin"), "STAGE": self.folder, "ASSAY_SETUP_ROOT": self.root, "TMPDIR": self.path("tmp")}

    def begin(self, *arguments, script="setup.sh", **environment):
        return subprocess.Popen(
            [os.path.join(DEV, script), *arguments], env=self.environment | environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=take_signals)

    def run(self, *arguments, script="setup.sh", **environment):
        process = self.begin(*arguments, script=script, **environment)
        out, err = process.communicate(timeout=30)
        with open(self.path("asked")) as file:
            self.asked = file.read()
        return process.returncode, out, err

    def requested(self):
        """The packages of the first installation that was asked for."""
        line = next(line for line in self.asked.splitlines() if line.startswith("apt-get install"))
        return [word for word in line.split()[2:] if not word.startswith("-") and "=" not in word]


class SetupTests(unittest.TestCase):
    def test_a_first_look_installs_what_the_build_needs_and_nothing_else(self):
        machine = Machine(self)
        status, out, err = machine.run()
        self.assertEqual((status, err), (0, ""))
        self.assertEqual(sorted(machine.requested()), sorted(BUILD))
        self.assertIn("the build of the programs needs", out)

    def test_nothing_is_asked_of_a_machine_that_has_it(self):
        machine = Machine(self, installed=["pkgconf" if name == "pkg-config" else name for name in BUILD])
        self.assertEqual(machine.run(), (0, "", ""))
        self.assertEqual(machine.asked, "")

    def test_plugins_bring_no_servers(self):
        machine = Machine(self, installed=BUILD)
        status, out, _ = machine.run("plugins")
        self.assertEqual(status, 0)
        self.assertIn("libseccomp-dev", machine.requested())
        self.assertFalse(set(machine.requested()) & set(SERVERS + BUILD))

    def test_tests_say_which_servers_they_need_and_what_for_before_they_are_installed(self):
        machine = Machine(self, installed=BUILD)
        status, out, _ = machine.run("build", "plugins", "tests")
        self.assertEqual(status, 0)
        self.assertLessEqual(set(SERVERS), set(machine.requested()))
        for name in machine.requested():
            self.assertRegex(out, rf"(?m)^  {name} +\S")
        self.assertIn("the tests, which alone start these programs, need", out)
        self.assertEqual(machine.asked.count("apt-get install"), 1)

    def test_no_service_is_started_or_enabled_and_no_cluster_made_and_no_trace_left(self):
        machine = Machine(self, installed=BUILD)
        self.assertEqual(machine.run("build", "plugins", "tests")[0], 0)
        for line in ["service haproxy.service: 101", "service --quiet nginx: 101", "create_main_cluster = false",
                     "systemctl disable --quiet --now haproxy.service"]:
            self.assertIn(line + "\n", machine.asked)
        self.assertNotIn("--now cron", machine.asked)
        # A service that was there may be started again.
        self.assertIn("service cron: 0\n", machine.asked)
        self.assertEqual(machine.tree(), machine.before)

    def test_lists_are_fetched_when_the_first_attempt_fails(self):
        machine = Machine(self)
        machine.write("script", '[ "$1" = update ] && touched=1 && echo yes >"$STAGE/fetched"; [ -e "$STAGE/fetched" ] || exit 100')
        status, _, err = machine.run()
        self.assertEqual((status, err), (0, ""))
        self.assertEqual([line.split()[1] for line in machine.asked.splitlines() if line.startswith("apt-get")],
                         ["install", "update", "install"])

    def test_a_failure_is_told_and_leaves_no_trace(self):
        machine = Machine(self)
        machine.write("script", "echo E: no such mirror; exit 100")
        status, _, err = machine.run("tests")
        self.assertEqual(status, 1)
        self.assertIn("E: no such mirror", err)
        self.assertIn("these packages are missing: ", err)
        self.assertEqual(machine.tree(), machine.before)

    def test_an_interrupt_leaves_no_trace(self):
        for number in INTERRUPTS:
            machine = Machine(self)
            machine.write("script", f"kill -{int(number)} $PPID")
            status, _, _ = machine.run("postgresql", "haproxy", script="setup-install.sh")
            self.assertEqual(status, 128 + number)
            self.assertIn("service haproxy.service: 101\n", machine.asked)
            self.assertEqual(machine.tree(), machine.before)

    def test_a_policy_that_is_there_stays_as_it_is(self):
        machine = Machine(self)
        machine.write("root/usr/sbin/policy-rc.d", "#!/bin/sh\nexit 104\n")
        before = machine.tree()
        self.assertEqual(machine.run("tests")[0], 0)
        self.assertIn("service haproxy.service: 104\n", machine.asked)
        self.assertEqual(machine.tree(), before)
        with open(machine.path("root/usr/sbin/policy-rc.d")) as file:
            self.assertEqual(file.read(), "#!/bin/sh\nexit 104\n")
        # What was started in spite of that is stopped.
        self.assertIn("systemctl disable --quiet --now haproxy.service\n", machine.asked)

    def test_what_a_killed_run_left_is_taken_away(self):
        machine = Machine(self)
        machine.write("script", "kill -9 $PPID")
        self.assertEqual(machine.run("haproxy", "postgresql", script="setup-install.sh")[0], -9)
        self.assertNotEqual(machine.tree(), machine.before)
        os.unlink(machine.path("script"))
        self.assertEqual(machine.run("haproxy", script="setup-install.sh")[0], 0)
        self.assertFalse([path for path in machine.tree() if "policy" in path or path.endswith(".conf")])

    def test_two_runs_take_turns(self):
        machine = Machine(self)
        machine.write("script", 'while [ -d "$STAGE" ] && [ ! -e "$STAGE/go" ]; do sleep 0.02; done')
        first = machine.begin("haproxy", script="setup-install.sh")
        policy = machine.path("root/usr/sbin/policy-rc.d")
        while not os.path.exists(policy):
            time.sleep(0.01)
        second = machine.begin("nginx-light", script="setup-install.sh")
        time.sleep(0.2)
        with open(machine.path("asked")) as file:
            self.assertEqual(file.read().count("apt-get install"), 1)
        machine.write("go", "")
        for process in [first, second]:
            process.communicate(timeout=30)
            self.assertEqual(process.returncode, 0)
        self.assertEqual(machine.tree(), machine.before)

    def test_many_runs_take_turns_also_behind_a_killed_run(self):
        for killed in [False, True]:
            machine = Machine(self)
            if killed:
                machine.write("script", "kill -9 $PPID")
                self.assertEqual(machine.run("haproxy", script="setup-install.sh")[0], -9)
                os.unlink(machine.path("script"))
                # Its log stays.
                shutil.rmtree(machine.path("tmp"))
                os.mkdir(machine.path("tmp"))
            runs = [machine.begin("haproxy", script="setup-install.sh") for _ in range(8)]
            for process in runs:
                _, err = process.communicate(timeout=30)
                self.assertEqual((process.returncode, err), (0, ""))
            with open(machine.path("asked")) as file:
                self.assertEqual(file.read().count("service haproxy.service: 101\n"), len(runs) + int(killed))
            self.assertEqual(machine.tree(), machine.before)

    def test_a_user_installs_by_sudo(self):
        machine = Machine(self, user=1000)
        self.assertEqual(machine.run()[0], 0)
        self.assertTrue(machine.asked.startswith("sudo dev/setup-install.sh\n"))
        os.unlink(machine.path("bin/sudo"))
        status, _, err = machine.run()
        self.assertEqual(status, 1)
        self.assertIn("installing needs root, and there is no sudo", err)

    def test_a_machine_can_be_left_as_it_is(self):
        machine = Machine(self)
        status, out, _ = machine.run("tests", SETUP="no")
        self.assertEqual((status, machine.asked), (0, ""))
        self.assertRegex(out, r"missing, and left so \(SETUP=no\):.* postgresql")

    def test_a_system_without_dpkg_is_only_looked_at(self):
        machine = Machine(self, debian=False)
        machine.program("make", "")
        machine.program("git", "")
        machine.program("pkg-config", "")
        self.assertEqual(machine.run("build"), (0, "", ""))
        machine.program("pkg-config", "exit 1")
        status, _, err = machine.run("build")
        self.assertEqual(status, 1)
        self.assertIn("please install by hand: sqlite3-development-files", err)

    def test_swift_is_named_when_it_is_missing_and_a_wrong_word_is_an_error(self):
        machine = Machine(self)
        self.assertEqual(machine.run("everything")[0], 2)
        os.unlink(machine.path("bin/swift"))
        status, _, err = machine.run()
        self.assertEqual(status, 1)
        self.assertIn("https://www.swift.org/install", err)


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=0, argv=sys.argv[:1] + (sys.argv[1:] or ["-q"])))
