use crate::address::Address;
use crate::base64::hexadecimal;
use crate::error::{AssayError, Code};
use crate::http::{Answer as HttpAnswer, Deadline, Failure, Pool, Tls, TlsFiles};
use crate::json::{Json, JsonLimits, Object};
use crate::messages::*;
use crate::options::ClientOptions;
use crate::retry::{pause, Retry, Time};
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A client of a daemon. It is cheap to clone, and its clones share connections: use one from as many threads as you like.
///
/// Calls block. A call that fails is tried again where that is safe and may help, within its time-out; [`ClientOptions`] has the limits.
#[derive(Clone)]
pub struct Client {
    shared: Arc<Shared>,
    timeout: Duration,
}

struct Shared {
    pool: Pool,
    api_key: Option<String>,
    tries: u32,
    idempotency_keys: bool,
    answer_limit: usize,
    documentation: Option<String>,
    time: Arc<dyn Time>,
}

/// What a generic call says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallOptions {
    /// A second call does no more than the first: it may be repeated.
    pub idempotent: bool,
    /// 1 to 64 characters of `!` to `~`: under it the call may be repeated. None is made.
    pub idempotency_key: Option<String>,
}

/// Whether a call may be repeated that the daemon has possibly begun.
enum Repeating<'a> {
    Always,
    Never,
    /// Under the caller's key, or a random one.
    WithKey(&'a Option<String>),
}

impl Client {
    /// A client that connects for its first call. A wrong option is an error with the reason `bad_option`, whose message names it.
    pub fn new(options: ClientOptions) -> Result<Client, AssayError> {
        let documentation = options.documentation.clone();
        Client::from_options(options).map_err(|error| error.documented_at(documentation.as_deref()))
    }

    fn from_options(options: ClientOptions) -> Result<Client, AssayError> {
        let wrong = |option: &str, why: &str| AssayError::bad_option(option, why);
        let address = Address::parse(&options.url).map_err(|why| wrong("url", &why))?;
        if let Some(key) = &options.api_key {
            if !is_word(key, 512) {
                return Err(wrong("api_key", "it is not of 1 to 512 characters of ! to ~"));
            }
            if address.is_readable() {
                return Err(wrong("api_key", "it would be readable on the way: it takes https:// or http+unix:"));
            }
        }
        for (name, limit) in [("timeout", options.timeout), ("connect_timeout", options.connect_timeout)] {
            if limit < Duration::from_millis(1) {
                return Err(wrong(name, "it is less than 1 ms"));
            }
        }
        if options.tries == 0 {
            return Err(wrong("tries", "it is less than 1"));
        }
        if options.max_answer_bytes == 0 {
            return Err(wrong("max_answer_bytes", "it is less than 1"));
        }
        if options
            .documentation
            .as_ref()
            .is_some_and(|base| base.is_empty() || !base.bytes().all(|byte| byte.is_ascii_graphic()))
        {
            return Err(wrong("documentation", "it is not of visible ASCII"));
        }
        let files = TlsFiles { authorities: options.ca_file, certificate: options.certificate_file, key: options.key_file };
        let tls = if address.is_encrypted() {
            Some(Tls::new(files)?)
        } else if files.authorities.is_some() || files.certificate.is_some() {
            let option = if files.authorities.is_some() { "ca_file" } else { "certificate_file" };
            return Err(wrong(option, "it takes an https:// address"));
        } else {
            None
        };
        let shared = Shared {
            pool: Pool::new(address, tls, options.connect_timeout),
            api_key: options.api_key,
            tries: options.tries,
            idempotency_keys: options.idempotency_keys,
            answer_limit: options.max_answer_bytes,
            documentation: options.documentation,
            time: options.time,
        };
        Ok(Client { shared: Arc::new(shared), timeout: options.timeout })
    }

    /// This client with another time-out of its calls, for example `client.within(Duration::from_secs(5)).verify(&request)`.
    pub fn within(&self, timeout: Duration) -> Client {
        Client { shared: self.shared.clone(), timeout }
    }

