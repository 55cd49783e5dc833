"""What the provider is asked, and what becomes of its answers. Run by plugins/sdk/tests/suite.py --more."""
import atexit
import datetime
import ipaddress
import json
import os
import pathlib
import shutil
import tempfile
import threading
import time

import suite
from host import CallFailed
from judgement import format_of, judged, request_for, verdict_of
from messages import messages
from provider import API_KEY, Provider
from provider import answer as as_it_should
from sandbox import Sandbox
from vectors import NOW_MS, capture, case, cases, configuration, session

PROVIDER, TRUSTED, UNREACHABLE, FOLDER = None, None, None, None
REJECTED = ("REJECTED", "liveness_rejected", "analysis", "the provider does not accept the capture")


def set_up(listed, sandbox):
    """Starts the providers, and lets the plugin reach them."""
    global PROVIDER, TRUSTED, UNREACHABLE, FOLDER
    FOLDER = tempfile.mkdtemp(prefix="liveness-broker-")
    atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)
    os.chmod(FOLDER, 0o755)
    PROVIDER, TRUSTED = Provider(), Provider(certificate=certificate(FOLDER, "trusted"))
    # The sandbox allows the ports of the two above only.
    UNREACHABLE = Provider()
    certificate(FOLDER, "other")
    listed[:] = cases(PROVIDER.url)
    # Each is a request to the provider.
    suite.PluginTestCase.repetitions = 1500
    if sandbox is not None:
        ports = [str(provider.port) for provider in (PROVIDER, TRUSTED)]
        sandbox.powers += ["--connect", ports[0], "--connect", ports[1], "--ro", FOLDER]


