"""What is true of all packages, and of configurations. Run by plugins/sdk/tests/suite.py --more."""
import suite
from capture import nested, package
from judgement import judged, request_for
from messages import messages
from vectors import IDENTITY, NOW, SALT, case, entry

DAY_MS = 24 * 3600 * 1000


class CaptureTests(suite.PluginTestCase):
    def test_lists_all_errors_of_each_case(self):
        hosts = {}
        for found in self.cases:
            with self.subTest(found["id"]):
                name = repr((found["configuration"], found["world"]))
                host, _ = hosts.get(name) or hosts.setdefault(name, self.configured(found))
                response = host.call("Appraise", request_for(found, host))
                errors = [finding.code.decode() for finding in response.findings if finding.outcome == messages.OUTCOME_FAIL]
                self.assertEqual(found["expect"]["errors"], sorted(errors))
                self.assertTrue(all(finding.detail for finding in response.findings if finding.outcome == messages.OUTCOME_FAIL))

    def test_each_code_that_is_declared_is_given_in_a_case(self):
        _, description = self.configured()
        given = {code for found in self.cases for code in found["expect"]["errors"]}
        declared = {code.code.decode() for code in description.formats[0].codes}
        self.assertEqual(declared | {"malformed", "timestamp_too_old", "timestamp_in_future"}, given)

    def test_sentences_name_the_place_in_the_nested_form(self):
        good = nested(package(SALT, NOW))
        host, description = self.configured(case("", good))
        binding, proof = good["salt_binding"], good["signature_proof"]
        for body, sentence in (
                ({**good, "protocol_version": 2}, "expected protocol_version 1, found 2"),
                ({**good, "salt_binding": {**binding, "binding_hash": "00"}}, "expected salt_binding.binding_hash as 32 bytes in hex"),
                ({**good, "signature_proof": {**proof, "client_id": ""}}, "expected signature_proof.client_id as text of 1 to 128 bytes without control characters"),
                ({**good, "signature_proof": {**proof, "user_public_key": "00" * 33}}, "expected signature_proof.user_public_key as a key of ed25519; its 33 bytes are not one"),
                ({**good, "signature_proof": 5}, "expected signature_proof as an object, found a number"),
                ({**good, "signature_proof": {**proof, "note": 1}}, "expected the 5 members of signature_proof and no more, found 6")):
            self.assertEqual(sentence, judged(host, description, case("", body)).detail)

    def test_the_two_forms_of_a_package_have_one_salt(self):
        flat = package(SALT, NOW)
        first = case("first", nested(flat))
        host, description = self.configured(first)
        tokens = [host.call("Appraise", request_for(case("", body), host)).used_tokens[0].token for body in (flat, nested(flat))]
        self.assertEqual([SALT, SALT], tokens)
        host.world.used.add(SALT)
        self.assertEqual("salt_replayed", judged(host, description, case("", flat)).reason)

    def test_accepts_each_salt_once_also_under_a_new_time(self):
        first = case("first", package(SALT, NOW))
        host, description = self.configured(first)
        response = host.call("Appraise", request_for(first, host))
        self.assertEqual([(SALT, b"salt_replayed")], [(token.token, token.used_code) for token in response.used_tokens])
        self.assertEqual(400 * DAY_MS, response.used_tokens[0].until_unix_ms - first["now_unix_ms"])
        host.world.used.add(SALT)
        again = case("again", package(SALT, NOW + 86_400), now=NOW + 86_400)
        self.assertEqual("salt_replayed", judged(host, description, again).reason)

    def test_does_not_ask_about_a_salt_of_another_length(self):
        short = case("short", package(SALT[:31], NOW))
        host, _ = self.configured(short)
        host.call("Appraise", request_for(short, host))
        self.assertEqual(0, host.host_call_count)

    def test_a_host_that_does_not_answer_leaves_the_package_unjudged(self):
        found = case("good", package(SALT, NOW))
        host, _ = self.configured(found)
        host.declared = set()
        self.assert_failed(14, "host_refused", host.call, "Appraise", request_for(found, host))

    def test_reports_each_problem_of_the_registry(self):
        host = self.host()
        other = {"public_key": "22" * 32}

        def paths(*clients, **more):
            return [problem.path for problem in host.validate({"clients": list(clients), **more})]
        self.assertEqual([], paths(entry(), entry(state="pending", **other), entry(state="revoked", public_key="33" * 32)))
        self.assertEqual(["clients[0].valid_until"], paths(entry(state="deprecated")))
        self.assertEqual(["clients[0].valid_until"], paths(entry(valid_until="2025-01-15T00:00:20Z")))
        self.assertEqual([], paths(entry(state="deprecated", valid_until="2024-02-29T23:59:59Z")))
        for wrong in ("2025-02-29T00:00:00Z", "2025-01-15", "2025-01-15T24:00:00Z", "2025-01-15T00:00:00+00:00", "2025-1-15T00:00:00Z", "", 5):
            self.assertEqual(["clients[0].valid_until"], paths(entry(state="deprecated", valid_until=wrong)), wrong)
        self.assertEqual(["clients[1].public_key"], paths(entry(), entry(client_id="other")))
        self.assertEqual(["clients[0].state", "clients[1].public_key", "clients[2].client_id", "clients[2].since"],
                         sorted(paths(entry(state="Active"), entry(public_key="22" * 31), entry(client_id="", since=1, public_key="44" * 32))))
        self.assertEqual(["clients[0].public_key"], paths(entry(public_key=IDENTITY)))
        self.assertEqual(["clients"], paths())
        self.assertEqual(["max_age_seconds", "max_ahead_seconds", "salt_days"],
                         paths(entry(), max_age_seconds=301, max_ahead_seconds=31, salt_days=401))
        self.assertEqual(100, len(paths(*[{}] * 1000)))
