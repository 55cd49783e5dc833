"""What is true of the package in Python alone. Run by plugins/sdk/tests/test_specimen.py --more."""
import contextlib
import json
import pathlib
import random
import sys
import time
import unittest

import suite
import test_specimen
from host import CallFailed, framed
from messages import frames, messages

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from assay_plugin import Code, Format, Freshness, Key, Plugin, Purpose, Retry, ValueKind, parse_json, shown  # noqa: E402
from assay_plugin.faults import Fault, Unavailable  # noqa: E402
from assay_plugin.frame import CALL, REPLY, FrameError, call_frame, read_frame, reply_frame, status_frame  # noqa: E402
from assay_plugin.sentences import sentence  # noqa: E402
from assay_plugin.settings import Problems, Settings  # noqa: E402


class HandlerTests(test_specimen.LibraryBase):
    def test_goes_on_after_an_exception_and_says_where_it_was_raised(self):
        host, _ = self.configured()
        self.assert_failed(13, "exception", self.appraise, host, b"raise")
        self.assert_failed(13, "exception", self.appraise, host, b"leave")
        self.assert_failed(13, "exception", self.appraise, host, b"recurse")
        self.assertTrue(self.appraise(host, b"claims").claims)
        host.end()
        for part in (b"Appraise: KeyError", b"in raise_secret", b"after ValueError", b"Appraise: SystemExit", b"Appraise: RecursionError"):
            self.assertIn(part, host.stderr)

    def test_does_not_repeat_what_an_exception_says(self):
        host, _ = self.configured()
        with self.assertRaises(CallFailed) as raised:
            self.appraise(host, b"raise")
        self.assertNotIn("secret", raised.exception.message)
        host.end()
        # The text of the source stands in the trace, the value does not.
        self.assertNotIn(b"invalid literal", host.stderr)
        self.assertNotIn(b"Traceback", host.stderr)

    def test_answers_what_the_daemon_would_refuse(self):
        host, _ = self.configured()
        for body, reason in ((b"twice", "too_many_claims"), (b"range", "claim_out_of_range"), (b"long", "claim_out_of_range"),
                             (b"name", "malformed_name"), (b"token", "token_invalid"), (b"effects", "two_effects")):
            self.assert_failed(13, reason, self.appraise, host, body)

    def test_a_failed_check_counts_even_if_the_handler_goes_on(self):
        host, _ = self.configured()
        response = self.appraise(host, b"caught")
        self.assertEqual([messages.OUTCOME_FAIL, messages.OUTCOME_PASS], [finding.outcome for finding in response.findings])
        self.assertFalse(response.claims or response.verified_client_data_sha256)

    def test_says_when_trying_again_may_help(self):
        host, _ = self.configured()
        call_id = self.begin(host, b"fault")
        host.until(lambda: call_id in host.replies)
        self.assertEqual(1500, host.replies[call_id].status.retry_after_ms)

    def test_ends_a_call_whose_host_is_later_than_its_deadline(self):
        host, _ = self.configured()
        host.withheld = []
        begun = time.monotonic()
        self.assert_failed(14, "host_gone", host.wait, self.begin(host, b"ask", timeout_ms=200))
        self.assertLess(0.15, time.monotonic() - begun)
        # The late answer is dropped, and its place is free again.
        host.release()
        self.assertTrue(self.appraise(host, b"claims").claims)
        self.assertEqual(100, len(self.flooded(host)))

    def flooded(self, host):
        self.appraise(host, b"flood")
        return host.world.log


class OnThreads:
    """The same plugin with 8 threads."""

    @property
    def command(self):
        return [*suite.PluginTestCase.command, "8"]


class ThreadedSuite(OnThreads, suite.PluginSuite):
    repetitions = 3000


