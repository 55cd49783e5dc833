"""What the host of a plugin knows: devices, used tokens, a fleet, anchors. A test describes it in JSON (README.md)."""
import base64
import hashlib
import hmac
import re

from messages import host_messages, messages


def b64(text):
    return base64.b64decode(text, validate=True)


def fleet_key(master, index):
    """A key of a fleet's table: HKDF-SHA-256 without salt, info u32 big-endian index and "Birthmark", 32 bytes."""
    extracted = hmac.digest(bytes(32), master, hashlib.sha256)
    return hmac.digest(extracted, index.to_bytes(4, "big") + b"Birthmark" + b"\x01", hashlib.sha256)


class HostStatus(Exception):
    """A status other than OK, as the host answers it."""

    def __init__(self, code, reason, message):
        super().__init__(message)
        self.code, self.reason, self.message = code, reason, message


NOT_FOUND, PERMISSION_DENIED, FAILED_PRECONDITION, UNIMPLEMENTED, INVALID_ARGUMENT = 5, 7, 9, 12, 3


class World:
    def __init__(self, described=None):
        described = described or {}
        self.devices = {b64(device["subject_key_b64"]): device for device in described.get("devices", [])}
        self.used = {b64(token) for token in described.get("used_tokens_b64", [])}
        self.anchors = [b64(certificate) for certificate in described.get("anchors_b64", [])]
        self.fleet = described.get("fleet")
        self.told_block = False  # whether a blocked device of the fleet was answered since the judgement began
        self.flags = []          # as FlagDevice was asked
        self.log = []
        self.metrics = {}

    def is_blocked(self, subject_key):
        return self.devices.get(subject_key, {}).get("blocked", False)

    def device(self, subject_key):
        found = self.devices.get(subject_key)
        if found is None:
            return None
        return messages.Device(
            id=b64(found["id_b64"]), subject_key=subject_key, public_key=b64(found.get("public_key_b64", "")),
            counter=found.get("counter", 0), registered_at_unix_ms=found.get("registered_at_unix_ms", 0))

    # The methods of assay.plugin.v1.Host, by name: the request's type, the service that has to be declared, the answer.

    def answer(self, method, payload, declared, in_flight):
        if method not in self.METHODS:
            raise HostStatus(UNIMPLEMENTED, "unknown_method", f"there is no method {method}")
        kind, service, function = self.METHODS[method]
        request = kind.FromString(payload)
        if service is not None and service not in declared:
            raise HostStatus(PERMISSION_DENIED, "not_declared", f"{method} was not declared")
        if service is not None and request.call_token not in in_flight:
            raise HostStatus(PERMISSION_DENIED, "not_in_flight", "call_token is not of a call in flight")
        return function(self, request)

    def write_log(self, request):
        self.log.append((request.level, request.message))
        return host_messages.LogResponse()

    def measure(self, request):
        if request.WhichOneof("value") == "gauge":
            self.metrics[request.name] = request.gauge
        else:
            self.metrics[request.name] = self.metrics.get(request.name, 0) + request.increment
        return host_messages.MeasureResponse()

    def find_device(self, request):
        return host_messages.FindDeviceResponse(device=self.device(request.subject_key))

    def find_used(self, request):
        return host_messages.FindUsedResponse(used=[token in self.used for token in request.tokens])

    def get_anchors(self, request):
        return host_messages.GetAnchorsResponse(certificates=self.anchors)

    def require_fleet(self):
        if self.fleet is None:
            raise HostStatus(FAILED_PRECONDITION, "fleet_not_configured", "the app has no fleet")
        return self.fleet

    def find_fleet_device(self, request):
        for device in self.require_fleet()["devices"]:
            if bytes.fromhex(device["secret_hex"]) == request.secret:
                self.told_block |= device.get("blocked", False)
                return host_messages.FindFleetDeviceResponse(device=host_messages.FleetDevice(
                    id=b64(device["id_b64"]), serial=device["serial"].encode(), family=device.get("family", "").encode(),
                    tables=device["tables"], public_key=b64(device["public_key_b64"]), blocked=device.get("blocked", False)))
        return host_messages.FindFleetDeviceResponse()

    def derive_key(self, request):
        if request.table > 2499 or request.index > 999:
            raise HostStatus(INVALID_ARGUMENT, "out_of_range", "tables are 0 to 2499, indices 0 to 999")
        master = self.require_fleet()["masters"].get(str(request.table))
        if master is None:
            raise HostStatus(NOT_FOUND, "unknown_table", f"the fleet has no master for table {request.table}")
        return host_messages.DeriveKeyResponse(key=fleet_key(bytes.fromhex(master), request.index))

    def flag_device(self, request):
        if not re.fullmatch(rb"[a-z0-9_]{1,32}", request.flag) or len(request.device_id) != 16 or len(request.detail.encode()) > 256:
            raise HostStatus(INVALID_ARGUMENT, "malformed_flag", "a flag is [a-z0-9_]{1,32}, of a device id of 16 bytes, with up to 256 bytes of detail")
        self.flags.append((request.app, request.device_id, request.flag.decode(), request.detail, request.until_unix_ms))
        return host_messages.FlagDeviceResponse(found=True)

    METHODS = {
        "Log": (host_messages.LogRequest, None, write_log),
        "Measure": (host_messages.MeasureRequest, None, measure),
        "FindDevice": (host_messages.FindDeviceRequest, messages.HOST_SERVICE_FIND_DEVICE, find_device),
        "FindUsed": (host_messages.FindUsedRequest, messages.HOST_SERVICE_FIND_USED, find_used),
        "GetAnchors": (host_messages.GetAnchorsRequest, messages.HOST_SERVICE_GET_ANCHORS, get_anchors),
        "FindFleetDevice": (host_messages.FindFleetDeviceRequest, messages.HOST_SERVICE_FIND_FLEET_DEVICE, find_fleet_device),
        "DeriveKey": (host_messages.DeriveKeyRequest, messages.HOST_SERVICE_DERIVE_KEY, derive_key),
        "FlagDevice": (host_messages.FlagDeviceRequest, messages.HOST_SERVICE_FLAG_DEVICE, flag_device),
    }
