"""From a plugin's appraisal to a verdict, by the rules of docs/reference/plugin-protocol.md; an appraisal that breaks them is invalid."""
import base64
import hashlib
import os
import re

from messages import ROOT, messages
from world import b64

PURPOSES = {"register": messages.PURPOSE_REGISTER, "assert": messages.PURPOSE_ASSERT,
            "provision": messages.PURPOSE_PROVISION, "renew": messages.PURPOSE_RENEW}
NAME = re.compile(rb"[a-z0-9_]{1,64}")
DAYS_MS = 24 * 3600 * 1000
KINDS = {"text": messages.CLAIM_KIND_TEXT, "integer": messages.CLAIM_KIND_INTEGER, "boolean": messages.CLAIM_KIND_BOOLEAN,
         "binary": messages.CLAIM_KIND_BYTES, "texts": messages.CLAIM_KIND_TEXTS, "time_unix_ms": messages.CLAIM_KIND_TIME}


class InvalidAppraisal(Exception):
    """What the daemon answers with plugin_invalid_answer."""


class Verdict:
    def __init__(self, verdict, reason="", check="", claims=None, detail="", statement=b"", measurements=None):
        self.verdict, self.reason, self.check, self.claims, self.detail = verdict, reason, check, claims or {}, detail
        self.statement, self.measurements = statement, measurements or {}

    def __repr__(self):
        return f"{self.verdict} {self.reason} ({self.check}: {self.detail}) {self.claims}"


def format_of(description, name):
    return next(declared for declared in description.formats if declared.name == name.encode())


def request_for(case, host):
    """The AppraiseRequest of a case. The device is that of Locate, if the format locates."""
    purpose = PURPOSES[case["purpose"]]
    request = messages.AppraiseRequest(
        call_token=os.urandom(16), format=case["format"].encode(), app=case["app"].encode(), purpose=purpose,
        body=b64(case["body_b64"]), now_unix_ms=case["now_unix_ms"], request_id=os.urandom(16))
    if "expected" in case:
        request.expected.client_data = b64(case["expected"]["client_data_b64"])
        request.expected.payload_sha256 = b64(case["expected"].get("payload_sha256_b64", ""))
        signals = b64(case["expected"].get("signals_b64", ""))
        # As the daemon: the document is the payload, or is not shown.
        if hashlib.sha256(signals).digest() == request.expected.payload_sha256:
            request.expected.signals = signals
    return request


def require(condition, sentence):
    if not condition:
        raise InvalidAppraisal(sentence)


def value_of(claim):
    kind = claim.WhichOneof("value")
    value = getattr(claim, kind)
    if kind == "text":
        return value.decode()
    if kind == "binary":
        return base64.b64encode(value).decode()
    if kind == "texts":
        return [text.decode() for text in value.values]
    return value


REASON_CODES = frozenset(
    line.split("`")[1] for line in (ROOT / "docs/reference/reason-codes.md").read_text().splitlines() if line.startswith("| `"))


# What only the daemon decides, as docs/reference/plugin-protocol.md lists it.
RESERVED_CODES = frozenset(re.findall(
    "`([a-z_]+)`", re.search(r"Codes of what the daemon alone decides.*?\n\n", (ROOT / "docs/reference/plugin-protocol.md").read_text(), re.S)[0]))


def check_code(code, declared, world):
    require(NAME.fullmatch(code), f"the code {code!r}")
    repeats_block = world.told_block and code == b"device_blocked"
    require(code.decode() not in RESERVED_CODES or repeats_block, f"the code {code!r} says what only Assay decides")
    require(code.decode() in REASON_CODES or code in {own.code for own in declared.codes},
            f"the code {code!r} is neither declared nor one of Assay's")


def check_findings(response, declared, world):
    require(len(response.findings) <= 64, "more than 64 findings")
    for finding in response.findings:
        require(NAME.fullmatch(finding.check), f"the check {finding.check!r}")
        require(len(finding.detail.encode()) <= 1024, "a detail above 1024 bytes")
        if finding.outcome in (messages.OUTCOME_FAIL, messages.OUTCOME_UNAVAILABLE):
            check_code(finding.code, declared, world)
        elif finding.outcome == messages.OUTCOME_NOTE:
            require(NAME.fullmatch(finding.code), f"the code {finding.code!r}")
        else:
            require(not finding.code, "a code for a check that did not fail")


def check_claims(response, declared):
    kinds = {claim.name: claim.kind for claim in declared.claims}
    require(len(response.claims) <= 64, "more than 64 claims")
    require(len({claim.name for claim in response.claims}) == len(response.claims), "a claim twice")
    for claim in response.claims:
        require(claim.name in kinds, f"the claim {claim.name!r} was not declared")
        require(KINDS[claim.WhichOneof("value")] == kinds[claim.name], f"the claim {claim.name!r} has another kind")
        require(claim.ByteSize() <= 4096 + 128 or claim.WhichOneof("value") == "texts", "a claim above 4096 bytes")


