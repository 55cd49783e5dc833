"""Prepare and Appraise: the two questions to the provider."""
from __future__ import annotations

import hmac
import json
import re
import time
from typing import Any, NoReturn

from assay_plugin import Appraisal, Assurance, Call, Evidence, Level, Prepared, Refusal, Unavailable, parse_json

from .configuration import Condition, Configuration
from .document import member, with_members
from .evidence import SESSION_LIMIT, Capture, read_capture, read_object
from .exchange import Answer, NoAnswer, post
from .session import Session, time_ms_of, time_text

# What is left of a call's time for the answer to reach the daemon.
MARGIN_SECONDS = 0.25
DOWN = "the provider does not answer"
REJECTED = "the provider does not accept the capture"

Configured = Call[Configuration]


# MARK: Prepare


def prepare(call: Configured, request: Evidence) -> Prepared:
    """Asks the provider for session data, and authenticates them."""
    if request.body:
        read_object(request.body, set())
    settings = call.configuration.prepare
    try:
        document = document_of(ask(call, "prepare", settings.path, settings.request))
        session, expiry_ms = session_of(call.configuration, document, request.now_ms)
    except NoAnswer as failure:
        call.log(Level.WARNING, f"prepare: {failure}")
        raise Unavailable("provider_unavailable", DOWN, failure.retry_after) from None
    answer = {"session_data": session.data, "expires_at": session.expires_at,
              "session_mac": session.mac(call.configuration.session_key, request.app)}
    return Prepared(json.dumps(answer).encode(), expiry_ms)


def session_of(configuration: Configuration, document: Any, now_ms: int) -> tuple[Session, int]:
    data = member(document, configuration.prepare.session_data)
    if not isinstance(data, str) or not 1 <= len(data.encode()) <= SESSION_LIMIT:
        raise NoAnswer(f"expected {configuration.prepare.session_data} as a string of 1 to {SESSION_LIMIT} bytes")
    expiry_ms = now_ms + configuration.session_seconds * 1000
    if configuration.prepare.expires_at:
        given = time_ms_of(member(document, configuration.prepare.expires_at))
        if given is None or given <= now_ms:
            raise NoAnswer(f"expected {configuration.prepare.expires_at} as a time to come")
        expiry_ms = min(expiry_ms, given)
    return Session(data, time_text(expiry_ms)), expiry_ms


# MARK: Appraise


def appraise(appraisal: Appraisal[Configuration], evidence: Evidence) -> None:
    """The checks that cost nothing come first: what they refuse never reaches the provider."""
    capture = read_capture(evidence.body)
    check_form(appraisal, capture)
    expiry_ms = check_session(appraisal, evidence, capture)
    answer = analyze(appraisal, evidence, capture)
    appraisal.use_token(capture.session.token(), expiry_ms, "session_used")
    appraisal.claim("provider", appraisal.configuration.provider.host)
    appraisal.claim("session_expires_at", expiry_ms)
    identifier = analysis_id(appraisal.configuration, answer)
    if identifier:
        appraisal.claim("analysis_id", identifier)
    appraisal.assurance(Assurance.SOFTWARE)


def check_form(appraisal: Appraisal[Configuration], capture: Capture) -> None:
    media = appraisal.configuration.media
    appraisal.require("metadata", capture.metadata.strip(), "metadata_missing", "expected the capture's metadata, found none")
    fits = media == "optional" or (media == "required") == bool(capture.media)
    appraisal.require("media", fits, "malformed", f"the configuration says that media is {media}, found {len(capture.media)} bytes of Base64")


def check_session(appraisal: Appraisal[Configuration], evidence: Evidence, capture: Capture) -> int:
    """When the session ends, in milliseconds since 1970."""
    session = capture.session
    right = hmac.compare_digest(session.mac(appraisal.configuration.session_key, evidence.app), capture.session_mac)
    appraisal.require("session", right, "session_invalid", "the session was not prepared by this service for this app")
    expiry_ms = time_ms_of(session.expires_at) or 0
    appraisal.require("expiry", evidence.now_ms < expiry_ms, "session_expired", f"the session ended at {session.expires_at}")
    used = appraisal.find_used([session.token()])
    appraisal.require("single_use", not used[0], "session_used", "the session was used before")
    return expiry_ms


