"""A plugin of Assay in Python: declare it as a `Plugin`, and call `run(plugin)`.

docs/reference/plugin-protocol.md is the specification of what this package does for the plugin; README.md beside the package shows a whole one.
"""
from .appraisal import Appraisal
from .call import Call
from .declaration import (
    Assurance, Claim, ClaimKind, Code, Format, Freshness, HostService, Key, Level, Outcome, Plugin, Prepared, Purpose, Retry,
    ValueKind)
from .evidence import Device, Event, Events, Evidence, FleetDevice
from .faults import Refusal, Unavailable
from .process import run
from .sentences import shown
from .settings import Settings
from .strict_json import parse_json

__all__ = [
    "Appraisal", "Assurance", "Call", "Claim", "ClaimKind", "Code", "Device", "Event", "Events", "Evidence", "FleetDevice", "Format",
    "Freshness", "HostService", "Key", "Level", "Outcome", "Plugin", "Prepared", "Purpose", "Refusal", "Retry", "Settings", "Unavailable",
    "ValueKind", "parse_json", "run", "shown",
]
