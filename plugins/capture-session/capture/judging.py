"""Appraise: the session's token, then what the app says of its capture."""
from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator

from assay_plugin import Appraisal, Evidence, parse_json

from .configuration import Configuration, Limits
from .document import Document, Image, SaltBinding, System, read_document
from .session import INJECTION_CHECKS_MS, Session, session_of
from .times import time_text

Judged = Appraisal[Configuration]

WORDS = "sharpness, brightness, sizes, faces, documents and challenges are what the app says; its device signed them, and no image was seen here"
LAST_WITHOUT_APP_ATTEST = 13


def appraise(appraisal: Judged, evidence: Evidence) -> None:
    """What is behind the session's own checks is all judged, so that the findings list every fault of a capture."""
    document = read_document(evidence.body)
    appraisal.check("form", True, "malformed", "")
    check_binding(appraisal, evidence)
    session = check_session(appraisal, evidence, document)
    check_system(appraisal, document.system)
    check_completeness(appraisal, session, document)
    for image in document.images:
        check_image(appraisal, session, image)
    appraisal.check("spoof", not document.spoof_detected, "spoof_detected", "the app says that it detected a spoof: spoof_detected is true")
    check_recording(appraisal, session, document)
    check_challenges(appraisal, session, document)
    if document.salt_binding is not None:
        check_salt(appraisal, session, document.salt_binding)
    if not appraisal.failed:
        appraisal.note("words", "words_of_the_app", WORDS)
        state(appraisal, session, document)
        appraisal.verified_payload(evidence.payload_sha256)


# MARK: What the device signed


def check_binding(appraisal: Judged, evidence: Evidence) -> None:
    """The document is the payload, or the signed document of the signals has its digest."""
    digest = hashlib.sha256(evidence.body)
    if evidence.signals:
        expected, place = stated_digest(evidence.signals), "capture_session_sha256 of the signed document of the signals"
    else:
        expected, place = evidence.payload_sha256.hex(), "the payload that the device signed"
    appraisal.require(
        "binding", digest.hexdigest() == expected, "document_mismatch",
        f"expected the document with SHA-256 {expected or 'in lower-case hex digits'}, which is {place}; this one has {digest.hexdigest()}")


def stated_digest(signals: bytes) -> str:
    """Empty if the document states none."""
    try:
        document = parse_json(signals)
    except ValueError:
        return ""
    value = document.get("capture_session_sha256") if isinstance(document, dict) else None
    return value if isinstance(value, str) and len(value) == 64 and not set(value) - set("0123456789abcdef") else ""


# MARK: The session


def check_session(appraisal: Judged, evidence: Evidence, document: Document) -> Session:
    session = session_of(document.session_token, appraisal.configuration.session_key, evidence.app)
    if session is None:
        appraisal.fail("session", "session_invalid", "session_token was not prepared by this service for this app")
    appraisal.require("session", True, "session_invalid", "")
    appraisal.require(
        "expiry", evidence.now_ms < session.expires_at_ms, "session_expired",
        f"the session ended at {time_text(session.expires_at_ms)}; the document came at {time_text(evidence.now_ms)}")
    return session


def check_system(appraisal: Judged, system: System) -> None:
    least = appraisal.configuration.ios if system.platform == "ios" else appraisal.configuration.api_level
    passed = appraisal.check(
        "system", system.version[0] >= least, "system_too_old",
        f"expected {'iOS' if system.platform == 'ios' else 'Android API'} {least} or later, found {system.text}")
    if passed and uses_device_check(system):
        appraisal.note("system", "device_check_only", f"{system.text} has no App Attest, only DeviceCheck: the confidence is LOW at most")


def uses_device_check(system: System) -> bool:
    return system.platform == "ios" and system.version[0] <= LAST_WITHOUT_APP_ATTEST


# MARK: Images


def check_completeness(appraisal: Judged, session: Session, document: Document) -> None:
    found = [image.side for image in document.images]
    missing = [side for side in session.sides if side not in found]
    others = [side for side in found if side not in session.sides]
    appraisal.check(
        "completeness", not missing and not others and len(set(found)) == len(found), "capture_incomplete",
        f"expected one image each of {', '.join(session.sides)} for {session.capture}, found {', '.join(found)}")


def check_image(appraisal: Judged, session: Session, image: Image) -> None:
    for check, passed, code, sentence in [*quality_checks(image, appraisal.configuration.limits), *content_checks(image, session)]:
        appraisal.check(check, passed, code, f"expected {image.place} ({image.side}) {sentence}")