def check_freshness(request, response, declared, world):
    limit = request.now_unix_ms + 400 * DAYS_MS
    if declared.freshness == messages.FRESHNESS_CHALLENGE:
        expected = hashlib.sha256(request.expected.client_data).digest()
        require(response.verified_client_data_sha256 == expected, "other client data were verified than the request's")
    if declared.freshness == messages.FRESHNESS_SINGLE_USE:
        require(1 <= len(response.used_tokens) <= 4, "not 1 to 4 tokens")
        for token in response.used_tokens:
            require(1 <= len(token.token) <= 64, "a token that has not 1 to 64 bytes")
            require(request.now_unix_ms < token.until_unix_ms <= limit, "a token's time")
            if token.used_code:
                check_code(token.used_code, declared, world)
    if declared.freshness == messages.FRESHNESS_STATEMENT:
        require(len(response.statement.digest) == 32, "a statement's digest that has not 32 bytes")
        require(request.now_unix_ms < response.statement.until_unix_ms <= limit, "a statement's time")


def check_payload(request, response, declared):
    measured = [measurement.signal for measurement in response.measurements]
    if declared.freshness != messages.FRESHNESS_PAYLOAD:
        require(not response.verified_payload_sha256 and not measured, "a payload or a measurement beside another freshness")
        return
    require(response.verified_payload_sha256 == request.expected.payload_sha256, "another payload was verified than the request's")
    require(not response.HasField("effect") and not response.used_tokens and not response.HasField("statement"),
            "a part of a payload that changes something")
    require(len(set(measured)) == len(measured), "a signal measured twice")
    for measurement in response.measurements:
        require(measurement.signal in declared.measures, f"the signal {measurement.signal!r} was not declared")
        require(measurement.outcome in (messages.OUTCOME_PASS, messages.OUTCOME_FAIL, messages.OUTCOME_UNAVAILABLE), "the outcome of a measurement")
        require(len(measurement.detail.encode()) <= 1024, "a measurement's detail above 1024 bytes")


def check_effect(request, response):
    kind = response.effect.WhichOneof("kind") if response.HasField("effect") else None
    if kind == "registration":
        require(request.purpose == messages.PURPOSE_REGISTER, "a registration for another purpose")
        require(1 <= len(response.effect.registration.subject_key) <= 1024, "a subject key that has not 1 to 1024 bytes")
        require(len(response.effect.registration.public_key) <= 4096, "a public key above 4096 bytes")
    if kind == "advance":
        require(request.HasField("device"), "an advance without a located device")


def verdict_of(request, response, declared, world):
    check_findings(response, declared, world)
    check_claims(response, declared)
    for finding in response.findings:
        if finding.outcome == messages.OUTCOME_FAIL:
            return Verdict("REJECTED", finding.code.decode(), finding.check.decode(), detail=finding.detail)
    for finding in response.findings:
        if finding.outcome == messages.OUTCOME_UNAVAILABLE:
            return Verdict("UNAVAILABLE", finding.code.decode(), finding.check.decode(), detail=finding.detail)
    if not response.findings:
        return Verdict("REJECTED", "no_finding")
    check_freshness(request, response, declared, world)
    check_payload(request, response, declared)
    check_effect(request, response)
    for token in response.used_tokens:
        if token.token in world.used:
            return Verdict("REJECTED", token.used_code.decode() or "challenge_reused", "use")
    if response.assurance == messages.ASSURANCE_NONE and declared.freshness != messages.FRESHNESS_PAYLOAD:
        return Verdict("REJECTED", "assurance_too_low", "plugin")
    effect = response.effect
    if effect.WhichOneof("kind") == "registration" and effect.registration.subject_key in world.devices:
        return Verdict("REJECTED", "key_already_registered", "commit")
    if effect.WhichOneof("kind") == "advance" and effect.advance.counter <= request.device.counter:
        return Verdict("REJECTED", "counter_not_increasing", "commit")
    return Verdict("ACCEPTED", claims={claim.name.decode(): value_of(claim) for claim in response.claims},
                   statement=response.statement.digest,
                   measurements={measurement.signal.decode(): messages.Outcome.Name(measurement.outcome)[8:].lower()
                                 for measurement in response.measurements})


def judged(host, description, case):
    """The verdict on a case by a configured plugin."""
    request = request_for(case, host)
    host.world.told_block = False
    declared = format_of(description, case["format"])
    if declared.freshness == messages.FRESHNESS_PAYLOAD and len(request.expected.payload_sha256) != 32:
        return Verdict("REJECTED", "payload_not_bound", "binding")
    if declared.locates:
        located = host.call("Locate", messages.LocateRequest(format=request.format, app=request.app, body=request.body))
        if located.HasField("refusal"):
            return Verdict("REJECTED", located.refusal.code.decode(), "locate", detail=located.refusal.detail)
        device = host.world.device(located.subject_key) if located.subject_key else None
        if host.world.is_blocked(located.subject_key):
            return Verdict("REJECTED", "device_blocked", "registry")
        if device is not None:
            request.device.CopyFrom(device)
        elif located.subject_key and request.purpose != messages.PURPOSE_REGISTER:
            return Verdict("REJECTED", "unknown_device", "registry")
    return verdict_of(request, host.call("Appraise", request), declared, host.world)
