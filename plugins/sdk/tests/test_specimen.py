#!/usr/bin/python3 -B
"""Tests of a library for plugins by a plugin that does what it is told (plugins/sdk/c/tests/specimen.c, plugins/sdk/python/tests/specimen.py).

    test_specimen.py [--sanitized] [--more FILE] COMMAND [ARGUMENT…]

--more names a file with tests of the library's own, as for suite.py.
"""
import argparse
import base64
import hashlib
import sys

import suite
from host import CallFailed, framed
from judgement import InvalidAppraisal, judged, request_for
from messages import frames, messages
from world import World

CLIENT_DATA = b"client data"
WORLD = {
    "devices": [{"id_b64": "AAAAAAAAAAAAAAAAAAAAAA==", "subject_key_b64": base64.b64encode(b"known").decode(), "counter": 7}],
    "used_tokens_b64": [base64.b64encode(b"used").decode()], "anchors_b64": ["MAA="],
    "fleet": {"masters": {"3": "11" * 32}, "devices": [
        {"id_b64": "AAAAAAAAAAAAAAAAAAAAAA==", "serial": "S-1", "tables": [10, 11, 12], "public_key_b64": "", "secret_hex": "01" * 32}]},
}


def case(body, verdict="ACCEPTED", reasons=(), claims=None, purpose="assert", format="specimen", measurements=None):
    return {
        "id": body.decode("latin-1"), "configuration": {"word": "x"}, "format": format, "app": "app", "purpose": purpose,
        "body_b64": base64.b64encode(body).decode(), "now_unix_ms": 1_700_000_000_000, "world": WORLD,
        "expected": {"client_data_b64": base64.b64encode(CLIENT_DATA).decode(),
                     "payload_sha256_b64": base64.b64encode(hashlib.sha256(CLIENT_DATA).digest()).decode()},
        "expect": {"verdict": verdict, "reasons": list(reasons), "claims": claims or {}, "measurements": measurements or {}},
    }


def part(body, *arguments, **more):
    """A case of the format whose evidence is a part of the payload, which is the document of the signals."""
    made = case(body, *arguments, format="specimen.part", **more)
    made["expected"]["signals_b64"] = made["expected"]["client_data_b64"]
    return made


CASES = [
    case(b"claims", claims={"text": "text", "integer": -5, "boolean": True, "bytes": "AAE=", "texts": ["a", "b"], "time": 1_700_000_000_000}),
    case(b"host"), case(b"flood"), case(b"ask"), case(b"advance"), case(b"register", purpose="register"),
    part(b"part", claims={"document": base64.b64encode(CLIENT_DATA).decode()}, measurements={"lidar": "pass", "parallax": "unavailable"}),
    part(b"against", measurements={"lidar": "fail"}), part(b"other", "REJECTED", ["not_a_part"]),
    case(b"text\xff", "REJECTED", ["malformed"]), case(b"refuse", "REJECTED", ["malformed"]), case(b"", "REJECTED", ["malformed"]),
]


class Raw:
    """An answer of the host that is given as bytes."""

    def __init__(self, data):
        self.SerializeToString = lambda: data


class LibraryBase(suite.PluginTestCase):
    """What tests of a library have in common."""

    def begin(self, host, body, timeout_ms=20000):
        request = request_for(case(body), host)
        return host.begin("Appraise", request.SerializeToString(), timeout_ms, request.call_token)

    def appraise(self, host, body):
        return messages.AppraiseResponse.FromString(host.wait(self.begin(host, body)))


