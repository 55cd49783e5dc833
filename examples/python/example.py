#!/usr/bin/env python3
"""An upload handler in small: asks a daemon for challenges and verdicts.

Each command does one thing, as a server would between its app and the daemon:

    example.py status                                       how the daemon is
    example.py challenge --app camera --purpose register    prints a challenge, for a device to sign
    example.py verify --app camera --assertion FILE ...     prints the verdict over what the device signed
    example.py demo DEVICE --app camera                     all of it, with a virtual device: the folder that
                                                            `assay simulate phone` or `assay simulate android make` made

A daemon that listens with TLS (--server tls:host:port) is shown the files that ASSAY_TLS_CERT and ASSAY_TLS_KEY name, and
must have a certificate of the CA in ASSAY_TLS_CA. ASSAY_KEY_FILE names a file with an API key.

Exit status: 0 accepted or done, 1 rejected, 64 wrong usage, 65 unreadable input, 69 the daemon is unavailable,
77 not permitted.
"""

import argparse
import base64
import binascii
import os
import ssl
import subprocess
import sys
import tempfile

from assay_client import (
    CallError, Client, DECISION_ACCEPTED, KeySignature, PURPOSE_ASSERT, PURPOSE_REGISTER, android_key_attestation,
    app_attest_assertion, app_attest_attestation, device_check_token, key_signature, play_integrity_token, safety_net_response,
    verify_request)
from assay.v1.verdict_pb2 import Assurance, RetryClass

PURPOSES = {"register": PURPOSE_REGISTER, "assert": PURPOSE_ASSERT}
ALGORITHMS = {
    name.removeprefix("ALGORITHM_").lower().replace("_", "-"): number
    for name, number in KeySignature.Algorithm.items() if number}


# ---- What is asked: evidence of each kind, from files

def evidence_from(arguments):
    """The pieces of evidence that the arguments name: one, or a key attestation with a Play Integrity token."""
    pieces = []
    if arguments.attestation:
        pieces.append(app_attest_attestation(arguments.key_id, read(arguments.attestation)))
    if arguments.assertion:
        pieces.append(app_attest_assertion(arguments.key_id, read(arguments.assertion)))
    if arguments.key_attestation:
        pieces.append(android_key_attestation(certificates(read(arguments.key_attestation).decode("ascii"))))
    if arguments.key_signature:
        signature = read(arguments.key_signature)
        pieces.append(key_signature(arguments.key_id, signature, ALGORITHMS[arguments.algorithm]))
    if arguments.play_token:
        pieces.append(play_integrity_token(read(arguments.play_token).decode("ascii").strip()))
    if arguments.device_check:
        pieces.append(device_check_token(read(arguments.device_check)))
    if arguments.safety_net:
        pieces.append(safety_net_response(read(arguments.safety_net).decode("ascii").strip()))
    if not pieces:
        raise ValueError("name at least one file with evidence")
    return pieces


def certificates(pem):
    """The certificates of a PEM file, each in DER, in their order."""
    end = "-----END CERTIFICATE-----"
    return [ssl.PEM_cert_to_DER_cert(block.strip() + "\n" + end) for block in pem.split(end)[:-1]]


# ---- What is answered

def print_verdict(verdict):
    """Prints what a handler acts on. Returns whether the evidence was accepted."""
    accepted = verdict.decision == DECISION_ACCEPTED
    if accepted:
        level = Assurance.Name(verdict.assurance).removeprefix("ASSURANCE_").lower()
        print(f"ACCEPTED  assurance {level}" + ("  [simulated]" if verdict.simulated else ""))
    else:
        # `reason` is stable, for programs; `retry` says what may help; `detail` is for people.
        retry = RetryClass.Name(verdict.retry).removeprefix("RETRY_CLASS_").lower()
        print(f"REJECTED  {verdict.reason} (check {verdict.check}, retry: {retry})")
        print(f"  {verdict.detail}")
    if verdict.repeated:
        print("  repeated: this was accepted before, do not act twice")
    if verdict.device_id:
        print(f"  device  dev_{verdict.device_id.hex()}")
    for claim in verdict.claims:
        print(f"  claim   {claim.name} = {claim_text(claim)}")
    return accepted