    /// Closes the connections that no call uses, and takes no more calls, in any clone.
    pub fn close(&self) {
        self.shared.pool.close();
    }

    /// Issues a challenge. The request that uses it must have the same context.
    pub fn issue_challenge(&self, request: &IssueChallengeRequest) -> Result<Challenge, AssayError> {
        self.ask("Attestation/IssueChallenge", request.json(), Repeating::Always)
    }

    /// Asks for a verdict. A rejection is a verdict too.
    ///
    /// A request without an idempotency key gets a random one for this call, unless the options say otherwise. The verdict is then not marked
    /// `repeated` for a try of the same call: the caller has not had it before.
    pub fn verify(&self, request: &VerifyRequest) -> Result<Verdict, AssayError> {
        let verdict: Verdict = self.ask("Attestation/Verify", request.json(), Repeating::WithKey(&request.idempotency_key))?;
        Ok(if self.makes_key(&request.idempotency_key) { verdict.under_random_key() } else { verdict })
    }

    /// Asks for a device certificate on evidence.
    pub fn issue_certificate(&self, request: &IssueCertificateRequest) -> Result<IssueCertificateResponse, AssayError> {
        let repeating = Repeating::WithKey(&request.idempotency_key);
        let mut answer: IssueCertificateResponse = self.ask("Provisioning/Issue", request.json(), repeating)?;
        if self.makes_key(&request.idempotency_key) {
            answer.verdict = answer.verdict.under_random_key();
        }
        Ok(answer)
    }

    /// Provisions a device of a fleet. A rejection is an answer too.
    pub fn provision_device(&self, request: &ProvisionDeviceRequest) -> Result<ProvisionDeviceResponse, AssayError> {
        let repeating = Repeating::WithKey(&request.idempotency_key);
        let mut answer: ProvisionDeviceResponse = self.ask("Provisioning/ProvisionDevice", request.json(), repeating)?;
        // A private key that Assay made is in the first answer alone: then it matters that this one is a repetition.
        if self.makes_key(&request.idempotency_key) && !request.csr.is_empty() {
            answer.repeated = false;
        }
        Ok(answer)
    }

    /// The record of a device.
    pub fn get_device(&self, request: &GetDeviceRequest) -> Result<Device, AssayError> {
        self.ask("Devices/Get", request.json(), Repeating::Always)
    }

    /// A page of the devices of an app.
    pub fn list_devices(&self, request: &ListDevicesRequest) -> Result<ListDevicesResponse, AssayError> {
        self.ask("Devices/List", request.json(), Repeating::Always)
    }

    /// Refuses a device, a subject or a key until it is unblocked.
    pub fn block(&self, request: &BlockRequest) -> Result<BlockResponse, AssayError> {
        self.ask("Devices/Block", request.json(), Repeating::Always)
    }

    /// Lifts a block. It is not repeated where the daemon may have begun it: a second call would say that there was nothing to lift.
    pub fn unblock(&self, request: &UnblockRequest) -> Result<UnblockResponse, AssayError> {
        self.ask("Devices/Unblock", request.json(), Repeating::Never)
    }

    /// Accepted verdicts by the SHA-256 of a file.
    pub fn find_verdicts(&self, request: &FindVerdictsRequest) -> Result<FindVerdictsResponse, AssayError> {
        self.ask("Verdicts/Find", request.json(), Repeating::Always)
    }

    /// The keys by which signed results are checked.
    ///
    /// - `simulated`: those of results about simulated devices.
    pub fn get_result_keys(&self, simulated: bool) -> Result<ResultKeys, AssayError> {
        self.ask("Results/GetKeys", Members::default().boolean("simulated", simulated).finish(), Repeating::Always)
    }

    /// What the daemon knows of this client.
    pub fn who_am_i(&self) -> Result<Caller, AssayError> {
        self.ask("Operations/WhoAmI", Json::Object(Object::new()), Repeating::Always)
    }