def analyze(appraisal: Appraisal[Configuration], evidence: Evidence, capture: Capture) -> Any:
    """The provider's document, all of whose conditions are met. Every rejection looks alike from outside; the log says which it was."""
    settings = appraisal.configuration.analyze
    members = {settings.session_data: capture.session.data, settings.metadata: capture.metadata}
    if settings.media and capture.media:
        members[settings.media] = capture.media
    try:
        answer = ask(appraisal, "analyze", settings.path, with_members(settings.request, members), settings.rejected_statuses)
        if answer.status in settings.rejected_statuses:
            reject(appraisal, evidence, f"status {answer.status}")
        document = document_of(answer)
        unmet = [condition for condition in settings.conditions if not is_met(condition, document)]
        analysis_id(appraisal.configuration, document)
    except NoAnswer as failure:
        appraisal.log(Level.WARNING, f"analyze: {failure}", request=evidence.request_id.hex())
        appraisal.unavailable("analysis", "provider_unavailable", DOWN)
    if unmet:
        reject(appraisal, evidence, ", ".join(f"{condition.field} {condition.kind}" for condition in unmet))
    appraisal.require("analysis", True, "liveness_rejected", REJECTED)
    return document


def reject(appraisal: Appraisal[Configuration], evidence: Evidence, why: str) -> NoReturn:
    """The log names statuses and conditions, never the values of an answer: they are about a person."""
    appraisal.log(Level.INFO, f"analyze: the capture was rejected: {why}", request=evidence.request_id.hex())
    appraisal.fail("analysis", "liveness_rejected", REJECTED)


def is_met(condition: Condition, document: Any) -> bool:
    """NoAnswer if the member is missing or of another kind: what was not judged is no verdict."""
    value = member(document, condition.field)
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if condition.kind == "equals":
        if value is None or isinstance(value, bool) != isinstance(condition.value, bool) or isinstance(value, str) != isinstance(condition.value, str):
            raise NoAnswer(f"the answer has no {condition.field} of the kind that the condition names")
        return bool(value == condition.value)
    if not number:
        raise NoAnswer(f"the answer has no number {condition.field}")
    return bool(value >= condition.value if condition.kind == "at_least" else value <= condition.value)


def analysis_id(configuration: Configuration, document: Any) -> str:
    path = configuration.analyze.analysis_id
    if not path:
        return ""
    value = member(document, path)
    if not isinstance(value, str) or not re.fullmatch(r"[!-~]{1,128}", value):
        raise NoAnswer(f"expected {path} as 1 to 128 characters of printable ASCII")
    return value


# MARK: The provider


def ask(call: Configured, name: str, path: str, request: dict[str, Any], expected: frozenset[int] = frozenset()) -> Answer:
    """An answer of status 200 to 299, or one that is expected."""
    provider = call.configuration.provider
    left = call.time_left()
    seconds = provider.timeout if left is None else min(provider.timeout, left - MARGIN_SECONDS)
    call.count("provider_calls")
    try:
        if seconds <= 0:
            raise NoAnswer("no time is left for the provider")
        answer = post(provider, path, json.dumps(request).encode(), time.monotonic() + seconds)
        if answer.status in expected or 200 <= answer.status <= 299:
            return answer
        raise NoAnswer(f"the provider answered with status {answer.status}{advice(answer.status)}", answer.retry_after)
    except NoAnswer:
        call.count("provider_failures")
        raise


def advice(status: int) -> str:
    if status in (401, 403):
        return "; look at api_key, api_key_header and api_key_format"
    if status in (404, 405):
        return "; look at base_url and path"
    return "; redirects are not followed" if 300 <= status <= 399 else ""


def document_of(answer: Answer) -> Any:
    try:
        return parse_json(answer.body)
    except ValueError as error:
        raise NoAnswer(f"the answer is not JSON: {error}") from None