class LibraryTests(LibraryBase):
    def test_answers_a_handler_that_needs_too_much_memory(self):
        host, _ = self.configured()
        for _ in range(3):
            self.assert_failed(8, "too_much_memory", self.appraise, host, b"exhaust")
        self.assertTrue(self.appraise(host, b"claims").claims)

    def test_answers_a_fault_of_the_author(self):
        host, _ = self.configured()
        self.assert_failed(13, "undeclared_claim", self.appraise, host, b"undeclared")
        self.assert_failed(13, "too_many_findings", self.appraise, host, b"findings")

    def test_answers_a_measurement_that_was_not_declared_or_stands_twice(self):
        host, _ = self.configured()
        for body in (b"undeclared", b"twice"):
            self.assert_failed(13, "undeclared_measurement", host.call, "Appraise", request_for(part(body), host))

    def test_asks_for_the_payload_of_evidence_that_is_a_part_of_it(self):
        host, _ = self.configured()
        for size in (0, 31, 33):
            request = request_for(part(b"part"), host)
            request.expected.payload_sha256 = bytes(size)
            self.assert_failed(3, "no_payload", host.call, "Appraise", request)

    def test_says_nothing_of_a_payload_after_a_failed_check(self):
        host, _ = self.configured()
        response = host.call("Appraise", request_for(part(b"other"), host))
        self.assertFalse(response.measurements or response.verified_payload_sha256)

    def test_declares_what_it_measures_and_the_codes_of_another_system(self):
        declared = next(one for one in self.host().describe().formats if one.name == b"specimen.part")
        self.assertEqual((messages.FRESHNESS_PAYLOAD, [b"lidar", b"parallax"]), (declared.freshness, list(declared.measures)))
        self.assertEqual({b"not_a_part": "ERR 7 (part)", b"malformed": ""}, {code.code: code.vendor_code for code in declared.codes})

    def test_answers_a_fault_of_the_surroundings(self):
        host, _ = self.configured()
        with self.assertRaises(CallFailed) as raised:
            self.appraise(host, b"fault")
        self.assertEqual((14, "provider_down", "the provider x does not answer"),
                         (raised.exception.code, raised.exception.reason, raised.exception.message))

    def test_makes_text_of_any_bytes_and_drops_claims_after_a_failure(self):
        host, _ = self.configured()
        response = self.appraise(host, b"text\xff")
        self.assertTrue(response.findings[0].detail.startswith("found text??000"))
        self.assertEqual(1024, len(response.findings[0].detail))
        self.assertFalse(response.claims or response.verified_client_data_sha256)

    def test_serves_calls_that_come_while_the_host_is_asked(self):
        host, _ = self.configured()
        host.withheld = []
        asking = self.begin(host, b"ask")
        host.until(lambda: host.withheld)
        others = [self.begin(host, b"claims") for _ in range(100)]
        host.ping()
        self.assertFalse(set(others) & set(host.replies))
        host.release()
        for call_id in [asking, *others]:
            host.wait(call_id)

    def test_bounds_the_calls_that_wait(self):
        host, _ = self.configured()
        host.withheld = []
        asking = self.begin(host, b"ask")
        host.until(lambda: host.withheld)
        others = [self.begin(host, b"claims") for _ in range(300)]
        for call_id in others[256:]:
            self.assert_failed(8, "too_many_calls", host.wait, call_id)
        host.release()
        for call_id in [asking, *others[:256]]:
            host.wait(call_id)

    def test_ends_a_call_whose_host_does_not_answer(self):
        host, _ = self.configured()
        host.declared = set()
        self.assert_failed(14, "host_refused", self.appraise, host, b"ask")
        host.withheld = []
        asking = self.begin(host, b"ask")
        queued = self.begin(host, b"claims")
        host.until(lambda: host.withheld)
        self.assertEqual(0, host.end())
        self.assertEqual((14, "host_gone"), (host.replies[asking].status.code, host.replies[asking].status.reason))
        self.assertEqual(0, host.replies[queued].status.code)

    def test_ends_a_call_whose_host_answers_nonsense(self):
        for body, answer in ((b"ask", b"\xff"), (b"ask", b"\x0a\x05"), (b"host", b""), (b"host", b"\x0a\x00" * 200_000), (b"key", b"\x0a\x1f" + bytes(31)),
                             (b"used", b"\x0a\x03\0\0\0"), (b"key", b"")):
            with self.subTest(body=body, size=len(answer)):
                host, _ = self.configured()
                host.world.answer = lambda *_, answer=answer: Raw(answer)
                with self.assertRaises(CallFailed) as raised:
                    response = self.appraise(host, body)
                    # An empty answer is a device that does not exist: a failed check, and no fault.
                    self.assertIn(messages.OUTCOME_FAIL, [finding.outcome for finding in response.findings])
                    self.appraise(host, b"key")
                self.assertIn(raised.exception.reason, ("host_undecodable", "too_much_memory"))
                self.assertTrue(self.appraise(host, b"claims").claims)

    def test_has_at_most_16_calls_to_the_host_in_flight(self):
        host, _ = self.configured()
        host.withheld = []
        call_id = self.begin(host, b"flood")
        host.until(lambda: len(host.withheld) == 16)
        host.ping()
        self.assertEqual(16, len(host.withheld))
        host.release()
        host.wait(call_id)
        self.assertEqual(100, len(host.world.log))
        self.assertEqual((2, "line 99 of ??"), host.world.log[-1])
        self.assertEqual({b"calls": 10, b"level": 0.5}, host.world.metrics)

    def test_does_not_begin_what_is_too_late(self):
        host, _ = self.configured()
        # The last one has arrived when the first is begun.
        with host.together():
            calls = [self.begin(host, b"sleep"), *(self.begin(host, b"sleep", timeout_ms=100) for _ in range(30))]
        codes = []
        for call_id in calls:
            try:
                host.wait(call_id)
                codes.append(0)
            except CallFailed as failure:
                codes.append(failure.code)
        self.assertEqual((0, 4), (codes[0], codes[-1]))

    def test_answers_many_calls_by_one_write(self):
        host, _ = self.configured()
        call = frames.Call(method="/assay.plugin.v1.Plugin/Health")
        host.in_flight.update({1000 + index: ("Health", b"") for index in range(64)})
        host.until(lambda: not host.unsent)
        before = host.write_count()
        host.send(b"".join(framed(frames.Frame(call_id=1000 + index, call=call)) for index in range(64)))
        host.until(lambda: len([call_id for call_id in host.replies if call_id >= 1000]) == 64)
        # One for each read, and what a slow machine makes of a millisecond.
        self.assertLess(host.write_count() - before, 16)

    def test_breaks_off_when_ids_are_wrong(self):
        call = frames.Call(method="/assay.plugin.v1.Plugin/Describe")
        host = self.host()
        host.send(framed(frames.Frame(call_id=0, call=call)))
        self.assertEqual(1, host.wait_for_exit())
        host, _ = self.configured(CASES[0])
        host.withheld = []
        call_id = self.begin(host, b"ask")
        host.until(lambda: host.withheld)
        host.send(framed(frames.Frame(call_id=call_id, call=call)))
        self.assertEqual(1, host.wait_for_exit())
        self.assertIn(b"in flight", host.stderr)

    def test_reports_each_problem_of_a_configuration_with_its_path(self):
        host = self.host()
        problems = host.validate({
            "word": "", "number": 10, "flag": 1, "layout": "third", "list": [{"id": "a"}, {"id": "too long"}, {"other": 1, "i\nd": 2}]})
        self.assertEqual(["word", "number", "flag", "layout"], [problem.path for problem in problems[:4]])
        self.assertCountEqual(["list[1].id", "list[2].other", "list[2].i\\nd"], [problem.path for problem in problems[4:]])
        self.assertEqual("expected an integer from 1 to 9, found 10", problems[1].sentence)
        self.assertEqual("expected one of first, second", problems[3].sentence)
        self.assertEqual(["word"], [problem.path for problem in host.validate({"word": None})])
        self.assertEqual(["list"], [problem.path for problem in host.validate({"word": "x", "list": [1] * 4})])
        self.assertEqual(1, len(host.validate({"word": "a\0b"})))

    def test_refuses_another_version_of_the_protocol(self):
        host = self.host()
        answer = host.call("Configure", messages.ConfigureRequest(protocol_version=2, configuration=b'{"word": "x"}'))
        self.assertIn("version 1", answer.problems[0].sentence)

    def test_refuses_formats_purposes_and_sizes_that_it_did_not_declare(self):
        host, _ = self.configured()
        request = request_for(CASES[0], host)
        for field, value, reason in (("format", b"other", "unknown_format"), ("purpose", 4, "unknown_purpose"), ("purpose", -1, "unknown_purpose"),
                                     ("body", b"x" * 65, "body_too_large")):
            changed = messages.AppraiseRequest()
            changed.CopyFrom(request)
            setattr(changed, field, value)
            self.assert_failed(3, reason, host.call, "Appraise", changed)

    def test_registers_and_advances(self):
        host, description = self.configured()
        registered = host.call("Appraise", request_for(case(b"register", purpose="register"), host))
        self.assertEqual(b"app", registered.effect.registration.subject_key)
        request = request_for(case(b"advance"), host)
        request.device.CopyFrom(World(WORLD).device(b"known"))
        self.assertEqual(8, host.call("Appraise", request).effect.advance.counter)

    def test_prepares_observes_and_reports_its_health(self):
        host, _ = self.configured()
        request = messages.PrepareRequest(call_token=b"x" * 16, format=b"specimen", app=b"app", body=b"session", now_unix_ms=1000)
        answer = host.call("Prepare", request)
        self.assertEqual((b"session", 2000), (answer.body, answer.expiry_unix_ms))
        request.body = b""
        self.assertEqual(b"malformed", host.call("Prepare", request).refusal.code)
        event = messages.VerdictEvent(app=b"app", formats=[b"a", b"b"], accepted=True)
        host.call("Observe", messages.ObserveRequest(events=[event] * 3, dropped=4))
        host.ping()
        self.assertEqual([(1, "app 2 1")] * 3, host.world.log)
        self.assertEqual({b"dropped": 4}, host.world.metrics)
        self.assertEqual("", host.call("Health", messages.HealthRequest()).problem)
        ill = self.host()
        ill.configure({"word": "x", "flag": True})
        self.assertEqual("the flag is set", ill.call("Health", messages.HealthRequest()).problem)

    def test_the_hosts_rules_find_what_is_wrong(self):
        host, description = self.configured()
        wrong = case(b"claims")
        wrong["expected"]["payload_sha256_b64"] = ""
        with self.assertRaises(InvalidAppraisal):
            judged(host, description, wrong)


def main():
    parser = argparse.ArgumentParser(usage="test_specimen.py [--sanitized] [--more FILE] COMMAND [ARGUMENT…]")
    parser.add_argument("--sanitized", action="store_true")
    parser.add_argument("--more")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    more = suite.test_classes(suite.module_of(arguments.more)) if arguments.more else []
    sys.exit(0 if suite.run(CASES, arguments.command, arguments.sanitized, more=[LibraryTests, *more]) else 1)


if __name__ == "__main__":
    main()
