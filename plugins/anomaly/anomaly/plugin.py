"""The plugin's declaration, and what it does with a batch of verdicts."""
from __future__ import annotations

from assay_plugin import Call, Events, HostService, Level, Plugin

from .configuration import KEYS, Configuration, read_configuration


def observe(call: Call[Configuration], events: Events) -> None:
    """Looks at all verdicts before the host is asked: an answer that does not come loses no memory of them."""
    detector = call.configuration.detector
    flags = [flag for event in events for flag in detector.look(event)]
    if events.dropped:
        call.count("dropped", events.dropped)
    for memory in detector.memories():
        if memory.forgotten:
            call.count("forgotten", memory.forgotten)
            memory.forgotten = 0
    for flag in flags:
        call.count(flag.flag)
        if flag.device_id and call.flag_device(flag.app, flag.device_id, flag.flag, flag.detail, flag.at_ms + call.configuration.flag_ms):
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
