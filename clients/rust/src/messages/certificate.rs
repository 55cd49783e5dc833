use super::{Answer, Evidence, Fields, Members, Verdict};
use crate::json::{Json, Object};

/// The key to be certified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CertificateKey {
    /// A PKCS#10 certificate signing request (DER).
    Csr(Vec<u8>),
    /// A SubjectPublicKeyInfo (DER): only for a key that the evidence attests.
    PublicKey(Vec<u8>),
}

/// Asks for a device certificate on evidence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IssueCertificateRequest {
    pub app: String,
    /// Issued for the purpose PROVISION.
    pub challenge: Vec<u8>,
    pub context: Vec<u8>,
    pub evidence: Vec<Evidence>,
    /// SHA-256 of the payload in the client data; empty: none is bound.
    pub payload_sha256: Vec<u8>,
    pub key: Option<CertificateKey>,
    pub subject: Vec<u8>,
    pub expected_device_id: Vec<u8>,
    /// As in [`super::VerifyRequest`].
    pub idempotency_key: Option<String>,
    pub source_address: String,
}

impl IssueCertificateRequest {
    pub(crate) fn json(&self) -> Json {
        let members = Members::default()
            .text("app", &self.app)
            .bytes("challenge", &self.challenge)
            .bytes("context", &self.context)
            .list("evidence", self.evidence.iter().map(Evidence::json).collect())
            .bytes("payloadSha256", &self.payload_sha256)
            .bytes("subject", &self.subject)
            .bytes("expectedDeviceId", &self.expected_device_id)
            .text("sourceAddress", &self.source_address);
        match &self.key {
            Some(CertificateKey::Csr(csr)) => members.bytes("csr", csr).finish(),
            Some(CertificateKey::PublicKey(key)) => members.bytes("publicKey", key).finish(),
            None => members.finish(),
        }
    }
}

/// The verdict, and the certificate if it is accepted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct IssueCertificateResponse {
    pub verdict: Verdict,
    /// DER; empty if none was issued.
    pub certificate: Vec<u8>,
    pub not_after_unix_ms: i64,
    /// The CA's certificates (DER), the issuer first.
    pub chain: Vec<Vec<u8>>,
    pub raw: Object,
}

impl Answer for IssueCertificateResponse {
    fn read(fields: &Fields<'_>) -> Result<IssueCertificateResponse, String> {
        #[derive(Default)]
        struct Certificate(Vec<u8>, i64);
        impl Answer for Certificate {
            fn read(fields: &Fields<'_>) -> Result<Certificate, String> {
                Ok(Certificate(fields.bytes("certificate")?, fields.integer("notAfterUnixMs")?))
            }
        }
        let Certificate(certificate, not_after_unix_ms) = fields.message("certificate")?;
        Ok(IssueCertificateResponse {
            verdict: fields.message("verdict")?,
            certificate,
            not_after_unix_ms,
            chain: fields.byte_texts("chain")?,
            raw: fields.raw(),
        })
    }
}
