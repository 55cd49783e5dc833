"""The configuration: README.md has the table."""
from __future__ import annotations

from dataclasses import dataclass

from assay_plugin import Settings

from .countries import COUNTRIES
from .session import PRESETS, QUALITIES


@dataclass(frozen=True)
class Limits:
    """What an app must say of its captures."""

    sharpness: float
    darkest: float
    brightest: float
    short_side: int


@dataclass(frozen=True)
class Configuration:
    session_key: bytes
    network_ms: int
    preset: str
    quality: int
    countries: frozenset[str]
    limits: Limits
    ios: int
    api_level: int


def read_configuration(settings: Settings) -> Configuration:
    return Configuration(
        session_key=settings.hex("session_key", size=32),
        network_ms=1000 * settings.integer("network_seconds", 0, 3600, default=60),
        preset=settings.choice("preset", list(PRESETS), default="substantial"),
        quality=read_quality(settings),
        countries=read_countries(settings),
        limits=read_limits(settings),
        ios=settings.integer("minimum_ios", 13, 99, default=13),
        api_level=settings.integer("minimum_api_level", 26, 99, default=26))


def read_quality(settings: Settings) -> int:
    quality = settings.integer("quality", QUALITIES[0], QUALITIES[-1], default=720)
    if quality not in QUALITIES:
        settings.report("quality", f"expected one of {', '.join(map(str, QUALITIES))}, found {quality}")
    return quality


def read_countries(settings: Settings) -> frozenset[str]:
    if "countries" not in settings:
        return COUNTRIES
    listed = settings.texts("countries", 1, len(COUNTRIES), limit=16)
    for country in listed:
        if country not in COUNTRIES:
            settings.report("countries", f"expected codes of ISO 3166-1 alpha-2 in upper case, found {country}")
    return frozenset(listed)


def read_limits(settings: Settings) -> Limits:
    darkest = settings.number("minimum_brightness", 0, 255, default=40)
    brightest = settings.number("maximum_brightness", darkest, 255, default=200)
    if darkest > brightest:
        settings.report("minimum_brightness", f"expected at most {brightest:g}, the default of maximum_brightness, found {darkest:g}")
    return Limits(
        settings.number("minimum_sharpness", 0, 100, default=50), darkest, brightest, settings.integer("minimum_short_side", 1, 100_000, default=720))
