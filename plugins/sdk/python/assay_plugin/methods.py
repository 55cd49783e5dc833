"""The methods of assay.plugin.v1.Plugin: from a request to a response by the author's handlers."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from . import sentences
from .appraisal import Appraisal
from .call import Call
from .declaration import PROTOCOL_VERSION, Format, Freshness, Plugin, Purpose, description_of
from .evidence import Events, Evidence, device_of
from .faults import FAILED_PRECONDITION, INVALID_ARGUMENT, UNIMPLEMENTED, CheckFailed, Fault, Refusal
from .generated import plugin_pb2 as messages
from .host_calls import HostCalls
from .settings import Problems, Settings
from .strict_json import parse_json

PREFIX = b"/assay.plugin.v1.Plugin/"


class Service:
    """A plugin and its configuration."""

    def __init__(self, plugin: Plugin[Any], host: HostCalls) -> None:
        self.plugin, self.host = plugin, host
        self.configured = False
        self.configuration: Any = None
        self._description = description_of(plugin)

    def call(self, token: bytes, deadline: float | None) -> Call[Any]:
        return Call(self.configuration, self.host, token, deadline)

    # MARK: Start

    def describe(self, request: Any, deadline: float | None) -> Any:
        return self._description

    def validate(self, request: Any, deadline: float | None) -> Any:
        problems = Problems()
        self._read(request.configuration, problems)
        return messages.ValidateResponse(problems=problems_of(problems))

    def configure(self, request: Any, deadline: float | None) -> Any:
        if self.configured:
            raise Fault(FAILED_PRECONDITION, "already_configured", "a process is configured once: a changed configuration comes to a new one")
        problems = Problems()
        if request.protocol_version != PROTOCOL_VERSION:
            problems.report("", f"the plugin speaks version {PROTOCOL_VERSION} of the protocol, the daemon chose {request.protocol_version}")
        configuration = self._read(request.configuration, problems)
        if not problems.found:
            self.configuration, self.configured = configuration, True
        return messages.ConfigureResponse(problems=problems_of(problems))

    def _read(self, document: bytes, problems: Problems) -> Any:
        try:
            members = parse_json(document)
        except ValueError as error:
            return problems.report("", f"the configuration is no JSON: {error}")
        if not isinstance(members, dict):
            return problems.report("", "the configuration is no object")
        settings = Settings(members, problems)
        settings.require_only([key.name for key in self.plugin.configuration_keys])
        try:
            return self.plugin.read_configuration(settings) if self.plugin.read_configuration else None
        except Exception:
            # A reader may stumble over what it was given in place of a value that it has reported.
            if not problems.found:
                raise
            return None

    # MARK: Appraisal

    def _format(self, request: Any) -> Format[Any]:
        """The daemon asks only for what was declared; a request for anything else is answered all the same."""
        declared = self.plugin.formats_by_name.get(request.format)
        if declared is None:
            raise Fault(INVALID_ARGUMENT, "unknown_format", "the plugin does not appraise this format")
        if len(request.body) > declared.size_limit:
            limit = f"a body of {declared.name} has at most {declared.size_limit} bytes, this has {len(request.body)}"
            raise Fault(INVALID_ARGUMENT, "body_too_large", limit)
        return declared

    def locate(self, request: Any, deadline: float | None) -> Any:
        declared = self._format(request)
        if declared.locate is None:
            raise missing(f"the format {declared.name} has no Locate")
        evidence = Evidence(declared.name, sentences.identifier(request.app), request.body)
        try:
            subject_key = judged(self.call(b"", deadline), declared.locate, evidence)
        except Refusal as refusal:
            return messages.LocateResponse(refusal=refusal_of(refusal))
        return messages.LocateResponse(subject_key=subject_key)

    def appraise(self, request: Any, deadline: float | None) -> Any:
        declared = self._format(request)
        if request.purpose not in declared.purposes:
            raise Fault(INVALID_ARGUMENT, "unknown_purpose", f"the format {declared.name} is not for purpose {request.purpose}")
        if declared.freshness == Freshness.PAYLOAD and len(request.expected.payload_sha256) != 32:
            raise Fault(INVALID_ARGUMENT, "no_payload", f"the format {declared.name} needs the SHA-256 of a payload")
        appraisal: Appraisal[Any] = Appraisal(declared, self.configuration, self.host, request.call_token, deadline)
        try:
            judged(appraisal, declared.appraise, evidence_of(request, declared.name))
        except CheckFailed:
            pass
        except Refusal as refusal:
            appraisal.check("form", False, refusal.code, refusal.detail)
        return appraisal.response()

    def prepare(self, request: Any, deadline: float | None) -> Any:
        declared = self._format(request)
        if declared.prepare is None:
            raise missing(f"the format {declared.name} has no Prepare")
        evidence = Evidence(declared.name, sentences.identifier(request.app), request.body, request.now_unix_ms)
        try:
            prepared = judged(self.call(request.call_token, deadline), declared.prepare, evidence)
        except Refusal as refusal:
            return messages.PrepareResponse(refusal=refusal_of(refusal))
        return messages.PrepareResponse(body=prepared.body, expiry_unix_ms=prepared.expiry_ms)

    # MARK: Observation and health

    def observe(self, request: Any, deadline: float | None) -> Any:
        if self.plugin.observe is None:
            raise missing("the plugin does not observe")
        judged(self.call(request.call_token, deadline), self.plugin.observe, Events(request))
        return messages.ObserveResponse()

    def health(self, request: Any, deadline: float | None) -> Any:
        if self.plugin.check_health is None or not self.configured:
            return messages.HealthResponse()
        try:
            problem = self.plugin.check_health(self.call(b"", deadline))
        except Fault as fault:
            problem = fault.sentence
        return messages.HealthResponse(problem=sentences.sentence(problem or ""))


def judged(call: Call[Any], handler: Callable[[Any, Any], Any], argument: Any) -> Any:
    """What the handler returns. A fault that it caught is raised again: what it made of it does not count."""
    try:
        return handler(call, argument)
    finally:
        if call.fault is not None:
            raise call.fault


def evidence_of(request: Any, name: str) -> Evidence:
    expected = request.expected
    return Evidence(
        name, sentences.identifier(request.app), request.body, request.now_unix_ms, Purpose(request.purpose), expected.client_data,
        expected.payload_sha256, device_of(request.device) if request.HasField("device") else None, request.request_id,
        expected.signals)


def missing(sentence: str) -> Fault:
    return Fault(UNIMPLEMENTED, "unknown_method", sentence)


def refusal_of(refusal: Refusal) -> Any:
    return messages.Refusal(code=sentences.name(refusal.code), detail=sentences.sentence(refusal.detail))


def problems_of(problems: Problems) -> list[Any]:
    return [messages.Problem(path=sentences.sentence(path), sentence=sentences.sentence(text)) for path, text in problems.found]


@dataclass(frozen=True)
class Method:
    name: str
    request: Any
    serve: Callable[[Service, Any, float | None], Any]
    needs_configuration: bool = True
    # Served in the order of arrival, before what comes behind it.
    in_order: bool = False


METHODS = {PREFIX + method.name.encode(): method for method in (
    Method("Describe", messages.DescribeRequest, Service.describe, needs_configuration=False, in_order=True),
    Method("Validate", messages.ValidateRequest, Service.validate, needs_configuration=False, in_order=True),
    Method("Configure", messages.ConfigureRequest, Service.configure, needs_configuration=False, in_order=True),
    Method("Locate", messages.LocateRequest, Service.locate),
    Method("Appraise", messages.AppraiseRequest, Service.appraise),
    Method("Prepare", messages.PrepareRequest, Service.prepare),
    Method("Observe", messages.ObserveRequest, Service.observe),
    Method("Health", messages.HealthRequest, Service.health, needs_configuration=False),
)}
