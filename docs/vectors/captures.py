"""Documents of version 2 and the profile suite, written from the text of docs/reference/capture-documents.md."""
import datetime
import json
import re
from fractions import Fraction

import confidence
from confidence import LEVELS, PASS, lowest, outcome_of, part, rounded, score_of, text

BANDS = [("very_high", Fraction("0.9")), ("high", Fraction("0.75")), ("medium", Fraction("0.5")), ("low", Fraction("0.25"))]
IPHONE = confidence.TABLES["ios"]
TABLES = {
    "iphone_lidar": IPHONE, "iphone": [("parallax", "0.55")] + IPHONE[1:], "android": confidence.TABLES["android"], None: [],
}
PRIMARY = {"iphone_lidar": "lidar", "iphone": "parallax", "android": "parallax"}
CEILINGS = {"iphone_lidar": "very_high", "iphone": "high", "android": "medium_high"}
GENERATIONS = {12: 13, 13: 14, 14: 15, 15: 16, 16: 17, 17: 18}
FIRST = {12: 3, 13: 2, 14: 2, 15: 1, 16: 1, 17: 1}
LIDAR = {f"iPhone {name} Pro" for name in GENERATIONS} | {f"iPhone {name} Pro Max" for name in GENERATIONS}
LIDAR |= {f"iPhone{GENERATIONS[name]},{FIRST[name] + step}" for name in GENERATIONS for step in (0, 1)}
UNNUMBERED = {"iPhone Air", "iPhone SE", "iPhone X", "iPhone XR", "iPhone XS", "iPhone XS Max"}
MEMBERS = {
    "lidar": ["available", "depth_variance", "depth_layers", "edge_coherence"], "parallax": ["available", "reason"],
    "moire": ["screen_detected", "frequency_peaks"], "texture": ["classification", "material_confidence"],
    "supporting": ["pwm_detected", "specular_uniformity", "halftone_detected"],
}


def has_lidar(model):
    if model in LIDAR:
        return True
    if model in UNNUMBERED:
        return False
    name, hardware = re.fullmatch(r"iPhone (\d{1,3})[^,\d][^,]*|iPhone (\d{1,3})", model), re.fullmatch(r"iPhone(\d{1,3}),\d{1,3}", model)
    if name:
        return False if int(name[1] or name[2]) <= 17 else None
    return False if hardware and int(hardware[1]) <= 18 else None


def judge_depth(depth, strict):
    number = {name: rounded_measure(depth[name]) for name in ("variance", "edge_coherence", "min", "max")}
    return (number["variance"] > Fraction("0.5") and int(depth["layers"]) >= 3
            and number["edge_coherence"] > Fraction("0.7" if strict else "0.3")
            and number["max"] - number["min"] >= Fraction("0.15"))


