//! Base64 (RFC 4648 §4), in which protobuf's JSON has bytes.

use std::fmt::Write;

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// With padding.
pub fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let bits = group.iter().enumerate().fold(0, |bits, (at, byte)| bits | u32::from(*byte) << (16 - 8 * at));
        for at in 0..4 {
            let index = (bits >> (18 - 6 * at) & 63) as usize;
            text.push(if at <= group.len() { char::from(ALPHABET[index]) } else { '=' });
        }
    }
    text
}

/// Of either alphabet, with or without padding. `None` if it is not Base64.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    let digits = match text.len() % 4 {
        0 => text.strip_suffix("==").or_else(|| text.strip_suffix('=')).unwrap_or(text),
        _ => text,
    };
    let mut bytes = Vec::with_capacity(digits.len() / 4 * 3 + 2);
    for group in digits.as_bytes().chunks(4) {
        let mut bits = 0u32;
        for byte in group {
            bits = bits << 6 | value(*byte)?;
        }
        bits <<= 6 * (4 - group.len());
        match group.len() {
            1 => return None,
            2 if bits & 0xFFFF != 0 => return None,
            3 if bits & 0xFF != 0 => return None,
            _ => bytes.extend_from_slice(&bits.to_be_bytes()[1..group.len()]),
        }
    }
    Some(bytes)
}

fn value(digit: u8) -> Option<u32> {
    let value = match digit {
        b'A'..=b'Z' => digit - b'A',
        b'a'..=b'z' => digit - b'a' + 26,
        b'0'..=b'9' => digit - b'0' + 52,
        b'+' | b'-' => 62,
        b'/' | b'_' => 63,
        _ => return None,
    };
    Some(u32::from(value))
}

/// Lower-case hexadecimal digits.
pub fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodes_the_vectors_of_rfc_4648() {
        let vectors = [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")];
        for (bytes, text) in vectors {
            assert_eq!(encode(bytes.as_bytes()), text);
            assert_eq!(decode(text).as_deref(), Some(bytes.as_bytes()));
            assert_eq!(decode(text.trim_end_matches('=')).as_deref(), Some(bytes.as_bytes()));
        }
    }

    #[test]
    fn decodes_either_alphabet() {
        assert_eq!(decode("+/-_").as_deref(), Some(&[0xFB, 0xFF, 0xBF][..]));
    }

    #[test]
    fn rejects_what_is_not_base64() {
        for text in ["A", "AAAAA", "A===", "====", "A=AA", "AA=A", "AA =", "AA==AA==", "Zh==", "é", "Zg=", "Zm9="] {
            assert_eq!(decode(text), None, "{text}");
        }
    }

    #[test]
    fn decodes_what_it_encodes() {
        let bytes: Vec<u8> = (0..=255).collect();
        for end in 0..bytes.len() {
            assert_eq!(decode(&encode(&bytes[..end])).as_deref(), Some(&bytes[..end]));
        }
    }
}
