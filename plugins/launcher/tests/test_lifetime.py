"""A plugin does not outlive its daemon, and what it starts does not outlive its group."""

import os
import signal
import time

from launch import DEADLINE, PROBE, LauncherTest, Plugin, ends_within, memory_file, pipe_above_the_plugins, read_file, read_to_end


def kill_and_reap(process):
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)


def end(handle):
    try:
        signal.pidfd_send_signal(handle, signal.SIGKILL)
    except ProcessLookupError:
        pass  # as it should be


class ParentDeath(LauncherTest):
    def start_daemon(self, work):
        """A process that stands for the daemon: it runs `work(pipe)` and waits. Answers with its id and what it wrote."""
        read, write = os.pipe()
        daemon = os.fork()
        if daemon == 0:
            try:
                os.close(read)
                held = work(write)  # its connection stays open
                os.close(write)
                time.sleep(2 * DEADLINE)
                held.close()
            finally:
                os._exit(1)
        os.close(write)
        try:
            return daemon, read_to_end(read).decode()
        finally:
            os.close(read)

    def test_a_plugin_dies_with_the_daemon(self):
        def work(pipe):
            plugin = Plugin([], ["probe", "stay"], executable=memory_file(read_file(PROBE)))
            plugin.connection.recv(1)
            os.write(pipe, f"{plugin.pid} {plugin.status[-1]}".encode())
            return plugin

        daemon, report = self.start_daemon(work)
        self.assertRegex(report, r"^\d+ =exec probe$")
        handle = os.pidfd_open(int(report.split()[0]))
        self.addCleanup(os.close, handle)
        self.addCleanup(end, handle)
        alive = not ends_within(handle, 0.3)
        kill_and_reap(daemon)
        self.assertTrue(alive, "the plugin ended before the daemon")
        self.assertTrue(ends_within(handle, DEADLINE), "the plugin outlives the daemon")

    def test_a_daemon_that_died_during_the_start_is_noticed(self):
        # The child stops itself before the launcher runs. Its parent, whose number it was given, ends meanwhile.
        status_read, status_write = pipe_above_the_plugins()
        self.addCleanup(os.close, status_read)
        number_read, number_write = pipe_above_the_plugins()
        self.addCleanup(os.close, number_read)
        daemon = os.fork()
        if daemon == 0:
            def stop():
                os.write(number_write, str(os.getpid()).encode())
                os.dup2(status_write, 4)
                os.kill(os.getpid(), signal.SIGSTOP)

            try:
                Plugin([], ["probe"], executable=memory_file(read_file(PROBE)), before=stop)
            finally:
                os._exit(1)
        os.close(number_write)
        os.close(status_write)
        launcher = int(os.read(number_read, 20))
        self.wait_until_stopped(launcher)
        kill_and_reap(daemon)
        os.kill(launcher, signal.SIGCONT)
        lines = read_to_end(status_read).decode().splitlines()
        self.assertRegex(lines[-1], rf"^!parent - The parent is process \d+, and --parent says {daemon}: ")

    def wait_until_stopped(self, process):
        ends = time.monotonic() + DEADLINE
        while time.monotonic() < ends:
            with open(f"/proc/{process}/stat", encoding="utf-8") as file:
                if file.read().rpartition(") ")[2].startswith("T"):
                    return
            time.sleep(0.01)
        self.fail("the process does not stop")


class Group(LauncherTest):
    def test_a_plugins_processes_are_ended_with_its_group(self):
        plugin = self.start_probe("stay-with-child", options=["--processes"])
        received = b""
        while len(received) < 2:  # one byte of each process
            received += plugin.connection.recv(2)
        os.killpg(plugin.pid, signal.SIGKILL)
        # The output ends when its last holder is gone.
        self.assertEqual((plugin.wait(), plugin.output()), (-signal.SIGKILL, ""))
