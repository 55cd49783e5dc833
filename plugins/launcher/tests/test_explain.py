"""--explain: what a plugin would miss is allowed and logged by the kernel."""

import os
import re

from launch import IS_ROOT, LauncherTest, say_skipped

OPTIONS = ["--explain", "--accept-weaker"]


class Explain(LauncherTest):
    def test_unknown_calls_are_allowed_and_attacks_are_not(self):
        plugin = self.start_probe("unknown", options=OPTIONS)
        self.assertEqual((plugin.unmet(), plugin.state("seccomp"), plugin.output()), ([("seccomp", "-")], "log", "done"))
        for attempt, refusal in [("fork", "EPERM"), ("tcp", "EPERM"), ("clone3", "ENOSYS"), ("io-uring", "ENOSYS"), ("bpf", "SIGSYS")]:
            self.assertEqual(self.probe(attempt, "9", options=OPTIONS), refusal)

    def test_the_kernel_logs_an_unknown_call(self):
        if not IS_ROOT:
            self.skipTest("the kernel's log is root's")
        try:
            log = os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError as error:
            say_skipped(f"the kernel's log cannot be read: {error}")
        self.addCleanup(os.close, log)
        os.lseek(log, 0, os.SEEK_END)
        plugin = self.start_probe("unknown", options=OPTIONS)
        plugin.wait()
        lines = []
        try:
            while True:
                lines.append(os.read(log, 8192).decode(errors="replace"))
        except BlockingIOError:
            pass
        logged = [line for line in lines if "type=1326" in line and f"pid={plugin.pid} " in line]
        if not logged and not any("type=1326" in line for line in lines):
            say_skipped("this kernel's log has no audit records")
        call = {"x86_64": 68, "aarch64": 186}[os.uname().machine]  # msgget
        self.assertTrue(any(re.search(rf"syscall={call}\b", line) for line in logged), lines)
