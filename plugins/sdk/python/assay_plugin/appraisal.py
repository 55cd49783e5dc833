"""What a handler says of evidence: findings, claims and effects."""
from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, NoReturn

from . import sentences
from .call import Call
from .declaration import Assurance, C, ClaimKind, Format, Outcome, expect
from .evidence import EPOCH
from .faults import CheckFailed, Fault
from .generated import plugin_pb2 as messages
from .host_calls import HostCalls

FINDING_LIMIT, CLAIM_LIMIT, TOKEN_LIMIT = 64, 64, 4
VALUE_LIMIT, TEXTS_LIMIT = 4096, 64

ClaimValue = str | int | bool | bytes | Sequence[str] | datetime


class Appraisal(Call[C]):
    """Findings in the order of the checks; the first that failed is the reason of the rejection. No finding means a rejection.

    Claims, tokens and effects are dropped if a check failed.
    """

    def __init__(self, declared: Format[C], configuration: C, host: HostCalls, token: bytes, deadline: float | None) -> None:
        super().__init__(configuration, host, token, deadline)
        self.failed = False
        """Whether a check failed, or could not be made."""
        self._format = declared
        self._response = messages.AppraiseResponse()

    # MARK: Findings

    def require(self, check: str, passed: object, code: str, detail: str) -> None:
        """Adds the finding of a check; one that failed ends the appraisal.

        `detail` is a sentence with what was expected and found. It is told to the caller only if the check failed. No secrets.
        """
        if not self.check(check, passed, code, detail):
            raise CheckFailed

    def check(self, check: str, passed: object, code: str, detail: str) -> bool:
        """The same, and the appraisal goes on: to list all faults of evidence. Returns whether the check passed."""
        if passed:
            self._add(messages.OUTCOME_PASS, check)
        else:
            self._add(messages.OUTCOME_FAIL, check, code, detail)
        return bool(passed)

    def fail(self, check: str, code: str, detail: str) -> NoReturn:
        """A check that failed; ends the appraisal."""
        self._add(messages.OUTCOME_FAIL, check, code, detail)
        raise CheckFailed

    def unavailable(self, check: str, code: str, detail: str) -> NoReturn:
        """The check could not be made: the caller is answered UNAVAILABLE, unless a check before it failed. Ends the appraisal."""
        self._add(messages.OUTCOME_UNAVAILABLE, check, code, detail)
        raise CheckFailed

    def skip(self, check: str, detail: str) -> None:
        """The check was left out."""
        self._add(messages.OUTCOME_SKIPPED, check, detail=detail)

    def note(self, check: str, word: str, detail: str) -> None:
        """Something that decides nothing and is worth to be known; `word` is like a code."""
        self._add(messages.OUTCOME_NOTE, check, word, detail)

    def _add(self, outcome: int, check: str, code: str = "", detail: str = "") -> None:
        findings = self._response.findings
        # Before the name is judged: a check that failed counts even if its name is wrong.
        self.failed |= outcome in (messages.OUTCOME_FAIL, messages.OUTCOME_UNAVAILABLE)
        if len(findings) == FINDING_LIMIT:
            self._author_fault("too_many_findings", f"the plugin added more than {FINDING_LIMIT} findings")
        finding = findings.add(outcome=outcome, check=self._name(check))
        if code:
            finding.code = self._name(code)
        if detail:
            finding.detail = sentences.sentence(detail)

    def _name(self, text: str) -> bytes:
        try:
            return sentences.name(text)
        except Fault as fault:
            self._fail(fault)

    # MARK: What follows from accepted evidence

    def assurance(self, assurance: Assurance) -> None:
        """How strong the evidence is."""
        self._response.assurance = int(assurance)

    def claim(self, name: str, value: ClaimValue) -> None:
        """A claim with the name and kind that the format declares. Text and bytes have at most 4096 bytes, texts 64 values."""
        kind = self._format.claim_kinds.get(name)
        if kind is None or not is_of_kind(value, kind):
            self._author_fault("undeclared_claim", f"the format {self._format.name} declares no claim {name} with a value of {type(value)}")
        if len(self._response.claims) == CLAIM_LIMIT or any(claim.name == name.encode() for claim in self._response.claims):
            self._author_fault("too_many_claims", f"the plugin added the claim {name} twice, or more than {CLAIM_LIMIT} claims")
        try:
            set_value(self._response.claims.add(name=name.encode()), kind, value)
        except ValueError as error:
            self._author_fault("claim_out_of_range", f"the claim {name}: {error}")

    def verified_client_data(self, client_data: bytes) -> None:
        """Freshness by challenge: the client data whose signature was verified. The daemon compares them by SHA-256."""
        self._response.verified_client_data_sha256 = hashlib.sha256(client_data).digest()

    def use_token(self, token: bytes, until_ms: int, used_code: str = "") -> None:
        """Freshness by single use: uses up a token of 1 to 64 bytes, at most 4. `used_code` is the reason if it was used before.

        `until_ms` is the time, in milliseconds since 1970, from which the evidence is refused by its own time.
        """
        if len(self._response.used_tokens) == TOKEN_LIMIT or not 1 <= len(token) <= 64:
            self._author_fault("token_invalid", f"the plugin used up more than {TOKEN_LIMIT} tokens, or one of {len(token)} bytes; expected 1 to 64")
        self._response.used_tokens.add(token=token, until_unix_ms=until_ms, used_code=self._name(used_code) if used_code else b"")

    def statement(self, digest: bytes, until_ms: int) -> None:
        """Freshness by statement: 32 bytes that make the statement unique, and until when it can be accepted."""
        self._response.statement.digest = digest
        self._response.statement.until_unix_ms = until_ms

    def verified_payload(self, sha256: bytes) -> None:
        """Freshness by payload: SHA-256 of the payload that the body was shown to belong to. The daemon compares it with `payload_sha256`."""
        if len(sha256) != 32:
            self._author_fault("invalid_digest", f"expected a SHA-256 of 32 bytes, found {len(sha256)}")
        self._response.verified_payload_sha256 = sha256

    def measured(self, signal: str, outcome: Outcome, detail: str) -> None:
        """Freshness by payload: what was measured for a signal of the format's `measures`, once for each.

        It bears on the confidence in the place of the app's own word, and decides nothing. `detail` is a sentence with the numbers.
        """
        if signal not in self._format.measures or any(one.signal == signal.encode() for one in self._response.measurements):
            self._author_fault("undeclared_measurement", f"the plugin measured {signal}, which the format {self._format.name} does not declare, or twice")
        self._response.measurements.add(signal=signal.encode(), outcome=int(Outcome(outcome)), detail=sentences.sentence(detail))

    def register(self, subject_key: bytes, public_key: bytes = b"") -> None:
        """Registers a device, for purpose REGISTER."""
        self._require_no_effect()
        self._response.effect.registration.subject_key = subject_key
        self._response.effect.registration.public_key = public_key

    def advance(self, counter: int) -> None:
        """Advances the counter of the device that `locate` named: 0 to 4294967295."""
        self._require_no_effect()
        self._response.effect.advance.counter = counter

    def _require_no_effect(self) -> None:
        if self._response.HasField("effect"):
            self._author_fault("two_effects", "the plugin asked for two effects; expected one of register and advance")

    def response(self) -> Any:
        """The AppraiseResponse. After a failed check nothing but the findings counts, and nothing else is sent."""
        if self.failed:
            return messages.AppraiseResponse(findings=self._response.findings)
        return self._response