class ThreadedHandlerTests(OnThreads, HandlerTests):
    def test_serves_8_calls_at_the_same_time(self):
        host, _ = self.configured()
        host.withheld = []
        calls = [self.begin(host, b"ask") for _ in range(8)]
        host.until(lambda: len(host.withheld) == 8)
        host.ping()
        host.release()
        for call_id in calls:
            host.wait(call_id)

    def test_answers_while_others_wait(self):
        host, _ = self.configured()
        host.withheld = []
        waiting = [self.begin(host, b"ask") for _ in range(7)]
        host.until(lambda: len(host.withheld) == 7)
        for _ in range(20):
            self.assertTrue(self.appraise(host, b"claims").claims)
        host.release()
        for call_id in waiting:
            host.wait(call_id)

    def test_bounds_the_calls_that_wait(self):
        host, _ = self.configured()
        host.withheld = []
        for _ in range(8):
            self.begin(host, b"ask")
        host.until(lambda: len(host.withheld) == 8)
        others = [self.begin(host, b"claims") for _ in range(300)]
        host.ping()
        refused = [call_id for call_id in others if call_id in host.replies]
        self.assertEqual(others[256:], refused)
        self.assert_failed(8, "too_many_calls", host.wait, refused[0])
        host.release()
        for call_id in others[:256]:
            host.wait(call_id)

    def test_has_at_most_16_calls_to_the_host_in_flight(self):
        host, _ = self.configured()
        host.withheld = []
        calls = [self.begin(host, b"flood") for _ in range(4)]
        host.until(lambda: len(host.withheld) == 16)
        host.ping()
        self.assertEqual(16, len(host.withheld))
        host.release()
        for call_id in calls:
            host.wait(call_id)
        self.assertEqual(400, len(host.world.log))

    def test_answers_what_is_in_flight_at_half_close_without_the_host(self):
        host, _ = self.configured()
        host.withheld = []
        calls = [self.begin(host, b"ask") for _ in range(8)]
        host.until(lambda: len(host.withheld) == 8)
        calls += [self.begin(host, b"claims") for _ in range(40)]
        self.assertEqual(0, host.end())
        self.assertEqual([14] * 8 + [0] * 40, [host.replies[call_id].status.code for call_id in calls])

    def test_does_not_begin_what_is_too_late(self):
        host, _ = self.configured()
        host.withheld = []
        waiting = [self.begin(host, b"ask") for _ in range(8)]
        host.until(lambda: len(host.withheld) == 8)
        late, early = self.begin(host, b"claims", timeout_ms=50), self.begin(host, b"claims", timeout_ms=60_000)
        host.ping()
        time.sleep(0.1)
        host.release()
        host.until(lambda: not host.in_flight)
        self.assertEqual((4, 0), (host.replies[late].status.code, host.replies[early].status.code))
        self.assertEqual({0}, {host.replies[call_id].status.code for call_id in waiting})

    def test_ends_at_once_when_the_framing_is_broken_and_handlers_wait(self):
        host, _ = self.configured()
        host.withheld = []
        self.begin(host, b"ask")
        host.until(lambda: host.withheld)
        host.send(b"\0\0\0\0")
        self.assertEqual(1, host.wait_for_exit())


class FrameTests(unittest.TestCase):
    def test_reads_what_the_generated_code_writes(self):
        call = frames.Call(method="/m", message=b"x" * 300, timeout_ms=70000, metadata={"a": "b", "c": "é"})
        frame = read_frame(frames.Frame(call_id=1 << 63, call=call).SerializeToString())
        self.assertEqual((1 << 63, CALL, b"/m", b"x" * 300, 70000, 2),
                         (frame.call_id, frame.kind, frame.method, frame.message, frame.timeout_ms, frame.metadata_count))
        status = frames.Status(code=14, message="é", reason="down", retry_after_ms=5)
        frame = read_frame(frames.Frame(call_id=3, reply=frames.Reply(status=status, message=b"m")).SerializeToString())
        self.assertEqual((3, REPLY, 14, "é".encode(), b"down", b"m"),
                         (frame.call_id, frame.kind, frame.code, frame.sentence, frame.reason, frame.message))

    def test_writes_what_the_generated_code_writes(self):
        for size in (0, 1, 127, 128, 70000):
            message = b"x" * size
            self.assertEqual(framed(frames.Frame(call_id=300, reply=frames.Reply(message=message))), reply_frame(300, message))
            call = frames.Call(method="/m", message=message, timeout_ms=size)
            self.assertEqual(framed(frames.Frame(call_id=1, call=call)), call_frame(1, b"/m", message, size))
        status = frames.Status(code=14, message="a sentence", reason="down", retry_after_ms=1500)
        self.assertEqual(framed(frames.Frame(call_id=1, reply=frames.Reply(status=status))),
                         status_frame(1, Unavailable("down", "a sentence", 1.5)))

    def test_refuses_what_is_larger_than_a_frame(self):
        for write in (lambda message: reply_frame(1, message), lambda message: call_frame(1, b"/m", message, 0)):
            with self.assertRaises(Fault):
                write(bytes(1024 * 1024))

    def test_refuses_what_is_no_frame(self):
        for wrong in (
                "ff", "08", "0b0c", "10", "3a003a00", "3a004200", "12040a016d0a016d", "1204120012000a00", "12030a01ff", "1202 0b0c",
                "1a040a021201", "00", "0a0100", "0d00000000", "08ffffffffffffffffff02", "12061804", "12042202 0aff", "f8ffffffff0f01"):
            data = bytes.fromhex(wrong.replace(" ", ""))
            with self.subTest(wrong), self.assertRaises(FrameError):
                read_frame(data)

    def test_steps_over_what_it_does_not_know(self):
        for unknown in ("0805", "520178", "fa0700", "fd07000000 00", "f907 0000000000000000", "f807 05"):
            self.assertEqual(0, read_frame(bytes.fromhex(unknown.replace(" ", ""))).kind)

    def test_never_raises_anything_else(self):
        chance = random.Random(3)
        whole = frames.Frame(call_id=5, call=frames.Call(method="/m", message=b"x" * 30, timeout_ms=9, metadata={"a": "b"})).SerializeToString()
        for _ in range(20000):
            changed = bytearray(whole[:chance.randrange(1, len(whole) + 1)])
            for _ in range(chance.randrange(4)):
                changed[chance.randrange(len(changed))] = chance.randrange(256)
            try:
                read_frame(bytes(changed))
            except FrameError:
                pass


