"""The checks of a chain, in their order: what costs little comes first, and nothing is hashed link by link before the payload is right."""
from __future__ import annotations

import operator
from hashlib import sha256

from assay_plugin import Appraisal, Evidence, Outcome

from .configuration import Configuration
from .constants import CHECKPOINTS, DEPTH_ALGORITHM, FRAME_RATE, FRAME_TOLERANCE, HASH_SIZE, KEYFRAME_STEP, ROUNDING
from .depth import depth_over_time
from .document import Document, read_document
from .links import broken_link

Configured = Appraisal[Configuration]


def appraise(appraisal: Configured, evidence: Evidence) -> None:
    document = read_document(evidence.body)
    appraisal.require("form", True, "malformed", "")
    accepted = appraisal.configuration.versions
    appraisal.require("version", document.version in accepted, "chain_version_not_accepted",
                      f"expected a chain of version {' or '.join(map(str, sorted(accepted)))}, found {document.version}")
    require_counts(appraisal, document)
    require_times(appraisal, document)
    require_checkpoint(appraisal, document)
    last = document.hashes[-HASH_SIZE:]
    appraisal.require("final_hash", last == document.final_hash, "final_hash_mismatch",
                      f"final_hash: expected the hash of frame {document.attested}, {last.hex()}, found {document.final_hash.hex()}")
    signed = require_payload(appraisal, document, evidence)
    require_links(appraisal, document)
    appraisal.verified_payload(evidence.payload_sha256)
    report(appraisal, document, signed)
    measure_depth(appraisal, document, signed)


# MARK: Consistency


