"""A daemon with three HTTP addresses, virtual phones that it believes, and the credentials of its callers."""

from __future__ import annotations

import base64
import hashlib
import pathlib
import socket
import subprocess
import sys
import time

from assay.v1 import attestation_pb2 as api
from assay.v1 import evidence_pb2 as evidence
from checks import expect

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))

from free_ports import free_ports  # noqa: E402

APP = "photos"
# It may ask for one verdict a day.
RATED_APP = "rated"
APP_ID = "TEAMID1234.com.example.photos"
PHOTO = b"a photo"

CONFIGURATION = """\
listen:
  - unix: assayd.sock
  - tcp: {plain}
    protocol: http
  - tls: {mutual}
    protocol: http
  - tls: {optional}
    protocol: http
    client_certificates: optional
http:
  health: true
  reflection: true
  openapi: true
store:
  path: ledger.db
tls:
  certificate: tls/server.pem
  private_key: tls/server.key
  client_ca: tls/ca.pem
callers:
  loopback_demo: true
  known:
    - name: uploads
      uri: spiffe://example.org/uploads
      roles: [verify]
      apps: [{app}]
  keys: {{roles: [verify], apps: [{app}]}}
provisioning:
  authorities:
    - name: issuing-1
      certificate: ca/issuing-1.pem
      key: ca/issuing-1.key
      passphrase_file: ca/issuing-1.passphrase
trust:
  test_roots: [{roots}]
apps:
  {app}:
    accept_simulated: true
    app_attest:
      identities:
        - app_id: {app_id}
  {rated_app}:
    rates: {{app: 1/d}}
    app_attest:
      identities:
        - app_id: {app_id}
"""


class Daemon:
    """A running assayd. `plain`, `mutual` and `optional` are its HTTP addresses: without TLS, with certificates of both sides, and with
    TLS for callers that may have an API key instead of a certificate."""

    def __init__(self, program: pathlib.Path, folder: pathlib.Path, generated: pathlib.Path) -> None:
        self.program = program
        self.command = program.parent / "assay"
        self.folder = folder
        self.descriptors = generated / "assay.descriptors"
        self.plain, self.mutual, self.optional = (f"127.0.0.1:{port}" for port in free_ports(3))
        self.log = folder / "assayd.log"
        self.process: subprocess.Popen[bytes] | None = None
        self.key = ""
        self.key_id = b""
        self._known_phones: set[str] = set()

    # MARK: Start and end

    def start(self) -> None:
        """Makes what it needs, starts it, waits until it listens, and registers a phone."""
        make_certificates(self.folder / "tls")
        self.assay("ca", "init", "ca", "--organization", "Example Cameras")
        phones = ["phone", "second-phone"]
        for phone in phones:
            self.assay("simulate", "phone", self.folder / phone, "--app-id", APP_ID)
        text = CONFIGURATION.format(
            plain=self.plain, mutual=self.mutual, optional=self.optional, app=APP, rated_app=RATED_APP, app_id=APP_ID,
            roots=", ".join(f"{phone}/root.pem" for phone in phones))
        configuration = self.folder / "assayd.yaml"
        configuration.write_text(text)
        run(self.program, "check-config", configuration)
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [self.program, "--config", configuration], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log)
        for address in (self.plain, self.mutual, self.optional):
            until(f"the daemon listens on {address}", lambda address=address: self._answers(address))
        until("the daemon answers", lambda: self.assay("status", check=False).returncode == 0)
        self.key = self.assay("key", "create", "http-clients", "--role", "verify", "--app", APP).stdout.strip()
        challenge = self.assay("challenge", "--app", APP, "--purpose", "register").stdout.strip()
        self.key_id, attestation = self.sign("attest", "phone", challenge)
        file = self.folder / "attestation.cbor"
        file.write_bytes(attestation)
        self.assay(
            "verify", "--app", APP, "--challenge", challenge, "--key-id", base64.b64encode(self.key_id).decode(), "--attestation", file)

    def _answers(self, address: str) -> bool:
        if self.process is None or self.process.poll() is not None:
            raise RuntimeError(f"the daemon ended: {self.last_words()}")
        return accepts(address)

    def stop(self) -> int:
        """Asks it to stop, as systemd does. Returns its exit status."""
        if self.process is None:
            return 0
        self.process.terminate()
        try:
            return self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise
        finally:
            self.process = None

    def last_words(self) -> str:
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-12:]) if self.log.exists() else ""

    # MARK: Credentials

    def file(self, name: str) -> pathlib.Path:
        """A file of the certificates: ca.pem, uploads.pem, uploads.key."""
        return self.folder / "tls" / name

    # MARK: The phone's part

    def sign(
        self, what: str, phone: str, challenge: str, payload: pathlib.Path | None = None
    ) -> tuple[bytes, bytes]:
        """The id of a phone's key, and what it signs over a challenge in Base64."""
        out = self.folder / f"{what}.out"
        arguments: list[object] = ["simulate", what, self.folder / phone, "--challenge", challenge, "--out", out]
        printed = self.assay(*arguments, *(["--payload", payload] if payload else [])).stdout
        key_id = next(text.split()[-1] for text in printed.splitlines() if text.startswith("key id"))
        return base64.b64decode(key_id), out.read_bytes()

    def registration(self, challenge: bytes, phone: str) -> api.VerifyRequest:
        """The request that registers a phone."""
        key_id, attestation = self.sign("attest", phone, text_of(challenge))
        piece = evidence.Evidence(app_attest_attestation={"key_id": key_id, "attestation": attestation})
        request = api.VerifyRequest(app=APP, purpose=evidence.PURPOSE_REGISTER, challenge=challenge, evidence=[piece])
        request.binding.client_data.SetInParent()
        return request

    def upload(self, challenge: bytes, phone: str = "phone", **fields: object) -> api.VerifyRequest:
        """The request for a verdict over a photo that a phone signed. The daemon knows "phone" from the start."""
        photo = self.folder / "photo.jpg"
        photo.write_bytes(PHOTO)
        key_id, assertion = self.sign("assert", phone, text_of(challenge), photo)
        piece = evidence.Evidence(app_attest_assertion={"key_id": key_id, "assertion": assertion})
        request = api.VerifyRequest(
            app=APP, purpose=evidence.PURPOSE_ASSERT, challenge=challenge, evidence=[piece], **fields)
        request.binding.client_data.payload_sha256 = hashlib.sha256(PHOTO).digest()
        return request

    # MARK: The command line

    def assay(self, *arguments: object, check: bool = True) -> subprocess.CompletedProcess[str]:
        return run(self.command, *arguments, cwd=self.folder, environment={"ASSAY_SERVER": "unix:assayd.sock"}, check=check)


