"""A call of the daemon's, as a handler sees it: the configuration, the time that is left, and the host."""
from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, Generic, NoReturn

from . import sentences
from .declaration import C, Level
from .decoding import DecodingError, decode
from .evidence import Device, FleetDevice, device_of, fleet_device_of
from .faults import INTERNAL, NOT_FOUND, Fault, Unavailable
from .frame import Frame
from .generated import host_pb2 as host_messages
from .host_calls import HostCalls

FIELD_LIMIT = 16
KEY_SIZE = 32


class Call(Generic[C]):
    """The services of the host answer for the call's app, plugin and format. All but log lines and metrics have to be declared.

    A host that does not answer, and a fault of the plugin's own, raise `Fault`, and end the call with it even if the handler
    catches it.
    """

    def __init__(self, configuration: C, host: HostCalls, token: bytes = b"", deadline: float | None = None) -> None:
        self.configuration = configuration
        """What `read_configuration` returned."""
        self.fault: Fault | None = None
        """The first fault: what the call ends with."""
        self._host, self._token, self._deadline = host, token, deadline

    def time_left(self) -> float | None:
        """The seconds until the answer is of no use; None: there is no deadline."""
        return None if self._deadline is None else max(0.0, self._deadline - time.monotonic())

    def flush(self) -> None:
        """Sends the answers of earlier calls, which otherwise wait for up to a millisecond: before work that takes many."""
        self._host.flush()

    # MARK: The host

    def find_device(self, subject_key: bytes) -> Device | None:
        """A device that the plugin registered. A blocked device is none."""
        request = host_messages.FindDeviceRequest(call_token=self._token, subject_key=subject_key)
        answer = self._ask(b"FindDevice", request, host_messages.FindDeviceResponse)
        return device_of(answer.device) if answer.HasField("device") else None

    def find_used(self, tokens: Sequence[bytes]) -> list[bool]:
        """Which of at most 4 tokens were used. Another request may use one in between: the daemon checks again when it accepts."""
        request = host_messages.FindUsedRequest(call_token=self._token, tokens=tokens)
        used = list(self._ask(b"FindUsed", request, host_messages.FindUsedResponse).used)
        if len(used) != len(tokens):
            self._fail(Unavailable("host_undecodable", f"the host answered for {len(used)} tokens of {len(tokens)}"))
        return used

    def get_anchors(self) -> list[bytes]:
        """The certificates (DER) of the catalog's entry."""
        request = host_messages.GetAnchorsRequest(call_token=self._token)
        return list(self._ask(b"GetAnchors", request, host_messages.GetAnchorsResponse).certificates)

    def find_fleet_device(self, secret: bytes) -> FleetDevice | None:
        """The device of the app's fleet with a secret of 32 bytes."""
        request = host_messages.FindFleetDeviceRequest(call_token=self._token, secret=secret)
        answer = self._ask(b"FindFleetDevice", request, host_messages.FindFleetDeviceResponse)
        return fleet_device_of(answer.device) if answer.HasField("device") else None

    def derive_key(self, table: int, index: int) -> bytes | None:
        """Key `index` (0 to 999) of `table` (0 to 2499). None: the fleet has no such table."""
        request = host_messages.DeriveKeyRequest(call_token=self._token, table=table, index=index)
        reply = self._reply(b"DeriveKey", request)
        if reply.code == NOT_FOUND:
            return None
        key: bytes = self._decoded(b"DeriveKey", reply, host_messages.DeriveKeyResponse).key
        if len(key) != KEY_SIZE:
            self._fail(Unavailable("host_undecodable", f"the host answered with a key of {len(key)} bytes, expected {KEY_SIZE}"))
        return key

    def flag_device(self, app: str, device_id: bytes, flag: str, detail: str, until_ms: int) -> bool:
        """Marks a device of an app until a time; the app's policy decides what follows. False: the app has no such device.

        It is answered in observe() alone. `flag` is [a-z0-9_]{1,32}. `detail` is a sentence for the operator, of at most 256 bytes, without
        personal data. `until_ms` is at most 400 days ahead; a time that is past clears the plugin's own flag.
        """
        request = host_messages.FlagDeviceRequest(
            call_token=self._token, app=app.encode("ascii", "surrogateescape"), device_id=device_id, flag=sentences.name(flag),
            detail=sentences.sentence(detail), until_unix_ms=until_ms)
        return bool(self._ask(b"FlagDevice", request, host_messages.FlagDeviceResponse).found)

    def log(self, level: Level, line: str, **fields: str) -> None:
        """Writes a line to the daemon's log, with at most 16 fields. No secrets, no evidence."""
        request = host_messages.LogRequest(level=int(level), message=sentences.sentence(line))
        for name, value in list(fields.items())[:FIELD_LIMIT]:
            request.fields.add(name=sentences.sentence(name), value=sentences.sentence(value))
        self._tell(b"Log", request)

    def count(self, name: str, increment: int = 1) -> None:
        """Adds to assay_plugin_value{name=} of the daemon's metrics. The name is [a-z0-9_]{1,64}; 32 names at most."""
        self._tell(b"Measure", host_messages.MeasureRequest(name=sentences.name(name), increment=increment))

    def gauge(self, name: str, value: float) -> None:
        """Sets assay_plugin_value{name=} of the daemon's metrics."""
        self._tell(b"Measure", host_messages.MeasureRequest(name=sentences.name(name), gauge=value))

    # MARK: How it is asked

    def _fail(self, fault: Fault) -> NoReturn:
        self.fault = self.fault or fault
        raise fault

    def _timeout_ms(self) -> int:
        left = self.time_left()
        return 0 if left is None else min(max(1, int(left * 1000)), 0xFFFFFFFF)

    def _tell(self, method: bytes, request: Any) -> None:
        self._host.tell(method, request.SerializeToString(), self._timeout_ms(), self._deadline)

    def _reply(self, method: bytes, request: Any) -> Frame:
        try:
            return self._host.ask(method, request.SerializeToString(), self._timeout_ms(), self._deadline)
        except Fault as fault:
            self._fail(fault)

    def _ask(self, method: bytes, request: Any, response: Any) -> Any:
        return self._decoded(method, self._reply(method, request), response)

    def _decoded(self, method: bytes, reply: Frame, response: Any) -> Any:
        if reply.code != 0:
            found = f"{reply.code}, {sentences.shown(reply.reason[:256])}: {sentences.shown(reply.sentence[:256])}"
            self._fail(Unavailable("host_refused", f"the host answered {method.decode()} with status {found}"))
        try:
            return decode(response, reply.message)
        except DecodingError:
            self._fail(Unavailable("host_undecodable", f"the host's answer to {method.decode()} cannot be decoded"))

    def _author_fault(self, reason: str, sentence: str) -> NoReturn:
        """What the daemon would refuse is told to the author at the first try."""
        self._fail(Fault(INTERNAL, reason, sentence))
