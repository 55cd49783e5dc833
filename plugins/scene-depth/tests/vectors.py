#!/usr/bin/python3 -B
"""Writes the plugin's cases in the form of plugins/sdk/tests/README.md. There are no test vectors of others.

    vectors.py [VECTORS]
"""
import base64
import gzip
import hashlib
import json
import math
import sys
import zlib

import maps

NOW = 1_764_579_600
MALFORMED = "depth_map_malformed"


def b64(data):
    return base64.b64encode(data).decode()


def document(body, **depth):
    """The signed document with the hash of the map; a member of None is left out."""
    named = {"map_sha256": hashlib.sha256(body).hexdigest(), **depth}
    return {"version": 2, "media": [{"sha256": "ab" * 32}], "signals": {"lidar": {"score": 0.9}},
            "depth": {name: value for name, value in named.items() if value is not None}}


def case(name, body, verdict="ACCEPTED", reasons=(), signals=None, configuration=None, claims=None, outcome=None, **depth):
    """A case whose body is the map, as values or compressed; `outcome` is that of the measurement."""
    body = body if isinstance(body, bytes) else maps.zipped(body)
    signals = document(body, **depth) if signals is None else signals
    signals = signals if isinstance(signals, bytes) else json.dumps(signals, separators=(",", ":")).encode()
    expected = {"verdict": verdict, "reasons": list(reasons), "claims": claims or {}}
    if outcome:
        expected["measurements"] = {"lidar": outcome}
    return {
        "id": name, "format": "scene-depth", "app": "photos", "purpose": "assert", "now_unix_ms": NOW * 1000, "configuration": configuration or {},
        "body_b64": b64(body), "world": {}, "expect": expected,
        "expected": {"client_data_b64": b64(bytes(93)), "payload_sha256_b64": b64(hashlib.sha256(signals).digest()), "signals_b64": b64(signals)},
    }


def rejected(name, body, reason, **more):
    return case(name, body, "REJECTED", [reason], **more)


def claims_of(found, **more):
    return {"valid_pixels": found["valid"], "layers": found["layers"], "deviation_um": round(found["deviation"] * 1e6),
            "edge_coherence_millionths": round(found["coherence"] * 1e6), "min_um": round(found["min"] * 1e6), "max_um": round(found["max"] * 1e6),
            "mean_um": round(found["mean"] * 1e6), "near_median_millionths": round(found["share"] * 1e6),
            "quadrant_deviation_um": round(found["quadrants"] * 1e6), **more}


# MARK: Numbers

def golden_cases():
    """The first case is what the suite repeats and changes."""
    for name, values, outcome, strict in (
            ("bands", maps.bands(), "pass", "fail"), ("checker", maps.checker(), "pass", "pass"), ("flat", maps.flat(), "fail", "fail"),
            ("ramp", maps.ramp(), "fail", "fail")):
        found = maps.numbers(values)
        claims = claims_of(found, algorithm_version="1", width=256, height=192, is_screen_like=maps.screen_like(found), strict=False,
                           is_likely_real_scene=outcome == "pass")
        yield case(name, values, claims=claims, outcome=outcome)
        yield case(f"{name}-strict", values, configuration={"strict": True}, outcome=strict,
                   claims={"strict": True, "is_likely_real_scene": strict == "pass"})


