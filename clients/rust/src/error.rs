use crate::json::Json;
use crate::retry::Retry;
use crate::status_detail::StatusDetail;
use std::fmt;
use std::time::Duration;

/// Connect's names of gRPC's codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Code {
    Canceled,
    Unknown,
    InvalidArgument,
    DeadlineExceeded,
    NotFound,
    AlreadyExists,
    PermissionDenied,
    ResourceExhausted,
    FailedPrecondition,
    Aborted,
    OutOfRange,
    Unimplemented,
    Internal,
    Unavailable,
    DataLoss,
    Unauthenticated,
}

impl Code {
    const ALL: [Code; 16] = [
        Code::Canceled,
        Code::Unknown,
        Code::InvalidArgument,
        Code::DeadlineExceeded,
        Code::NotFound,
        Code::AlreadyExists,
        Code::PermissionDenied,
        Code::ResourceExhausted,
        Code::FailedPrecondition,
        Code::Aborted,
        Code::OutOfRange,
        Code::Unimplemented,
        Code::Internal,
        Code::Unavailable,
        Code::DataLoss,
        Code::Unauthenticated,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Code::Canceled => "canceled",
            Code::Unknown => "unknown",
            Code::InvalidArgument => "invalid_argument",
            Code::DeadlineExceeded => "deadline_exceeded",
            Code::NotFound => "not_found",
            Code::AlreadyExists => "already_exists",
            Code::PermissionDenied => "permission_denied",
            Code::ResourceExhausted => "resource_exhausted",
            Code::FailedPrecondition => "failed_precondition",
            Code::Aborted => "aborted",
            Code::OutOfRange => "out_of_range",
            Code::Unimplemented => "unimplemented",
            Code::Internal => "internal",
            Code::Unavailable => "unavailable",
            Code::DataLoss => "data_loss",
            Code::Unauthenticated => "unauthenticated",
        }
    }

    /// A name that is not known is [`Code::Unknown`].
    fn named(name: &str) -> Code {
        Code::ALL.into_iter().find(|code| code.as_str() == name).unwrap_or(Code::Unknown)
    }

    /// What may help against an error that does not say it.
    fn usual_retry(self) -> Retry {
        match self {
            Code::Unavailable
            | Code::ResourceExhausted
            | Code::DeadlineExceeded
            | Code::Aborted
            | Code::Canceled
            | Code::Unknown => Retry::Later,
            Code::InvalidArgument | Code::NotFound | Code::AlreadyExists | Code::OutOfRange => Retry::Never,
            _ => Retry::ContactOperator,
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

/// Why a call has no answer: an error of the daemon, of the way to it, or of the caller. A rejection of evidence is a verdict, and no error.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AssayError {
    pub code: Code,
    /// A stable word for machines; empty if the answer has none.
    pub reason: String,
    /// For people: at most 1000 characters, without control characters.
    pub message: String,
    /// What may be done about it.
    pub retry: Retry,
    /// When trying again may help; `None` if it is not known.
    pub retry_after: Option<Duration>,
    /// Where it is documented: an address, or a path in the project.
    pub link: String,
    /// Of the last answer; 0 without one.
    pub http_status: u16,
    /// How often the call was sent, or was to be sent.
    pub attempts: u32,
}

impl AssayError {
    const MESSAGE_LIMIT: usize = 1000;
    /// Details beyond these are not looked at.
    const DETAIL_LIMIT: usize = 16;
    /// Of the errors that say that the daemon did not begin the call.
    const NOT_BEGUN: [&'static str; 5] = ["connect_failed", "going_away", "too_many_calls", "overloaded", "body_timeout"];

    pub(crate) fn new(code: Code, reason: &str, retry: Retry, message: impl Into<String>) -> AssayError {
        let mut error = AssayError {
            code,
            reason: reason.to_owned(),
            message: printable(&message.into(), AssayError::MESSAGE_LIMIT),
            retry,
            retry_after: None,
            link: String::new(),
            http_status: 0,
            attempts: 0,
        };
        error.link = error.page().to_owned();
        error
    }

    pub(crate) fn bad_option(option: &str, why: impl fmt::Display) -> AssayError {
        AssayError::new(Code::InvalidArgument, "bad_option", Retry::Never, format!("{option}: {why}"))
    }

    pub(crate) fn bad_request(why: impl Into<String>) -> AssayError {
        AssayError::new(Code::InvalidArgument, "bad_request", Retry::Never, why)
    }

    pub(crate) fn undecodable(why: impl fmt::Display) -> AssayError {
        let message = format!("the answer is not what the method returns: {why}");
        AssayError::new(Code::Internal, "undecodable_reply", Retry::ContactOperator, message)
    }

    pub(crate) fn timeout() -> AssayError {
        let message = "the time-out passed before the answer came; whether the call was done is unknown";
        AssayError::new(Code::DeadlineExceeded, "timeout", Retry::Later, message)
    }

    pub(crate) fn foreign(status: u16, content_type: &str) -> AssayError {
        let (code, retry) = match status {
            401 => (Code::Unauthenticated, Retry::ContactOperator),
            403 => (Code::PermissionDenied, Retry::ContactOperator),
            404 => (Code::Unimplemented, Retry::ContactOperator),
            408 | 429 | 502 | 503 | 504 => (Code::Unavailable, Retry::Later),
            _ => (Code::Unknown, Retry::ContactOperator),
        };
        let kind = if content_type.is_empty() { "no content type".to_owned() } else { printable(content_type, 64) };
        let message = format!(
            "the answer (status {status}, {kind}) is not the daemon's: another server or a proxy gave it; whether the call was done is unknown"
        );
        AssayError { http_status: status, ..AssayError::new(code, "foreign_answer", retry, message) }
    }

    /// The error that the body of an answer is; `None` if it is none of the daemon's.
    ///
    /// - `retry_after`: what the header field says.
    pub(crate) fn from_answer(status: u16, body: &Json, retry_after: Option<Duration>) -> Option<AssayError> {
        let code = Code::named(body.get("code")?.as_text()?);
        let detail = StatusDetail::of_all(body.get("details").and_then(Json::as_list).unwrap_or(&[]), Self::DETAIL_LIMIT);
        let message = body.get("message").and_then(Json::as_text).unwrap_or("");
        let retry = detail.retry.map_or_else(|| code.usual_retry(), |word| Retry::from_word(&word));
        let mut error = AssayError::new(code, &detail.reason.unwrap_or_default(), retry, message);
        error.retry_after = detail.retry_after.or(retry_after);
        if let Some(link) = detail.link {
            error.link = link;
        }
        error.http_status = status;
        Some(error)
    }

    /// Whether the daemon certainly did not begin the call, so that repeating it is safe in any case.
    pub fn was_not_begun(&self) -> bool {
        AssayError::NOT_BEGUN.contains(&self.reason.as_str())
    }

    /// Puts the address of the documentation before a link that is a path.
    pub(crate) fn documented_at(mut self, documentation: Option<&str>) -> AssayError {
        if let (Some(base), false) = (documentation, self.link.starts_with("https://")) {
            self.link = format!("{}/{}", base.trim_end_matches('/'), self.link);
        }
        self
    }

    /// The page of the project that has the reason.
    fn page(&self) -> &'static str {
        match self.reason.as_str() {
            "bad_option" | "bad_request" | "connect_failed" | "tls_failed" | "connection_lost" | "protocol_broken"
            | "timeout" | "foreign_answer" | "reply_too_large" | "undecodable_reply" => "clients/README.md#errors",
            "permission_denied" | "credential_refused" => "docs/operate/callers.md#when-it-does-not-work",
            "overloaded" | "rate_limited" | "too_many_calls" => "docs/reference/configuration/limits.md",
            "uploads_not_configured" | "tamper_detected" | "too_many_open_uploads" => "docs/reference/uploads.md#errors",
            reason if reason.starts_with("upload_") || reason.starts_with("chunk_") => "docs/reference/uploads.md#errors",
            _ => "docs/reference/http.md#errors",
        }
    }
}

impl fmt::Display for AssayError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.reason.as_str() {
            "" => write!(out, "{}: {} ({})", self.code, self.message, self.link),
            reason => write!(out, "{} ({reason}): {} ({})", self.code, self.message, self.link),
        }
    }
}

