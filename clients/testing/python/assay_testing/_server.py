"""A daemon for tests, and the dialogue with it: `assayd test-server`."""

import base64
import hashlib
import json
import os
import queue
import signal
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Union

from . import _program


_LOG_LIMIT = 64 * 1024


class ServerError(RuntimeError):
    """The server did not start, ended, or did not answer in time."""


class CaseError(ValueError):
    """The server cannot make what was asked for. `code` is a stable word, such as ``unknown_case``."""

    def __init__(self, code: str, message: str):
        super().__init__(message)
        self.code = code


@dataclass(frozen=True)
class Expected:
    """What the daemon's verdict says, if the service sends the evidence as it came."""

    accepted: bool
    #: The reason code; None if it is accepted.
    reason: Optional[str]
    #: What a caller may do next: never, new_challenge, re_attest, later or contact_operator; None if it is accepted.
    retry: Optional[str]


@dataclass(frozen=True)
class Evidence:
    """What a device sends, and the verdict on it."""

    case: str
    #: The name of the virtual device.
    device: str
    #: iphone, android or mac.
    platform: str
    #: assert or register.
    purpose: str
    #: The challenge that the device signed, 54 bytes: not always the one that was given.
    challenge: bytes
    #: The pieces of evidence, each as in the JSON of the API: {"appAttestAssertion": {"keyId": ..., "assertion": ...}}.
    pieces: List[Dict[str, Any]]
    #: A complete body of POST /v1/attestation/verify.
    request: Dict[str, Any]
    expected: Expected
    #: Members that the service's request must have for this outcome, such as subject.
    needs: List[str]

    @property
    def kind(self) -> str:
        """The kind of the first piece, such as appAttestAssertion."""
        return next(iter(self.pieces[0]))

    @property
    def key_id(self) -> Optional[bytes]:
        """The id of the key that signed; None for evidence without one."""
        text = self.pieces[0][self.kind].get("keyId")
        return None if text is None else base64.b64decode(text)

    @property
    def body(self) -> bytes:
        """What the platform returned to the app: an assertion, an attestation, a signature, or a token's text.

        Android's attestation has several parts: see `certificates`.
        """
        piece = self.pieces[0][self.kind]
        for name in ("assertion", "attestation", "signature"):
            if name in piece:
                return base64.b64decode(piece[name])
        for name in ("token", "jws"):
            if name in piece:
                return piece[name].encode()
        raise AttributeError(f"{self.kind} is not one value: it has {', '.join(sorted(piece))}")

    @property
    def certificates(self) -> List[bytes]:
        """The certificates of an Android key attestation, DER."""
        return [base64.b64decode(text) for text in self.pieces[0][self.kind]["certificates"]]


