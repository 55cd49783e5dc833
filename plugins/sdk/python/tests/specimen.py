"""A plugin that does what the body of its evidence says: for the tests of the package. An argument is its concurrency."""
import pathlib
import sys
import time
from dataclasses import dataclass

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from assay_plugin import (  # noqa: E402
    Appraisal, Assurance, Call, Claim, ClaimKind, Code, Events, Evidence, Format, Freshness, HostService, Key, Level, Outcome, Plugin,
    Prepared, Purpose, Refusal, Retry, Settings, Unavailable, ValueKind, run, shown)


@dataclass
class Configuration:
    word: str
    flag: bool


def read_configuration(settings: Settings) -> Configuration:
    word = settings.text("word", limit=15)
    settings.integer("number", 1, 9, default=1)
    flag = settings.boolean("flag", default=False)
    settings.choice("layout", ["first", "second"], default="first")
    if "list" in settings:
        for element in settings.objects("list", 1, 3, ["id"]):
            element.text("id", limit=7)
    return Configuration(word, flag)


def claim_all(appraisal: Appraisal, evidence: Evidence) -> None:
    appraisal.require("first", True, "malformed", "never shown")
    appraisal.note("second", "remark", "a note")
    appraisal.skip("third", "left out")
    appraisal.claim("text", "text")
    appraisal.claim("integer", -5)
    appraisal.claim("boolean", True)
    appraisal.claim("bytes", b"\0\1")
    appraisal.claim("texts", ["a", "b"])
    appraisal.claim("time", evidence.now)


def ask_all(appraisal: Appraisal, evidence: Evidence) -> None:
    device = appraisal.find_device(b"known")
    appraisal.check("device", device is not None and device.counter == 7, "a", "device")
    appraisal.check("no_device", appraisal.find_device(b"unknown") is None, "b", "no device")
    appraisal.check("used", appraisal.find_used([b"used", b"new"]) == [True, False], "c", "used")
    appraisal.check("anchors", len(appraisal.get_anchors()) == 1, "d", "anchors")
    key = appraisal.derive_key(3, 4)
    appraisal.check("key", key is not None, "e", "key")
    appraisal.check("no_table", appraisal.derive_key(4, 4) is None, "f", "no table")
    appraisal.check("fleet", key is None or appraisal.find_fleet_device(key) is None, "g", "no fleet device")
    found = appraisal.find_fleet_device(b"\1" * 32)
    appraisal.check("fleet_device", found is not None and found.tables[2] == 12 and found.serial == "S-1", "h", "fleet device")


def sleep(appraisal: Appraisal, evidence: Evidence) -> None:
    appraisal.flush()
    time.sleep(0.06)
    appraisal.require("slept", True, "malformed", "never shown")


def flood(appraisal: Appraisal, evidence: Evidence) -> None:
    for number in range(100):
        appraisal.log(Level.INFO, f"line {number} of {shown(bytes([255]))}\n")
    for _ in range(5):
        appraisal.count("calls", 2)
    appraisal.gauge("level", 0.5)
    # Its reply shows that all before were read.
    appraisal.find_device(b"app")
    appraisal.require("device", True, "x", "host")


def swallow(appraisal: Appraisal, ask: object, *arguments: object) -> None:
    """The check passes whatever the host says: a missing answer must end the call all the same."""
    try:
        ask(*arguments)  # type: ignore[operator]
    except Exception:
        pass
    appraisal.check("host", True, "x", "never shown")


def exhaust(appraisal: Appraisal, evidence: Evidence) -> None:
    found = []
    while True:
        found.append(bytearray(1 << 45))


def fail_with_text(appraisal: Appraisal, evidence: Evidence) -> None:
    appraisal.claim("text", "x")
    appraisal.check("form", False, "malformed", f"found {shown(evidence.body)}\n{1:01500d}")


def add_findings(appraisal: Appraisal, evidence: Evidence) -> None:
    for _ in range(65):
        swallow(appraisal, appraisal.check, "one", True, "x", "never shown")


def register(appraisal: Appraisal, evidence: Evidence) -> None:
    appraisal.require("purpose", evidence.purpose is Purpose.REGISTER, "x", f"purpose {evidence.purpose}")
    appraisal.register(evidence.app.encode(), evidence.body)


def advance(appraisal: Appraisal, evidence: Evidence) -> None:
    if appraisal.check("device", evidence.device is not None, "unknown_device", "no device"):
        appraisal.advance(evidence.device.counter + 1)


def give_up(appraisal: Appraisal, evidence: Evidence) -> None:
    raise Unavailable("provider_down", f"the provider {appraisal.configuration.word} does not answer", retry_after=1.5)


def raise_secret(appraisal: Appraisal, evidence: Evidence) -> None:
    appraisal.check("first", True, "x", "never shown")
    try:
        int("a secret number")
    except ValueError as error:
        raise KeyError("a secret key") from error


def leave(appraisal: Appraisal, evidence: Evidence) -> None:
    appraisal.check("first", True, "x", "never shown")
    sys.exit(0)


def recurse(appraisal: Appraisal, evidence: Evidence) -> None:
    recurse(appraisal, evidence)


def fail_and_go_on(appraisal: Appraisal, evidence: Evidence) -> None:
    try:
        appraisal.require("first", False, "malformed", "the first")
    except Exception:
        pass
    appraisal.require("second", True, "x", "never shown")
    appraisal.claim("integer", 1)