impl std::error::Error for AssayError {}

/// Cut to `limit` characters, with a space for each control character.
fn printable(text: &str, limit: usize) -> String {
    text.chars().take(limit).map(|character| if character.is_control() { ' ' } else { character }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_code_and_message_without_details() {
        let body = Json::parse(b"{\"code\":\"unavailable\",\"message\":\"a\\nb\\u001bc\"}").unwrap();
        let error = AssayError::from_answer(503, &body, Some(Duration::from_secs(2))).unwrap();
        assert_eq!((error.code, error.reason.as_str(), error.message.as_str()), (Code::Unavailable, "", "a b c"));
        assert_eq!((error.retry, error.http_status), (Retry::Later, 503));
        assert_eq!(error.retry_after, Some(Duration::from_secs(2)));
        assert_eq!(error.link, "docs/reference/http.md#errors");
    }

    #[test]
    fn takes_an_answer_without_a_code_for_none_of_the_daemons() {
        for body in ["{}", "{\"code\":5}", "[]", "\"x\""] {
            assert_eq!(AssayError::from_answer(503, &Json::parse(body.as_bytes()).unwrap(), None), None);
        }
    }

    #[test]
    fn takes_a_code_that_is_not_known_for_unknown() {
        let error = AssayError::from_answer(500, &Json::parse(b"{\"code\":\"novel\"}").unwrap(), None).unwrap();
        assert_eq!((error.code, error.retry), (Code::Unknown, Retry::Later));
    }

    #[test]
    fn links_lead_to_the_page_of_the_reason() {
        let link = |reason| AssayError::new(Code::Internal, reason, Retry::Never, "").link;
        assert_eq!(link("timeout"), "clients/README.md#errors");
        assert_eq!(link("rate_limited"), "docs/reference/configuration/limits.md");
        assert_eq!(link("chunk_out_of_range"), "docs/reference/uploads.md#errors");
        assert_eq!(link("permission_denied"), "docs/operate/callers.md#when-it-does-not-work");
        let error = AssayError::timeout().documented_at(Some("https://docs.example/assay/"));
        assert_eq!(error.link, "https://docs.example/assay/clients/README.md#errors");
    }

    #[test]
    fn cuts_long_messages() {
        let error = AssayError::bad_request("é".repeat(5000));
        assert_eq!(error.message.chars().count(), 1000);
    }
}