def rounded_measure(digits) -> Fraction:
    number = Fraction(digits)
    return Fraction((2 * number.numerator * 10**6 + number.denominator) // (2 * number.denominator), 10**6)


def moment(word):
    if len(word) == 10:
        day = datetime.datetime.fromisoformat(word + "T00:00:00+00:00")
        return day - datetime.timedelta(hours=14), day + datetime.timedelta(hours=36)
    time = datetime.datetime.fromisoformat(word.replace("Z", "+00:00"))
    return time, time


def is_coarse(digits) -> bool:
    number = Fraction(digits)
    units = (2 * abs(number.numerator) * 10**9 + number.denominator) // (2 * number.denominator)
    return units % 10**7 == 0


def judge_metadata(read, signals, received, notes):
    metadata, flags = read.get("metadata"), read.get("flags")
    if metadata is None and flags is None:
        return
    metadata, flags = metadata or {}, flags or {}
    outcomes = [outcome_of(signals["metadata"])] if "metadata" in signals else []
    location, device = metadata.get("location"), metadata.get("device", {})
    named = [name for name in ("serial", "build") if name in device]
    violated = [
        flags.get("location") == "none" and location is not None,
        flags.get("location") == "coarse" and location is not None
        and not (is_coarse(location["latitude"]) and is_coarse(location["longitude"])),
        flags.get("timestamp") == "none" and "captured_at" in metadata,
        flags.get("timestamp") == "day_only" and len(metadata.get("captured_at", "")) > 10,
        flags.get("device") == "none" and bool(named or "model" in metadata),
        flags.get("device") == "model_only" and bool(named),
    ]
    if any(violated):
        outcomes.append("fail")
        notes.append("metadata_flags_violated")
    if "none" in flags.values():
        outcomes.append("unavailable")
        notes.append("opted_out")
    if "captured_at" not in metadata:
        outcomes.append("unavailable")
    elif received:
        at, late, limit = moment(received)[0], metadata.get("late", False), datetime.timedelta(minutes=15)
        first, last = moment(metadata["captured_at"])
        if first - at > limit or (not late and at - last > limit):
            outcomes.append("fail")
            notes.append("capture_time_off")
        elif late:
            outcomes.append("unavailable")
            notes.append("captured_late")
    signals["metadata"] = {"outcome": next((word for word in ("fail", "unavailable") if word in outcomes), "pass")}


def read_capture(document, platform, received, strict):
    """The document with the signals as they count, and the notes."""
    read = json.loads(document, parse_float=str, parse_int=str)
    signals, notes = dict(read.get("signals", {})), []
    if read["version"] == "1":
        return {"version": "1", "media": read["media"]}, signals, notes
    depth, model = read.get("depth"), read.get("metadata", {}).get("model")
    if depth:
        real = judge_depth(depth, strict)
        if real != depth["is_likely_real_scene"]:
            notes.append("depth_contradicts")
        if not (real and depth["is_likely_real_scene"]):
            signals["lidar"] = {"outcome": "fail"}
        elif "score" not in signals.get("lidar", {}) and signals.get("lidar", {}).get("outcome") != "fail":
            signals["lidar"] = {"outcome": "pass"}
    if model and platform == "ios":
        known, measured = has_lidar(model), score_of(signals.get("lidar")) is not None
        if known is False and measured:
            signals["lidar"] = {"outcome": "fail"}
            notes.append("model_without_lidar")
        if known is None:
            notes.append("model_unknown")
            if measured:
                signals["lidar"] = {"outcome": "unavailable"}
    judge_metadata(read, signals, received, notes)
    return read, signals, notes


def kind_of(platform, model, signals):
    if platform != "ios":
        return platform
    has = has_lidar(model) if model else score_of(signals.get("lidar")) is not None
    return "iphone_lidar" if has else "iphone"


def hardware_ceiling(kind, hardware, signals):
    def counts(*names):
        return all(score_of(signals.get(name)) is not None for name in names)

    if hardware == "software":
        return "rejected"
    if kind is None:
        return "low"
    if hardware == "none":
        return "medium" if kind != "android" and counts(PRIMARY[kind]) else "low"
    if hardware == "tee" and kind == "android":
        return "medium" if counts("parallax", "moire", "texture") else "low"
    return CEILINGS[kind]


def suite_model(platform, assurance, document, received=None, strict=False):
    hardware = confidence.HARDWARE[assurance]
    if isinstance(hardware, dict):
        hardware = hardware[platform]
    read, signals, notes = read_capture(document, platform, received, strict)
    model = read.get("metadata", {}).get("model")
    kind = kind_of(platform, model, signals)
    rows = [
        (name, Fraction(weight), confidence.ATTESTATION_SCORES[hardware] if name == "attestation" else score_of(signals.get(name)))
        for name, weight in TABLES[kind]
    ]
    scene = [score for name, _, score in rows if name != "attestation"]
    counted = [score for score in scene if score is not None]
    speaking = sum(score >= PASS for score in counted)
    if not counted:
        result, limit = None, "very_high"
    elif speaking == 0:
        result, limit = "contradict", "low"
    elif speaking < len(counted):
        result, limit = "disagree", "medium"
    elif len(counted) < len(scene):
        result, limit = "partial", "high"
    else:
        result, limit = "agree", "very_high"
    total = sum(weight for _, weight, score in rows if score is not None)
    before = rounded(sum(weight * score for _, weight, score in rows if score is not None) / total) if counted else None
    after = rounded(before * Fraction(105, 100)) if result == "agree" else before
    by_score = "low" if after is None else next((name for name, least in BANDS if after >= least), "suspicious")
    primary = score_of(signals.get(PRIMARY.get(kind)))
    level = lowest(
        by_score, hardware_ceiling(kind, hardware, signals), limit, "medium" if primary is None else "very_high",
        "medium" if PRIMARY.get(kind) == "parallax" and outcome_of(signals.get("lidar")) == "fail" else "very_high",
        {"fail": "medium", "unavailable": "high", "pass": "very_high"}[outcome_of(signals["metadata"])]
        if "metadata" in signals else "very_high")
    if result in ("disagree", "contradict"):
        notes.append("signals_disagree")
    if "final_score" in read and (after is None or abs(rounded(Fraction(read["final_score"])) - after) > Fraction("0.01")):
        notes.append("aggregate_mismatch")
    mean = sum(counted) / len(counted) if counted else None
    deviation = rounded(sum(abs(score - mean) for score in counted) / len(counted)) if counted else None
    weights = {name: Fraction(weight) for name, weight in TABLES[kind]}
    breakdown = {name: method(name, signals, weights, read) for name in MEMBERS} if kind else None
    flagged = None if result is None else result in ("disagree", "contradict")
    return text({
        "platform": platform, "confidence_level": level, "confidence_score": after,
        "hardware_attestation": {
            "status": {"software": "fail", "none": "unavailable"}.get(hardware, "pass"), "method": hardware,
            "device_model": model if kind else None,
        },
        "scene_analysis": {
            "status": "counted", "is_likely_real_scene": None if primary is None else primary >= PASS,
            "primary_method": PRIMARY.get(kind), "method_suite": kind, "breakdown": breakdown,
            "cross_validation": {
                "methods_agree": None if result is None else not flagged, "disagreement_score": deviation if kind else None,
                "flagged": flagged,
            },
            "final_score": after,
        },
    }), notes


def method(name, signals, weights, read):
    stated, signal = read.get("signals", {}).get(name, {}), signals.get(name)
    values = {member: stated.get(member) for member in MEMBERS[name]} if read["version"] == "2" else {}
    counts = score_of(signal) is not None
    if name in ("lidar", "parallax"):
        values = {"available": counts}
    if name == "lidar" and read.get("depth"):
        depth = read["depth"]
        values |= {
            "depth_variance": rounded_measure(depth["variance"]), "depth_layers": int(depth["layers"]),
            "edge_coherence": rounded_measure(depth["edge_coherence"]),
        }
    if name == "parallax" and not counts:
        values["reason"] = (
            "unavailable on the device" if signal else "not submitted" if name in weights else "lidar is the primary method")
    result = {member: values.get(member) for member in MEMBERS[name]}
    result |= {"score": score_of(signal), "weight": weights.get(name, Fraction(0))}
    return result | ({"source": "device"} if signal and read["version"] == "2" else {})


# Documents

MEDIA = json.loads(confidence.documents()[0][1])["media"]
WORKED = '"lidar":{"score":0.95},"moire":{"score":0.88},"texture":{"score":0.82},"supporting":{"score":0.79}'
REAL = ('"depth":{"variance":1.3218,"layers":3,"edge_coherence":0.3765,"min":0.8,"max":4,"is_likely_real_scene":true,'
        '"algorithm_version":"1"}')
RECEIVED = "2026-04-21T18:20:00Z"
PHONE = '"metadata":{"captured_at":"2026-04-21T18:13:13Z","model":"iPhone 15 Pro","width":4032,"height":3024}'


def capture(*members: str, signals: str = WORKED) -> str:
    media = text(MEDIA)
    return "{" + ",".join([f'"version":2,"media":{media},"signals":{{{signals}}}', *members]) + "}"


def depth(variance="1.3218", layers=3, coherence="0.3765", low="0.8", high="4", real=True) -> str:
    return (f'"depth":{{"variance":{variance},"layers":{layers},"edge_coherence":{coherence},"min":{low},"max":{high},'
            f'"is_likely_real_scene":{text(real)},"algorithm_version":"1"}}')


def metadata(captured="2026-04-21T18:13:13Z", model="iPhone 15 Pro", more="") -> str:
    members = ([f'"captured_at":"{captured}"'] if captured else []) + ([f'"model":"{model}"'] if model else []) + ([more] if more else [])
    return f'"metadata":{{{",".join(members)}}}'


OTHERS = WORKED.split(",", 1)[1]
PARALLAX = WORKED.replace("lidar", "parallax")


def documents():
    """Name, document, platform, assurance, strict: each rule on either side."""
    one = WORKED.replace('0.95', '0.9').replace('0.88', '0.9').replace('0.82', '0.9').replace('0.79', '0.9')

    def all_of(score):
        return re.sub(r"0\.\d+", score, WORKED)

    ios, android = ("ios", "secure_element", False), ("android", "secure_element", False)
    version1 = capture().replace('"version":2', '"version":1')
    cases = [
        ("worked-example", capture(), *ios), ("worked-example-version-1", version1, *ios),
        ("worked-example-metadata", capture(PHONE), *ios), ("all-equal", capture(signals=one), *ios),
        ("parallax-primary", capture(signals=PARALLAX), *ios), ("parallax-android", capture(signals=PARALLAX), *android),
        ("parallax-android-tee", capture(signals=PARALLAX), "android", "hardware", False),
        ("primary-missing", capture(signals=OTHERS), *ios), ("primary-missing-android", capture(signals=OTHERS), *android),
        ("supporting-missing", capture(signals=WORKED.rsplit(",", 1)[0]), *ios),
        ("one-unavailable", capture(signals=WORKED.replace('"score":0.79', '"outcome":"unavailable"')), *ios),
        ("disagree", capture(signals=WORKED.replace("0.88", "0.499999")), *ios),
        ("just-agree", capture(signals=WORKED.replace("0.88", "0.5")), *ios),
        ("contradict", capture(signals=all_of("0.2")), *ios), ("nothing", capture(signals=""), *ios),
        ("software", capture(), "ios", "software", False), ("vendors-word", capture(), "ios", "platform", False),
        ("vendors-word-no-primary", capture(signals=OTHERS), "ios", "platform", False),
        ("vendors-word-android", capture(signals=PARALLAX), "android", "platform", False),
        ("unknown-platform", capture(), None, "secure_element", False),
    ]
    # The factor 1.05 of agreement is avoided by leaving a method out, where the bands are tried.
    for band in ("0.9", "0.899999", "0.75", "0.749999"):
        cases.append((f"band-{band}", capture(signals=all_of(band).rsplit(",", 1)[0]), *ios))
    for band in ("0.857143", "0.857142"):
        cases.append((f"band-agreed-{band}", capture(signals=all_of(band)), *ios))
    for band in ("0.5", "0.499999", "0.25", "0.249999"):
        cases.append((f"band-alone-{band}", capture(signals=f'"lidar":{{"score":{band}}}'), *ios))
    for name, numbers in [
        ("real", depth()), ("flat", depth("0", 1, "0", "0.45", "0.45", False)), ("ramp", depth("0.0289", 6, "0", "0.4", "0.5", False)),
        ("ramp-claimed", depth("0.0289", 6, "0", "0.4", "0.5", True)), ("denied", depth(real=False)),
        ("variance-at", depth(variance="0.5")), ("variance-above", depth(variance="0.500001")),
        ("layers-2", depth(layers=2)), ("coherence-at", depth(coherence="0.3")), ("coherence-above", depth(coherence="0.300001")),
        ("range-below", depth(low="1", high="1.149999")), ("range-at", depth(low="1", high="1.15")),
    ]:
        cases.append((f"depth-{name}", capture(numbers, signals=OTHERS), *ios))
    for name, numbers in [("bands", depth()), ("checker", depth("1.3199", 3, "0.9986")),
                          ("strict-at", depth(coherence="0.7")), ("strict-above", depth(coherence="0.700001"))]:
        cases.append((f"depth-strict-{name}", capture(numbers, signals=OTHERS), "ios", "secure_element", True))
    cases += [
        ("depth-keeps-score", capture(depth()), *ios), ("depth-fails-score", capture(depth(layers=1)), *ios),
        ("depth-word", capture(depth(), signals=OTHERS + ',"lidar":{"outcome":"unavailable"}'), *ios),
        ("depth-failed-word", capture(depth(), signals=OTHERS + ',"lidar":{"outcome":"fail"}'), *ios),
    ]
    for name in ("iPhone 12 Pro", "iPhone 17 Pro Max", "iPhone13,3", "iPhone18,2", "iPhone 12", "iPhone 17", "iPhone 16e", "iPhone18,3",
                 "iPhone Air", "iPhone 18 Pro", "iPhone19,1", "iPad Pro"):
        cases.append((f"model-{name}", capture(metadata(model=name)), *ios))
    cases.append(("model-with-parallax", capture(metadata(model="iPhone 15"), signals=PARALLAX), *ios))
    cases.append(("model-without-and-parallax", capture(metadata(model="iPhone 15"), signals=PARALLAX + ',"lidar":{"score":1}'), *ios))
    cases.append(("model-newer-with-parallax", capture(metadata(model="iPhone 18 Pro"), signals=PARALLAX), *ios))
    for name, captured, more in [
        ("14-59", "2026-04-21T18:05:00Z", ""), ("15-01", "2026-04-21T18:04:59Z", ""), ("ahead", "2026-04-21T18:35:00Z", ""),
        ("too-far-ahead", "2026-04-21T18:35:01Z", ""), ("offset", "2026-04-21T20:10:00+02:00", ""), ("day", "2026-04-21", ""),
        ("day-before", "2026-04-20", ""), ("two-days-before", "2026-04-19", ""), ("late", "2026-04-01T00:00:00Z", '"late":true'),
        ("late-but-ahead", "2026-05-01T00:00:00Z", '"late":true'), ("no-time", "", ""),
    ]:
        cases.append((f"time-{name}", capture(metadata(captured, more=more)), *ios))
    place = '"location":{"latitude":48.14,"longitude":-11.58}'
    for name, more, flags, captured, model in [
        ("obeyed", place, '"location":"coarse","timestamp":"exact","device":"model_only"', "2026-04-21T18:13:13Z", "iPhone 15 Pro"),
        ("float-noise", place.replace("48.14", "48.140000000000001"), '"location":"coarse"', "2026-04-21T18:13:13Z", "iPhone 15 Pro"),
        ("too-precise", place.replace("11.58", "11.581"), '"location":"coarse"', "2026-04-21T18:13:13Z", "iPhone 15 Pro"),
        ("place", place, '"location":"none"', "2026-04-21T18:13:13Z", "iPhone 15 Pro"),
        ("precise", place.replace("11.58", "11.58123456"), '"location":"precise"', "2026-04-21T18:13:13Z", "iPhone 15 Pro"),
        ("time-of-day", "", '"timestamp":"day_only"', "2026-04-21T18:13:13Z", "iPhone 15 Pro"),
        ("day-only", "", '"timestamp":"day_only"', "2026-04-21", "iPhone 15 Pro"),
        ("time", "", '"timestamp":"none"', "2026-04-21T18:13:13Z", "iPhone 15 Pro"),
        ("serial", '"device":{"serial":"F2LXK0ABCD"}', '"device":"model_only"', "2026-04-21T18:13:13Z", "iPhone 15 Pro"),
        ("build", '"device":{"build":"22A3354"}', '"device":"model_only"', "2026-04-21T18:13:13Z", "iPhone 15 Pro"),
        ("device-full", '"device":{"serial":"F2LXK0ABCD"}', '"device":"full"', "2026-04-21T18:13:13Z", "iPhone 15 Pro"),
        ("model", "", '"device":"none"', "2026-04-21T18:13:13Z", "iPhone 15 Pro"),
        ("opted-out", "", '"location":"none","timestamp":"none","device":"none"', "", ""),
    ]:
        cases.append((f"flags-{name}", capture(metadata(captured, model, more), f'"flags":{{{flags}}}'), *ios))
    for name, score in [("equal", "0.9408"), ("0.01", "0.9308"), ("above-0.01", "0.930799"), ("far", "0.5")]:
        cases.append((f"aggregate-{name}", capture(f'"final_score":{score}'), *ios))
    found = ('"lidar":{"score":0.95},"moire":{"score":0.88,"screen_detected":false,"frequency_peaks":[]},'
             '"texture":{"score":0.82,"classification":"skin"},"supporting":{"score":0.79,"pwm_detected":false,"halftone_detected":false}')
    cases.append(("details", capture(PHONE, REAL, '"mode":"full"', signals=found), *ios))
    return cases


def vectors():
    result = []
    for name, document, platform, assurance, strict in documents():
        model, notes = suite_model(platform, assurance, document, RECEIVED, strict)
        result.append({
            "id": name, "platform": platform, "assurance": assurance, "strict_depth": strict, "received_at": RECEIVED,
            "document": document, "level": json.loads(model)["confidence_level"], "notes": notes, "evidence_model": model,
        })
    return result


assert LEVELS[-1] == "high", "the levels of the other profiles end with high"
LEVELS.append("very_high")
