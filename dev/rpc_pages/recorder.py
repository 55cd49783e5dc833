"""An HTTP server that takes down what is asked of it, and answers as the pages do."""

from __future__ import annotations

import base64
import json
import threading
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import ThreadingUnixStreamServer

from .values import Mismatch, record

LONGEST = 1 << 20


@dataclass(frozen=True)
class Taken:
    """A request that came."""

    method: str
    """The title of the method; empty for a path of none."""
    path: str
    body: bytes
    headers: dict
    """By names in lower case."""

    def problem(self, schemas, wanted, key):
        """Where this is not the request of a page, by one of its paths, with the same JSON and this key."""
        if self.method != wanted.title:
            return f"{self.path} was asked, and not {wanted.path} or {wanted.grpc}"
        if self.headers.get("content-type") != "application/json":
            return f"its content type is {self.headers.get('content-type')}"
        if self.headers.get("authorization") != key:
            return f"its authorization is {self.headers.get('authorization')}, and not {key}"
        try:
            sent = json.loads(self.body)
            if "idempotency-key" in self.headers and isinstance(sent, dict):
                # The daemon takes the header field as this member.
                sent["idempotencyKey"] = base64.b64encode(self.headers["idempotency-key"].encode()).decode()
            is_same = record(schemas, wanted.takes, sent) == wanted.record
        except (ValueError, Mismatch) as error:
            return f"{error}: {self.body.decode(errors='replace')}"
        return None if is_same else f"it is {json.dumps(sent)}, and the page's is {json.dumps(wanted.request)}"


class Recorder:
    """Listens on loopback and on a Unix socket, until it is closed."""

    def __init__(self, methods, socket):
        self.taken = []
        by_path = {path: method for method in methods for path in (method.path, method.grpc)}
        lock = threading.Lock()

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(handler):
                length = int(handler.headers.get("content-length", 0))
                body = handler.rfile.read(min(length, LONGEST))
                method = by_path.get(handler.path)
                headers = {name.lower(): value for name, value in handler.headers.items()}
                with lock:
                    self.taken.append(Taken(method.title if method else "", handler.path, body, headers))
                answer = json.dumps(method.answers[0][1] if method and method.answers else {}).encode()
                handler.send_response(200 if method else 404)
                handler.send_header("content-type", "application/json")
                handler.send_header("content-length", str(len(answer)))
                handler.end_headers()
                handler.wfile.write(answer)

            def log_message(handler, *_):
                pass

        self._servers = [ThreadingHTTPServer(("127.0.0.1", 0), Handler), ThreadingUnixStreamServer(str(socket), Handler)]
        self.http = f"http://127.0.0.1:{self._servers[0].server_address[1]}"
        self.unix = f"http+unix:{socket}"
        for server in self._servers:
            server.daemon_threads = True
            threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for server in self._servers:
            server.shutdown()
            server.server_close()
