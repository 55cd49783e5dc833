//! HTTP/1.1 (RFC 9112) as far as a client of JSON needs it: one POST at a time on a connection, within bounds of size and time.

mod answer;
mod connection;
mod deadline;
mod pool;
mod stream;
#[cfg(feature = "tls")]
mod tls;

pub(crate) use answer::Answer;
pub(crate) use connection::Failure;
pub(crate) use deadline::Deadline;
pub(crate) use pool::Pool;
#[cfg(feature = "tls")]
pub(crate) use tls::Tls;

use std::path::PathBuf;

/// The files of TLS. They are read for each new connection, so that new ones count without a restart.
#[derive(Clone, Debug, Default)]
#[cfg_attr(not(feature = "tls"), allow(dead_code))]
pub(crate) struct TlsFiles {
    pub authorities: Option<PathBuf>,
    pub certificate: Option<PathBuf>,
    pub key: Option<PathBuf>,
}

#[cfg(not(feature = "tls"))]
pub(crate) struct Tls;

#[cfg(not(feature = "tls"))]
impl Tls {
    pub fn new(_: TlsFiles) -> Result<Tls, crate::AssayError> {
        let why = "https:// needs the crate's feature \"tls\"";
        Err(crate::AssayError::bad_option("url", why))
    }
}
