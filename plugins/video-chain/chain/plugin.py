"""The plugin's declaration."""
from __future__ import annotations

from assay_plugin import Claim, ClaimKind, Code, Format, Freshness, Plugin, Purpose, Retry

from .configuration import KEYS, SIGNALS, Configuration, read_configuration
from .constants import BODY_LIMIT
from .judgement import appraise

CODES = [
    Code("chain_version_not_accepted", Retry.CONTACT_OPERATOR, "The configuration does not accept chains of this version."),
    Code("frame_count_mismatch", Retry.NEVER, "The chain does not have a hash, a time or a digest for each attested frame."),
    Code("keyframe_count_mismatch", Retry.NEVER, "The keyframes are not a third of the attested frames."),
    Code("duration_mismatch", Retry.NEVER, "The duration, or the span of the times, is not that of the number of frames."),
    Code("times_not_rising", Retry.NEVER, "A frame's time is not after that of the frame before."),
    Code("checkpoint_mismatch", Retry.NEVER, "The attested frames of an interrupted recording do not end at a checkpoint."),
    Code("partial_not_accepted", Retry.NEW_CHALLENGE, "The configuration does not accept interrupted recordings."),
    Code("final_hash_mismatch", Retry.NEVER, "The final hash is not the last hash of the chain."),
    Code("chain_not_signed", Retry.NEW_CHALLENGE, "The payload that the device signed is neither the final hash nor the chain's document."),
    Code("link_mismatch", Retry.NEVER, "A hash of the chain is not that of its frame's parts and the hash before."),
]

CLAIMS = [
    Claim("chain_version", ClaimKind.INTEGER, "1 or 2"),
    Claim("signed", ClaimKind.TEXT, "what the device signed: final_hash or document"),
    Claim("links", ClaimKind.TEXT, "recomputed, or stated by the app"),
    Claim("final_hash", ClaimKind.BYTES, "the hash of the last attested frame"),
    Claim("verified", ClaimKind.TEXT, "the attested part of the recording, such as 10 s of 12 s"),
    Claim("partial", ClaimKind.BOOLEAN, "whether the recording was interrupted, and only its beginning is attested"),
    Claim("verified_frames", ClaimKind.INTEGER, "the attested frames"),
    Claim("recorded_frames", ClaimKind.INTEGER, "the frames of the recording"),
    Claim("keyframes", ClaimKind.INTEGER, "the attested frames with depth"),
    Claim("depth_algorithm", ClaimKind.INTEGER, "the version of the formulas of depth over time"),
    Claim("depth_consistency_permille", ClaimKind.INTEGER, "keyframes that show a scene with depth, in thousandths"),
    Claim("depth_coherence_permille", ClaimKind.INTEGER, "overlap of the ranges of depth of neighbouring keyframes, in thousandths"),
    Claim("depth_stability_permille", ClaimKind.INTEGER, "likeness of the deviations of neighbouring keyframes, in thousandths"),
    Claim("depth_jump_mm", ClaimKind.INTEGER, "the largest change of the mean depth between neighbouring keyframes, in millimetres"),
]

PLUGIN: Plugin[Configuration] = Plugin(
    name="video-chain",
    version="1.0.0",
    formats=[Format(
        name="video-chain",
        purposes=[Purpose.REGISTER, Purpose.ASSERT],
        size_limit=BODY_LIMIT,
        freshness=Freshness.PAYLOAD,
        appraise=appraise,
        claims=CLAIMS,
        codes=CODES,
        measures=SIGNALS,
    )],
    configuration_keys=KEYS,
    read_configuration=read_configuration,
)
