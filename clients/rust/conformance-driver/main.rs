//! Makes the calls that the conformance suite asks for: a line of JSON each way.

mod outcome;
mod request;

use assay_client::{AssayError, Client, ClientOptions, Json, Time};
use std::collections::HashMap;
use std::io::{self, BufRead, Write};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Notes pauses, and puts the clock forward in place of waiting where time is fake.
struct NotedTime {
    is_fake: bool,
    chance: f64,
    pauses: Mutex<Vec<Duration>>,
    ahead: Mutex<Duration>,
}

impl Time for NotedTime {
    fn now(&self) -> Instant {
        Instant::now() + *self.ahead.lock().unwrap()
    }

    fn sleep(&self, pause: Duration) {
        self.pauses.lock().unwrap().push(pause);
        match self.is_fake {
            true => *self.ahead.lock().unwrap() += pause,
            false => std::thread::sleep(pause),
        }
    }

    fn chance(&self) -> f64 {
        self.chance
    }
}

type Clients = HashMap<String, (Client, Arc<NotedTime>)>;

fn main() -> io::Result<()> {
    let mut clients = Clients::new();
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let line = line?;
        let (id, answer) = match Json::parse(line.as_bytes()) {
            Ok(json) => (json.get("id").cloned().unwrap_or_default(), answer(&json, &mut clients)),
            Err(error) => (Json::Null, Json::object([("broken", error.to_string().into())])),
        };
        let Json::Object(mut members) = answer else { unreachable!("an answer is an object") };
        members.insert("id".to_owned(), id);
        writeln!(out, "{}", Json::Object(members))?;
        out.flush()?;
    }
    Ok(())
}

fn answer(line: &Json, clients: &mut Clients) -> Json {
    let none = Json::Object(Default::default());
    let options = line.get("options").unwrap_or(&none);
    let name = options.get("client").and_then(Json::as_text);
    let made = match name.and_then(|name| clients.get(name)) {
        Some((client, time)) => Ok((client.clone(), time.clone())),
        None => client(options),
    };
    let (client, time) = match made {
        Ok(made) => made,
        Err(error) => return Json::object([("error", outcome::error(&error)), ("waits", Json::List(vec![]))]),
    };
    if let Some(name) = name {
        clients.insert(name.to_owned(), (client.clone(), time.clone()));
    }
    time.pauses.lock().unwrap().clear();
    let called = match options.get("callTimeoutMs").and_then(Json::as_i64) {
        Some(limit) => client.within(Duration::from_millis(limit.max(0) as u64)),
        None => client.clone(),
    };
    let method = line.get("method").and_then(Json::as_text).unwrap_or("");
    let result = request::perform(&called, method, line.get("request").unwrap_or(&none), options);
    if name.is_none() {
        client.close();
    }
    let waits = time.pauses.lock().unwrap().iter().map(|pause| Json::Number(pause.as_secs_f64().to_string())).collect();
    match result {
        Ok(outcome) => Json::object([("outcome", outcome), ("waits", Json::List(waits))]),
        Err(request::Failed::Call(error)) => Json::object([("error", outcome::error(&error)), ("waits", Json::List(waits))]),
        Err(request::Failed::Broken(why)) => Json::object([("broken", why.into())]),
    }
}

fn client(options: &Json) -> Result<(Client, Arc<NotedTime>), AssayError> {
    let text = |name| options.get(name).and_then(Json::as_text);
    let milliseconds = |name| options.get(name).and_then(Json::as_i64).map(|limit| Duration::from_millis(limit.max(0) as u64));
    let time = Arc::new(NotedTime {
        is_fake: options.get("fakeTime") == Some(&Json::Bool(true)),
        chance: options.get("chance").and_then(Json::as_f64).unwrap_or(0.5),
        pauses: Mutex::default(),
        ahead: Mutex::default(),
    });
    let mut made = ClientOptions::new(text("url").unwrap_or("")).time(time.clone());
    if let Some(key) = text("apiKey") {
        made = made.api_key(key);
    }
    if let Some(path) = text("caFile") {
        made = made.ca_file(path);
    }
    match (text("certificateFile"), text("keyFile")) {
        (None, None) => {}
        (certificate, key) => made = made.client_certificate(certificate.unwrap_or(""), key.unwrap_or("")),
    }
    if let Some(limit) = milliseconds("timeoutMs") {
        made = made.timeout(limit);
    }
    if let Some(limit) = milliseconds("connectTimeoutMs") {
        made = made.connect_timeout(limit);
    }
    if let Some(tries) = options.get("tries").and_then(Json::as_i64) {
        made = made.tries(u32::try_from(tries).unwrap_or(0));
    }
    if let Some(makes_keys) = options.get("idempotencyKeys").and_then(Json::as_bool) {
        made = made.idempotency_keys(makes_keys);
    }
    if let Some(limit) = options.get("maxAnswerBytes").and_then(Json::as_i64) {
        made = made.max_answer_bytes(usize::try_from(limit).unwrap_or(0));
    }
    if let Some(base) = text("documentation") {
        made = made.documentation(base);
    }
    Ok((Client::new(made)?, time))
}
