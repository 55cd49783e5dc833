#!/usr/bin/python3 -B
"""A provider of liveness analysis that runs on this machine, for tests: it accepts the capture whose metadata is "good".

    provider.py [PORT]

`Provider.answer` is what a test replaces to have another behaviour.
"""
import http.server
import json
import ssl
import sys
import threading
import time

API_KEY = "key-of-the-tests"
METADATA = "good"


class Provider:
    def __init__(self, port=0, certificate=None):
        provider = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                provider.requests.append((self.path, self.headers, json.loads(body)))
                try:
                    provider.answer(self, self.path, json.loads(body))
                except OSError:
                    pass  # the plugin waited no longer

            def send(self, status, document=None, headers=(), body=None):
                data = json.dumps(document).encode() if body is None else body
                self.send_response(status)
                for name, value in headers:
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            request_queue_size = 128
            daemon_threads = True

            def handle_error(self, *_):
                pass  # a client that does not trust the certificate

        self.requests, self.answer = [], answer
        self.server = Server(("127.0.0.1", port), Handler)
        self.port = self.server.server_address[1]
        self.scheme = "http"
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            # Each connection shakes hands in a thread of its own.
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True, do_handshake_on_connect=False)
            self.scheme = "https"
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    @property
    def url(self):
        return f"{self.scheme}://127.0.0.1:{self.port}/v1"

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def answer(handler, path, request):
    """As the provider should."""
    if handler.headers["Authorization"] != f"Bearer {API_KEY}":
        handler.send(401, {"error": "who are you?"})
    elif path == "/v1/prepare":
        handler.send(200, {"result": {"data": f"session {time.monotonic_ns()}"}, "ends": "2100-01-01T00:00:00+02:00"})
    elif path == "/v1/analyze":
        genuine = request["capture"]["metadata"] == METADATA
        handler.send(200, {"id": "analysis-1", "iad": {"score": 0.97 if genuine else 0.12, "verdict": "genuine" if genuine else "injected"}})
    else:
        handler.send(404, {})


if __name__ == "__main__":
    provider = Provider(int(sys.argv[1]) if len(sys.argv) > 1 else 0)
    print(provider.url, flush=True)
    threading.Event().wait()