def claim_text(claim):
    """A claim's value. A kind of value that is newer than this program is shown as such."""
    kind = claim.WhichOneof("value")
    if kind is None:
        return "?"
    value = getattr(claim, kind)
    if kind == "bytes":
        return base64.urlsafe_b64encode(value).rstrip(b"=").decode()
    if kind == "texts":
        return ", ".join(value.values)
    return str(value)


def print_status(status):
    print(f"assayd {status.version}")
    if status.store.available:
        print(f"  store    {status.store.devices} devices, {status.store.audit_count} audit records")
    else:
        print(f"  store    unavailable: {status.store.problem}")
    print(f"  traffic  {status.traffic.accepted} accepted, {sum(status.traffic.rejected.values())} rejected")
    for app in status.apps:
        print(f"  app      {app.app}: {', '.join(app.formats)}")


# ---- The commands

def status(client, _):
    reply = client.status()
    print_status(reply)
    return 0 if reply.store.available else 69


def challenge(client, arguments):
    issued = client.issue_challenge(arguments.app, PURPOSES[arguments.purpose], arguments.context.encode())
    print(base64.urlsafe_b64encode(issued.challenge).rstrip(b"=").decode())
    return 0


def verify(client, arguments):
    request = verify_request(
        arguments.app, PURPOSES[arguments.purpose], arguments.challenge, evidence_from(arguments),
        payload=read(arguments.payload) if arguments.payload else None, context=arguments.context.encode(),
        subject=arguments.subject.encode(), idempotency_key=arguments.idempotency_key.encode())
    return 0 if print_verdict(client.verify(request)) else 1


def demo(client, arguments):
    """Plays both sides: the device by the program `assay`, and the server by this one."""
    is_android = os.path.exists(os.path.join(arguments.device, "console"))
    context = os.urandom(16)
    photo = b"a photo"
    accepted = True
    with tempfile.TemporaryDirectory() as folder:
        payload = os.path.join(folder, "photo")
        with open(payload, "wb") as file:
            file.write(photo)
        for purpose, bound in (("register", None), ("assert", photo)):
            issued = client.issue_challenge(arguments.app, PURPOSES[purpose], context)
            path = os.path.join(folder, "evidence")
            key_id = simulate(arguments, is_android, purpose, issued.challenge, path, payload if bound else None)
            if is_android and purpose == "register":
                evidence = android_key_attestation(certificates(read(path).decode("ascii")))
            elif is_android:
                evidence = key_signature(key_id, read(path))
            elif purpose == "register":
                evidence = app_attest_attestation(key_id, read(path))
            else:
                evidence = app_attest_assertion(key_id, read(path))
            print(f"-- {purpose}")
            request = verify_request(
                arguments.app, PURPOSES[purpose], issued.challenge, [evidence], payload=bound, context=context)
            accepted = print_verdict(client.verify(request)) and accepted
    print(f"-- the record's counter is {client.device(arguments.app, key_id).counter}")
    print("-- status")
    print_status(client.status())
    return 0 if accepted else 1


def simulate(arguments, is_android, purpose, challenge, out, payload):
    """Lets the virtual device sign; its key id."""
    command = {"register": "attest", "assert": "sign" if is_android else "assert"}[purpose]
    text = base64.urlsafe_b64encode(challenge).rstrip(b"=").decode()
    said = subprocess.run(
        [arguments.assay, "simulate"] + (["android"] if is_android else []) + [command, arguments.device, "--challenge", text]
        + ["--out", out] + (["--payload", payload] if payload else []),
        check=True, stdout=subprocess.PIPE, text=True).stdout
    return base64_argument(said.split()[2])  # "key id  <Base64>"


# ---- Arguments

def read(path):
    with open(path, "rb") as file:
        return file.read()


