"""The methods, each declared once for both clients: its request, whether it may be repeated, and what its answer is.

Each function makes a `Call`. `Client` and `AsyncClient` have methods of the same names and parameters, which make the call.
"""

from __future__ import annotations

import inspect
import json
import re
from dataclasses import dataclass
from typing import Any, Callable, Dict, Generic, Mapping, Optional, Sequence, TypeVar

from .answers import Fields
from .errors import own
from .evidence import Binding, BlockTarget, Evidence, ResultRequest, without_defaults
from .messages import (
    Blocked,
    Caller,
    Challenge,
    Device,
    DevicePage,
    FoundVerdicts,
    IssuedCertificate,
    ProvisionedDevice,
    ResultKeys,
    Unblocked,
    Verdict,
)
from .options import is_visible

T = TypeVar("T")
_WORD = re.compile(r"[A-Za-z0-9._]{1,100}\Z", re.ASCII)


@dataclass(frozen=True)
class Call(Generic[T]):
    """A call that a client can make."""

    path: str
    body: bytes
    read: Callable[[Fields], T]
    timeout: Optional[float]
    idempotent: bool = False
    """It may be repeated without a key."""
    idempotency_key: Optional[str] = None
    """Sent with the call, which may then be repeated."""
    takes_key: bool = False
    """A random key may be given to it."""
    has_key: bool = False
    """The message itself has a key."""
    under_own_key: Callable[[T], T] = lambda answer: answer
    """What the answer is under a key that the caller does not know."""


def _call(
    name: str,
    members: Dict[str, Any],
    read: Callable[[Fields], T],
    timeout: Optional[float],
    *,
    idempotent: bool = False,
    takes_key: bool = False,
    idempotency_key: Optional[str] = None,
    under_own_key: Callable[[T], T] = lambda answer: answer,
) -> Call[T]:
    if timeout is not None and not 0 < timeout <= 86400:
        raise own("bad_request", f"timeout is {timeout}: it is more than 0 and at most 86400 seconds")
    if idempotency_key is not None and not is_visible(idempotency_key, 64):
        raise own("bad_request", "idempotency_key has 1 to 64 visible ASCII characters, without spaces and line ends")
    try:
        body = json.dumps(without_defaults(members), separators=(",", ":"), allow_nan=False).encode("ascii")
    except (TypeError, ValueError, RecursionError) as error:
        raise own("bad_request", f"the request of {name} cannot be written as JSON: {error}") from None
    return Call(
        f"/assay.v1.{name}", body, read, timeout, idempotent, idempotency_key, takes_key, under_own_key=under_own_key
    )


def issue_challenge(
    app: str,
    purpose: str,
    *,
    context: bytes = b"",
    ttl_ms: int = 0,
    source_address: str = "",
    timeout: Optional[float] = None,
) -> Call[Challenge]:
    """Issues a challenge.

    purpose: REGISTER, ASSERT, PROVISION or RENEW.
    context: the session or account that the challenge is for; must be repeated with the evidence.
    ttl_ms: how long it is good; 0: the app's default.
    """
    members = {"app": app, "purpose": purpose, "context": context, "ttlMs": ttl_ms, "sourceAddress": source_address}
    return _call("Attestation/IssueChallenge", members, Challenge.read, timeout, idempotent=True)


