"""The handlers of README.md, as they stand there."""

import asyncio
import base64
import contextlib
import hashlib
import io
import json
import os
import re
import subprocess
import tempfile
import types
import unittest
from unittest import mock

import support
from assay import AssayError
from case import CHALLENGE, failure
from scripted import ScriptedServer, ok

README = (support.PACKAGE / "README.md").read_text()
UPLOAD = {"upload_id": "1", "key_id": "AQI=", "photo": base64.b64encode(b"a photo").decode(), "signature": "MAA=", "challenge": "AAEC"}
ALICE = base64.b64encode(hashlib.sha256(b"alice").digest()).decode()
REJECTED = {"decision": "DECISION_REJECTED", "reason": "challenge_reused", "retry": "RETRY_CLASS_NEW_CHALLENGE"}


def code(name):
    """A block of the page, behind the comment that names it."""
    return re.search(rf"<!-- test: {name} -->\n```python\n(.*?)```", README, re.S)[1]


class HandlerTests(unittest.TestCase):
    def program(self, url):
        program = {}
        with mock.patch.dict(os.environ, {"ASSAY_URL": url, "SIMULATED": "1"}):
            exec(compile(code("handler"), "README.md", "exec"), program)
        self.addCleanup(program["client"].close)
        return program

    def handler(self, *steps):
        server = ScriptedServer(list(steps))
        self.addCleanup(server.close)
        return {**self.program(f"http://127.0.0.1:{server.port}"), "server": server}

    def post(self, program, path, body):
        said = []
        environ = {"PATH_INFO": path, "HTTP_USER": "alice", "CONTENT_LENGTH": str(len(body)), "wsgi.input": io.BytesIO(body)}
        with contextlib.redirect_stdout(io.StringIO()) as self.printed:
            parts = program["app"](environ, lambda status, fields: said.append(status))
        return said[0], json.loads(b"".join(parts))

    def test_has_at_most_40_lines(self):
        self.assertLessEqual(len(code("handler").splitlines()), 40)

    def test_gives_a_challenge_for_the_user(self):
        program = self.handler(ok(CHALLENGE))
        self.assertEqual(self.post(program, "/challenges", b"{}"), ("200 OK", {"challenge": "AAECAwQF"}))
        self.assertEqual(program["server"].requests[0].json, {"app": "photos", "purpose": "ASSERT", "context": ALICE})

    def test_stores_an_accepted_photo_that_it_hashed_itself(self):
        program = self.handler(ok({"decision": "DECISION_ACCEPTED"}))
        self.assertEqual(self.post(program, "/uploads", json.dumps(UPLOAD).encode()), ("201 Created", {"then": "done"}))
        self.assertEqual(list(program["photos"].values()), [b"a photo"])
        (request,) = program["server"].requests
        digest = base64.b64encode(hashlib.sha256(b"a photo").digest()).decode()
        self.assertEqual(request.json["binding"], {"clientData": {"payloadSha256": digest}})
        self.assertEqual((request.json["context"], request.json["subject"]), (ALICE, "YWxpY2U="))
        self.assertEqual(list(request.json["evidence"][0]), ["keySignature"])
        self.assertEqual(request.one("idempotency-key"), hashlib.sha256(b"alice/1").hexdigest())

    def test_tells_a_rejected_phone_what_to_do_and_stores_nothing(self):
        program = self.handler(ok(REJECTED))
        self.assertEqual(self.post(program, "/uploads", json.dumps(UPLOAD).encode()), ("403 Forbidden", {"then": "new_challenge"}))
        self.assertEqual(program["photos"], {})
        self.assertIn("challenge_reused", self.printed.getvalue())

    def test_takes_the_assertion_of_an_iphone(self):
        program = self.handler(ok({"decision": "DECISION_ACCEPTED"}))
        sent = {**UPLOAD, "assertion": "MAA="}
        del sent["signature"]
        self.assertEqual(self.post(program, "/uploads", json.dumps(sent).encode())[0], "201 Created")
        self.assertEqual(program["server"].requests[0].json["evidence"], [{"appAttestAssertion": {"keyId": "AQI=", "assertion": "MAA="}}])

    def test_refuses_a_virtual_device_unless_it_is_a_trial(self):
        accepted = ok({"decision": "DECISION_ACCEPTED", "simulated": True})
        program = self.handler(accepted, accepted)
        self.assertEqual(self.post(program, "/uploads", json.dumps(UPLOAD).encode())[0], "201 Created")
        program["app"].__globals__["takes_simulated"] = False
        program["photos"].clear()
        self.assertEqual(self.post(program, "/uploads", json.dumps(UPLOAD).encode()), ("403 Forbidden", {"then": "give_up"}))
        self.assertEqual(program["photos"], {})

    def test_gives_up_what_the_daemon_cannot_read(self):
        program = self.handler(failure("invalid_argument", "invalid_request", "never"))
        self.assertEqual(self.post(program, "/uploads", json.dumps(UPLOAD).encode()), ("400 Bad Request", {"then": "give_up"}))

    def test_asks_nothing_for_a_request_without_a_user(self):
        program = self.handler()
        for path in ("/challenges", "/uploads"):
            self.assertEqual(program["handle"](path, "", json.dumps(UPLOAD).encode())[0], "400 Bad Request")
        self.assertEqual(program["server"].requests, [])

    def test_stores_nothing_without_a_verdict(self):
        program = self.handler(failure("permission_denied", "permission_denied", "contact_operator"))
        self.assertEqual(self.post(program, "/uploads", json.dumps(UPLOAD).encode()), ("503 Service Unavailable", {"then": "later"}))
        self.assertEqual(program["photos"], {})

    def test_refuses_what_is_no_upload(self):
        program = self.handler()
        for body in (b"", b"[]", b"{}", b'"x"', b"\xff", json.dumps({**UPLOAD, "photo": 5}).encode(), json.dumps({**UPLOAD, "key_id": "A"}).encode()):
            self.assertEqual(self.post(program, "/uploads", body)[0], "400 Bad Request", body)
        self.assertEqual(program["server"].requests, [])


    @unittest.skipUnless("ASSAY_DEV_URL" in os.environ, "clients/conformance/run.py starts a daemon")
    def test_takes_uploads_of_a_device_with_a_daemon(self):
        program = self.program(os.environ["ASSAY_DEV_URL"])
        device = os.path.join(os.environ["ASSAY_DEV_FOLDER"], "android")
        challenge = self.post(program, "/challenges", b"{}")[1]["challenge"]
        with tempfile.NamedTemporaryFile() as photo:
            photo.write(b"a photo")
            photo.flush()
            sign = ["simulate", "android", "sign", device, "--challenge", challenge, "--payload", photo.name]
            signature = subprocess.run([os.path.join(os.environ["ASSAY_BIN"], "assay"), *sign], check=True, capture_output=True, text=True).stdout.strip()
        with open(os.path.join(device, "key-id")) as file:
            upload = {**UPLOAD, "key_id": file.read().strip(), "signature": signature, "challenge": challenge}
        again = json.dumps(upload).encode()
        self.assertEqual(self.post(program, "/uploads", again), ("201 Created", {"then": "done"}))
        self.assertEqual(self.post(program, "/uploads", again), ("201 Created", {"then": "done"}))
        replayed = json.dumps({**upload, "upload_id": "2"}).encode()
        self.assertEqual(self.post(program, "/uploads", replayed), ("403 Forbidden", {"then": "new_challenge"}))
        self.assertEqual(len(program["photos"]), 1)


