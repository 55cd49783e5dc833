"""What is true of several tokens, and of configurations. Run by plugins/sdk/tests/suite.py --more."""
import suite
from camera import statement
from host import CallFailed
from judgement import judged, request_for
from vectors import CAMERA, NOW, case, token


class TokenTests(suite.PluginTestCase):
    def test_the_same_token_with_another_signature_is_the_same_statement(self):
        one, other, later = CAMERA.signed(token()), CAMERA.signed(token(), der=True), CAMERA.signed(token(timestamp=NOW + 1))
        host, description = self.configured(case("", one))
        digests = [judged(host, description, case("", body)).statement for body in (one, other, later)]
        self.assertNotEqual(one["device_signature"], other["device_signature"])
        self.assertEqual([statement(one), statement(one), statement(later)], digests)

    def test_asks_for_no_more_keys_than_it_needs_and_for_none_after_a_cheap_check_failed(self):
        for body, calls in ((CAMERA.signed(token()), 2), (CAMERA.signed(token(pair=2)), 4), (CAMERA.signed(token(timestamp=NOW + 100)), 0)):
            host, description = self.configured(case("", body))
            judged(host, description, case("", body))
            self.assertEqual(calls, host.host_call_count)

    def test_has_the_assurance_of_its_configuration(self):
        for word, number in ((None, 1), ("software", 1), ("hardware", 3), ("secure_element", 4)):
            good = case("", CAMERA.signed(token()), configuration={"assurance": word})
            host, _ = self.configured(good)
            self.assertEqual(number, host.call("Appraise", request_for(good, host)).assurance)

    def test_is_unavailable_without_a_fleet(self):
        good = case("", CAMERA.signed(token()))
        host, description = self.configured({**good, "world": {}})
        with self.assertRaises(CallFailed) as raised:
            judged(host, description, good)
        self.assertEqual((14, "host_refused"), (raised.exception.code, raised.exception.reason))
        self.assertIn("fleet_not_configured", raised.exception.message)

    def test_is_unavailable_for_a_device_whose_key_is_of_another_kind(self):
        good = case("", CAMERA.signed(token(secret=b"\x33" * 32)))
        host, description = self.configured(good)
        with self.assertRaises(CallFailed) as raised:
            judged(host, description, good)
        self.assertEqual("device_key_unusable", raised.exception.reason)

    def test_reports_what_is_wrong_with_a_configuration(self):
        host = self.host()
        wrong = {"token_layout": ["tag-nonce-ciphertext", 1], "max_future_seconds": [-1, 3601, "60"], "max_age_seconds": [0, 398 * 86400 + 1],
                 "assurance": ["none"]}
        for name, values in wrong.items():
            for value in values:
                self.assertEqual([name], [problem.path for problem in host.validate({name: value})])
        self.assertFalse(host.validate({}))