def verify(
    app: str,
    purpose: str,
    evidence: Sequence[Evidence],
    *,
    challenge: bytes = b"",
    context: bytes = b"",
    binding: Optional[Binding] = None,
    subject: bytes = b"",
    expected_device_id: bytes = b"",
    source_address: str = "",
    signals: bytes = b"",
    replaces_device_id: bytes = b"",
    results: Sequence[ResultRequest] = (),
    report: str = "",
    idempotency_key: Optional[str] = None,
    timeout: Optional[float] = None,
) -> Call[Verdict]:
    """Judges evidence. A rejection is a verdict and no error: look at `accepted`.

    purpose: REGISTER or ASSERT.
    binding: None: client data without a payload.
    subject: the account: a device registered for one is refused for another.
    signals: the JSON document about a capture, byte for byte as the app made it.
    replaces_device_id: with REGISTER only: the device that this one takes the place of.
    results: at most 4 signed results, for an ACCEPTED verdict.
    report: ALL for every failure; otherwise the first.
    idempotency_key: the same request under the same key gets the same ACCEPTED verdict.
    """
    members = {
        "app": app,
        "purpose": purpose,
        "challenge": challenge,
        "context": context,
        "evidence": [dict(each.json) for each in evidence],
        "binding": None if binding is None else dict(binding.json),
        "subject": subject,
        "expectedDeviceId": expected_device_id,
        "sourceAddress": source_address,
        "signals": signals,
        "replacesDeviceId": replaces_device_id,
        "results": [dict(each.json) for each in results],
        "report": report,
    }
    return _call(
        "Attestation/Verify",
        members,
        Verdict.read,
        timeout,
        takes_key=True,
        idempotency_key=idempotency_key,
        under_own_key=Verdict.under_own_key,
    )


def issue_certificate(
    app: str,
    evidence: Sequence[Evidence],
    *,
    challenge: bytes = b"",
    context: bytes = b"",
    payload_sha256: bytes = b"",
    csr: bytes = b"",
    public_key: bytes = b"",
    subject: bytes = b"",
    expected_device_id: bytes = b"",
    source_address: str = "",
    idempotency_key: Optional[str] = None,
    timeout: Optional[float] = None,
) -> Call[IssuedCertificate]:
    """Judges evidence and issues a certificate in one step: nothing is issued unless the verdict is ACCEPTED.

    csr, public_key: one of them: what is certified, as DER.
    """
    members = {
        "app": app,
        "challenge": challenge,
        "context": context,
        "evidence": [dict(each.json) for each in evidence],
        "payloadSha256": payload_sha256,
        "csr": csr,
        "publicKey": public_key,
        "subject": subject,
        "expectedDeviceId": expected_device_id,
        "sourceAddress": source_address,
    }
    return _call(
        "Provisioning/Issue",
        members,
        IssuedCertificate.read,
        timeout,
        takes_key=True,
        idempotency_key=idempotency_key,
        under_own_key=IssuedCertificate.under_own_key,
    )


def provision_device(
    app: str,
    device_serial: str,
    *,
    device_family: str = "",
    csr: bytes = b"",
    device_secret: bytes = b"",
    enrolment_token: str = "",
    idempotency_key: Optional[str] = None,
    timeout: Optional[float] = None,
) -> Call[ProvisionedDevice]:
    """Provisions a device of a fleet: certificate, key tables, secret. Look at `provisioned`."""
    members = {
        "app": app,
        "deviceSerial": device_serial,
        "deviceFamily": device_family,
        "csr": csr,
        "deviceSecret": device_secret,
        "enrolmentToken": enrolment_token,
    }
    return _call(
        "Provisioning/ProvisionDevice",
        members,
        ProvisionedDevice.read,
        timeout,
        takes_key=True,
        idempotency_key=idempotency_key,
        # Without a CSR the mark says that the private key was in an answer that was lost.
        under_own_key=ProvisionedDevice.under_own_key if csr else lambda answer: answer,
    )


def get_device(
    app: str,
    *,
    device_id: bytes = b"",
    key_id: bytes = b"",
    device_serial: str = "",
    timeout: Optional[float] = None,
) -> Call[Device]:
    """One device, by exactly one of id, key id and serial number. AssayError `not_found` if it is not one of the app's."""
    if sum(map(bool, (device_id, key_id, device_serial))) != 1:
        raise own("bad_request", "get_device takes exactly one of device_id, key_id and device_serial")
    members = {"app": app, "deviceId": device_id, "keyId": key_id, "deviceSerial": device_serial}
    return _call("Devices/Get", members, Device.read, timeout, idempotent=True)


