//! Connections over TLS with certificates made here.

#![cfg(feature = "tls")]

use assay_client::{Client, ClientOptions};
use openssl::asn1::Asn1Time;
use openssl::bn::BigNum;
use openssl::ec::{EcGroup, EcKey};
use openssl::hash::MessageDigest;
use openssl::nid::Nid;
use openssl::pkey::{PKey, Private};
use openssl::ssl::{SslAcceptor, SslMethod, SslVerifyMode, SslVersion};
use openssl::x509::extension::{BasicConstraints, SubjectAlternativeName};
use openssl::x509::{X509Name, X509};
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

/// Of a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

#[derive(Clone)]
struct Pair {
    certificate: X509,
    key: PKey<Private>,
}

/// A certificate with a name, of a CA, or of itself as one.
fn pair(name: Option<&str>, issuer: Option<&Pair>) -> Pair {
    let group = EcGroup::from_curve_name(Nid::X9_62_PRIME256V1).unwrap();
    let key = PKey::from_ec_key(EcKey::generate(&group).unwrap()).unwrap();
    let mut subject = X509Name::builder().unwrap();
    subject.append_entry_by_text("CN", if issuer.is_some() { "localhost" } else { "CA" }).unwrap();
    let subject = subject.build();
    let mut builder = X509::builder().unwrap();
    builder.set_version(2).unwrap();
    let mut number = BigNum::new().unwrap();
    number.rand(120, openssl::bn::MsbOption::MAYBE_ZERO, false).unwrap();
    builder.set_serial_number(&number.to_asn1_integer().unwrap()).unwrap();
    builder.set_subject_name(&subject).unwrap();
    builder.set_issuer_name(issuer.map_or(&subject, |issuer| issuer.certificate.subject_name())).unwrap();
    builder.set_not_before(&Asn1Time::days_from_now(0).unwrap()).unwrap();
    builder.set_not_after(&Asn1Time::days_from_now(1).unwrap()).unwrap();
    builder.set_pubkey(&key).unwrap();
    if issuer.is_none() {
        builder.append_extension(BasicConstraints::new().critical().ca().build().unwrap()).unwrap();
    }
    if let Some(name) = name {
        let names = match name.parse::<std::net::IpAddr>() {
            Ok(_) => SubjectAlternativeName::new().ip(name).build(&builder.x509v3_context(None, None)),
            Err(_) => SubjectAlternativeName::new().dns(name).build(&builder.x509v3_context(None, None)),
        };
        builder.append_extension(names.unwrap()).unwrap();
    }
    builder.sign(issuer.map_or(&key, |issuer| &issuer.key), MessageDigest::sha256()).unwrap();
    Pair { certificate: builder.build(), key }
}

/// A server that answers `{}`, and the port that it listens on.
///
/// - `clients`: the CA of the certificates that it asks for.
fn server(shown: &Pair, clients: Option<&Pair>, version: SslVersion) -> u16 {
    let mut acceptor = SslAcceptor::mozilla_intermediate_v5(SslMethod::tls_server()).unwrap();
    acceptor.set_max_proto_version(Some(version)).unwrap();
    acceptor.set_private_key(&shown.key).unwrap();
    acceptor.set_certificate(&shown.certificate).unwrap();
    if let Some(authority) = clients {
        acceptor.cert_store_mut().add_cert(authority.certificate.clone()).unwrap();
        acceptor.set_verify(SslVerifyMode::PEER | SslVerifyMode::FAIL_IF_NO_PEER_CERT);
    }
    let acceptor = acceptor.build();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let Ok(mut stream) = acceptor.accept(stream) else { continue };
            while matches!(stream.read(&mut [0; 4096]), Ok(1..)) {
                stream.write_all(b"HTTP/1.1 200 -\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}").unwrap();
            }
        }
    });
    port
}

/// A folder that is removed at the end of a test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("assay-client-{}-{name}", std::process::id()));
        std::fs::create_dir(&path).unwrap();
        Folder(path)
    }

    fn write(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }

    fn certificate(&self, name: &str, pair: &Pair) -> PathBuf {
        self.write(name, &pair.certificate.to_pem().unwrap())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).unwrap();
    }
}

fn options(host: &str, port: u16, authority: &Path) -> ClientOptions {
    ClientOptions::new(format!("https://{host}:{port}")).ca_file(authority).tries(1).timeout(PATIENCE).connect_timeout(PATIENCE)
}

