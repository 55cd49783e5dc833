use super::{Json, Object};
use std::fmt;

/// What a text of JSON may have at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JsonLimits {
    /// Bytes.
    pub size: usize,
    /// Lists and objects within one another.
    pub depth: usize,
    /// Values, members' names included.
    pub values: usize,
}

impl Default for JsonLimits {
    fn default() -> JsonLimits {
        JsonLimits { size: 8 << 20, depth: 100, values: 1_000_000 }
    }
}

/// Why a text is not taken as JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonError {
    /// The place, in bytes from the beginning.
    pub offset: usize,
    /// For people.
    pub message: String,
}

impl fmt::Display for JsonError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "invalid JSON at byte {}: {}", self.offset, self.message)
    }
}

impl std::error::Error for JsonError {}

pub(super) fn parse(bytes: &[u8], limits: JsonLimits) -> Result<Json, JsonError> {
    if bytes.len() > limits.size {
        return Err(JsonError { offset: limits.size, message: format!("more than {} bytes", limits.size) });
    }
    let text = std::str::from_utf8(bytes)
        .map_err(|error| JsonError { offset: error.valid_up_to(), message: "not UTF-8".to_owned() })?;
    let mut reader = Reader { text, at: 0, depth_left: limits.depth, values_left: limits.values, limits };
    reader.skip_space();
    let value = reader.value()?;
    reader.skip_space();
    match reader.peek() {
        None => Ok(value),
        Some(_) => Err(reader.error("something follows the value")),
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth_left: usize,
    values_left: usize,
    limits: JsonLimits,
}

impl Reader<'_> {
    fn error(&self, message: impl Into<String>) -> JsonError {
        JsonError { offset: self.at, message: message.into() }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn count_value(&mut self) -> Result<(), JsonError> {
        match self.values_left.checked_sub(1) {
            Some(left) => self.values_left = left,
            None => return Err(self.error(format!("more than {} values", self.limits.values))),
        }
        Ok(())
    }

    fn value(&mut self) -> Result<Json, JsonError> {
        self.count_value()?;
        match self.peek() {
            Some(b'{') => self.nested(Reader::object),
            Some(b'[') => self.nested(Reader::list),
            Some(b'"') => Ok(Json::Text(self.string()?)),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.word("true", Json::Bool(true)),
            Some(b'f') => self.word("false", Json::Bool(false)),
            Some(b'n') => self.word("null", Json::Null),
            Some(_) => Err(self.error("a value is expected")),
            None => Err(self.error("it ends where a value is expected")),
        }
    }

    fn nested(&mut self, read: fn(&mut Self) -> Result<Json, JsonError>) -> Result<Json, JsonError> {
        match self.depth_left.checked_sub(1) {
            Some(left) => self.depth_left = left,
            None => return Err(self.error(format!("deeper than {} levels", self.limits.depth))),
        }
        self.at += 1;
        self.skip_space();
        let value = read(self)?;
        self.depth_left += 1;
        Ok(value)
    }

    fn object(&mut self) -> Result<Json, JsonError> {
        let mut object = Object::new();
        if self.take(b'}') {
            return Ok(Json::Object(object));
        }
        loop {
            let start = self.at;
            if self.peek() != Some(b'"') {
                return Err(self.error("a member's name is expected"));
            }
            self.count_value()?;
            let name = self.string()?;
            self.skip_space();
            if !self.take(b':') {
                return Err(self.error("':' is expected"));
            }
            self.skip_space();
            let value = self.value()?;
            if object.contains_key(&name) {
                return Err(JsonError { offset: start, message: "the member is given twice".to_owned() });
            }
            object.insert(name, value);
            self.skip_space();
            if self.take(b'}') {
                return Ok(Json::Object(object));
            }
            if !self.take(b',') {
                return Err(self.error("',' or '}' is expected"));
            }
            self.skip_space();
        }
    }

    fn list(&mut self) -> Result<Json, JsonError> {
        let mut list = Vec::new();
        if self.take(b']') {
            return Ok(Json::List(list));
        }
        loop {
            list.push(self.value()?);
            self.skip_space();
            if self.take(b']') {
                return Ok(Json::List(list));
            }
            if !self.take(b',') {
                return Err(self.error("',' or ']' is expected"));
            }
            self.skip_space();
        }
    }

    fn word(&mut self, word: &str, value: Json) -> Result<Json, JsonError> {
        if !self.text[self.at..].starts_with(word) {
            return Err(self.error("a value is expected"));
        }
        self.at += word.len();
        Ok(value)
    }

    /// RFC 8259 §6.
    fn number(&mut self) -> Result<Json, JsonError> {
        let start = self.at;
        self.take(b'-');
        if !self.take(b'0') {
            self.digits()?;
        }
        if self.take(b'.') {
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.at += 1;
            if let Some(b'+' | b'-') = self.peek() {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(Json::Number(self.text[start..self.at].to_owned()))
    }

    fn digits(&mut self) -> Result<(), JsonError> {
        let start = self.at;
        while let Some(b'0'..=b'9') = self.peek() {
            self.at += 1;
        }
        if start == self.at {
            Err(self.error("a digit is expected"))
        } else {
            Ok(())
        }
    }

    /// From the opening to the closing quotation mark.
    fn string(&mut self) -> Result<String, JsonError> {
        self.at += 1;
        let mut string = String::new();
        loop {
            let start = self.at;
            while !matches!(self.peek(), None | Some(b'"' | b'\\' | 0..=0x1F)) {
                self.at += 1;
            }
            string.push_str(&self.text[start..self.at]);
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(string);
                }
                Some(b'\\') => {
                    self.at += 1;
                    string.push(self.escape()?);
                }
                Some(_) => return Err(self.error("a control character in a text")),
                None => return Err(self.error("it ends within a text")),
            }
        }
    }

    fn escape(&mut self) -> Result<char, JsonError> {
        let character = match self.peek() {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{C}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                self.at += 1;
                return self.escaped_scalar();
            }
            _ => return Err(self.error("no such escape")),
        };
        self.at += 1;
        Ok(character)
    }

    /// What follows `\u`: one unit, or two that are a surrogate pair.
    fn escaped_scalar(&mut self) -> Result<char, JsonError> {
        let first = self.hexadecimal()?;
        let scalar = match first {
            0xD800..=0xDBFF => {
                if !(self.take(b'\\') && self.take(b'u')) {
                    return Err(self.error("half of a surrogate pair"));
                }
                match self.hexadecimal()? {
                    second @ 0xDC00..=0xDFFF => 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00),
                    _ => return Err(self.error("half of a surrogate pair")),
                }
            }
            _ => first,
        };
        char::from_u32(scalar).ok_or_else(|| self.error("half of a surrogate pair"))
    }

    fn hexadecimal(&mut self) -> Result<u32, JsonError> {
        let mut number = 0;
        for _ in 0..4 {
            let digit = self.peek().and_then(|byte| char::from(byte).to_digit(16));
            number = number * 16 + digit.ok_or_else(|| self.error("four hexadecimal digits are expected"))?;
            self.at += 1;
        }
        Ok(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rejects(text: &str, offset: usize) {
        let error = Json::parse(text.as_bytes()).expect_err(text);
        assert_eq!(error.offset, offset, "{text}: {error}");
    }

    #[test]
    fn reads_each_kind_of_value() {
        let value = Json::parse(br#" {"a":[1,-0.5e+3,true,false,null],"b":{},"c":[],"d":"x"} "#).unwrap();
        let list = value.get("a").and_then(Json::as_list).unwrap();
        assert_eq!(list[0].as_i64(), Some(1));
        assert_eq!(list[1].as_f64(), Some(-500.0));
        assert_eq!(list[2..], [Json::Bool(true), Json::Bool(false), Json::Null]);
        assert_eq!(value.get("b"), Some(&Json::Object(Object::new())));
        assert_eq!(value.get("c"), Some(&Json::List(vec![])));
        assert_eq!(value.get("d").and_then(Json::as_text), Some("x"));
        assert_eq!(value.get("e"), None);
    }

    #[test]
    fn reads_integers_of_64_bits_from_numbers_and_texts() {
        for text in ["9223372036854775807", "\"9223372036854775807\""] {
            assert_eq!(Json::parse(text.as_bytes()).unwrap().as_i64(), Some(i64::MAX));
        }
        assert_eq!(Json::parse(b"9223372036854775808").unwrap().as_i64(), None);
        assert_eq!(Json::parse(b"1.5").unwrap().as_i64(), None);
    }

    #[test]
    fn reads_escapes() {
        let value = Json::parse(r#""\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00é""#.as_bytes()).unwrap();
        assert_eq!(value.as_text(), Some("\"\\/\u{8}\u{C}\n\r\té😀é"));
    }

    #[test]
    fn rejects_what_is_not_json() {
        rejects("", 0);
        rejects("{", 1);
        rejects("[1,]", 3);
        rejects("{\"a\":1,}", 7);
        rejects("{\"a\" 1}", 5);
        rejects("{a:1}", 1);
        rejects("[1 2]", 3);
        rejects("01", 1);
        rejects("1.", 2);
        rejects("1e", 2);
        rejects("-", 1);
        rejects("+1", 0);
        rejects("nul", 0);
        rejects("NaN", 0);
        rejects("1 1", 2);
        rejects("'a'", 0);
        rejects("\u{FEFF}1", 0);
        rejects("\"a", 2);
        rejects("\"\n\"", 1);
        rejects("\"\\x\"", 2);
        rejects("\"\\u12g4\"", 5);
    }

    #[test]
    fn rejects_half_a_surrogate_pair() {
        for text in [r#""\ud800""#, r#""\ud800x""#, r#""\ud800\u0041""#, r#""\udc00""#] {
            assert!(Json::parse(text.as_bytes()).is_err(), "{text}");
        }
    }

    #[test]
    fn rejects_a_member_that_is_given_twice() {
        rejects(r#"{"a":1,"b":2,"\u0061":3}"#, 13);
    }

    #[test]
    fn rejects_what_is_not_utf_8() {
        let error = Json::parse(b"\"a\xFF\"").unwrap_err();
        assert_eq!((error.offset, error.message.as_str()), (2, "not UTF-8"));
    }

    #[test]
    fn bounds_depth_size_and_number_of_values() {
        let limits = JsonLimits { size: 20, depth: 3, values: 5 };
        assert!(Json::parse_within(b"[[[]]]", limits).is_ok());
        assert!(Json::parse_within(b"[[[[]]]]", limits).is_err());
        assert!(Json::parse_within(b"[1,2,3,4]", limits).is_ok());
        assert!(Json::parse_within(b"[1,2,3,4,5]", limits).is_err());
        assert!(Json::parse_within(&[b' '; 21], limits).is_err());
        let deep = vec![b'['; 1 << 20];
        assert_eq!(Json::parse(&deep).unwrap_err().offset, 100);
    }

    #[test]
    fn rejects_every_strict_prefix() {
        let text = r#"{"a":["é\u00e9",-1.5e3,true,null],"b":{"c":"d"}}"#.as_bytes();
        assert!(Json::parse(text).is_ok());
        for end in 0..text.len() {
            assert!(Json::parse(&text[..end]).is_err(), "{end}");
        }
    }
}
