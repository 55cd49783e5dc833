"""The cases against a daemon: `assayd dev`, and a second one with TLS, API keys and a Unix socket."""

from __future__ import annotations

import base64
import hashlib
import os
import random
import re
import select
import signal
import socket
import subprocess
import threading
import time
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional

from case import difference
from certificates import Certificates

Ask = Callable[[Dict[str, Any]], Dict[str, Any]]
PHOTO = b"a photo\n"
CONFIGURATION = """\
listen:
  - unix: assayd.sock
  - unix: http.sock
    protocol: http
  - tls: 127.0.0.1:{port}
    protocol: http
    client_certificates: optional
store:
  path: ledger.db
tls:
  certificate: {certificates}/good.pem
  private_key: {certificates}/good.key
  client_ca: {certificates}/ca.pem
callers:
  known:
    - name: operator
      unix_user: {user}
      roles: [verify, operate, observe]
      apps: all
    - name: uploads
      uri: spiffe://example.org/uploads
      roles: [verify]
      apps: [photos]
  keys: {{roles: [verify], apps: [photos]}}
apps:
  photos:
    lookup: {{}}
    app_attest:
      identities:
        - app_id: TEAMID1234.com.example.photos
  others:
    app_attest:
      identities:
        - app_id: TEAMID1234.com.example.others
"""


class Problem(Exception):
    """What is wrong with an answer."""


def encoded(data: bytes) -> str:
    return base64.b64encode(data).decode()


_CASES: Dict[str, Callable[["Session"], None]] = {}


def _case(name: str) -> Callable[[Callable[["Session"], None]], Callable[["Session"], None]]:
    def add(function: Callable[["Session"], None]) -> Callable[["Session"], None]:
        _CASES[f"daemon/{name}"] = function
        return function

    return add


def daemon_case_names() -> List[str]:
    return list(_CASES)


# What this process claims of the machine until it ends, as all tests do.
_claims: list[socket.socket] = []


def _free_port() -> int:
    """A free port below those that Linux gives to connections, which no other test of this machine gets until this process ends."""
    for port in random.sample(range(15_000, 32_000), 1000):
        claim = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            claim.bind(f"\0assay-test-port-{port}")
        except OSError:
            claim.close()
            continue
        _claims.append(claim)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue
    raise Problem("no port is free")


class Process:
    """A daemon of this run."""

    def __init__(self, command: List[str], folder: Path) -> None:
        self.log = open(folder / "log", "wb+")
        self.process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.log)
        self._drainer: Optional[threading.Thread] = None

    def line(self, expression: str, seconds: float = 60) -> "re.Match[str]":
        """The first line of standard output that has the expression."""
        assert self.process.stdout
        end, text = time.monotonic() + seconds, b""
        while time.monotonic() < end:
            if select.select([self.process.stdout], [], [], 0.2)[0]:
                more = os.read(self.process.stdout.fileno(), 65536)
                text += more
                found = re.search(expression, text.decode(errors="replace"), re.M)
                if found:
                    self._drainer = threading.Thread(target=self._drain, daemon=True)
                    self._drainer.start()
                    return found
                if not more:
                    break
        raise OSError(f"the daemon does not listen: {self.last_words()}")

    def _drain(self) -> None:
        assert self.process.stdout
        while self.process.stdout.read(65536):
            pass

    def last_words(self) -> str:
        self.log.flush()
        self.log.seek(0)
        return self.log.read()[-1500:].decode(errors="replace")

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(15)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        if self._drainer is not None:
            self._drainer.join()
        if self.process.stdout:
            self.process.stdout.close()
        self.log.close()


