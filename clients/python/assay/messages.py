"""The answers of methods. Members are those of proto/assay/v1; `raw` is the JSON as it came, for members that are newer than this client."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Dict, List, Mapping, Optional, Union

from .answers import Fields

ClaimValue = Union[str, int, bool, bytes, List[str]]


def _raw() -> Any:
    return field(repr=False, compare=False)


@dataclass(frozen=True)
class Challenge:
    """A challenge, opaque to clients."""

    challenge: bytes
    expires_at_unix_ms: int
    raw: Mapping[str, Any] = _raw()

    @staticmethod
    def read(fields: Fields) -> Challenge:
        return Challenge(fields.octets("challenge"), fields.integer("expiresAtUnixMs"), fields.raw)


@dataclass(frozen=True)
class Finding:
    """One check of a verdict, or something that was noticed."""

    check: str
    outcome: str
    """PASS, FAIL, UNAVAILABLE, SKIPPED or NOTE."""
    code: str
    detail: str

    @staticmethod
    def read(fields: Fields) -> Finding:
        return Finding(
            fields.text("check"), fields.enumeration("outcome", "OUTCOME_"), fields.text("code"), fields.text("detail")
        )


@dataclass(frozen=True)
class WouldReject:
    """Why evidence would be rejected if the app enforced the verdict."""

    reason: str
    detail: str
    check: str
    retry: str

    @staticmethod
    def read(fields: Fields) -> WouldReject:
        return WouldReject(
            fields.text("reason"), fields.text("detail"), fields.text("check"), fields.enumeration("retry", "RETRY_CLASS_")
        )


@dataclass(frozen=True)
class SignedResult:
    """What came of a result that was asked for."""

    shape: str
    audience: str
    text: str
    """A token in ASCII; empty if there is none."""
    binary: bytes
    """A token in CBOR; empty if there is none."""
    problem: str
    """Why nothing was signed: a stable word; empty if something was."""
    expires_at_unix_ms: int

    @staticmethod
    def read(fields: Fields) -> SignedResult:
        problem = fields.nested("problem")
        return SignedResult(
            fields.enumeration("shape", "RESULT_SHAPE_"),
            fields.text("audience"),
            fields.text("text"),
            fields.octets("binary"),
            "" if problem is None else problem.text("code"),
            fields.integer("expiresAtUnixMs"),
        )


@dataclass(frozen=True)
class Verdict:
    """The answer to evidence. A rejection is an answer, not an error."""

    decision: str
    """ACCEPTED or REJECTED. Ask `accepted`."""
    assurance: str
    """NONE, SOFTWARE, PLATFORM, HARDWARE or SECURE_ELEMENT."""
    reason: str
    """When rejected: a stable code of docs/reference/reason-codes.md."""
    detail: str
    check: str
    retry: str
    """When rejected, what may be done: NEVER, NEW_CHALLENGE, RE_ATTEST, LATER or CONTACT_OPERATOR."""
    findings: List[Finding]
    claims: Dict[str, ClaimValue]
    """What authenticated evidence says. Times are milliseconds since 1970."""
    device_id: bytes
    request_id: bytes
    """Names this verdict in logs and audit."""
    simulated: bool
    repeated: bool
    """The stored verdict of an equal request made before: do not act twice."""
    decided_at_unix_ms: int
    results: List[SignedResult]
    """Those that were asked for, of an ACCEPTED verdict."""
    would_reject: Optional[WouldReject]
    """Set if the evidence was judged REJECTED, and is answered ACCEPTED since the app does not enforce the verdict."""
    raw: Mapping[str, Any] = _raw()

    @property
    def accepted(self) -> bool:
        """Whether the request may pass. Only ACCEPTED says so."""
        return self.decision == "ACCEPTED"

    @staticmethod
    def read(fields: Fields) -> Verdict:
        would_reject = fields.nested("wouldReject")
        return Verdict(
            decision=fields.enumeration("decision", "DECISION_"),
            assurance=fields.enumeration("assurance", "ASSURANCE_"),
            reason=fields.text("reason"),
            detail=fields.text("detail"),
            check=fields.text("check"),
            retry=fields.enumeration("retry", "RETRY_CLASS_"),
            findings=[Finding.read(each) for each in fields.nested_list("findings")],
            claims={each.text("name"): _claim(each) for each in fields.nested_list("claims")},
            device_id=fields.octets("deviceId"),
            request_id=fields.octets("requestId"),
            simulated=fields.boolean("simulated"),
            repeated=fields.boolean("repeated"),
            decided_at_unix_ms=fields.integer("decidedAtUnixMs"),
            results=[SignedResult.read(each) for each in fields.nested_list("results")],
            would_reject=None if would_reject is None else WouldReject.read(would_reject),
            raw=fields.raw,
        )

    def under_own_key(self) -> Verdict:
        """The verdict of a call whose idempotency key the caller does not know: the caller has not had it before, unless the
        evidence itself is repeated."""
        is_statement = any(each.code == "statement_repeated" for each in self.findings)
        return self if is_statement or not self.repeated else replace(self, repeated=False)


def _claim(fields: Fields) -> ClaimValue:
    if fields.has("integer"):
        return fields.integer("integer")
    if fields.has("boolean"):
        return fields.boolean("boolean")
    if fields.has("bytes"):
        return fields.octets("bytes")
    if fields.has("timeUnixMs"):
        return fields.integer("timeUnixMs")
    texts = fields.nested("texts")
    return fields.text("text") if texts is None else texts.texts("values")


@dataclass(frozen=True)
class IssuedCertificate:
    """The answer to a request for a certificate."""

    verdict: Verdict
    certificate: bytes
    """DER; empty unless the verdict is ACCEPTED."""
    chain: List[bytes]
    """The CA's certificates (DER), the issuer first."""
    raw: Mapping[str, Any] = _raw()

    @staticmethod
    def read(fields: Fields) -> IssuedCertificate:
        record = fields.nested("certificate")
        return IssuedCertificate(
            Verdict.read(fields.nested("verdict") or Fields({})),
            b"" if record is None else record.octets("certificate"),
            fields.octets_list("chain"),
            fields.raw,
        )

    def under_own_key(self) -> IssuedCertificate:
        return replace(self, verdict=self.verdict.under_own_key())


