use super::verdict::retry;
use super::{Answer, Fields, Members};
use crate::json::{Json, Object};
use crate::retry::Retry;
use std::fmt;

/// Asks for what a device of a fleet gets at its manufacturer's.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct ProvisionDeviceRequest {
    pub app: String,
    pub device_serial: String,
    pub device_family: String,
    /// 32 bytes; empty: Assay makes one.
    pub device_secret: Vec<u8>,
    /// A PKCS#10 certificate signing request (DER) of a P-256 key; empty only where the configuration allows it.
    pub csr: Vec<u8>,
    /// A one-time enrolment token; empty: the serial number must be on the allow-list.
    pub enrolment_token: String,
    /// As in [`super::VerifyRequest`].
    pub idempotency_key: Option<String>,
}

impl ProvisionDeviceRequest {
    pub(crate) fn json(&self) -> Json {
        Members::default()
            .text("app", &self.app)
            .text("deviceSerial", &self.device_serial)
            .text("deviceFamily", &self.device_family)
            .bytes("deviceSecret", &self.device_secret)
            .bytes("csr", &self.csr)
            .text("enrolmentToken", &self.enrolment_token)
            .finish()
    }
}

/// Without the secret and the token.
impl fmt::Debug for ProvisionDeviceRequest {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("ProvisionDeviceRequest")
            .field("app", &self.app)
            .field("device_serial", &self.device_serial)
            .field("device_family", &self.device_family)
            .finish_non_exhaustive()
    }
}

/// What a device of a fleet gets, or why it gets nothing.
#[derive(Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProvisionDeviceResponse {
    /// DER.
    pub device_certificate: Vec<u8>,
    /// The CA's certificates (DER), the issuer first.
    pub certificate_chain: Vec<Vec<u8>>,
    /// Three tables of keys of 32 bytes, in the order of `key_table_indices`.
    pub key_tables: Vec<Vec<Vec<u8>>>,
    pub key_table_indices: Vec<u32>,
    pub device_secret: Vec<u8>,
    /// PKCS#8 (DER), only if Assay made the key, and only in the first answer.
    pub device_private_key: Vec<u8>,
    pub device_id: Vec<u8>,
    /// The answer to an equal request made before.
    pub repeated: bool,
    pub rejection: Option<ProvisioningRejection>,
    /// Has the secrets too.
    pub raw: Object,
}

impl ProvisionDeviceResponse {
    /// There is a certificate, and no rejection.
    pub fn provisioned(&self) -> bool {
        self.rejection.is_none() && !self.device_certificate.is_empty()
    }
}

/// Without secrets.
impl fmt::Debug for ProvisionDeviceResponse {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("ProvisionDeviceResponse")
            .field("device_id", &self.device_id)
            .field("repeated", &self.repeated)
            .field("rejection", &self.rejection)
            .finish_non_exhaustive()
    }
}

impl Answer for ProvisionDeviceResponse {
    fn read(fields: &Fields<'_>) -> Result<ProvisionDeviceResponse, String> {
        struct KeyTable(Vec<Vec<u8>>);
        impl Answer for KeyTable {
            fn read(fields: &Fields<'_>) -> Result<KeyTable, String> {
                fields.byte_texts("keys").map(KeyTable)
            }
        }
        let tables: Vec<KeyTable> = fields.messages("keyTables")?;
        Ok(ProvisionDeviceResponse {
            device_certificate: fields.bytes("deviceCertificate")?,
            certificate_chain: fields.byte_texts("certificateChain")?,
            key_tables: tables.into_iter().map(|KeyTable(keys)| keys).collect(),
            key_table_indices: fields.numbers("keyTableIndices")?,
            device_secret: fields.bytes("deviceSecret")?,
            device_private_key: fields.bytes("devicePrivateKey")?,
            device_id: fields.bytes("deviceId")?,
            repeated: fields.boolean("repeated")?,
            rejection: fields.optional("rejection")?,
            raw: fields.raw(),
        })
    }
}

/// Why a device was not provisioned.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProvisioningRejection {
    /// A stable code of `docs/reference/reason-codes.md`.
    pub reason: String,
    pub detail: String,
    pub retry: Retry,
}

impl Answer for ProvisioningRejection {
    fn read(fields: &Fields<'_>) -> Result<ProvisioningRejection, String> {
        Ok(ProvisioningRejection {
            reason: fields.text("reason")?,
            detail: fields.text("detail")?,
            retry: fields.name("retry", retry)?,
        })
    }
}
