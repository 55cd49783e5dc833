#!/usr/bin/env python3
"""A provisioning service, a camera and an upload handler in small: device certificates without any program of Assay's.

Plays one camera's life against a daemon whose app has a fleet and accepts certificate bundles:

    provision.py --app cameras --serial CAM-0042 --enrol          put the serial number on the allow-list first
    provision.py --app cameras --serial CAM-0042 --token enr_…    show a one-time token instead
    provision.py --app cameras --serial CAM-0042                  the serial number is on the list

It provisions the camera with a CSR, submits a bundle that the camera signed, then bundles that are wrong in one thing each, revokes
the certificate and submits again. With --enrol the camera is then readmitted and provisioned again. Every answer is printed, with
the one that is expected if it differs.

A daemon that listens with TLS (--server tls:host:port) is shown the files that ASSAY_TLS_CERT and ASSAY_TLS_KEY name, and
must have a certificate of the CA in ASSAY_TLS_CA. ASSAY_KEY_FILE names a file with an API key. The caller needs the roles fleet, verify and devices, and enrol for --enrol.

Exit status: 0 all answers are as expected, 1 one is not, 64 wrong usage, 65 unreadable input, 69 the daemon is unavailable,
77 not permitted.

Needs protobuf and cryptography (Debian: python3-protobuf, python3-cryptography).
"""

import argparse
import base64
import hashlib
import json
import os
import sys
import time

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, utils
from cryptography.x509.oid import NameOID

from assay_client import (
    AddEnrolmentsRequest, CallError, Client, DECISION_ACCEPTED, ProvisionDeviceRequest, bundle_request)
from assay.v1.provisioning_pb2 import REVOCATION_REASON_CESSATION_OF_OPERATION


# ---- The camera

class Certificate:
    """What a service and a camera look at in a certificate (RFC 5280, section 4.1).

    `x509.load_der_x509_certificate` of cryptography 38, which Debian 12 has, refuses a certificate with an object identifier of a UUID, such as those of
    an app whose configuration names no arcs.
    """

    def __init__(self, der):
        self.der = der
        (_, content), = self.elements(der)
        (self.signed, body), _, (_, signature) = self.elements(content)
        fields = self.elements(body)            # version, serialNumber, signature, issuer, validity, subject, subjectPublicKeyInfo, …
        self.serial = fields[1][1].lstrip(b"\0")
        self.public_key = serialization.load_der_public_key(fields[6][0])
        self.signature = signature[1:]          # behind the number of unused bits

    @staticmethod
    def elements(der):
        """The elements that stand one after the other: each whole, and its content."""
        found = []
        while der:
            length, start = der[1], 2
            if length >= 0x80:
                start += length & 0x7F
                length = int.from_bytes(der[2:start], "big")
            found.append((der[:start + length], der[start:start + length]))
            der = der[start + length:]
        return found


class Camera:
    """A camera with a key of its own, which never leaves it."""

    def __init__(self, serial):
        self.serial = serial
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.certificate = None     # once it is provisioned

    def request(self):
        """A certificate signing request (DER). It proves that the camera has the key; the name in it is not used."""
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "a camera")])
        request = x509.CertificateSigningRequestBuilder().subject_name(name).sign(self.key, hashes.SHA256())
        return request.public_bytes(serialization.Encoding.DER)

    def bundle(self, image, taken=None, location_hash=None):
        """What the camera sends with an image: members of a JSON object.

        Signed are four lines, each ended by LF: the image's SHA-256 in hexadecimal, the certificate as it is sent, the time in
        seconds since 1970, and the hash of the place or nothing.
        """
        certificate = base64.b64encode(self.certificate.der).decode()
        members = {
            "image_hash": hashlib.sha256(image).hexdigest(), "camera_cert": certificate,
            "timestamp": int(time.time() if taken is None else taken),
        }
        if location_hash is not None:
            members["gps_hash"] = location_hash.hex()
        lines = [members["image_hash"], certificate, str(members["timestamp"]), members.get("gps_hash", "")]
        signed = "".join(line + "\n" for line in lines).encode()
        r, s = utils.decode_dss_signature(self.key.sign(signed, ec.ECDSA(hashes.SHA256())))
        members["bundle_signature"] = base64.b64encode(r.to_bytes(32, "big") + s.to_bytes(32, "big")).decode()
        return members


def encoded(members):
    return json.dumps(members).encode()


# ---- The provisioning service

def provision(client, arguments, camera):
    """Provisions the camera. Returns the reply, which has a rejection or everything else."""
    reply = client.provision_device(ProvisionDeviceRequest(
        app=arguments.app, device_serial=camera.serial, device_family=arguments.family, csr=camera.request(),
        enrolment_token=arguments.token,
        # A lost answer can be had again under the same key, with the same request.
        idempotency_key=hashlib.sha256(b"provision " + camera.serial.encode() + os.urandom(16)).digest()))
    if not reply.HasField("rejection"):
        camera.certificate = Certificate(reply.device_certificate)
        check_certificate(reply, camera)
    return reply


