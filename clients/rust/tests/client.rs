//! The client against a server that answers by a script.

mod support;

use assay_client::*;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use support::{Server, Step};

/// Pauses do not wait, and are noted.
#[derive(Default)]
struct FakeTime(Mutex<Vec<Duration>>);

impl Time for FakeTime {
    fn now(&self) -> Instant {
        Instant::now() + self.0.lock().unwrap().iter().sum::<Duration>()
    }

    fn sleep(&self, pause: Duration) {
        self.0.lock().unwrap().push(pause);
    }

    fn chance(&self) -> f64 {
        0.5
    }
}

fn client(server: &Server, change: impl FnOnce(ClientOptions) -> ClientOptions) -> (Client, Arc<FakeTime>) {
    let time = Arc::new(FakeTime::default());
    (Client::new(change(ClientOptions::new(&server.url)).time(time.clone())).unwrap(), time)
}

fn pauses(time: &FakeTime) -> Vec<u64> {
    time.0.lock().unwrap().iter().map(|pause| pause.as_millis() as u64).collect()
}

const UNAVAILABLE: &str = r#"{"code":"unavailable","message":"away"}"#;
const CHALLENGE: &str = r#"{"challenge":"AAEC","expiresAtUnixMs":"1776124800000"}"#;
/// `google.rpc.ErrorInfo` of the domain `assay` with the reason `overloaded`, and the retry class `later`.
const OVERLOADED: &str = r#"{"code":"resource_exhausted","message":"m","details":[{"type":"google.rpc.ErrorInfo",
    "value":"CgpvdmVybG9hZGVkEgVhc3NheRoOCgVyZXRyeRIFbGF0ZXI"}]}"#;

fn verification() -> VerifyRequest {
    VerifyRequest {
        app: "photos".into(),
        purpose: Purpose::Assert,
        challenge: vec![0, 1],
        evidence: vec![Evidence::app_attest_assertion(&[1], &[2])],
        binding: Some(Binding::payload(b"a photo")),
        ..Default::default()
    }
}

