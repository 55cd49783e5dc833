use crate::base64;
use crate::json::Json;
use std::time::Duration;

/// What the details of an error say (`google/rpc/error_details.proto`). Of several values the last counts, and the first link.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct StatusDetail {
    pub reason: Option<String>,
    pub retry: Option<String>,
    pub retry_after: Option<Duration>,
    pub link: Option<String>,
}

impl StatusDetail {
    const DOMAIN: &'static str = "assay";
    const LINK_LIMIT: usize = 1000;

    pub fn of_all(details: &[Json], limit: usize) -> StatusDetail {
        let mut found = StatusDetail::default();
        for detail in details.iter().take(limit) {
            let text = |name| detail.get(name).and_then(Json::as_text);
            let (Some(kind), Some(value)) = (text("type"), text("value")) else { continue };
            let Some(bytes) = base64::decode(value) else { continue };
            // A detail that is broken says nothing.
            let _ = match kind {
                "google.rpc.ErrorInfo" => found.read_error_info(&bytes),
                "google.rpc.RetryInfo" => found.read_retry_info(&bytes),
                "google.rpc.Help" => found.read_help(&bytes),
                _ => continue,
            };
        }
        found
    }

    /// `reason` (1), `domain` (2), `metadata` (3).
    fn read_error_info(&mut self, bytes: &[u8]) -> Option<()> {
        let (mut reason, mut domain, mut retry) = (None, None, None);
        for field in fields(bytes)? {
            match field {
                (1, Value::Bytes(text)) => reason = Some(utf8(text)?),
                (2, Value::Bytes(text)) => domain = Some(utf8(text)?),
                (3, Value::Bytes(entry)) => {
                    let (mut key, mut value) = (String::new(), String::new());
                    for field in fields(entry)? {
                        match field {
                            (1, Value::Bytes(text)) => key = utf8(text)?,
                            (2, Value::Bytes(text)) => value = utf8(text)?,
                            _ => {}
                        }
                    }
                    if key == "retry" && !value.is_empty() {
                        retry = Some(value);
                    }
                }
                _ => {}
            }
        }
        if domain.as_deref() == Some(StatusDetail::DOMAIN) {
            (self.reason, self.retry) = (reason, retry);
        }
        Some(())
    }

    /// `retry_delay` (1): seconds (1) and nanoseconds (2).
    fn read_retry_info(&mut self, bytes: &[u8]) -> Option<()> {
        for field in fields(bytes)? {
            let (1, Value::Bytes(delay)) = field else { continue };
            let (mut seconds, mut nanoseconds) = (0, 0);
            for field in fields(delay)? {
                match field {
                    (1, Value::Number(number)) => seconds = number as i64,
                    (2, Value::Number(number)) => nanoseconds = number as i64,
                    _ => {}
                }
            }
            let nanoseconds = u32::try_from(nanoseconds).ok().filter(|number| *number < 1_000_000_000)?;
            // Beyond the seconds of 32 bits it does not matter how long.
            let seconds = u64::try_from(seconds).ok()?.min(u32::MAX.into());
            self.retry_after = Some(Duration::new(seconds, nanoseconds));
        }
        Some(())
    }

    /// `links` (1): `url` (2).
    fn read_help(&mut self, bytes: &[u8]) -> Option<()> {
        for field in fields(bytes)? {
            let (1, Value::Bytes(link)) = field else { continue };
            for field in fields(link)? {
                let (2, Value::Bytes(url)) = field else { continue };
                let is_usable = url.starts_with(b"https://")
                    && url.len() <= StatusDetail::LINK_LIMIT
                    && url.iter().all(u8::is_ascii_graphic);
                if is_usable && self.link.is_none() {
                    self.link = Some(utf8(url)?);
                }
            }
        }
        Some(())
    }
}

/// The value of a protobuf field. Fields of fixed size are passed over.
enum Value<'a> {
    Number(u64),
    Bytes(&'a [u8]),
    Other,
}

