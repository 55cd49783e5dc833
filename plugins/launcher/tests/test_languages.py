"""Programs as plugins are: static C, dynamic C, Python."""

import os
import shutil

from launch import DYNAMIC_PROBE, SANITIZED, LauncherTest, read_file, say_skipped

INTERPRETER = "/usr/bin/python3"
HERE = os.path.dirname(os.path.abspath(__file__))


def elf_interpreter(path):
    """PT_INTERP, as the kernel finds it."""
    content = read_file(path)
    start = content.index(b"/ld-") if b"/ld-" in content[:4096] else -1
    begin = content.rindex(b"\0", 0, start) + 1
    return content[begin:content.index(b"\0", start)].decode()


class Dynamic(LauncherTest):
    def options(self):
        return ["--exec", DYNAMIC_PROBE, "--rx", elf_interpreter(DYNAMIC_PROBE), "--ro", "/usr/lib"]

    def test_it_runs(self):
        plugin = self.start(self.options(), ["probe", "echo"])
        self.assertEqual(plugin.state("exec"), "probe", plugin.status)
        self.assertEqual(plugin.ask(b"a request"), b"a request")
        plugin.connection.shutdown(1)
        self.assertEqual((plugin.wait(), plugin.output()), (0, "done"))

    def test_its_sandbox_is_the_same(self):
        for attempt, refusal in [("fork", "EPERM"), ("tcp", "EPERM"), ("thread", "done")]:
            self.assertEqual(self.start(self.options(), ["probe", attempt, "9"]).output(), refusal)
        self.assertEqual(self.start(self.options(), ["probe", "read", "/etc/hosts"]).output(), "EACCES")


class Python(LauncherTest):
    # What refuses is what refuses the probes in C; the exceptions are what an author sees.
    EXPECTED = {
        "threads": "done", "asyncio": "done", "protobuf": "done", "ssl": "done", "hosts": "PermissionError 13",
        "environ": "PermissionError 13", "write": "PermissionError 13", "tcp": "PermissionError 1", "fork": "PermissionError 1",
        "subprocess": "PermissionError 1", "signal": "PermissionError 1", "memory": "MemoryError",
    }

    def options(self):
        if not os.path.isdir("/usr/lib/python3/dist-packages/google/protobuf"):
            say_skipped("there is no protobuf for /usr/bin/python3")
        folder = self.folder()
        shutil.copy(f"{HERE}/python_plugin.py", folder)
        os.chmod(f"{folder}/python_plugin.py", 0o644)
        options = ["--exec", INTERPRETER, "--rx", elf_interpreter(INTERPRETER), "--ro", "/usr/lib", "--ro", folder]
        if not SANITIZED:
            options = ["--limit", f"as={512 << 20}", *options]
        return options, [INTERPRETER, "-I", "-B", f"{folder}/python_plugin.py"]

    def test_it_runs_and_is_refused_what_a_plugin_may_not(self):
        options, argv = self.options()
        expected = dict(self.EXPECTED)
        if SANITIZED:
            expected["memory"] = "done"
        plugin = self.start(options, argv)
        self.assertEqual(plugin.ask(b"a request"), b"A REQUEST", plugin.status)
        plugin.connection.shutdown(1)
        self.assertEqual(plugin.wait(), 0)
        found = dict(line.split(": ") for line in plugin.output().splitlines())
        self.assertEqual(found, expected)

    def test_it_starts_processes_where_that_is_declared(self):
        options, argv = self.options()
        options += ["--processes", "--rx", "/usr/bin"]
        plugin = self.start(options, argv)
        plugin.connection.shutdown(1)
        self.assertIn("subprocess: done", plugin.output())

    def test_it_looks_up_a_name_and_connects_where_that_is_declared(self):
        port = str(self.listener().getsockname()[1])
        options, argv = self.options()
        program = f"import socket; socket.create_connection(('localhost', {port})); print('connected')"
        for path in ("/etc/hosts", "/etc/nsswitch.conf"):
            options += ["--ro", path] if os.path.exists(path) else []
        for power in ([], ["--udp"]):
            plugin = self.start([*options, "--connect", port, *power], [*argv[:-1], "-c", program])
            self.assertEqual(plugin.output(), "connected", power)

    def test_a_folder_that_is_not_granted_is_a_missing_module(self):
        options, argv = self.options()
        plugin = self.start(options[:-2], argv)
        self.assertEqual(plugin.wait(), 2)
        self.assertIn("Permission denied", plugin.output())
