use super::enumeration::enumeration;
use super::results::{ResultRequest, SignedResult};
use super::{Answer, Assurance, Decision, Fields, Members};
use crate::json::{Json, Object};

enumeration! {
    /// Where a hash stands in what the device signed.
    Match, "MATCH_", Unspecified = "",
    {
        Payload = "PAYLOAD",
        /// The signed document of signals names it as a file of the capture.
        Media = "MEDIA",
        /// A camera's signed bundle names it as the image's.
        Image = "IMAGE",
    }
}

enumeration! {
    /// The device as it is now, not as it was at the verdict.
    RegistryState, "DEVICE_STATE_", Unspecified = "",
    { Registered = "REGISTERED", Blocked = "BLOCKED", Replaced = "REPLACED" }
}

/// Asks for accepted verdicts by the SHA-256 of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FindVerdictsRequest {
    pub app: String,
    /// 32 bytes.
    pub payload_sha256: Vec<u8>,
    pub source_address: String,
    /// The answer, signed for others: at most 4, of the shapes `PlainJws` and `PlainCose`.
    pub results: Vec<ResultRequest>,
}

impl FindVerdictsRequest {
    pub(crate) fn json(&self) -> Json {
        Members::default()
            .text("app", &self.app)
            .bytes("payloadSha256", &self.payload_sha256)
            .text("sourceAddress", &self.source_address)
            .list("results", self.results.iter().map(ResultRequest::json).collect())
            .finish()
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct FindVerdictsResponse {
    /// Whether an accepted verdict on exactly these bytes is kept.
    pub found: bool,
    pub answered_at_unix_ms: i64,
    /// The newest first, at most 10.
    pub verdicts: Vec<FoundVerdict>,
    /// Older ones are kept too, and are not in the answer.
    pub truncated: bool,
    /// If nothing was found: what that means, for people; and the stable word for it.
    pub note: String,
    pub note_code: String,
    /// One for each that was asked for, in that order.
    pub results: Vec<SignedResult>,
    pub raw: Object,
}

impl Answer for FindVerdictsResponse {
    fn read(fields: &Fields<'_>) -> Result<FindVerdictsResponse, String> {
        Ok(FindVerdictsResponse {
            found: fields.boolean("found")?,
            answered_at_unix_ms: fields.integer("answeredAtUnixMs")?,
            verdicts: fields.messages("verdicts")?,
            truncated: fields.boolean("truncated")?,
            note: fields.text("note")?,
            note_code: fields.text("noteCode")?,
            results: fields.messages("results")?,
            raw: fields.raw(),
        })
    }
}

/// What is kept of an accepted verdict.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct FoundVerdict {
    pub request_id: Vec<u8>,
    pub decision: Decision,
    pub assurance: Assurance,
    pub decided_at_unix_ms: i64,
    pub formats: Vec<String>,
    pub platform: String,
    pub matched: Match,
    pub simulated: bool,
    pub device_state: RegistryState,
}

impl Answer for FoundVerdict {
    fn read(fields: &Fields<'_>) -> Result<FoundVerdict, String> {
        Ok(FoundVerdict {
            request_id: fields.bytes("requestId")?,
            decision: fields.name("decision", Decision::named)?,
            assurance: fields.name("assurance", Assurance::named)?,
            decided_at_unix_ms: fields.integer("decidedAtUnixMs")?,
            formats: fields.texts("formats")?,
            platform: fields.text("platform")?,
            matched: fields.name("match", Match::named)?,
            simulated: fields.boolean("simulated")?,
            device_state: fields.name("deviceState", RegistryState::named)?,
        })
    }
}
