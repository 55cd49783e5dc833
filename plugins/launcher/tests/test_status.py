"""What a plugin finds when it starts, and what the launcher reports."""

import os
import signal
import socket
import subprocess

from launch import FILTERED, IS_ROOT, LAUNCHER, PLAIN, PROBE, LauncherTest, Plugin, memory_file, read_file

STEPS = ["launcher", "session", "descriptors", "folder", "limits", "user", "parent", "privileges", "landlock", "seccomp", "network",
         "processes", "exec"]


class Start(LauncherTest):
    def test_each_step_is_reported_in_order(self):
        plugin = self.start_probe("echo")
        self.assertEqual([line.partition(" ")[0] for line in plugin.status], ["=" + step for step in STEPS])
        self.assertEqual(plugin.state("session"), str(plugin.pid))
        self.assertEqual(plugin.state("parent"), str(os.getpid()))
        self.assertEqual(plugin.state("user"), f"{PLAIN}:{PLAIN}")
        self.assertGreaterEqual(int(plugin.state("landlock")), 1)
        self.assertEqual([plugin.state(step) for step in ("launcher", "seccomp", "network", "processes", "exec")],
                         ["1", "allow-list", "none", "none", "probe"])

    def test_the_connection_works_and_its_end_ends_the_plugin(self):
        plugin = self.start_probe("echo")
        self.assertEqual(plugin.ask(b"a request"), b"a request")
        plugin.connection.shutdown(1)
        self.assertEqual(plugin.wait(), 0)

    def test_descriptors_0_to_3_are_left(self):
        self.assertEqual(self.probe("print-descriptors"), "0 1 2 3 done")
        strays = self.probe("print-descriptors", before=lambda: (os.dup2(0, 6), os.dup2(0, 7), os.dup2(0, 900)))
        self.assertEqual(strays, "0 1 2 3 done")

    def test_a_stray_descriptor_5_is_not_run(self):
        path = self.file(read_file(PROBE), mode=0o755)
        options = ["--exec", path]
        plugin = self.start(options, ["probe", "print-descriptors"], before=lambda: os.dup2(0, 5))
        self.assertEqual(plugin.output(), "0 1 2 3 done")

    def test_the_environment_is_the_listed_one(self):
        self.assertEqual(self.probe("print-environment"), "done")
        options = ["--env", "TZ=UTC", "--env", "EMPTY=", "--env", "SWIFT_BACKTRACE=enable=no"]
        self.assertEqual(self.probe("print-environment", options=options), "TZ=UTC|EMPTY=|SWIFT_BACKTRACE=enable=no|done")

    def test_session_folder_and_file_modes_are_its_own(self):
        def move():
            os.chdir("/usr")
            os.umask(0)

        self.assertEqual(self.probe("print-place", before=move), "session=1 folder=/ umask=077 done")
        self.assertEqual(self.probe("print-place", before=os.setsid), "session=1 folder=/ umask=077 done")

    def test_its_user_has_one_group(self):
        self.assertEqual(self.probe("print-user"), "user=65534,65534,65534 group=65534,65534,65534 others=0 done")

    def test_blocked_and_ignored_signals_are_not_inherited(self):
        def block():
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
            signal.signal(signal.SIGPIPE, signal.SIG_IGN)

        self.assertEqual(self.probe("print-signals", before=block), "blocked=0 ignored=0 done")

    def test_what_was_opened_runs_also_after_its_path_is_renamed(self):
        path = self.file(read_file(PROBE), mode=0o755)
        executable = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        self.addCleanup(os.close, executable)
        os.rename(path, path + ".old")
        plugin = self.start([], ["probe", "thread"], executable=executable)
        self.assertEqual(plugin.output(), "done")

    def test_a_report_that_cannot_be_written_ends_the_start(self):
        def close_reader():
            read, write = os.pipe()
            os.dup2(write, 4)
            os.close(read)

        plugin = self.start_probe("thread", before=close_reader)
        self.assertEqual((plugin.wait(), plugin.output()), (71, ""))


