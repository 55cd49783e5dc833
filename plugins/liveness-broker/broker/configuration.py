"""The configuration: README.md has the table."""
from __future__ import annotations

import ipaddress
import re
import ssl
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from assay_plugin import Settings

from .document import is_path
from .resolver import Resolver

SYSTEM_CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"
# Statuses that say something of the plugin or the provider, never of evidence: credentials, addresses, load.
NEVER_A_REJECTION = {401, 403, 404, 405, 407, 408, 425, 429}
REJECTED_STATUSES = [400, 409, 410, 413, 415, 422]


@dataclass(frozen=True)
class Provider:
    """Where the provider is, and how it is spoken to."""

    secure: bool
    host: str
    port: int
    base_path: str
    headers: dict[str, str]
    tls: ssl.SSLContext | None
    timeout: float
    resolver: Resolver


@dataclass(frozen=True)
class Condition:
    """What is demanded of a member of the provider's answer."""

    field: str
    kind: str
    """at_least, at_most or equals"""
    value: Any


@dataclass(frozen=True)
class Prepare:
    path: str
    request: dict[str, Any]
    session_data: str
    expires_at: str


@dataclass(frozen=True)
class Analyze:
    path: str
    request: dict[str, Any]
    session_data: str
    metadata: str
    media: str
    analysis_id: str
    conditions: list[Condition]
    rejected_statuses: frozenset[int]


@dataclass(frozen=True)
class Configuration:
    provider: Provider
    prepare: Prepare
    analyze: Analyze
    session_key: bytes
    session_seconds: int
    media: str


def read_configuration(settings: Settings) -> Configuration:
    media = settings.choice("media", ["none", "optional", "required"], default="none")
    return Configuration(
        provider=read_provider(settings),
        prepare=read_prepare(settings.object("prepare", ["path", "request", "session_data", "expires_at"])),
        analyze=read_analyze(settings.object("analyze", [
            "path", "request", "session_data", "metadata", "media", "analysis_id", "conditions", "rejected_statuses"])),
        session_key=settings.hex("session_key", size=32),
        session_seconds=settings.integer("session_seconds", 30, 86400, default=300),
        media=media)


# MARK: The provider


def read_provider(settings: Settings) -> Provider:
    secure, host, port, base_path = read_base_url(settings)
    return Provider(
        secure, host, port, base_path, read_headers(settings), read_certificates(settings, secure),
        settings.integer("timeout_ms", 100, 60000, default=5000) / 1000, Resolver(host, port, loopback_only=not secure))


def read_base_url(settings: Settings) -> tuple[bool, str, int, str]:
    text = settings.text("base_url", limit=1024)
    try:
        parts = urlsplit(text)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        host = ""
    expected = "expected an address such as https://provider.example/v1, without user, query and fragment"
    if not host or parts.username is not None or parts.query or parts.fragment or not re.fullmatch(r"[!-~]+", text):
        settings.report("base_url", expected) if text else None
    elif parts.scheme not in ("https", "http"):
        settings.report("base_url", expected)
    elif parts.scheme == "http" and not is_loopback(host):
        settings.report("base_url", "expected https: http is allowed for localhost and loopback addresses only")
    else:
        return parts.scheme == "https", host, port or (443 if parts.scheme == "https" else 80), parts.path.rstrip("/")
    return False, "localhost", 0, ""


def is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def read_headers(settings: Settings) -> dict[str, str]:
    name = settings.text("api_key_header", default="Authorization", limit=64)
    value_format = settings.text("api_key_format", default="Bearer {key}", limit=256)
    key = settings.text("api_key", limit=4096)
    if not re.fullmatch(r"[A-Za-z0-9-]+", name) or name.lower() in ("host", "content-length", "content-type", "transfer-encoding"):
        settings.report("api_key_header", "expected the name of a header that is for credentials, of letters, digits and hyphens")
    if value_format.count("{key}") != 1 or not re.fullmatch(r"[ -~]*", value_format):
        settings.report("api_key_format", "expected printable ASCII with {key} once")
    if key and not re.fullmatch(r"[!-~]+", key):
        settings.report("api_key", f"expected printable ASCII without spaces, found {len(key)} characters with others")
    return {name: value_format.replace("{key}", key), "Content-Type": "application/json", "Accept": "application/json"}


def read_certificates(settings: Settings, secure: bool) -> ssl.SSLContext | None:
    """None for a provider on this machine that is asked over http."""
    path = settings.text("ca_file", default=SYSTEM_CERTIFICATES)
    if not secure:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        context.load_verify_locations(cafile=path)
    except (OSError, ssl.SSLError) as error:
        found = error.strerror if isinstance(error, OSError) and not isinstance(error, ssl.SSLError) else "no certificates in PEM"
        settings.report("ca_file", f"cannot read certificates from {path}: {found}; it has to be among the files that the catalog's entry lets the plugin read")
    return context


# MARK: Prepare and analyze


def read_prepare(settings: Settings) -> Prepare:
    return Prepare(
        read_path(settings), read_constants(settings), read_field(settings, "session_data"), read_field(settings, "expires_at", optional=True))


def read_analyze(settings: Settings) -> Analyze:
    statuses = settings.integers("rejected_statuses", 0, 32, low=400, high=499) if "rejected_statuses" in settings else REJECTED_STATUSES
    wrong = sorted(NEVER_A_REJECTION.intersection(statuses))
    if wrong:
        settings.report("rejected_statuses", f"status {wrong[0]} is not about evidence, and cannot reject it; remove it")
    return Analyze(
        read_path(settings), read_constants(settings), read_field(settings, "session_data"), read_field(settings, "metadata"),
        read_field(settings, "media", optional=True), read_field(settings, "analysis_id", optional=True), read_conditions(settings),
        frozenset(statuses))


def read_path(settings: Settings) -> str:
    path = settings.text("path", limit=1024)
    if path and not re.fullmatch(r"/[!-~]*", path):
        settings.report("path", "expected a path of printable ASCII that begins with a slash")
    return path


def read_constants(settings: Settings) -> dict[str, Any]:
    """Members that every request has."""
    constants = settings.value("request")
    if constants is not None and not isinstance(constants, dict):
        settings.report("request", "expected an object")
    return constants if isinstance(constants, dict) else {}


def read_field(settings: Settings, name: str, optional: bool = False) -> str:
    if optional and name not in settings:
        return ""
    path = settings.text(name, limit=256)
    if path and not is_path(path):
        settings.report(name, "expected names of members with dots between them, such as result.score")
    return path


def read_conditions(settings: Settings) -> list[Condition]:
    conditions = []
    for element in settings.objects("conditions", 1, 16, ["field", "at_least", "at_most", "equals"]):
        field = read_field(element, "field")
        kinds = [kind for kind in ("at_least", "at_most", "equals") if kind in element]
        if len(kinds) != 1:
            element.report("", "expected one of at_least, at_most and equals")
        elif kinds[0] != "equals":
            conditions.append(Condition(field, kinds[0], element.number(kinds[0], -1e15, 1e15)))
        else:
            if not isinstance(element.value("equals"), (str, int, float, bool)):
                element.report("equals", "expected a string, a number, or true or false")
            conditions.append(Condition(field, "equals", element.value("equals")))
    return conditions
