#!/usr/bin/python3 -B
"""Writes the plugin's cases in the form of plugins/sdk/tests/README.md.

    vectors.py [VECTORS [opened]]

With "opened": of the accepted cases only those whose every byte is checked, because their one envelope is opened.
"""
import base64
import json
import sys

from box import ALGORITHM, b64, body, envelope, fingerprint, public, sealed, sha256

OWN, NEXT, OTHER = b"\x22" * 32, b"\x33" * 32, b"\x44" * 32
TEXT = b"Hello, World!"
NOW_MS = 1_764_579_600_000
ZERO_KEYS = ["00" * 32, "01" + "00" * 31, "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
             "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157", "ec" + "ff" * 30 + "7f"]


def opening(*keys, **more):
    return {"mode": "open", "keys_file": "\n".join(key.hex() for key in keys or (OWN,)), **more}


def structure(*keys, **more):
    return {"mode": "structure", "recipients": [fingerprint(key) for key in keys or (OWN,)], **more}


def bound(ciphertext):
    """What is expected of a request whose payload is the ciphertext."""
    return {"client_data_b64": b64(bytes(93)), "payload_sha256_b64": b64(sha256(ciphertext))}


def in_document(members):
    """What is expected of a request whose payload is the signed document of the signals."""
    document = members if isinstance(members, bytes) else json.dumps(members).encode()
    return {"client_data_b64": b64(bytes(93)), "payload_sha256_b64": b64(sha256(document)), "signals_b64": b64(document)}


def case(name, document, verdict="ACCEPTED", *reasons, configuration=None, expected=None, claims=None):
    data = document if isinstance(document, bytes) else body(*(document if isinstance(document, list) else [document]))
    return {
        "id": name, "format": "payload-box", "app": "app", "purpose": "assert", "now_unix_ms": NOW_MS, "configuration": configuration or opening(),
        "body_b64": b64(data), "expected": expected or bound(sealed(TEXT, OWN)), "world": {},
        "expect": {"verdict": verdict, "reasons": list(reasons), "claims": claims or {}},
    }


def rejected(name, document, *reasons, **more):
    return case(name, document, "REJECTED", *reasons, **more)


# The values of the specification, written down and not computed.
GOLDEN = {
    "algorithm": ALGORITHM, "recipient": "65cf5c9b1de5d41f758cb67f2d05f3e316a203fc",
    "ephemeral_public_key": b64(bytes.fromhex("7b4e909bbe7ffe44c465a220037d608ee35897d31ef972f07f74892cb0f73f13")), "nonce": "AAECAwQFBgcICQoLDA0ODxAREhMUFRYX",
    "ciphertext": b64(bytes.fromhex("64a40e1430363d5113d3f5d27c75bb4213e975fa31bfda9f55df59c8f0")),
    "plaintext_sha256": "dffd6021bb2bd5b0af676290809ec3a53191dd81c7f70a4b28688a362182986f"}
CLAIMS = {"recipient": GOLDEN["recipient"], "envelopes": 1, "ciphertext_size": 29, "opened": True, "plaintext_sha256": None,
          "ciphertext_sha256": b64(sha256(base64.b64decode(GOLDEN["ciphertext"])))}

# "Cryptography in NaCl": Alice's box for Bob.
NACL_TEXT = bytes.fromhex(
    "be075fc53c81f2d5cf141316ebeb0c7b5228c52a4c62cbd44b66849b64244ffce5ecbaaf33bd751a1ac728d45e6c61296cdc3c01233561f41db66cce314adb310e3be825"
    "0c46f06dceea3a7fa1348057e2f6556ad6b1318a024a838f21af1fde048977eb48f59ffd4924ca1c60902e52f0a089bc76897040e082f937763848645e0705")
NACL_BOX = bytes.fromhex(
    "f3ffc7703f9400e52a7dfb4b3d3305d98e993b9f48681273c29650ba32fc76ce48332ea7164d96a4476fb8c531a1186ac0dfc17c98dce87b4da7f011ec48c97271d2c20f"
    "9b928fe2270d6fb863d51738b48eeee314a7cc8ab932164548e526ae90224368517acfeabd6bb3732bc0e9da99832b61ca01b6de56244a9e88d5f9b37973f622a43d14a6"
    "599b1f654cb45a74e355a5")
BOB = bytes.fromhex("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb")
NACL = {
    "algorithm": ALGORITHM, "recipient": sha256(bytes.fromhex("de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f"))[:20].hex(),
    "ephemeral_public_key": b64(bytes.fromhex("8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a")),
    "nonce": b64(bytes.fromhex("69696ee955b62b73cd62bda875fc73d68219e0036b7a0b37")), "ciphertext": b64(NACL_BOX),
    "plaintext_sha256": sha256(NACL_TEXT).hex()}


def changed(**members):
    return {**GOLDEN, **members}


def without(name):
    return {key: value for key, value in GOLDEN.items() if key != name}


