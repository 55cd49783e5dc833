"""Uploads through a proxy that asks the daemon first (docs/protect-uploads.md): the client, and the service behind the proxy."""

from __future__ import annotations

import base64
import http.server
import json
import pathlib
import queue
import re
import threading
from dataclasses import dataclass

import with_curl
from daemon import PHOTO, Daemon

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/protect-uploads.md"


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


def configuration(language: str, daemon: Daemon, service: UploadService, having: str = "") -> str:
    """The page's configuration of a proxy, with the ports of the daemon and of the service."""
    blocks = re.findall(rf"(?ms)^```{language}\n(.*?)^```$", PAGE.read_text())
    block = next(text for text in blocks if having in text)
    port = daemon.plain.rsplit(":", 1)[1]
    for old, new in (
        ("127.0.0.1:8080", daemon.plain), ("127.0.0.1:9000", f"127.0.0.1:{service.port}"),
        ("port_value: 8080", f"port_value: {port}"), ("port_value: 9000", f"port_value: {service.port}"),
    ):
        block = block.replace(old, new)
    return block


def signed(daemon: Daemon) -> dict[str, str]:
    """The headers of an upload of the photo that the phone signed."""
    challenge = with_curl.curl(daemon, with_curl.ISSUE_CHALLENGE, "--json", with_curl.REQUEST).json["challenge"]
    photo = daemon.folder / "photo.jpg"
    photo.write_bytes(PHOTO)
    key_id, assertion = daemon.sign("assert", "phone", challenge, photo)
    evidence = {"appAttestAssertion": {
        "keyId": base64.b64encode(key_id).decode(), "assertion": base64.b64encode(assertion).decode()}}
    return {"assay-evidence": json.dumps(evidence), "assay-challenge": challenge}


def send(daemon: Daemon, server: str, headers: dict[str, str], body: bytes = PHOTO) -> with_curl.Answer:
    options = [word for name, value in headers.items() for word in ("--header", f"{name}: {value}")]
    return with_curl.curl(
        daemon, "/upload", "--header", "content-type: image/jpeg", *options, "--data-binary", "@-", server=server, given=body)
