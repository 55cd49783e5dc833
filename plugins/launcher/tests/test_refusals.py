"""A step that fails ends the start, and is named. Filters of this file stand for old kernels, services and containers."""

import errno
import os
import random

from launch import BUILD, DYNAMIC_PROBE, IS_ROOT, PROBE, SANITIZED, LauncherTest, memory_file, read_file, say_skipped

EPERM, ENOSYS, EOPNOTSUPP = (f"={number}" for number in (errno.EPERM, errno.ENOSYS, errno.EOPNOTSUPP))
SET_NO_NEW_PRIVILEGES, SET_PARENT_DEATH_SIGNAL = "prctl:38", "prctl:1"


class Refusals(LauncherTest):
    def refused(self, *failure, code=71, **other):
        plugin = self.start_probe("thread", **other)
        self.assertEqual(plugin.failure(), failure, plugin.status)
        self.assertEqual(plugin.wait(), code)
        self.assertEqual(plugin.output(), "", "the plugin ran")
        self.assertNotIn(b"\x00", plugin.status[-1].encode())
        return plugin.status[-1]

    def test_session(self):
        self.refused("session", "EPERM", before=lambda: os.setpgid(0, 0))

    def test_descriptors(self):
        self.refused("descriptors", "ENOSYS", prelude=["close_range" + ENOSYS])
        plugin = self.start(["--exec-fd"], ["plugin"])
        self.assertEqual(plugin.failure(), ("descriptors", "EBADF"))
        plugin = self.start(["--exec", "/does/not/exist"], ["plugin"])
        self.assertEqual(plugin.failure(), ("descriptors", "ENOENT"))
        self.assertIn("/does/not/exist", plugin.status[-1])

    def test_folder(self):
        self.refused("folder", "EPERM", prelude=["chdir" + EPERM])

    def test_limits(self):
        if SANITIZED:
            say_skipped("the sanitizer itself reads limits")
        self.refused("limits", "EPERM", prelude=["prlimit64" + EPERM])

    def test_user(self):
        if IS_ROOT:
            for call in ("setgroups", "setresgid", "setresuid"):
                self.refused("user", "EPERM", prelude=[call + EPERM])
        else:
            self.refused("user", "EPERM", options=["--user", "1:1"])

    def test_parent(self):
        line = self.refused("parent", "-", parent=1)
        self.assertIn(f"The parent is process {os.getpid()}, and --parent says 1", line)
        self.refused("parent", "EPERM", prelude=[SET_PARENT_DEATH_SIGNAL + EPERM])

    def test_privileges(self):
        self.refused("privileges", "EPERM", prelude=["capget" + EPERM])
        self.refused("privileges", "EPERM", prelude=[SET_NO_NEW_PRIVILEGES + EPERM])

    def test_landlock_filtered_absent_and_off(self):
        for error, name, sentence in [(EPERM, "EPERM", "allow landlock_create_ruleset"), (ENOSYS, "ENOSYS", "The kernel has no Landlock"),
                                      (EOPNOTSUPP, "EOPNOTSUPP", "turned off")]:
            with self.subTest(name):
                filters = [f"landlock_{call}{error}" for call in ("create_ruleset", "add_rule", "restrict_self")]
                self.assertIn(sentence, self.refused("landlock", name, prelude=filters))

    def test_landlock_is_never_half(self):
        for call in ("landlock_add_rule", "landlock_restrict_self"):
            options = ["--ro", "/usr", "--accept-weaker"]
            self.refused("landlock", "EPERM", prelude=[call + EPERM], options=options)

    def test_paths_that_do_not_exist(self):
        for option in ("--ro", "--rx"):
            line = self.refused("files", "ENOENT", options=[option, "/does/not/exist", "--accept-weaker"])
            self.assertIn("/does/not/exist", line)

    def test_too_few_descriptors_for_the_rules(self):
        self.assertIn("which needs 8", self.refused("landlock", "EMFILE", options=["--ro", "/usr", "--limit", "nofile=6"]))
        self.refused("files", "EMFILE", options=["--ro", "/usr", "--limit", "nofile=7"])
        self.assertEqual(self.probe("thread", options=["--ro", "/usr", "--limit", "nofile=8"]), "done")

    def test_a_stronger_landlock_than_there_is(self):
        line = self.refused("landlock", "-", options=["--require", "landlock=99"])
        self.assertIn("ABI 99 is wanted", line)

    def test_seccomp_filtered_and_absent(self):
        self.assertIn("allow it", self.refused("seccomp", "EPERM", prelude=["seccomp" + EPERM]))
        self.assertIn("The kernel has no system-call filters", self.refused("seccomp", "ENOSYS", prelude=["seccomp" + ENOSYS]))

    def test_explaining_is_weaker_than_the_allow_list(self):
        self.refused("seccomp", "-", options=["--explain"])

    def test_ports_without_landlock(self):
        prelude = ["landlock_create_ruleset" + ENOSYS]
        self.refused("network", "-", prelude=prelude, options=["--require", "seccomp", "--connect", "443"])

    def test_a_path_with_a_line_end_stays_one_line(self):
        line = self.refused("files", "ENOENT", options=["--ro", "/a\n=exec b"])
        self.assertIn("/a?=exec b", line)

    def test_a_long_path_is_cut(self):
        line = self.refused("files", "ENAMETOOLONG", options=["--ro", "/" + "a" * 5000])
        self.assertLess(len(line), 512)