    /// Any method that answers once, in JSON both ways.
    ///
    /// - `service`: such as `Attestation` or `assay.v1.Attestation`.
    /// - `message`: an object. With a member `idempotencyKey` the call may be repeated, and sends no header field.
    pub fn call(&self, service: &str, method: &str, message: &Json, options: &CallOptions) -> Result<Object, AssayError> {
        self.documented(|| {
            if !is_path_word(service) || !is_path_word(method) {
                return Err(AssayError::bad_request("service and method are words of A-Z, a-z, 0-9, . and _"));
            }
            let object = message.as_object().ok_or_else(|| AssayError::bad_request("the message is not an object"))?;
            check_key(&options.idempotency_key)?;
            let has_member = ["idempotencyKey", "idempotency_key"].into_iter().any(|name| object.contains_key(name));
            let key = options.idempotency_key.as_deref().filter(|_| !has_member);
            let package = if service.contains('.') { "" } else { "assay.v1." };
            let path = format!("{package}{service}/{method}");
            let may_repeat = options.idempotent || has_member || key.is_some();
            self.send(&path, message, key, may_repeat, |object| Ok(object.clone()))
        })
    }

    /// Whether a call under this key of the caller's gets a random one.
    fn makes_key(&self, key: &Option<String>) -> bool {
        key.is_none() && self.shared.idempotency_keys
    }

    fn ask<T: Answer>(&self, method: &str, message: Json, repeating: Repeating<'_>) -> Result<T, AssayError> {
        self.documented(|| {
            let random;
            let (key, may_repeat) = match repeating {
                Repeating::Always => (None, true),
                Repeating::Never => (None, false),
                Repeating::WithKey(key) => {
                    check_key(key)?;
                    random = self.makes_key(key).then(|| hexadecimal(&crate::random::bytes::<16>()));
                    let key = key.as_deref().or(random.as_deref());
                    (key, key.is_some())
                }
            };
            self.send(&format!("assay.v1.{method}"), &message, key, may_repeat, |object| T::read(&Fields::new(object)))
        })
    }

    fn documented<T>(&self, call: impl FnOnce() -> Result<T, AssayError>) -> Result<T, AssayError> {
        call().map_err(|error| error.documented_at(self.shared.documentation.as_deref()))
    }

    /// Tries until there is an answer, an error that another try does not help, no try left, or no time for another.
    fn send<T>(
        &self, path: &str, message: &Json, key: Option<&str>, may_repeat: bool, read: impl Fn(&Object) -> Result<T, String>,
    ) -> Result<T, AssayError> {
        let shared = &*self.shared;
        if self.timeout < Duration::from_millis(1) {
            return Err(AssayError::bad_request("the time-out is less than 1 ms"));
        }
        let body = message.to_string();
        let start = shared.time.now();
        let mut attempts = 0;
        loop {
            if shared.pool.is_closed() {
                return Err(AssayError::bad_request("the client is closed"));
            }
            attempts += 1;
            let mut error = match self.attempt(path, &body, key, may_repeat, self.left(start)) {
                Ok((status, object)) => match read(&object) {
                    Ok(answer) => return Ok(answer),
                    Err(why) => AssayError { http_status: status, ..AssayError::undecodable(why) },
                },
                Err(error) => error,
            };
            error.attempts = attempts;
            let may_help = error.retry == Retry::Later && (may_repeat || error.was_not_begun());
            if !may_help || attempts >= shared.tries {
                return Err(error);
            }
            let pause = pause(attempts, error.retry_after, shared.time.chance());
            // A pause beyond the time-out would only delay the error.
            if pause >= self.left(start) {
                return Err(error);
            }
            shared.time.sleep(pause);
        }
    }

    /// What is left of the time-out of a call.
    fn left(&self, start: Instant) -> Duration {
        self.timeout.saturating_sub(self.shared.time.now().saturating_duration_since(start))
    }