def base64_argument(text):
    """Bytes from base64url or standard Base64, with or without padding."""
    try:
        standard = text.replace("-", "+").replace("_", "/").rstrip("=")
        return base64.b64decode(standard + "=" * (-len(standard) % 4), validate=True)
    except binascii.Error as error:
        raise argparse.ArgumentTypeError(f'"{text}" is not Base64') from error


class Parser(argparse.ArgumentParser):
    def error(self, message):
        self.print_usage(sys.stderr)
        self.exit(64, f"{self.prog}: {message}\n")


def parse_arguments():
    first, _, rest = __doc__.partition("\n")
    parser = Parser(description=first, epilog=rest, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--server", default=os.environ.get("ASSAY_SERVER", "127.0.0.1:7421"), metavar="ADDRESS",
        help="host:port, tls:host:port or unix:/path; by default ASSAY_SERVER, or 127.0.0.1:7421")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    commands.add_parser("status", help="how the daemon is").set_defaults(run=status)

    command = commands.add_parser("challenge", help="ask for a challenge, printed as base64url")
    command.add_argument("--app", required=True, help="the app, as the daemon's configuration names it")
    command.add_argument("--purpose", required=True, choices=PURPOSES)
    command.add_argument("--context", default="", help="text that ties it to a session")
    command.set_defaults(run=challenge)

    command = commands.add_parser("verify", help="ask for a verdict over evidence")
    command.add_argument("--app", required=True)
    command.add_argument("--purpose", required=True, choices=PURPOSES)
    command.add_argument("--challenge", required=True, type=base64_argument, metavar="BASE64")
    for name, text in (
            ("--attestation", "an App Attest attestation (CBOR); takes --key-id"),
            ("--assertion", "an App Attest assertion (CBOR); takes --key-id"),
            ("--key-attestation", "an Android key attestation (PEM), the key's certificate first"),
            ("--key-signature", "a signature by a registered key, raw; takes --key-id"),
            ("--play-token", "a Play Integrity token"),
            ("--device-check", "a DeviceCheck token, raw"),
            ("--safety-net", "a SafetyNet response")):
        command.add_argument(name, metavar="FILE", help=text)
    command.add_argument("--key-id", default=b"", type=base64_argument, metavar="BASE64", help="the id of the device's key")
    command.add_argument(
        "--algorithm", default="ecdsa-p256-sha256", choices=ALGORITHMS, metavar="NAME",
        help="how the registered key signed: " + ", ".join(ALGORITHMS))
    command.add_argument("--subject", default="", help="the account that the device belongs to")
    command.add_argument("--context", default="", help="as given for the challenge")
    command.add_argument("--payload", metavar="FILE", help="what the device bound")
    command.add_argument("--idempotency-key", default="", metavar="TEXT", help="the same key gets the same verdict again")
    command.set_defaults(run=verify)

    command = commands.add_parser("demo", help="a virtual device registers and uploads")
    command.add_argument(
        "device", metavar="DEVICE", help="the folder that `assay simulate phone` or `assay simulate android make` made")
    command.add_argument("--app", required=True)
    command.add_argument("--assay", default="assay", metavar="PROGRAM", help="where the program `assay` is")
    command.set_defaults(run=demo)
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    try:
        with Client.from_environment(arguments.server) as client:
            return arguments.run(client, arguments)
    except CallError as error:
        print(f"example.py: {error}", file=sys.stderr)
        if error.retry_after_ms:
            print(f"example.py: trying again may help in {error.retry_after_ms} ms", file=sys.stderr)
        if error.reason == "unknown_app":
            return 65
        return {"PERMISSION_DENIED": 77, "UNAUTHENTICATED": 77, "INVALID_ARGUMENT": 65, "NOT_FOUND": 1}.get(error.code, 69)
    except (OSError, ValueError, subprocess.CalledProcessError) as error:
        print(f"example.py: {error}", file=sys.stderr)
        return 65


if __name__ == "__main__":
    sys.exit(main())
