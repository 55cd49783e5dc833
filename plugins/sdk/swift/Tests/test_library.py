#!/usr/bin/python3 -B
"""Tests of the library for Swift by a plugin that does what it is told (Tests/specimen).

    test_library.py COMMAND

Those of the library for C run too: both libraries keep the same promises.
"""
import base64
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests"))

import suite                                                    # noqa: E402
from host import CallFailed                                     # noqa: E402
from judgement import InvalidAppraisal, judged, request_for     # noqa: E402
from messages import host_messages, messages                    # noqa: E402
from test_specimen import CASES, LibraryTests, Raw, case, part  # noqa: E402

EMPTY_MESSAGES = 200_000


class SwiftLibraryTests(LibraryTests):
    # The arena of the library for C has no counterpart: the fields of messages are counted, and evidence is the author's.
    test_answers_a_handler_that_needs_too_much_memory = None

    def test_answers_a_message_that_would_need_too_much_memory(self):
        host, _ = self.configured()
        for method, payload in (("Describe", b"\x08\0"), ("Observe", b"\x0a\0"), ("Appraise", b"\x42\0")):
            self.assert_failed(8, "too_much_memory", host.wait, host.begin(method, payload * EMPTY_MESSAGES))
        claims = messages.Device(claims=[messages.Claim()] * EMPTY_MESSAGES).SerializeToString()
        request = messages.AppraiseRequest.FromString(b"\x42" + varint(len(claims)) + claims)
        self.assert_failed(8, "too_much_memory", host.wait, host.begin("Appraise", request.SerializeToString()))
        self.assert_goes_on(host)

    def test_answers_a_fault_of_the_author(self):
        super().test_answers_a_fault_of_the_author()
        host, _ = self.configured()
        self.assert_failed(13, "client_data_not_verified", self.appraise_unbound, host)
        self.assert_failed(13, "invalid_name", self.appraise, host, b"name")

    def test_answers_an_appraisal_that_verified_no_payload(self):
        host, _ = self.configured()
        self.assert_failed(13, "payload_not_verified", host.call, "Appraise", request_for(part(b"unverified"), host))

    def appraise_unbound(self, host):
        request = request_for(case(b"unverified"), host)
        request.expected.payload_sha256 = b""
        return host.call("Appraise", request)

    def test_the_hosts_rules_find_what_is_wrong(self):
        host, description = self.configured()
        wrong = case(b"claims")
        wrong["expected"]["payload_sha256_b64"] = base64.b64encode(bytes(32)).decode()
        with self.assertRaises(InvalidAppraisal):
            judged(host, description, wrong)

    def test_answers_an_error_that_the_author_throws_without_what_it_says(self):
        host, _ = self.configured()
        with self.assertRaises(CallFailed) as raised:
            self.appraise(host, b"throw")
        self.assertEqual((13, "plugin_failed", "the plugin failed: it threw Misfortune"),
                         (raised.exception.code, raised.exception.reason, raised.exception.message))
        problems = host.validate({"word": "throw"})
        self.assertEqual([("", "the plugin cannot use it: it threw Misfortune")], [(problem.path, problem.sentence) for problem in problems])

    def test_says_when_trying_again_may_help(self):
        host, _ = self.configured()
        call_id = self.begin(host, b"fault")
        host.until(lambda: call_id in host.replies)
        self.assertEqual(500, host.replies[call_id].status.retry_after_ms)

    def test_lists_all_failed_checks(self):
        host, _ = self.configured()
        response = self.appraise(host, b"several")
        self.assertEqual([(b"first", b"one"), (b"second", b""), (b"third", b"three")],
                         [(finding.check, finding.code) for finding in response.findings])

    def test_sends_the_answer_of_a_slow_call_before_it_begins_the_next(self):
        # A host that a busy machine holds up may read all answers at once: one of a few has to see the first alone.
        for _ in range(5):
            host, _ = self.configured()
            first, *others = [self.begin(host, b"sleep") for _ in range(6)]
            host.wait(first)
            if others[-1] not in host.replies:
                return
        self.fail("the first answer came with the last")

    def test_ends_a_call_whose_host_is_too_late(self):
        host, _ = self.configured()
        host.withheld = []
        self.assert_failed(4, "deadline_exceeded", host.wait, self.begin(host, b"ask", timeout_ms=100))
        # The answer that comes after all is ignored.
        host.release()
        self.assertTrue(self.appraise(host, b"claims").claims)

    def test_ends_a_call_whose_host_answers_nonsense(self):
        for body, answer, reason in ((b"ask", b"\xff", "host_undecodable"), (b"ask", b"\x0a\x05", "host_undecodable"),
                                     (b"ask", b"\x0a\x00" * EMPTY_MESSAGES, "too_much_memory"), (b"key", b"\x0a\x1f" + bytes(31), "host_undecodable"),
                                     (b"key", b"", "host_undecodable"), (b"used", b"\x0a\x03\0\0\0", "host_undecodable")):
            with self.subTest(body=body, size=len(answer)):
                host, _ = self.configured()
                host.world.answer = lambda *_, answer=answer: Raw(answer)
                with self.assertRaises(CallFailed) as raised:
                    self.appraise(host, body)
                self.assertEqual(reason, raised.exception.reason)
                self.assertTrue(self.appraise(host, b"claims").claims)

    def test_does_not_judge_without_the_client_data_of_a_challenge(self):
        host, _ = self.configured()
        request = request_for(case(b"claims"), host)
        request.ClearField("expected")
        self.assert_failed(3, "no_client_data", host.call, "Appraise", request)

    def test_does_not_judge_by_a_time_that_is_none(self):
        host, _ = self.configured()
        for wrong in (-1, -2**63, 2**63 - 1):
            request = request_for(case(b"claims"), host)
            request.now_unix_ms = wrong
            self.assert_failed(3, "undecodable_message", host.call, "Appraise", request)

    def test_reports_each_problem_of_a_configuration_with_its_path(self):
        host = self.host()
        problems = host.validate({
            "word": "", "number": 10, "flag": 1, "layout": "third", "list": [{"id": "a"}, {"id": "too long"}, {"other": 1, "i\nd": 2}]})
        self.assertEqual(
            ["word", "number", "flag", "layout", "list[1].id", "list[2].other", "list[2].i?d"], [problem.path for problem in problems])
        self.assertEqual("expected an integer from 1 to 9, found 10", problems[1].sentence)
        self.assertEqual("expected one of first, second", problems[3].sentence)
        self.assertEqual(["word"], [problem.path for problem in host.validate({"word": None})])
        self.assertEqual(["list"], [problem.path for problem in host.validate({"word": "x", "list": [1] * 4})])
        self.assertEqual(["list[0]"], [problem.path for problem in host.validate({"word": "x", "list": [1]})])
        self.assertEqual(1, len(host.validate({"word": "a\0b"})))

    def test_reads_json_strictly(self):
        host = self.host()
        for right in ('{"word":"\\u00e9\\ud83d\\ude00\\/\\b\\f\\n\\r\\t\\"\\\\"}', ' {\t"word" :\r\n"x" , "number":9}\n', '{"word":"x","other":-1.5e+3}',
                      '{"word":"x","deep":' + "[" * 31 + "]" * 31 + "}"):
            self.assertEqual([], list(host.validate(right.encode())), right)
        for wrong in (b"", b" ", b"{", b'{"word":"x"', b'{"word":"x"}x', b'{"word":"x",}', b"{'word':1}", b'{"word":"\\ud800"}', b'{"word":"\\udc00x"}',
                      b'{"word":"\\ud800\\u0041"}', b'{"word":"\\x"}', b'{"word":"\\u12"}', b'{"word":"\n"}', b'{"word":"\xff"}', b'{"word":"\xc0\x80"}',
                      b'{"word":"x","word":"y"}', b'{"word":"x","wor\\u0064":"y"}', b'{"word":"x","n":01}', b'{"word":"x","n":1.}', b'{"word":"x","n":.5}',
                      b'{"word":"x","n":+1}', b'{"word":"x","n":1e}', b'{"word":"x","n":-}', b'{"word":"x","n":tru}', b'{"word":"x","n":NaN}',
                      b'{"word":"x","n":[1 2]}', b'{"word":"x","n":{"a" 1}}', b"[]", b"null", b'"word"', b"1",
                      b'{"word":"x","deep":' + b"[" * 32 + b"]" * 32 + b"}", b'{"word":"x","wide":[' + b"0," * 65_536 + b"0]}", b"[" * 100_000):
            problems = host.validate(wrong)
            self.assertEqual(1, len(problems), wrong[:80])
            self.assertRegex(problems[0].sentence, "JSON: at byte|expected an object")

    def test_reads_json_of_a_file_under_the_files_path(self):
        host = self.host()
        for content, paths in (('[{"id":"a"}]', []), ('[{"id":"a"},{"id":"too long"}]', ["file[1].id"]), ("[1", ["file"]), ("{}", ["file"]),
                               ("null", ["file"]), ("", ["file"]), (5, ["file"])):
            self.assertEqual(paths, [problem.path for problem in host.validate({"word": "x", "file": content})], content)

    def test_tells_the_host_fields_of_a_line_and_how_long_it_waits(self):
        host, _ = self.configured()
        host.withheld = []
        call_id = self.begin(host, b"flood", timeout_ms=10000)
        host.until(lambda: host.withheld)
        call = host.withheld[0].call
        self.assertEqual([("line", "0")], [(field.name, field.value) for field in host_messages.LogRequest.FromString(call.message).fields])
        self.assertTrue(1 <= call.timeout_ms <= 10000)
        host.release()
        host.wait(call_id)

    def test_survives_changed_configurations(self):
        """Each is answered; a crash would end the connection."""
        host, chance = self.host(), random.Random(3)
        right = '{"word":"\\u00e9\\ud83d\\ude00\u00e9","number":-0.5e+3,"list":[{"id":null},[true,false]],"layout":"\\n"}'.encode()
        for _ in range(3000):
            changed = bytearray(right)
            for _ in range(chance.randrange(1, 5)):
                at = chance.randrange(len(changed))
                changed[at:at + chance.randrange(3)] = bytes(chance.choice(b'{}[]",:\\u0d8.e+-tn\xf0\x9f\xff\0') for _ in range(chance.randrange(3)))
            host.validate(bytes(changed))

    def test_compares_names_by_their_bytes(self):
        """U+212A and U+2126 are K and Omega to Unicode, and names of their own here."""
        host = self.host()
        self.assertEqual([], list(host.validate('{"word":"x","\u212a":1,"K":2}'.encode())))
        self.assertEqual(["layout"], [problem.path for problem in host.validate({"word": "x", "layout": "\u017first"})])


def varint(value):
    return bytes([value & 0x7f | 0x80]) + varint(value >> 7) if value > 0x7f else bytes([value])


if __name__ == "__main__":
    sys.exit(0 if suite.run(CASES, sys.argv[1:], more=[SwiftLibraryTests]) else 1)
