"""The signed document: what the app says of its capture."""
from __future__ import annotations

import re
from dataclasses import dataclass

from .reading import Members, read_object
from .session import CHALLENGES, DOCUMENTS, FACE_SIDES, QUALITIES, TOKEN_LIMIT

BODY_LIMIT = 64 * 1024
PLATFORMS = ("ios", "android")
SIDES = tuple(sorted({side for sides in DOCUMENTS.values() for side in sides})) + FACE_SIDES
IMAGES, PIXELS, FACES, LONGEST_MS = 4, 100_000, 1000, 3_600_000


@dataclass(frozen=True)
class System:
    platform: str
    version: tuple[int, ...]
    """iOS: its numbers. Android: the API level."""

    @property
    def text(self) -> str:
        name, number = ("iOS ", self.version) if self.platform == "ios" else ("Android API ", self.version[:1])
        return name + ".".join(map(str, number))


@dataclass(frozen=True)
class Image:
    place: str
    side: str
    width: int
    height: int
    sharpness: float
    brightness: float
    faces: int | None
    document_found: bool | None


@dataclass(frozen=True)
class Recording:
    duration_ms: int
    quality: int


@dataclass(frozen=True)
class Met:
    """A challenge that was met."""

    challenge: str
    at_ms: int
    """From the beginning of the recording."""


@dataclass(frozen=True)
class SaltBinding:
    salt: bytes
    device_id: str
    timestamp: int
    """Seconds since 1970."""
    binding_hash: bytes


@dataclass(frozen=True)
class Document:
    session_token: str
    system: System
    images: list[Image]
    recording: Recording | None
    challenges: list[Met]
    spoof_detected: bool
    salt_binding: SaltBinding | None


def read_document(body: bytes) -> Document:
    """Members that are not known are ignored: the device signed them, and nothing here depends on them."""
    members = read_object(body)
    return Document(
        session_token=members.text("session_token", TOKEN_LIMIT), system=read_system(members),
        images=[read_image(element) for element in members.objects("images", 1, IMAGES)],
        recording=read_recording(members.object("recording")) if "recording" in members else None,
        challenges=[read_met(element) for element in members.objects("challenges", 0, 16)] if "challenges" in members else [],
        spoof_detected="spoof_detected" in members and members.boolean("spoof_detected"),
        salt_binding=read_salt_binding(members.object("salt_binding")) if "salt_binding" in members else None)


def read_system(members: Members) -> System:
    platform = members.choice("platform", PLATFORMS)
    if platform == "android":
        return System(platform, (members.integer("api_level", 1, 999),))
    version = members.text("os_version", 16)
    if not re.fullmatch(r"[0-9]{1,3}(\.[0-9]{1,3}){0,2}", version, re.ASCII):
        raise members.refuse("os_version", "a version such as 17.2")
    return System(platform, tuple(map(int, version.split("."))))


def read_image(members: Members) -> Image:
    return Image(
        place=members.where, side=members.choice("side", SIDES), width=members.integer("width", 1, PIXELS), height=members.integer("height", 1, PIXELS),
        sharpness=members.number("sharpness", 0, 100), brightness=members.number("brightness", 0, 255),
        faces=members.integer("faces", 0, FACES) if "faces" in members else None,
        document_found=members.boolean("document_found") if "document_found" in members else None)


def read_recording(members: Members) -> Recording:
    quality = members.integer("quality", QUALITIES[0], QUALITIES[-1])
    if quality not in QUALITIES:
        raise members.refuse("quality", f"one of {', '.join(map(str, QUALITIES))}")
    return Recording(members.integer("duration_ms", 0, LONGEST_MS), quality)


def read_met(members: Members) -> Met:
    return Met(members.choice("challenge", CHALLENGES), members.integer("at_ms", 0, LONGEST_MS))


def read_salt_binding(members: Members) -> SaltBinding:
    return SaltBinding(
        members.hex("salt", 32, 64), members.text("device_id", 128), members.integer("timestamp", 0, 253_402_300_799), members.hex("binding_hash", 32, 32))