#[test]
fn sends_what_the_page_states() {
    let server = Server::start([Step::Answer(200, CHALLENGE)]);
    let (client, _) = client(&server, |options| options);
    let request = IssueChallengeRequest { app: "photos".into(), purpose: Purpose::Assert, ..Default::default() };
    let challenge = client.issue_challenge(&request).unwrap();
    assert_eq!((challenge.challenge.as_slice(), challenge.expires_at_unix_ms), (&[0, 1, 2][..], 1_776_124_800_000));
    assert!(challenge.raw.contains_key("challenge"));
    let sent = &server.requests()[0];
    assert_eq!(sent.head[0], "POST /assay.v1.Attestation/IssueChallenge HTTP/1.1");
    assert_eq!(sent.body, r#"{"app":"photos","purpose":"PURPOSE_ASSERT"}"#);
    assert_eq!(sent.field("content-type"), Some("application/json"));
    assert_eq!(sent.field("user-agent"), Some(concat!("assay-rust/", env!("CARGO_PKG_VERSION"))));
    assert_eq!((sent.field("idempotency-key"), sent.field("authorization")), (None, None));
    let left: u64 = sent.field("connect-timeout-ms").unwrap().parse().unwrap();
    assert!((20_000..=30_000).contains(&left), "{left}");
}

#[test]
fn uses_a_connection_again_and_clones_share_it() {
    let server = Server::start(vec![Step::Answer(200, "{}"); 3]);
    let (client, _) = client(&server, |options| options);
    client.who_am_i().unwrap();
    client.clone().who_am_i().unwrap();
    client.within(Duration::from_secs(1)).who_am_i().unwrap();
    assert!(server.requests().iter().all(|request| request.connection == 0));
}

#[test]
fn serves_threads_with_a_connection_each_and_keeps_eight() {
    let server = Server::start(vec![Step::Answer(200, "{}"); 240]);
    let (client, _) = client(&server, |options| options);
    std::thread::scope(|scope| {
        for _ in 0..12 {
            scope.spawn(|| (0..20).for_each(|_| assert!(client.who_am_i().is_ok())));
        }
    });
    let used = server.requests().iter().map(|request| request.connection).max().unwrap();
    assert_eq!(server.requests().len(), 240);
    // The calls of 12 threads may find all eight kept connections in use.
    assert!(used < 120, "{used} connections");
}

#[test]
fn makes_another_connection_where_the_daemon_closed_the_kept_one() {
    let server = Server::start([Step::AnswerAndClose(200, "{}"), Step::Answer(200, "{}")]);
    let (client, time) = client(&server, |options| options);
    client.who_am_i().unwrap();
    client.who_am_i().unwrap();
    assert_eq!(server.requests()[1].connection, 1);
    assert_eq!(pauses(&time), []);
}

#[test]
fn tries_again_under_the_same_random_key() {
    let accepted = r#"{"decision":"DECISION_ACCEPTED","repeated":true}"#;
    let server = Server::start([Step::Close, Step::Answer(503, UNAVAILABLE), Step::Answer(200, accepted)]);
    let (client, time) = client(&server, |options| options);
    let verdict = client.verify(&verification()).unwrap();
    assert!(verdict.accepted() && !verdict.repeated);
    assert_eq!(pauses(&time), [1000, 2000]);
    let requests = server.requests();
    let keys: Vec<&str> = requests.iter().filter_map(|request| request.field("idempotency-key")).collect();
    assert_eq!((keys.len(), keys[0].len()), (3, 32));
    assert!(keys.iter().all(|key| *key == keys[0]));
}

#[test]
fn keeps_the_mark_of_a_repetition_under_a_key_of_the_callers() {
    let server = Server::start([Step::Answer(200, r#"{"decision":"DECISION_ACCEPTED","repeated":true}"#)]);
    let (client, _) = client(&server, |options| options);
    let verdict = client.verify(&VerifyRequest { idempotency_key: Some("mine".into()), ..verification() }).unwrap();
    assert!(verdict.repeated);
    assert_eq!(server.requests()[0].field("idempotency-key"), Some("mine"));
}

#[test]
fn does_not_repeat_what_the_daemon_may_have_done() {
    let server = Server::start([Step::Close, Step::Answer(503, UNAVAILABLE)]);
    let (client, time) = client(&server, |options| options.idempotency_keys(false));
    let lost = client.verify(&verification()).unwrap_err();
    assert_eq!((lost.reason.as_str(), lost.attempts, lost.http_status), ("connection_lost", 1, 0));
    let target = BlockTarget::KeyId(vec![1]);
    let error = client.unblock(&UnblockRequest { app: "photos".into(), target }).unwrap_err();
    assert_eq!((error.code, error.attempts, error.http_status), (Code::Unavailable, 1, 503));
    assert_eq!(pauses(&time), []);
}

#[test]
fn repeats_what_was_not_begun_and_waits_as_long_as_the_daemon_says() {
    let server = Server::start([Step::With(429, "retry-after: 3", OVERLOADED), Step::Answer(200, "{}")]);
    let (client, time) = client(&server, |options| options.idempotency_keys(false));
    client.verify(&verification()).unwrap();
    assert_eq!(pauses(&time), [3300]);
}

#[test]
fn gives_up_after_the_last_try_and_where_a_pause_would_pass_the_time_out() {
    let server = Server::start(vec![Step::Answer(503, UNAVAILABLE); 9]);
    // The next pause is 8 s, and 7 s are left at most; a busy machine may use some.
    let (impatient, time) = client(&server, |options| options.timeout(Duration::from_secs(14)));
    assert_eq!(impatient.who_am_i().unwrap_err().attempts, 4);
    assert_eq!(pauses(&time), [1000, 2000, 4000]);
    let (client, _) = client(&server, |options| options);
    assert_eq!(client.who_am_i().unwrap_err().attempts, 5);
}

#[test]
fn keeps_the_time_out_of_a_call() {
    let server = Server::start([Step::Silence]);
    let (client, _) = client(&server, |options| options);
    let start = Instant::now();
    let error = client.within(Duration::from_millis(200)).who_am_i().unwrap_err();
    assert_eq!((error.reason.as_str(), error.code), ("timeout", Code::DeadlineExceeded));
    assert!(start.elapsed() < Duration::from_secs(20));
}

#[test]
fn bounds_answers() {
    let long = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 4000000000\r\n\r\n{";
    let chunks = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\nfffff\r\n{";
    let endless = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n".to_owned() + &" ".repeat(1000);
    let server = Server::start([long, chunks, &endless].map(|text| Step::Raw(text.into())));
    let (client, _) = client(&server, |options| options.max_answer_bytes(999));
    for _ in 0..3 {
        assert_eq!(client.who_am_i().unwrap_err().reason, "reply_too_large");
    }
}

#[test]
fn tells_answers_of_others_from_the_daemons() {
    let page = "HTTP/1.1 404 -\r\ncontent-type: text/html\r\ncontent-length: 2\r\n\r\nno";
    let redirect = "HTTP/1.1 307 -\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n";
    let server = Server::start([
        Step::Raw(page.into()),
        Step::Raw(redirect.into()),
        Step::Raw(b"SSH-2.0-x\r\n".into()),
        Step::Answer(200, "[1"),
        Step::Answer(200, r#"{"name":5}"#),
    ]);
    let (client, _) = client(&server, |options| options.tries(1));
    let reasons: Vec<String> = (0..5).map(|_| client.who_am_i().unwrap_err().reason).collect();
    assert_eq!(reasons, ["foreign_answer", "foreign_answer", "protocol_broken", "undecodable_reply", "undecodable_reply"]);
}

#[test]
fn reads_chunks() {
    let text = "HTTP/1.1 200 -\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n\
                8;a=b\r\n{\"name\":\r\n4\r\n\"me\"\r\n1\r\n}\r\n0\r\nx: y\r\n\r\n";
    let server = Server::start([Step::Raw(text.into())]);
    assert_eq!(client(&server, |options| options).0.who_am_i().unwrap().name, "me");
}

#[test]
fn calls_any_method() {
    let server = Server::start([Step::Answer(200, r#"{"feeds":[]}"#), Step::Close]);
    let (client, _) = client(&server, |options| options.tries(1));
    let empty = Json::Object(Object::new());
    let answer = client.call("Feeds", "List", &empty, &CallOptions { idempotent: true, ..Default::default() }).unwrap();
    assert_eq!(answer.get("feeds"), Some(&Json::List(vec![])));
    let keyed = Json::object([("idempotencyKey", "AAEC".into())]);
    let options = CallOptions { idempotency_key: Some("k".into()), ..Default::default() };
    client.call("assay.v1.Uploads", "Begin", &keyed, &options).unwrap_err();
    let sent = &server.requests()[1];
    assert_eq!((sent.head[0].as_str(), sent.field("idempotency-key")), ("POST /assay.v1.Uploads/Begin HTTP/1.1", None));
    for (service, method) in [("Feeds/..", "List"), ("Feeds", "Li st"), ("", "List"), ("Feeds", "List HTTP/1.1\r\nx: y")] {
        assert_eq!(client.call(service, method, &empty, &CallOptions::default()).unwrap_err().reason, "bad_request");
    }
}

#[test]
fn refuses_wrong_options_and_keys_before_anything_is_sent() {
    let options = || ClientOptions::new("http://127.0.0.1:1");
    let wrong = [
        (ClientOptions::new("ftp://a"), "url"),
        (options().api_key("assay_x"), "api_key"),
        (ClientOptions::new("http+unix:/a").api_key("a b"), "api_key"),
        (options().timeout(Duration::ZERO), "timeout"),
        (options().connect_timeout(Duration::ZERO), "connect_timeout"),
        (options().tries(0), "tries"),
        (options().max_answer_bytes(0), "max_answer_bytes"),
        (options().documentation("a b"), "documentation"),
        (options().ca_file("ca.pem"), "ca_file"),
    ];
    for (options, name) in wrong {
        let error = Client::new(options).unwrap_err();
        assert_eq!((error.reason.as_str(), error.message.split(':').next()), ("bad_option", Some(name)));
    }
    let server = Server::start([]);
    let (client, _) = client(&server, |options| options);
    for key in ["", "a b", "a\r\nx: y", &"k".repeat(65)] {
        let error = client.verify(&VerifyRequest { idempotency_key: Some(key.into()), ..verification() }).unwrap_err();
        assert_eq!((error.reason.as_str(), error.attempts), ("bad_request", 0));
    }
    client.close();
    assert_eq!(client.who_am_i().unwrap_err().reason, "bad_request");
    assert!(server.requests().is_empty());
}

#[test]
fn does_not_show_the_api_key() {
    let options = ClientOptions::new("http+unix:/a").api_key("assay_secret");
    let shown = format!("{options:?} {:?}", Client::new(options.clone()).unwrap());
    assert!(!shown.contains("secret"), "{shown}");
}

#[cfg(unix)]
#[test]
fn calls_over_a_unix_socket() {
    use std::io::{Read, Write};
    let path = std::env::temp_dir().join(format!("assay-client-{}.sock", std::process::id()));
    let listener = std::os::unix::net::UnixListener::bind(&path).unwrap();
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut received = [0; 4096];
        let count = stream.read(&mut received).unwrap();
        stream.write_all(b"HTTP/1.1 200 -\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}").unwrap();
        String::from_utf8(received[..count].to_vec()).unwrap()
    });
    let client = Client::new(ClientOptions::new(format!("http+unix:{}", path.display())).api_key("assay_x")).unwrap();
    let answer = client.who_am_i();
    std::fs::remove_file(&path).unwrap();
    answer.unwrap();
    let request = server.join().unwrap();
    assert!(
        request.contains("\r\nhost: localhost\r\n") && request.contains("\r\nauthorization: Bearer assay_x\r\n"),
        "{request}"
    );
}
