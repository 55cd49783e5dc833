"""The client for Python."""

from __future__ import annotations

import json
import sys

from ..layout import Group, Notation, Style, written
from ..program import CLIENTS
from ..values import Name, Octets, Record
from .typed import TYPED, binding, evidence, snake, without_key

KEY, TITLE, FENCE = "python", "Python", "python"
SENDS_KEY = True
SETUP = """import os
from base64 import b64decode

from assay import Binding, BlockTarget, Client, Evidence, ResultRequest

client = Client(os.environ["ASSAY"], api_key=os.environ["ASSAY_API_KEY"])"""
STYLE = Style(step="    ")
# The parameters that are given by their place, of the methods that have some.
PLACED_IN = {
    "Attestation/IssueChallenge": ["app", "purpose"],
    "Attestation/Verify": ["app", "purpose", "evidence"],
    "Provisioning/Issue": ["app", "evidence"],
    "Provisioning/ProvisionDevice": ["app", "deviceSerial"],
    "Devices/Get": ["app"],
    "Devices/List": ["app"],
    "Devices/Block": ["app", "target", "reason"],
    "Devices/Unblock": ["app", "target"],
    "Verdicts/Find": ["app", "payloadSha256"],
}


class JSON(Notation):
    def text(self, text):
        return json.dumps(text, ensure_ascii=False)

    def boolean(self, value):
        return str(value)

    def object(self, members):
        return Group("{", [(f'"{key}": ', value) for key, value in members], "}", end=",")

    def list(self, items):
        return Group("[", [("", item) for item in items], "]", end=",")


def snippet(method):
    if method.title in TYPED:
        name, answer = TYPED[method.title]
        return written([f"{answer} = ", call(f"client.{snake(name)}", arguments(method))], STYLE)
    options = ", idempotent=True" if method.idempotency == "idempotent" else ""
    return written([f'answer = client.call("{method.service}", "{method.name}", ', JSON().of(method.request), f"{options})"], STYLE)


def call(function, items):
    return Group(f"{function}(", items, ")", end=",")


def arguments(method):
    members, key = without_key(method.record)
    placed = PLACED_IN.get(method.title, [])
    items = [("", value(members.pop(name))) for name in placed]
    items += [(f"{snake(name)}=", value(member)) for name, member in members.items()]
    return items + ([("idempotency_key=", value(key))] if key else [])


def value(member):
    if isinstance(member, Octets):
        return f"b{json.dumps(member.text)}" if member.text else f'b64decode("{member.base64}")'
    if isinstance(member, Name):
        return json.dumps(member.name)
    if isinstance(member, list):
        return JSON().list([value(each) for each in member])
    if isinstance(member, Record):
        return message(member)
    return JSON().of(member)


def message(record):
    if record.kind == "Evidence":
        kind, parts = evidence(record)
        return call(f"Evidence.{snake(kind)}", [("", value(part)) for part in parts])
    if record.kind == "Binding":
        name, part = binding(record)
        return call("Binding." + {"payloadSha256": "payload_sha256", "uploadId": "upload"}[name], [("", value(part))])
    if record.kind == "BlockTarget":
        (name, part), = record.members.items()
        return call("BlockTarget." + {"deviceId": "device", "subject": "subject", "keyId": "key"}[name], [("", value(part))])
    return call(record.kind, [(f"{snake(name)}=", value(part)) for name, part in record.members.items()])


def missing():
    return None


def run(program):
    program.write("calls.py", "\n\n".join([SETUP, *(f"# {title}\n{text}" for title, text in program.calls)]) + "\n")
    program.run(sys.executable, "-B", "-W", "error", "calls.py", PYTHONPATH=str(CLIENTS / "python"))
