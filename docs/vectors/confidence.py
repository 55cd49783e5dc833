"""The confidence of docs/reference/confidence-profiles.md, written from the text of the page: profiles, cross-validation, ceilings, evidence model."""
import hashlib
import json
from fractions import Fraction

LEVELS = ["rejected", "suspicious", "low", "medium", "medium_high", "high"]
TABLES = {
    "ios": [("lidar", "0.55"), ("moire", "0.15"), ("texture", "0.15"), ("supporting", "0.15")],
    "android": [("attestation", "0.2"), ("parallax", "0.3"), ("moire", "0.15"), ("texture", "0.2"), ("supporting", "0.15")],
    None: [],
}
HARDWARE = {
    "secure_element": {"ios": "secure_enclave", "android": "strongbox", None: "secure_element"},
    "hardware": "tee", "software": "software", "platform": "none",
}
ATTESTATION_SCORES = {
    "strongbox": Fraction(1), "secure_enclave": Fraction(1), "secure_element": Fraction(1), "tee": Fraction("0.7"),
    "software": Fraction(0), "none": None,
}
PASS = Fraction("0.5")
THRESHOLDS = [("high", Fraction("0.85")), ("medium_high", Fraction("0.7")), ("medium", Fraction("0.5")), ("low", Fraction("0.3"))]


