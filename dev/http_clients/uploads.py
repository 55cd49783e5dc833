"""Uploads through a proxy that asks the daemon first (docs/start/at-the-proxy.md): the client, and the service behind the proxy."""

from __future__ import annotations

import base64
import hashlib
import http.server
import json
import pathlib
import queue
import re
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass

import with_curl
from checks import equal, expect
from daemon import APP, PHOTO, RATED_APP, Daemon, free_ports

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs/start"
PAGES = [DOCS / "at-the-proxy.md", DOCS / "proxies.md"]


@dataclass(frozen=True)
class Upload:
    """What reached the service. Names of headers are in lower case."""

    headers: dict[str, str]
    body: bytes


class UploadService:
    """A service that takes every upload, and keeps it."""

    def __init__(self) -> None:
        taken: queue.Queue[Upload] = queue.Queue()

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length", "0")))
                taken.put(Upload({name.lower(): value for name, value in self.headers.items()}, body))
                self.send_response(200)
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self.taken = taken
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    def __enter__(self) -> UploadService:
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()

    @property
    def port(self) -> int:
        return self.server.server_address[1]

    def take(self) -> Upload:
        return self.taken.get(timeout=10)

    def is_idle(self) -> bool:
        return self.taken.empty()


# A change of the page's configuration.
Change = Callable[[str], str]
# A proxy by the page's configuration, changed. It yields its URL.
Proxy = Callable[[Daemon, UploadService, Change], AbstractContextManager[str]]


def unchanged(text: str) -> str:
    return text


def replaced(*pairs: tuple[str, str]) -> Change:
    """Changes words of the page, each of which is there."""

    def change(text: str) -> str:
        for old, new in pairs:
            expect(old in text, f"docs/start/proxies.md has no {old!r} there")
            text = text.replace(old, new)
        return text

    return change


def section(name: str) -> str:
    """What stands below a heading of the pages."""
    return "".join(page.read_text().partition(f"\n## {name}\n")[2].partition("\n## ")[0] for page in PAGES)


def configuration(proxy: str, daemon: Daemon, service: UploadService, change: Change = unchanged) -> str:
    """The configuration in the page's section of a proxy, with the ports of the daemon and of the service."""
    block = re.search(r"(?ms)^```\w*\n(.*?)^```$", section(proxy))
    expect(block, f"docs/start/proxies.md has no configuration of {proxy}")
    text = change(block[1])
    port = daemon.plain.rsplit(":", 1)[1]
    for old, new in (
        ("127.0.0.1:8080", daemon.plain), ("127.0.0.1:9000", f"127.0.0.1:{service.port}"),
        ("port_value: 8080", f"port_value: {port}"), ("port_value: 9000", f"port_value: {service.port}"),
    ):
        text = text.replace(old, new)
    return text


def signed(daemon: Daemon, payload: bool = True) -> dict[str, str]:
    """The headers of an upload that the phone signed: over the photo, or without a payload."""
    challenge = with_curl.curl(daemon, with_curl.ISSUE_CHALLENGE, "--json", with_curl.REQUEST).json["challenge"]
    photo = daemon.folder / "photo.jpg"
    photo.write_bytes(PHOTO)
    key_id, assertion = daemon.sign("assert", "phone", challenge, photo if payload else None)
    evidence = {"appAttestAssertion": {
        "keyId": base64.b64encode(key_id).decode(), "assertion": base64.b64encode(assertion).decode()}}
    return {"assay-evidence": json.dumps(evidence), "assay-challenge": challenge}


def declared(daemon: Daemon) -> dict[str, str]:
    """The same for a proxy that does not pass the body on."""
    return signed(daemon) | {"assay-content-sha256": hashlib.sha256(PHOTO).hexdigest()}


def send(daemon: Daemon, server: str, headers: dict[str, str], body: bytes = PHOTO) -> with_curl.Answer:
    options = [word for name, value in headers.items() for word in ("--header", f"{name}: {value}")]
    return with_curl.curl(
        daemon, "/upload", "--header", "content-type: image/jpeg", *options, "--data-binary", "@-", server=server, given=body)


# MARK: What is the same behind each proxy

