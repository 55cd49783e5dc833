use super::{Answer, Fields, Members};
use crate::json::{Json, Object};

/// What is blocked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BlockTarget {
    /// 16 bytes; the device must be on record.
    DeviceId(Vec<u8>),
    /// The caller's account or user.
    Subject(Vec<u8>),
    /// The platform's key id, raw bytes.
    KeyId(Vec<u8>),
}

impl BlockTarget {
    fn json(&self) -> Json {
        let members = match self {
            BlockTarget::DeviceId(id) => Members::default().bytes("deviceId", id),
            BlockTarget::Subject(subject) => Members::default().bytes("subject", subject),
            BlockTarget::KeyId(id) => Members::default().bytes("keyId", id),
        };
        members.finish()
    }
}

/// Refuses a device, a subject or a key until it is unblocked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockRequest {
    pub app: String,
    pub target: BlockTarget,
    /// For operators, 1 to 256 bytes. It stands in the audit log, from which nothing can be deleted: name no person.
    pub reason: String,
}

impl BlockRequest {
    pub(crate) fn json(&self) -> Json {
        Members::default().text("app", &self.app).json("target", self.target.json()).text("reason", &self.reason).finish()
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BlockResponse {
    /// Registered devices that the target names.
    pub devices: u32,
    pub was_blocked: bool,
    pub revoked_certificates: u32,
    pub raw: Object,
}

impl Answer for BlockResponse {
    fn read(fields: &Fields<'_>) -> Result<BlockResponse, String> {
        Ok(BlockResponse {
            devices: fields.number("devices")?,
            was_blocked: fields.boolean("wasBlocked")?,
            revoked_certificates: fields.number("revokedCertificates")?,
            raw: fields.raw(),
        })
    }
}

/// Lifts the block of exactly this target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnblockRequest {
    pub app: String,
    pub target: BlockTarget,
}

impl UnblockRequest {
    pub(crate) fn json(&self) -> Json {
        Members::default().text("app", &self.app).json("target", self.target.json()).finish()
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnblockResponse {
    /// Registered devices that the target names.
    pub devices: u32,
    /// False: there was nothing to lift.
    pub was_blocked: bool,
    /// Those of the devices that other blocks keep blocked.
    pub still_blocked: u32,
    pub raw: Object,
}

impl Answer for UnblockResponse {
    fn read(fields: &Fields<'_>) -> Result<UnblockResponse, String> {
        Ok(UnblockResponse {
            devices: fields.number("devices")?,
            was_blocked: fields.boolean("wasBlocked")?,
            still_blocked: fields.number("stillBlocked")?,
            raw: fields.raw(),
        })
    }
}
