"""TLS: whom clients trust."""

from __future__ import annotations

from typing import Any, Dict, List

from case import CHALLENGE, CHALLENGE_CALL, CHALLENGE_OUTCOME, Case, any_of, fails, outcome, sent, waits, within
from scripted import answer, close, hang, ok

from .retries import FAKE

UNTRUSTED: Dict[str, Any] = {"code": "unavailable", "reason": "tls_failed", "retry": "contact_operator", "attempts": 1, "httpStatus": 0, "link": "clients/README.md#errors"}


def _refused(name: str, place: str, **options: Any) -> Case:
    return Case(f"trust/{name}", [CHALLENGE_CALL], [fails(UNTRUSTED), waits(), sent(0)], [ok(CHALLENGE)], place=place, options={**FAKE, "apiKey": "assay_secret", **options})


def cases() -> List[Case]:
    """`tls:NAME` is a server with that certificate; `{ca}` the CA of them all, which is trusted unless a case says otherwise."""
    bearer = [lambda run: None if run.requests and run.requests[0].one("authorization") == "Bearer assay_secret" else "it has not the API key"]
    return [
        Case("trust/own-ca", [CHALLENGE_CALL], [outcome(CHALLENGE_OUTCOME), sent(1)], [ok(CHALLENGE)], place="tls:good"),
        Case("trust/address-in-the-certificate", [CHALLENGE_CALL], [outcome(CHALLENGE_OUTCOME)], [ok(CHALLENGE)], place="tls:good", options={"url": "https://127.0.0.1:{port}"}),
        Case("trust/api-key", [CHALLENGE_CALL], [outcome(CHALLENGE_OUTCOME), *bearer], [ok(CHALLENGE)], place="tls:good", options={"apiKey": "assay_secret"}),
        Case("trust/kept-connection", [CHALLENGE_CALL] * 2, [outcome(CHALLENGE_OUTCOME, 1), lambda run: None if run.server and run.server.connections == 1 else "more than one connection was made"], [ok(CHALLENGE)] * 2, place="tls:good", options={"client": "tls"}),
        Case("trust/redirect-gets-no-key", [CHALLENGE_CALL], [fails({"reason": "foreign_answer"}), sent(1)], [answer(307, b"", fields={"location": "/elsewhere"}, type=None), ok(CHALLENGE)], place="tls:good", options={"apiKey": "assay_secret"}),
        _refused("wrong-name", "tls:other-name"),
        _refused("wrong-address", "tls:name-alone", url="https://127.0.0.1:{port}"),
        _refused("name-in-the-common-name-alone", "tls:common-name"),
        _refused("expired", "tls:expired"),
        _refused("not-yet-valid", "tls:future"),
        _refused("self-signed", "tls:self-signed"),
        _refused("another-ca", "tls:good", caFile="{other_ca}"),
        _refused("systems-cas", "tls:good", caFile=None),
        _refused("certificate-for-clients", "tls:for-clients"),
        Case("trust/certificate-of-the-client", [CHALLENGE_CALL], [outcome(CHALLENGE_OUTCOME), sent(1)], [ok(CHALLENGE)], place="tls:mutual", options={"certificateFile": "{client_certificate}", "keyFile": "{client_key}"}),
        Case("trust/no-certificate-of-the-client", [CHALLENGE_CALL], [fails({"code": "unavailable", "reason": any_of("tls_failed", "connection_lost")}), sent(0)], [ok(CHALLENGE)], place="tls:mutual", options={"tries": 1}),
        Case("trust/clear-server", [CHALLENGE_CALL], [fails({"code": "unavailable", "reason": any_of("tls_failed", "connect_failed")})], [close(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n", before=True)], options={"url": "https://127.0.0.1:{port}", "tries": 1, "timeoutMs": 3000, "caFile": "{ca}"}),
        Case("trust/closed-in-the-handshake", [CHALLENGE_CALL], [fails({"code": "unavailable", "reason": "connect_failed", "attempts": 2}), waits(1)], [close(before=True), close(before=True)], place="tls:good", options={**FAKE, "tries": 2}),
        Case("trust/silent-in-the-handshake", [CHALLENGE_CALL], [fails({"code": "unavailable", "reason": "connect_failed"}), within(15)], [hang(before=True)], place="tls:good", options={"connectTimeoutMs": 300, "tries": 1, "timeoutMs": 20_000}),
        Case("trust/silent-until-the-time-out", [CHALLENGE_CALL], [fails({"code": "deadline_exceeded", "reason": "timeout"}), within(15)], [hang(before=True)], place="tls:good", options={"timeoutMs": 300}),
    ]
