use super::enumeration::enumeration;
use super::results::SignedResult;
use super::{Answer, Fields};
use crate::json::Object;
use crate::retry::Retry;

enumeration! {
    Decision, "DECISION_", Unspecified = "",
    {
        Accepted = "ACCEPTED",
        Rejected = "REJECTED",
        /// Of records only: nothing was decided.
        Unjudged = "UNJUDGED",
    }
}

enumeration! {
    /// How strong evidence is.
    Assurance, "ASSURANCE_", None = "NONE",
    {
        Software = "SOFTWARE",
        Platform = "PLATFORM",
        Hardware = "HARDWARE",
        SecureElement = "SECURE_ELEMENT",
    }
}

impl Assurance {
    /// Whether it is `least` or stronger. An assurance that this version does not know is not.
    pub fn is_at_least(&self, least: Assurance) -> bool {
        let rank = |assurance: &Assurance| match assurance {
            Assurance::None => Some(0),
            Assurance::Software => Some(1),
            Assurance::Platform => Some(2),
            Assurance::Hardware => Some(3),
            Assurance::SecureElement => Some(4),
            Assurance::Other(_) => None,
        };
        matches!((rank(self), rank(&least)), (Some(has), Some(least)) if has >= least)
    }
}

enumeration! {
    /// What came of a check.
    Outcome, "OUTCOME_", Unspecified = "",
    { Pass = "PASS", Fail = "FAIL", Unavailable = "UNAVAILABLE", Skipped = "SKIPPED", Note = "NOTE" }
}

enumeration! {
    /// How evidence was bound.
    BindingMode, "MODE_", Unspecified = "",
    {
        ClientData = "CLIENT_DATA",
        Embedded = "EMBEDDED",
        CallerOwned = "CALLER_OWNED",
        InEvidence = "IN_EVIDENCE",
    }
}

/// The answer to evidence. A rejection is an answer, and no error.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verdict {
    pub decision: Decision,
    pub assurance: Assurance,
    /// When rejected: a stable code of `docs/reference/reason-codes.md`, a sentence, the check that said so, and what may be done.
    pub reason: String,
    pub detail: String,
    pub check: String,
    pub retry: Retry,
    /// Every check in order, and what was noticed on the way.
    pub findings: Vec<Finding>,
    /// What authenticated evidence says.
    pub claims: Vec<Claim>,
    /// The device record that was made or used: 16 bytes. Empty when rejected before it was known.
    pub device_id: Vec<u8>,
    pub bound: Bound,
    pub evidence_digest: Vec<u8>,
    pub policy_digest: Vec<u8>,
    /// Trust rests on a test root: never a real device.
    pub simulated: bool,
    /// This verdict was given before: do not act twice.
    pub repeated: bool,
    /// 16 bytes that name this verdict in logs and audit.
    pub request_id: Vec<u8>,
    pub decided_at_unix_ms: i64,
    /// One for each that was asked for, in that order, if the verdict is accepted.
    pub results: Vec<SignedResult>,
    /// What an accepted verdict does not say: names without `VERDICT_LIMIT_`.
    pub limits: Vec<String>,
    /// The app does not enforce this verdict: why it would be rejected.
    pub would_reject: Option<WouldReject>,
    pub raw: Object,
}

impl Verdict {
    /// Only this permits the action.
    pub fn accepted(&self) -> bool {
        self.decision == Decision::Accepted
    }

    pub fn has_finding(&self, code: &str) -> bool {
        self.findings.iter().any(|finding| finding.code == code)
    }

    /// Clears `repeated` where it speaks of a try of the same call: the caller has not had the verdict before. A statement that was accepted in
    /// an earlier call stays repeated.
    pub(crate) fn under_random_key(mut self) -> Verdict {
        self.repeated = self.repeated && self.has_finding("statement_repeated");
        self
    }
}

