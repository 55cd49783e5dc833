"""A daemon that listens over HTTP in clear and with TLS, in a folder that is thrown away."""

from __future__ import annotations

import pathlib
import socket
import subprocess
import sys
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))

from free_ports import free_ports  # noqa: E402

APP = "photos"
APP_ID = "TEAMID1234.com.example.photos"

CONFIGURATION = """\
listen:
  - unix: assayd.sock
  - tcp: {plain}
    protocol: http
  - tls: {tls}
    protocol: http
    client_certificates: optional
http:
  health: true
  reflection: true
  openapi: true
limits:
  max_connections: {connections}
store:
  path: ledger.db
tls:
  certificate: tls/server.pem
  private_key: tls/server.key
  client_ca: tls/server.pem
callers:
  loopback_demo: true
  keys: {{roles: [verify, observe], apps: all}}
provisioning:
  authorities:
    - name: issuing-1
      certificate: ca/issuing-1.pem
      key: ca/issuing-1.key
      passphrase_file: ca/issuing-1.passphrase
verdicts:
  record: all
trust:
  test_roots: [phone/root.pem]
apps:
  {app}:
    accept_simulated: true
    provisioning: {{}}
    certificate_bundle: {{}}
    app_attest:
      identities:
        - app_id: {app_id}
  cameras:
    provisioning:
      subject: {{organization: Example Cameras}}
      fleet:
        manufacturer: Example Cameras
        validation_endpoint: https://validate.example.org
    certificate_bundle: {{}}
"""


class Daemon:
    """A running assayd. `plain` and `tls` are its HTTP addresses: in clear, where every caller may do everything, and with TLS, where a caller
    needs an API key."""

    def __init__(self, program: pathlib.Path, folder: pathlib.Path, connections: int = 16384) -> None:
        self.program = program
        self.folder = folder
        self.connections = connections
        self.plain, self.tls = (f"127.0.0.1:{port}" for port in free_ports(2))
        self.log = folder / "assayd.log"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Makes what it needs, starts it, and waits until it listens."""
        certificates = self.folder / "tls"
        certificates.mkdir(mode=0o700)
        run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "30",
            "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
            "-keyout", certificates / "server.key", "-out", certificates / "server.pem")
        (certificates / "server.key").chmod(0o600)
        self.assay("ca", "init", "ca", "--organization", "Example Cameras")
        self.assay("simulate", "phone", "phone", "--app-id", APP_ID)
        configuration = self.folder / "assayd.yaml"
        configuration.write_text(CONFIGURATION.format(
            plain=self.plain, tls=self.tls, app=APP, app_id=APP_ID, connections=self.connections))
        run(self.program, "check-config", configuration)
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [self.program, "--config", configuration], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log)
        deadline = time.monotonic() + 30
        while not all(accepts(address) for address in (self.plain, self.tls)):
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"the daemon does not listen: {self.last_words()}")
            time.sleep(0.05)

    def stop(self) -> int:
        """Asks it to stop, as systemd does. Returns its exit status."""
        if self.process is None:
            return 0
        self.process.terminate()
        try:
            return self.process.wait(30)
        finally:
            self.kill()

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def last_words(self) -> str:
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-12:]) if self.log.exists() else ""

    def assay(self, *arguments: object) -> str:
        """What the command line prints."""
        return run(self.program.parent / "assay", *arguments, cwd=self.folder)

    # MARK: What it uses

    @property
    def resident(self) -> float:
        """Its memory in MiB."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text() if self.process else ""
        return next((int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmRSS")), 0)

    @property
    def processor(self) -> float:
        """Seconds of processors since its start."""
        if self.process is None:
            return 0
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / 100

    @property
    def descriptors(self) -> int:
        return len(list(pathlib.Path(f"/proc/{self.process.pid}/fd").iterdir())) if self.process else 0


def run(*command: object, cwd: pathlib.Path | None = None) -> str:
    import os

    done = subprocess.run(
        [str(word) for word in command], cwd=cwd, env={**os.environ, "ASSAY_SERVER": "unix:assayd.sock"},
        stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
    if done.returncode:
        name = pathlib.Path(str(command[0])).name
        raise RuntimeError(f"{name} ended with {done.returncode}: {done.stderr.decode(errors='replace')[-600:]}")
    return done.stdout.decode(errors="replace")


def accepts(address: str) -> bool:
    host, port = address.rsplit(":", 1)
    try:
        with socket.create_connection((host, int(port)), 1):
            return True
    except OSError:
        return False
