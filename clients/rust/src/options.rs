use crate::retry::{RealTime, Time};
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// How a client reaches the daemon, and how long it tries.
///
/// ```
/// use assay_client::{Client, ClientOptions};
/// use std::time::Duration;
///
/// let client = Client::new(ClientOptions::new("http://127.0.0.1:7422").timeout(Duration::from_secs(5)))?;
/// # Ok::<(), assay_client::AssayError>(())
/// ```
#[derive(Clone)]
pub struct ClientOptions {
    pub(crate) url: String,
    pub(crate) api_key: Option<String>,
    pub(crate) ca_file: Option<PathBuf>,
    pub(crate) certificate_file: Option<PathBuf>,
    pub(crate) key_file: Option<PathBuf>,
    pub(crate) timeout: Duration,
    pub(crate) connect_timeout: Duration,
    pub(crate) tries: u32,
    pub(crate) idempotency_keys: bool,
    pub(crate) max_answer_bytes: usize,
    pub(crate) documentation: Option<String>,
    pub(crate) time: Arc<dyn Time>,
}

impl ClientOptions {
    /// - `url`: `https://host[:port][/path]` (with the feature `tls`), `http://host[:port][/path]` or `http+unix:/path/of/socket`.
    pub fn new(url: impl Into<String>) -> ClientOptions {
        ClientOptions {
            url: url.into(),
            api_key: None,
            ca_file: None,
            certificate_file: None,
            key_file: None,
            timeout: Duration::from_secs(30),
            connect_timeout: Duration::from_secs(5),
            tries: 5,
            idempotency_keys: true,
            max_answer_bytes: 8 << 20,
            documentation: None,
            time: Arc::new(RealTime),
        }
    }

    /// Of a caller that has one. It is sent over TLS and to Unix sockets only.
    pub fn api_key(mut self, key: impl Into<String>) -> ClientOptions {
        self.api_key = Some(key.into());
        self
    }

    /// A PEM file: only certificates from these CAs are trusted. Without it those that the system trusts.
    pub fn ca_file(mut self, path: impl Into<PathBuf>) -> ClientOptions {
        self.ca_file = Some(path.into());
        self
    }

    /// PEM files of the certificate that this client shows, with its intermediates, and of its key. They are read for each connection.
    pub fn client_certificate(mut self, certificate: impl Into<PathBuf>, key: impl Into<PathBuf>) -> ClientOptions {
        (self.certificate_file, self.key_file) = (Some(certificate.into()), Some(key.into()));
        self
    }

    /// Of a call with all its tries and pauses. 30 s unless it is set; [`crate::Client::within`] sets it for some calls.
    pub fn timeout(mut self, limit: Duration) -> ClientOptions {
        self.timeout = limit;
        self
    }

    /// For each connection, with its TLS handshake. 5 s unless it is set.
    pub fn connect_timeout(mut self, limit: Duration) -> ClientOptions {
        self.connect_timeout = limit;
        self
    }

    /// In total. 5 unless it is set; 1: no retry.
    pub fn tries(mut self, tries: u32) -> ClientOptions {
        self.tries = tries;
        self
    }

    /// Whether a call that takes an idempotency key and is given none gets a random one, so that it can be repeated. It does unless this is
    /// false.
    pub fn idempotency_keys(mut self, makes_keys: bool) -> ClientOptions {
        self.idempotency_keys = makes_keys;
        self
    }

    /// The longest body of an answer. 8 MiB unless it is set.
    pub fn max_answer_bytes(mut self, limit: usize) -> ClientOptions {
        self.max_answer_bytes = limit;
        self
    }

    /// What the links of errors begin with, such as the address of a mirror of the documentation.
    pub fn documentation(mut self, base: impl Into<String>) -> ClientOptions {
        self.documentation = Some(base.into());
        self
    }

    /// The clock and the pauses, for tests.
    pub fn time(mut self, time: Arc<dyn Time>) -> ClientOptions {
        self.time = time;
        self
    }
}

/// Without the API key.
impl fmt::Debug for ClientOptions {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("ClientOptions")
            .field("url", &self.url)
            .field("timeout", &self.timeout)
            .field("connect_timeout", &self.connect_timeout)
            .field("tries", &self.tries)
            .finish_non_exhaustive()
    }
}
