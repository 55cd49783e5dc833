"""Starts the launcher as the daemon does: descriptors 0 to 5, an empty environment, and a reader of its status lines."""

import errno
import fcntl
import os
import select
import signal
import socket
import sys
import tempfile
import time
import unittest

BUILD = os.environ["ASSAY_TEST_BUILD"]
LAUNCHER = f"{BUILD}/assay-plugin-launcher"
SANITIZED = "ASSAY_TEST_SANITIZED" in os.environ
PROBE = f"{BUILD}/probe"
DYNAMIC_PROBE = f"{BUILD}/probe-dynamic"
FILTERED = f"{BUILD}/filtered"
PLAIN = 65534  # a user without rights
IS_ROOT = os.geteuid() == 0
DEADLINE = 20.0


def memory_file(content, *, sealed=True):
    descriptor = os.memfd_create("plugin", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.write(descriptor, content)
    os.fchmod(descriptor, 0o555)
    if sealed:
        seal(descriptor)
    return descriptor


def seal(descriptor):
    """As the daemon does: it tries again while the kernel itself holds a page of the file (EBUSY)."""
    seals = fcntl.F_SEAL_SEAL | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_WRITE
    for _ in range(20):
        try:
            return fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, seals)
        except OSError as error:
            if error.errno != errno.EBUSY:
                raise
            time.sleep(0.05)
    raise TimeoutError("the kernel holds a page of the file for over a second")


def read_file(path):
    with open(path, "rb") as file:
        return file.read()


def read_to_end(descriptor, deadline=DEADLINE):
    """Everything until the last holder closes the other end."""
    content = b""
    ends = time.monotonic() + deadline
    while select.select([descriptor], [], [], max(0, ends - time.monotonic()))[0]:
        part = os.read(descriptor, 65536)
        if not part:
            return content
        content += part
    raise TimeoutError(f"no end within {deadline} s, after {content!r}")


def ends_within(process_descriptor, seconds):
    return bool(select.select([process_descriptor], [], [], seconds)[0])


def pipe_above_the_plugins():
    """A pipe whose descriptors `place` leaves alone."""
    ends = os.pipe()
    high = tuple(fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 200) for end in ends)
    for end in ends:
        os.close(end)
    return high


def place(descriptors):
    """Makes descriptor n of `descriptors[n]`, for a child that is about to exec. All others keep their CLOEXEC flag."""
    high = {target: fcntl.fcntl(source, fcntl.F_DUPFD_CLOEXEC, 100) for target, source in descriptors.items()}
    for target in range(3, 10):
        try:
            os.close(target)
        except OSError:
            pass
    for target, source in high.items():
        os.dup2(source, target)


def end_group(pid, handle):
    """Ends a process that was not waited for, so that its number is still its own, and its group where it has one."""
    try:
        if os.getpgid(pid) == pid:
            os.killpg(pid, signal.SIGKILL)
        signal.pidfd_send_signal(handle, signal.SIGKILL)
    except ProcessLookupError:
        pass  # it ended by itself