impl Answer for Verdict {
    fn read(fields: &Fields<'_>) -> Result<Verdict, String> {
        let limits = fields.names("limits")?;
        Ok(Verdict {
            decision: fields.name("decision", Decision::named)?,
            assurance: fields.name("assurance", Assurance::named)?,
            reason: fields.text("reason")?,
            detail: fields.text("detail")?,
            check: fields.text("check")?,
            retry: fields.name("retry", retry)?,
            findings: fields.messages("findings")?,
            claims: fields.messages("claims")?,
            device_id: fields.bytes("deviceId")?,
            bound: fields.message("bound")?,
            evidence_digest: fields.bytes("evidenceDigest")?,
            policy_digest: fields.bytes("policyDigest")?,
            simulated: fields.boolean("simulated")?,
            repeated: fields.boolean("repeated")?,
            request_id: fields.bytes("requestId")?,
            decided_at_unix_ms: fields.integer("decidedAtUnixMs")?,
            results: fields.messages("results")?,
            limits: limits.iter().map(|name| name.strip_prefix("VERDICT_LIMIT_").unwrap_or(name).to_owned()).collect(),
            would_reject: fields.optional("wouldReject")?,
            raw: fields.raw(),
        })
    }
}

/// By the name of a `RetryClass`.
pub(super) fn retry(name: &str) -> Retry {
    Retry::from_name(name.strip_prefix("RETRY_CLASS_").unwrap_or(name))
}

/// Why evidence would be rejected if the app enforced the verdict.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct WouldReject {
    pub reason: String,
    pub detail: String,
    pub check: String,
    pub retry: Retry,
}

impl Answer for WouldReject {
    fn read(fields: &Fields<'_>) -> Result<WouldReject, String> {
        Ok(WouldReject {
            reason: fields.text("reason")?,
            detail: fields.text("detail")?,
            check: fields.text("check")?,
            retry: fields.name("retry", retry)?,
        })
    }
}

/// A check, or something that was noticed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    pub check: String,
    pub outcome: Outcome,
    /// A reason code for a failure, a word for a note, otherwise empty.
    pub code: String,
    pub detail: String,
}

impl Answer for Finding {
    fn read(fields: &Fields<'_>) -> Result<Finding, String> {
        Ok(Finding {
            check: fields.text("check")?,
            outcome: fields.name("outcome", Outcome::named)?,
            code: fields.text("code")?,
            detail: fields.text("detail")?,
        })
    }
}

/// What authenticated evidence says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Claim {
    pub name: String,
    pub value: ClaimValue,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ClaimValue {
    /// A kind of value that this version does not know.
    #[default]
    Unknown,
    Text(String),
    Integer(i64),
    Boolean(bool),
    Bytes(Vec<u8>),
    Texts(Vec<String>),
    TimeUnixMs(i64),
}

impl Answer for Claim {
    fn read(fields: &Fields<'_>) -> Result<Claim, String> {
        struct Texts(Vec<String>);
        impl Answer for Texts {
            fn read(fields: &Fields<'_>) -> Result<Texts, String> {
                fields.texts("values").map(Texts)
            }
        }
        let value = if fields.has("text") {
            ClaimValue::Text(fields.text("text")?)
        } else if fields.has("integer") {
            ClaimValue::Integer(fields.integer("integer")?)
        } else if fields.has("boolean") {
            ClaimValue::Boolean(fields.boolean("boolean")?)
        } else if fields.has("bytes") {
            ClaimValue::Bytes(fields.bytes("bytes")?)
        } else if fields.has("timeUnixMs") {
            ClaimValue::TimeUnixMs(fields.integer("timeUnixMs")?)
        } else if let Some(Texts(texts)) = fields.optional("texts")? {
            ClaimValue::Texts(texts)
        } else {
            ClaimValue::Unknown
        };
        Ok(Claim { name: fields.text("name")?, value })
    }
}

/// What the device's signature covers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Bound {
    pub mode: BindingMode,
    /// SHA-256 of the payload; empty where none is bound or only the caller knows.
    pub payload_sha256: Vec<u8>,
    /// What the platform signed over.
    pub client_data_hash: Vec<u8>,
}

