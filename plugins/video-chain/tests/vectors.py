#!/usr/bin/python3 -B
"""Writes the plugin's cases in the form of plugins/sdk/tests/README.md.

    vectors.py [FOLDER [signed]]

With `signed` only cases in which the device signed each byte that decides: no change of them may be accepted.
"""
import base64
import json
import sys

from recording import SCENE, b64, final_hash, recording, sha256, written

NOW_MS = 1_764_579_600_000


def client_data(payload):
    return b"assay1" + bytes([2]) + bytes(range(54)) + payload


def case(name, document, verdict, *reasons, signs="final_hash", payload=None, claims=None, measurements=None, **configuration):
    body = written(document)
    if payload is None:
        payload = sha256(body if signs == "document" else final_hash(document))
    return {
        "id": name, "configuration": configuration, "format": "video-chain", "app": "app", "purpose": "assert", "body_b64": b64(body),
        "now_unix_ms": NOW_MS, "expected": {"client_data_b64": b64(client_data(payload or bytes(32))), "payload_sha256_b64": b64(payload)},
        "world": {}, "expect": {
            "verdict": verdict, "reasons": reasons, "claims": claims or {}, **({} if measurements is None else {"measurements": measurements})},
    }


def accepted(name, document, **more):
    return case(name, document, "ACCEPTED", **more)


def rejected(name, document, code, **more):
    return case(name, document, "REJECTED", code, **more)


def scenes(*changes):
    """A keyframe for each dictionary of changes."""
    return [{**SCENE, **change} for change in changes]


def in_depth(name, outcome, changes, **claims):
    """A recording whose keyframes have these changes."""
    claims = {f"depth_{key}": value for key, value in claims.items()}
    document = recording(3 * len(changes), depth=scenes(*changes))
    return accepted(name, document, claims=claims, measurements={"depth_over_time": outcome})


def twice_depth(member, value):
    """One keyframe number out of the range of its kind."""
    return recording(6, depth=scenes({}, {member: value}))


def replaced(text, old, new):
    changed = written(text).replace(old, new, 1)
    assert changed != written(text)
    return changed


ONE = recording()
ONE_PAYLOAD = sha256(final_hash(ONE))
OLD = recording(version=1)
FULL = recording(450)
PARTIAL = recording(360, attested=300)
UNAVAILABLE = {"depth_over_time": "unavailable"}
WHOLE = {"partial": False, "verified": "0.4 s of 0.4 s", "verified_frames": 12, "recorded_frames": 12, "links": "recomputed", "signed": "final_hash"}


def signed_cases():
    """Each byte of these is signed."""
    return [
        accepted("document", ONE, signs="document", claims={**WHOLE, "signed": "document"}),
        accepted("document-version-1", OLD, signs="document", claims={"links": "stated", "chain_version": 1, "depth_consistency_permille": 1000}),
        accepted("document-partial", recording(160, attested=150), signs="document", claims={"partial": True, "verified": "5 s of 5.33 s"}),
    ]


def structure_cases():
    short = written(ONE)
    return [
        accepted("final-hash", ONE, claims={**WHOLE, "final_hash": ONE["final_hash"], "keyframes": 4, "depth_jump_mm": 0}),
        accepted("version-1", OLD, claims={"links": "stated", "chain_version": 1, "depth_algorithm": None}),
        accepted("no-depth", recording(has_depth=False), claims={"keyframes": 0, "depth_algorithm": None}),
        accepted("no-numbers", recording(depth=None), claims={"keyframes": 4, "depth_algorithm": None}),
        accepted("full", FULL, claims={"verified": "15 s of 15 s", "keyframes": 150}),
        accepted("one-frame", recording(1), claims={"keyframes": 0}),
        rejected("too-many-frames", recording(451), "malformed"),
        rejected("frames-0", {**ONE, "frames": 0}, "malformed"),
        rejected("frames-true", {**ONE, "frames": True}, "malformed"),
        rejected("frames-text", {**ONE, "frames": "12"}, "malformed"),
        rejected("frames-fraction", {**ONE, "frames": 12.0}, "malformed"),
        rejected("version-0", {**ONE, "version": 0}, "malformed"),
        rejected("version-3", {**ONE, "version": 3}, "malformed"),
        rejected("no-version", {**ONE, "version": None}, "malformed"),
        rejected("version-1-with-digests", {**ONE, "version": 1}, "malformed"),
        rejected("version-2-without-digests", recording(frame_digests=...), "malformed"),
        rejected("unknown-member", {**ONE, "extra": 1}, "malformed"),
        rejected("member-twice", short[:-1] + b',"version":2}', "malformed", payload=ONE_PAYLOAD),
        rejected("text-behind", short + b"1", "malformed", payload=ONE_PAYLOAD),
        rejected("nan", replaced(ONE, b'"duration":0.4', b'"duration":NaN'), "malformed", payload=ONE_PAYLOAD),
        rejected("infinite", replaced(ONE, b'"duration":0.4', b'"duration":1e400'), "malformed", payload=ONE_PAYLOAD),
        rejected("no-json", b"\xff", "malformed", payload=ONE_PAYLOAD),
        rejected("no-object", b"[]", "malformed", payload=ONE_PAYLOAD),
        rejected("deep", b"[" * 90_000, "malformed", payload=ONE_PAYLOAD),
        rejected("hash-of-31-bytes", recording(final_hash=b64(bytes(31))), "malformed"),
        rejected("hash-of-33-bytes", recording(final_hash=b64(bytes(33))), "malformed"),
        rejected("hash-without-padding", {**ONE, "hashes": ONE["hashes"][:-1]}, "malformed"),
        rejected("base64-url", {**ONE, "hashes": "-" + ONE["hashes"][1:]}, "malformed"),
        rejected("base64-line-end", {**ONE, "hashes": ONE["hashes"] + "\n"}, "malformed"),
        rejected("base64-loose-bits", {**ONE, "final_hash": ONE["final_hash"][:-2] + loose(ONE["final_hash"][-2]) + "="}, "malformed",
                 payload=ONE_PAYLOAD),
        rejected("hashes-no-text", {**ONE, "hashes": [ONE["hashes"]]}, "malformed"),
    ]