/// The reason of the error; empty for an answer.
fn reason(options: ClientOptions) -> String {
    Client::new(options).unwrap().who_am_i().map_or_else(|error| error.reason, |_| String::new())
}

#[test]
fn trusts_its_ca_and_the_name_of_the_address_alone() {
    let folder = Folder::new("trust");
    let (authority, other) = (pair(None, None), pair(None, None));
    let trusted = folder.certificate("ca.pem", &authority);
    let untrusted = folder.certificate("other.pem", &other);
    let port = server(&pair(Some("localhost"), Some(&authority)), None, SslVersion::TLS1_3);
    assert_eq!(reason(options("localhost", port, &trusted)), "");
    assert_eq!(reason(options("localhost", port, &untrusted)), "tls_failed");
    assert_eq!(reason(options("127.0.0.1", port, &trusted)), "tls_failed");
    let port = server(&pair(Some("127.0.0.1"), Some(&authority)), None, SslVersion::TLS1_3);
    assert_eq!(reason(options("127.0.0.1", port, &trusted)), "");
    // The common name of these certificates is localhost.
    let port = server(&pair(None, Some(&authority)), None, SslVersion::TLS1_3);
    assert_eq!(reason(options("localhost", port, &trusted)), "tls_failed");
}

#[test]
fn uses_a_connection_again() {
    let folder = Folder::new("again");
    let authority = pair(None, None);
    let port = server(&pair(Some("localhost"), Some(&authority)), None, SslVersion::TLS1_3);
    let client = Client::new(options("localhost", port, &folder.certificate("ca.pem", &authority))).unwrap();
    // The server takes one connection at a time: another one would wait for the first to end.
    for _ in 0..3 {
        client.who_am_i().unwrap();
    }
}

#[test]
fn speaks_tls_1_3_alone() {
    let folder = Folder::new("version");
    let authority = pair(None, None);
    let port = server(&pair(Some("localhost"), Some(&authority)), None, SslVersion::TLS1_2);
    assert_eq!(reason(options("localhost", port, &folder.certificate("ca.pem", &authority))), "tls_failed");
}

#[test]
fn shows_its_certificate_and_reads_the_files_for_each_connection() {
    let folder = Folder::new("client");
    let authority = pair(None, None);
    let port = server(&pair(Some("localhost"), Some(&authority)), Some(&authority), SslVersion::TLS1_3);
    let trusted = folder.certificate("ca.pem", &authority);
    assert_eq!(reason(options("localhost", port, &trusted)), "tls_failed");
    let (unknown, known) = (pair(None, None), pair(Some("caller.example"), Some(&authority)));
    let certificate = folder.certificate("caller.pem", &unknown);
    let key = folder.write("caller.key", &unknown.key.private_key_to_pem_pkcs8().unwrap());
    let client = Client::new(options("localhost", port, &trusted).client_certificate(&certificate, &key)).unwrap();
    assert_eq!(client.who_am_i().unwrap_err().reason, "tls_failed");
    folder.certificate("caller.pem", &known);
    folder.write("caller.key", &known.key.ec_key().unwrap().private_key_to_pem().unwrap());
    client.who_am_i().unwrap();
}

#[test]
fn refuses_files_that_cannot_be_used() {
    let folder = Folder::new("files");
    let (authority, other) = (pair(None, None), pair(None, None));
    let trusted = folder.certificate("ca.pem", &authority);
    let key = folder.write("other.key", &other.key.private_key_to_pem_pkcs8().unwrap());
    let empty = folder.write("empty.pem", b"");
    let option = |options: ClientOptions| {
        let error = Client::new(options).unwrap_err();
        assert_eq!(error.reason, "bad_option");
        error.message.split(':').next().unwrap().to_owned()
    };
    assert_eq!(option(options("localhost", 1, &empty)), "ca_file");
    assert_eq!(option(options("localhost", 1, &folder.0.join("none.pem"))), "ca_file");
    assert_eq!(option(options("localhost", 1, &trusted).client_certificate(&empty, &key)), "certificate_file");
    assert_eq!(option(options("localhost", 1, &trusted).client_certificate(&trusted, &key)), "key_file");
    assert_eq!(option(options("localhost", 1, &trusted).client_certificate(&trusted, &empty)), "key_file");
}
