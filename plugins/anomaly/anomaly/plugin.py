"""The plugin's declaration, and what it does with a batch of verdicts."""
from __future__ import annotations

from assay_plugin import Call, Events, HostService, Level, Plugin

from .configuration import KEYS, Configuration, read_configuration
from .detector import Flag


def observe(call: Call[Configuration], events: Events) -> None:
    """Looks at all verdicts, and counts, before the host is asked: an answer that does not come loses nothing of them."""
    detector = call.configuration.detector
    flags: dict[object, Flag] = {}
    for index, event in enumerate(events):
        for flag in detector.look(event):
            # A device may have a flag by several verdicts of the batch: the first is told.
            flags.setdefault((flag.app, flag.device_id or index, flag.flag), flag)
    if events.dropped:
        call.count("dropped", events.dropped)
    for memory in detector.memories():
        if memory.forgotten:
            call.count("forgotten", memory.forgotten)
            memory.forgotten = 0
    for flag in flags.values():
        call.count(flag.flag)
    for flag in flags.values():
        if not call.configuration.flags or not flag.device_id:
            detector.told(flag)
        elif call.flag_device(flag.app, flag.device_id, flag.flag, flag.detail, flag.at_ms + call.configuration.flag_ms):
            detector.told(flag)
            call.log(Level.INFO, f"flagged a device: {flag.detail}", app=flag.app, device=flag.device_id.hex(), flag=flag.flag)


PLUGIN: Plugin[Configuration] = Plugin(
    name="anomaly",
    version="1.0.0",
    configuration_keys=KEYS,
    host_services=[HostService.FLAG_DEVICE],
    read_configuration=read_configuration,
    observe=observe,
)
