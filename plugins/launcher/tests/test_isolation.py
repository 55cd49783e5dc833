"""What a plugin tries and does not get. Each attempt is made without the launcher too, where it succeeds."""

import os
import socket
import unittest

from launch import IS_ROOT, LauncherTest, say_skipped


class Files(LauncherTest):
    def test_a_file_of_its_own_user_cannot_be_read(self):
        path = self.file(mode=0o644)
        self.assertEqual(self.probe_freely("read", path), "done")
        self.assertEqual(self.probe("read", path), "EACCES")

    def test_files_of_the_system_cannot_be_read(self):
        self.assertEqual(self.probe_freely("read", "/etc/hosts"), "done")
        self.assertEqual(self.probe("read", "/etc/hosts"), "EACCES")
        self.assertEqual(self.probe("read", "/etc/shadow"), "EACCES")

    def test_a_file_cannot_be_written_made_emptied_or_changed(self):
        for attempt, refusal in [("write", "EACCES"), ("empty", "EACCES"), ("truncate", "EPERM"), ("chmod", "EPERM"), ("unlink", "EPERM")]:
            path = self.file(mode=0o666)
            os.chmod(os.path.dirname(path), 0o777)
            with self.subTest(attempt):
                self.assertEqual(self.probe(attempt, path), refusal)
                self.assertEqual(os.path.getsize(path), 6)
                self.assertEqual(os.stat(path).st_mode & 0o777, 0o666)
                self.assertEqual(self.probe_freely(attempt, path), "done")
        path = self.folder()
        os.chmod(path, 0o777)
        self.assertEqual(self.probe("write", f"{path}/new"), "EACCES")
        self.assertEqual(os.listdir(path), [])

    def test_a_folder_cannot_be_listed(self):
        self.assertEqual(self.probe_freely("list", "/etc"), "done")
        self.assertEqual(self.probe("list", "/etc"), "EACCES")

    def test_what_is_granted_can_be_read_and_not_written(self):
        path = self.file(mode=0o666)
        folder = os.path.dirname(path)
        for options in (["--ro", path], ["--ro", folder], ["--rx", folder]):
            with self.subTest(options):
                self.assertEqual(self.probe("read", path, options=options), "done")
                self.assertEqual(self.probe("write", path, options=options), "EACCES")
                self.assertEqual(self.probe("empty", path, options=options), "EACCES")
        self.assertEqual(self.probe("list", folder, options=["--ro", folder]), "done")
        self.assertEqual(os.path.getsize(path), 6)

    def test_the_daemons_environment_cannot_be_read(self):
        path = f"/proc/{os.getpid()}/environ"
        if not IS_ROOT:  # the plugin has the daemon's user
            self.assertEqual(self.probe_freely("read", path), "done")
        self.assertEqual(self.probe("read", path), "EACCES")
        # Granted, so that Landlock's rule on other processes, or the plugin's other user, is what refuses.
        self.assertEqual(self.probe("read", path, options=["--ro", "/proc"]), "EACCES")
        self.assertEqual(self.probe("read", "/proc/self/stat", options=["--ro", "/proc"]), "done")


class Network(LauncherTest):
    def test_there_is_none(self):
        tcp = str(self.listener().getsockname()[1])
        udp = str(self.listener(kind=socket.SOCK_DGRAM).getsockname()[1])
        name = f"{self.folder()}/socket"
        self.listener(socket.AF_UNIX, name)
        os.chmod(name, 0o777)
        abstract = f"assay-launcher-test-{os.getpid()}"
        self.listener(socket.AF_UNIX, "\0" + abstract)
        for attempt, target in [("tcp", tcp), ("fastopen", tcp), ("udp", udp), ("listen", "0"), ("unix", name), ("unix", "@" + abstract)]:
            with self.subTest(attempt + " " + target):
                self.assertEqual(self.probe_freely(attempt, target), "done")
                self.assertEqual(self.probe(attempt, target), "EPERM")

    def test_pairs_are_streams(self):
        self.assertEqual(self.probe("stream-pair"), "done")
        self.assertEqual(self.probe_freely("datagram-pair"), "done")
        self.assertEqual(self.probe("datagram-pair"), "ENOSYS")

    def test_tcp_reaches_declared_ports_only(self):
        declared, other = (str(self.listener().getsockname()[1]) for _ in range(2))
        options = ["--connect", "1", "--connect", declared]
        plugin = self.start_probe("tcp", declared, options=options)
        self.assertEqual(plugin.state("network"), f"tcp:1,{declared}")
        self.assertEqual(plugin.output(), "done")
        self.assertEqual(self.probe("tcp", other, options=options), "EACCES")
        self.assertEqual(self.probe("listen", "0", options=options), "EPERM")

    def test_ports_hold_for_each_way_to_connect(self):
        other = str(self.listener().getsockname()[1])
        options = ["--connect", "1"]
        self.assertEqual(self.probe_freely("fastopen", other), "done")
        self.assertEqual(self.probe("fastopen", other, options=options), "EPERM")
        self.assertEqual(self.probe("mptcp", other, options=options), "ENOSYS")
        self.assertEqual(self.probe("udp", other, options=options), "ENOSYS")

    def test_udp_is_a_power_of_its_own(self):
        tcp = str(self.listener().getsockname()[1])
        udp = str(self.listener(kind=socket.SOCK_DGRAM).getsockname()[1])
        plugin = self.start_probe("udp", udp, options=["--udp"])
        self.assertEqual((plugin.state("network"), plugin.output()), ("udp", "done"))
        self.assertEqual(self.probe("tcp", tcp, options=["--udp"]), "ENOSYS")
        both = self.start_probe("tcp", tcp, options=["--udp", "--connect", tcp])
        self.assertEqual((both.state("network"), both.output()), (f"tcp:{tcp} udp", "done"))

    def test_the_whole_network_has_no_unix_sockets(self):
        tcp = str(self.listener().getsockname()[1])
        udp = str(self.listener(kind=socket.SOCK_DGRAM).getsockname()[1])
        abstract = f"assay-launcher-test-{os.getpid()}"
        self.listener(socket.AF_UNIX, "\0" + abstract)
        plugin = self.start_probe("tcp", tcp, options=["--network"])
        self.assertEqual((plugin.state("network"), plugin.output()), ("tcp:any udp", "done"))
        self.assertEqual(self.probe("udp", udp, options=["--network"]), "done")
        self.assertEqual(self.probe("unix", "@" + abstract, options=["--network"]), "EPERM")
        self.assertEqual(self.probe("listen", "0", options=["--network"]), "EPERM")


