"""A daemon that signs results about virtual devices, and everything that it signed, in a folder that is thrown away."""

from __future__ import annotations

import base64
import hashlib
import json
import pathlib
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable

import cbor2
from checks import expect

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))

from free_ports import free_port  # noqa: E402

APP = "photos"
APP_ID = "TEAMID1234.com.example.photos"
PACKAGE = "com.example.photos"
SIGNER = "7d1a6f1bd1c9c2d5ee0ff0b2c2a9f3f4d0b1b6a34d4c8a9d6a7c2f1e0b9d8c7a"
ISSUER = "https://assay.example.com/simulated"
AUDIENCE = "https://uploads.example.com"
CLIENT = "https://client.example.com"
NONCE = b"0123456789abcdef"
PHOTO = b"a photo"

CONFIGURATION = f"""\
listen:
  - unix: assayd.sock
  - tcp: {{address}}
    protocol: http
store:
  path: ledger.db
callers:
  loopback_demo: true
trust:
  test_roots: [iphone/root.pem, android/root.pem]
results:
  issuer: https://assay.example.com
  keys:
    - {{{{file: results-1.key, passphrase_file: results-1.passphrase}}}}
  simulated:
    issuer: {ISSUER}
    keys:
      - {{{{file: simulated-1.key, passphrase_file: simulated-1.passphrase, certificate: simulated-1.pem}}}}
apps:
  {APP}:
    accept_simulated: true
    lookup: {{{{keep: 1d}}}}
    app_attest:
      identities:
        - app_id: {APP_ID}
    android:
      packages:
        - name: {PACKAGE}
          signers: [{SIGNER}]
      revocation: {{{{source: none}}}}
    results:
      shapes: [ear-jwt, ear-cwt, session, client-attestation, wallet-instance, key-attestation, plain-jws, plain-cose]
      audiences: ["{AUDIENCE}"]
      lifetime: 1h
      status: true
      client_id: {CLIENT}
      wallet: {{{{name: Example, version: "2.1", certification: "https://wallet.example.com/certificate"}}}}
"""