class Executables(LauncherTest):
    def not_run(self, *failure, content=None, executable=None, options=()):
        if content is not None:
            executable = memory_file(content)
            self.addCleanup(os.close, executable)
        plugin = self.start(list(options), ["plugin"], executable=executable)
        self.assertEqual(plugin.status[-2], "=exec plugin")
        self.assertEqual((plugin.failure(), plugin.wait()), (("exec", failure[0]), 71))
        return plugin.status[-1]

    def test_no_program(self):
        self.not_run("ENOEXEC", content=b"")
        self.not_run("ENOEXEC", content=b"no program")
        self.not_run("ENOEXEC", content=read_file(PROBE)[:100])

    def test_a_script(self):
        line = self.not_run("ENOENT", content=b"#!/bin/sh\necho ran\n")
        self.assertIn("A script is run by naming its interpreter.", line)

    def test_a_file_that_is_open_for_writing(self):
        path = self.file(read_file(PROBE), mode=0o755)
        with open(path, "r+b"):
            self.not_run("ETXTBSY", options=["--exec", path])

    def test_a_memory_file_that_can_still_be_written(self):
        executable = memory_file(read_file(PROBE), sealed=False)
        self.addCleanup(os.close, executable)
        plugin = self.start([], ["plugin"], executable=executable)
        self.assertEqual(plugin.failure(), ("descriptors", "-"))
        self.assertIn("F_SEAL_WRITE", plugin.status[-1])

    def test_a_dynamic_program_without_its_interpreter(self):
        self.not_run("EACCES", options=["--exec", DYNAMIC_PROBE])


