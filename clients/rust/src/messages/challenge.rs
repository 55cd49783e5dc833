use super::enumeration::enumeration;
use super::{Answer, Fields, Members};
use crate::json::{Json, Object};

enumeration! {
    /// What a challenge is for. A challenge, the evidence and the method must agree on it.
    Purpose, "PURPOSE_", Unspecified = "",
    {
        /// A new key is attested and the device registered.
        Register = "REGISTER",
        /// A registered device proves itself.
        Assert = "ASSERT",
        /// A device certificate is issued.
        Provision = "PROVISION",
        /// A device certificate is renewed.
        Renew = "RENEW",
    }
}

/// Asks for a challenge.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IssueChallengeRequest {
    pub app: String,
    pub purpose: Purpose,
    /// The caller's session or account, at most 64 bytes; must be repeated at `verify`.
    pub context: Vec<u8>,
    /// How long the challenge is good. 0: the app's default. At most 1 hour.
    pub ttl_ms: u32,
    /// The IP address of the caller's own client, by which requests are counted where the app limits rates.
    pub source_address: String,
}

impl IssueChallengeRequest {
    pub(crate) fn json(&self) -> Json {
        Members::default()
            .text("app", &self.app)
            .name("purpose", Purpose::PREFIX, self.purpose.as_str())
            .bytes("context", &self.context)
            .number("ttlMs", self.ttl_ms)
            .text("sourceAddress", &self.source_address)
            .finish()
    }
}

/// A challenge, for the device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Challenge {
    /// 54 bytes, opaque.
    pub challenge: Vec<u8>,
    pub expires_at_unix_ms: i64,
    pub raw: Object,
}

impl Answer for Challenge {
    fn read(fields: &Fields<'_>) -> Result<Challenge, String> {
        Ok(Challenge {
            challenge: fields.bytes("challenge")?,
            expires_at_unix_ms: fields.integer("expiresAtUnixMs")?,
            raw: fields.raw(),
        })
    }
}
