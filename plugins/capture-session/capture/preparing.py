"""Prepare: makes a session."""
from __future__ import annotations

import json
import os
import random
from typing import Any

from assay_plugin import Call, Evidence, Prepared, Refusal

from .configuration import Configuration
from .countries import COUNTRIES
from .reading import Members, read_object
from .session import CAPTURES, CHALLENGES, DOCUMENTS, INJECTION_CHECKS_MS, PRESETS, QUALITIES, Session
from .times import time_text

MEMBERS = ("capture", "country", "preset", "duration_ms", "quality", "challenges")
SHORTEST_MS, LONGEST_MS = 500, 60_000


def prepare(call: Call[Configuration], request: Evidence) -> Prepared:
    members = read_object(request.body)
    members.require_only(MEMBERS)
    session = session_for(members, call.configuration, request.now_ms)
    return Prepared(json.dumps(answer(session, session.token(call.configuration.session_key, request.app))).encode(), session.expires_at_ms)


def session_for(members: Members, configuration: Configuration, now_ms: int) -> Session:
    capture = members.choice("capture", CAPTURES)
    preset = members.choice("preset", list(PRESETS)) if "preset" in members else configuration.preset
    duration_ms = members.integer("duration_ms", SHORTEST_MS, LONGEST_MS) if "duration_ms" in members else PRESETS[preset]
    return Session(
        session_id=os.urandom(16).hex(), capture=capture, country=country_of(members, capture, configuration), challenges=challenges_of(members, capture),
        preset=preset, duration_ms=duration_ms, quality=quality_of(members, configuration), prepared_at_ms=now_ms,
        expires_at_ms=now_ms + duration_ms + INJECTION_CHECKS_MS + configuration.network_ms)


def country_of(members: Members, capture: str, configuration: Configuration) -> str:
    """Documents are of a country; a face is of none, unless the caller states one."""
    if "country" not in members and capture not in DOCUMENTS:
        return ""
    country = members.text("country", 16)
    if country not in COUNTRIES:
        raise Refusal("country_unknown", f"expected country as a code of ISO 3166-1 alpha-2 in upper case, found {country}")
    if country not in configuration.countries:
        raise Refusal("country_not_accepted", f"expected one of the {len(configuration.countries)} countries of the configuration, found {country}")
    return country


def quality_of(members: Members, configuration: Configuration) -> int:
    if "quality" not in members:
        return configuration.quality
    quality = members.integer("quality", QUALITIES[0], QUALITIES[-1])
    if quality not in QUALITIES:
        raise members.refuse("quality", f"one of {', '.join(map(str, QUALITIES))}")
    return quality


def challenges_of(members: Members, capture: str) -> tuple[str, ...]:
    """In an order that cannot be foreseen. A document meets no challenge."""
    default = len(CHALLENGES) if capture == "liveness" else 0
    count = members.integer("challenges", 0, 0 if capture in DOCUMENTS else len(CHALLENGES)) if "challenges" in members else default
    return tuple(random.SystemRandom().sample(CHALLENGES, count))


def answer(session: Session, token: str) -> dict[str, Any]:
    """For the app: the token, which it puts into its signed document as it is, and what the token says."""
    return {
        "session_token": token, "session_id": session.session_id, "capture": session.capture, "country": session.country or None, "sides": session.sides,
        "challenges": session.challenges, "preset": session.preset, "duration_ms": session.duration_ms, "quality": session.quality,
        "prepared_at": time_text(session.prepared_at_ms), "expires_at": time_text(session.expires_at_ms)}
