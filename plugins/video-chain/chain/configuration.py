"""What the operator decides."""
from __future__ import annotations

from dataclasses import dataclass

from assay_plugin import Key, Settings, ValueKind

SIGNALS = ("depth_over_time", "lidar")
SIGNED = ("either", "final_hash", "document")

KEYS = [
    Key("versions", ValueKind.LIST, "the versions of chains that are accepted: 1, 2, or both, which is the default"),
    Key("signed", ValueKind.TEXT, "what devices sign: final_hash, document, or either, which is the default"),
    Key("partial", ValueKind.BOOLEAN, "whether the attested beginning of an interrupted recording is accepted; default true"),
    Key("depth_signal", ValueKind.TEXT, "the signal that depth over time is reported as: depth_over_time, which is the default, or lidar"),
]


@dataclass(frozen=True)
class Configuration:
    versions: tuple[int, ...]
    signed: str
    partial: bool
    depth_signal: str


def read_configuration(settings: Settings) -> Configuration:
    return Configuration(
        versions=tuple(settings.integers("versions", 1, 2, low=1, high=2)) if "versions" in settings else (1, 2),
        signed=settings.choice("signed", SIGNED, "either"), partial=settings.boolean("partial", True),
        depth_signal=settings.choice("depth_signal", SIGNALS, "depth_over_time"))