@dataclass(frozen=True)
class ProvisionedDevice:
    """A device of a fleet with its certificate, key tables and secret; or why it was not provisioned."""

    device_certificate: bytes
    certificate_chain: List[bytes]
    key_tables: List[List[bytes]]
    key_table_indices: List[int]
    device_secret: bytes = field(repr=False)
    device_private_key: bytes = field(repr=False)
    """PKCS#8 (DER), only if Assay made the key, and only in the first answer."""
    device_id: bytes
    repeated: bool
    reason: str
    """Empty, or why the device was not provisioned: a code of docs/reference/reason-codes.md."""
    detail: str
    retry: str
    raw: Mapping[str, Any] = _raw()

    @property
    def provisioned(self) -> bool:
        return bool(self.device_certificate) and self.raw.get("rejection") is None

    @staticmethod
    def read(fields: Fields) -> ProvisionedDevice:
        rejection = fields.nested("rejection") or Fields({})
        return ProvisionedDevice(
            device_certificate=fields.octets("deviceCertificate"),
            certificate_chain=fields.octets_list("certificateChain"),
            key_tables=[each.octets_list("keys") for each in fields.nested_list("keyTables")],
            key_table_indices=fields.integers("keyTableIndices"),
            device_secret=fields.octets("deviceSecret"),
            device_private_key=fields.octets("devicePrivateKey"),
            device_id=fields.octets("deviceId"),
            repeated=fields.boolean("repeated"),
            reason=rejection.text("reason"),
            detail=rejection.text("detail"),
            retry=rejection.enumeration("retry", "RETRY_CLASS_"),
            raw=fields.raw,
        )

    def under_own_key(self) -> ProvisionedDevice:
        return replace(self, repeated=False)


@dataclass(frozen=True)
class Device:
    """A device on record."""

    device_id: bytes
    app: str
    format: str
    """The format of the evidence that registered it."""
    key_id: bytes
    state: str
    """ACTIVE or BLOCKED."""
    counter: int
    registered_at_unix_ms: int
    last_accepted_at_unix_ms: int
    simulated: bool
    block_reason: str
    raw: Mapping[str, Any] = _raw()

    @staticmethod
    def read(fields: Fields) -> Device:
        return Device(
            fields.octets("deviceId"),
            fields.text("app"),
            fields.text("format"),
            fields.octets("keyId"),
            fields.enumeration("state", "STATE_"),
            fields.integer("counter"),
            fields.integer("registeredAtUnixMs"),
            fields.integer("lastAcceptedAtUnixMs"),
            fields.boolean("simulated"),
            fields.text("blockReason"),
            fields.raw,
        )