def is_of_kind(value: object, kind: ClaimKind) -> bool:
    """Whether the value has the type of the kind; sizes are judged when it is set."""
    if kind == ClaimKind.INTEGER:
        return isinstance(value, int) and not isinstance(value, bool)
    if kind == ClaimKind.TIME:
        return isinstance(value, datetime) and value.tzinfo is not None or isinstance(value, int) and not isinstance(value, bool)
    if kind == ClaimKind.TEXTS:
        return isinstance(value, (list, tuple)) and all(isinstance(text, str) for text in value)
    return isinstance(value, {ClaimKind.TEXT: str, ClaimKind.BOOLEAN: bool, ClaimKind.BYTES: bytes}[kind])


def set_value(claim: Any, kind: ClaimKind, value: Any) -> None:
    """ValueError with a sentence if the value is too large."""
    if kind == ClaimKind.TEXT:
        claim.text = limited(value.encode())
    elif kind == ClaimKind.BOOLEAN:
        claim.boolean = value
    elif kind == ClaimKind.BYTES:
        claim.binary = limited(value)
    elif kind == ClaimKind.TEXTS:
        expect(len(value) <= TEXTS_LIMIT, f"expected at most {TEXTS_LIMIT} texts, found {len(value)}")
        claim.texts.SetInParent()
        claim.texts.values.extend(limited(text.encode()) for text in value)
    else:
        number = (value - EPOCH) // timedelta(milliseconds=1) if isinstance(value, datetime) else value
        expect(-1 << 63 <= number < 1 << 63, "expected an integer of 64 bits")
        setattr(claim, "integer" if kind == ClaimKind.INTEGER else "time_unix_ms", number)


def limited(data: bytes) -> bytes:
    expect(len(data) <= VALUE_LIMIT, f"expected at most {VALUE_LIMIT} bytes, found {len(data)}")
    return data