def loose(digit):
    """A Base64 digit with the same first four bits, and others behind them."""
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    return alphabet[alphabet.index(digit) | 1]


def consistency_cases():
    hashes = 32 * 12
    late = [number / 30 for number in range(12)]
    return [
        rejected("hash-missing", {**ONE, "hashes": cut(ONE["hashes"], hashes - 32)}, "frame_count_mismatch"),
        rejected("time-missing", {**ONE, "times": ONE["times"][:-1]}, "frame_count_mismatch"),
        rejected("no-time", {**ONE, "times": []}, "frame_count_mismatch"),
        rejected("digest-missing", {**ONE, "frame_digests": cut(ONE["frame_digests"], hashes - 32)}, "frame_count_mismatch"),
        rejected("keyframe-missing", {**ONE, "keyframes": 3, "depth": {name: row[:3] for name, row in ONE["depth"].items()}}, "keyframe_count_mismatch"),
        rejected("keyframe-more", {**recording(depth=None), "keyframes": 5}, "keyframe_count_mismatch"),
        rejected("depth-digest-missing", {**ONE, "depth_digests": cut(ONE["depth_digests"], 96)}, "keyframe_count_mismatch"),
        rejected("depth-digests-without-depth", recording(has_depth=False, depth_digests=b64(bytes(32))), "keyframe_count_mismatch"),
        accepted("keyframes-of-11", recording(11), claims={"keyframes": 3}),
        # Frames and duration.
        accepted("duration-5-more", recording(duration=17 / 30)),
        rejected("duration-above-5-more", recording(duration=17.01 / 30), "duration_mismatch"),
        accepted("duration-5-less", recording(duration=7 / 30)),
        rejected("duration-below-5-less", recording(duration=6.99 / 30), "duration_mismatch"),
        rejected("duration-negative", recording(duration=-0.4), "malformed"),
        # Times.
        accepted("times-of-clock", recording(times=[1_764_579_600 + number / 30 for number in range(12)])),
        accepted("times-below-limit", recording(times=[9_999_999_999.5 + number / 32 for number in range(12)])),
        rejected("times-above-limit", recording(times=[9_999_999_999.7 + number / 32 for number in range(12)]), "malformed"),
        rejected("time-negative", recording(times=[-0.01] + late[1:]), "malformed"),
        rejected("time-text", {**ONE, "times": ["0"] + late[1:]}, "malformed"),
        rejected("time-true", {**ONE, "times": [False] + late[1:]}, "malformed"),
        rejected("times-equal", recording(times=late[:5] + [late[4]] + late[6:]), "times_not_rising"),
        rejected("times-falling", recording(times=[late[1], late[0]] + late[2:]), "times_not_rising"),
        accepted("times-by-one-bit", recording(times=late[:5] + [0.13333333333333336] + late[6:])),
        accepted("span-5-more", recording(times=late[:-1] + [16 / 30])),
        rejected("span-above-5-more", recording(times=late[:-1] + [16.01 / 30]), "duration_mismatch"),
        accepted("span-5-less", recording(times=[number / 30 * 6 / 11 for number in range(12)])),
        rejected("span-below-5-less", recording(times=[number / 30 * 5.99 / 11 for number in range(12)]), "duration_mismatch"),
        # Checkpoints.
        accepted("checkpoint-300-of-360", PARTIAL, claims={
            "partial": True, "verified": "10 s of 12 s", "verified_frames": 300, "recorded_frames": 360, "keyframes": 100}),
        accepted("checkpoint-150-of-151", recording(151, attested=150), claims={"partial": True, "verified": "5 s of 5.03 s"}),
        accepted("checkpoint-150-of-450", recording(450, attested=150), claims={"partial": True, "verified": "5 s of 15 s"}),
        accepted("checkpoint-of-all", recording(300, attested=300), claims={"partial": False}),
        accepted("checkpoint-450", recording(450, attested=450), claims={"partial": False}),
        *(rejected(f"checkpoint-{count}-of-360", recording(360, attested=count), "checkpoint_mismatch")
          for count in (1, 149, 151, 295, 299, 301, 305, 355, 359)),
        rejected("checkpoint-above", {**recording(160, attested=150), "attested_frames": 161}, "frame_count_mismatch"),
        rejected("checkpoint-150-of-140", {**recording(150), "frames": 140, "attested_frames": 150, "duration": 140 / 30}, "checkpoint_mismatch"),
        rejected("checkpoint-300-stated-as-all", {**PARTIAL, "attested_frames": 360}, "frame_count_mismatch"),
        rejected("partial-not-accepted", PARTIAL, "partial_not_accepted", partial=False),
        accepted("whole-where-partial-is-not", ONE, partial=False),
    ]


