#!/usr/bin/env python3
"""Each rejection of a certificate bundle, as a client sees it that has only `cryptography` and the generated messages.

    test_bundle_rejections.py --make FOLDER                       makes foreign.pem, a CA that the daemon is to trust
    test_bundle_rejections.py --server ADDRESS --folder FOLDER    runs against the daemon

The daemon has an app `cameras` with a fleet, the CA of `assay ca init` in FOLDER/ca, FOLDER/foreign.pem among the `authorities` of its
`certificate_bundle`, and `submissions: {block: 3}`; and an app `whole` with `split: deny`. Exit status 1 if an answer is not as expected.
"""

import argparse
import base64
import datetime
import os
import sys
import time

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.x509.oid import NameOID, ObjectIdentifier

from assay_client import AddEnrolmentsRequest, Client, ProvisionDeviceRequest, VerifyRequest, bundle_request
from assay.v1 import devices_pb2
from assay.v1.evidence_pb2 import BundleDigest, CertificateBundle, Evidence, PURPOSE_ASSERT
from provision import Camera, Certificate, Steps, answer, encoded

DAY = datetime.timedelta(days=1)


def name(*texts):
    kinds = [NameOID.COMMON_NAME, NameOID.SERIAL_NUMBER]
    return x509.Name([x509.NameAttribute(kind, text) for kind, text in zip(kinds, texts)])


class Authority:
    """A CA whose key is known here, so that it can issue what no CA should."""

    def __init__(self, certificate, key):
        self.certificate, self.key = certificate, key

    @classmethod
    def make(cls, common_name):
        key = ec.generate_private_key(ec.SECP256R1())
        now = datetime.datetime.now(datetime.timezone.utc)
        certificate = (
            x509.CertificateBuilder().subject_name(name(common_name)).issuer_name(name(common_name)).public_key(key.public_key())
            .serial_number(x509.random_serial_number()).not_valid_before(now - DAY).not_valid_after(now + 30 * DAY)
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(usage(key_cert_sign=True, crl_sign=True), critical=True).sign(key, hashes.SHA256()))
        return cls(certificate, key)

    def issue(self, camera, first=-1, last=30, is_ca=False, allowed=None, sealed=None):
        """A certificate for the camera's key, valid for these days from now."""
        now = datetime.datetime.now(datetime.timezone.utc)
        builder = (
            x509.CertificateBuilder().subject_name(name(camera.serial, camera.serial)).issuer_name(self.certificate.subject)
            .public_key(camera.key.public_key()).serial_number(x509.random_serial_number())
            .not_valid_before(now + first * DAY).not_valid_after(now + last * DAY)
            .add_extension(x509.BasicConstraints(ca=is_ca, path_length=None), critical=True)
            .add_extension(allowed or usage(digital_signature=True), critical=True))
        for number, value in (sealed or {}).items():
            oid = ObjectIdentifier(f"1.3.6.1.4.1.60000.1.{number}")
            builder = builder.add_extension(x509.UnrecognizedExtension(oid, value), critical=False)
        camera.certificate = Certificate(builder.sign(self.key, hashes.SHA256()).public_bytes(serialization.Encoding.DER))
        return camera


def usage(**allowed):
    names = ["digital_signature", "content_commitment", "key_encipherment", "data_encipherment", "key_agreement", "key_cert_sign",
             "crl_sign", "encipher_only", "decipher_only"]
    return x509.KeyUsage(**{name: allowed.get(name, False) for name in names})


def sealed(secret, table, index, key):
    """The extensions of a fleet: encrypted secret, table, index. The nonce stands behind ciphertext and tag."""
    nonce = os.urandom(12)
    return {3: AESGCM(key).encrypt(nonce, secret, None) + nonce, 4: table.to_bytes(2, "big"), 5: index.to_bytes(2, "big")}