fn utf8(bytes: &[u8]) -> Option<String> {
    String::from_utf8(bytes.to_vec()).ok()
}

/// The fields of a protobuf message, in order; `None` if it is broken.
fn fields(mut bytes: &[u8]) -> Option<Vec<(u64, Value<'_>)>> {
    let mut fields = Vec::new();
    while !bytes.is_empty() {
        let tag = varint(&mut bytes)?;
        let value = match tag & 7 {
            0 => Value::Number(varint(&mut bytes)?),
            1 => take(&mut bytes, 8).map(|_| Value::Other)?,
            2 => {
                let length = usize::try_from(varint(&mut bytes)?).ok()?;
                Value::Bytes(take(&mut bytes, length)?)
            }
            5 => take(&mut bytes, 4).map(|_| Value::Other)?,
            _ => return None,
        };
        fields.push((tag >> 3, value));
    }
    Some(fields)
}

fn take<'a>(bytes: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    let all = *bytes;
    let taken = all.get(..count)?;
    *bytes = &all[count..];
    Some(taken)
}

fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0u64;
    for shift in (0..64).step_by(7) {
        let byte = take(bytes, 1)?[0];
        number |= u64::from(byte & 0x7F).checked_shl(shift)?;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detail(kind: &str, bytes: &[u8]) -> Json {
        Json::object([("type", kind.into()), ("value", base64::encode(bytes).into())])
    }

    /// A field of bytes.
    fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
        [&[number << 3 | 2, bytes.len() as u8], bytes].concat()
    }

    fn info(domain: &str) -> Vec<u8> {
        let entry = [field(1, b"retry"), field(2, b"later")].concat();
        [field(1, b"overloaded"), field(2, domain.as_bytes()), field(3, &entry)].concat()
    }

    #[test]
    fn reads_reason_retry_time_and_link() {
        let help = field(1, &[field(1, b"text"), field(2, b"https://docs.example/a")].concat());
        let details = [
            detail("google.rpc.ErrorInfo", &info("assay")),
            detail("google.rpc.RetryInfo", &field(1, &[8, 3, 16, 0x80, 0xCA, 0xB5, 0xEE, 0x01])),
            detail("google.rpc.Help", &help),
            detail("google.rpc.Other", b"?"),
        ];
        let found = StatusDetail::of_all(&details, 16);
        assert_eq!(found.reason.as_deref(), Some("overloaded"));
        assert_eq!(found.retry.as_deref(), Some("later"));
        assert_eq!(found.retry_after, Some(Duration::from_millis(3500)));
        assert_eq!(found.link.as_deref(), Some("https://docs.example/a"));
    }

    #[test]
    fn ignores_what_is_not_of_the_daemon_broken_or_beyond_the_limit() {
        let foreign = detail("google.rpc.ErrorInfo", &info("other"));
        let cut = detail("google.rpc.ErrorInfo", &info("assay")[..20]);
        let negative = detail("google.rpc.RetryInfo", &field(1, &[8, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1]));
        let script = detail("google.rpc.Help", &field(1, &field(2, b"javascript:x")));
        let text = Json::from("google.rpc.ErrorInfo");
        let all = [foreign, cut, negative, script, text, detail("google.rpc.ErrorInfo", &info("assay"))];
        assert_eq!(StatusDetail::of_all(&all, 5), StatusDetail::default());
        assert!(StatusDetail::of_all(&all, 6).reason.is_some());
    }

    #[test]
    fn every_prefix_of_a_detail_is_read_without_a_panic() {
        let bytes = info("assay");
        for end in 0..bytes.len() {
            StatusDetail::of_all(&[detail("google.rpc.ErrorInfo", &bytes[..end])], 16);
        }
        StatusDetail::of_all(&[detail("google.rpc.Help", &[0xFF; 32])], 16);
    }
}
