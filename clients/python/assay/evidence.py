"""What a device sent, and how it is tied to a request."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from typing import Any, Dict, Mapping, Sequence, Union


def to_base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


@dataclass(frozen=True)
class Evidence:
    """One piece of evidence, as the platform made it. Make it by the constructor of its kind."""

    json: Mapping[str, Any]
    """The message `Evidence` in JSON, also for kinds that have no constructor here."""

    @staticmethod
    def app_attest_attestation(key_id: bytes, attestation: bytes) -> Evidence:
        """The result of `DCAppAttestService.attestKey`, and the key id as raw bytes: 32, decoded from Base64."""
        return Evidence({"appAttestAttestation": {"keyId": to_base64(key_id), "attestation": to_base64(attestation)}})

    @staticmethod
    def app_attest_assertion(key_id: bytes, assertion: bytes) -> Evidence:
        """The result of `DCAppAttestService.generateAssertion`, and the key id as raw bytes."""
        return Evidence({"appAttestAssertion": {"keyId": to_base64(key_id), "assertion": to_base64(assertion)}})

    @staticmethod
    def android_key_attestation(certificates: Sequence[bytes]) -> Evidence:
        """The result of `KeyStore.getCertificateChain`: each certificate as DER, leaf first."""
        return Evidence({"androidKeyAttestation": {"certificates": [to_base64(each) for each in certificates]}})

    @staticmethod
    def play_integrity_token(token: str) -> Evidence:
        """The token of Play Integrity as it came."""
        return Evidence({"playIntegrityToken": {"token": token}})

    @staticmethod
    def key_signature(key_id: bytes, signature: bytes, algorithm: str = "ECDSA_P256_SHA256") -> Evidence:
        """A signature by a registered key over the client data.

        key_id: SHA-256 of the key's SubjectPublicKeyInfo.
        algorithm: of `KeySignature.Algorithm`, without its prefix.
        """
        return Evidence(
            {
                "keySignature": {
                    "keyId": to_base64(key_id),
                    "algorithm": "ALGORITHM_" + algorithm,
                    "signature": to_base64(signature),
                }
            }
        )

    @staticmethod
    def certificate_bundle(json: bytes) -> Evidence:
        """The bundle of a camera: the JSON that it sent, byte for byte."""
        return Evidence({"certificateBundle": {"json": to_base64(json)}})

    @staticmethod
    def device_check_token(token: bytes) -> Evidence:
        """The result of `DCDevice.generateToken`."""
        return Evidence({"deviceCheckToken": {"token": to_base64(token)}})

    @staticmethod
    def offline_signature(
        key_id: bytes,
        signature: bytes,
        captured_at_unix_ms: int,
        payload_sha256: bytes,
        algorithm: str = "ECDSA_P256_SHA256",
    ) -> Evidence:
        """A capture that a device signed while it had no challenge."""
        return Evidence(
            {
                "offlineSignature": {
                    "keyId": to_base64(key_id),
                    "algorithm": "ALGORITHM_" + algorithm,
                    "signature": to_base64(signature),
                    "capturedAtUnixMs": str(captured_at_unix_ms),
                    "payloadSha256": to_base64(payload_sha256),
                }
            }
        )

    @staticmethod
    def plugin(format: str, body: bytes) -> Evidence:
        """Evidence of a plugin's format."""
        return Evidence({"pluginEvidence": {"format": format, "body": to_base64(body)}})


@dataclass(frozen=True)
class Binding:
    """How evidence is tied to its request."""

    json: Mapping[str, Any]

    @staticmethod
    def payload(data: Union[bytes, bytearray, memoryview]) -> Binding:
        """Assay's client data over these bytes: exactly those that are stored."""
        return Binding.payload_sha256(hashlib.sha256(data).digest())

    @staticmethod
    def payload_sha256(digest: bytes = b"") -> Binding:
        """Assay's client data over a payload of this SHA-256; empty: without a payload."""
        return Binding({"clientData": {"payloadSha256": to_base64(digest)} if digest else {}})

    @staticmethod
    def upload(upload_id: bytes) -> Binding:
        """Assay's client data over the payload of a finished upload in chunks."""
        return Binding({"clientData": {"uploadId": to_base64(upload_id)}})

    @staticmethod
    def embedded(client_data: bytes) -> Binding:
        """The app's own client data, with the challenge in it."""
        return Binding({"embedded": {"clientData": to_base64(client_data)}})

    @staticmethod
    def caller_owned(client_data_hash: bytes) -> Binding:
        """A hash that the caller vouches for, freshness included."""
        return Binding({"callerOwned": {"clientDataHash": to_base64(client_data_hash)}})

    @staticmethod
    def in_evidence() -> Binding:
        """None: the evidence is a statement of its own."""
        return Binding({"inEvidence": {}})


@dataclass(frozen=True)
class BlockTarget:
    """What is blocked: a device, a subject or a key."""

    json: Mapping[str, Any]

    @staticmethod
    def device(device_id: bytes) -> BlockTarget:
        return BlockTarget({"deviceId": to_base64(device_id)})

    @staticmethod
    def subject(subject: bytes) -> BlockTarget:
        """The caller's account or user."""
        return BlockTarget({"subject": to_base64(subject)})

    @staticmethod
    def key(key_id: bytes) -> BlockTarget:
        """The platform's key id, raw bytes."""
        return BlockTarget({"keyId": to_base64(key_id)})


@dataclass(frozen=True)
class ResultRequest:
    """A signed result that is asked for beside a verdict or a look-up."""

    shape: str
    """EAR_JWT, EAR_CWT, SESSION, CLIENT_ATTESTATION, WALLET_INSTANCE, KEY_ATTESTATION, PLAIN_JWS or PLAIN_COSE."""
    audience: str
    """The receiver of the result, one of the audiences that the app's configuration lists."""
    nonce: bytes = b""
    """8 to 64 bytes that the audience gave the caller."""

    @property
    def json(self) -> Mapping[str, Any]:
        return without_defaults({"shape": "RESULT_SHAPE_" + self.shape, "audience": self.audience, "nonce": self.nonce})


def without_defaults(members: Dict[str, Any]) -> Dict[str, Any]:
    """A request's JSON without members at their default; bytes become Base64."""
    kept = {name: value for name, value in members.items() if value or isinstance(value, dict)}
    return {name: to_base64(value) if isinstance(value, bytes) else value for name, value in kept.items()}