def both_sides():
    """Each constant, with a map on either side of it: name, map, outcome, claims."""
    yield "deviation-below", maps.checker([2 - 0.6123, 2, 2 + 0.6123]), "fail", {"deviation_um": 499941}
    yield "deviation-above", maps.checker([2 - 0.6125, 2, 2 + 0.6125]), "pass", {"deviation_um": 500104}
    yield "layers-2", maps.checker([0.8, 4.0]), "fail", {"layers": 2}
    yield "layers-3", maps.checker(), "pass", {"layers": 3}
    for name, few, layers in (("peak-of-5-percent", 2000, 2), ("peak-above-5-percent", 2001, 3)):
        yield name, [1.0] * 40000 + [2.0] * (9152 - few) + [3.0] * few, None, {"layers": layers}
    # Bins of 0.1 m from 1 m on: the peaks of 20 and 21 are one plateau of four sums.
    yield "plateau", [1.0] * 8192 + [3.05] * 16384 + [3.15] * 16384 + [6.0] * 8192, None, {"layers": 3}
    yield "two-peaks", [1.0] * 8192 + [3.05] * 16384 + [3.55] * 16384 + [6.0] * 8192, None, {"layers": 4}
    for edges, outcome, strict in ((573, "fail", "fail"), (574, "pass", "fail"), (1936, "pass", "fail"), (1937, "pass", "pass")):
        claims = {"edge_coherence_millionths": round((1 - math.exp(-30 * edges / 48260)) * 1e6)}
        yield f"coherence-of-{edges}", maps.with_edges(edges), outcome, claims
        yield f"coherence-of-{edges}-strict", maps.with_edges(edges), strict, {**claims, "strict": True}
    for name, value, edges in (("edge-below", maps.neighbour(1.2, -1), 0), ("edge-above", 1.2, 4)):
        values = maps.flat(1.0)
        values[10 * maps.WIDTH + 10] = value
        yield name, values, None, {"edge_coherence_millionths": round((1 - math.exp(-30 * edges / 48260)) * 1e6)}
    half = maps.WIDTH * maps.HEIGHT // 2
    for name, other, is_screen in (("range-below", 1.15, True), ("range-above", maps.neighbour(1.15, 1), False)):
        yield name, [1.0] * half + [other] * half, None, {"is_screen_like": is_screen, "near_median_millionths": 0}
    for name, near, is_screen in (("share-below", 41779, False), ("share-above", 41780, True)):
        yield name, [1.0] * near + [2.0] * (2 * half - near), None, {"is_screen_like": is_screen}
    for name, other, share in (("near-median", 1.05, 1000000), ("far-from-median", maps.neighbour(1.05, 1), 750000)):
        yield name, [1.0] * (half + half // 2) + [other] * (half // 2), None, {"near_median_millionths": share}
    for name, value, is_screen in (("mean-too-near", maps.neighbour(0.2, -1), False), ("mean-near", 0.2, True), ("mean-far", 1.5, True),
                                   ("mean-too-far", maps.neighbour(1.5, 1), False)):
        yield name, maps.flat(value), "fail", {"is_screen_like": is_screen}
    for name, value, counts in (("least", 0.1, 1), ("below-least", maps.neighbour(0.1, -1), 0), ("most", 20.0, 1),
                                ("above-most", maps.neighbour(20.0, 1), 0), ("nan", math.nan, 0), ("infinite", math.inf, 0),
                                ("minus-infinite", -math.inf, 0), ("denormal", 1e-45, 0), ("zero", 0.0, 0), ("minus-zero", -0.0, 0),
                                ("negative", -2.0, 0)):
        values = maps.bands()
        values[5] = value
        # A pixel at 20 m stretches the histogram: two of the three bands then share their peak.
        yield f"pixel-{name}", values, "fail" if name == "most" else "pass", {"valid_pixels": 49151 + counts}


def number_cases():
    yield from golden_cases()
    for name, values, outcome, claims in both_sides():
        yield case(name, values, outcome=outcome, claims=claims, configuration={"strict": name.endswith("-strict")})
    for value in (0.0, 21.0, -1.0, math.nan, math.inf):
        yield case(f"no-valid-pixel-{value}", maps.flat(value), outcome="unavailable",
                   claims={"valid_pixels": 0, "algorithm_version": "1", "is_likely_real_scene": None, "layers": None})
    one = maps.flat(0.0)
    one[7] = 3.0
    yield case("one-valid-pixel", one, outcome="fail", claims={"valid_pixels": 1, "layers": 1, "deviation_um": 0, "is_screen_like": False})
    yield rejected("screen-rejected", maps.flat(), "depth_screen_like", configuration={"reject_screens": True})
    yield case("scene-not-rejected", maps.bands(), configuration={"reject_screens": True}, outcome="pass")
    yield case("wall-not-rejected", maps.flat(3.0), configuration={"reject_screens": True}, outcome="fail")
    yield case("nothing-not-rejected", maps.flat(0.0), configuration={"reject_screens": True}, outcome="unavailable")


# MARK: Maps

def map_cases():
    good, raw = maps.zipped(maps.bands()), maps.packed(maps.bands())
    for name, size in (("49151-values", 49151), ("49153-values", 49153), ("no-value", 0)):
        yield rejected(name, gzip.compress((raw + bytes(4))[:4 * size], mtime=0), MALFORMED)
    yield rejected("a-byte-less", gzip.compress(raw[:-1], mtime=0), MALFORMED)
    yield rejected("a-byte-more", gzip.compress(raw + b"\0", mtime=0), MALFORMED)
    yield rejected("bomb", gzip.compress(bytes(100 << 20), mtime=0), MALFORMED)
    for size in (0, 1, 9, 10, 18, len(good) // 2, len(good) - 8, len(good) - 1):
        yield rejected(f"cut-at-{size}", good[:size], MALFORMED)
    yield rejected("second-member", good + good, MALFORMED)
    yield rejected("second-empty-member", good + gzip.compress(b"", mtime=0), MALFORMED)
    yield rejected("map-in-two-members", gzip.compress(raw[:1000], mtime=0) + gzip.compress(raw[1000:], mtime=0), MALFORMED)
    for name, more in (("zero", b"\0"), ("line-end", b"\n"), ("zeros", bytes(512))):
        yield rejected(f"followed-by-{name}", good + more, MALFORMED)
    yield rejected("floats-alone", raw, MALFORMED)
    yield rejected("zlib", zlib.compress(raw), MALFORMED)
    deflater = zlib.compressobj(wbits=-15)
    yield rejected("deflate-alone", deflater.compress(raw) + deflater.flush(), MALFORMED)
    yield rejected("wrong-checksum", good[:-8] + bytes([good[-8] ^ 1]) + good[-7:], MALFORMED)
    yield rejected("wrong-length", good[:-4] + bytes([good[-4] ^ 1]) + good[-3:], MALFORMED)
    yield rejected("reserved-flag", good[:3] + b"\xe0" + good[4:], MALFORMED)
    yield rejected("another-method", good[:2] + b"\x07" + good[3:], MALFORMED)
    # RFC 1952: a name after the header, flag 8.
    yield case("with-a-name", good[:3] + b"\x08" + good[4:10] + b"depth\0" + good[10:], outcome="pass")
    stored = gzip.compress(raw, 0, mtime=0)
    yield case("stored", stored, outcome="pass")

    # Geometry
    for width, height in ((246, 182), (266, 202), (256, 192), (246, 202)):
        yield case(f"{width}x{height}", maps.bands(width, height), width=width, height=height, outcome="pass",
                   claims={"width": width, "height": height, "valid_pixels": width * height})
    for width, height in ((245, 192), (267, 192), (256, 181), (256, 203), (192, 256), (1, 1), (65535, 65535)):
        yield rejected(f"{width}x{height}", good, "depth_geometry_unsupported", width=width, height=height)
    yield rejected("geometry-not-declared", maps.bands(266, 202), MALFORMED)
    yield rejected("another-geometry", good, MALFORMED, width=256, height=193)
    yield rejected("sides-exchanged", maps.bands(250, 200), MALFORMED, width=251, height=199)


# MARK: Documents

def document_cases():
    good = maps.zipped(maps.bands())
    stated = {"variance": 1.3218, "layers": 3, "edge_coherence": 0.3765, "min": 0.8, "max": 4, "is_likely_real_scene": True, "algorithm_version": "2.1"}
    yield case("all-members", good, outcome="pass", **stated)
    yield case("upper-case-hash", good, outcome="pass", map_sha256=hashlib.sha256(good).hexdigest().upper())
    yield case("unknown-members", good, outcome="pass", source="lidar", units={"depth": "m"})
    yield case("number-of-64-characters", good, outcome="pass", signals=json.dumps(document(good, min=0)).replace('"min": 0', '"min": 0.' + "8" * 62).encode())

    missing = case("another-payload", good)
    missing["expected"]["payload_sha256_b64"] = b64(hashlib.sha256(b"a photo").digest())
    missing["expect"] = {"verdict": "REJECTED", "reasons": ["depth_document_missing"]}
    yield missing

    yield rejected("not-named", good, "depth_map_not_named", map_sha256=None)
    yield rejected("no-depth", good, "depth_map_not_named", signals={"version": 2, "media": [], "signals": {}})
    yield rejected("another-map", good, "depth_map_mismatch", map_sha256="ab" * 32)
    yield rejected("another-compression", maps.zipped(maps.bands(), 1), "depth_map_mismatch", map_sha256=hashlib.sha256(good).hexdigest())
    yield rejected("hash-of-the-floats", good, "depth_map_mismatch", map_sha256=hashlib.sha256(maps.packed(maps.bands())).hexdigest())

    wrong = {
        "map_sha256": ["ab" * 31, "ab" * 32 + "a", "xy" * 32, "", 1, [], True], "width": [0, -256, 256.0, "256", 65536, 1e2], "height": ["192", True],
        "variance": ["1.3", True, {}], "layers": ["3", []], "edge_coherence": [False], "min": ["0.8"], "max": [[4]],
        "is_likely_real_scene": [1, "true"], "algorithm_version": [1, "x" * 65],
    }
    for name, values in wrong.items():
        for value in values:
            sides = {"width": 256, "height": 192} if name in ("width", "height") else {}
            yield rejected(f"{name}-{json.dumps(value)}"[:60], good, "depth_document_malformed", **{**sides, name: value})
    yield rejected("width-alone", good, "depth_document_malformed", width=256)
    yield rejected("height-alone", good, "depth_document_malformed", height=192)
    text = json.dumps(document(good, min=0)).encode()
    for name, changed in {
            "null": text.replace(b'"min": 0', b'"min": null'), "nan": text.replace(b'"min": 0', b'"min": NaN'),
            "infinite": text.replace(b'"min": 0', b'"min": 1e999'), "long-number": text.replace(b'"min": 0', b'"min": 0.' + b"8" * 63),
            "hexadecimal": text.replace(b'"min": 0', b'"min": 0x10'), "member-twice": text.replace(b'"min": 0', b'"min": 0, "min": 0'),
            "hash-twice": text.replace(b'"map_sha256"', b'"map_sha256": "", "map_sha25\\u0036"'), "depth-twice": text[:-1] + b', "depth": {}}',
            "cut": text[:-1], "followed": text + b"x", "not-utf-8": text.replace(b"lidar", b"\xff"), "empty-object": b"{}", "list": b"[" + text + b"]",
            "deep": b'{"version": 2, "x": ' + b"[" * 40 + b"]" * 40 + b"}", "large": text[:-1] + b" " * (64 << 10) + b"}"}.items():
        yield rejected(f"document-{name}", good, "depth_document_malformed", signals=changed)
    for version in (1, 3, "2", 2.0, None):
        yield rejected(f"version-{version!r}", good, "depth_document_malformed", signals={**document(good), "version": version})
    for depth in ([], "depth", 1, None):
        yield rejected(f"depth-{depth!r}", good, "depth_document_malformed", signals={**document(good), "depth": depth})


def own_cases():
    yield from number_cases()
    yield from map_cases()
    yield from document_cases()


if __name__ == "__main__":
    json.dump({"plugin": "scene-depth", "cases": list(own_cases())}, sys.stdout, indent=1)