class Processes(LauncherTest):
    def test_there_are_threads_and_no_processes(self):
        self.assertEqual(self.probe("thread"), "done")
        for attempt in ("fork", "clone", "clone-namespace"):
            with self.subTest(attempt):
                self.assertEqual(self.probe(attempt), "EPERM")
        for attempt in ("fork", "clone", "clone3"):
            self.assertEqual(self.probe_freely(attempt), "done")
        self.assertEqual(self.probe("clone3"), "ENOSYS")
        self.assertEqual(self.probe("exec", "/bin/true", options=["--rx", "/"]), "EPERM")

    def test_declared_processes_stay_in_the_group_and_the_sandbox(self):
        options = ["--processes"]
        plugin = self.start_probe("fork", options=options)
        self.assertEqual((plugin.state("processes"), plugin.output()), ("group", "done"))
        self.assertEqual(self.probe("clone", options=options), "done")
        self.assertEqual(self.probe("clone3", options=options), "ENOSYS")
        self.assertEqual(self.probe("exec", "/bin/true", options=options), "EACCES")
        self.assertEqual(self.probe("write", "/dev/null", options=options), "done")
        for attempt in ("clone-namespace", "clone-sibling", "setsid"):
            self.assertEqual(self.probe(attempt, options=options), "EPERM", attempt)
        self.assertEqual(self.probe("setpgid", "0", options=options), "EPERM")

    def test_declared_processes_cannot_signal_the_daemon(self):
        # Without Landlock's scope the daemon's own user may: this is the kernel's refusal, not the filter's.
        self.assertEqual(self.probe("kill", str(os.getpid()), options=["--processes"]), "EPERM")

    def test_other_processes_cannot_be_signalled_limited_traced_or_read(self):
        parent = str(os.getpid())
        for attempt, refusal in [("kill", "EPERM"), ("sigqueue", "EPERM"), ("prlimit", "EPERM"), ("affinity", "EPERM"),
                                 ("setown", "ENOSYS"), ("ptrace", "SIGSYS"), ("read-memory", "SIGSYS")]:
            with self.subTest(attempt):
                self.assertEqual(self.probe(attempt, parent), refusal)
        self.assertEqual(self.probe_freely("kill", parent), "done")
        self.assertEqual(self.probe_freely("sigqueue", parent), "done")
        self.assertEqual(self.probe_freely("prlimit", parent), "done")
        self.assertEqual(self.probe_freely("affinity", parent), "done")
        self.assertEqual(self.probe("affinity", "0"), "done")
        self.assertEqual(self.probe("kill", "-1"), "EPERM")

    def test_it_can_signal_itself_and_abort(self):
        self.assertEqual(self.probe("raise"), "done")
        self.assertEqual(self.probe("abort"), "SIGABRT")

    def test_it_cannot_leave_its_session_or_its_parents_death(self):
        for attempt, refusal in [("setsid", "EPERM"), ("setpgid", "EPERM"), ("outlive", "ENOSYS"), ("root", "EPERM"),
                                 ("priority", "EPERM"), ("raise-limit", "EPERM"), ("terminal", "ENOSYS")]:
            with self.subTest(attempt):
                self.assertEqual(self.probe(attempt, "0"), refusal)
        self.assertEqual(self.probe_freely("outlive"), "done")


class Kernel(LauncherTest):
    def test_attacks_kill(self):
        for attempt in ("bpf", "keyring", "unshare", "ptrace"):
            with self.subTest(attempt):
                self.assertEqual(self.probe(attempt, str(os.getpid())), "SIGSYS")
        self.assertEqual(self.probe_freely("keyring"), "done")

    def test_unknown_calls_do_not_exist(self):
        self.assertEqual(self.probe_freely("unknown"), "done")
        self.assertEqual(self.probe("unknown"), "ENOSYS")
        self.assertEqual(self.probe("io-uring"), "ENOSYS")

    @unittest.skipUnless(os.uname().machine == "x86_64", "other machines have no second numbering")
    def test_calls_with_the_numbers_of_another_architecture_kill(self):
        self.assertEqual(self.probe("x32"), "SIGSYS")
        if self.probe_freely("i386") != "done":
            say_skipped("the kernel has no 32-bit system calls")
        self.assertEqual(self.probe("i386"), "SIGSYS")
