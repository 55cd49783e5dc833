#!/usr/bin/python3 -B
"""The suite that every plugin passes, in any language: the protocol, and the verdicts on the cases of the plugin's own.

    suite.py [--sanitized] [--more FILE] [--only TEXT] [--launcher FILE] [--power OPTION]… CASES COMMAND [ARGUMENT…]

CASES is a file of cases (README.md), or "-" for standard input. --sanitized leaves out what a sanitizer makes meaningless: memory.
--only runs the tests whose names contain TEXT. --more names a file with tests of the plugin's own, in classes derived from
suite.PluginTestCase; its function set_up(cases, sandbox), if there is one, starts what the plugin needs outside. --launcher names the launcher of
plugins: the plugin runs in the sandbox, with the powers of each --power, such as --power=--ro=/etc/hosts.
"""
import argparse
import importlib.util
import itertools
import json
import pathlib
import random
import sys
import unittest

from host import CallFailed, Ended, Host, framed
from judgement import format_of, judged, request_for
from messages import frames, messages
from sandbox import Sandbox
from world import World, b64

EMPTY_FIELDS = b"\xfa\x07\x00" * 300_000          # field 127, empty: unknown to every message, 900 KB
MEMORY_LIMIT = 512 * 1024


class PluginTestCase(unittest.TestCase):
    """What tests of a plugin have in common: its command and its cases."""

    command, cases, sanitized, sandbox = None, None, False, None
    repetitions = 4_000          # of a call, until memory is measured again

    def host(self, case=None, **options):
        host = Host(self.command, World(case and case.get("world")), **{"sandbox": self.sandbox, **options})
        self.addCleanup(host.__exit__)
        return host

    @property
    def good(self):
        return next(case for case in self.cases if case["expect"]["verdict"] == "ACCEPTED")

    def configured(self, case=None):
        host = self.host(case or self.good)
        description = host.describe()
        self.assertEqual([], [(problem.path, problem.sentence) for problem in host.configure((case or self.good)["configuration"])])
        return host, description

    def assert_failed(self, code, reason, function, *arguments):
        with self.assertRaises(CallFailed) as raised:
            function(*arguments)
        self.assertEqual((code, reason), (raised.exception.code, raised.exception.reason))

    def assert_goes_on(self, host):
        self.assertTrue(host.describe().name)


