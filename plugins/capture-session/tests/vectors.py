#!/usr/bin/python3 -B
"""Writes the plugin's cases in the form of plugins/sdk/tests/README.md.

    vectors.py [VECTORS]

Each is signed: expected.signature_b64 is the device's ECDSA signature over the client data, which have the document's SHA-256. test_session.py verifies it. A
case's expect.errors lists the codes of all failed checks.
"""
import hashlib
import json
import sys

from captures import NOW_MS, ORDER, SESSION_ID, SESSION_KEY, b64, document, face, image, salt_binding, sealed, signed, token


def case(name, body, verdict="ACCEPTED", *reasons, errors=None, now_ms=NOW_MS, payload=None, signals=None, claims=None, notes=None, **configuration):
    data = body if isinstance(body, bytes) else json.dumps(body, separators=(",", ":")).encode()
    expected = signed(data if payload is None else payload)
    return {
        "id": name, "configuration": {"session_key": SESSION_KEY.hex(), **configuration}, "format": "capture-session", "app": "app", "purpose": "assert",
        "now_unix_ms": now_ms, "body_b64": b64(data), "expected": {**expected, "signals_b64": b64(signals)} if signals else expected, "world": {},
        "expect": {"verdict": verdict, "reasons": list(reasons), "claims": claims or {}, "errors": sorted(errors or reasons), "notes": notes or []},
    }


def rejected(name, body, *reasons, **more):
    return case(name, body, "REJECTED", *reasons, **more)


def samples():
    """The cases that a service of this kind knows by name."""
    yield case("good-document", document(salt_binding=salt_binding()), claims={
        "session_id": SESSION_ID, "capture": "identity_card", "country": "DE", "challenges": [], "prepared_at": NOW_MS - 5000, "expires_at": NOW_MS + 61_500,
        "system": "iOS 17.2", "device_check_only": False, "salt_bound": True})
    yield case("good-selfie-with-liveness", face("selfie"), claims={"capture": "selfie", "country": None, "challenges": ORDER, "system": "Android API 34", "salt_bound": False})
    yield rejected("blurred", document(images=[image("front", sharpness=31), image("back")]), "image_blurred")
    yield rejected("no-face", face(images=[image("face", faces=0)]), "face_missing")
    yield rejected("spoof", face(spoof_detected=True), "spoof_detected")
    yield rejected("salt-mismatch", document(salt_binding=salt_binding("ffeeddccbbaa99887766554433221100")), "salt_binding_mismatch")
    signed_document = json.dumps(document(images=[image("front", sharpness=31), image("back")])).encode()
    yield rejected("integrity-failure", document(), "document_mismatch", payload=signed_document)


def sessions():
    good = token()
    for name, wrong in (("another-app", token(app="another")), ("another-key", token(key=bytes(32))), ("no-mac", good.split(".")[0]), ("cut", good[:-1]), ("longer", good + "A"),
                        ("padded", good + "="), ("two-macs", good + "." + good.split(".")[1]), ("standard-base64", good.replace("_", "/").replace("-", "+") + "+"),
                        ("mac-alone", "." + good.split(".")[1]), ("another-version", sealed(b'{"v":2}')), ("not-ascii", good[:-1] + "\u00e9")):
        yield rejected(f"token-{name}", document(session_token=wrong), "session_invalid")
    payload, seal = good.split(".")
    longer = token(expires_at_ms=NOW_MS + 10**9).split(".")[0]
    yield rejected("token-made-longer", document(session_token=f"{longer}.{seal}"), "session_invalid")
    yield case("1-ms-before-the-end", document(), now_ms=NOW_MS + 61_499)
    yield rejected("at-the-end", document(), "session_expired", now_ms=NOW_MS + 61_500)
    yield rejected("session-of-another-capture", document(session_token=token(capture="passport")), "capture_incomplete")
    yield rejected("challenges-of-another-session", face(session_token=token(capture="liveness", country="", challenges=ORDER[::-1])), "challenge_order")


def binding():
    body = json.dumps(document()).encode()
    digest = hashlib.sha256(body).hexdigest()
    good = json.dumps({"version": 2, "capture_session_sha256": digest}).encode()
    yield case("in-the-signed-document-of-the-signals", body, payload=good, signals=good)
    for name, members in (("another", {"capture_session_sha256": "0" * 64}), ("upper-case", {"capture_session_sha256": digest.upper()}), ("none", {}), ("deeper", {"session": {"capture_session_sha256": digest}}),
                          ("a-number", {"capture_session_sha256": 5}), ("a-list", [digest])):
        other = json.dumps(members).encode()
        yield rejected(f"in-the-signed-document-{name}", body, "document_mismatch", payload=other, signals=other)
    yield rejected("in-no-json", body, "document_mismatch", payload=b"{", signals=b"{")