def challenge_request(purpose: int = evidence.PURPOSE_ASSERT) -> api.IssueChallengeRequest:
    return api.IssueChallengeRequest(app=APP, purpose=purpose)


def text_of(challenge: bytes) -> str:
    return base64.urlsafe_b64encode(challenge).rstrip(b"=").decode()


def run(
    *command: object, cwd: pathlib.Path | None = None, environment: dict[str, str] | None = None, check: bool = True,
    given: str | bytes | None = None, seconds: float = 30,
) -> subprocess.CompletedProcess[str]:
    """Runs a program to its end. With `check` a status other than 0 is an error that says what it printed."""
    import os

    words = [str(word) for word in command]
    have = given.encode() if isinstance(given, str) else given
    done = subprocess.run(
        words, cwd=cwd, env={**os.environ, **(environment or {})}, capture_output=True, timeout=seconds,
        **({"stdin": subprocess.DEVNULL} if have is None else {"input": have}))
    output, errors = done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
    if check:
        name = pathlib.Path(words[0]).name
        expect(done.returncode == 0, f"{name} ended with {done.returncode}: {errors[-400:]} {output[-400:]}")
    return subprocess.CompletedProcess(words, done.returncode, output, errors)


def accepts(address: str) -> bool:
    host, port = address.rsplit(":", 1)
    try:
        socket.create_connection((host, int(port)), 1).close()
    except OSError:
        return False
    return True


def until(what: str, condition, seconds: float = 30) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(what)
        time.sleep(0.05)


# MARK: Certificates

def make_certificates(folder: pathlib.Path) -> None:
    """A CA, and certificates of the daemon and of the caller "uploads", as docs/operate/callers.md makes them."""
    folder.mkdir(mode=0o700)
    openssl(folder, "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", "ca.key")
    openssl(
        folder, "req", "-x509", "-new", "-key", "ca.key", "-sha256", "-days", "30", "-subj", "/CN=Callers CA",
        "-addext", "keyUsage=critical,keyCertSign,cRLSign", "-out", "ca.pem")
    issue(folder, "server", "DNS:localhost,IP:127.0.0.1", "serverAuth")
    issue(folder, "uploads", "URI:spiffe://example.org/uploads", "clientAuth")


def issue(folder: pathlib.Path, name: str, names: str, usage: str) -> None:
    openssl(folder, "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", f"{name}.key")
    openssl(folder, "req", "-new", "-key", f"{name}.key", "-subj", f"/CN={name}", "-out", f"{name}.csr")
    extensions = [
        "basicConstraints=critical,CA:FALSE", "keyUsage=critical,digitalSignature", f"extendedKeyUsage={usage}",
        f"subjectAltName={names}",
    ]
    (folder / f"{name}.ext").write_text("\n".join(extensions) + "\n")
    openssl(
        folder, "x509", "-req", "-in", f"{name}.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-sha256",
        "-days", "30", "-extfile", f"{name}.ext", "-out", f"{name}.pem")


def openssl(folder: pathlib.Path, *arguments: str) -> None:
    run("openssl", *arguments, cwd=folder)


