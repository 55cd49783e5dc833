//! The handler of README.md, as it stands there.

mod support;

use assay_client::{Client, ClientOptions, Json};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use support::{Server, Step};

#[allow(dead_code)]
mod handler {
    include!("../examples/upload_handler.rs");

    pub fn serve_one(stream: &TcpStream, assay: &Client, takes_simulated: bool) {
        serve(stream, assay, takes_simulated).unwrap();
    }
}

const UPLOAD: &str = r#"{"key_id":"AQI=","signature":"MAA=","challenge":"AAEC","photo":"YSBwaG90bw=="}"#;

/// Posts to the handler, which takes no virtual devices, and returns the status and the answer's member.
fn post(daemon: &Server, path: &str, body: &str) -> (u16, String) {
    post_of(&daemon.url, path, body, false)
}

fn post_of(url: &str, path: &str, body: &str, takes_simulated: bool) -> (u16, String) {
    let assay = Client::new(ClientOptions::new(url).tries(1)).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut phone = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let head = format!("POST {path} HTTP/1.1\r\nHost: a\r\nUser: Alice\r\nContent-Length: {}\r\n\r\n", body.len());
    phone.write_all((head + body).as_bytes()).unwrap();
    handler::serve_one(&listener.accept().unwrap().0, &assay, takes_simulated);
    let mut answer = String::new();
    phone.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.contains("\r\ncontent-type: application/json\r\n"));
    let answer = Json::parse(body.as_bytes()).unwrap();
    let word = answer.get(if path == "/challenges" { "challenge" } else { "then" }).and_then(Json::as_text);
    (head.split(' ').nth(1).unwrap().parse().unwrap(), word.unwrap().to_owned())
}

#[test]
fn stands_in_the_readme_and_is_short() {
    let code = include_str!("../examples/upload_handler.rs");
    assert!(code.lines().count() <= 50);
    assert!(include_str!("../README.md").contains(&format!("```rust\n{code}```")), "README.md has another handler");
}

#[test]
fn gives_a_challenge_for_the_user() {
    let daemon = Server::start([Step::Answer(200, r#"{"challenge":"AAEC"}"#)]);
    assert_eq!(post(&daemon, "/challenges", ""), (200, "AAEC".to_owned()));
    let request = Json::parse(daemon.requests()[0].body.as_bytes()).unwrap();
    assert_eq!(request.get("context").and_then(Json::as_text), Some("QWxpY2U="));
}

#[test]
fn accepts_what_the_daemon_accepts_with_the_hash_of_what_arrived() {
    let daemon = Server::start([Step::Answer(200, r#"{"decision":"DECISION_ACCEPTED"}"#)]);
    assert_eq!(post(&daemon, "/uploads", UPLOAD), (201, "done".to_owned()));
    let request = Json::parse(daemon.requests()[0].body.as_bytes()).unwrap();
    let payload = request.get("binding").and_then(|binding| binding.get("clientData")?.get("payloadSha256")?.as_text());
    assert_eq!(payload, Some(assay_client::base64_encode(&assay_client::sha256(b"a photo")).as_str()));
}

#[test]
fn tells_a_rejected_phone_what_to_do() {
    let rejected = r#"{"decision":"DECISION_REJECTED","reason":"challenge_reused","retry":"RETRY_CLASS_NEW_CHALLENGE"}"#;
    let daemon = Server::start([Step::Answer(200, rejected)]);
    assert_eq!(post(&daemon, "/uploads", UPLOAD), (403, "new_challenge".to_owned()));
}

#[test]
fn refuses_a_virtual_device_unless_it_is_a_trial() {
    let accepted = Step::Answer(200, r#"{"decision":"DECISION_ACCEPTED","simulated":true}"#);
    let daemon = Server::start(vec![accepted; 2]);
    assert_eq!(post(&daemon, "/uploads", UPLOAD), (403, "give_up".to_owned()));
    assert_eq!(post_of(&daemon.url, "/uploads", UPLOAD, true), (201, "done".to_owned()));
}

#[test]
fn stores_nothing_without_a_verdict() {
    let daemon = Server::start([Step::Answer(503, r#"{"code":"unavailable"}"#)]);
    assert_eq!(post(&daemon, "/uploads", UPLOAD), (503, "later".to_owned()));
    let daemon = Server::start([Step::Answer(400, r#"{"code":"invalid_argument"}"#)]);
    assert_eq!(post(&daemon, "/uploads", UPLOAD), (400, "give_up".to_owned()));
}

#[test]
fn refuses_what_is_no_upload() {
    let daemon = Server::start([]);
    for body in ["", "[]", "{}", "\u{1}", r#"{"key_id":"AQI=","signature":"MAA=","challenge":"AAEC","photo":5}"#] {
        assert_eq!(post(&daemon, "/uploads", body), (400, "give_up".to_owned()));
    }
    assert!(daemon.requests().is_empty());
}

/// The conformance suite starts a daemon, and says where it is.
#[test]
fn takes_an_upload_of_a_device_with_a_daemon() {
    let Ok(url) = std::env::var("ASSAY_DEV_URL") else {
        return eprintln!("not run: clients/conformance/run.py starts a daemon");
    };
    let folder = |name: &str| std::path::PathBuf::from(std::env::var_os(name).unwrap());
    let device = folder("ASSAY_DEV_FOLDER").join("android");
    let (status, challenge) = post_of(&url, "/challenges", "", true);
    assert_eq!(status, 200);
    let photo = std::env::temp_dir().join(format!("assay-client-{}.photo", std::process::id()));
    std::fs::write(&photo, "a photo").unwrap();
    let signed = std::process::Command::new(folder("ASSAY_BIN").join("assay"))
        .args(["simulate", "android", "sign"])
        .arg(&device)
        .args(["--challenge", &challenge, "--payload"])
        .arg(&photo)
        .output();
    std::fs::remove_file(&photo).unwrap();
    let signed = signed.unwrap();
    assert!(signed.status.success(), "{}", String::from_utf8_lossy(&signed.stderr));
    let upload = |photo: &[u8]| {
        Json::object([
            ("key_id", std::fs::read_to_string(device.join("key-id")).unwrap().trim().into()),
            ("signature", String::from_utf8(signed.stdout.clone()).unwrap().trim().into()),
            ("challenge", challenge.as_str().into()),
            ("photo", assay_client::base64_encode(photo).into()),
        ])
        .to_string()
    };
    assert_eq!(post_of(&url, "/uploads", &upload(b"another photo"), true).0, 403);
    assert_eq!(post_of(&url, "/uploads", &upload(b"a photo"), true), (201, "done".to_owned()));
    assert_eq!(post_of(&url, "/uploads", &upload(b"a photo"), true), (201, "done".to_owned()));
    assert_eq!(post_of(&url, "/uploads", &upload(b"a photo"), false), (403, "give_up".to_owned()));
}
