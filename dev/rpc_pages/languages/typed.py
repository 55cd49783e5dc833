"""The methods that every client has as functions of its own, clients/README.md, and names for their answers."""

from __future__ import annotations

import re

TYPED = {
    "Attestation/IssueChallenge": ("issueChallenge", "issued"),
    "Attestation/Verify": ("verify", "verdict"),
    "Provisioning/Issue": ("issueCertificate", "certified"),
    "Provisioning/ProvisionDevice": ("provisionDevice", "made"),
    "Devices/Get": ("getDevice", "device"),
    "Devices/List": ("listDevices", "page"),
    "Devices/Block": ("block", "blocked"),
    "Devices/Unblock": ("unblock", "unblocked"),
    "Verdicts/Find": ("findVerdicts", "found"),
    "Results/GetKeys": ("getResultKeys", "keys"),
    "Operations/WhoAmI": ("whoAmI", "caller"),
}
# The constructors of evidence take these members, in this order.
EVIDENCE = {
    "appAttestAttestation": ["keyId", "attestation"],
    "appAttestAssertion": ["keyId", "assertion"],
    "androidKeyAttestation": ["certificates"],
    "playIntegrityToken": ["token"],
    "deviceCheckToken": ["token"],
}


class Unwritten(Exception):
    """A request has what no language writes yet."""


def evidence(record):
    """The kind of a piece of evidence, and what the constructor of the kind takes."""
    (kind, message), = record.members.items()
    if kind not in EVIDENCE or list(message.members) != EVIDENCE[kind]:
        raise Unwritten(f"evidence {kind} with {', '.join(message.members)}: EVIDENCE in dev/rpc_pages/languages/typed.py has no such constructor")
    return kind, list(message.members.values())


def binding(record):
    """The member of the client data, and its value."""
    message = record.members.get("clientData")
    if message is None or len(message.members) != 1:
        raise Unwritten(f"a binding by {', '.join(record.members)}: languages write one of client data with one member alone")
    (member, value), = message.members.items()
    return member, value


def without_key(record):
    """The members but the idempotency key, and that key as the text that clients take."""
    members = dict(record.members)
    key = members.pop("idempotencyKey", None)
    if key is not None and (key.text is None or " " in key.text):
        raise Unwritten(f"the idempotency key {key.base64} is not a text of visible characters")
    return members, key and key.text


def words(name):
    """deviceSerial, DEVICE_SERIAL: device, serial"""
    parts = name.lower().split("_") if name.isupper() or "_" in name else re.findall(r"[a-zA-Z][a-z0-9]*", name)
    return [part.lower() for part in parts]


def snake(name):
    return "_".join(words(name))


def pascal(name):
    return "".join(word.capitalize() for word in words(name))
