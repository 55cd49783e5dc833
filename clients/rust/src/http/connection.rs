use super::answer::{Head, Length};
use super::stream::Stream;
use super::{Answer, Deadline};
use std::io::{self, Read, Write};
use std::time::SystemTime;

/// Why an attempt has no answer.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// There is no connection: nothing of the call was sent.
    NotConnected(String),
    /// The two sides do not trust each other.
    Tls(String),
    /// The deadline passed.
    Timeout,
    /// The connection ended before the answer was whole. `had_answer`: a part of it came.
    Lost { had_answer: bool, why: String },
    /// The answer is not HTTP.
    NotHttp(String),
    /// The answer has this status, and is longer than an answer may be.
    TooLong(u16),
}

/// A connection that takes one request at a time.
pub(super) struct Connection {
    stream: Stream,
    /// What was received and not taken.
    received: Vec<u8>,
    /// Whether an answer came over it.
    pub was_used: bool,
}

impl Connection {
    const HEAD_LIMIT: usize = 64 << 10;
    const LINE_LIMIT: usize = 8 << 10;
    /// Interim answers (100, 103) before the one that counts.
    const INTERIM_LIMIT: usize = 8;

    pub fn new(stream: Stream) -> Connection {
        Connection { stream, received: Vec::new(), was_used: false }
    }

    /// Whether another request may be sent.
    pub fn is_usable(&mut self) -> bool {
        self.received.is_empty() && self.stream.is_quiet()
    }

    /// Sends a request and returns its answer, and whether the connection may be used again.
    pub fn exchange(&mut self, request: &[u8], limit: usize, deadline: Deadline) -> Result<(Answer, bool), Failure> {
        // A server may refuse a request by its head, answer and close: the answer counts, not that the rest could not be sent.
        let is_sent = match self.send(request, deadline) {
            Ok(()) => true,
            Err(Failure::Lost { .. }) => false,
            Err(failure) => return Err(failure),
        };
        let mut head = self.head(deadline)?;
        for _ in 0..Connection::INTERIM_LIMIT {
            if !(100..200).contains(&head.status) || head.status == 101 {
                break;
            }
            head = self.head(deadline)?;
        }
        let mut body = Vec::new();
        match head.length {
            Length::Bytes(length) => {
                let length = usize::try_from(length).ok().filter(|length| *length <= limit);
                let length = length.ok_or(Failure::TooLong(head.status))?;
                self.take(length, &mut body, deadline)?;
            }
            Length::Chunks => self.chunks(head.status, limit, &mut body, deadline)?,
            Length::UntilEnd => {
                // What came with the head counts too.
                while self.received.len() <= limit && self.receive(deadline)? > 0 {}
                if self.received.len() > limit {
                    return Err(Failure::TooLong(head.status));
                }
                body = std::mem::take(&mut self.received);
            }
        }
        self.was_used = true;
        let is_reusable = head.keeps_open && is_sent && head.status >= 200;
        let Head { status, content_type, retry_after, .. } = head;
        Ok((Answer { status, content_type, retry_after, body }, is_reusable))
    }