def rounded(number: Fraction) -> Fraction:
    """Half up, to 6 places; at most 1."""
    return min(Fraction(1), Fraction((2 * number.numerator * 10**6 + number.denominator) // (2 * number.denominator), 10**6))


def lowest(*levels: str) -> str:
    return min(levels, key=LEVELS.index)


def text(value) -> str:
    """JSON without white space, members in their order."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(name)}:{text(member)}" for name, member in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(text, value)) + "]"
    if isinstance(value, Fraction):
        whole, fraction = divmod(value.numerator * 10**6 // value.denominator, 10**6)
        return f"{whole}.{fraction:06}".rstrip("0").rstrip(".")
    return json.dumps(value)


def score_of(signal):
    if signal is None or signal.get("outcome") == "unavailable":
        return None
    if "score" in signal:
        return rounded(Fraction(signal["score"]))
    return Fraction(signal["outcome"] == "pass")


def outcome_of(signal) -> str:
    if signal is None:
        return "unavailable"
    if "score" in signal:
        return "pass" if rounded(Fraction(signal["score"])) >= PASS else "fail"
    return signal["outcome"]


def checks(platform, status, signals):
    depth = signals.get({"ios": "lidar", "android": "parallax"}.get(platform))
    outcomes = {
        "hardware": {"pass": "pass", "fail": "fail"}.get(status, "unavailable"), "depth": outcome_of(depth),
        "metadata": outcome_of(signals.get("metadata")),
    }
    if "fail" in outcomes.values():
        level = "suspicious"
    else:
        level = ["low", "medium", "high"][(outcomes["hardware"] == "pass") + (outcomes["depth"] == "pass")]
    parts = [part(name, outcome=outcome) for name, outcome in outcomes.items()]
    return level, None, breakdown("mvp", parts=parts), None


def part(name, outcome=None, score=None, weight=None, contribution=None):
    return {"name": name, "outcome": outcome, "score": score, "weight": weight, "contribution": contribution}


def breakdown(profile, weighted=None, by_score=None, ceiling=None, parts=()):
    return {"profile": profile, "weighted_score": weighted, "level_by_score": by_score, "ceiling": ceiling, "parts": list(parts)}


def hardware_ceiling(platform, hardware, signals) -> str:
    def counts(name):
        return score_of(signals.get(name)) is not None

    if hardware == "software":
        return "rejected"
    if platform is None:
        return "low"
    if platform == "ios":
        if hardware == "none":
            return "medium" if counts("lidar") else "low"
        return "high" if counts("lidar") else "medium"
    if hardware == "none":
        return "low"
    if hardware == "tee":
        return "medium" if counts("parallax") and counts("moire") and counts("texture") else "low"
    return "medium_high" if counts("parallax") or counts("moire") else "medium"


def weighted(platform, hardware, signals):
    rows = []
    for name, weight in TABLES[platform]:
        score = ATTESTATION_SCORES[hardware] if name == "attestation" else score_of(signals.get(name))
        rows.append((name, Fraction(weight), score))
    scene = [row for row in rows if row[0] != "attestation"]
    counted = [score for _, _, score in scene if score is not None]
    supporting = sum(score >= PASS for score in counted)
    if not counted:
        result, limit = None, "high"
    elif supporting == 0:
        result, limit = "contradict", "low"
    elif supporting < len(counted):
        result, limit = "disagree", "medium"
    elif len(counted) < len(scene):
        result, limit = "partial", "medium_high"
    else:
        result, limit = "agree", "high"
    total = sum(weight for _, weight, score in rows if score is not None)
    before = rounded(sum(weight * score for _, weight, score in rows if score is not None) / total) if counted else None
    after = rounded(before * Fraction(105, 100)) if result == "agree" else before
    by_score = "low" if after is None else next((name for name, least in THRESHOLDS if after >= least), "suspicious")
    ceiling = lowest(hardware_ceiling(platform, hardware, signals), limit)
    parts = [
        part(
            name, outcome="unavailable" if score is None else None, score=score, weight=weight,
            contribution=rounded(weight * score / total) if counted and score is not None else None)
        for name, weight, score in rows
    ]
    validation = result and {"result": result, "flagged": result in ("disagree", "contradict")}
    return lowest(by_score, ceiling), after, breakdown("weighted", before, by_score, ceiling, parts), validation


def model(profile, platform, assurance, document) -> str:
    """The evidence model of an accepted capture whose signals count; without a document none were submitted."""
    hardware = HARDWARE[assurance]
    if isinstance(hardware, dict):
        hardware = hardware[platform]
    status = {"software": "fail", "none": "unavailable"}.get(hardware, "pass")
    read = json.loads(document, parse_float=str, parse_int=str) if document else {"media": [], "signals": {}}
    signals = read["signals"]
    level, score, how, validation = (
        checks(platform, status, signals) if profile == "mvp" else weighted(platform, hardware, signals))
    shown = {
        name: {"score": rounded(Fraction(signal["score"]))} if "score" in signal else {"outcome": signal["outcome"]}
        for name, signal in signals.items()
    }
    return text({
        "version": 1, "platform": platform, "confidence_level": level, "confidence_score": score,
        "hardware_attestation": {"status": status, "level": hardware, "simulated": False},
        "scene_analysis": {
            "status": "counted" if document else "not_submitted",
            "signals_sha256": hashlib.sha256(document.encode()).hexdigest() if document else None,
            "media": [{"sha256": medium["sha256"]} for medium in read["media"]], "signals": shown,
        },
        "breakdown": how, "cross_validation": validation,
    })


def documents() -> list[tuple[str, str]]:
    photo = hashlib.sha256(b"photo").hexdigest()
    video = hashlib.sha256(b"video").hexdigest()

    def document(signals: str, media: str = f'[{{"sha256":"{photo}"}}]') -> str:
        return f'{{"version":1,"media":{media},"signals":{signals}}}'

    return [
        ("worked-example", document(
            '{"lidar":{"score":0.95},"moire":{"score":0.88},"texture":{"score":0.82},"supporting":{"score":0.79}}')),
        ("all-android", document(
            '{"parallax":{"score":0.9},"moire":{"score":0.81},"texture":{"score":0.77},"supporting":{"score":0.66}}')),
        ("floats", document(
            '{ "lidar": {"score": 9.4999998807907104e-1, "model": "v2"}, "parallax": {"score": 0.1234565},\n'
            '  "moire": {"score": 1E-7}, "texture": {"score": 1.0}, "other": {"score": 0.5} }',
            f'[{{"sha256":"{photo}","type":"image/heic"}},{{"sha256":"{video}"}}]')),
        ("outcomes", document(
            '{"lidar":{"outcome":"pass"},"parallax":{"outcome":"pass"},"metadata":{"outcome":"pass"},'
            '"moire":{"outcome":"unavailable"}}')),
        ("failed-metadata", document(
            '{"lidar":{"outcome":"pass"},"parallax":{"score":0.5},"metadata":{"outcome":"fail"},"moire":{"score":0.499999}}')),
        ("against", document('{"lidar":{"score":0.2},"parallax":{"score":0.49},"moire":{"score":0.1},"texture":{"score":0}}')),
        ("thirds", document('{"lidar":{"score":0.333333},"parallax":{"score":0.7},"moire":{"score":0.7},"texture":{"score":0.7}}')),
        ("no-signal", document("{}")),
        ("none", ""),
    ]


def cases() -> list[tuple[str, str, str | None, str]]:
    """Document, profile, platform, assurance: every document under the strongest attestation, and some under each other one."""
    chosen = [(name, "weighted", platform, "secure_element") for name, _ in documents() for platform in ("ios", "android")]
    chosen += [(name, "weighted", "android", "hardware") for name in ("all-android", "floats", "outcomes", "thirds", "against")]
    chosen += [("all-android", "weighted", platform, assurance)
               for platform in ("ios", "android") for assurance in ("software", "platform")]
    chosen += [("worked-example", "weighted", "ios", "hardware"), ("worked-example", "weighted", "ios", "platform"),
               ("worked-example", "weighted", None, "secure_element")]
    chosen += [(name, "mvp", platform, "secure_element")
               for name in ("worked-example", "outcomes", "failed-metadata", "none") for platform in ("ios", "android")]
    chosen += [("outcomes", "mvp", "ios", assurance) for assurance in ("hardware", "software", "platform")]
    return chosen + [("outcomes", "mvp", None, "secure_element"), ("none", "mvp", "android", "platform")]


def vectors() -> list[dict]:
    texts = dict(documents())
    return [
        {
            "id": f"{name}-{profile}-{platform or 'unknown'}-{assurance}", "profile": profile, "platform": platform,
            "assurance": assurance, "document": texts[name],
            "evidence_model": model(profile, platform, assurance, texts[name]),
        }
        for name, profile, platform, assurance in cases()
    ]


def older() -> list[dict]:
    """Models that were written before some members existed, and what they say: a member that is missing is null, and the platform ios."""
    return [
        {"id": "level-alone", "json": '{"confidence_level":"HIGH"}', "platform": "ios", "level": "high"},
        {"id": "empty", "json": "{}", "platform": "ios"},
        {"id": "nulls", "json": '{"platform":null,"confidence_level":null,"confidence_score":null,"hardware_attestation":null,'
            '"scene_analysis":null,"breakdown":null,"cross_validation":null}'},
        {"id": "before-scores", "json": '{"confidence_level":"medium","hardware_attestation":{"status":"pass"},'
            '"scene_analysis":{"signals":{"lidar":{"outcome":"pass"}}}}', "platform": "ios", "level": "medium", "hardware_status": "pass",
            "signals": ["lidar"]},
        {"id": "before-cross-validation", "json": '{"platform":"android","confidence_level":"MEDIUM_HIGH","confidence_score":0.8125,'
            '"hardware_attestation":{"status":"pass","level":"strongbox"},"breakdown":{"profile":"weighted","weighted_score":0.8125}}',
            "platform": "android", "level": "medium_high", "score_millionths": 812_500, "hardware_status": "pass",
            "profile": "weighted"},
        {"id": "members-of-others", "json": '{"confidence_level":"low","confidence_score":1e-1,"captured_by":{"name":[1,2]},"version":7}',
            "platform": "ios", "level": "low", "score_millionths": 100_000},
    ]
