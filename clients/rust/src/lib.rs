//! A client of `assayd`, which judges device attestations, over HTTP in JSON.
//!
//! ```no_run
//! use assay_client::*;
//!
//! # fn main() -> Result<(), AssayError> {
//! # let (app_evidence, photo) = (Json::Null, b"");
//! let assay = Client::new(ClientOptions::new("https://assay.example").api_key("assay_…").ca_file("ca.pem"))?;
//! let challenge = assay.issue_challenge(&IssueChallengeRequest {
//!     app: "photos".into(),
//!     purpose: Purpose::Assert,
//!     ..Default::default()
//! })?;
//! // … the device signs the challenge and the photo …
//! let verdict = assay.verify(&VerifyRequest {
//!     app: "photos".into(),
//!     purpose: Purpose::Assert,
//!     challenge: challenge.challenge,
//!     evidence: vec![Evidence::from_json(app_evidence)?],
//!     binding: Some(Binding::payload(photo)),
//!     ..Default::default()
//! })?;
//! if verdict.accepted() { /* store the photo */ }
//! # Ok(())
//! # }
//! ```
//!
//! Without features the crate needs nothing beyond std, and reaches `http://` addresses and Unix sockets. The feature `tls` brings
//! `https://`, by the system's OpenSSL.

#![forbid(unsafe_code)]
// The error is made once for a failed call, which takes milliseconds: its size does not matter, and a box would be in the way of matching.
#![allow(clippy::result_large_err)]

mod address;
mod base64;
mod client;
mod error;
mod http;
mod http_date;
mod json;
mod messages;
mod options;
mod random;
mod retry;
mod sha256;
mod status_detail;

pub use base64::{decode as base64_decode, encode as base64_encode};
pub use client::{CallOptions, Client};
pub use error::{AssayError, Code};
pub use json::{Json, JsonError, JsonLimits, Object};
pub use messages::{
    Assurance, Binding, BindingMode, BlockRequest, BlockResponse, BlockTarget, Bound, Caller, CertificateKey, Challenge, Claim,
    ClaimValue, Decision, Device, DeviceName, DeviceState, Evidence, FindVerdictsRequest, FindVerdictsResponse, Finding,
    FoundVerdict, GetDeviceRequest, IssueCertificateRequest, IssueCertificateResponse, IssueChallengeRequest,
    ListDevicesRequest, ListDevicesResponse, Match, Outcome, ProvisionDeviceRequest, ProvisionDeviceResponse,
    ProvisioningRejection, Purpose, RegistryState, Report, ResultKeys, ResultRequest, ResultShape, SignatureAlgorithm,
    SignedResult, Token, UnblockRequest, UnblockResponse, Verdict, VerifyRequest, WouldReject,
};
pub use options::ClientOptions;
pub use retry::{RealTime, Retry, Time};
pub use sha256::sha256;