    fn send(&mut self, request: &[u8], deadline: Deadline) -> Result<(), Failure> {
        let mut rest = request;
        while !rest.is_empty() {
            self.limit(deadline)?;
            match self.stream.write(rest) {
                Ok(0) => return Err(self.lost("nothing could be sent")),
                Ok(count) => rest = &rest[count..],
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.failure(&error, deadline)),
            }
        }
        Ok(())
    }

    /// The next head, which is received whole before it is read.
    fn head(&mut self, deadline: Deadline) -> Result<Head, Failure> {
        let mut seen = 0;
        loop {
            if let Some(end) = end_of_head(&self.received, seen) {
                let rest = self.received.split_off(end);
                let head = std::mem::replace(&mut self.received, rest);
                return Head::parse(&head, SystemTime::now())
                    .ok_or_else(|| Failure::NotHttp("the answer is not HTTP/1.1".to_owned()));
            }
            // What is not HTTP may have no end of a head.
            let start = &self.received[..self.received.len().min(7)];
            if !b"HTTP/1.".starts_with(start) {
                return Err(Failure::NotHttp("the answer is not HTTP/1.1".to_owned()));
            }
            if self.received.len() > Connection::HEAD_LIMIT {
                return Err(Failure::NotHttp("the head of the answer is too long".to_owned()));
            }
            seen = self.received.len().saturating_sub(3);
            if self.receive(deadline)? == 0 {
                return Err(self.lost("it was closed"));
            }
        }
    }

    /// RFC 9112 §7.1. Extensions and trailers are passed over.
    fn chunks(&mut self, status: u16, limit: usize, body: &mut Vec<u8>, deadline: Deadline) -> Result<(), Failure> {
        let broken = || Failure::NotHttp("a chunk of the answer is malformed".to_owned());
        loop {
            let line = self.line(deadline)?;
            let size = line.split(';').next().unwrap_or("").trim();
            if size.is_empty() || size.len() > 16 || !size.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                return Err(broken());
            }
            let size = u64::from_str_radix(size, 16).map_err(|_| broken())?;
            if size == 0 {
                break;
            }
            let size = usize::try_from(size).ok().filter(|size| *size <= limit - body.len());
            self.take(size.ok_or(Failure::TooLong(status))?, body, deadline)?;
            if !self.line(deadline)?.is_empty() {
                return Err(broken());
            }
        }
        let mut length = 0;
        loop {
            let line = self.line(deadline)?;
            length += line.len();
            match line.is_empty() {
                true => return Ok(()),
                false if length > Connection::HEAD_LIMIT => return Err(broken()),
                false => {}
            }
        }
    }

    fn line(&mut self, deadline: Deadline) -> Result<String, Failure> {
        loop {
            if let Some(end) = self.received.iter().position(|byte| *byte == b'\n') {
                let rest = self.received.split_off(end + 1);
                let line = std::mem::replace(&mut self.received, rest);
                let line = line.strip_suffix(b"\r\n").unwrap_or(&line[..end]);
                return Ok(String::from_utf8_lossy(line).into_owned());
            }
            if self.received.len() > Connection::LINE_LIMIT {
                return Err(Failure::NotHttp("a line of the answer is too long".to_owned()));
            }
            if self.receive(deadline)? == 0 {
                return Err(self.lost("it was closed"));
            }
        }
    }

    /// Moves `count` bytes to `body`.
    fn take(&mut self, count: usize, body: &mut Vec<u8>, deadline: Deadline) -> Result<(), Failure> {
        let end = body.len() + count;
        loop {
            let taken = self.received.len().min(end - body.len());
            body.extend(self.received.drain(..taken));
            if body.len() == end {
                return Ok(());
            }
            if self.receive(deadline)? == 0 {
                return Err(self.lost("it was closed"));
            }
        }
    }

    /// Receives once, and returns how much came; 0 at the end.
    fn receive(&mut self, deadline: Deadline) -> Result<usize, Failure> {
        let mut buffer = [0; 16 << 10];
        loop {
            self.limit(deadline)?;
            match self.stream.read(&mut buffer) {
                Ok(count) => {
                    self.received.extend_from_slice(&buffer[..count]);
                    return Ok(count);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.failure(&error, deadline)),
            }
        }
    }

    fn limit(&mut self, deadline: Deadline) -> Result<(), Failure> {
        let left = deadline.left().ok_or(Failure::Timeout)?;
        self.stream.socket().set_timeouts(left).map_err(|error| self.lost(&error.to_string()))
    }

    fn failure(&self, error: &io::Error, deadline: Deadline) -> Failure {
        match error.kind() {
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut if deadline.has_passed() => Failure::Timeout,
            // The socket's clock is a little ahead of this one.
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => Failure::Timeout,
            _ => match self.refusal(error) {
                Some(why) => Failure::Tls(why),
                None => self.lost(&error.to_string()),
            },
        }
    }

    /// With TLS 1.3 a server refuses a client's certificate after the handshake: by an alert in place of the first answer.
    #[cfg(feature = "tls")]
    fn refusal(&self, error: &io::Error) -> Option<String> {
        let error = error.get_ref()?.downcast_ref::<openssl::ssl::Error>()?;
        let is_first = !self.was_used && self.received.is_empty();
        super::tls::alert(error).filter(|_| is_first)
    }

    #[cfg(not(feature = "tls"))]
    fn refusal(&self, _: &io::Error) -> Option<String> {
        None
    }

    fn lost(&self, why: &str) -> Failure {
        Failure::Lost { had_answer: !self.received.is_empty(), why: why.to_owned() }
    }
}

/// The place behind the empty line that ends a head; looked for from `start` on.
fn end_of_head(bytes: &[u8], start: usize) -> Option<usize> {
    let rest = &bytes[start..];
    let ends = [&b"\r\n\r\n"[..], b"\n\n"];
    let find = |end: &[u8]| rest.windows(end.len()).position(|window| window == end).map(|at| start + at + end.len());
    ends.into_iter().filter_map(find).min()
}
