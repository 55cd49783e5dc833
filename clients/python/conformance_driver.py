#!/usr/bin/env python3
"""The driver of the conformance suite for Python (clients/conformance/README.md). With the argument `async` it drives `AsyncClient`."""

from __future__ import annotations

import asyncio
import base64
import inspect
import json
import re
import sys
import time
from pathlib import Path
from typing import Any, Callable, Dict, List

sys.path.insert(0, str(Path(__file__).resolve().parent))

import assay  # noqa: E402

# Options of the contract → of the client, with what turns one into the other.
OPTIONS: Dict[str, Any] = {
    "url": ("url", str),
    "apiKey": ("api_key", str),
    "caFile": ("ca_file", str),
    "certificateFile": ("certificate_file", str),
    "keyFile": ("key_file", str),
    "timeoutMs": ("timeout", lambda ms: ms / 1000),
    "connectTimeoutMs": ("connect_timeout", lambda ms: ms / 1000),
    "tries": ("tries", int),
    "idempotencyKeys": ("idempotency_keys", bool),
    "maxAnswerBytes": ("max_answer_bytes", int),
    "documentation": ("documentation", str),
}
BYTES = {
    "challenge", "context", "subject", "expectedDeviceId", "payloadSha256", "csr", "publicKey", "deviceId", "keyId", "pageToken",
}  # fmt: skip


def from_base64(text: str) -> bytes:
    return base64.b64decode(text, validate=True)


def to_base64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def snake(name: str) -> str:
    return re.sub("[A-Z]", lambda match: "_" + match[0].lower(), name)


def evidence_of(message: Dict[str, Any]) -> assay.Evidence:
    ((kind, members),) = message.items()
    if kind == "androidKeyAttestation":
        return assay.Evidence.android_key_attestation([from_base64(each) for each in members["certificates"]])
    if kind == "playIntegrityToken":
        return assay.Evidence.play_integrity_token(members["token"])
    if kind == "pluginEvidence":
        return assay.Evidence.plugin(members["format"], from_base64(members["body"]))
    arguments: Dict[str, Any] = {}
    for name, value in members.items():
        if name == "capturedAtUnixMs":
            arguments[snake(name)] = int(value)
        elif name == "algorithm":
            arguments[name] = value
        else:
            arguments[snake(name)] = from_base64(value)
    return getattr(assay.Evidence, snake(kind))(**arguments)


def binding_of(message: Dict[str, Any]) -> assay.Binding:
    ((kind, members),) = message.items()
    if kind == "clientData":
        if "uploadId" in members:
            return assay.Binding.upload(from_base64(members["uploadId"]))
        return assay.Binding.payload_sha256(from_base64(members.get("payloadSha256", "")))
    if kind == "embedded":
        return assay.Binding.embedded(from_base64(members["clientData"]))
    if kind == "callerOwned":
        return assay.Binding.caller_owned(from_base64(members["clientDataHash"]))
    return assay.Binding.in_evidence()


def target_of(message: Dict[str, Any]) -> assay.BlockTarget:
    ((kind, value),) = message.items()
    make = {"deviceId": assay.BlockTarget.device, "subject": assay.BlockTarget.subject, "keyId": assay.BlockTarget.key}
    return make[kind](from_base64(value))


def result_of(message: Dict[str, Any]) -> assay.ResultRequest:
    return assay.ResultRequest(message["shape"], message["audience"], from_base64(message.get("nonce", "")))


def arguments_of(request: Dict[str, Any]) -> Dict[str, Any]:
    arguments: Dict[str, Any] = {}
    for name, value in request.items():
        if name == "evidence":
            value = [evidence_of(each) for each in value]
        elif name == "binding":
            value = binding_of(value)
        elif name == "target":
            value = target_of(value)
        elif name == "results":
            value = [result_of(each) for each in value]
        elif name in BYTES:
            value = from_base64(value)
        arguments[snake(name)] = value
    return arguments


def verdict(answer: assay.Verdict) -> Dict[str, Any]:
    def claim(value: Any) -> Any:
        if isinstance(value, bytes):
            return to_base64(value)
        return str(value) if isinstance(value, int) and not isinstance(value, bool) else value

    return {
        "accepted": answer.accepted,
        "decision": answer.decision,
        "assurance": answer.assurance,
        "reason": answer.reason,
        "detail": answer.detail,
        "check": answer.check,
        "retry": answer.retry,
        "findings": [{"check": each.check, "outcome": each.outcome, "code": each.code} for each in answer.findings],
        "claims": {name: claim(value) for name, value in answer.claims.items()},
        "deviceId": to_base64(answer.device_id),
        "requestId": to_base64(answer.request_id),
        "simulated": answer.simulated,
        "repeated": answer.repeated,
        "decidedAtUnixMs": str(answer.decided_at_unix_ms),
        "wouldReject": answer.would_reject.reason if answer.would_reject else "",
    }


def device(answer: assay.Device) -> Dict[str, Any]:
    return {
        "deviceId": to_base64(answer.device_id),
        "app": answer.app,
        "format": answer.format,
        "keyId": to_base64(answer.key_id),
        "state": answer.state,
        "counter": answer.counter,
        "registeredAtUnixMs": str(answer.registered_at_unix_ms),
        "simulated": answer.simulated,
        "blockReason": answer.block_reason,
    }


def provisioned(answer: assay.ProvisionedDevice) -> Dict[str, Any]:
    return {
        "provisioned": answer.provisioned,
        "deviceCertificate": to_base64(answer.device_certificate),
        "certificateChain": [to_base64(each) for each in answer.certificate_chain],
        "keyTables": [len(each) for each in answer.key_tables],
        "keyTableIndices": answer.key_table_indices,
        "deviceSecret": to_base64(answer.device_secret),
        "devicePrivateKey": to_base64(answer.device_private_key),
        "deviceId": to_base64(answer.device_id),
        "repeated": answer.repeated,
        "reason": answer.reason,
        "retry": answer.retry,
    }