def cut(text, size):
    return b64(base64.b64decode(text)[:size])


def authenticity_cases():
    other = recording(times=[number / 30 + 1 for number in range(12)])
    return [
        rejected("other-final-hash", {**ONE, "final_hash": other["final_hash"]}, "final_hash_mismatch"),
        rejected("not-signed", ONE, "chain_not_signed", payload=sha256(b"another")),
        rejected("no-payload", ONE, "payload_not_bound", payload=b""),
        rejected("hash-itself-as-payload", ONE, "chain_not_signed", payload=final_hash(ONE)),
        rejected("hash-as-text", ONE, "chain_not_signed", payload=sha256(ONE["final_hash"].encode())),
        rejected("last-hash-but-one", ONE, "chain_not_signed", payload=sha256(final_hash(recording(11)))),
        accepted("signs-hash-as-configured", ONE, signed="final_hash"),
        rejected("signs-hash-not-document", ONE, "chain_not_signed", signed="document"),
        accepted("signs-document-as-configured", ONE, signs="document", signed="document"),
        rejected("signs-document-not-hash", ONE, "chain_not_signed", signs="document", signed="final_hash"),
        rejected("other-digest", {**ONE, "frame_digests": other_byte(ONE["frame_digests"], 40)}, "link_mismatch"),
        rejected("other-depth-digest", {**ONE, "depth_digests": other_byte(ONE["depth_digests"], 100)}, "link_mismatch"),
        rejected("other-hash", {**ONE, "hashes": other_byte(ONE["hashes"], 5 * 32)}, "link_mismatch"),
        rejected("other-time", {**ONE, "times": ONE["times"][:6] + [0.2000001] + ONE["times"][7:]}, "link_mismatch"),
        rejected("other-time-by-one-bit", {**ONE, "times": ONE["times"][:6] + [0.20000000000000004] + ONE["times"][7:]}, "link_mismatch"),
        rejected("depth-left-out", recording(keyframes=0, depth_digests=..., depth=None), "link_mismatch"),
        rejected("numbers-left-out", {name: value for name, value in ONE.items() if name != "depth"}, "link_mismatch"),
        rejected("other-number", {**ONE, "depth": {**ONE["depth"], "deviation": [1.32, 1.32, 1.32, 1.33]}}, "link_mismatch"),
        rejected("numbers-not-in-the-chain", {**recording(depth=None), "depth": ONE["depth"]}, "link_mismatch"),
        # The links of version 1 cannot be computed: what the final hash does not show is the app's word.
        accepted("version-1-other-hash", {**OLD, "hashes": other_byte(OLD["hashes"], 5 * 32)}),
        rejected("version-1-other-last-hash", {**OLD, "hashes": other_byte(OLD["hashes"], 11 * 32)}, "final_hash_mismatch"),
        rejected("version-1-document-other-hash", {**OLD, "hashes": other_byte(OLD["hashes"], 5 * 32)}, "chain_not_signed", payload=sha256(written(OLD))),
        rejected("version-1-not-accepted", OLD, "chain_version_not_accepted", versions=[2]),
        rejected("version-2-not-accepted", ONE, "chain_version_not_accepted", versions=[1]),
        accepted("version-2-alone", ONE, versions=[2]),
    ]


def other_byte(text, at):
    data = bytearray(base64.b64decode(text))
    data[at] ^= 1
    return b64(bytes(data))


