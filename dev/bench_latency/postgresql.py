"""A PostgreSQL server with two standbys of which one confirms each commit, on this machine and for this run."""

import os
import pathlib
import pwd
import random
import shutil
import signal
import socket
import subprocess
import time

# Debian's package makes this user; the server refuses to run as root.
USER = "postgres"
SETTINGS = """
listen_addresses = ''
unix_socket_directories = '{folder}'
port = {port}
max_connections = 100
shared_buffers = 256MB
synchronous_standby_names = 'ANY 1 (one, two)'
"""


def programs():
    """The folder of the newest server's programs; None on a machine without them."""
    versions = [p for p in pathlib.Path("/usr/lib/postgresql").glob("*/bin/initdb") if p.parent.parent.name.isdigit()]
    return max((p.parent for p in versions), key=lambda folder: int(folder.parent.name), default=None)


class Server:
    """One server's data and first process."""

    def __init__(self, cluster, name, port):
        (self.cluster, self.name, self.port) = (cluster, name, port)
        self.data = cluster.folder / name
        self.process = None

    def start(self):
        self.process = subprocess.Popen(
            [self.cluster.programs / "postgres", "-D", self.data, "-p", str(self.port)], cwd=self.cluster.folder,
            stdin=subprocess.DEVNULL, stdout=self.cluster.log, stderr=self.cluster.log, **self.cluster.user)
        end = time.monotonic() + 60
        while self.cluster.call("pg_isready", "-q", "-h", self.cluster.folder, "-p", str(self.port)).returncode != 0:
            if time.monotonic() > end or self.process.poll() is not None:
                raise SystemExit(f"the database {self.name} does not start:\n" + self.cluster.said())
            time.sleep(0.05)

    def die(self):
        """Ends all its processes at once, as a machine's end does."""
        if self.process:
            # Their parent's death ends the others.
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
            self.process = None

    def stop(self):
        if self.process:
            self.process.send_signal(signal.SIGQUIT)
            self.process.wait()
            self.process = None


class Cluster:
    def __init__(self):
        self.programs = programs()
        self.folder = pathlib.Path(f"/tmp/assay-pg-{random.getrandbits(32)}")
        self.servers = []
        self.user = {}
        if os.geteuid() == 0:
            account = pwd.getpwnam(USER)
            self.user = {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}

    def __enter__(self):
        self.folder.mkdir(mode=0o755)
        self.log = open(self.folder / "log", "w")
        if self.user:
            os.chown(self.folder, self.user["user"], self.user["group"])
        try:
            (primary, one, two) = (Server(self, name, port) for name, port in zip(["primary", "one", "two"], self.ports()))
            self.servers = [primary, one, two]
            self.run("initdb", "-D", primary.data, "-U", "owner", "-E", "UTF8", "--locale=C", "--no-sync", "--auth-local=trust")
            with open(primary.data / "postgresql.conf", "a") as settings:
                settings.write(SETTINGS.format(folder=self.folder, port=primary.port))
            primary.start()
            for standby in [one, two]:
                source = f"host={self.folder} port={primary.port} user=owner application_name={standby.name}"
                self.run("pg_basebackup", "-d", source, "-D", standby.data, "-R", "-X", "stream", "-c", "fast", "--no-sync")
                standby.start()
            for statement in ["CREATE ROLE assay LOGIN", "CREATE DATABASE assay OWNER assay"]:
                self.run("psql", "-qXh", self.folder, "-p", str(primary.port), "-U", "owner", "-d", "postgres", "-c", statement)
            return self
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *_):
        for server in reversed(self.servers):
            server.stop()
        self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    @staticmethod
    def ports():
        """The numbers of the sockets' files, which no server on this machine has."""
        sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(3)]
        ports = [one.getsockname()[1] for one in sockets]
        for one in sockets:
            one.close()
        return ports

    def call(self, program, *arguments):
        return subprocess.run(
            [self.programs / program, *arguments], cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            **self.user)

    def run(self, program, *arguments):
        result = self.call(program, *arguments)
        if result.returncode != 0:
            raise SystemExit(f"{program}: exit status {result.returncode}\n{result.stderr}")

    def said(self):
        return (self.folder / "log").read_text()[-2000:]

    @property
    def store(self):
        """The section `store` of a daemon."""
        hosts = f'["{self.folder}:{self.servers[0].port}"]'
        return f"{{postgresql: {{hosts: {hosts}, database: assay, user: assay, writer: latency, require_standby: true}}, folder: .}}"

    def lose_standby(self):
        self.servers[1].die()
