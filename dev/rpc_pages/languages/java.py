"""The client for Java."""

from __future__ import annotations

import json
import shutil

from ..layout import Group, Notation, Style, written
from ..program import CLIENTS, indented
from ..values import Name, Octets, Record
from .typed import TYPED, binding, evidence, without_key

KEY, TITLE, FENCE = "java", "Java", "java"
# Its client sends keys over TLS alone.
SENDS_KEY = False
CALLS = "            // a call of these pages\n"
SETUP = """import static java.nio.charset.StandardCharsets.UTF_8;
import assay.client.*;
import java.util.*;

public final class Calls {
    public static void main(String[] arguments) {
        String url = System.getenv("ASSAY"), key = System.getenv("ASSAY_API_KEY");
        try (AssayClient client = AssayClient.at(url).apiKey(key).build()) {
            // a call of these pages
        }
    }

    static byte[] decoded(String text) {
        return Base64.getDecoder().decode(text);
    }
}"""
STYLE = Style(step="        ")
# What the constructors of requests take; the rest has setters. Without one, the method takes the members themselves.
CONSTRUCTORS = {
    "Attestation/IssueChallenge": ["app", "purpose"],
    "Attestation/Verify": ["app", "purpose"],
    "Provisioning/Issue": ["app"],
    "Provisioning/ProvisionDevice": ["app", "deviceSerial"],
    "Devices/List": ["app"],
}


class Maps(Notation):
    def text(self, text):
        return json.dumps(text)

    def object(self, members):
        return Group("Map.of(", [(f'"{key}", ', value) for key, value in members], ")")

    def list(self, items):
        return Group("List.of(", [("", item) for item in items], ")")


MAPS = Maps()


def snippet(method):
    if method.title not in TYPED:
        options = "new CallOptions()" + (".idempotent(true)" if method.idempotency == "idempotent" else "")
        start = f'var answer = client.call("{method.service}", "{method.name}", '
        return written([start, MAPS.of(method.request), f", {options});"], STYLE)
    name, answer = TYPED[method.title]
    members, key = without_key(method.record)
    if method.title in CONSTRUCTORS:
        request = f"{name[0].upper()}{name[1:]}Request"
        asked = built(request, CONSTRUCTORS[method.title], {**members, **({"idempotencyKey": key} if key else {})})
        return written([f"var {answer} = client.{name}(", asked, ");"], STYLE)
    if method.title == "Results/GetKeys":
        members = {"simulated": False, **members}
    elif method.title == "Devices/Get":
        members = {"app": members.pop("app"), "name": Record("DeviceName", members, False)}
    return written([f"var {answer} = client.{name}", Group("(", [("", value(part)) for part in members.values()], ")"), ";"], STYLE)


def built(kind, placed, members):
    """A new object, and its setters."""
    given = ", ".join(value(members[name]) for name in placed)
    setters = [("", setter(name, part)) for name, part in members.items() if name not in placed]
    return Group(f"new {kind}({given})", setters, "", separator="")


def setter(name, part):
    parts = part if isinstance(part, list) else [part]
    return Group(f".{name}(", [("", value(each)) for each in parts], ")")


def value(member):
    if isinstance(member, Octets):
        return f"{MAPS.text(member.text)}.getBytes(UTF_8)" if member.text else f'decoded("{member.base64}")'
    if isinstance(member, Name):
        kind = {"Device.State": "DeviceState", "VerifyRequest.Report": "Report"}.get(member.kind, member.kind)
        return f"{kind}.{member.name}"
    if isinstance(member, list):
        return MAPS.list([value(each) for each in member])
    if isinstance(member, Record):
        return message(member)
    return MAPS.of(member)


def message(record):
    if record.kind == "ResultRequest":
        return built(record.kind, ["shape", "audience"], record.members)
    if record.kind == "Evidence":
        name, parts = evidence(record)
    elif record.kind == "Binding":
        name, part = binding(record)
        name, parts = {"payloadSha256": "payloadSha256", "uploadId": "upload"}[name], [part]
    else:
        (name, part), = record.members.items()
        name, parts = {"deviceSerial": "serial"}.get(name, name), [part]
    return Group(f"{record.kind}.{name}(", [("", value(part)) for part in parts], ")")


def missing():
    return next((name for name in ("javac", "java", "make") if not shutil.which(name)), None)


def run(program):
    blocks = []
    for title, text in program.calls:
        blocks.append(f"            {{ // {title}\n{indented(text, ' ' * 16)}\n            }}\n")
    program.write("Calls.java", SETUP.replace(CALLS, "".join(blocks)) + "\n")
    program.run("make", "--silent", "jar", folder=CLIENTS / "java")
    client = CLIENTS / "java/build/classes"
    program.run("javac", "--release", "11", "-encoding", "UTF-8", "-Xlint:all", "-Werror", "-cp", client, "-d", "classes", "Calls.java")
    program.run("java", "-Xshare:auto", "-XX:+UseSerialGC", "-cp", f"{client}:classes", "Calls", ASSAY=program.http, ASSAY_API_KEY=None)