class Issuer:
    """A running assayd with its published keys and one token of each shape. All are of an Android device, but `iphone`, which is a session
    token of an iPhone that was blocked afterwards."""

    def __init__(self, program: pathlib.Path, folder: pathlib.Path) -> None:
        self.program = program
        self.command = program.parent / "assay"
        self.folder = folder
        self.address = f"127.0.0.1:{free_port()}"
        self.log = folder / "assayd.log"
        self.process: subprocess.Popen[bytes] | None = None
        self.keys: dict = {}
        self.other_keys: dict = {}
        self.tokens: dict[str, bytes] = {}

    def start(self) -> None:
        self.assay("simulate", "phone", "iphone", "--app-id", APP_ID)
        self.assay("simulate", "android", "make", "android", "--package", PACKAGE, "--signer", f"hex:{SIGNER}")
        for name in ("results-1", "simulated-1"):
            self.assay("results", "new-key", name)
        run("openssl", "req", "-x509", "-new", "-key", "simulated-1.key", "-passin", "file:simulated-1.passphrase", "-sha256",
            "-days", "30", "-subj", "/CN=Results of simulated devices", "-addext", "keyUsage=critical,keyCertSign,digitalSignature",
            "-out", "simulated-1.pem", cwd=self.folder)
        configuration = self.folder / "assayd.yaml"
        configuration.write_text(CONFIGURATION.format(address=self.address))
        run(self.program, "check-config", configuration, cwd=self.folder)
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [self.program, "--config", configuration], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log)
        until("the daemon answers", self.answers)
        self.keys = json.loads(self.get("/simulated/.well-known/jwks.json"))
        # Of the same form, and not the keys of these tokens.
        self.other_keys = json.loads(self.get("/.well-known/jwks.json"))

    def sign_everything(self) -> None:
        """Registers both devices, and asks for a result of each shape."""
        photo = self.folder / "photo.jpg"
        photo.write_bytes(PHOTO)
        chain, attestation = (self.folder / name for name in ("chain.pem", "attestation"))
        challenge = self.challenge("register")
        key = self.assay("simulate", "android", "attest", "android", "--challenge", challenge, "--out", chain).stdout
        key_id = re.search(r"key id +(\S+)", key)[1]
        self.assay("verify", "--app", APP, "--challenge", challenge, "--key-attestation", chain)
        for shape in SHAPES:
            self.tokens[shape.token] = self.sign(shape, key_id)
        self.certify()
        for shape in SHORT_LIVED:
            def by_key_in_memory(shape: Shape = shape) -> bool:
                self.tokens[shape.token] = token = self.sign(shape, key_id)
                return (33 if shape.is_binary else "x5c") in header_of(token)

            until("a key in memory signs", by_key_in_memory)
        challenge = self.challenge("register")
        key = self.assay("simulate", "attest", "iphone", "--challenge", challenge, "--out", attestation).stdout
        key_id = re.search(r"key id +(\S+)", key)[1]
        self.tokens["iphone"] = self.result(
            "verify", "--app", APP, "--challenge", challenge, "--key-id", key_id, "--attestation", attestation, "--result", "session")
        self.assay("device", "block", "--app", APP, "--key-id", key_id, "--reason", "a trial")

    def sign(self, shape: Shape, key_id: str) -> bytes:
        """A result about a signature of the Android device."""
        photo, signature = self.folder / "photo.jpg", self.folder / "signature"
        if shape.name.startswith("lookup"):
            plain = "plain-cose" if shape.is_binary else "plain-jws"
            return self.result("verdicts", "find", "--app", APP, "--payload", photo, "--result", plain)
        challenge = self.challenge("assert")
        self.assay("simulate", "android", "sign", "android", "--challenge", challenge, "--payload", photo, "--out", signature)
        return self.result(
            "verify", "--app", APP, "--challenge", challenge, "--key-id", key_id, "--key-signature", signature, "--payload", photo,
            "--result", shape.name)

    def certify(self) -> None:
        """Lets the key of these results certify one in the daemon's memory, which signs from then on."""
        configuration = self.folder / "assayd.yaml"
        text = configuration.read_text()
        certificate = "certificate: simulated-1.pem"
        expect(certificate in text, "the configuration has no certificate")
        configuration.write_text(text.replace(certificate, certificate + ", certifies: {lifetime: 3h}"))
        if self.process is not None:
            self.process.send_signal(signal.SIGHUP)

    def challenge(self, purpose: str) -> str:
        return self.assay("challenge", "--app", APP, "--purpose", purpose).stdout.strip()

    def result(self, *command: object) -> bytes:
        file = self.folder / "result"
        self.assay(*command, "--audience", AUDIENCE, "--nonce", f"hex:{NONCE.hex()}", "--result-file", file)
        return file.read_bytes().removesuffix(b"\n") if file.read_bytes()[:1] == b"e" else file.read_bytes()

    def answers(self) -> bool:
        if self.process is None or self.process.poll() is not None:
            raise RuntimeError(f"the daemon ended: {self.last_words()}")
        if self.assay("status", check=False).returncode != 0:
            return False
        # Its listeners begin one after the other.
        host, port = self.address.rsplit(":", 1)
        with socket.socket() as peer:
            return peer.connect_ex((host, int(port))) == 0

    def get(self, path: str, accept: str = "*/*") -> bytes:
        request = urllib.request.Request(f"http://{self.address}{path}", headers={"Accept": accept})
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.read()

    def status_list(self, uri: str, media_type: str) -> bytes:
        """The list at an address of a result, from the daemon that stands for it."""
        expect(uri.startswith(ISSUER + "/v1/status/"), f"{uri} is not below {ISSUER}")
        return self.get("/simulated" + uri.removeprefix(ISSUER), media_type)

    def stop(self) -> int:
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

    def assay(self, *arguments: object, check: bool = True) -> subprocess.CompletedProcess[str]:
        return run(self.command, *arguments, cwd=self.folder, environment={"ASSAY_SERVER": "unix:assayd.sock"}, check=check)