class FastAPIShapeTests(unittest.IsolatedAsyncioTestCase):
    """A stand-in for FastAPI: its decorators, and what handlers raise and return."""

    async def test_answers_like_the_other_handler(self):
        server = ScriptedServer([
            ok(CHALLENGE), ok({"decision": "DECISION_ACCEPTED"}), ok(REJECTED), ok({"decision": "DECISION_ACCEPTED", "simulated": True}),
            failure("permission_denied"), failure("invalid_argument"),
        ])  # fmt: skip
        self.addCleanup(server.close)
        routes = {}

        class Refusal(Exception):
            pass

        def keep(name, **_):
            return lambda function: routes.setdefault(name, function)

        import assay

        program = {
            "assay": assay, "base64": base64, "hashlib": hashlib, "os": os, "Upload": object, "Header": lambda: None,
            "HTTPException": Refusal, "JSONResponse": lambda body, status: (status, body),
            "app": types.SimpleNamespace(post=keep, exception_handler=keep),
        }  # fmt: skip
        with mock.patch.dict(os.environ, {"ASSAY_URL": f"http://127.0.0.1:{server.port}"}):
            exec(compile(code("fastapi"), "README.md", "exec"), program)
        sent = types.SimpleNamespace(upload_id="1", key_id=b"k", photo=b"a photo", signature=b"s", challenge=b"c")
        self.assertEqual(await routes["/challenges"]("alice"), {"challenge": "AAECAwQF"})
        self.assertEqual(await routes["/uploads"](sent, "alice"), {"then": "done"})
        for word in ("new_challenge", "give_up"):
            with self.assertRaises(Refusal) as refused:
                await routes["/uploads"](sent, "alice")
            self.assertEqual(refused.exception.args, (403, {"then": word}))
        with self.assertRaises(AssayError) as raised:
            await routes["/uploads"](sent, "alice")
        self.assertEqual(await routes[AssayError](None, raised.exception), (503, {"then": "later"}))
        with self.assertRaises(AssayError) as raised:
            await routes["/uploads"](sent, "alice")
        self.assertEqual(await routes[AssayError](None, raised.exception), (400, {"then": "give_up"}))
        await program["client"].close()


if __name__ == "__main__":
    unittest.main()
