"""What is true of all bodies, of configurations, and of the process's memory. Run by plugins/sdk/tests/suite.py --more."""
import random
import re
import resource
from base64 import b64decode

import suite
from box import b64, envelope, fingerprint, public, sealed, sha256
from judgement import judged, request_for
from vectors import GOLDEN, NEXT, OTHER, OWN, TEXT, ZERO_KEYS, bound, case, changed, is_checked, opening, rejected, structure

MARK = b"a sentence that stands nowhere else, 4711"
VAULT_BYTES = 393_216 + 256


def memory_of(process):
    """The readable memory of a process, region by region."""
    with open(f"/proc/{process}/maps") as maps, open(f"/proc/{process}/mem", "rb", 0) as memory:
        for line in maps:
            start, end = (int(part, 16) for part in line.split()[0].split("-"))
            if line.split()[1].startswith("r") and "[v" not in line:
                memory.seek(start)
                try:
                    yield memory.read(end - start)
                except OSError:
                    pass  # a region that cannot be read from outside


class BoxTests(suite.PluginTestCase):
    def test_each_code_that_is_declared_is_given_in_a_case(self):
        _, description = self.configured()
        given = {code for found in self.cases for code in found["expect"]["reasons"]}
        self.assertEqual({code.code.decode() for code in description.formats[0].codes} | {"malformed", "unsupported_algorithm", "decryption_failed"}, given)

    def test_every_failure_of_cryptography_looks_alike(self):
        host, description = self.configured(case("", GOLDEN))
        other = sealed(TEXT, OTHER)
        seen = [judged(host, description, one) for one in (
            rejected("nonce", changed(nonce=b64(bytes(24)))), rejected("sender", changed(ephemeral_public_key=b64(public(OTHER)))),
            rejected("recipient", changed(ciphertext=b64(other)), expected=bound(other)),
            *(rejected("zero", changed(ephemeral_public_key=b64(bytes.fromhex(key)))) for key in ZERO_KEYS))]
        self.assertEqual({("REJECTED", "decryption_failed", "cryptography", seen[0].detail)},
                         {(verdict.verdict, verdict.reason, verdict.check, verdict.detail) for verdict in seen})

    def test_never_accepts_another_body_of_any_case_that_is_opened(self):
        chance = random.Random(6)
        opened = [found for found in self.cases if found["expect"]["verdict"] == "ACCEPTED" and is_checked(found)]
        self.assertGreater(len(opened), 8)
        for found in opened:
            host, description = self.configured(found)
            good = b64decode(found["body_b64"])
            for _ in range(50):
                other = bytearray(good)
                other[chance.randrange(len(other))] ^= 1 << chance.randrange(8)
                # Hex digits of the other case are no fingerprint or digest; names and Base64 have one reading.
                verdict = judged(host, description, {**found, "body_b64": b64(bytes(other))})
                self.assertEqual("REJECTED", verdict.verdict, (found["id"], bytes(other)[:600]))

    def test_sentences_name_the_place_and_the_values(self):
        host, description = self.configured(case("", GOLDEN))
        for document, sentence in (
                ([GOLDEN, {**GOLDEN, "recipient": "0" * 40, "nonce": b64(bytes(12))}], "expected envelopes[1].nonce of 24 bytes, found 12"),
                (changed(algorithm="none"), 'expected envelopes[0].algorithm as X25519-XSalsa20-Poly1305, found "none"'),
                (changed(recipient="0" * 40), f"the first of the 1 envelopes is for {'0' * 40}"),
                (changed(plaintext_sha256="0" * 64), f"expected the plaintext with SHA-256 {'0' * 64}")):
            self.assertIn(sentence, judged(host, description, rejected("", document)).detail)
        verdict = judged(host, description, rejected("", GOLDEN, expected=bound(b"another")))
        self.assertIn(sha256(b"another").hex(), verdict.detail)
        self.assertIn(sha256(sealed(TEXT, OWN)).hex(), verdict.detail)

    # MARK: What must not leave

    def test_says_nothing_of_the_plaintext_or_the_key(self):
        plaintext = MARK * 10
        one = case("", envelope(plaintext, OWN), expected=bound(sealed(plaintext, OWN)))
        host, description = self.configured(one)
        wrong = {**envelope(plaintext, OWN), "plaintext_sha256": "0" * 64}
        answers = [host.call("Appraise", request_for(given, host)).SerializeToString()
                   for given in (one, rejected("", wrong, expected=bound(sealed(plaintext, OWN))))]
        host.ping()
        told = b"".join(answers) + host.stderr + repr(host.world.log).encode()
        for secret in (MARK, sha256(plaintext), sha256(plaintext).hex().encode(), OWN, OWN.hex().encode()):
            self.assertNotIn(secret, told)

    def test_the_digest_of_the_plaintext_is_told_only_where_the_configuration_says_so(self):
        for more, expected in (({}, None), ({"claim_plaintext_sha256": False}, None), ({"claim_plaintext_sha256": True}, b64(sha256(TEXT)))):
            one = case("", GOLDEN, configuration=opening(**more))
            host, description = self.configured(one)
            self.assertEqual(expected, judged(host, description, one).claims.get("plaintext_sha256"))

    def test_memory_has_no_plaintext_after_a_call_and_no_text_of_the_key_file(self):
        if self.sanitized or self.sandbox:
            return self.skipTest("the memory of a sanitized or sandboxed process is not read")
        plaintext, key = MARK * 100, sha256(b"a key of the test")
        one = case("", envelope(plaintext, key), configuration=opening(key), expected=bound(sealed(plaintext, key)))
        host, description = self.configured(one)
        self.assertEqual("ACCEPTED", judged(host, description, one).verdict)
        host.ping()
        memory = b"\0".join(memory_of(host.process))
        self.assertGreater(len(memory), VAULT_BYTES)
        self.assertEqual(0, memory.count(MARK))
        self.assertEqual(0, memory.count(key.hex().encode()))
        # Once: in the vault.
        self.assertEqual(1, memory.count(key))

    def test_keys_and_plaintext_are_locked_where_the_machine_allows_it(self):
        if self.sanitized:
            return self.skipTest("a sanitizer locks nothing")
        host, description = self.configured(case("", GOLDEN))
        judged(host, description, case("", GOLDEN))
        host.ping()
        with open(f"/proc/{host.process}/status") as status:
            locked = 1024 * int(re.search(r"VmLck:\s+(\d+) kB", status.read())[1])
        if resource.getrlimit(resource.RLIMIT_MEMLOCK)[0] in range(VAULT_BYTES + 16 * 4096):
            self.assertIn("cannot be locked", host.world.log[0][1])
        else:
            self.assertGreaterEqual(locked, VAULT_BYTES)
            self.assertEqual([], host.world.log)

    def test_says_once_that_keys_and_plaintext_can_be_swapped_out(self):
        if self.sanitized or self.sandbox:
            return self.skipTest("a sanitizer locks nothing, and the launcher sets the limit")
        before = resource.getrlimit(resource.RLIMIT_MEMLOCK)
        resource.setrlimit(resource.RLIMIT_MEMLOCK, (0, before[1]))
        self.addCleanup(resource.setrlimit, resource.RLIMIT_MEMLOCK, before)
        host, description = self.configured(case("", GOLDEN))
        for _ in range(3):
            self.assertEqual("ACCEPTED", judged(host, description, case("", GOLDEN)).verdict)
        host.ping()
        lines = [line for _, line in host.world.log]
        # Root locks beyond every limit.
        self.assertLessEqual(len(lines), 1)
        self.assertTrue(all("cannot be locked" in line for line in lines), lines)

    # MARK: Configurations

    def test_reports_what_is_wrong_with_a_configuration(self):
        key = OWN.hex()
        wrong = {
            "mode": [{}, {"mode": "closed"}, {"mode": 1}, {"keys_file": key}],
            "keys_file": [{"mode": "open"}, {"mode": "open", "keys_file": ""}, {"mode": "open", "keys_file": key[:-1]}, {"mode": "open", "keys_file": key + "0"},
                          {"mode": "open", "keys_file": "g" * 64}, {"mode": "open", "keys_file": f"{key}\n{key}"}, {"mode": "open", "keys_file": f"{key}\n\n{NEXT.hex()}"},
                          {"mode": "open", "keys_file": "\n".join(f"{index:064x}" for index in range(1, 10))}, {"mode": "open", "keys_file": "0" * 10_000},
                          {**structure(), "keys_file": key}],
            "recipients": [{"mode": "structure"}, {"mode": "structure", "recipients": []}, {"mode": "structure", "recipients": [f"{index:040x}" for index in range(9)]},
                           {**opening(), "recipients": [fingerprint(OWN)]}],
            "recipients[1]": [{"mode": "structure", "recipients": [fingerprint(OWN), other]} for other in
                              (fingerprint(OWN), fingerprint(NEXT).upper(), fingerprint(NEXT)[1:], 5, None)],
            "plaintext_sha256": [opening(plaintext_sha256="never"), opening(plaintext_sha256=True)],
            "claim_plaintext_sha256": [opening(claim_plaintext_sha256="yes"), structure(claim_plaintext_sha256=True)],
        }
        host = self.host()
        for path, configurations in wrong.items():
            for configuration in configurations:
                with self.subTest(configuration=configuration):
                    problems = host.validate(configuration)
                    self.assertEqual([path], [problem.path for problem in problems])
                    self.assertNotIn(key[:16], problems[0].sentence)
        eight = "\n".join(f"{index:064x}" for index in range(1, 9))
        for right in (opening(), structure(OWN, NEXT), {"mode": "open", "keys_file": key + "\n"}, {"mode": "open", "keys_file": eight},
                      {"mode": "open", "keys_file": key.upper()}):
            self.assertEqual([], list(host.validate(right)))

    def test_answers_with_the_payload_that_the_device_signed(self):
        host, _ = self.configured(case("", GOLDEN))
        response = host.call("Appraise", request_for(case("", GOLDEN), host))
        self.assertEqual(sha256(sealed(TEXT, OWN)), response.verified_payload_sha256)
        self.assertFalse(response.used_tokens or response.HasField("effect") or response.measurements)
