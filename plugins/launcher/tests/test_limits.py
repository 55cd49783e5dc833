"""Resource limits, tried from inside."""

import os
import resource

from launch import SANITIZED, LauncherTest, say_skipped

MEBIBYTE = 1 << 20


class Limits(LauncherTest):
    def setUp(self):
        if SANITIZED:
            say_skipped("limits of memory end a launcher that is built with a sanitizer")

    def test_address_space_is_bounded(self):
        for name in ("as", "data"):
            with self.subTest(name):
                options = ["--limit", f"{name}={64 * MEBIBYTE}"]
                self.assertEqual(self.probe("memory", "32", options=options), "done")
                self.assertEqual(self.probe("memory", "128", options=options), "ENOMEM")
        self.assertEqual(self.probe("memory", "128"), "done")

    def test_a_limit_below_what_the_launcher_needs_is_refused(self):
        plugin = self.start_probe("thread", options=["--limit", "as=1"])
        self.assertEqual(plugin.failure(), ("seccomp", "ENOMEM"))
        self.assertIn("raise the limit", plugin.status[-1])

    def test_descriptors_are_bounded(self):
        self.assertEqual(self.probe("descriptors", "64"), "done")
        self.assertEqual(self.probe("descriptors", "64", options=["--limit", "nofile=64"]), "EMFILE")
        self.assertEqual(self.probe("descriptors", "60", options=["--limit", "nofile=64"]), "done")

    def test_files_in_memory_are_bounded(self):
        self.assertEqual(self.probe("grow", str(2 * MEBIBYTE), options=["--limit", f"fsize={MEBIBYTE}"]), "EFBIG")
        self.assertEqual(self.probe("grow", str(MEBIBYTE), options=["--limit", f"fsize={MEBIBYTE}"]), "done")

    def test_processor_time_is_bounded(self):
        self.assertEqual(self.probe("burn", options=["--limit", "cpu=1"]), "SIGKILL")

    def test_threads_are_bounded_also_where_the_user_is_the_daemons(self):
        wanted = 20_000
        got = int(self.probe("threads", str(wanted), options=["--threads", "20"]))
        self.assertGreaterEqual(got, 20)
        # What the user's other processes may grow by is in the kernel's count too; they may end meanwhile.
        self.assertLess(got, 1000)
        self.assertEqual(int(self.probe("threads", "400", options=["--threads", "1000"])), 400)

    def test_the_bound_of_threads_is_what_the_user_has_and_as_many_more(self):
        plugin = self.start_probe("thread", options=["--threads", "20"])
        held = dict(item.split("=") for item in plugin.state("limits").split(" "))
        self.assertGreaterEqual(int(held["nproc"]), 20 + 256)
        self.assertLess(int(held["nproc"]), 20 + 256 + 20_000)

    def test_the_nice_value_is_the_plugins_own(self):
        # The tests themselves may have been started with one.
        own = os.nice(0)
        self.assertEqual(self.probe("nice", options=["--nice", "7"]), str(max(own, 7)))
        self.assertEqual(self.probe("nice", options=["--nice", "0"], before=lambda: os.nice(3)), str(min(own + 3, 19)))
        self.assertEqual(self.probe("nice"), str(own))

    def test_the_report_says_what_holds(self):
        options = ["--limit", "as=1073741824", "--limit", "nofile=64", "--limit", "cpu=3600"]
        held = dict(item.split("=") for item in self.start_probe("thread", options=options).state("limits").split(" "))
        own = resource.getrlimit(resource.RLIMIT_MEMLOCK)[1]
        locked = 1_048_576 if own == resource.RLIM_INFINITY else min(own, 1_048_576)
        self.assertEqual({name: held[name] for name in ("core", "memlock", "as", "nofile", "cpu")},
                         {"core": "0", "memlock": str(locked), "as": "1073741824", "nofile": "64", "cpu": "3600"})
        self.assertEqual(set(held), {"core", "memlock", "as", "data", "nofile", "fsize", "cpu", "nproc", "nice"})

    def test_the_daemons_own_limits_are_not_exceeded(self):
        def lower():
            resource.setrlimit(resource.RLIMIT_NOFILE, (32, 32))

        plugin = self.start_probe("descriptors", "40", options=["--limit", "nofile=64"], before=lower)
        self.assertIn("nofile=32", plugin.state("limits").split(" "))
        self.assertEqual(plugin.output(), "EMFILE")