class Plugin:
    """A started launcher, and what becomes of it."""

    # `prelude` is a list of rules for tests/filtered.c, `through` a command that runs the launcher, `before` runs in the child first.
    def __init__(self, options, argv, *, executable=None, prelude=(), through=(), before=None, launcher=None, parent=None, defaults=True):
        status_read, status_write = os.pipe()
        output_read, output_write = os.pipe()
        self.connection, theirs = socket.socketpair()
        null = os.open("/dev/null", os.O_RDWR | os.O_CLOEXEC)
        descriptors = {0: null, 1: output_write, 2: output_write, 3: theirs.fileno(), 4: status_write}
        if executable is not None:
            descriptors[5] = executable
        chosen = ["--parent", str(parent or os.getpid())] if defaults else []
        if defaults and executable is not None:
            chosen.append("--exec-fd")
        if defaults and IS_ROOT:
            chosen += ["--user", f"{PLAIN}:{PLAIN}"]
        command = [launcher or LAUNCHER, *chosen, *options, "--", *argv]
        if prelude:
            command = [FILTERED, *prelude, "--", *command]
        command = [*through, *command]
        self.pid = os.fork()
        if self.pid == 0:
            try:
                place(descriptors)
                if before:
                    before()
                os.execve(command[0], command, {"LEAKED": "from the daemon", "ASAN_OPTIONS": "detect_leaks=0"})
            except BaseException as error:  # a child that returned would run the tests twice
                os.write(2, str(error).encode())
            os._exit(99)
        self.handle = os.pidfd_open(self.pid)
        for descriptor in (status_write, output_write, null):
            os.close(descriptor)
        theirs.close()
        self.output_descriptor = output_read
        self.code = None
        try:
            self.status = read_to_end(status_read).decode().splitlines()
        finally:
            os.close(status_read)

    def state(self, step):
        """What "=step" says."""
        found = [line.partition(" ")[2] for line in self.status if line.startswith(f"={step} ")]
        return found[0] if len(found) == 1 else found

    def failure(self):
        """The step and the error of the line that ends a failed start."""
        last = self.status[-1].split(" ")
        return (last[0][1:], last[1]) if last[0].startswith("!") else None

    def unmet(self):
        return [tuple(line[1:].split(" ")[:2]) for line in self.status if line.startswith("-")]

    def wait(self):
        """The exit status, or minus the signal."""
        if self.code is None:
            if not ends_within(self.handle, DEADLINE):
                raise TimeoutError("the process does not end")
            self.code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self.code

    def output(self):
        return read_to_end(self.output_descriptor).decode().strip()

    def ask(self, request):
        """What comes back on the connection."""
        self.connection.settimeout(DEADLINE)
        self.connection.sendall(request)
        return self.connection.recv(4096)

    def close(self):
        self.connection.close()
        if self.code is None:
            end_group(self.pid, self.handle)
            self.wait()
        os.close(self.handle)
        os.close(self.output_descriptor)


class LauncherTest(unittest.TestCase):
    """What the tests share."""

    def start(self, options=(), argv=("plugin",), **other):
        plugin = Plugin(list(options), list(argv), **other)
        self.addCleanup(plugin.close)
        return plugin

    def start_probe(self, *attempt, options=(), **other):
        executable = memory_file(read_file(PROBE))
        self.addCleanup(os.close, executable)
        return self.start(options, ("probe", *attempt), executable=executable, **other)

    def probe(self, *attempt, options=(), **other):
        """What the probe prints under the launcher; or how it ended, if it printed nothing."""
        plugin = self.start_probe(*attempt, options=options, **other)
        self.assertIsNone(plugin.failure(), plugin.status)
        code = plugin.wait()
        return plugin.output() or (signal.Signals(-code).name if code < 0 else code)

    def probe_freely(self, *attempt):
        """What the probe prints without the launcher, as the same user: the attempt itself is a good one."""
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            os.dup2(write, 1)
            os.execve(PROBE, ["probe", *attempt], {})
        os.close(write)
        try:
            output = read_to_end(read).decode().strip()
        finally:
            os.close(read)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        return output or (signal.Signals(-code).name if code < 0 else code)

    def folder(self):
        """An empty folder that the plugin's user can enter."""
        folder = tempfile.TemporaryDirectory(dir=os.environ["ASSAY_TEST_FOLDER"])
        self.addCleanup(folder.cleanup)
        os.chmod(folder.name, 0o755)
        return folder.name

    def file(self, content=b"secret", mode=0o600):
        path = f"{self.folder()}/file"
        with open(path, "wb") as file:
            file.write(content)
        os.chmod(path, mode)
        return path

    def listener(self, family=socket.AF_INET, address=("127.0.0.1", 0), kind=socket.SOCK_STREAM):
        end = socket.socket(family, kind)
        self.addCleanup(end.close)
        end.bind(address)
        if kind == socket.SOCK_STREAM:
            end.listen()
        return end


def say_skipped(text):
    print(f"skipped: {text}", file=sys.stderr)
    raise unittest.SkipTest(text)