class DaemonCases:
    """The daemons, and the virtual devices that they believe. Drivers may be checked at the same time."""

    def __init__(self, bin: Path, scratch: Path, certificates: Certificates) -> None:
        self.bin, self.scratch, self.certificates = bin, scratch, certificates
        self._lock = threading.Lock()
        self._sessions: Dict[str, Session] = {}
        self._processes: List[Process] = []
        self.key = ""
        try:
            self._start_dev()
            self._start_secured()
        except BaseException:
            self.close()
            raise

    def _start_dev(self) -> None:
        folder = self.scratch / "dev"
        folder.mkdir()
        dev = Process([str(self.bin / "assayd"), "dev", "--port", "0", "--log-level", "error"], folder)
        self._processes.append(dev)
        found = dev.line(r"HTTP +(http://\S+)(?s:.*)framed +(\S+)(?s:.*)folder +(\S+?),? (?s:.*)Ctrl-C")
        self.url, self.server, self.folder = found[1], found[2], Path(found[3])
        # The Android device registers once for all drivers; it signs without a counter.
        challenge = self.assay("challenge", "--app", "photos", "--purpose", "register", "--server", self.server).strip()
        chain = self.folder / "chain.pem"
        self.assay("simulate", "android", "attest", str(self.folder / "android"), "--challenge", challenge, "--out", str(chain))
        self.assay("verify", "--app", "photos", "--challenge", challenge, "--key-attestation", str(chain), "--server", self.server)
        self.key_id = (self.folder / "android" / "key-id").read_text().strip()

    def _start_secured(self) -> None:
        folder = self.scratch / "secured"
        folder.mkdir(mode=0o700)
        port = _free_port()
        text = CONFIGURATION.format(port=port, certificates=self.certificates.folder, user=os.getuid())
        (folder / "assayd.yaml").write_text(text)
        secured = Process([str(self.bin / "assayd"), "--config", "assayd.yaml"], folder)
        self._processes.append(secured)
        self.secured = f"https://localhost:{port}"
        self.socket = f"http+unix:{folder}/http.sock"
        end = time.monotonic() + 60
        while True:
            try:
                self.key = self.assay("key", "create", "conformance", "--role", "verify", "--app", "photos", "--server", f"unix:{folder}/assayd.sock").strip()
                return
            except OSError as error:
                if time.monotonic() > end or secured.process.poll() is not None:
                    raise OSError(f"{error}: {secured.last_words()}") from None
                time.sleep(0.1)

    def assay(self, *arguments: str) -> str:
        """What the command line prints. Raises OSError if it fails."""
        done = subprocess.run([str(self.bin / "assay"), *arguments], stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
        if done.returncode:
            raise OSError(f"assay {' '.join(arguments[:3])}: {done.stderr.decode(errors='replace').strip()}")
        return done.stdout.decode()

    def environment(self) -> Dict[str, str]:
        """What the clients' own tests are told of the daemon."""
        return {"ASSAY_DEV_URL": self.url, "ASSAY_DEV_FOLDER": str(self.folder), "ASSAY_BIN": str(self.bin)}

    def check(self, name: str, driver: str, ask: Ask) -> Optional[str]:
        with self._lock:
            session = self._sessions.setdefault(driver, Session(self, driver))
        session.ask = ask
        try:
            _CASES[name](session)
        except Problem as problem:
            return str(problem)
        return None

    def close(self) -> None:
        for process in reversed(self._processes):
            process.close()


class Session:
    """What the cases of one driver have in common: a signed upload that was accepted."""

    ask: Ask

    def __init__(self, daemons: DaemonCases, driver: str) -> None:
        self.daemons, self.driver = daemons, driver
        self._uploads = 0
        self._accepted: Optional[Dict[str, Any]] = None

    def call(self, method: str, request: Dict[str, Any], **options: Any) -> Dict[str, Any]:
        line = {"method": method, "request": request, "options": {"url": self.daemons.url, "tries": 1, **options}}
        answer = self.ask({**line, "options": {name: value for name, value in line["options"].items() if value is not None}})
        if "broken" in answer:
            raise Problem(f"the driver says {answer}")
        return answer

    def secured(self, method: str, request: Dict[str, Any], **options: Any) -> Dict[str, Any]:
        certificates = self.daemons.certificates
        return self.call(method, request, **{"url": self.daemons.secured, "caFile": str(certificates.ca), **options})

    def signed(self, context: bytes = b"alice", purpose: str = "ASSERT") -> Dict[str, Any]:
        """A request for a verdict over a photo that the Android device signed, with a new challenge."""
        asked = {"app": "photos", "purpose": purpose, "context": encoded(context)}
        challenge = outcome(self.call("issueChallenge", asked), {})["challenge"]
        with self.daemons._lock:
            self._uploads += 1
            payload = self.daemons.scratch / f"{self.driver}-{self._uploads}"
        payload.write_bytes(PHOTO)
        signature = self.daemons.assay("simulate", "android", "sign", str(self.daemons.folder / "android"), "--challenge", challenge, "--payload", str(payload)).strip()
        return {
            **asked,
            "purpose": "ASSERT",
            "challenge": challenge,
            "evidence": [{"keySignature": {"keyId": self.daemons.key_id, "algorithm": "ECDSA_P256_SHA256", "signature": signature}}],
            "binding": {"clientData": {"payloadSha256": encoded(hashlib.sha256(PHOTO).digest())}},
        }

    @property
    def accepted(self) -> Dict[str, Any]:
        """A request that was accepted under the key `first-DRIVER`, and its verdict."""
        if self._accepted is None:
            request = self.signed()
            verdict = outcome(self.call("verify", request, idempotencyKey=f"first-{self.driver}"), {"accepted": True})
            self._accepted = {"request": request, "verdict": verdict}
        return self._accepted


def outcome(answer: Dict[str, Any], want: Dict[str, Any]) -> Dict[str, Any]:
    if "outcome" not in answer:
        raise Problem(f"there is no outcome: {answer}")
    problem = difference(want, answer["outcome"], "outcome")
    if problem:
        raise Problem(problem)
    return answer["outcome"]


def fails(answer: Dict[str, Any], want: Dict[str, Any]) -> None:
    if "error" not in answer:
        raise Problem(f"there is no error: {answer}")
    problem = difference({"attempts": 1, **want}, answer["error"], "error")
    if problem:
        raise Problem(problem)


def rejected(answer: Dict[str, Any], reason: str, retry: str) -> None:
    outcome(answer, {"accepted": False, "decision": "REJECTED", "reason": reason, "retry": retry})


@_case("challenge")
def _challenge(session: Session) -> None:
    got = outcome(session.call("issueChallenge", {"app": "photos", "purpose": "REGISTER", "ttlMs": 60000}), {})
    if len(base64.b64decode(got["challenge"])) != 54:
        raise Problem(f"the challenge has not 54 bytes: {got}")
    if not 0 < int(got["expiresAtUnixMs"]) - time.time() * 1000 <= 61000:
        raise Problem(f"the challenge does not end in a minute: {got}")


@_case("accepted")
def _accepted(session: Session) -> None:
    verdict = session.accepted["verdict"]
    outcome({"outcome": verdict}, {"decision": "ACCEPTED", "simulated": True, "repeated": False, "reason": "", "wouldReject": ""})
    if len(base64.b64decode(verdict["deviceId"])) != 16 or len(base64.b64decode(verdict["requestId"])) != 16 or not verdict["findings"]:
        raise Problem(f"the verdict is not whole: {verdict}")


@_case("accepted-again-under-the-same-key")
def _same_key(session: Session) -> None:
    first = session.accepted
    again = session.call("verify", first["request"], idempotencyKey=f"first-{session.driver}")
    outcome(again, {"accepted": True, "repeated": True, "requestId": first["verdict"]["requestId"]})


@_case("replayed")
def _replayed(session: Session) -> None:
    rejected(session.call("verify", session.accepted["request"]), "challenge_reused", "NEW_CHALLENGE")


@_case("key-for-another-request")
def _other_request(session: Session) -> None:
    changed = {**session.accepted["request"], "subject": encoded(b"mallory")}
    rejected(session.call("verify", changed, idempotencyKey=f"first-{session.driver}"), "idempotency_key_reused", "NEVER")


@_case("context-of-another-user")
def _other_context(session: Session) -> None:
    rejected(session.call("verify", {**session.accepted["request"], "context": encoded(b"bob")}), "challenge_invalid", "NEW_CHALLENGE")


@_case("another-payload")
def _other_payload(session: Session) -> None:
    request = {**session.signed(), "binding": {"clientData": {"payloadSha256": encoded(hashlib.sha256(b"another").digest())}}}
    outcome(session.call("verify", request), {"accepted": False, "decision": "REJECTED", "reason": bool})


@_case("unknown-device")
def _unknown_device(session: Session) -> None:
    request = session.signed()
    signature = {**request["evidence"][0]["keySignature"], "keyId": encoded(bytes(range(32)))}
    rejected(session.call("verify", {**request, "evidence": [{"keySignature": signature}]}), "unknown_device", "RE_ATTEST")


@_case("challenge-of-another-purpose")
def _other_purpose(session: Session) -> None:
    request = session.signed(purpose="REGISTER")
    rejected(session.call("verify", request), "challenge_wrong_purpose", "NEVER")


@_case("every-failure")
def _every_failure(session: Session) -> None:
    request = {**session.accepted["request"], "context": encoded(b"bob"), "report": "ALL"}
    got = outcome(session.call("verify", request), {"accepted": False, "reason": "challenge_invalid"})
    if "FAIL" not in [each["outcome"] for each in got["findings"]]:
        raise Problem(f"no finding is FAIL: {got['findings']}")


@_case("unknown-app")
def _unknown_app(session: Session) -> None:
    answer = session.call("issueChallenge", {"app": "nothing", "purpose": "ASSERT"}, tries=5, fakeTime=True)
    fails(answer, {"code": "not_found", "reason": "unknown_app", "retry": "never", "httpStatus": 404, "link": "docs/reference/http.md#errors"})


@_case("bundle")
def _bundle(session: Session) -> None:
    text = (session.daemons.folder / "camera" / "bundle.json").read_bytes()
    request = {"app": "cameras", "purpose": "ASSERT", "evidence": [{"certificateBundle": {"json": encoded(text)}}], "binding": {"inEvidence": {}}}
    outcome(session.call("verify", request), {"accepted": True})
    # A statement of its own: accepted again, and marked.
    outcome(session.call("verify", request), {"accepted": True, "repeated": True})


@_case("bundle-that-was-changed")
def _changed_bundle(session: Session) -> None:
    text = (session.daemons.folder / "camera" / "bundle.json").read_text()
    changed = re.sub(r'("timestamp"\s*:\s*)(\d+)', lambda match: f"{match[1]}{int(match[2]) - 1}", text)
    request = {"app": "cameras", "purpose": "ASSERT", "evidence": [{"certificateBundle": {"json": encoded(changed.encode())}}]}
    outcome(session.call("verify", request), {"accepted": False, "decision": "REJECTED", "reason": bool})


@_case("device")
def _device(session: Session) -> None:
    device = session.accepted["verdict"]["deviceId"]
    want = {"deviceId": device, "app": "photos", "keyId": session.daemons.key_id, "simulated": True, "state": "ACTIVE", "blockReason": ""}
    outcome(session.call("getDevice", {"app": "photos", "deviceId": device}), want)
    outcome(session.call("getDevice", {"app": "photos", "keyId": session.daemons.key_id}), want)


@_case("device-of-a-fleet")
def _fleet_device(session: Session) -> None:
    outcome(session.call("getDevice", {"app": "cameras", "deviceSerial": "CAM-0001"}), {"app": "cameras", "state": "ACTIVE"})


@_case("no-such-device")
def _no_device(session: Session) -> None:
    fails(session.call("getDevice", {"app": "photos", "deviceId": encoded(bytes(16))}), {"code": "not_found", "retry": "never"})


@_case("pages-of-devices")
def _pages(session: Session) -> None:
    seen, token = [], ""
    for _ in range(20):
        page = outcome(session.call("listDevices", {"app": "photos", "pageSize": 1, "pageToken": token}), {})
        seen += [each["keyId"] for each in page["devices"]]
        token = page["nextPageToken"]
        if not token:
            break
    if session.daemons.key_id not in seen or len(seen) != len(set(seen)) or len(seen) < 2:
        raise Problem(f"the pages have the keys {seen}")


@_case("block-and-unblock")
def _block(session: Session) -> None:
    subject = encoded(f"user of {session.driver}".encode())
    target = {"subject": subject}
    outcome(session.call("block", {"app": "photos", "target": target, "reason": "é: a test"}), {"wasBlocked": False})
    outcome(session.call("block", {"app": "photos", "target": target, "reason": "again"}), {"wasBlocked": True})
    rejected(session.call("verify", {**session.signed(), "subject": subject}), "device_blocked", "CONTACT_OPERATOR")
    outcome(session.call("unblock", {"app": "photos", "target": target}), {"wasBlocked": True, "stillBlocked": 0})
    outcome(session.call("unblock", {"app": "photos", "target": target}), {"wasBlocked": False})


@_case("provision")
def _provision(session: Session) -> None:
    serial, csr = f"CAM-{session.driver}", session.daemons.certificates.request()
    request = {"app": "cameras", "deviceSerial": serial, "csr": encoded(csr)}
    outcome(session.call("provisionDevice", request), {"provisioned": False, "reason": bool, "deviceCertificate": ""})
    added = session.call("call", {"service": "Provisioning", "method": "AddEnrolments", "message": {"app": "cameras", "serials": [serial]}})
    outcome(added, {"added": 1})
    made = outcome(session.call("provisionDevice", request, idempotencyKey=f"p-{session.driver}"), {"provisioned": True, "repeated": False, "keyTables": [1000, 1000, 1000], "reason": "", "devicePrivateKey": ""})
    if len(base64.b64decode(made["deviceSecret"])) != 32 or len(made["keyTableIndices"]) != 3 or not made["certificateChain"]:
        raise Problem("the answer is not whole")
    again = session.call("provisionDevice", request, idempotencyKey=f"p-{session.driver}")
    outcome(again, {"provisioned": True, "repeated": True, "deviceCertificate": made["deviceCertificate"], "deviceId": made["deviceId"]})


@_case("certificate-without-provisioning")
def _certificate(session: Session) -> None:
    request = {**session.accepted["request"], "csr": encoded(session.daemons.certificates.request())}
    for name in ("purpose", "binding"):
        del request[name]
    fails(session.call("issueCertificate", request), {"code": "failed_precondition", "retry": "contact_operator", "httpStatus": 400})


@_case("look-up-that-is-not-configured")
def _no_look_up(session: Session) -> None:
    request = {"app": "photos", "payloadSha256": encoded(hashlib.sha256(PHOTO).digest())}
    fails(session.call("findVerdicts", request), {"code": "failed_precondition", "reason": "lookup_not_configured", "retry": "contact_operator"})


@_case("results-that-are-not-configured")
def _no_results(session: Session) -> None:
    fails(session.call("getResultKeys", {}), {"code": "failed_precondition", "reason": "results_not_configured", "retry": "contact_operator"})


@_case("who-am-i")
def _who_am_i(session: Session) -> None:
    got = outcome(session.call("whoAmI", {}), {"recognisedBy": "loopback_demo", "allApps": True})
    if not {"photos", "cameras"} <= set(got["apps"]) or "verify" not in got["roles"]:
        raise Problem(f"the caller is {got}")


@_case("call")
def _call(session: Session) -> None:
    got = outcome(session.call("call", {"service": "Operations", "method": "Status", "message": {}}), {"store": {"available": True}})
    if not str(got.get("nowUnixMs", "")).isdigit():
        raise Problem(f"the status has no time: {got.get('nowUnixMs')!r}")


@_case("unknown-method")
def _unknown_method(session: Session) -> None:
    answer = session.call("call", {"service": "Operations", "method": "Nothing", "message": {}})
    fails(answer, {"code": "unimplemented", "reason": "unknown_method", "retry": "contact_operator", "httpStatus": 501})


@_case("unknown-member")
def _unknown_member(session: Session) -> None:
    answer = session.call("call", {"service": "Attestation", "method": "IssueChallenge", "message": {"app": "photos", "purpos": "ASSERT"}})
    fails(answer, {"code": "invalid_argument", "reason": "undecodable_message", "retry": "never", "message": bool})


@_case("stream")
def _stream(session: Session) -> None:
    fails(session.call("call", {"service": "Operations", "method": "Watch", "message": {}}), {"code": "unimplemented", "reason": "wrong_form", "retry": "contact_operator"})


@_case("key-that-the-method-does-not-take")
def _key_not_taken(session: Session) -> None:
    request = {"service": "Devices", "method": "Unblock", "message": {"app": "photos", "target": {"keyId": "AQI="}}}
    fails(session.call("call", request, idempotencyKey="k"), {"code": "invalid_argument", "reason": "idempotency_key_not_taken", "retry": "never"})


@_case("message-too-large")
def _too_large(session: Session) -> None:
    request = {"service": "Attestation", "method": "Prepare", "message": {"app": "photos", "format": "x", "body": "A" * 3_000_000}}
    answer = session.call("call", request, idempotent=True, tries=3, fakeTime=True)
    fails(answer, {"code": "resource_exhausted", "reason": "message_too_large", "retry": "never", "httpStatus": 429})


@_case("time-out")
def _time_out(session: Session) -> None:
    outcome(session.call("whoAmI", {}, callTimeoutMs=20_000), {"recognisedBy": "loopback_demo"})


@_case("tls-and-api-key")
def _key(session: Session) -> None:
    outcome(session.secured("whoAmI", {}, apiKey=session.daemons.key), {"name": "key:conformance", "recognisedBy": "key", "roles": ["verify"], "apps": ["photos"], "allApps": False})
    outcome(session.secured("issueChallenge", {"app": "photos", "purpose": "ASSERT"}, apiKey=session.daemons.key), {"challenge": bool})


@_case("wrong-api-key")
def _wrong_key(session: Session) -> None:
    want = {"code": "unauthenticated", "reason": "credential_refused", "retry": "contact_operator", "httpStatus": 401, "link": "docs/operate/callers.md#when-it-does-not-work"}
    wrong = session.daemons.key[:-4] + ("AAAA" if not session.daemons.key.endswith("AAAA") else "BBBB")
    fails(session.secured("whoAmI", {}, apiKey=wrong, tries=5, fakeTime=True), want)
    fails(session.secured("whoAmI", {}, apiKey="assay_" + "A" * 43), want)


@_case("no-credential")
def _no_credential(session: Session) -> None:
    want = {"code": "permission_denied", "reason": "permission_denied", "retry": "contact_operator", "httpStatus": 403, "link": "docs/operate/callers.md#when-it-does-not-work"}
    fails(session.secured("issueChallenge", {"app": "photos", "purpose": "ASSERT"}), want)


@_case("app-of-another-caller")
def _other_app(session: Session) -> None:
    answer = session.secured("issueChallenge", {"app": "others", "purpose": "ASSERT"}, apiKey=session.daemons.key)
    fails(answer, {"code": "permission_denied", "reason": "permission_denied"})


@_case("role-that-a-key-does-not-have")
def _other_role(session: Session) -> None:
    answer = session.secured("listDevices", {"app": "photos"}, apiKey=session.daemons.key)
    fails(answer, {"code": "permission_denied", "reason": "permission_denied"})


@_case("client-certificate")
def _certificate_of_the_client(session: Session) -> None:
    files = session.daemons.certificates.placeholders()
    answer = session.secured("whoAmI", {}, certificateFile=files["client_certificate"], keyFile=files["client_key"])
    outcome(answer, {"name": "uploads", "recognisedBy": "uri", "apps": ["photos"]})


@_case("daemon-that-is-not-trusted")
def _not_trusted(session: Session) -> None:
    other = session.daemons.certificates.placeholders()["other_ca"]
    fails(session.secured("whoAmI", {}, apiKey=session.daemons.key, caFile=other), {"code": "unavailable", "reason": "tls_failed", "retry": "contact_operator"})


@_case("unix-socket")
def _unix(session: Session) -> None:
    outcome(session.call("whoAmI", {}, url=session.daemons.socket), {"name": "operator", "recognisedBy": "unix_user", "allApps": True})
    outcome(session.call("whoAmI", {}, url=session.daemons.socket, apiKey=session.daemons.key), {"name": "key:conformance"})


@_case("look-up")
def _look_up(session: Session) -> None:
    request = {"app": "photos", "payloadSha256": encoded(hashlib.sha256(b"never seen").digest())}
    outcome(session.secured("findVerdicts", request, apiKey=session.daemons.key), {"found": False, "verdicts": [], "noteCode": bool})


@_case("a-hundred-calls-on-one-client")
def _many(session: Session) -> None:
    for _ in range(100):
        outcome(session.call("issueChallenge", {"app": "photos", "purpose": "ASSERT"}, client="many"), {"challenge": bool})
