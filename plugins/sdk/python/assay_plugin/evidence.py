"""What handlers are given."""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Any

from .declaration import Assurance, Purpose
from .sentences import identifier

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


@dataclass(slots=True)
class Device:
    """A device that the plugin registered."""

    id: bytes
    subject_key: bytes
    public_key: bytes
    counter: int
    registered_at_ms: int


@dataclass(slots=True)
class FleetDevice:
    """A device of the app's fleet."""

    id: bytes
    serial: str
    family: str
    tables: list[int]
    """The numbers of its key tables."""
    public_key: bytes
    """SubjectPublicKeyInfo in DER."""
    blocked: bool


@dataclass(slots=True)
class Evidence:
    """What a handler judges. `locate` has format, app and body; `prepare` has the time too; the rest is empty there."""

    format: str
    app: str
    body: bytes
    """What the device sent."""
    now_ms: int = 0
    """The time to judge by, in milliseconds since 1970."""
    purpose: Purpose | None = None
    client_data: bytes = b""
    """What the device was expected to sign; with freshness by payload, the device of the piece beside this one. Otherwise empty."""
    payload_sha256: bytes = b""
    """Of the payload that the client data bind; empty if they bind none, never with freshness by payload."""
    device: Device | None = None
    """The one that `locate` named, if the app has it."""
    request_id: bytes = b""
    """16 bytes, for log lines."""
    signals: bytes = b""
    """Freshness by payload: the signed document of the request's signals, if it is the payload: its SHA-256 is `payload_sha256`. Otherwise
    empty."""

    @property
    def now(self) -> datetime:
        """The time to judge by, in UTC."""
        return EPOCH + timedelta(milliseconds=self.now_ms)


@dataclass(slots=True)
class Event:
    """A verdict that was given."""

    request_id: bytes
    app: str
    caller: str
    purpose: int
    """A `Purpose`, or a number that this version does not know."""
    formats: list[str]
    accepted: bool
    code: str
    check: str
    assurance: int
    """An `Assurance`, or a number that this version does not know."""
    device_id: bytes
    policy_digest: bytes
    simulated: bool
    repeated_answer: bool
    decided_at_ms: int
    key_id: bytes
    """Of accepted evidence: a keyed hash of the key that signed, 32 bytes. Empty, like all below, if it is not known."""
    model: str
    """Of accepted evidence: the device's model, as the evidence states it."""
    os_patch_level: int
    """Of accepted evidence: year and month, such as 202408; or 0."""
    counter: int
    """Of accepted evidence: 1 to 4294967295; or 0."""
    address: bytes
    """A keyed hash of the address that the caller says that its client has, 32 bytes."""
    subject: bytes
    """A keyed hash of the request's subject, 32 bytes."""


class Events:
    """Verdicts in the order in which they were given."""

    def __init__(self, request: Any) -> None:
        self._events = request.events
        self.dropped: int = request.dropped
        """Those that were dropped since the call before, because the plugin was too slow."""

    def __len__(self) -> int:
        return len(self._events)

    def __iter__(self) -> Iterator[Event]:
        return map(event_of, self._events)


def event_of(message: Any) -> Event:
    return Event(
        request_id=message.request_id, app=identifier(message.app), caller=identifier(message.caller),
        purpose=known(Purpose, message.purpose), formats=[identifier(name) for name in message.formats], accepted=message.accepted,
        code=identifier(message.code), check=identifier(message.check), assurance=known(Assurance, message.assurance),
        device_id=message.device_id, policy_digest=message.policy_digest, simulated=message.simulated,
        repeated_answer=message.repeated_answer, decided_at_ms=message.decided_at_unix_ms, key_id=message.key_id,
        model=message.model.decode("utf-8", "replace"), os_patch_level=message.os_patch_level, counter=message.counter,
        address=message.address, subject=message.subject)


def known(kind: type[Purpose] | type[Assurance], value: int) -> int:
    try:
        return kind(value)
    except ValueError:
        return value


def device_of(message: Any) -> Device:
    return Device(message.id, message.subject_key, message.public_key, message.counter, message.registered_at_unix_ms)


def fleet_device_of(message: Any) -> FleetDevice:
    return FleetDevice(
        message.id, identifier(message.serial), identifier(message.family), list(message.tables), message.public_key, message.blocked)