def signed(answer: assay.SignedResult) -> Dict[str, Any]:
    return {
        "shape": answer.shape,
        "audience": answer.audience,
        "text": answer.text,
        "binary": to_base64(answer.binary),
        "problem": answer.problem,
        "expiresAtUnixMs": str(answer.expires_at_unix_ms),
    }


def found(answer: assay.FoundVerdicts) -> Dict[str, Any]:
    return {
        "found": answer.found,
        "verdicts": [
            {
                "requestId": to_base64(each.request_id),
                "decision": each.decision,
                "decidedAtUnixMs": str(each.decided_at_unix_ms),
                "match": each.match,
                "deviceState": each.device_state,
                "simulated": each.simulated,
            }
            for each in answer.verdicts
        ],
        "truncated": answer.truncated,
        "noteCode": answer.note_code,
        "results": [signed(each) for each in answer.results],
    }


OUTCOMES: Dict[str, Callable[[Any], Any]] = {
    "issueChallenge": lambda answer: {
        "challenge": to_base64(answer.challenge),
        "expiresAtUnixMs": str(answer.expires_at_unix_ms),
    },
    "verify": verdict,
    "issueCertificate": lambda answer: {
        "verdict": verdict(answer.verdict),
        "certificate": to_base64(answer.certificate),
        "chain": [to_base64(each) for each in answer.chain],
    },
    "provisionDevice": provisioned,
    "getDevice": device,
    "listDevices": lambda answer: {
        "devices": [device(each) for each in answer.devices],
        "nextPageToken": to_base64(answer.next_page_token),
    },
    "block": lambda answer: {
        "devices": answer.devices,
        "wasBlocked": answer.was_blocked,
        "revokedCertificates": answer.revoked_certificates,
    },
    "unblock": lambda answer: {
        "devices": answer.devices,
        "wasBlocked": answer.was_blocked,
        "stillBlocked": answer.still_blocked,
    },
    "findVerdicts": found,
    "getResultKeys": lambda answer: {"issuer": answer.issuer, "jwks": answer.jwks},
    "whoAmI": lambda answer: {
        "name": answer.name,
        "recognisedBy": answer.recognised_by,
        "roles": answer.roles,
        "allApps": answer.all_apps,
        "apps": answer.apps,
    },
    "call": lambda answer: answer,
}


def error(failure: assay.AssayError) -> Dict[str, Any]:
    return {
        "code": failure.code,
        "reason": failure.reason,
        "message": failure.message,
        "retry": failure.retry,
        "retryAfterMs": None if failure.retry_after is None else round(failure.retry_after * 1000),
        "link": failure.link,
        "httpStatus": failure.http_status,
        "attempts": failure.attempts,
    }


class Driver:
    """Makes the call of each line."""

    def __init__(self, make: Callable[..., Any]) -> None:
        self._make = make
        self._clients: Dict[str, Any] = {}
        self._waits: List[float] = []
        self._ahead = 0.0

    def _client(self, options: Dict[str, Any]) -> Any:
        def sleep(seconds: float) -> Any:
            self._waits.append(seconds)
            if not options.get("fakeTime"):
                return usual_sleep(seconds)
            self._ahead += seconds
            return nothing() if self._make is assay.AsyncClient else None

        async def nothing() -> None:
            pass

        usual_sleep = asyncio.sleep if self._make is assay.AsyncClient else time.sleep
        timing = assay.Timing(lambda: time.monotonic() + self._ahead, sleep, lambda: options.get("chance", 0.5))
        given = {OPTIONS[name][0]: OPTIONS[name][1](value) for name, value in options.items() if name in OPTIONS}
        return self._make(timing=timing, **given)

    async def answer(self, line: Dict[str, Any]) -> Dict[str, Any]:
        self._waits, self._ahead = [], 0.0
        options, name, client = line.get("options", {}), line["method"], None
        try:
            kept = options.get("client")
            client = self._clients.get(kept) or self._client(options)
            if kept:
                self._clients[kept] = client
            arguments = dict(line["request"]) if name == "call" else arguments_of(line["request"])
            for option, argument in (("idempotencyKey", "idempotency_key"), ("idempotent", "idempotent")):
                if option in options:
                    arguments[argument] = options[option]
            if "callTimeoutMs" in options:
                arguments["timeout"] = options["callTimeoutMs"] / 1000
            value = await settled(getattr(client, snake(name))(**arguments))
            said: Dict[str, Any] = {"outcome": OUTCOMES[name](value)}
        except assay.AssayError as failure:
            said = {"error": error(failure)}
        finally:
            if client is not None and not options.get("client"):
                await settled(client.close())
        return {**said, "waits": self._waits}


async def settled(value: Any) -> Any:
    return await value if inspect.isawaitable(value) else value


async def main() -> None:
    driver = Driver(assay.AsyncClient if sys.argv[1:] == ["async"] else assay.Client)
    loop = asyncio.get_running_loop()
    while True:
        # Not in the loop's thread: connections that are kept open are looked after meanwhile.
        text = await loop.run_in_executor(None, sys.stdin.readline)
        if not text:
            break
        line: Dict[str, Any] = {}
        try:
            line = json.loads(text)
            answer = await driver.answer(line)
        except Exception as problem:  # The suite shows it, and the case fails.
            answer = {"broken": f"{type(problem).__name__}: {problem}"}
        print(json.dumps({"id": line.get("id"), **answer}), flush=True)


if __name__ == "__main__":
    asyncio.run(main())