    /// The status and the object of an answer.
    fn attempt(
        &self, path: &str, body: &str, key: Option<&str>, may_repeat: bool, left: Duration,
    ) -> Result<(u16, Object), AssayError> {
        let shared = &*self.shared;
        if left.is_zero() {
            return Err(AssayError::timeout());
        }
        let request = self.request(path, body, key, left);
        let answer = shared
            .pool
            .exchange(&request, may_repeat, shared.answer_limit, Deadline::within(left))
            .map_err(|failure| of_failure(failure, shared.answer_limit))?;
        let status = answer.status;
        read_answer(answer, shared.answer_limit).map(|object| (status, object))
    }

    /// All header fields but the key and the credential are of this crate's own text; those two have been checked.
    fn request(&self, path: &str, body: &str, key: Option<&str>, left: Duration) -> Vec<u8> {
        let address = self.shared.pool.address();
        let milliseconds = left.as_millis().clamp(1, 9_999_999_999);
        let mut head = format!(
            "POST {}/{path} HTTP/1.1\r\nhost: {}\r\nuser-agent: assay-rust/{}\r\ncontent-type: application/json\r\n\
             accept: application/json\r\naccept-encoding: identity\r\nconnect-timeout-ms: {milliseconds}\r\ncontent-length: {}\r\n",
            address.prefix,
            address.authority(),
            env!("CARGO_PKG_VERSION"),
            body.len(),
        );
        if let Some(credential) = &self.shared.api_key {
            head += &format!("authorization: Bearer {credential}\r\n");
        }
        if let Some(key) = key {
            head += &format!("idempotency-key: {key}\r\n");
        }
        [head.as_bytes(), b"\r\n", body.as_bytes()].concat()
    }
}

/// Without the API key.
impl fmt::Debug for Client {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Client")
            .field("address", self.shared.pool.address())
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}

/// The object that a good answer is, or the error.
fn read_answer(answer: HttpAnswer, limit: usize) -> Result<Object, AssayError> {
    let HttpAnswer { status, content_type, retry_after, body } = answer;
    let foreign = || AssayError { retry_after, ..AssayError::foreign(status, &content_type) };
    if content_type != "application/json" || (status != 200 && status < 400) {
        return Err(foreign());
    }
    let json = Json::parse_within(&body, JsonLimits { size: limit, ..JsonLimits::default() });
    if status != 200 {
        let error = json.ok().and_then(|json| AssayError::from_answer(status, &json, retry_after));
        return Err(error.unwrap_or_else(foreign));
    }
    let undecodable = |why: String| AssayError { http_status: status, ..AssayError::undecodable(why) };
    match json.map_err(|error| undecodable(error.to_string()))? {
        Json::Object(object) => Ok(object),
        _ => Err(undecodable("it is not an object".to_owned())),
    }
}

fn of_failure(failure: Failure, limit: usize) -> AssayError {
    let unavailable = |reason, retry, why| AssayError::new(Code::Unavailable, reason, retry, why);
    match failure {
        Failure::NotConnected(why) => unavailable("connect_failed", Retry::Later, why),
        Failure::Tls(why) => unavailable("tls_failed", Retry::ContactOperator, why),
        Failure::Timeout => AssayError::timeout(),
        Failure::Lost { why, .. } => {
            let why = format!("the connection ended before the answer came ({why}); whether the call was done is unknown");
            unavailable("connection_lost", Retry::Later, why)
        }
        Failure::NotHttp(why) => unavailable("protocol_broken", Retry::Later, why),
        Failure::TooLong(status) => {
            let why = format!("the answer is longer than {limit} bytes");
            let error = AssayError::new(Code::Internal, "reply_too_large", Retry::ContactOperator, why);
            AssayError { http_status: status, ..error }
        }
    }
}

/// 1 to `limit` characters of `!` to `~`.
fn is_word(text: &str, limit: usize) -> bool {
    (1..=limit).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic())
}

fn is_path_word(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'.' || byte == b'_')
}

fn check_key(key: &Option<String>) -> Result<(), AssayError> {
    match key {
        Some(key) if !is_word(key, 64) => Err(AssayError::bad_request("an idempotency key is of 1 to 64 characters of ! to ~")),
        _ => Ok(()),
    }
}
