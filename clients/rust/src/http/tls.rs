use super::{Deadline, Failure, TlsFiles};
use crate::AssayError;
use openssl::error::ErrorStack;
use openssl::ssl::{self, Ssl, SslConnector, SslFiletype, SslMethod, SslStream, SslVerifyMode, SslVersion};
use openssl::x509::store::X509StoreBuilder;
use openssl::x509::verify::X509CheckFlags;
use openssl::x509::X509;
use std::fs;
use std::io;
use std::net::TcpStream;

/// TLS 1.3, by OpenSSL: the daemon's certificate is from a trusted CA and has the name of the address, or there is no connection.
pub(crate) struct Tls {
    files: TlsFiles,
}

impl Tls {
    /// Refuses files that cannot be used now.
    pub fn new(files: TlsFiles) -> Result<Tls, AssayError> {
        let tls = Tls { files };
        tls.connector().map_err(|(option, why)| AssayError::bad_option(option, why))?;
        Ok(tls)
    }

    /// With the files as they are now. The error names the option that is to blame.
    fn connector(&self) -> Result<SslConnector, (&'static str, String)> {
        let of = |option: &'static str| move |error: ErrorStack| (option, error.to_string());
        let mut builder = SslConnector::builder(SslMethod::tls_client()).map_err(of("url"))?;
        builder.set_min_proto_version(Some(SslVersion::TLS1_3)).map_err(of("url"))?;
        builder.set_verify(SslVerifyMode::PEER);
        if let Some(path) = &self.files.authorities {
            let readable = |error: io::Error| ("ca_file", format!("{}: {error}", path.display()));
            let authorities = X509::stack_from_pem(&fs::read(path).map_err(readable)?).map_err(of("ca_file"))?;
            if authorities.is_empty() {
                return Err(("ca_file", format!("{}: it has no certificate in PEM", path.display())));
            }
            let mut store = X509StoreBuilder::new().map_err(of("ca_file"))?;
            for authority in authorities {
                store.add_cert(authority).map_err(of("ca_file"))?;
            }
            builder.set_cert_store(store.build());
        }
        if let Some(path) = &self.files.certificate {
            fs::read(path).map_err(|error| ("certificate_file", format!("{}: {error}", path.display())))?;
            builder.set_certificate_chain_file(path).map_err(of("certificate_file"))?;
        }
        if let Some(path) = &self.files.key {
            fs::read(path).map_err(|error| ("key_file", format!("{}: {error}", path.display())))?;
            builder.set_private_key_file(path, SslFiletype::PEM).map_err(of("key_file"))?;
            builder.check_private_key().map_err(of("key_file"))?;
        }
        Ok(builder.build())
    }

    /// - `host`: a name or a numeric address, which the certificate has to have.
    pub fn handshake(&self, stream: TcpStream, host: &str, deadline: Deadline) -> Result<SslStream<TcpStream>, Failure> {
        let connector = self.connector().map_err(|(option, why)| Failure::Tls(format!("{option}: {why}")))?;
        let left = deadline.left().ok_or(Failure::Timeout)?;
        let limited = stream.set_read_timeout(Some(left)).and_then(|()| stream.set_write_timeout(Some(left)));
        limited.map_err(|error| Failure::NotConnected(format!("{host}: {error}")))?;
        let ssl = named(&connector, host).map_err(|error| Failure::Tls(format!("{host}: {error}")))?;
        let mut result = ssl.connect(stream);
        loop {
            match result {
                Ok(stream) => return Ok(stream),
                // The read ended by the time-out of the socket, or by a signal.
                Err(ssl::HandshakeError::WouldBlock(stream)) => {
                    let left = deadline.left().ok_or(Failure::Timeout)?;
                    let limited = stream.get_ref().set_read_timeout(Some(left));
                    limited.map_err(|error| Failure::NotConnected(format!("{host}: {error}")))?;
                    result = stream.handshake();
                }
                Err(ssl::HandshakeError::SetupFailure(error)) => return Err(Failure::Tls(format!("{host}: {error}"))),
                Err(ssl::HandshakeError::Failure(stream)) => {
                    let verified = stream.ssl().verify_result();
                    let error = stream.error();
                    if verified != openssl::x509::X509VerifyResult::OK {
                        return Err(Failure::Tls(format!("{host}: the daemon's certificate: {verified}")));
                    }
                    return Err(match error.ssl_error() {
                        Some(stack) if error.code() == ssl::ErrorCode::SSL && !is_end(stack) => {
                            Failure::Tls(format!("{host}: {stack}"))
                        }
                        _ => Failure::NotConnected(format!("{host}: the connection ended in the TLS handshake")),
                    });
                }
            }
        }
    }
}

/// A connection to come whose certificate has to have the name of the host among its alternative names: the common name does not count.
fn named(connector: &SslConnector, host: &str) -> Result<Ssl, ErrorStack> {
    // The names are checked by the flags below in place of the connector's.
    let mut ssl = connector.configure()?.verify_hostname(false).into_ssl(host)?;
    let names = ssl.param_mut();
    names.set_hostflags(X509CheckFlags::NO_PARTIAL_WILDCARDS | X509CheckFlags::NEVER_CHECK_SUBJECT);
    match host.parse() {
        Ok(address) => names.set_ip(address)?,
        Err(_) => names.set_host(host)?,
    }
    Ok(ssl)
}

/// Whether the other side closed the connection without a word.
fn is_end(stack: &ErrorStack) -> bool {
    stack.errors().iter().any(|error| error.reason().is_some_and(|reason| reason.contains("unexpected eof")))
}

/// The alert that an error is; `None` if it is another one.
pub(super) fn alert(error: &ssl::Error) -> Option<String> {
    let reasons = error.ssl_error()?.errors().iter().filter_map(|error| error.reason());
    reasons.filter(|reason| reason.contains("alert")).map(str::to_owned).next()
}
