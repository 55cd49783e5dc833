use super::challenge::Purpose;
use super::enumeration::enumeration;
use super::results::ResultRequest;
use super::{Evidence, Members};
use crate::json::Json;

enumeration! {
    /// How much a rejection tells.
    Report, "REPORT_", Unspecified = "",
    {
        /// The judgement ends at the first failure.
        First = "FIRST",
        /// Each failure is a finding.
        All = "ALL",
    }
}

/// How the evidence is tied to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Binding {
    /// Assay's own client data, and the SHA-256 of the payload in it; empty where no payload is bound.
    ClientData { payload_sha256: Vec<u8> },
    /// Assay's own client data, and a finished upload in place of the payload's SHA-256.
    Upload { upload_id: Vec<u8> },
    /// The app's own client data: the exact bytes whose SHA-256 the app gave to the platform.
    Embedded { client_data: Vec<u8> },
    /// A hash that the caller vouches for, freshness included.
    CallerOwned { client_data_hash: Vec<u8> },
    /// None: the evidence is a statement of its own.
    InEvidence,
}

impl Binding {
    /// Binds the bytes that arrived: Assay's client data with their SHA-256.
    pub fn payload(bytes: &[u8]) -> Binding {
        Binding::ClientData { payload_sha256: crate::sha256(bytes).to_vec() }
    }

    fn json(&self) -> Json {
        let (mode, members) = match self {
            Binding::ClientData { payload_sha256 } => ("clientData", Members::default().bytes("payloadSha256", payload_sha256)),
            Binding::Upload { upload_id } => ("clientData", Members::default().bytes("uploadId", upload_id)),
            Binding::Embedded { client_data } => ("embedded", Members::default().bytes("clientData", client_data)),
            Binding::CallerOwned { client_data_hash } => {
                ("callerOwned", Members::default().bytes("clientDataHash", client_data_hash))
            }
            Binding::InEvidence => ("inEvidence", Members::default()),
        };
        Json::object([(mode, members.finish())])
    }
}

/// Asks for a verdict.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VerifyRequest {
    pub app: String,
    /// [`Purpose::Register`] or [`Purpose::Assert`].
    pub purpose: Purpose,
    /// As issued.
    pub challenge: Vec<u8>,
    /// The context that the challenge was issued for.
    pub context: Vec<u8>,
    /// 1 to 4 pieces of one device. All must be good.
    pub evidence: Vec<Evidence>,
    /// `None`: client data without a payload.
    pub binding: Option<Binding>,
    /// The caller's account or user, at most 256 bytes. A device registered for one subject is refused for another.
    pub subject: Vec<u8>,
    /// 16 bytes: refuse evidence of any other device. Empty: any.
    pub expected_device_id: Vec<u8>,
    /// The same request under the same key gets the same accepted verdict: 1 to 64 characters of `!` to `~`. `None`: the client makes one for
    /// its own tries, unless its options say otherwise.
    pub idempotency_key: Option<String>,
    /// The IP address of the caller's own client, by which requests are counted where the app limits rates.
    pub source_address: String,
    /// The JSON document about a capture, byte for byte as the app made it.
    pub signals: Vec<u8>,
    /// 16 bytes, with [`Purpose::Register`] only: the device that this one takes the place of.
    pub replaces_device_id: Vec<u8>,
    /// At most 4 signed results, for an accepted verdict.
    pub results: Vec<ResultRequest>,
    pub report: Report,
}

impl VerifyRequest {
    pub(crate) fn json(&self) -> Json {
        let members = Members::default()
            .text("app", &self.app)
            .name("purpose", Purpose::PREFIX, self.purpose.as_str())
            .bytes("challenge", &self.challenge)
            .bytes("context", &self.context)
            .list("evidence", self.evidence.iter().map(Evidence::json).collect())
            .bytes("subject", &self.subject)
            .bytes("expectedDeviceId", &self.expected_device_id)
            .text("sourceAddress", &self.source_address)
            .bytes("signals", &self.signals)
            .bytes("replacesDeviceId", &self.replaces_device_id)
            .list("results", self.results.iter().map(ResultRequest::json).collect())
            .name("report", Report::PREFIX, self.report.as_str());
        match &self.binding {
            Some(binding) => members.json("binding", binding.json()).finish(),
            None => members.finish(),
        }
    }
}
