use super::enumeration::enumeration;
use super::Members;
use crate::json::Json;
use crate::AssayError;

enumeration! {
    /// How a signature was made.
    SignatureAlgorithm, "ALGORITHM_", Unspecified = "",
    {
        /// DER, as Android's `Signature` makes it.
        EcdsaP256Sha256 = "ECDSA_P256_SHA256",
        EcdsaP384Sha384 = "ECDSA_P384_SHA384",
        /// The salt is as long as the hash.
        RsaPssSha256 = "RSA_PSS_SHA256",
        RsaPkcs1Sha256 = "RSA_PKCS1_SHA256",
        Ed25519 = "ED25519",
        MlDsa65 = "ML_DSA_65",
        MlDsa87 = "ML_DSA_87",
        EcdsaP384Sha256 = "ECDSA_P384_SHA256",
    }
}

/// What a device sent, as the platform made it. A key id is raw bytes: 32.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence(Json);

impl Evidence {
    /// The result of `DCAppAttestService.attestKey`.
    pub fn app_attest_attestation(key_id: &[u8], attestation: &[u8]) -> Evidence {
        Evidence::of("appAttestAttestation", Members::default().bytes("keyId", key_id).bytes("attestation", attestation))
    }

    /// The result of `DCAppAttestService.generateAssertion`.
    pub fn app_attest_assertion(key_id: &[u8], assertion: &[u8]) -> Evidence {
        Evidence::of("appAttestAssertion", Members::default().bytes("keyId", key_id).bytes("assertion", assertion))
    }

    /// The result of `KeyStore.getCertificateChain`: each certificate as DER, leaf first.
    pub fn android_key_attestation(certificates: &[Vec<u8>]) -> Evidence {
        Evidence::of("androidKeyAttestation", Members::default().byte_texts("certificates", certificates))
    }

    /// The result of `requestIntegrityToken`.
    pub fn play_integrity_token(token: &str) -> Evidence {
        Evidence::of("playIntegrityToken", Members::default().text("token", token))
    }

    /// A signature by a registered key over the client data.
    pub fn key_signature(key_id: &[u8], algorithm: SignatureAlgorithm, signature: &[u8]) -> Evidence {
        let members = Members::default()
            .bytes("keyId", key_id)
            .name("algorithm", SignatureAlgorithm::PREFIX, algorithm.as_str())
            .bytes("signature", signature);
        Evidence::of("keySignature", members)
    }

    /// The JSON that a camera sent, byte for byte.
    pub fn certificate_bundle(json: &[u8]) -> Evidence {
        Evidence::of("certificateBundle", Members::default().bytes("json", json))
    }

    /// The result of `DCDevice.generateToken`.
    pub fn device_check_token(token: &[u8]) -> Evidence {
        Evidence::of("deviceCheckToken", Members::default().bytes("token", token))
    }

    /// A capture that a device signed while it had no challenge.
    pub fn offline_signature(
        key_id: &[u8], algorithm: SignatureAlgorithm, signature: &[u8], captured_at_unix_ms: i64, payload_sha256: &[u8],
    ) -> Evidence {
        let members = Members::default()
            .bytes("keyId", key_id)
            .name("algorithm", SignatureAlgorithm::PREFIX, algorithm.as_str())
            .bytes("signature", signature)
            .integer("capturedAtUnixMs", captured_at_unix_ms)
            .bytes("payloadSha256", payload_sha256);
        Evidence::of("offlineSignature", members)
    }

    /// Evidence of a format that a plugin judges.
    pub fn plugin(format: &str, body: &[u8]) -> Evidence {
        Evidence::of("pluginEvidence", Members::default().text("format", format).bytes("body", body))
    }

    /// Evidence in the JSON of `assay.v1.Evidence`, such as a phone's app posts it. The daemon judges whether it is well formed.
    pub fn from_json(json: Json) -> Result<Evidence, AssayError> {
        match json {
            Json::Object(_) => Ok(Evidence(json)),
            _ => Err(AssayError::bad_request("evidence is an object with one member, its kind")),
        }
    }

    fn of(kind: &str, members: Members) -> Evidence {
        Evidence(Json::object([(kind, members.finish())]))
    }

    pub(crate) fn json(&self) -> Json {
        self.0.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn has_the_names_of_the_proto_and_leaves_defaults_out() {
        let text = |evidence: Evidence| evidence.json().to_string();
        assert_eq!(
            text(Evidence::app_attest_assertion(&[1], &[2])),
            r#"{"appAttestAssertion":{"assertion":"Ag==","keyId":"AQ=="}}"#
        );
        assert_eq!(
            text(Evidence::key_signature(&[1], SignatureAlgorithm::Ed25519, &[])),
            r#"{"keySignature":{"algorithm":"ALGORITHM_ED25519","keyId":"AQ=="}}"#
        );
        assert_eq!(
            text(Evidence::offline_signature(&[], SignatureAlgorithm::Unspecified, &[], 5, &[])),
            r#"{"offlineSignature":{"capturedAtUnixMs":"5"}}"#
        );
        assert_eq!(text(Evidence::play_integrity_token("")), r#"{"playIntegrityToken":{}}"#);
    }

    #[test]
    fn is_an_object() {
        assert_eq!(Evidence::from_json(Json::from("x")).unwrap_err().reason, "bad_request");
    }
}
