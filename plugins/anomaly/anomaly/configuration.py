"""What the operator decides."""
from __future__ import annotations

from dataclasses import dataclass, field

from assay_plugin import Key, Settings, ValueKind

from .detector import Detector, Limits

DAY_MS = 24 * 3600 * 1000

KEYS = [
    Key("flags", ValueKind.BOOLEAN, "whether devices are flagged; false: anomalies are counted only. Default true"),
    Key("counter_gap", ValueKind.INTEGER, "the largest increase of a counter that is not flagged; default 1000"),
    Key("burst_count", ValueKind.INTEGER, "how many verdicts of an address or subject at a time are no burst; default 60"),
    Key("burst_seconds", ValueKind.INTEGER, "the time in which that many are no burst; default 60"),
    Key("flag_days", ValueKind.INTEGER, "how long a flag stands; default 30"),
    Key("tracked", ValueKind.INTEGER, "how many keys, devices, addresses and subjects are remembered, of each kind; default 50000"),
]


@dataclass
class Configuration:
    flags: bool
    flag_ms: int
    detector: Detector = field(repr=False)
    """What was seen. It changes with each call; handlers run one after the other."""


def read_configuration(settings: Settings) -> Configuration:
    limits = Limits(
        counter_gap=settings.integer("counter_gap", 1, 0xFFFFFFFF, 1000), burst_count=settings.integer("burst_count", 1, 1_000_000, 60),
        burst_seconds=settings.integer("burst_seconds", 1, 86_400, 60), tracked=settings.integer("tracked", 100, 200_000, 50_000))
    flag_ms = settings.integer("flag_days", 1, 399, 30) * DAY_MS
    return Configuration(settings.boolean("flags", True), flag_ms, Detector(limits, flag_ms))