class Options(LauncherTest):
    def test_wrong_options_are_explained(self):
        executable = ["--exec-fd"]
        parent = ["--parent", str(os.getpid())]
        for options, sentence in [
            (["--nonsense"], "There is no option \"--nonsense\""),
            (["--parent"], "--parent expects the daemon's process id, a number above 0, and nothing follows it."),
            (["--parent", "-1"], "and \"-1\" was given."),
            (["--parent", "0"], "and \"0\" was given."),
            (["--parent", "99999999999999999999"], "was given."),
            (["--exec", "relative"], "--exec expects the absolute path of an ELF file, and \"relative\" was given."),
            (["--env", "NAME"], "--env expects NAME=VALUE"),
            (["--env", "=VALUE"], "--env expects NAME=VALUE"),
            (["--limit", "as=1M"], "--limit expects"),
            (["--limit", "core=1"], "--limit expects"),
            (["--limit", "as"], "--limit expects"),
            (["--limit", "as=-1"], "--limit expects"),
            (["--user", "0:1"], "--user expects"),
            (["--user", "1:0"], "--user expects"),
            (["--user", "1"], "--user expects"),
            (["--ro", "usr"], "--ro expects an absolute path"),
            (["--rx", ""], "--rx expects an absolute path"),
            (["--connect", "0"], "--connect expects a TCP port"),
            (["--connect", "65536"], "--connect expects a TCP port"),
            (["--connect", "+1"], "--connect expects a TCP port"),
            (["--require", ""], "--require expects"),
            (["--require", "landlock"], "--require expects"),
            (["--require", "landlock=0"], "--require expects"),
            (["--require", "seccomp,"], "--require expects"),
            (["--require", "seccomp,magic"], "--require expects"),
            (executable, "--parent is missing"),
            (parent, "Give either --exec-fd"),
            ([*parent, *executable, "--exec", "/x"], "Give either --exec-fd"),
            ([*parent, *executable, "--network", "--udp"], "leave out --connect and --udp"),
            ([*parent, *executable, "--limit", "nproc=1"], "it needs --user"),
            ([*parent, *executable, "--limit", "nproc=1", "--threads", "9", "--user", "9:9"], "leave out --limit nproc"),
            ([*parent, *executable, "--threads", "0"], "1 to 65536"),
            ([*parent, *executable, "--nice", "20"], "0 to 19"),
        ]:
            with self.subTest(options):
                plugin = self.start(options, ["plugin"], defaults=False)
                # The last option may take "--" for its value: then what follows is no option.
                self.assertEqual((plugin.failure(), plugin.wait()), (("options", "-"), 64))
                if options != ["--parent"]:
                    self.assertIn(sentence, plugin.status[-1])

    def test_an_option_without_its_value_and_a_plugin_without_a_name(self):
        parent = ["--parent", str(os.getpid()), "--exec-fd"]
        self.assertIn("The plugin's arguments are missing", self.start(parent, [], defaults=False).status[-1])

    def test_random_options_end_in_a_report(self):
        words = ["--parent", "--exec-fd", "--exec", "--env", "--limit", "--user", "--ro", "--rx", "--connect", "--udp", "--network",
                 "--processes", "--require", "--accept-weaker", "--explain", "--", "", "=", "A=", "as=", "as=1", "nofile=3", "1:1", ":",
                 "/", "/usr", "65535", str(os.getpid()), "landlock=1", "landlock=", ",", "seccomp,landlock=7", "x" * 300]
        chance = random.Random(1)
        for _ in range(200):
            options = chance.choices(words, k=chance.randrange(12))
            with self.subTest(options):
                plugin = self.start(options, ["plugin"], executable=None, defaults=False)
                self.assertIsNotNone(plugin.failure(), plugin.status)
                self.assertIn(plugin.wait(), (64, 71))