def captures():
    for capture, sides in (("identity_card", ("front", "back")), ("driving_licence", ("front", "back")), ("passport", ("front",)), ("selfie", ("face",)), ("liveness", ("face",))):
        made = token(capture=capture, challenges=[], country="DE")
        yield case(f"complete-{capture}", document(session_token=made, images=[image(side) for side in sides]), claims={"capture": capture})
        yield case(f"complete-{capture}-in-another-order", document(session_token=made, images=[image(side) for side in sides[::-1]]))
        yield rejected(f"twice-{capture}", document(session_token=made, images=[image(side) for side in (*sides, sides[0])]), "capture_incomplete")
        if len(sides) > 1:
            yield rejected(f"front-alone-{capture}", document(session_token=made, images=[image("front")]), "capture_incomplete")
            yield rejected(f"back-alone-{capture}", document(session_token=made, images=[image("back")]), "capture_incomplete")
    yield rejected("passport-with-a-back", document(session_token=token(capture="passport")), "capture_incomplete")
    yield rejected("face-with-a-document", face(images=[image("face"), image("front")]), "capture_incomplete", "face_missing")


def quality():
    def card(**changes):
        return document(images=[image("front"), image("back", **changes)])
    for name, least, most, low, high in (("sharpness", 50, 100, "image_blurred", None), ("brightness", 40, 200, "image_too_dark", "image_too_bright")):
        yield case(f"{name}-{least}", card(**{name: least}))
        yield case(f"{name}-{most}", card(**{name: most}))
        yield rejected(f"{name}-below-{least}", card(**{name: least - 0.1}), low)
        if high:
            yield rejected(f"{name}-above-{most}", card(**{name: most + 0.1}), high)
    yield case("short-side-720", card(width=720, height=4000))
    yield rejected("short-side-719", card(width=4000, height=719), "image_too_small")
    yield rejected("document-not-found", card(document_found=False), "document_not_found")
    without = {name: value for name, value in image("back").items() if name != "document_found"}
    yield rejected("document-not-stated", document(images=[image("front"), without]), "document_not_found")
    yield rejected("two-faces", face(images=[image("face", faces=2)]), "several_faces")
    yield rejected("faces-not-stated", face(images=[{name: value for name, value in image("face").items() if name != "faces"}]), "face_missing")
    yield case("face-on-a-document", document(images=[image("front", faces=1), image("back", faces=3)]))
    yield case("blurred-where-20-is-enough", card(sharpness=31), minimum_sharpness=20)
    yield rejected("sharp-where-90-is-demanded", card(), "image_blurred", minimum_sharpness=90, errors=["image_blurred", "image_blurred"])
    yield rejected("dark-where-130-is-demanded", document(), "image_too_dark", minimum_brightness=130, errors=["image_too_dark"] * 2)
    yield rejected("small-where-2000-is-demanded", document(), "image_too_small", minimum_short_side=2000, errors=["image_too_small"] * 2)
    yield rejected("everything-wrong", face(
        platform="ios", os_version="12.5.7", images=[image("face", sharpness=1, brightness=1, width=10, faces=0)], spoof_detected=True,
        recording={"duration_ms": 100, "quality": 144}, salt_binding={**salt_binding(), "binding_hash": "00" * 32}), "system_too_old",
        errors=["challenge_out_of_time", "face_missing", "image_blurred", "image_too_dark", "image_too_small", "recording_quality", "recording_too_short",
                "salt_binding_mismatch", "spoof_detected", "system_too_old"])


def systems():
    for version, notes in (("13", ["device_check_only"]), ("13.7", ["device_check_only"]), ("14", []), ("14.0.1", []), ("26.1", [])):
        yield case(f"ios-{version}", document(os_version=version), notes=notes, claims={"system": f"iOS {version}", "device_check_only": bool(notes)})
    for version in ("12", "12.5.7", "9.3"):
        yield rejected(f"ios-{version}", document(os_version=version), "system_too_old")
    yield case("android-26", face(api_level=26), claims={"system": "Android API 26", "device_check_only": False})
    yield rejected("android-25", face(api_level=25), "system_too_old")
    yield rejected("ios-13-where-14-is-demanded", document(os_version="13.7"), "system_too_old", minimum_ios=14)
    yield rejected("android-29-where-30-is-demanded", face(api_level=29), "system_too_old", minimum_api_level=30)