def list_devices(
    app: str,
    *,
    subject: bytes = b"",
    state: str = "",
    page_size: int = 0,
    page_token: bytes = b"",
    device_serial: str = "",
    flag: str = "",
    timeout: Optional[float] = None,
) -> Call[DevicePage]:
    """A page of the app's devices; `next_page_token` leads to the next.

    state: ACTIVE or BLOCKED; otherwise all.
    flag: only devices on which this flag stands.
    """
    members = {
        "app": app,
        "subject": subject,
        "state": state,
        "pageSize": page_size,
        "pageToken": page_token,
        "deviceSerial": device_serial,
        "flag": flag,
    }
    return _call("Devices/List", members, DevicePage.read, timeout, idempotent=True)


def block(app: str, target: BlockTarget, reason: str, *, timeout: Optional[float] = None) -> Call[Blocked]:
    """Refuses a device, a subject or a key until `unblock`. The reason stands in the audit log: name no person."""
    members = {"app": app, "target": dict(target.json), "reason": reason}
    return _call("Devices/Block", members, Blocked.read, timeout, idempotent=True)


def unblock(app: str, target: BlockTarget, *, timeout: Optional[float] = None) -> Call[Unblocked]:
    """Lifts the block of exactly this target. Not repeated after an answer that was lost."""
    return _call("Devices/Unblock", {"app": app, "target": dict(target.json)}, Unblocked.read, timeout)


def find_verdicts(
    app: str,
    payload_sha256: bytes,
    *,
    source_address: str = "",
    results: Sequence[ResultRequest] = (),
    timeout: Optional[float] = None,
) -> Call[FoundVerdicts]:
    """The accepted verdicts on a file, by its SHA-256: was this photo accepted?

    results: the answer, signed for others: at most 4, of the shapes PLAIN_JWS and PLAIN_COSE.
    """
    members = {
        "app": app,
        "payloadSha256": payload_sha256,
        "sourceAddress": source_address,
        "results": [dict(each.json) for each in results],
    }
    return _call("Verdicts/Find", members, FoundVerdicts.read, timeout, idempotent=True)


def get_result_keys(*, simulated: bool = False, timeout: Optional[float] = None) -> Call[ResultKeys]:
    """The keys by which signed results are checked."""
    return _call("Results/GetKeys", {"simulated": simulated}, ResultKeys.read, timeout, idempotent=True)


def who_am_i(*, timeout: Optional[float] = None) -> Call[Caller]:
    """What the daemon knows of the caller: its name, roles and apps."""
    return _call("Operations/WhoAmI", {}, Caller.read, timeout, idempotent=True)


def call(
    service: str,
    method: str,
    message: Mapping[str, Any],
    *,
    idempotent: bool = False,
    idempotency_key: Optional[str] = None,
    timeout: Optional[float] = None,
) -> Call[Dict[str, Any]]:
    """Any method that answers once, in JSON both ways (docs/openapi.yaml).

    service: "Attestation", or "assay.v1.Attestation".
    idempotent: the call may be repeated although it was perhaps done.
    """
    short = service[len("assay.v1.") :] if isinstance(service, str) and service.startswith("assay.v1.") else service
    for name, word in (("service", short), ("method", method)):
        if not isinstance(word, str) or not _WORD.match(word):
            raise own("bad_request", f"{name} is not a name of letters and digits")
    made = _call(f"{short}/{method}", {}, lambda fields: fields.raw, timeout, idempotent=idempotent, idempotency_key=idempotency_key)
    try:
        body = json.dumps(dict(message), separators=(",", ":"), allow_nan=False).encode("ascii")
    except (TypeError, ValueError, RecursionError) as error:
        raise own("bad_request", f"message cannot be written as JSON: {error}") from None
    has_key = bool(message.get("idempotencyKey") or message.get("idempotency_key"))
    return Call(made.path, body, made.read, timeout, idempotent, None if has_key else idempotency_key, has_key=has_key)


def with_self(build: Callable[..., Any]) -> inspect.Signature:
    """The signature of a function as that of a method."""
    signature = inspect.signature(build)
    first = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
    return signature.replace(
        parameters=[first, *signature.parameters.values()], return_annotation=inspect.Signature.empty
    )
