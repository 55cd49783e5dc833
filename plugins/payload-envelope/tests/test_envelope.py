"""What is true of several envelopes, and of configurations. Run by plugins/sdk/tests/suite.py --more."""
import json

import suite
from envelope import sealed, token
from judgement import judged
from vectors import GOLDEN, HEADERS, ID, OTHER, PAYLOAD, SECRET, TIME, case, rejected, versions, with_mac, with_member


class EnvelopeTests(suite.PluginTestCase):
    def verdicts(self, host, description, *cases):
        return [judged(host, description, one) for one in cases]

    def test_every_failure_of_cryptography_looks_alike(self):
        host, description = self.configured(case("", GOLDEN))
        flipped = "A" + GOLDEN["envelope"]["auth_tag"][1:]
        seen = self.verdicts(
            host, description, rejected("tag", with_member("auth_tag", flipped)), rejected("mac", {**with_mac(HEADERS), "headers": {}}),
            rejected("secret", {"envelope": sealed(PAYLOAD, OTHER, TIME, ID)}), rejected("id", with_member("request_id", ID.lower())))
        self.assertEqual({("REJECTED", "decryption_failed", "cryptography", seen[0].detail)},
                         {(verdict.verdict, verdict.reason, verdict.check, verdict.detail) for verdict in seen})

    def test_derives_a_key_once(self):
        host, description = self.configured(case("", GOLDEN))
        self.verdicts(host, description, *[case("", GOLDEN)] * 20)
        # The envelope's and the MAC's.
        self.assertEqual({b"derivations": 2}, host.world.metrics)

    def test_derives_nothing_for_what_cheap_checks_refuse(self):
        host, description = self.configured(case("", GOLDEN))
        used = case("", GOLDEN)
        host.world.used.add(token(ID, bytes(range(12))))
        self.verdicts(host, description, used, rejected("old", GOLDEN, at="2025-01-01T01:00:00Z"), rejected("form", with_member("iv", "")))
        self.assertEqual({}, host.world.metrics)

    def test_tells_the_keys_of_two_secrets_apart(self):
        host, description = self.configured(case("", GOLDEN, configuration=versions()))
        for secret, name in ((SECRET, "old"), (OTHER, "new"), (SECRET, "old")):
            verdict = judged(host, description, case("", {"envelope": sealed(PAYLOAD, secret, TIME, ID)}))
            self.assertEqual(("ACCEPTED", name), (verdict.verdict, verdict.claims["secret_id"]))
        self.assertEqual({b"derivations": 2}, host.world.metrics)

    def test_says_when_no_secret_is_valid(self):
        ended = case("", GOLDEN, configuration={"secrets": [{"id": "1", "secret": SECRET, "not_after": "2024-01-01T00:00:00Z"}]})
        host, description = self.configured(ended)
        self.assertEqual("decryption_failed", judged(host, description, ended).reason)
        host.ping()
        self.assertIn("none of the 1 secrets is valid now", host.world.log[0][1])

    def test_reports_what_is_wrong_with_a_configuration(self):
        secret = {"id": "1", "secret": "x"}
        wrong = {
            "secrets": [{}, {"secrets": [secret], "secrets_file": "[]"}],
            "secrets[1].id": [{"secrets": [secret, secret]}, {"secrets": [secret, {"secret": "x"}]}, {"secrets": [secret, {"id": "", "secret": "x"}]}],
            "secrets[0].secret": [{"secrets": [{"id": "1"}]}, {"secrets": [{"id": "1", "secret": "x" * 1025}]}, {"secrets": [{"id": "1", "secret": 5}]}],
            "secrets[0].key": [{"secrets": [{**secret, "key": 1}]}],
            "secrets[0].not_after": [{"secrets": [{**secret, "not_after": "tomorrow"}]}],
            "secrets[0]": [{"secrets": ["x"]}, {"secrets": [{**secret, "not_before": "2025-01-02T00:00:00Z", "not_after": TIME}]}],
            "secrets_file": [{"secrets_file": "[{"}, {"secrets_file": "{}"}, {"secrets_file": "[]"}],
            "secrets_file[0].id": [{"secrets_file": json.dumps([{"secret": "x"}])}],
            "window_seconds": [{"secrets": [secret], "window_seconds": 0}, {"secrets": [secret], "window_seconds": 3601}, {"secrets": [secret], "window_seconds": 1.5}],
            "require_mac": [{"secrets": [secret], "require_mac": "yes"}],
        }
        wrong["secrets"] += [{"secrets": []}, {"secrets": [secret] * 9}, {"secrets": "x"}]
        host = self.host()
        for path, configurations in wrong.items():
            for configuration in configurations:
                with self.subTest(configuration=configuration):
                    problems = host.validate(configuration)
                    self.assertEqual([path], [problem.path for problem in problems])
                    self.assertNotIn("test-secret", problems[0].sentence)