def depth_cases():
    one, flat, wide = {}, {"deviation": 0.5}, {"min": 0.5, "max": 10}
    ends = [("mean", 0.8, 0.79), ("mean", 4.0, 4.01), ("min", 0.1, 0.09), ("max", 20, 20.1), ("layers", 50, 51), ("layers", 0, -1),
            ("edge_coherence", 1, 1.01), ("edge_coherence", 0, -0.01), ("deviation", 20, 20.1), ("deviation", 0, -0.01)]
    cases = []
    for member, inside, outside in ends:
        cases += [accepted(f"depth-{member}-{inside}", twice_depth(member, inside)),
                  rejected(f"depth-{member}-{outside}", twice_depth(member, outside), "malformed")]
    return cases + [
        rejected("depth-layers-fraction", twice_depth("layers", 3.5), "malformed"),
        rejected("depth-of-another-count", {**ONE, "depth": {**ONE["depth"], "mean": [2.2] * 3}}, "malformed"),
        rejected("depth-member-missing", {**ONE, "depth": {name: row for name, row in ONE["depth"].items() if name != "min"}}, "malformed"),
        rejected("depth-member-unknown", {**ONE, "depth": {**ONE["depth"], "extra": []}}, "malformed"),
        rejected("depth-text", {**ONE, "depth": {**ONE["depth"], "mean": "2.2"}}, "malformed"),
        # What a keyframe with a scene exceeds, reaches, and exceeds.
        in_depth("depth-deviation-at", "fail", [flat, one], consistency_permille=500),
        in_depth("depth-deviation-above", "pass", [{"deviation": 0.51}, {"deviation": 0.51}], consistency_permille=1000),
        in_depth("depth-layers-below", "fail", [{"layers": 2}, one], consistency_permille=500),
        in_depth("depth-layers-at", "pass", [{"layers": 3}, one], consistency_permille=1000),
        in_depth("depth-edges-at", "fail", [{"edge_coherence": 0.3}, one], consistency_permille=500),
        in_depth("depth-edges-above", "pass", [{"edge_coherence": 0.31}, one], consistency_permille=1000),
        # The thresholds of the recording.
        in_depth("consistency-at", "pass", [one] * 7 + [{"layers": 2}] * 3, consistency_permille=700),
        in_depth("consistency-below", "fail", [one] * 6 + [{"layers": 2}] * 4, consistency_permille=600),
        in_depth("coherence-at", "pass", [{"min": 1, "max": 5}, {"min": 2, "max": 6}], coherence_permille=600),
        in_depth("coherence-below", "fail", [{"min": 1, "max": 5}, {"min": 2.05, "max": 6}], coherence_permille=590),
        in_depth("coherence-of-ranges-apart", "fail", [{"mean": 1, "min": 1, "max": 2}, {"mean": 3, "min": 3, "max": 4}], coherence_permille=0),
        in_depth("stability-at", "pass", [{"deviation": 1.0}, {"deviation": 0.8}], stability_permille=800),
        in_depth("stability-below", "fail", [{"deviation": 1.0}, {"deviation": 0.79}], stability_permille=790),
        in_depth("jump-at", "pass", [{**wide, "mean": 3}, {**wide, "mean": 5}, {**wide, "mean": 3}], jump_mm=2000),
        in_depth("jump-above", "fail", [{**wide, "mean": 3}, {**wide, "mean": 5.01}, {**wide, "mean": 3}], jump_mm=2010),
        in_depth("depth-of-a-wall", "fail", [{"mean": 2, "deviation": 0, "layers": 1, "edge_coherence": 0, "min": 2, "max": 2}] * 3,
                 consistency_permille=0, coherence_permille=1000, stability_permille=1000, jump_mm=0, algorithm=1),
        # What cannot be measured.
        accepted("depth-of-one-keyframe", recording(3), claims={"depth_algorithm": None, "keyframes": 1}, measurements=UNAVAILABLE),
        accepted("depth-of-no-keyframe", recording(has_depth=False), measurements=UNAVAILABLE),
        accepted("depth-without-numbers", recording(depth=None), measurements=UNAVAILABLE),
        accepted("depth-not-covered", OLD, measurements=UNAVAILABLE),
        accepted("depth-covered-by-document", OLD, signs="document", measurements={"depth_over_time": "pass"}),
        accepted("depth-as-lidar", ONE, measurements={"lidar": "pass"}, depth_signal="lidar"),
    ]


def cases():
    return signed_cases() + structure_cases() + consistency_cases() + authenticity_cases() + depth_cases()


if __name__ == "__main__":
    found = signed_cases() if sys.argv[2:] == ["signed"] else cases()
    json.dump({"plugin": "video-chain", "cases": found}, sys.stdout, indent=1)