class TestServer:
    """A daemon on loopback with an app of virtual devices, started with the object and stopped by `close`.

    Calls may come from several threads; they are answered one after the other.
    """

    __test__ = False  # pytest collects no tests from it.

    def __init__(
        self,
        app: str = "photos",
        *,
        program: Union[str, "os.PathLike[str]", None] = None,
        start_timeout: float = 30.0,
        timeout: float = 30.0,
        stop_timeout: float = 10.0,
        log_level: str = "warning",
    ):
        """Starts it, and waits until it listens.

        :param app: the name of the app, as the service names it.
        :param program: the path of assayd; otherwise it is looked for below ASSAY_HOME and on the PATH.
        :param start_timeout: seconds until it must listen.
        :param timeout: seconds until a case must be made.
        :param stop_timeout: seconds that it has to end when it is closed; then it is told to, and after as long again it is killed.
        """
        self._timeout, self._stop_timeout = timeout, stop_timeout
        self._lock = threading.Lock()
        self._next_id = 0
        self._lines: "queue.Queue[Optional[bytes]]" = queue.Queue()
        command = [_program.find(program), "test-server", "--app", app, "--log-level", log_level]
        # In a file: a pipe that is not read would stop the daemon.
        self._log = tempfile.TemporaryFile(prefix="assay-testing-")
        try:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._log, start_new_session=True
            )
        except OSError as error:
            self._log.close()
            raise ServerError(f"{command[0]} does not start: {error}") from error
        self._reader = threading.Thread(target=self._read, name="assay-testing", daemon=True)
        self._reader.start()
        try:
            ready = self._receive(start_timeout, "did not listen").get("ready")
            if not isinstance(ready, dict):
                raise ServerError("the server did not say where it listens: is its version the one of this library?")
        except BaseException:
            self.close()
            raise
        #: The address of the daemon, for HTTP: http://127.0.0.1:PORT
        self.url: str = ready["url"]
        #: Its address for the framed protocol, HOST:PORT.
        self.framed: str = ready["framed"]
        self.app: str = ready["app"]
        self.version: str = ready["version"]
        #: The devices that stand ready, with their platforms.
        self.devices: Dict[str, str] = ready["devices"]

    def evidence(
        self,
        case: str = "accepted",
        *,
        payload: Optional[bytes] = None,
        payload_sha256: Optional[bytes] = None,
        challenge: Union[bytes, str, None] = None,
        context: bytes = b"",
        device: Optional[str] = None,
        platform: Optional[str] = None,
        purpose: Optional[str] = None,
        subject: Union[bytes, str] = b"",
        idempotency_key: bytes = b"",
        expected_device_id: Optional[bytes] = None,
        scope: str = "",
    ) -> Evidence:
        """Evidence for a case.

        :param case: accepted, replayed, blocked, unknown, forged, tampered, or a reason code.
        :param payload: what the device signs; or give its SHA-256.
        :param challenge: the one that the service issued to the app, as bytes or Base64; otherwise one is asked for here.
        :param context: the context that the service asks for challenges and verdicts with.
        :param device: phone-1, phone-2, android-1, or a new name, which is a new device.
        :param platform: iphone, android or mac, for a new device.
        :param purpose: assert (an upload) or register.
        :param subject, idempotency_key, expected_device_id: as the service sends them; the case says which it needs.
        :param scope: devices of one scope are others than those of the same names in another.
        """
        if payload is not None and payload_sha256 is not None:
            raise ValueError("give the payload or its SHA-256, not both")
        if payload is not None:
            payload_sha256 = hashlib.sha256(payload).digest()
        params = {
            "case": case,
            "device": device,
            "scope": scope or None,
            "platform": platform,
            "purpose": purpose,
            "challenge": challenge if isinstance(challenge, str) else _text(challenge),
            "context": _text(context),
            "payloadSha256": _text(payload_sha256),
            "subject": _text(subject.encode() if isinstance(subject, str) else subject),
            "idempotencyKey": _text(idempotency_key),
            "expectedDeviceId": _text(expected_device_id),
        }
        result = self._ask("evidence", {name: value for name, value in params.items() if value is not None})
        expected = result["expected"]
        retry = expected.get("retry")
        return Evidence(
            case=case,
            device=result["device"],
            platform=result["platform"],
            purpose=result["purpose"],
            challenge=base64.b64decode(result["challenge"]),
            pieces=result["request"]["evidence"],
            request=result["request"],
            expected=Expected(
                accepted=expected["decision"] == "DECISION_ACCEPTED",
                reason=expected.get("reason"),
                retry=None if retry is None else retry[len("RETRY_CLASS_") :].lower(),
            ),
            needs=result["needs"],
        )

    def cases(self) -> List[Dict[str, Any]]:
        """All cases, with what they show, their purposes, platforms and needs; and the codes that none causes."""
        return self._ask("cases", {})

    @property
    def log(self) -> str:
        """What the daemon wrote to its log, its last 64 KiB; empty once it is closed."""
        if self._log.closed:
            return ""
        size = os.fstat(self._log.fileno()).st_size
        return os.pread(self._log.fileno(), _LOG_LIMIT, max(0, size - _LOG_LIMIT)).decode(errors="replace")

    def close(self) -> None:
        """Stops the daemon and waits until it has ended. A second call does nothing."""
        process = self._process
        try:
            if process.stdin is not None:
                process.stdin.close()  # it ends with its input
        except OSError:
            pass
        for step, patience in ((None, self._stop_timeout), (signal.SIGTERM, self._stop_timeout), (signal.SIGKILL, 5)):
            if step is not None and process.poll() is None:
                process.send_signal(step)
            try:
                process.wait(patience)
                break
            except subprocess.TimeoutExpired:
                continue
        self._reader.join(5)
        if process.stdout is not None:
            process.stdout.close()
        self._log.close()

    def __enter__(self) -> "TestServer":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # The dialogue

    def _ask(self, method: str, params: Dict[str, Any]) -> Any:
        with self._lock:
            self._next_id += 1
            line = json.dumps({"id": self._next_id, "method": method, "params": params}).encode() + b"\n"
            try:
                assert self._process.stdin is not None
                self._process.stdin.write(line)
                self._process.stdin.flush()
            except (OSError, ValueError) as error:
                raise ServerError(f"the server has ended{self._end()}") from error
            deadline = time.monotonic() + self._timeout
            while True:
                reply = self._receive(deadline - time.monotonic(), f"did not answer {method}")
                if reply.get("id") == self._next_id:  # not a late reply to a call that timed out
                    break
        error = reply.get("error")
        if error is not None:
            raise CaseError(error["code"], error["message"])
        return reply["result"]

    def _receive(self, timeout: float, failure: str) -> Dict[str, Any]:
        try:
            line = self._lines.get(timeout=max(0.0, timeout))
        except queue.Empty:
            raise ServerError(f"the server {failure} in time{self._end()}") from None
        if line is None:
            self._lines.put(None)
            raise ServerError(f"the server {failure}: it has ended{self._end()}")
        try:
            return json.loads(line)
        except ValueError as error:
            raise ServerError(f"the server wrote a line that is not JSON: {line[:200]!r}") from error

    def _read(self) -> None:
        stdout = self._process.stdout
        assert stdout is not None
        try:
            for line in stdout:
                self._lines.put(line)
        except (OSError, ValueError):
            pass
        self._lines.put(None)

    def _end(self) -> str:
        """What is known of its end, for a message."""
        try:
            status = self._process.wait(1)
        except subprocess.TimeoutExpired:
            status = None
        log = self.log.strip()
        parts = [] if status is None else [f"status {status}"]
        parts += [log[-2000:]] if log else []
        return f" ({': '.join(parts)})" if parts else ""


def _text(data: Optional[bytes]) -> Optional[str]:
    return None if not data else base64.b64encode(data).decode()