@dataclass(frozen=True)
class DevicePage:
    """Devices in the order in which they were registered. A page may be empty although more follow."""

    devices: List[Device]
    next_page_token: bytes
    """Empty: this was the last page."""
    raw: Mapping[str, Any] = _raw()

    @staticmethod
    def read(fields: Fields) -> DevicePage:
        devices = [Device.read(each) for each in fields.nested_list("devices")]
        return DevicePage(devices, fields.octets("nextPageToken"), fields.raw)


@dataclass(frozen=True)
class Blocked:
    """What a block met."""

    devices: int
    was_blocked: bool
    revoked_certificates: int
    raw: Mapping[str, Any] = _raw()

    @staticmethod
    def read(fields: Fields) -> Blocked:
        return Blocked(
            fields.integer("devices"), fields.boolean("wasBlocked"), fields.integer("revokedCertificates"), fields.raw
        )


@dataclass(frozen=True)
class Unblocked:
    """What lifting a block met."""

    devices: int
    was_blocked: bool
    still_blocked: int
    raw: Mapping[str, Any] = _raw()

    @staticmethod
    def read(fields: Fields) -> Unblocked:
        return Unblocked(fields.integer("devices"), fields.boolean("wasBlocked"), fields.integer("stillBlocked"), fields.raw)


@dataclass(frozen=True)
class FoundVerdict:
    """What is kept of an accepted verdict for look-ups."""

    request_id: bytes
    decision: str
    assurance: str
    decided_at_unix_ms: int
    match: str
    """PAYLOAD, MEDIA or IMAGE: where the hash stands in what the device signed."""
    device_state: str
    """The device as it is now: REGISTERED, BLOCKED or REPLACED."""
    simulated: bool
    note: str
    note_code: str

    @staticmethod
    def read(fields: Fields) -> FoundVerdict:
        return FoundVerdict(
            fields.octets("requestId"),
            fields.enumeration("decision", "DECISION_"),
            fields.enumeration("assurance", "ASSURANCE_"),
            fields.integer("decidedAtUnixMs"),
            fields.enumeration("match", "MATCH_"),
            fields.enumeration("deviceState", "DEVICE_STATE_"),
            fields.boolean("simulated"),
            fields.text("note"),
            fields.text("noteCode"),
        )


@dataclass(frozen=True)
class FoundVerdicts:
    """The accepted verdicts on a file, the newest first. That there are none is an answer and no error."""

    found: bool
    verdicts: List[FoundVerdict]
    truncated: bool
    note: str
    note_code: str
    results: List[SignedResult]
    raw: Mapping[str, Any] = _raw()

    @staticmethod
    def read(fields: Fields) -> FoundVerdicts:
        return FoundVerdicts(
            fields.boolean("found"),
            [FoundVerdict.read(each) for each in fields.nested_list("verdicts")],
            fields.boolean("truncated"),
            fields.text("note"),
            fields.text("noteCode"),
            [SignedResult.read(each) for each in fields.nested_list("results")],
            fields.raw,
        )


@dataclass(frozen=True)
class ResultKeys:
    """The public keys of an issuer of signed results."""

    issuer: str
    jwks: str
    """The JWK Set as JSON text."""
    raw: Mapping[str, Any] = _raw()

    @staticmethod
    def read(fields: Fields) -> ResultKeys:
        return ResultKeys(fields.text("issuer"), fields.text("jwks"), fields.raw)


@dataclass(frozen=True)
class Caller:
    """What the daemon knows of the caller."""

    name: str
    recognised_by: str
    roles: List[str]
    all_apps: bool
    apps: List[str]
    raw: Mapping[str, Any] = _raw()

    @staticmethod
    def read(fields: Fields) -> Caller:
        return Caller(
            fields.text("name"),
            fields.text("recognisedBy"),
            fields.texts("roles"),
            fields.boolean("allApps"),
            fields.texts("apps"),
            fields.raw,
        )