class JSONTests(unittest.TestCase):
    def test_reads_strict_json(self):
        for text, value in (('{"a": [1, -2.5, true, null, "\\u00e9\\ud83d\\ude00"]}', {"a": [1, -2.5, True, None, "é😀"]}), ('"é"', "é")):
            self.assertEqual(value, parse_json(text.encode()))

    def test_refuses_the_rest(self):
        for wrong in (b"", b"{", b'{"a":1,"a":2}', b'{"x":{"a":1,"\\u0061":2}}', b"\xff", b'"\xed\xa0\x80"', b'"\\ud800"', b'{"\\udc00": 1}', b"NaN",
                      b"-Infinity", b"1e999", b"[1,]", b"01", b"1 2", b"'a'", b"\xef\xbb\xbf1", b"[" * 100_000, b'{"a":' * 100_000, b"9" * 5000, b'"a\nb"'):
            with self.subTest(wrong[:20]), self.assertRaises(ValueError) as raised:
                parse_json(wrong)
            self.assertTrue(str(raised.exception))
        with self.assertRaises(ValueError):
            parse_json('"\ud800"')

    def test_bounds_the_depth_before_it_decodes(self):
        for opening, closing in (("[", "]"), ('{"a":', "}"), ('["]]",', "]")):
            self.assertTrue(parse_json(opening * 63 + "[]" + closing * 63))
            with self.assertRaisesRegex(ValueError, "64 levels"):
                parse_json(opening * 64 + "[]" + closing * 64)
        # Many brackets, and none of them deep.
        self.assertEqual([[]] * 1000, parse_json("[" + ",".join(["[]"] * 1000) + "]"))
        self.assertEqual("[" * 1000, parse_json(json.dumps("[" * 1000)))
        self.assertEqual('"[' * 1000, parse_json(json.dumps('"[' * 1000)))

    def test_takes_no_longer_for_what_is_meant_to_be_slow(self):
        begun = time.monotonic()
        for hostile in ('"' + '\\"' * 250_000 + "[" * 65, '[' * 65 + '"' * 400_000, "[]," * 170_000, '{"a":1,' * 60 + '"b' * 200_000,
                        "1." + "1" * 500_000, "[" + "-" * 500_000, '"' + "\\u0041" * 80_000):
            with self.assertRaises(ValueError) if hostile[0] != "1" else contextlib.nullcontext():
                parse_json(hostile)
        self.assertLess(time.monotonic() - begun, 5)