class PluginSuite(PluginTestCase):
    # MARK: Start

    def test_says_what_it_is_when_it_is_started_by_hand(self):
        for environment in ({}, {"ASSAY_PLUGIN_COOKIE": "something else"}):
            host = self.host(environment=environment)
            self.assertEqual(64, host.wait_for_exit())
            self.assertIn(b"assayd", host.stderr)

    def test_describes_itself_without_a_configuration_and_always_alike(self):
        host = self.host()
        first = host.describe()
        self.assertIn(1, first.protocol_versions)
        self.assertRegex(first.name.decode(), r"^[a-z0-9-]{1,64}$")
        self.assertTrue(first.formats or first.observes)
        for declared in first.formats:
            self.assertRegex(declared.name.decode(), r"^[a-z0-9.-]{1,64}$")
            self.assertTrue(declared.purposes)
            self.assertTrue(1 <= declared.size_limit <= 524288)
            self.assertNotEqual(messages.FRESHNESS_UNSPECIFIED, declared.freshness)
        host.configure(self.good["configuration"])
        self.assertEqual(first, host.describe())

    def test_judges_nothing_before_it_is_configured(self):
        host = self.host()
        self.assert_failed(9, "not_configured", host.call, "Appraise", request_for(self.good, host))
        host.describe()
        self.assertTrue(host.configure(b"[1"))
        self.assert_failed(9, "not_configured", host.call, "Appraise", request_for(self.good, host))

    def test_validates_without_taking_anything_into_use(self):
        host = self.host()
        self.assertEqual([], list(host.validate(self.good["configuration"])))
        for wrong in (b"", b"{", b"[]", b"\xff", b'{"a":1,"a":2}'):
            problems = host.validate(wrong)
            self.assertTrue(problems)
            self.assertTrue(all(problem.sentence for problem in problems))
        self.assert_failed(9, "not_configured", host.call, "Appraise", request_for(self.good, host))

    def test_is_configured_once(self):
        host, _ = self.configured()
        with self.assertRaises(CallFailed):
            host.configure(self.good["configuration"])
        self.assertEqual("ACCEPTED", judged(host, host.describe(), self.good).verdict)

    # MARK: Calls

    def test_answers_a_method_that_it_does_not_have(self):
        host = self.host()
        for path in ("/assay.plugin.v1.Plugin/None", "/assay.plugin.v1.Host/Log", "", "/" + "x" * 5000, "/assay.plugin.v1.Plugin/Describe\0"):
            call_id = host.begin("", path=path or " ")
            self.assert_failed(12, "unknown_method", host.wait, call_id)
        self.assert_goes_on(host)

    def test_answers_a_message_that_cannot_be_decoded(self):
        host, _ = self.configured()
        for method in ("Describe", "Validate", "Configure", "Appraise"):
            for wrong in (b"\xff", b"\x0a\x05a", b"\x00"):
                self.assert_failed(3, "undecodable_message", host.wait, host.begin(method, wrong))
        self.assert_goes_on(host)

    def test_refuses_too_much_metadata(self):
        host = self.host()
        path = "/assay.plugin.v1.Plugin/Describe"
        call = frames.Call(method=path, metadata={str(index): "" for index in range(33)})
        host.in_flight[1000] = ("Describe", b"")
        host.send(framed(frames.Frame(call_id=1000, call=call)))
        self.assert_failed(3, "too_much_metadata", host.wait, 1000)
        self.assert_goes_on(host)

    def test_ignores_cancels_unknown_kinds_and_unknown_fields(self):
        host, description = self.configured()
        host.send(framed(frames.Frame(call_id=77, cancel=frames.Cancel())))
        host.send(b"\0\0\0\2\x08\x05")            # a call id alone
        host.send(b"\0\0\0\3\x52\1x")             # a kind of the future
        host.send(framed(frames.Frame(item=frames.Item(message=b"x"))))
        host.send(framed(frames.Frame(call_id=99, reply=frames.Reply(message=b"x"))))
        payload = request_for(self.good, host)
        token = payload.call_token
        host.wait(host.begin("Appraise", payload.SerializeToString() + b"\xfa\x07\x00", token=token))
        self.assertEqual("ACCEPTED", judged(host, description, self.good).verdict)

    def test_answers_pings_also_among_calls(self):
        host, _ = self.configured()
        host.ping()
        calls = [host.begin("Describe") for _ in range(10)]
        host.ping()
        for call_id in calls:
            host.wait(call_id)

    def test_answers_a_request_that_needs_too_much_memory(self):
        host = self.host()
        try:
            host.wait(host.begin("Describe", EMPTY_FIELDS))
        except CallFailed as failure:
            self.assertEqual(8, failure.code)
        self.assert_goes_on(host)

    def test_has_64_calls_in_flight(self):
        host, description = self.configured()
        requests = [request_for(self.good, host) for _ in range(64)]
        calls = [host.begin("Appraise", request.SerializeToString(), token=request.call_token) for request in requests]
        answers = [messages.AppraiseResponse.FromString(host.wait(call_id)) for call_id in calls]
        self.assertEqual(1, len({answer.SerializeToString() for answer in answers}))

    def test_reads_frames_that_come_in_pieces_and_many_at_once(self):
        host, _ = self.configured()
        request = request_for(self.good, host)
        host.in_flight.update({number: ("Appraise", request.call_token) for number in range(1000, 1020)})
        call = frames.Call(method="/assay.plugin.v1.Plugin/Appraise", message=request.SerializeToString())
        whole = b"".join(framed(frames.Frame(call_id=number, call=call)) for number in range(1000, 1020))
        # Single bytes of the first frame, then the rest. A reply must not come between them.
        host.withheld = []
        for at in range(40):
            host.send(whole[at:at + 1])
            host.until(lambda: not host.unsent)
        host.send(whole[40:])
        host.release()
        self.assertEqual(1, len({host.wait(number) for number in range(1000, 1020)}))

    def test_survives_changed_frames(self):
        """Each is answered, ignored, or ends the process by its own choice; a signal, or silence, fails."""
        chance, host = random.Random(2), None
        for _ in range(75):
            if host is None:
                host, _ = self.configured()
            request = request_for(self.good, host)
            call = frames.Call(method="/assay.plugin.v1.Plugin/Appraise", message=request.SerializeToString())
            payload = bytearray(frames.Frame(call_id=5000, call=call).SerializeToString())
            for _ in range(chance.randrange(1, 4)):
                payload[chance.randrange(min(len(payload), 300))] = chance.randrange(256)
            host.in_flight.update({5000: ("Appraise", request.call_token)})
            # Another id may have come of it.
            host.tolerates_any_reply = True
            host.send(len(payload).to_bytes(4, "big") + payload)
            try:
                host.ping()
            except Ended:
                self.assertGreater(host.wait_for_exit(), 0)
                host = None

    # MARK: Verdicts

    def test_gives_the_verdict_of_each_case(self):
        """Cases with one configuration are given to one process, one after the other: what it was given before changes no verdict."""
        cases = sorted(self.cases, key=lambda case: json.dumps(case["configuration"]))
        for _, alike in itertools.groupby(cases, key=lambda case: case["configuration"]):
            host = None
            for case in alike:
                with self.subTest(case["id"]):
                    if host is None:
                        host, description = self.configured(case)
                    # Another process for the next case, if this one fails.
                    used, host = host, None
                    used.world = World(case.get("world"))
                    self.check(judged(used, description, case), case["expect"])
                    host = used
            if host is not None:
                self.assertEqual(0, host.end())

    def check(self, verdict, expected):
        self.assertEqual(expected["verdict"], verdict.verdict, verdict)
        if expected["verdict"] == "REJECTED":
            self.assertIn(verdict.reason, expected["reasons"], verdict)
        for name, value in expected.get("claims", {}).items():
            self.assertEqual(value, verdict.claims.get(name), name)
        if "measurements" in expected:
            self.assertEqual(expected["measurements"], verdict.measurements, verdict)

    def test_never_accepts_a_changed_body(self):
        host, description = self.configured()
        body, chance = b64(self.good["body_b64"]), random.Random(1)
        changed = [body[:size] for size in {chance.randrange(len(body)) for _ in range(60)}] + [body + b"x", b""]
        for _ in range(60):
            at, byte = chance.randrange(len(body)), chance.randrange(256)
            other = body[:at] + bytes([byte]) + body[at + 1:]
            # Hex and names of headers are right in either case.
            if other.lower() != body.lower():
                changed.append(other)
        for other in changed:
            request = request_for(self.good, host)
            request.body = other
            if len(other) > format_of(description, self.good["format"]).size_limit:
                continue
            response = host.call("Appraise", request)
            outcomes = {finding.outcome for finding in response.findings}
            self.assertIn(messages.OUTCOME_FAIL, outcomes, other)
            self.assertFalse(response.claims)

    # MARK: The end

    def test_answers_what_is_in_flight_at_half_close_and_exits_with_0(self):
        host, description = self.configured()
        requests = [request_for(self.good, host) for _ in range(16)]
        calls = [host.begin("Appraise", request.SerializeToString(), token=request.call_token) for request in requests]
        asks = bool(description.host_services)
        self.assertEqual(0, host.end())
        for call_id in calls:
            status = host.replies[call_id].status.code
            self.assertIn(status, (0, 14) if asks else (0,))

    def test_exits_with_0_when_it_was_never_called(self):
        self.assertEqual(0, self.host().end())

    def test_ends_when_the_daemon_is_gone(self):
        host, _ = self.configured()
        host.socket.close()
        host.ended = True
        self.assertGreaterEqual(host.wait_for_exit(), 0)

    def test_ends_with_an_error_when_the_framing_is_broken(self):
        broken = {
            "length 0": b"\0\0\0\0", "length above the limit": b"\0\x10\0\1", "the largest length": b"\xff\xff\xff\xff",
            "no frame": b"\0\0\0\1\xff", "two kinds": b"\0\0\0\4\x3a\0\x3a\0",
        }
        for name, data in broken.items():
            with self.subTest(name):
                host = self.host()
                host.send(data)
                self.assertGreater(host.wait_for_exit(), 0)
                self.assertTrue(host.stderr.strip())

    def test_ends_with_status_1_when_the_connection_ends_within_a_frame(self):
        for part in (b"\0", b"\0\0\0\x0a", b"\0\0\0\x0a\x08\1\x12"):
            host = self.host()
            host.describe()
            host.send(part)
            self.assertEqual(1, host.end())
            self.assertTrue(host.stderr.strip())

    # MARK: Memory

    def test_needs_no_more_memory_after_many_calls(self):
        host, _ = self.configured()

        def repeat(count):
            for _ in range(count // 50):
                requests = [request_for(self.good, host) for _ in range(50)]
                for call_id in [host.begin("Appraise", request.SerializeToString(), token=request.call_token) for request in requests]:
                    host.wait(call_id)
        if self.sanitized:
            return repeat(500)
        repeat(self.repetitions // 10)
        before = host.resident_bytes()
        repeat(self.repetitions * 9 // 10)
        self.assertLess(host.resident_bytes() - before, MEMORY_LIMIT)


def run(cases, command, sanitized=False, more=(), sandbox=None, only=None):
    """Runs the suite, and tests of the plugin's own; True if all passed."""
    PluginTestCase.sandbox = sandbox
    PluginTestCase.command, PluginTestCase.cases, PluginTestCase.sanitized = command, cases, sanitized
    loader = unittest.TestLoader()
    loader.testNamePatterns = [f"*{only}*"] if only else None
    suite = unittest.TestSuite(loader.loadTestsFromTestCase(kind) for kind in (PluginSuite, *more))
    return unittest.TextTestRunner(verbosity=1).run(suite).wasSuccessful()


def module_of(path):
    """The file of tests as a module."""
    sys.path[:0] = [str(pathlib.Path(__file__).parent), str(pathlib.Path(path).parent)]
    # The file imports this module by its name.
    sys.modules.setdefault("suite", sys.modules[__name__])
    specification = importlib.util.spec_from_file_location("tests_of_the_plugin", path)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def test_classes(module):
    """The classes of tests that a module defines."""
    return [kind for kind in vars(module).values() if isinstance(kind, type) and kind.__module__ == module.__name__]


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n")[2].strip())
    parser.add_argument("--sanitized", action="store_true")
    parser.add_argument("--more")
    parser.add_argument("--only")
    parser.add_argument("--launcher")
    parser.add_argument("--power", action="append", default=[])
    parser.add_argument("cases")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    with (sys.stdin if arguments.cases == "-" else open(arguments.cases)) as file:
        cases = json.load(file)["cases"]
    sandbox = None
    if arguments.launcher:
        sandbox = Sandbox(arguments.launcher, [part for power in arguments.power for part in power.split("=", 1)])
    print(f"{len(cases)} cases for {' '.join(arguments.command)}{', in the sandbox' if sandbox else ''}")
    more = []
    if arguments.more:
        module = module_of(arguments.more)
        more = test_classes(module)
        getattr(module, "set_up", lambda *_: None)(cases, sandbox)
    sys.exit(0 if run(cases, arguments.command, arguments.sanitized, more, sandbox, arguments.only) else 1)


if __name__ == "__main__":
    main()