class Weaker(LauncherTest):
    """--accept-weaker goes on, and says what is missing."""

    def test_without_landlock(self):
        for error, name in [(EPERM, "EPERM"), (ENOSYS, "ENOSYS"), (EOPNOTSUPP, "EOPNOTSUPP")]:
            plugin = self.start_probe("thread", options=["--accept-weaker"], prelude=["landlock_create_ruleset" + error])
            self.assertEqual(plugin.unmet(), [("landlock", name)])
            self.assertEqual((plugin.state("landlock"), plugin.state("seccomp"), plugin.output()), ("none", "allow-list", "done"))

    def test_without_landlock_files_can_be_read_and_not_written(self):
        path = self.file(mode=0o666)
        weaker = {"options": ["--accept-weaker"], "prelude": ["landlock_create_ruleset" + EPERM]}
        self.assertEqual(self.probe("read", path, **weaker), "done")
        for attempt in ("write", "empty", "truncate", "chmod"):
            self.assertEqual(self.probe(attempt, path, **weaker), "EPERM", attempt)
        self.assertEqual(os.path.getsize(path), 6)

    def test_without_landlock_processes_signal_themselves_only(self):
        weaker = {"options": ["--accept-weaker", "--processes"], "prelude": ["landlock_create_ruleset" + EPERM]}
        self.assertEqual(self.probe("kill", str(os.getpid()), **weaker), "EPERM")
        self.assertEqual(self.probe("raise", **weaker), "done")

    def test_without_landlock_ports_are_reported_as_any(self):
        prelude = ["landlock_create_ruleset" + ENOSYS]
        plugin = self.start_probe("thread", options=["--accept-weaker", "--connect", "443"], prelude=prelude)
        self.assertEqual(plugin.unmet(), [("landlock", "ENOSYS"), ("network", "-")])
        self.assertEqual((plugin.state("network"), plugin.output()), ("tcp:any", "done"))

    def test_what_is_not_demanded_is_not_missed(self):
        plugin = self.start_probe("thread", options=["--require", "seccomp"], prelude=["landlock_create_ruleset" + ENOSYS])
        self.assertEqual((plugin.unmet(), plugin.state("landlock"), plugin.output()), ([], "none", "done"))

    def test_without_seccomp(self):
        plugin = self.start_probe("thread", options=["--accept-weaker"], prelude=["seccomp" + EPERM])
        self.assertEqual(plugin.unmet(), [("seccomp", "EPERM")])
        self.assertEqual([plugin.state(step) for step in ("seccomp", "network", "processes")], ["none", "unrestricted", "unrestricted"])
        self.assertEqual(plugin.output(), "done")

    def test_a_stronger_landlock_than_there_is(self):
        plugin = self.start_probe("thread", options=["--accept-weaker", "--require", "landlock=99,seccomp"])
        self.assertEqual(plugin.unmet(), [("landlock", "-")])
        self.assertGreaterEqual(int(plugin.state("landlock")), 1)


class OlderKernels(LauncherTest):
    """Launchers that believe to find an older Landlock ABI."""

    def launcher(self, abi):
        return {"launcher": f"{BUILD}/launcher-abi-{abi}"}

    def test_each_abi_is_accepted_by_the_kernel(self):
        path = self.file(mode=0o666)
        for abi in range(1, 7):
            with self.subTest(abi):
                plugin = self.start_probe("read", path, **self.launcher(abi))
                self.assertEqual((plugin.state("landlock"), plugin.output()), (str(abi), "EACCES"))
                for attempt in ("write", "empty", "truncate"):
                    self.assertIn(self.probe(attempt, path, **self.launcher(abi)), ("EACCES", "EPERM"))
        self.assertEqual(os.path.getsize(path), 6)

    def test_a_file_that_can_be_read_cannot_be_emptied_before_abi_3(self):
        path = self.file(mode=0o666)
        for abi in (1, 2, 3):
            self.assertIn(self.probe("empty", path, options=["--ro", path], **self.launcher(abi)), ("EACCES", "EPERM"))
        self.assertEqual(os.path.getsize(path), 6)

    def test_ports_need_abi_4(self):
        self.assertIn("Landlock ABI 4 is needed (Linux 6.7), and 3 is in force.",
                      self.start_probe("thread", options=["--connect", "443"], **self.launcher(3)).status[-1])
        declared, other = (str(self.listener().getsockname()[1]) for _ in range(2))
        options = ["--connect", declared]
        self.assertEqual(self.probe("tcp", declared, options=options, **self.launcher(4)), "done")
        self.assertEqual(self.probe("tcp", other, options=options, **self.launcher(4)), "EACCES")

    def test_signals_of_child_processes_need_abi_6(self):
        parent = str(os.getpid())
        self.assertEqual(self.probe("kill", parent, options=["--processes"], **self.launcher(5)), "EPERM")
        self.assertEqual(self.probe("raise", options=["--processes"], **self.launcher(5)), "done")

    def test_a_demand_above_it_is_refused(self):
        plugin = self.start_probe("thread", options=["--require", "landlock=6,seccomp"], **self.launcher(5))
        self.assertEqual(plugin.failure(), ("landlock", "-"))