# What the service reads, and what the proxy states, as a client would like to have them.
FORGED = {
    "assay-app": "another", "assay-purpose": "register", "assay-device-id": "dev_forged", "assay-assurance": "forged",
    "assay-request-id": "forged", "assay-payload-declared": "false", "assay-payload-sha256": "forged", "assay-repeated": "forged",
    "assay-simulated": "forged", "assay-subject": "forged", "assay-context": "forged", "assay-would-reject": "forged",
}


# What a proxy may write into a header of a name for which the daemon's answer has no value; empty: it leaves the header out.
Unset = Callable[[str], str]


def passes_by_subrequest(
    daemon: Daemon, server: str, service: UploadService, headers: dict[str, str], unset: Unset = lambda name: ""
) -> None:
    """An upload of the photo reaches the service, and what the daemon says of it, and nothing of what a client says for it."""
    equal(send(daemon, server, headers).status, 200)
    got = service.take()
    equal(got.body, PHOTO)
    facts = {name: None if (value := got.headers.get(name)) == unset(name) else value for name in FORGED}
    for name, pattern in (("assay-device-id", "dev_[0-9a-f]{32}"), ("assay-request-id", "[0-9a-f]{32}")):
        expect(re.fullmatch(pattern, facts.pop(name) or ""), got.headers)
    equal(facts, {
        "assay-app": APP, "assay-purpose": "assert", "assay-assurance": "secure_element", "assay-payload-declared": "true",
        "assay-payload-sha256": hashlib.sha256(PHOTO).hexdigest(), "assay-repeated": "false", "assay-simulated": "true",
        "assay-subject": None, "assay-context": None, "assay-would-reject": None,
    })
    expect("assay-evidence" not in got.headers and "assay-challenge" not in got.headers, got.headers)


def says_nothing_for_the_daemon(
    daemon: Daemon, server: str, service: UploadService, unset: Unset = lambda name: ""
) -> None:
    """A client cannot say what the daemon leaves out, nor take from the service what it says."""
    equal(send(daemon, server, signed(daemon, payload=False) | FORGED).status, 200)
    got = service.take()
    payload = got.headers.get("assay-payload-sha256", "")
    expect("assay-device-id" in got.headers and payload in ("", unset("assay-payload-sha256")), got.headers)
    for named in ("assay-simulated, assay-repeated", "close, Assay-Payload-Declared", ", ".join(FORGED)):
        passes_by_subrequest(daemon, server, service, declared(daemon) | {"connection": named}, unset)
    refused = send(daemon, server, {"assay-app": APP} | FORGED)
    equal(refused.status, 403, refused.body)


def has_the_results_of_the_page(daemon: Daemon, column: str, proxy: Proxy, with_credential: Change) -> None:
    """The page's table of refusals, line by line.

    - Parameter with_credential: lets the proxy send `Authorization: Bearer unknown`, or pass on the client's.
    """
    free = free_ports(1)[0]

    def nowhere(text: str) -> str:
        return text.replace("127.0.0.1:8080", f"127.0.0.1:{free}").replace("port_value: 8080", f"port_value: {free}")

    evidence = declared(daemon)
    # Of each configuration, the words of a line's first cell, and the uploads whose last one has its result.
    configurations: list[tuple[Change, dict[str, list[dict[str, str]]]]] = [
        (unchanged, {
            "rejected": [evidence, evidence],
            "header is missing": [{}],
            "longer": [{"assay-evidence": "x" * 10_000, "assay-challenge": "x" * 10_000}],
        }),
        (replaced((APP, RATED_APP)), {"overloaded": [evidence, evidence]}),
        (with_credential, {"may not call": [evidence | {"authorization": "Bearer unknown"}]}),
        (nowhere, {"no daemon": [evidence]}),
    ]
    with UploadService() as service:
        for change, lines in configurations:
            with proxy(daemon, service, change) as server:
                for words, given in lines.items():
                    answer = [send(daemon, server, headers) for headers in given][-1]
                    have = f"{answer.status}" + (", `retry-after`" if answer.fields("retry-after") else "")
                    equal(have, result_of_the_page(words, column), f"{column}, {words}")
        equal(service.taken.qsize(), 1, "uploads that reached the service")


def result_of_the_page(words: str, column: str) -> str:
    """A cell of the table, whose line is told by some words of its first cell."""
    table = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in section("What the client gets").splitlines() if line.startswith("| ")]
    lines = [line for line in table if words in line[0]]
    equal(len(lines), 1, f"lines with {words!r} in the table of docs/start/at-the-proxy.md")
    return lines[0][table[0].index(column)]