class ByHand(LauncherTest):
    def run_by_hand(self, *arguments, **other):
        return subprocess.run([LAUNCHER, *arguments], capture_output=True, text=True, timeout=20, check=False, **other)

    def test_it_says_what_it_is(self):
        run = self.run_by_hand()
        self.assertEqual(run.returncode, 64)
        self.assertIn("is started by assayd", run.stderr)
        self.assertIn("Descriptor 3 is not a connected Unix stream socket.", run.stderr)

    def test_each_wrong_descriptor_is_named(self):
        def file_as(*targets):
            def place_file():
                for target in targets:
                    os.dup2(0, target)
            return place_file

        for before, sentence in [
            (lambda: os.close(0), "One of the descriptors 0, 1 and 2 is closed."),
            (file_as(3), "Descriptor 3 is not a connected Unix stream socket."),
            (lambda: os.dup2(socket.socket(socket.AF_UNIX).detach(), 3), "Descriptor 3 is not a connected Unix stream socket."),
            (lambda: os.dup2(socket.socketpair(type=socket.SOCK_DGRAM)[0].detach(), 3), "Descriptor 3 is not a connected Unix stream socket."),
            (file_as(4), "Descriptor 4 is not the writing end of a pipe."),
            (lambda: os.dup2(os.pipe()[0], 4), "Descriptor 4 is not the writing end of a pipe."),
        ]:
            plugin = self.start_probe("thread", before=before)
            self.assertEqual((plugin.wait(), plugin.status), (64, []))
            self.assertIn(sentence, plugin.output())

    def test_help_and_support_need_nothing(self):
        self.assertIn("--accept-weaker", self.run_by_hand("--help").stdout)
        lines = self.run_by_hand("--print-support").stdout.splitlines()
        self.assertEqual([line.partition(" ")[0] for line in lines],
                         ["=launcher", "=kernel", "=privileges", "=landlock", "=seccomp", "=network", "=processes"])

    def test_support_is_tried_not_asked(self):
        run = subprocess.run([FILTERED, "landlock_restrict_self=1", "--", LAUNCHER, "--print-support"], capture_output=True, text=True,
                             timeout=20, check=False)
        self.assertRegex(run.stdout.splitlines()[-1], "^!landlock EPERM ")


class Service(LauncherTest):
    def test_a_service_that_may_not_change_users_or_capabilities_starts_plugins(self):
        if IS_ROOT:
            self.skipTest("root changes the user")
        # What SystemCallFilter=~@privileged with SystemCallErrorNumber=EPERM takes from a daemon without capabilities.
        prelude = ["capset=1", "setgroups=1", "setresuid=1", "setresgid=1", "chroot=1", "bpf=1"]
        plugin = self.start_probe("thread", prelude=prelude)
        self.assertEqual((plugin.unmet(), plugin.output()), ([], "done"))


class Root(LauncherTest):
    def test_capabilities_of_a_daemon_without_root_are_dropped(self):
        if not IS_ROOT:
            self.skipTest("only root can give a capability")
        # As a service with AmbientCapabilities= has them. 400 is bit 10, CAP_NET_BIND_SERVICE.
        setpriv = ["/usr/bin/setpriv", f"--reuid={PLAIN}", f"--regid={PLAIN}", "--clear-groups", "--inh-caps=+net_bind_service",
                   "--ambient-caps=+net_bind_service"]
        freely = subprocess.run([*setpriv, PROBE, "print-capabilities"], capture_output=True, text=True, timeout=20, check=True)
        self.assertEqual(freely.stdout, "permitted=400 inheritable=400 done\n")
        executable = memory_file(read_file(PROBE))
        self.addCleanup(os.close, executable)
        options = ["--parent", str(os.getpid()), "--exec-fd"]
        plugin = self.start(options, ["probe", "print-capabilities"], executable=executable, through=setpriv, defaults=False)
        self.assertEqual(plugin.output(), "permitted=0 inheritable=0 done")

    def test_a_plugin_never_runs_as_root(self):
        if not IS_ROOT:
            self.skipTest("the tests run as another user")
        executable = memory_file(read_file(PROBE))
        self.addCleanup(os.close, executable)
        plugin = Plugin(["--parent", str(os.getpid()), "--exec-fd", "--accept-weaker"], ["probe", "thread"], executable=executable,
                        defaults=False)
        self.addCleanup(plugin.close)
        self.assertEqual(plugin.failure(), ("user", "-"))
        self.assertEqual(plugin.wait(), 71)