def check_certificate(reply, camera):
    """What a service checks before it writes an answer into a camera."""
    issuer = x509.load_der_x509_certificate(reply.certificate_chain[0])
    key = issuer.public_key()
    digest = hashes.SHA384() if key.curve.name == "secp384r1" else hashes.SHA256()
    key.verify(camera.certificate.signature, camera.certificate.signed, ec.ECDSA(digest))
    assert camera.certificate.public_key.public_numbers() == camera.key.public_key().public_numbers()
    assert len(reply.device_secret) == 32 and not reply.device_private_key
    assert len(set(reply.key_table_indices)) == 3
    assert [len(table.keys) for table in reply.key_tables] == [1000] * 3


# ---- The answers

class Steps:
    """Prints each answer, and counts the ones that are not as expected."""

    def __init__(self):
        self.wrong = 0

    def show(self, title, have, want):
        print(f"{title:60} {have}")
        if have != want:
            print(f"  expected: {want}")
            self.wrong += 1


def answer(verdict):
    """`accepted`, `accepted, repeated`, or the reason of a rejection."""
    if verdict.decision != DECISION_ACCEPTED:
        return verdict.reason
    return "accepted, repeated" if verdict.repeated else "accepted"


def life(client, arguments):
    steps = Steps()
    camera = Camera(arguments.serial)

    def submit(title, members, want):
        steps.show(title, answer(client.verify(bundle_request(arguments.app, encoded(members)))), want)

    if arguments.enrol:
        added = client.add_enrolments(AddEnrolmentsRequest(app=arguments.app, serials=[camera.serial])).added
        steps.show("the serial number is put on the allow-list", f"{added} added", "1 added")

    reply = provision(client, arguments, camera)
    refused = reply.rejection.reason
    steps.show("the camera is provisioned", refused or "provisioned", "provisioned")
    if refused:
        print(f"  {reply.rejection.detail}")
        return 1
    steps.show(
        "another camera claims the same serial number",
        provision(client, arguments, Camera(arguments.serial)).rejection.reason, "already_provisioned")

    good = camera.bundle(b"a photo", location_hash=hashlib.sha256(b"a place").digest())
    submit("the camera's bundle", good, "accepted")
    submit("the same bundle again", good, "accepted, repeated")
    submit("the image is exchanged", good | {"image_hash": hashlib.sha256(b"another photo").hexdigest()}, "bad_signature")
    submit("the place is removed", {name: good[name] for name in good if name != "gps_hash"}, "bad_signature")
    submit("a bare hash in place of the signature",
           good | {"bundle_signature": base64.b64encode(bytes(32)).decode()}, "signature_malformed")
    submit("a bundle of 31 days ago", camera.bundle(b"a photo", time.time() - 31 * 86400), "timestamp_too_old")
    submit("a bundle of tomorrow", camera.bundle(b"a photo", time.time() + 86400), "timestamp_in_future")
    thief = Camera(camera.serial)
    thief.certificate = camera.certificate
    submit("another key signs for the certificate", thief.bundle(b"a photo"), "bad_signature")

    serial = camera.certificate.serial
    answered = client.revoke(
        arguments.app, serial, REVOCATION_REASON_CESSATION_OF_OPERATION, "end of the example")
    steps.show("the certificate is revoked", "revoked before" if answered.was_revoked else "revoked", "revoked")
    submit("a new bundle under the revoked certificate", camera.bundle(b"a second photo"), "revoked")
    listed = x509.load_der_x509_crl(client.revocation_list(answered.certificate.issuer_spki_sha256).list)
    entry = listed.get_revoked_certificate_by_serial_number(int.from_bytes(serial, "big"))
    steps.show("the revocation list names the certificate", "no" if entry is None else "yes", "yes")

    if arguments.enrol:
        replaced = client.readmit_device(arguments.app, camera.serial, "repaired in the example").enrolment.replaces
        steps.show("the serial number is readmitted", "yes" if replaced == reply.device_id else "no", "yes")
        repaired = Camera(camera.serial)
        again = provision(client, arguments, repaired)
        steps.show("the repaired camera is provisioned again", again.rejection.reason or "provisioned", "provisioned")
        assert again.device_id != reply.device_id and again.device_secret != reply.device_secret
        submit("the repaired camera's bundle", repaired.bundle(b"a third photo"), "accepted")
    return 1 if steps.wrong else 0


# ---- Arguments

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
    parser.add_argument("--app", required=True, help="the app, as the daemon's configuration names it")
    parser.add_argument("--serial", required=True, help="the camera's serial number, which must not have been provisioned")
    parser.add_argument("--family", default="", help="the camera's family")
    permit = parser.add_mutually_exclusive_group()
    permit.add_argument("--enrol", action="store_true", help="put the serial number on the allow-list first")
    permit.add_argument("--token", default="", help="a one-time enrolment token")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    try:
        with Client.from_environment(arguments.server) as client:
            return life(client, arguments)
    except CallError as error:
        print(f"provision.py: {error}", file=sys.stderr)
        if error.reason == "unknown_app":
            return 65
        return {"PERMISSION_DENIED": 77, "UNAUTHENTICATED": 77, "INVALID_ARGUMENT": 65, "NOT_FOUND": 1}.get(error.code, 69)
    except (OSError, ValueError) as error:
        print(f"provision.py: {error}", file=sys.stderr)
        return 65


if __name__ == "__main__":
    sys.exit(main())
