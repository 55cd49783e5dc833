use assay_client::*;
use std::{io::BufRead, io::BufReader, io::Read, io::Write, net::TcpListener, net::TcpStream};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let assay = Client::new(ClientOptions::new(std::env::var("ASSAY_URL")?).timeout(std::time::Duration::from_secs(5)))?;
    let takes_simulated = std::env::var("SIMULATED").is_ok_and(|text| !text.is_empty()); // virtual devices, for a trial
    for stream in TcpListener::bind("127.0.0.1:8080")?.incoming().flatten() {
        let assay = assay.clone();
        std::thread::spawn(move || serve(&stream, &assay, takes_simulated));
    }
    Ok(())
}

fn serve(mut stream: &TcpStream, assay: &Client, takes_simulated: bool) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.take(20 << 20));
    let head: Vec<String> = reader.by_ref().lines().map_while(Result::ok).take_while(|line| !line.is_empty()).collect();
    let fields: Vec<(&str, &str)> = head.iter().filter_map(|line| line.split_once(": ")).collect();
    let field = |name| fields.iter().find(|field| field.0.eq_ignore_ascii_case(name)).map_or("", |field| field.1);
    let (path, mut body) = (head.first().and_then(|line| line.split(' ').nth(1)).unwrap_or(""), Vec::new());
    reader.take(field("content-length").parse().unwrap_or(0)).read_to_end(&mut body)?;
    let failed = |e: AssayError| if e.code == Code::InvalidArgument { then(400, "give_up") } else { then(503, "later") };
    let user = field("user"); // of your sessions
    let (status, answer) = handle(assay, path, user, &body, takes_simulated).unwrap_or_else(failed);
    let (kind, text) = ("content-type: application/json", answer.to_string());
    write!(stream, "HTTP/1.1 {status} -\r\nconnection: close\r\n{kind}\r\ncontent-length: {}\r\n\r\n{text}", text.len())
}

fn then(status: u16, word: &str) -> (u16, Json) {
    (status, Json::object([("then", word.into())]))
}

fn handle(assay: &Client, path: &str, user: &str, body: &[u8], takes_simulated: bool) -> Result<(u16, Json), AssayError> {
    let (app, purpose, context) = ("photos".to_owned(), Purpose::Assert, user.as_bytes().to_vec());
    if path == "/challenges" {
        let issued = assay.issue_challenge(&IssueChallengeRequest { app, purpose, context, ..Default::default() })?;
        return Ok((200, Json::object([("challenge", base64_encode(&issued.challenge).into())])));
    }
    let sent = Json::parse(body).unwrap_or_default();
    let part = |name| sent.get(name).and_then(Json::as_text).and_then(base64_decode);
    let parts = ["key_id", "signature", "challenge", "photo"].map(part);
    let [Some(key_id), Some(signature), Some(challenge), Some(photo)] = parts else { return Ok(then(400, "give_up")) };
    let evidence = vec![Evidence::key_signature(&key_id, SignatureAlgorithm::EcdsaP256Sha256, &signature)]; // of Android
    let (binding, idempotency_key) = (Some(Binding::payload(&photo)), Some(base64_encode(&sha256(&challenge))));
    let request = VerifyRequest { app, purpose, challenge, context, evidence, binding, idempotency_key, ..Default::default() };
    let verdict = assay.verify(&request)?; // store the photo where it is accepted, and log verdict.request_id
    let is_good = verdict.accepted() && (!verdict.simulated || takes_simulated);
    let word = if is_good { "done" } else { verdict.retry.as_str() };
    Ok(then(if is_good { 201 } else { 403 }, if word.is_empty() { "give_up" } else { word }))
}
