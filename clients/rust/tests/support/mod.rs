//! A server that answers by a script, and notes what it was sent.

#![allow(dead_code)]

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// What the server does with a request.
#[derive(Clone)]
pub enum Step {
    /// Answers in JSON and keeps the connection.
    Answer(u16, &'static str),
    /// Answers in JSON with another header field.
    With(u16, &'static str, &'static str),
    /// Answers in JSON and closes, without having said so.
    AnswerAndClose(u16, &'static str),
    /// Sends these bytes and closes.
    Raw(Vec<u8>),
    /// Closes without an answer.
    Close,
    /// Does not answer.
    Silence,
}

#[derive(Clone, Debug)]
pub struct Request {
    pub connection: usize,
    /// The request line and the header fields.
    pub head: Vec<String>,
    pub body: String,
}

impl Request {
    pub fn field(&self, name: &str) -> Option<&str> {
        let fields = self.head.iter().filter_map(|line| line.split_once(": "));
        fields.filter(|field| field.0.eq_ignore_ascii_case(name)).map(|field| field.1).next()
    }
}

pub struct Server {
    pub url: String,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl Server {
    pub fn start(steps: impl IntoIterator<Item = Step>) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let requests: Arc<Mutex<Vec<Request>>> = Arc::default();
        let steps = Arc::new(Mutex::new(steps.into_iter().collect::<VecDeque<Step>>()));
        let noted = requests.clone();
        thread::spawn(move || {
            for (connection, stream) in listener.incoming().enumerate() {
                let (steps, noted) = (steps.clone(), noted.clone());
                let stream = stream.unwrap();
                thread::spawn(move || serve(&stream, connection, &steps, &noted));
            }
        });
        Server { url, requests }
    }

    pub fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }
}

fn serve(stream: &TcpStream, connection: usize, steps: &Mutex<VecDeque<Step>>, noted: &Mutex<Vec<Request>>) {
    let mut reader = BufReader::new(stream);
    while let Some(request) = read(&mut reader, connection) {
        noted.lock().unwrap().push(request);
        let step = steps.lock().unwrap().pop_front().expect("a request that the script does not have");
        match step {
            Step::Answer(status, body) => answer(stream, status, "x: y", body),
            Step::With(status, field, body) => answer(stream, status, field, body),
            Step::AnswerAndClose(status, body) => return answer(stream, status, "x: y", body),
            Step::Raw(bytes) => {
                let mut stream = stream;
                stream.write_all(&bytes).unwrap();
                return;
            }
            Step::Close => return,
            Step::Silence => loop {
                thread::park();
            },
        }
    }
}

fn answer(mut stream: &TcpStream, status: u16, field: &str, body: &str) {
    let head =
        format!("HTTP/1.1 {status} -\r\ncontent-type: application/json\r\n{field}\r\ncontent-length: {}\r\n\r\n", body.len());
    stream.write_all(&[head.as_bytes(), body.as_bytes()].concat()).unwrap();
}

fn read(reader: &mut impl BufRead, connection: usize) -> Option<Request> {
    let mut head = Vec::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let line = line.trim_end().to_owned();
        if line.is_empty() {
            break;
        }
        head.push(line);
    }
    let mut request = Request { connection, head, body: String::new() };
    let length = request.field("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    reader.take(length).read_to_string(&mut request.body).ok()?;
    Some(request)
}