def quality_checks(image: Image, limits: Limits) -> Iterator[tuple[str, bool, str, str]]:
    side = min(image.width, image.height)
    yield "sharpness", image.sharpness >= limits.sharpness, "image_blurred", f"with a sharpness of at least {limits.sharpness:g} of 100, found {image.sharpness:g}"
    yield "brightness", image.brightness >= limits.darkest, "image_too_dark", f"with a brightness of at least {limits.darkest:g} of 255, found {image.brightness:g}"
    yield "brightness", image.brightness <= limits.brightest, "image_too_bright", f"with a brightness of at most {limits.brightest:g} of 255, found {image.brightness:g}"
    yield "size", side >= limits.short_side, "image_too_small", f"with a short side of at least {limits.short_side} px, found {side} px"


def content_checks(image: Image, session: Session) -> Iterator[tuple[str, bool, str, str]]:
    if session.is_document:
        yield "document", image.document_found is True, "document_not_found", "with document_found true, found " + (
            "no such member" if image.document_found is None else "false")
    else:
        found = "no member faces" if image.faces is None else f"{image.faces}"
        yield "face", bool(image.faces), "face_missing", f"with exactly one face, found {found}"
        yield "face", (image.faces or 0) <= 1, "several_faces", f"with exactly one face, found {found}"


# MARK: Recording and challenges


def check_recording(appraisal: Judged, session: Session, document: Document) -> None:
    """A recording is demanded where challenges have to be met in it, and judged where there is one."""
    recording = document.recording
    if recording is None:
        appraisal.check("recording", not session.challenges, "recording_missing", "expected recording, in which the challenges are met; the document has none")
        return
    longest = session.duration_ms + INJECTION_CHECKS_MS
    appraisal.check(
        "recording", recording.duration_ms >= session.duration_ms, "recording_too_short",
        f"expected a recording of at least {session.duration_ms} ms, found {recording.duration_ms} ms")
    appraisal.check(
        "recording", recording.duration_ms <= longest, "recording_too_long", f"expected a recording of at most {longest} ms, found {recording.duration_ms} ms")
    appraisal.check(
        "recording", recording.quality >= session.quality, "recording_quality", f"expected a recording of quality {session.quality} or better, found {recording.quality}")


def check_challenges(appraisal: Judged, session: Session, document: Document) -> None:
    asked, met = session.challenges, tuple(one.challenge for one in document.challenges)
    shown = f"expected {', '.join(asked) or 'no challenge'}, found {', '.join(met) or 'none'}"
    if not appraisal.check("challenges", sorted(met) == sorted(asked), "challenges_incomplete", shown):
        return
    appraisal.check("challenges", met == asked, "challenge_order", shown)
    times = [one.at_ms for one in document.challenges]
    end = document.recording.duration_ms if document.recording else 0
    rising = all(earlier < later for earlier, later in zip(times, times[1:]))
    appraisal.check(
        "challenges", rising and all(at <= end for at in times), "challenge_out_of_time",
        f"expected times that rise, within the recording of {end} ms, found {', '.join(map(str, times))}")


def check_salt(appraisal: Judged, session: Session, binding: SaltBinding) -> None:
    """SHA-256(salt, device id, session id, time as 8 bytes, big-endian)."""
    bound = hashlib.sha256(binding.salt + binding.device_id.encode() + session.session_id.encode() + binding.timestamp.to_bytes(8, "big")).digest()
    appraisal.check(
        "salt_binding", hmac.compare_digest(bound, binding.binding_hash), "salt_binding_mismatch",
        f"expected salt_binding.binding_hash {bound.hex()}, for the salt, device_id, the session {session.session_id} and timestamp; found {binding.binding_hash.hex()}")


# MARK: Claims


def state(appraisal: Judged, session: Session, document: Document) -> None:
    appraisal.claim("session_id", session.session_id)
    appraisal.claim("capture", session.capture)
    if session.country:
        appraisal.claim("country", session.country)
    appraisal.claim("challenges", list(session.challenges))
    appraisal.claim("prepared_at", session.prepared_at_ms)
    appraisal.claim("expires_at", session.expires_at_ms)
    appraisal.claim("system", document.system.text)
    appraisal.claim("device_check_only", uses_device_check(document.system))
    appraisal.claim("salt_bound", document.salt_binding is not None)
