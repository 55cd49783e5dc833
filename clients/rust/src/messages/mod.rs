//! Requests and answers as types. Names and meanings are those of `proto/assay/v1`.

mod answer;
mod block;
mod caller;
mod certificate;
mod challenge;
mod device;
mod enumeration;
mod evidence;
mod fleet;
mod lookup;
mod request;
mod results;
mod verdict;
mod verification;

pub(crate) use answer::{Answer, Fields};
pub use block::{BlockRequest, BlockResponse, BlockTarget, UnblockRequest, UnblockResponse};
pub use caller::Caller;
pub use certificate::{CertificateKey, IssueCertificateRequest, IssueCertificateResponse};
pub use challenge::{Challenge, IssueChallengeRequest, Purpose};
pub use device::{Device, DeviceName, DeviceState, GetDeviceRequest, ListDevicesRequest, ListDevicesResponse};
pub use evidence::{Evidence, SignatureAlgorithm};
pub use fleet::{ProvisionDeviceRequest, ProvisionDeviceResponse, ProvisioningRejection};
pub use lookup::{FindVerdictsRequest, FindVerdictsResponse, FoundVerdict, Match, RegistryState};
pub(crate) use request::Members;
pub use results::{ResultKeys, ResultRequest, ResultShape, SignedResult, Token};
pub use verdict::{Assurance, BindingMode, Bound, Claim, ClaimValue, Decision, Finding, Outcome, Verdict, WouldReject};
pub use verification::{Binding, Report, VerifyRequest};
