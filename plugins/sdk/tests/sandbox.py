"""Starts a plugin through the launcher, as the daemon does: in the sandbox. Not a test itself."""
import os
import select
import struct
import time

UNPRIVILEGED = "65534:65534"
START_SECONDS = 10
# Descriptor 4: where the launcher writes what it has enforced.
STATUS = 4


class StartFailed(Exception):
    """The launcher refused to start the plugin."""


class Sandbox:
    """`powers` are options of the launcher: --ro, --rx, --connect, --udp, --limit."""

    def __init__(self, launcher, powers=()):
        self.launcher, self.powers = os.path.abspath(launcher), list(powers)

    def command(self, command, environment):
        """The command that starts `command` in the sandbox."""
        options = ["--parent", str(os.getpid()), "--exec", command[0]]
        if os.geteuid() == 0:
            options += ["--user", UNPRIVILEGED]
        # A static executable has none, and needs no library.
        interpreter = elf_interpreter(command[0])
        if interpreter:
            options += ["--rx", interpreter, "--ro", "/usr/lib"]
        for name, value in environment.items():
            options += ["--env", f"{name}={value}"]
        return [self.launcher, *options, *self.powers, "--", *command]


def require_started(status):
    """Reads the launcher's status lines from the pipe, to its end."""
    lines = read_to_end(status).decode(errors="replace").splitlines()
    if not lines or not lines[-1].startswith("=exec"):
        raise StartFailed(f"the launcher did not start the plugin: {lines[-1] if lines else 'no status'}")


def read_to_end(descriptor):
    content, limit = b"", time.monotonic() + START_SECONDS
    while select.select([descriptor], [], [], max(0, limit - time.monotonic()))[0]:
        part = os.read(descriptor, 65536)
        if not part:
            return content
        content += part
    raise StartFailed(f"the launcher did not end its report within {START_SECONDS} s, after {content!r}")


def elf_interpreter(path):
    """The program that loads a dynamic executable of 64 bits, little-endian (PT_INTERP); None for a static one."""
    with open(path, "rb") as file:
        header = file.read(64)
        if header[:6] != b"\x7fELF\2\1":
            raise StartFailed(f"{path} is no ELF executable of 64 bits")
        table, size, count = struct.unpack_from("<Q", header, 32)[0], *struct.unpack_from("<HH", header, 54)
        for index in range(count):
            file.seek(table + index * size)
            entry = file.read(size)
            if struct.unpack_from("<I", entry)[0] == 3:
                file.seek(struct.unpack_from("<Q", entry, 8)[0])
                return file.read(struct.unpack_from("<Q", entry, 32)[0]).rstrip(b"\0").decode()
    return None