class SettingsTests(unittest.TestCase):
    def problems(self, members, read):
        problems = Problems()
        value = read(Settings(members, problems))
        return value, problems.found

    def test_reads_values_and_defaults(self):
        members = {"t": "text", "i": 5, "n": 0.5, "b": True, "h": "00ff", "c": "x", "l": ["a", "b"], "o": {"t": "inner"}, "none": None}
        value, found = self.problems(members, lambda settings: (
            settings.text("t"), settings.integer("i", 1, 9), settings.number("n", 0, 1), settings.boolean("b"), settings.hex("h", 2),
            settings.choice("c", ["x", "y"]), settings.texts("l", 1, 3), settings.object("o", ["t"]).text("t"), settings.text("none", "d"),
            settings.integer("other", 1, 9, 3), settings.boolean("other", False), settings.texts("other", 0, 3), settings.hex("other", 1, b"x")))
        self.assertEqual(("text", 5, 0.5, True, b"\0\xff", "x", ["a", "b"], "inner", "d", 3, False, [], b"x"), value)
        self.assertEqual([], found)

    def test_reports_what_is_wrong_and_goes_on(self):
        for members, read, path in (
                ({}, lambda settings: settings.text("a"), "a"), ({}, lambda settings: settings.objects("a", 1, 3, []), "a"),
                ({"a": 5}, lambda settings: settings.text("a"), "a"), ({"a": "x\0"}, lambda settings: settings.text("a"), "a"),
                ({"a": "é"}, lambda settings: settings.text("a", limit=1), "a"), ({"a": "0"}, lambda settings: settings.hex("a", 1), "a"),
                ({"a": "0g"}, lambda settings: settings.hex("a", 1), "a"), ({"a": " 1"}, lambda settings: settings.hex("a", 1), "a"),
                ({"a": True}, lambda settings: settings.integer("a", 0, 9), "a"), ({"a": 1.0}, lambda settings: settings.integer("a", 0, 9), "a"),
                ({"a": 2}, lambda settings: settings.number("a", 0, 1), "a"), ({"a": "x"}, lambda settings: settings.number("a", 0, 1), "a"),
                ({"a": 0}, lambda settings: settings.boolean("a"), "a"), ({"a": ["x"]}, lambda settings: settings.choice("a", ["x"]), "a"),
                ({"a": ["x", 1]}, lambda settings: settings.texts("a", 1, 3), "a[1]"), ({"a": "x"}, lambda settings: settings.texts("a", 1, 3), "a"),
                ({"a": 1}, lambda settings: settings.object("a", ["b"]), "a"), ({"a": {"c": 1}}, lambda settings: settings.object("a", ["b"]), "a.c"),
                ({"a": {}}, lambda settings: settings.object("a", ["b"]).text("b"), "a.b")):
            with self.subTest(members=members):
                value, found = self.problems(members, read)
                self.assertEqual([path], [where for where, _ in found])
                self.assertIsNotNone(value)

    def test_reports_at_most_100(self):
        self.assertEqual(100, len(self.problems({"a": [1] * 200}, lambda settings: settings.texts("a", 0, 200))[1]))


class DeclarationTests(unittest.TestCase):
    def format(self, **changes):
        members = {"name": "a.b", "purposes": [Purpose.ASSERT], "size_limit": 1, "freshness": Freshness.CHALLENGE, "appraise": print}
        return Format(**{**members, **changes})

    def test_refuses_what_the_daemon_would_refuse(self):
        for make in (
                lambda: self.format(name="A"), lambda: self.format(purposes=[]), lambda: self.format(size_limit=0),
                lambda: self.format(size_limit=524289), lambda: self.format(codes=[Code("a", Retry.NEVER, "")] * 2),
                lambda: self.format(codes=[Code("a.b", Retry.NEVER, "")]), lambda: Plugin("a", "1"), lambda: Plugin("A", "1", [self.format()]),
                lambda: Plugin("a", "1" * 65, [self.format()]), lambda: Plugin("a", "1", [self.format()] * 2),
                lambda: Plugin("a", "1", [self.format()], concurrency=0),
                lambda: self.format(codes=[Code("a", Retry.NEVER, "", "x" * 65)]), lambda: self.format(codes=[Code("a", Retry.NEVER, "", "é")]),
                lambda: self.format(measures=["lidar"]), lambda: self.format(freshness=Freshness.PAYLOAD, measures=["Lidar"]),
                lambda: self.format(freshness=Freshness.PAYLOAD, measures=["l" * 33]), lambda: self.format(freshness=Freshness.PAYLOAD, measures=["a", "a"]),
                lambda: self.format(freshness=Freshness.PAYLOAD, measures=[f"a{number}" for number in range(17)]),
                lambda: Plugin("a", "1", [self.format()], configuration_keys=[Key("K", ValueKind.TEXT, "")])):
            with self.assertRaises(ValueError):
                make()

    def test_takes_what_the_daemon_would_take(self):
        self.format(freshness=Freshness.PAYLOAD, measures=[f"a{number}" for number in range(15)] + ["l" * 32], codes=[Code("a", Retry.NEVER, "", "x" * 64)])

    def test_makes_sentences_safe(self):
        self.assertEqual("a?b?", sentence("a\nb\x1b"))
        self.assertEqual("?é", sentence(shown(b"\xff\xc3\xa9")))
        self.assertEqual(1024, len(sentence("é" * 2000).encode()))
        self.assertEqual("?", sentence("\ud800"))