def recordings():
    def recorded(duration_ms=3000, quality=720, **changes):
        return face(recording={"duration_ms": duration_ms, "quality": quality}, **changes)
    yield case("recording-as-asked", recorded())
    yield case("recording-3500-ms-longer", recorded(6500))
    yield rejected("recording-3501-ms-longer", recorded(6501), "recording_too_long")
    yield rejected("recording-1-ms-shorter", recorded(2999), "recording_too_short")
    yield rejected("recording-of-480", recorded(quality=480), "recording_quality")
    yield case("recording-of-2160", recorded(quality=2160))
    yield rejected("no-recording", {name: value for name, value in face().items() if name != "recording"}, "recording_missing", errors=["challenge_out_of_time", "recording_missing"])
    yield case("document-with-a-recording", document(recording={"duration_ms": 3000, "quality": 720}))
    yield rejected("document-with-a-short-recording", document(recording={"duration_ms": 1, "quality": 720}), "recording_too_short")

    for index in range(3):
        other = ORDER[:index] + [ORDER[index + 1], ORDER[index]] + ORDER[index + 2:]
        yield rejected(f"challenges-{index}-exchanged", face(met=other), "challenge_order")
    yield rejected("a-challenge-missing", face(met=ORDER[:3]), "challenges_incomplete")
    yield rejected("no-challenge", face(met=[]), "challenges_incomplete")
    yield rejected("a-challenge-twice", face(met=[*ORDER[:3], ORDER[0]]), "challenges_incomplete")
    yield rejected("a-challenge-too-many", face(met=[*ORDER, "BLINK"], at_ms=(1, 2, 3, 4, 5)), "challenges_incomplete")
    yield rejected("a-challenge-not-asked", document(challenges=[{"challenge": "BLINK", "at_ms": 1}]), "challenges_incomplete")
    yield case("challenges-at-the-ends", recorded(at_ms=(0, 1, 2, 3000)))
    yield rejected("a-challenge-after-the-recording", recorded(at_ms=(0, 1, 2, 3001)), "challenge_out_of_time")
    yield rejected("challenges-at-one-time", recorded(at_ms=(0, 1, 1, 2)), "challenge_out_of_time")
    yield rejected("challenges-backwards", recorded(at_ms=(400, 300, 200, 100)), "challenge_out_of_time")


def forms():
    """Judged by one process (test_session.py): a case has a process of its own."""
    good = document()
    for name in ("session_token", "platform", "os_version", "images"):
        yield rejected(f"without-{name}", {key: value for key, value in good.items() if key != name}, "malformed")
    yield rejected("android-without-api-level", {key: value for key, value in face().items() if key != "api_level"}, "malformed")
    for name, value in (("session_token", ""), ("session_token", 5), ("session_token", "x" * 1025), ("session_token", "a\0b"), ("platform", "iOS"), ("platform", ["ios"]), ("os_version", "17."),
                        ("os_version", "17.2.1.1"), ("os_version", "\u0661\u0667"), ("os_version", "v17"), ("os_version", 17.2), ("images", []), ("images", [image("front")] * 5), ("images", {}),
                        ("images", ["front"]), ("recording", []), ("recording", {}), ("challenges", "BLINK"), ("challenges", [{"challenge": "NOD", "at_ms": 1}]),
                        ("challenges", [{"challenge": "BLINK"}]), ("challenges", [{"challenge": "BLINK", "at_ms": -1}]), ("challenges", [{"challenge": "BLINK", "at_ms": 1.5}]),
                        ("challenges", [{"challenge": "BLINK", "at_ms": 1}] * 17), ("spoof_detected", "no"), ("spoof_detected", None), ("salt_binding", "x"),
                        ("salt_binding", {**salt_binding(), "salt": "00" * 31}), ("salt_binding", {**salt_binding(), "salt": "0" * 65}), ("salt_binding", {**salt_binding(), "timestamp": -1}),
                        ("salt_binding", {**salt_binding(), "device_id": ""}), ("salt_binding", {**salt_binding(), "binding_hash": "AA" * 32})):
        yield rejected(f"{name}-{json.dumps(value)[:40]}", {**good, name: value}, "malformed")
    for name, value in (("side", "left"), ("side", "Front"), ("width", 0), ("width", 100_001), ("width", 1920.0), ("height", "1080"), ("height", True), ("sharpness", -0.1), ("sharpness", 100.1),
                        ("sharpness", True), ("sharpness", "81"), ("brightness", 256), ("brightness", -1), ("brightness", None), ("faces", -1), ("faces", 1001), ("faces", 0.5),
                        ("document_found", 1), ("document_found", "true")):
        yield rejected(f"image-{name}-{value!r}", document(images=[image("front", **{name: value}), image("back")]), "malformed")
    for name, value in (("duration_ms", -1), ("duration_ms", 3_600_001), ("duration_ms", "3000"), ("quality", 719), ("quality", "720"), ("quality", 4320)):
        yield rejected(f"recording-{name}-{value!r}", face(recording={"duration_ms": 3000, "quality": 720, name: value}), "malformed")
    yield case("members-that-are-not-known", document(app_version="1.0", images=[image("front", iso=100), image("back", sha256="0" * 64)]))
    whole = json.dumps(good).encode()
    yield rejected("member-twice", whole[:-1] + b',"platform":"ios"}', "malformed")
    for name, body in (("empty", b""), ("no-object", b"[]"), ("two", b"{}{}"), ("no-utf-8", b"\xff"), ("nested", b"[" * 60_000), ("largest", b'"' + b"x" * 65_534 + b'"'),
                       ("lone-surrogate", whole.replace(b"17.2", b"\\ud800")), ("infinite", whole.replace(b"81.5", b"1e999")), ("nan", whole.replace(b"81.5", b"NaN"))):
        yield rejected(name, body, "malformed")


def cases():
    """The first is the sample that the suite changes."""
    for part in (samples, sessions, binding, captures, quality, systems, recordings):
        yield from part()
    yield {**case("registration", document()), "purpose": "register"}


if __name__ == "__main__":
    json.dump({"plugin": "capture-session", "cases": list(cases())}, sys.stdout, indent=1)