COMMANDS = {
    b"claims": claim_all,
    b"host": ask_all,
    b"sleep": sleep,
    b"flood": flood,
    b"ask": lambda appraisal, evidence: swallow(appraisal, appraisal.find_device, b"known"),
    b"key": lambda appraisal, evidence: swallow(appraisal, appraisal.derive_key, 1, 2),
    b"used": lambda appraisal, evidence: swallow(appraisal, appraisal.find_used, [b"a", b"b"]),
    b"exhaust": exhaust,
    b"undeclared": lambda appraisal, evidence: swallow(appraisal, appraisal.claim, "text", 1),
    b"twice": lambda appraisal, evidence: [appraisal.claim("integer", 1) for _ in range(2)],
    b"range": lambda appraisal, evidence: appraisal.claim("integer", 1 << 63),
    b"long": lambda appraisal, evidence: appraisal.claim("text", "x" * 4097),
    b"name": lambda appraisal, evidence: swallow(appraisal, appraisal.check, "No Name", True, "x", "never shown"),
    b"token": lambda appraisal, evidence: appraisal.use_token(b"", 1),
    b"effects": lambda appraisal, evidence: [appraisal.advance(1), appraisal.register(b"x")],
    b"findings": add_findings,
    b"register": register,
    b"advance": advance,
    b"fault": give_up,
    b"raise": raise_secret,
    b"leave": leave,
    b"recurse": recurse,
    b"caught": fail_and_go_on,
    b"text\xff": fail_with_text,
}


def appraise(appraisal: Appraisal, evidence: Evidence) -> None:
    # The tests leave the digest out to have an appraisal that lacks it.
    if evidence.payload_sha256:
        appraisal.verified_client_data(evidence.client_data)
    appraisal.assurance(Assurance.SOFTWARE)
    command = COMMANDS.get(evidence.body)
    if command is None:
        raise Refusal("malformed", f"expected a command, found {len(evidence.body)} bytes")
    command(appraisal, evidence)


def appraise_part(appraisal: Appraisal, evidence: Evidence) -> None:
    """A part of the payload: its body says what is measured."""
    appraisal.require("payload", len(evidence.payload_sha256) == 32 and evidence.client_data, "malformed", "no payload")
    appraisal.verified_payload(evidence.payload_sha256)
    if evidence.body == b"part":
        appraisal.claim("document", evidence.signals)
        appraisal.measured("lidar", Outcome.PASS, f"deviation {600} mm")
        appraisal.measured("parallax", Outcome.UNAVAILABLE, "no second picture")
    elif evidence.body == b"against":
        appraisal.measured("lidar", Outcome.FAIL, "deviation 0 mm")
    elif evidence.body == b"undeclared":
        appraisal.measured("sound", Outcome.PASS, "never shown")
    elif evidence.body == b"twice":
        for _ in range(2):
            appraisal.measured("lidar", Outcome.PASS, "never shown")
    else:
        appraisal.measured("lidar", Outcome.PASS, "never shown")
        appraisal.fail("part", "not_a_part", f"expected a part, found {len(evidence.body)} bytes")


def locate(call: Call, evidence: Evidence) -> bytes:
    if evidence.body == b"refuse":
        raise Refusal("malformed", "refused")
    return b"known" if evidence.body == b"advance" else b""


def prepare(call: Call, request: Evidence) -> Prepared:
    if not request.body:
        raise Refusal("malformed", "expected a body")
    return Prepared(request.body, request.now_ms + 1000)


def observe(call: Call, events: Events) -> None:
    for event in events:
        call.log(Level.DEBUG, f"{event.app} {len(event.formats)} {int(event.accepted)}")
    call.count("dropped", events.dropped)


def check_health(call: Call) -> str | None:
    return "the flag is set" if call.configuration.flag else None


PLUGIN = Plugin(
    name="specimen",
    version="1.0.0",
    formats=[Format(
        name="specimen",
        purposes=[Purpose.ASSERT, Purpose.REGISTER],
        size_limit=64,
        freshness=Freshness.CHALLENGE,
        appraise=appraise,
        locate=locate,
        prepare=prepare,
        claims=[Claim("text", ClaimKind.TEXT, "text"), Claim("integer", ClaimKind.INTEGER, "an integer"),
                Claim("boolean", ClaimKind.BOOLEAN, "a boolean"), Claim("bytes", ClaimKind.BYTES, "bytes"),
                Claim("texts", ClaimKind.TEXTS, "texts"), Claim("time", ClaimKind.TIME, "a time")],
        codes=[Code("remark", Retry.NEVER, "a remark")],
    ), Format(
        name="specimen.part",
        purposes=[Purpose.ASSERT],
        size_limit=64,
        freshness=Freshness.PAYLOAD,
        appraise=appraise_part,
        claims=[Claim("document", ClaimKind.BYTES, "the signed document")],
        codes=[Code("not_a_part", Retry.NEVER, "no part of the payload", vendor_code="ERR 7 (part)"),
               Code("malformed", Retry.NEVER, "malformed")],
        measures=["lidar", "parallax"],
    )],
    configuration_keys=[
        Key("word", ValueKind.TEXT, "a word", required=True), Key("number", ValueKind.INTEGER, "a number"),
        Key("flag", ValueKind.BOOLEAN, "a flag"), Key("layout", ValueKind.TEXT, "a layout"), Key("list", ValueKind.LIST, "a list")],
    host_services=list(HostService),
    read_configuration=read_configuration,
    observe=observe,
    check_health=check_health,
    concurrency=int(sys.argv[1]) if len(sys.argv) > 1 else 1,
)

if __name__ == "__main__":
    run(PLUGIN)
