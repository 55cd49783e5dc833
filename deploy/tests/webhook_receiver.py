#!/usr/bin/env python3
"""A receiver of webhooks for tests: verifies requests by the code of docs/operate/webhooks.md, and answers as it is told.

    webhook_receiver.py SECRET ANSWERS [PORT]

SECRET   the text whsec_...
ANSWERS  words with commas between them, one for each request in order, the last one for all that follow: a status, `429/2` for a
         Retry-After of 2 seconds, `302` with a Location, `slow` for an answer that comes after 5 seconds
Prints its port, then a JSON object a line for each request: id, whether it is genuine, the kinds of its events, what it was answered.
"""
import http.server
import json
import pathlib
import re
import sys
import threading
import time

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "operate" / "webhooks.md"
verification = {}
exec(re.search(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S).group(1), verification)

secret, answers = sys.argv[1], sys.argv[2].split(",")
lock = threading.Lock()


class Receiver(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        with lock:
            answer = answers.pop(0) if len(answers) > 1 else answers[0]
        document = json.loads(body)
        print(json.dumps({
            "id": headers["webhook-id"], "genuine": verification["is_genuine"](headers, body, secret),
            "signatures": len(headers["webhook-signature"].split()), "path": self.path, "answer": answer,
            "type": document["type"], "version": document["version"], "missed": document["data"]["missed"],
            "kinds": [event["kind"] for event in document["data"]["events"]],
        }), flush=True)
        if answer == "slow":
            time.sleep(5)
        status, _, wait = answer.partition("/")
        self.send_response(200 if status == "slow" else int(status))
        if wait:
            self.send_header("retry-after", wait)
        if status == "302":
            self.send_header("location", f"http://127.0.0.1:{self.server.server_port}/elsewhere")
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[3]) if len(sys.argv) > 3 else 0), Receiver)
print(server.server_port, flush=True)
server.serve_forever()