class Test:
    def __init__(self, client, folder):
        self.client, self.steps = client, Steps()
        pem = open(f"{folder}/ca/issuing-1.pem", "rb").read()
        passphrase = open(f"{folder}/ca/issuing-1.passphrase", "rb").readline().rstrip(b"\n")
        key = serialization.load_pem_private_key(open(f"{folder}/ca/issuing-1.key", "rb").read(), passphrase)
        self.own = Authority(x509.load_pem_x509_certificate(pem), key)
        foreign_key = serialization.load_pem_private_key(open(f"{folder}/foreign.key", "rb").read(), None)
        self.foreign = Authority(x509.load_pem_x509_certificate(open(f"{folder}/foreign.pem", "rb").read()), foreign_key)

    def provision(self, serial):
        self.client.add_enrolments(AddEnrolmentsRequest(app="cameras", serials=[serial]))
        camera = Camera(serial)
        camera.reply = self.client.provision_device(
            ProvisionDeviceRequest(app="cameras", device_serial=serial, csr=camera.request()))
        camera.certificate = Certificate(camera.reply.device_certificate)
        return camera

    def submit(self, want, camera, app="cameras", **changes):
        members = camera.bundle(os.urandom(20), changes.pop("taken", None)) | changes
        members = {key: value for key, value in members.items() if value is not None}
        self.steps.show(want, answer(self.client.verify(bundle_request(app, encoded(members)))), want)
        return members

    def run(self):
        camera = self.provision("CAM-1")
        key = camera.reply.key_tables[0].keys[7]
        table, secret = camera.reply.key_table_indices[0], camera.reply.device_secret
        self.submit("accepted", camera)
        # Form.
        self.submit("malformed", camera, image_hash=None)
        self.submit("malformed", camera, camera_cert="%%%")
        self.submit("wrong_format", camera, encrypted_nuc_token="AA==")
        self.submit("signature_malformed", camera, bundle_signature=base64.b64encode(bytes(32)).decode())
        # Certificate.
        self.submit("untrusted_root", Authority.make("Unknown CA").issue(Camera("CAM-1")))
        self.submit("expired", self.own.issue(Camera("CAM-1"), first=-20, last=-10))
        self.submit("not_yet_valid", self.own.issue(Camera("CAM-1"), first=10))
        self.submit("ca_as_leaf", self.own.issue(Camera("CAM-1"), is_ca=True))
        self.submit("key_usage", self.own.issue(Camera("CAM-1"), allowed=usage(key_agreement=True)))
        other = Camera("CAM-1")
        other.key = ec.generate_private_key(ec.SECP384R1())
        other = self.own.issue(other)
        self.steps.show("wrong_curve", answer(self.client.verify(bundle_request("cameras", encoded(
            camera.bundle(b"") | {"camera_cert": base64.b64encode(other.certificate.der).decode()})))), "wrong_curve")
        # Statement.
        self.submit("bad_signature", camera, image_hash="00" * 32)
        self.submit("timestamp_in_future", camera, taken=time.time() + 90)
        self.submit("timestamp_too_old", camera, taken=time.time() - 31 * 86400)
        # Registry.
        self.submit("unknown_certificate", self.own.issue(Camera("CAM-1")))
        self.submit("secret_undecryptable", self.foreign.issue(Camera("CAM-1")))
        self.submit("unknown_device", self.foreign.issue(Camera("CAM-1"), sealed=sealed(os.urandom(32), table, 7, key)))
        self.submit("serial_mismatch", self.foreign.issue(Camera("CAM-2"), sealed=sealed(secret, table, 7, key)))
        self.submit("accepted", self.foreign.issue(Camera("CAM-1"), sealed=sealed(secret, table, 7, key)))
        # Binding and policy.
        members = camera.bundle(b"")
        digest = BundleDigest(
            signed_sha256=bytes(32), camera_cert=members["camera_cert"],
            bundle_signature=base64.b64decode(members["bundle_signature"]))
        split = VerifyRequest(app="whole", purpose=PURPOSE_ASSERT, evidence=[
            Evidence(certificate_bundle=CertificateBundle(digest=digest))])
        self.steps.show("split_not_allowed", answer(self.client.verify(split)), "split_not_allowed")
        self.submit("accepted", camera)
        self.submit("too_many_submissions", camera)
        # Revocation and blocks.
        self.client.revoke("cameras", camera.certificate.serial)
        self.submit("revoked", camera)
        blocked = self.provision("CAM-3")
        self.client.call(
            "/assay.v1.Devices/Block", devices_pb2.BlockRequest(
                app="cameras", target=devices_pb2.BlockTarget(device_id=blocked.reply.device_id), reason="test"),
            devices_pb2.BlockResponse)
        self.submit("device_blocked", blocked)
        return 1 if self.steps.wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--make", metavar="FOLDER")
    parser.add_argument("--server")
    parser.add_argument("--folder")
    arguments = parser.parse_args()
    if arguments.make:
        foreign = Authority.make("Foreign Device CA")
        with open(f"{arguments.make}/foreign.pem", "wb") as file:
            file.write(foreign.certificate.public_bytes(serialization.Encoding.PEM))
        with open(f"{arguments.make}/foreign.key", "wb") as file:
            file.write(foreign.key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
        return 0
    with Client.connect(arguments.server) as client:
        return Test(client, arguments.folder).run()


if __name__ == "__main__":
    sys.exit(main())