impl Answer for Bound {
    fn read(fields: &Fields<'_>) -> Result<Bound, String> {
        Ok(Bound {
            mode: fields.name("mode", BindingMode::named)?,
            payload_sha256: fields.bytes("payloadSha256")?,
            client_data_hash: fields.bytes("clientDataHash")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Json;

    fn read(text: &str) -> Result<Verdict, String> {
        Verdict::read(&Fields::new(Json::parse(text.as_bytes()).unwrap().as_object().unwrap()))
    }

    #[test]
    fn defaults_stand_for_what_is_left_out() {
        let verdict = read(r#"{"decision":null,"findings":null}"#).unwrap();
        assert_eq!((verdict.decision.as_str(), verdict.assurance.as_str()), ("", "NONE"));
        assert!(!verdict.accepted());
    }

    #[test]
    fn values_that_are_not_known_are_kept_and_never_accepted() {
        let verdict = read(r#"{"decision":"DECISION_MAYBE","assurance":9,"retry":"RETRY_CLASS_SOON"}"#).unwrap();
        assert_eq!(verdict.decision, Decision::Other("MAYBE".to_owned()));
        assert_eq!(verdict.assurance, Assurance::Other("9".to_owned()));
        assert_eq!(verdict.retry, Retry::Other("SOON".to_owned()));
        assert!(!verdict.accepted());
        assert!(!verdict.assurance.is_at_least(Assurance::None));
        assert!(read(r#"{"decision":"DECISION_ACCEPTED"}"#).unwrap().accepted());
    }

    #[test]
    fn reads_claims_of_each_kind() {
        let verdict = read(
            r#"{"claims":[{"name":"a","text":""},{"name":"b","integer":"-5"},{"name":"c","boolean":false},
                {"name":"d","bytes":"_-8"},{"name":"e","texts":{"values":["x"]}},{"name":"f","timeUnixMs":7},{"name":"g","novel":{}}]}"#,
        );
        let values: Vec<ClaimValue> = verdict.unwrap().claims.into_iter().map(|claim| claim.value).collect();
        let expected = [
            ClaimValue::Text(String::new()),
            ClaimValue::Integer(-5),
            ClaimValue::Boolean(false),
            ClaimValue::Bytes(vec![0xFF, 0xEF]),
            ClaimValue::Texts(vec!["x".to_owned()]),
            ClaimValue::TimeUnixMs(7),
            ClaimValue::Unknown,
        ];
        assert_eq!(values, expected);
    }

    #[test]
    fn a_member_of_another_type_is_named_by_its_place() {
        let place = |text: &str| read(text).unwrap_err();
        assert_eq!(place(r#"{"findings":[{},{"check":5}]}"#), "findings[1].check is not a text");
        assert_eq!(place(r#"{"bound":{"payloadSha256":"?"}}"#), "bound.payloadSha256 is not Base64");
        assert_eq!(place(r#"{"findings":[5]}"#), "findings[0] is not an object");
        assert_eq!(place(r#"{"simulated":"true"}"#), "simulated is not true or false");
        assert_eq!(place(r#"{"decision":true}"#), "decision is not a name");
        assert_eq!(place(r#"{"decidedAtUnixMs":"9223372036854775808"}"#), "decidedAtUnixMs is not an integer of 64 bits");
    }

    #[test]
    fn repeated_is_cleared_under_a_random_key_but_of_a_statement() {
        let verdict = read(r#"{"repeated":true}"#).unwrap().under_random_key();
        assert!(!verdict.repeated);
        let statement = read(r#"{"repeated":true,"findings":[{"code":"statement_repeated"}]}"#).unwrap();
        assert!(statement.under_random_key().repeated);
    }

    #[test]
    fn assurances_are_ordered() {
        assert!(Assurance::SecureElement.is_at_least(Assurance::Hardware));
        assert!(Assurance::Hardware.is_at_least(Assurance::Hardware));
        assert!(!Assurance::Platform.is_at_least(Assurance::Hardware));
    }
}