def own_cases():
    yield case("golden", GOLDEN, claims=CLAIMS)
    yield case("golden-structure", GOLDEN, configuration=structure(), claims={**CLAIMS, "opened": False})
    yield case("golden-with-the-digest-as-a-claim", GOLDEN, configuration=opening(claim_plaintext_sha256=True),
               claims={"plaintext_sha256": b64(bytes.fromhex(GOLDEN["plaintext_sha256"]))})
    yield case("nacl", NACL, configuration=opening(BOB), expected=bound(NACL_BOX), claims={"ciphertext_size": 147})
    for size in (0, 1, 300_000):
        plaintext = bytes(index % 251 for index in range(size))
        yield case(f"plaintext-of-{size}-bytes", envelope(plaintext, OWN), expected=bound(sealed(plaintext, OWN)), claims={"ciphertext_size": size + 16})
    yield {**case("for-a-registration", GOLDEN), "purpose": "register"}

    # Recipients
    others = [envelope(TEXT, OTHER), envelope(b"another", NEXT)]
    yield case("own-envelope-among-others", [*others, GOLDEN], claims={**CLAIMS, "envelopes": 3})
    yield case("older-key-of-two", GOLDEN, configuration=opening(NEXT, OWN), claims={"recipient": GOLDEN["recipient"]})
    yield case("newer-key-of-two", envelope(TEXT, NEXT), configuration=opening(OWN, NEXT), expected=bound(sealed(TEXT, NEXT)),
               claims={"recipient": fingerprint(NEXT)})
    yield case("first-of-two-own-ones", [envelope(TEXT, NEXT), GOLDEN], configuration=opening(OWN, NEXT), expected=bound(sealed(TEXT, NEXT)),
               claims={"recipient": fingerprint(NEXT), "envelopes": 2})
    yield case("16-envelopes", [GOLDEN, *[changed(recipient=f"{index:040x}") for index in range(15)]], claims={"envelopes": 16})
    yield rejected("17-envelopes", [GOLDEN, *[changed(recipient=f"{index:040x}") for index in range(16)]], "malformed")
    yield rejected("for-others", others, "recipient_unknown")
    yield rejected("for-others-structure", others, "recipient_unknown", configuration=structure())
    yield rejected("recipient-twice", [GOLDEN, envelope(b"another", OWN)], "malformed")
    yield rejected("another-recipients-name", changed(recipient=fingerprint(NEXT)), "decryption_failed", configuration=opening(OWN, NEXT))

    # What the device signed
    yield rejected("another-ciphertext-signed", GOLDEN, "ciphertext_mismatch", expected=bound(sealed(b"another", OWN)))
    yield rejected("another-ciphertext-signed-structure", GOLDEN, "ciphertext_mismatch", configuration=structure(), expected=bound(b""))
    yield rejected("envelope-for-another-signed", [*others, GOLDEN], "ciphertext_mismatch", expected=bound(sealed(TEXT, OTHER)))
    yield rejected("plaintext-signed", GOLDEN, "ciphertext_mismatch", expected=bound(TEXT))
    signed = sha256(base64.b64decode(GOLDEN["ciphertext"])).hex()
    yield case("in-a-signed-document", GOLDEN, expected=in_document({"version": 2, "ciphertext_sha256": signed}))
    for name, document in (("another", {"ciphertext_sha256": "00" * 32}), ("none", {"version": 2}), ("upper-case", {"ciphertext_sha256": signed.upper()}),
                           ("deeper", {"seal": {"ciphertext_sha256": signed}}), ("no-text", {"ciphertext_sha256": 5}), ("no-json", b"{"), ("no-object", b"[]"),
                           ("twice", f'{{"ciphertext_sha256":"{signed}","ciphertext_sha256":"{signed}"}}'.encode())):
        yield rejected(f"in-a-signed-document-{name}", GOLDEN, "ciphertext_mismatch", expected=in_document(document))

    # Algorithm and nonce
    for index, name in enumerate(("x25519-xsalsa20-poly1305", "X25519-XChaCha20-Poly1305", "", "AES-256-GCM", ALGORITHM + " ")):
        yield rejected(f"algorithm-{index}", changed(algorithm=name), "unsupported_algorithm")
    yield rejected("algorithm-of-another's-envelope", [GOLDEN, {**others[0], "algorithm": "none"}], "unsupported_algorithm")
    for size in (0, 12, 23, 25, 1000):
        yield rejected(f"nonce-of-{size}-bytes", changed(nonce=b64(bytes(size))), "nonce_invalid_length")
        yield rejected(f"nonce-of-{size}-bytes-structure", changed(nonce=b64(bytes(size))), "nonce_invalid_length", configuration=structure())

    # What does not open: one code
    yield rejected("nonce-changed", changed(nonce=b64(bytes(24))), "decryption_failed")
    ciphertext = bytearray(base64.b64decode(GOLDEN["ciphertext"]))
    for name, at in (("tag", 0), ("text", 28)):
        other = bytes(ciphertext[:at]) + bytes([ciphertext[at] ^ 1]) + bytes(ciphertext[at + 1:])
        yield rejected(f"{name}-changed", changed(ciphertext=b64(other)), "decryption_failed", expected=bound(other))
        yield case(f"{name}-changed-structure", changed(ciphertext=b64(other)), configuration=structure(), expected=bound(other))
    yield rejected("sealed-for-another", changed(ciphertext=b64(sealed(TEXT, OTHER))), "decryption_failed", expected=bound(sealed(TEXT, OTHER)))
    yield rejected("another-sender", changed(ephemeral_public_key=b64(public(OTHER))), "decryption_failed")
    for index, key in enumerate(ZERO_KEYS):
        yield rejected(f"shared-secret-of-zeros-{index}", changed(ephemeral_public_key=b64(bytes.fromhex(key))), "decryption_failed")

    # The plaintext's digest
    yield rejected("another-plaintext-stated", changed(plaintext_sha256="00" * 32), "payload_hash_mismatch")
    yield rejected("ciphertexts-digest-stated", changed(plaintext_sha256=signed), "payload_hash_mismatch")
    yield case("another-plaintext-stated-structure", changed(plaintext_sha256="00" * 32), configuration=structure())
    yield rejected("no-digest", without("plaintext_sha256"), "malformed")
    yield rejected("no-digest-structure", without("plaintext_sha256"), "malformed", configuration=structure())
    yield case("no-digest-where-it-is-optional", without("plaintext_sha256"), configuration=opening(plaintext_sha256="optional"))
    yield case("digest-where-it-is-optional", GOLDEN, configuration=opening(plaintext_sha256="optional"))
    yield rejected("another-digest-where-it-is-optional", changed(plaintext_sha256="00" * 32), "payload_hash_mismatch",
                   configuration=opening(plaintext_sha256="optional"))

    # Form
    for name in GOLDEN:
        yield rejected(f"{name}-is-a-list", changed(**{name: []}), "malformed")
        if name != "plaintext_sha256":
            yield rejected(f"without-{name}", without(name), "malformed")
    high = bytes.fromhex("7b4e909bbe7ffe44c465a220037d608ee35897d31ef972f07f74892cb0f73f93")
    for name, value in (("recipient", GOLDEN["recipient"].upper()), ("recipient", "65cf"), ("recipient", "g" * 40), ("plaintext_sha256", "DF" + GOLDEN["plaintext_sha256"][2:]),
                        ("plaintext_sha256", "df" * 33), ("plaintext_sha256", None), ("ciphertext", b64(bytes(15))), ("ciphertext", ""), ("ciphertext", "A"),
                        ("ephemeral_public_key", b64(bytes(31))), ("ephemeral_public_key", b64(bytes(33))), ("ephemeral_public_key", b64(high)),
                        ("ephemeral_public_key", b64(b"\xed" + b"\xff" * 30 + b"\x7f")), ("ephemeral_public_key", b64(b"\xff" * 32)),
                        ("nonce", "AAECAwQFBgcICQoLDA0ODxAREhMUFRY"), ("nonce", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYX\n"), ("nonce", "AAECAwQFBgcICQoLDA0ODxAREhMUFRY_")):
        yield rejected(f"{name}-{str(value)[:24]!r}", changed(**{name: value}), "malformed")
    yield rejected("unknown-member", changed(plaintext="x"), "malformed")
    yield rejected("unknown-member-beside", json.dumps({"envelopes": [GOLDEN], "key": 1}).encode(), "malformed")
    yield rejected("member-twice", body(GOLDEN).replace(b'"nonce"', b'"nonce":"","nonce"'), "malformed")
    for name, document in (("empty", b""), ("no-object", b"[]"), ("an-envelope-alone", json.dumps(GOLDEN).encode()), ("no-envelope", b'{"envelopes":[]}'),
                           ("an-object", b'{"envelopes":{}}'), ("numbers", b'{"envelopes":[1]}'), ("nested", b"[" * 100_000), ("no-utf-8", b"\xff"), ("two", b"{}{}"),
                           ("largest", b'{"envelopes":"' + b"x" * (524288 - 16) + b'"}')):
        yield rejected(name, document, "malformed")


def is_checked(one):
    """Whether any other body would be rejected."""
    envelopes = json.loads(base64.b64decode(one["body_b64"]))["envelopes"] if one["expect"]["verdict"] == "ACCEPTED" else []
    return len(envelopes) < 2 and (not envelopes or one["configuration"]["mode"] == "open")


if __name__ == "__main__":
    found = [one for one in own_cases() if sys.argv[2:] != ["opened"] or is_checked(one)]
    json.dump({"plugin": "payload-box", "cases": found}, sys.stdout, indent=1)