class Shape:
    """A kind of token that is verified: its name, as `assay verify --result` takes it, or a name of this page, and its `typ`. `token` tells
    it from another of the same name, which another key signed."""

    def __init__(
        self, name: str, typ: str, *, issuer: bool = True, audience: bool = True, nonce: str | None = "nonce", token: str = "",
    ) -> None:
        (self.name, self.typ, self.issuer, self.audience, self.nonce) = (name, typ, issuer, audience, nonce)
        self.token = token or name
        self.is_binary = typ.startswith("application/")

    @property
    def is_plain(self) -> bool:
        """Whether a COSE message has its claims in the header."""
        return self.name in ("plain-jws", "plain-cose", "lookup-jws", "lookup-cose")

    def check(self, claims: dict) -> None:
        """Compares what every library has to find, by the names of JWT."""
        expect(not self.issuer or claims["iss"] == ISSUER, claims)
        expect("iss" in claims if self.issuer else "iss" not in claims, claims)
        expect(claims["aud"] == AUDIENCE if self.audience else "aud" not in claims, claims)
        now = time.time()
        expect(claims["iat"] <= now + 1 and now < claims["exp"] and len(decoded(claims["jti"])) == 16, claims)
        if self.nonce:
            # The credential issuer of a wallet gets its nonce as it was.
            want = NONCE.decode() if self.name == "key-attestation" else encoded(NONCE)
            expect(claims[self.nonce] == want, claims)
        own = claims["submods"]["device"]["ear_verifier_claims"] if self.name.startswith("ear-") else claims["assay"]
        expect(own["simulated"] is True, claims)
        payload = hashlib.sha256(PHOTO)
        match self.name:
            case "ear-jwt" | "ear-cwt":
                expect(claims["eat_profile"].startswith("tag:ietf.org,2026:rats/ear#"), claims)
                expect(claims["ear_status"] == "affirming", claims)
                expect(own["payload_sha256"] == payload.hexdigest(), claims)
            case "session":
                expect(len(decoded(claims["cnf"]["jkt"])) == 32 and own["payload_sha256"] == payload.hexdigest(), claims)
            case "client-attestation" | "wallet-instance":
                expect(claims["sub"] == CLIENT and sorted(claims["cnf"]["jwk"]) == ["crv", "kty", "x", "y"], claims)
            case "key-attestation":
                expect(len(claims["attested_keys"]) == 1 and claims["key_storage"] == ["iso_18045_enhanced-basic"], claims)


SHAPES = [
    Shape("ear-jwt", "eat+jwt", nonce="eat_nonce"),
    Shape("ear-cwt", "application/eat+cwt", nonce="eat_nonce"),
    Shape("session", "assay-session+jwt"),
    Shape("client-attestation", "oauth-client-attestation+jwt", issuer=False, nonce=None),
    Shape("wallet-instance", "oauth-client-attestation+jwt", issuer=False, audience=False, nonce=None),
    Shape("key-attestation", "key-attestation+jwt", issuer=False, audience=False),
    Shape("plain-jws", "assay-verdict+jwt"),
    Shape("plain-cose", "application/assay-verdict+cose"),
    Shape("lookup-jws", "assay-lookup+jwt"),
    Shape("lookup-cose", "application/assay-lookup+cose"),
]

# The same by a key in the daemon's memory.
SHORT_LIVED = [
    Shape("ear-jwt", "eat+jwt", nonce="eat_nonce", token="short-lived-jwt"),
    Shape("ear-cwt", "application/eat+cwt", nonce="eat_nonce", token="short-lived-cwt"),
]


def header_of(token: bytes) -> dict:
    """The header of a JWT, or that of a COSE message under its labels."""
    if token[0] >> 5 == 6:
        return cbor2.loads(cbor2.loads(token).value[0])
    return json.loads(decoded(token.split(b".")[0]))


def encoded(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def decoded(text: str | bytes) -> bytes:
    text = text if isinstance(text, str) else text.decode()
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def run(
    *command: object, cwd: pathlib.Path | None = None, environment: dict[str, str] | None = None, check: bool = True,
    given: bytes | None = None, seconds: float = 60,
) -> subprocess.CompletedProcess[str]:
    """Runs a program to its end. With `check` a status other than 0 is an error that says what it printed."""
    import os

    words = [str(word) for word in command]
    done = subprocess.run(
        words, cwd=cwd, env={**os.environ, **(environment or {})}, capture_output=True, timeout=seconds,
        **({"stdin": subprocess.DEVNULL} if given is None else {"input": given}))
    output, errors = done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
    if check:
        name = pathlib.Path(words[0]).name
        expect(done.returncode == 0, f"{name} {words[1]} ended with {done.returncode}: {errors[-400:]} {output[-400:]}")
    return subprocess.CompletedProcess(words, done.returncode, output, errors)


def until(what: str, condition: Callable[[], bool], seconds: float = 90) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(what)
        time.sleep(0.2)
