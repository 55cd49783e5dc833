use crate::http_date;
use std::time::{Duration, SystemTime};

/// What came back.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Answer {
    pub status: u16,
    /// Without parameters, in lower case.
    pub content_type: String,
    pub retry_after: Option<Duration>,
    pub body: Vec<u8>,
}

/// The head of an answer, as far as it counts.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Head {
    pub status: u16,
    pub content_type: String,
    pub retry_after: Option<Duration>,
    pub length: Length,
    pub keeps_open: bool,
}

/// How the end of a body is known.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Length {
    Bytes(u64),
    Chunks,
    /// The connection is closed after it.
    UntilEnd,
}

impl Head {
    /// Reads a head, the empty line at its end included. `None` if it is not one of HTTP/1.0 or 1.1.
    pub fn parse(bytes: &[u8], now: SystemTime) -> Option<Head> {
        let mut lines = bytes.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
        let (minor, status) = status_line(lines.next()?)?;
        let mut head =
            Head { status, content_type: String::new(), retry_after: None, length: Length::UntilEnd, keeps_open: minor > 0 };
        let (mut length, mut is_chunked) = (None, false);
        for line in lines.take_while(|line| !line.is_empty()) {
            let colon = line.iter().position(|byte| *byte == b':')?;
            let name = line[..colon].to_ascii_lowercase();
            if name.is_empty() || !name.iter().all(u8::is_ascii_graphic) {
                return None;
            }
            let value = String::from_utf8_lossy(&line[colon + 1..]);
            let value = value.trim_matches([' ', '\t']);
            match name.as_slice() {
                b"content-length" => {
                    let number = digits(value, 19)?;
                    if length.replace(number).is_some_and(|earlier| earlier != number) {
                        return None;
                    }
                }
                b"transfer-encoding" if value.eq_ignore_ascii_case("chunked") && !is_chunked => is_chunked = true,
                // Another coding cannot be undone.
                b"transfer-encoding" => return None,
                b"connection" => {
                    let has = |word: &str| value.split(',').any(|part| part.trim().eq_ignore_ascii_case(word));
                    head.keeps_open = (head.keeps_open || has("keep-alive")) && !has("close");
                }
                b"content-type" => {
                    head.content_type = value.split(';').next().unwrap_or("").trim().to_ascii_lowercase();
                }
                b"retry-after" => head.retry_after = retry_after(value, now),
                _ => {}
            }
        }
        head.length = match (length, is_chunked) {
            _ if status < 200 || status == 204 || status == 304 => Length::Bytes(0),
            // Two answers about the length: a proxy and this side may see different ends.
            (Some(_), true) => return None,
            (None, true) => Length::Chunks,
            (Some(length), false) => Length::Bytes(length),
            (None, false) => Length::UntilEnd,
        };
        head.keeps_open &= head.length != Length::UntilEnd;
        Some(head)
    }
}

/// `HTTP/1.1 200 OK`: the minor version and the status.
fn status_line(line: &[u8]) -> Option<(u8, u16)> {
    let minor = match line.strip_prefix(b"HTTP/1.")? {
        [b'0', b' ', ..] => 0,
        [b'1', b' ', ..] => 1,
        _ => return None,
    };
    let status = line.get(9..12).and_then(|digits| std::str::from_utf8(digits).ok())?;
    let is_ended = matches!(line.get(12), None | Some(b' '));
    let status = digits(status, 3).filter(|status| is_ended && *status >= 100)?;
    Some((minor, u16::try_from(status).ok()?))
}

/// Digits alone, at most `limit` of them.
fn digits(text: &str, limit: usize) -> Option<u64> {
    let is_number = !text.is_empty() && text.len() <= limit && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_number {
        text.parse().ok()
    } else {
        None
    }
}

/// Seconds or a date; a date that has passed is 0.
fn retry_after(value: &str, now: SystemTime) -> Option<Duration> {
    if let Some(seconds) = digits(value, 9) {
        return Some(Duration::from_secs(seconds));
    }
    let date = SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(http_date::seconds(value)?))?;
    Some(date.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Option<Head> {
        Head::parse(text.as_bytes(), SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777))
    }

    #[test]
    fn reads_what_counts() {
        let head = parse(
            "HTTP/1.1 503 Away\r\nContent-Type: Application/JSON; charset=utf-8\r\nRetry-After: 7\r\nContent-Length: 5\r\nX: y\r\n\r\n",
        );
        let head = head.unwrap();
        assert_eq!((head.status, head.content_type.as_str(), head.keeps_open), (503, "application/json", true));
        assert_eq!((head.length, head.retry_after), (Length::Bytes(5), Some(Duration::from_secs(7))));
    }

    #[test]
    fn knows_how_a_body_ends() {
        let head = |fields: &str| parse(&format!("HTTP/1.1 200 OK\r\n{fields}\r\n")).unwrap();
        assert_eq!(head("Transfer-Encoding: chunked\r\n").length, Length::Chunks);
        assert_eq!(head("").length, Length::UntilEnd);
        assert!(!head("").keeps_open);
        assert!(!head("content-length: 0\r\nconnection: x, Close\r\n").keeps_open);
        assert!(!parse("HTTP/1.0 200 OK\r\ncontent-length: 0\r\n\r\n").unwrap().keeps_open);
        assert_eq!(parse("HTTP/1.1 204\r\n\r\n").unwrap().length, Length::Bytes(0));
    }

    #[test]
    fn rejects_what_is_not_http() {
        for text in [
            "SSH-2.0-x\r\n\r\n",
            "HTTP/2 200\r\n\r\n",
            "HTTP/1.1 2x0 OK\r\n\r\n",
            "HTTP/1.1 2000 OK\r\n\r\n",
            "HTTP/1.1 099 OK\r\n\r\n",
            "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
            "HTTP/1.1 200 OK\r\na b: c\r\n\r\n",
            "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n",
            "HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n",
            "HTTP/1.1 200 OK\r\ncontent-length: 99999999999999999999\r\n\r\n",
            "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n",
            "HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn reads_a_date_to_wait_for() {
        let wait = |value: &str| parse(&format!("HTTP/1.1 503 A\r\nretry-after: {value}\r\n\r\n")).unwrap().retry_after;
        assert_eq!(wait("Sun, 06 Nov 1994 08:49:40 GMT"), Some(Duration::from_secs(3)));
        assert_eq!(wait("Sun, 06 Nov 1994 08:49:00 GMT"), Some(Duration::ZERO));
        for value in ["-1", "1.5", "1234567890", "soon", "", "Sunday, 06-Nov-94 08:49:37 GMT"] {
            assert_eq!(wait(value), None, "{value}");
        }
    }
}