def certificate(folder, name):
    """A file with a new key and a certificate of it for 127.0.0.1."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    now = datetime.datetime.now(datetime.timezone.utc)
    made = (x509.CertificateBuilder().subject_name(subject).issuer_name(subject).public_key(key.public_key()).serial_number(1)
            .not_valid_before(now - datetime.timedelta(hours=1)).not_valid_after(now + datetime.timedelta(hours=1))
            .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
            .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True).sign(key, hashes.SHA256()))
    public = made.public_bytes(serialization.Encoding.PEM)
    path = pathlib.Path(folder)
    (path / f"{name}.pem").write_bytes(public)
    whole = path / f"{name}-key.pem"
    whole.touch(0o600)
    whole.write_bytes(public + key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
    return whole


class BrokerTests(suite.PluginTestCase):
    def setUp(self):
        PROVIDER.requests.clear()
        self.addCleanup(setattr, PROVIDER, "answer", as_it_should)

    def event(self):
        """It is set at the latest when the test has ended."""
        event = threading.Event()
        self.addCleanup(event.set)
        return event

    def broker(self, url=None, **changes):
        """The configured plugin."""
        return self.configured(case("", {}, "ACCEPTED", url=url or PROVIDER.url, **changes))

    def verdict(self, broker, document, timeout_ms=20000, **changes):
        host, description = broker
        one = case("", document, "ACCEPTED", **changes)
        if timeout_ms == 20000:
            return judged(host, description, one)
        request = request_for(one, host)
        answer = host.call("Appraise", request, timeout_ms)
        return verdict_of(request, answer, format_of(description, "liveness-broker"), host.world)

    def answers(self, *arguments, **named):
        PROVIDER.answer = lambda handler, path, request: handler.send(*arguments, **named)

    def assert_logged(self, host, *texts):
        host.ping()
        lines = " ".join(line for _, line in host.world.log)
        for text in texts:
            self.assertIn(text, lines)

    def prepare(self, host, body=b"", app=b"app", timeout_ms=20000):
        request = messages.PrepareRequest(call_token=b"x" * 16, format=b"liveness-broker", app=app, body=body, now_unix_ms=NOW_MS)
        return host.call("Prepare", request, timeout_ms)

    # MARK: What is asked

    def test_asks_with_the_configured_names_and_key(self):
        verdict = self.verdict(self.broker(media="optional"), capture(media="AAEC"))
        self.assertEqual("ACCEPTED", verdict.verdict, verdict)
        (path, headers, request), = PROVIDER.requests
        self.assertEqual(("/v1/analyze", f"Bearer {API_KEY}", "application/json", f"127.0.0.1:{PROVIDER.port}"),
                         (path, headers["Authorization"], headers["Content-Type"], headers["Host"]))
        self.assertEqual({"capture": {"source": "assay", "metadata": "good", "media": "AAEC"}, "session": "session of the provider"}, request)

    def test_carries_the_key_as_the_configuration_says(self):
        self.verdict(self.broker(api_key_header="X-Api-Key", api_key_format="{key}"), capture())
        self.assertEqual((API_KEY, None), (PROVIDER.requests[0][1]["X-Api-Key"], PROVIDER.requests[0][1]["Authorization"]))

    def test_asks_nothing_for_what_its_own_checks_refuse(self):
        broker = self.broker()
        for one in cases(PROVIDER.url):
            if one["expect"]["reasons"] not in ((), ("liveness_rejected",)) and one["configuration"].get("media") is None:
                broker[0].world.used.update(suite.b64(token) for token in one["world"].get("used_tokens_b64", []))
                self.assertEqual("REJECTED", judged(*broker, one).verdict, one["id"])
        self.assertEqual([], PROVIDER.requests)

    def test_uses_no_proxy(self):
        """The daemon's environment has none, but what is not read cannot be given by mistake."""
        host = self.host(environment={**suite_environment(), "http_proxy": "http://127.0.0.1:9", "HTTP_PROXY": "http://127.0.0.1:9"})
        description = host.describe()
        self.assertEqual([], list(host.configure(configuration(PROVIDER.url))))
        self.assertEqual("ACCEPTED", judged(host, description, case("", capture(), "ACCEPTED")).verdict)

    # MARK: Sessions

    def test_prepares_sessions_that_it_accepts_once(self):
        host, description = self.broker()
        answer = self.prepare(host)
        document = json.loads(answer.body)
        self.assertEqual({"session_data", "expires_at", "session_mac"}, document.keys())
        self.assertEqual(NOW_MS + 300_000, answer.expiry_unix_ms)
        self.assertEqual("2025-12-01T09:05:00.000Z", document["expires_at"])
        one = case("", {**document, "metadata": "good"}, "ACCEPTED")
        request = request_for(one, host)
        response = host.call("Appraise", request)
        self.assertEqual("ACCEPTED", verdict_of(request, response, format_of(description, "liveness-broker"), host.world).verdict)
        used, = response.used_tokens
        self.assertEqual((NOW_MS + 300_000, b"session_used"), (used.until_unix_ms, used.used_code))
        host.world.used.add(used.token)
        self.assertEqual("session_used", judged(host, description, one).reason)
        self.assertEqual(2, len(PROVIDER.requests))

    def test_a_session_is_of_one_app(self):
        host, description = self.broker()
        document = json.loads(self.prepare(host, app=b"another").body)
        self.assertEqual("session_invalid", judged(host, description, case("", {**document, "metadata": "good"}, "REJECTED")).reason)

    def test_a_session_ends_when_the_provider_says_so(self):
        host, _ = self.broker()
        for ends, expected in (("2025-12-01T10:00:30+01:00", "2025-12-01T09:00:30.000Z"), ("2025-12-01T09:00:30.25", "2025-12-01T09:00:30.250Z"),
                               (1764579630, "2025-12-01T09:00:30.000Z"), ("2030-01-01T00:00:00Z", "2025-12-01T09:05:00.000Z")):
            self.answers(200, {"result": {"data": "x"}, "ends": ends})
            self.assertEqual(expected, json.loads(self.prepare(host).body)["expires_at"], ends)

    def test_prepares_nothing_without_an_answer_that_can_be_used(self):
        host, _ = self.broker()
        for answer in ({}, [], {"result": {"data": ""}, "ends": 4e9}, {"result": {"data": 5}, "ends": 4e9}, {"result": {"data": "x"}},
                       {"result": {"data": "x"}, "ends": "2025-12-01T09:00:00Z"}, {"result": {"data": "x"}, "ends": "soon"},
                       {"result": {"data": "x"}, "ends": True}, {"result": {"data": "x"}, "ends": 1e300}, {"result": {"data": "x" * 65537}, "ends": 4e9}):
            self.answers(200, answer)
            self.assert_failed(14, "provider_unavailable", self.prepare, host)
        for status in (400, 401, 404, 422, 500, 503):
            self.answers(status, {"detail": "secret detail"})
            with self.assertRaises(CallFailed) as raised:
                self.prepare(host)
            self.assertEqual((14, "the provider does not answer"), (raised.exception.code, raised.exception.message))

    def test_says_when_a_busy_provider_may_be_asked_again(self):
        host, _ = self.broker()
        for given, expected in (("7", 7000), ("999999", 3_600_000), ("tomorrow", 0), ("-1", 0)):
            self.answers(429, {}, headers=[("Retry-After", given)])
            request = messages.PrepareRequest(call_token=b"x" * 16, format=b"liveness-broker", app=b"app", now_unix_ms=NOW_MS)
            call_id = host.begin("Prepare", request.SerializeToString())
            host.until(lambda: call_id in host.replies)
            self.assertEqual(expected, host.replies[call_id].status.retry_after_ms)

    def test_refuses_to_prepare_for_a_body(self):
        host, _ = self.broker()
        for body, sentence in ((b"x", "the body is not JSON: "), (b"[]", "expected an object, found another value"), (b"\xff", "the body is not JSON: "),
                               (b'{"a": 1}', "expected an object without members; 1 of the body's members is not known")):
            refusal = self.prepare(host, body).refusal
            self.assertEqual((b"malformed", sentence), (refusal.code, refusal.detail[:len(sentence)]))
        self.assertEqual([], PROVIDER.requests)
        self.assertTrue(self.prepare(host, b"{}").body)

    # MARK: Verdicts of the provider

    def test_every_rejection_looks_alike_and_the_log_has_no_values(self):
        broker = self.broker()
        secret = {"person": "Ada"}
        for answer in ((200, {"id": "a", "iad": {"score": 0.79, "verdict": "genuine"}, **secret}),
                       (200, {"id": "a", "iad": {"score": 0.99, "verdict": "injected"}, **secret}),
                       *((status, {"detail": "the face of Ada"}) for status in (400, 409, 410, 413, 415, 422))):
            self.answers(*answer)
            verdict = self.verdict(broker, capture())
            self.assertEqual(REJECTED, (verdict.verdict, verdict.reason, verdict.check, verdict.detail))
            self.assertEqual({}, verdict.claims)
        host = broker[0]
        host.ping()
        lines = " ".join(line for _, line in host.world.log)
        self.assertIn("iad.score at_least", lines)
        self.assertIn("status 422", lines)
        for value in ("Ada", "0.79", "injected", "good", "session of"):
            self.assertNotIn(value, lines)

    def test_what_is_no_verdict_is_unavailable(self):
        broker = self.broker()
        right = {"id": "a", "iad": {"score": 0.9, "verdict": "genuine"}}
        for status in (204, 301, 302, 307, 401, 403, 404, 405, 408, 418, 429, 500, 502, 503, 504):
            self.answers(status, right, headers=[("Location", PROVIDER.url + "/prepare")])
            self.assert_unavailable(self.verdict(broker, capture()) if status != 204 else self.no_content(broker), status)
        for document in ({}, [], "genuine", {**right, "iad": {"score": "0.9", "verdict": "genuine"}}, {**right, "iad": {"score": True, "verdict": "genuine"}},
                         {**right, "iad": {"score": 0.9}}, {**right, "iad": {"score": 0.9, "verdict": True}}, {**right, "iad": 1}, {"iad": right["iad"]},
                         {**right, "id": "x" * 129}, {**right, "id": "a\nb"}):
            self.answers(200, document)
            self.assert_unavailable(self.verdict(broker, capture()), document)
        self.assertEqual(len(PROVIDER.requests), 15 + 11)

    def no_content(self, broker):
        PROVIDER.answer = lambda handler, *_: (handler.send_response(204), handler.end_headers())
        return self.verdict(broker, capture())

    def assert_unavailable(self, verdict, what):
        self.assertEqual(("UNAVAILABLE", "provider_unavailable", "the provider does not answer"), (verdict.verdict, verdict.reason, verdict.detail), what)

    def test_garbage_is_unavailable(self):
        broker = self.broker()
        for body in (b"", b"\xff\xfe", b"{", b"NaN", b'{"iad":{"score":0.9},"iad":{"score":0.1}}', b"[" * 50_000, b"x" * 70_000, b" " * 10_000_000):
            self.answers(200, body=body)
            self.assert_unavailable(self.verdict(broker, capture()), body[:20])
        for raw in (b"", b"garbage\r\n\r\n", b"HTTP/1.1 abc\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{}",
                    b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 200 + b"\r\n", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
                    b"HTTP/1.1 200 OK\r\nA: " + b"x" * 100_000, b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n"):
            PROVIDER.answer = lambda handler, *_, raw=raw: handler.wfile.write(raw)
            self.assert_unavailable(self.verdict(broker, capture()), raw[:60])
        PROVIDER.answer = as_it_should
        self.assertEqual("ACCEPTED", self.verdict(broker, capture()).verdict)

    # MARK: Time

    def test_a_slow_provider_is_unavailable_in_time(self):
        broker = self.broker(timeout_ms=300)
        over = self.event()

        def silent(handler, *_):
            over.wait()

        def dripping(handler, *_):
            handler.send_response(200)
            handler.end_headers()
            while not over.wait(0.05):
                handler.wfile.write(b" ")

        def dripping_head(handler, *_):
            while not over.wait(0.05):
                handler.wfile.write(b"H")
                handler.wfile.flush()
        for behaviour in (silent, dripping, dripping_head):
            PROVIDER.answer = behaviour
            begun = time.monotonic()
            self.assert_unavailable(self.verdict(broker, capture()), behaviour.__name__)
            # Without the time-out of the provider it would be the call's, which is 20 s.
            self.assertLess(time.monotonic() - begun, 15)

    def test_answers_within_the_calls_deadline(self):
        broker = self.broker(timeout_ms=60000)
        over = self.event()
        PROVIDER.answer = lambda *_: over.wait()
        # A busy machine makes an answer late, never early: one of a few has to be in time.
        for attempt in range(5):
            begun = time.monotonic()
            self.assert_unavailable(self.verdict(broker, capture(), timeout_ms=2000), "slow")
            if time.monotonic() - begun < 2:
                break
        else:
            self.fail("no answer came before its call's deadline")
        # No time is left for the provider: it is not asked.
        PROVIDER.requests.clear()
        self.assert_unavailable(self.verdict(broker, capture(), timeout_ms=200), "too late")
        self.assertEqual([], PROVIDER.requests)

    def test_calls_do_not_stand_behind_each_other(self):
        broker = self.broker(timeout_ms=60000)
        # No call is answered before all have come.
        all_asked = threading.Barrier(16)

        def together(handler, path, request):
            all_asked.wait(15)
            as_it_should(handler, path, request)
        PROVIDER.answer = together
        host = broker[0]
        requests = [request_for(case("", {**session(f"session {number}"), "metadata": "good"}, "ACCEPTED"), host) for number in range(16)]
        for call_id in [host.begin("Appraise", request.SerializeToString(), token=request.call_token) for request in requests]:
            self.assertTrue(messages.AppraiseResponse.FromString(host.wait(call_id)).used_tokens)

    # MARK: Connections

    def test_names_the_power_that_a_connection_needs_in_the_log_alone(self):
        if self.sandbox is None:
            self.skipTest("there is no launcher, so every port can be reached")
        port = UNREACHABLE.port
        place = f"connecting to 127.0.0.1, port {port}, failed: powers.network does not allow it; the catalog's entry needs {port}"
        powers = self.sandbox.powers
        without_network = [power for power, before in zip(powers, ["", *powers]) if "--connect" not in (power, before)]
        for sandbox in (self.sandbox, Sandbox(self.sandbox.launcher, without_network)):
            host = self.host(sandbox=sandbox)
            description = host.describe()
            self.assertEqual([], list(host.configure(configuration(UNREACHABLE.url))))
            with self.assertRaises(CallFailed) as raised:
                self.prepare(host)
            self.assertEqual((14, "the provider does not answer"), (raised.exception.code, raised.exception.message))
            self.assert_unavailable(judged(host, description, case("", capture(), "ACCEPTED")), "not allowed")
            self.assert_logged(host, f"prepare: {place}", f"analyze: {place}")
        self.assertEqual([], UNREACHABLE.requests)

    def test_names_host_and_port_of_a_provider_that_is_down(self):
        broker = self.broker("http://localhost:1")
        self.assert_unavailable(self.verdict(broker, capture()), "down")
        self.assert_logged(broker[0], "connecting to localhost, port 1, failed: ")

    # MARK: TLS

    def test_speaks_tls_with_a_provider_that_it_trusts(self):
        broker = self.broker(TRUSTED.url, ca_file=f"{FOLDER}/trusted.pem")
        self.assertEqual("ACCEPTED", self.verdict(broker, capture()).verdict)

    def test_a_certificate_that_is_not_trusted_or_of_another_name_is_unavailable(self):
        TRUSTED.requests.clear()
        self.assert_unavailable(self.verdict(self.broker(TRUSTED.url, ca_file=f"{FOLDER}/other.pem"), capture()), "not trusted")
        other_name = TRUSTED.url.replace("127.0.0.1", "127.0.0.2")
        self.assert_unavailable(self.verdict(self.broker(other_name, ca_file=f"{FOLDER}/trusted.pem"), capture()), "other name")
        # HTTP where TLS is expected.
        self.assert_unavailable(self.verdict(self.broker(PROVIDER.url.replace("http:", "https:"), ca_file=f"{FOLDER}/trusted.pem"), capture()), "no TLS")
        self.assertEqual([], TRUSTED.requests)

    # MARK: Configuration

    def test_reports_what_is_wrong_with_a_configuration(self):
        host = self.host()
        whole = configuration(PROVIDER.url)
        self.assertEqual([], list(host.validate(whole)))
        for path, change in (
                *(("base_url", {"base_url": url}) for url in (
                    "http://provider.example", "ftp://127.0.0.1", "127.0.0.1", "https://user@provider.example", "https://provider.example/?a",
                    "https://provider.example/#a", "http://127.0.0.1:x", "https://", "https://a b", "http://127.0.0.1.example", 5)),
                ("api_key", {"api_key": "a\r\nX: y"}), ("api_key", {"api_key": None}), ("session_key", {"session_key": "00"}),
                ("api_key_header", {"api_key_header": "Host"}), ("api_key_header", {"api_key_header": "A: b"}),
                ("api_key_format", {"api_key_format": "Bearer"}), ("api_key_format", {"api_key_format": "{key}\n"}),
                ("ca_file", {"base_url": "https://provider.example", "ca_file": "/does/not/exist"}), ("media", {"media": "some"}),
                ("session_seconds", {"session_seconds": 5}), ("timeout_ms", {"timeout_ms": 99}), ("other", {"other": 1}),
                ("prepare.other", {"prepare": {**whole["prepare"], "other": 1}}), ("prepare.path", {"prepare": {**whole["prepare"], "path": "prepare"}}),
                ("prepare.session_data", {"prepare": {**whole["prepare"], "session_data": "a..b"}}),
                ("prepare.request", {"prepare": {**whole["prepare"], "request": []}}),
                *((f"analyze.{path}", {"analyze": {**whole["analyze"], **change}}) for path, change in (
                    ("conditions", {"conditions": []}), ("conditions[0]", {"conditions": [{"field": "a"}]}),
                    ("conditions[0]", {"conditions": [{"field": "a", "at_least": 1, "equals": 2}]}),
                    ("conditions[0].field", {"conditions": [{"equals": 2}]}), ("conditions[0].equals", {"conditions": [{"field": "a", "equals": []}]}),
                    ("conditions[0].at_most", {"conditions": [{"field": "a", "at_most": "1"}]}), ("metadata", {"metadata": None}),
                    ("rejected_statuses", {"rejected_statuses": [422, 429]}), ("rejected_statuses[0]", {"rejected_statuses": [500]})))):
            with self.subTest(path, change=change):
                problems = host.validate({**whole, **change})
                self.assertEqual([path], [problem.path for problem in problems], problems)
                self.assertNotIn(API_KEY, str(problems))


def suite_environment():
    from host import ENVIRONMENT
    return ENVIRONMENT