def require_counts(appraisal: Configured, document: Document) -> None:
    expected, found = document.attested, {"hashes": len(document.hashes) // HASH_SIZE, "times": len(document.times)}
    if document.version == 2:
        found["frame_digests"] = len(document.frame_digests) // HASH_SIZE
    wrong = next((name for name in found if found[name] != expected), "")
    appraisal.require("counts", not wrong, "frame_count_mismatch",
                      f"{wrong}: expected one for each of {expected} attested frames, found {found.get(wrong, 0)}")
    keyframes, digests = document.keyframes, len(document.depth_digests) // HASH_SIZE
    appraisal.require("keyframes", keyframes in (0, expected // KEYFRAME_STEP), "keyframe_count_mismatch",
                      f"keyframes: expected {expected // KEYFRAME_STEP}, a third of {expected} attested frames, or 0; found {keyframes}")
    appraisal.require("depth_digests", document.version == 1 or digests == keyframes, "keyframe_count_mismatch",
                      f"depth_digests: expected one for each of {keyframes} keyframes, found {digests}")


def require_times(appraisal: Configured, document: Document) -> None:
    length = document.duration * FRAME_RATE
    appraisal.require("duration", is_near(length, document.frames), "duration_mismatch",
                      f"duration: {document.duration:g} s are {length:.2f} frames, expected {document.frames} with a tolerance of {FRAME_TOLERANCE}")
    times = document.times
    rising = all(map(operator.lt, times, times[1:]))
    at = 0 if rising else next(index for index, pair in enumerate(zip(times, times[1:]), 1) if pair[0] >= pair[1])
    appraisal.require("times", rising, "times_not_rising",
                      f"times: expected frame {at + 1} after frame {at}, found {times[at]!r} s after {times[at - 1]!r} s")
    span = (times[-1] - times[0]) * FRAME_RATE + 1
    appraisal.require("span", is_near(span, document.attested), "duration_mismatch",
                      f"times: {times[-1] - times[0]:g} s from the first to the last are {span:.2f} frames, "
                      f"expected {document.attested} with a tolerance of {FRAME_TOLERANCE}")


def is_near(found: float, frames: int) -> bool:
    return abs(found - frames) <= FRAME_TOLERANCE + ROUNDING


def require_checkpoint(appraisal: Configured, document: Document) -> None:
    """Without a tolerance: what was signed is the hash of one frame and of no other."""
    attested, frames = document.attested, document.frames
    appraisal.require("attested", attested == frames or attested < frames and attested in CHECKPOINTS, "checkpoint_mismatch",
                      f"attested_frames: expected all {frames} frames, or a checkpoint before ({', '.join(map(str, CHECKPOINTS))}), found {attested}")
    appraisal.require("whole", attested == frames or appraisal.configuration.partial, "partial_not_accepted",
                      f"the device attested {attested} of {frames} frames, expected all of them")


# MARK: Authenticity


def require_payload(appraisal: Configured, document: Document, evidence: Evidence) -> str:
    """What the device signed: final_hash or document."""
    accepted, expected = appraisal.configuration.signed, evidence.payload_sha256
    digests = {"final_hash": sha256(document.final_hash).digest(), "document": sha256(evidence.body).digest()}
    found = {name: digest for name, digest in digests.items() if accepted in (name, "either")}
    signed = next((name for name, digest in found.items() if digest == expected), "")
    appraisal.require("payload", signed, "chain_not_signed",
                      f"expected the payload that the device signed to have the SHA-256 {expected.hex() or '(none)'}, found "
                      + ", ".join(f"{digest.hex()} of the {name}" for name, digest in found.items()))
    return signed


def require_links(appraisal: Configured, document: Document) -> None:
    if document.version == 1:
        return appraisal.skip("links", "the hashes of version 1 are over pixels, which do not arrive")
    broken = broken_link(document)
    frame, expected = broken or (0, b"")
    found = document.hashes[(frame - 1) * HASH_SIZE:frame * HASH_SIZE] if broken else b""
    appraisal.require("links", broken is None, "link_mismatch",
                      f"hashes: expected the hash of frame {frame} to be {expected.hex()}, found {found.hex()}")


# MARK: What it says


def report(appraisal: Configured, document: Document, signed: str) -> None:
    verified = f"{document.attested / FRAME_RATE:.3g} s of {document.duration:.3g} s"
    if document.attested < document.frames:
        word = "" if signed == "document" else ", of which the whole length is the app's word"
        appraisal.note("attested", "verified_prefix", f"{verified}: {document.attested} of {document.frames} frames{word}")
    appraisal.claim("chain_version", document.version)
    appraisal.claim("signed", signed)
    appraisal.claim("links", "recomputed" if document.version == 2 else "stated")
    appraisal.claim("final_hash", document.final_hash)
    appraisal.claim("verified", verified)
    appraisal.claim("partial", document.attested < document.frames)
    appraisal.claim("verified_frames", document.attested)
    appraisal.claim("recorded_frames", document.frames)
    appraisal.claim("keyframes", document.keyframes)


def measure_depth(appraisal: Configured, document: Document, signed: str) -> None:
    """Reports the signal in each case; it bears on the confidence, and decides nothing."""
    signal = appraisal.configuration.depth_signal
    if document.depth is None:
        return appraisal.measured(signal, Outcome.UNAVAILABLE, "the chain has no numbers of depth")
    if signed == "final_hash" and document.version == 1:
        return appraisal.measured(signal, Outcome.UNAVAILABLE, "the device's signature over the final hash of version 1 does not cover numbers of depth")
    if document.keyframes < 2:
        return appraisal.measured(signal, Outcome.UNAVAILABLE, f"expected at least 2 keyframes, found {document.keyframes}")
    found = depth_over_time(document.depth)
    appraisal.claim("depth_algorithm", DEPTH_ALGORITHM)
    appraisal.claim("depth_consistency_permille", round(found.consistency * 1000))
    appraisal.claim("depth_coherence_permille", round(found.coherence * 1000))
    appraisal.claim("depth_stability_permille", round(found.stability * 1000))
    appraisal.claim("depth_jump_mm", round(found.jump * 1000))
    appraisal.measured(signal, Outcome.PASS if found.holds else Outcome.FAIL, str(found))
