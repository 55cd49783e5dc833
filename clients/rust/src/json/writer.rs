use super::Json;
use std::fmt::{self, Write};

/// The value as JSON, in one line and with the members of objects in the order of their names.
impl fmt::Display for Json {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Json::Null => out.write_str("null"),
            Json::Bool(value) => write!(out, "{value}"),
            Json::Number(text) => out.write_str(text),
            Json::Text(text) => write_text(out, text),
            Json::List(list) => {
                out.write_char('[')?;
                for (index, value) in list.iter().enumerate() {
                    if index > 0 {
                        out.write_char(',')?;
                    }
                    write!(out, "{value}")?;
                }
                out.write_char(']')
            }
            Json::Object(object) => {
                out.write_char('{')?;
                for (index, (name, value)) in object.iter().enumerate() {
                    if index > 0 {
                        out.write_char(',')?;
                    }
                    write_text(out, name)?;
                    write!(out, ":{value}")?;
                }
                out.write_char('}')
            }
        }
    }
}

fn write_text(out: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    out.write_char('"')?;
    let mut rest = text;
    while let Some(at) = rest.find(|character: char| character < ' ' || character == '"' || character == '\\') {
        out.write_str(&rest[..at])?;
        match rest.as_bytes()[at] {
            byte @ (b'"' | b'\\') => write!(out, "\\{}", char::from(byte))?,
            byte => write!(out, "\\u{byte:04x}")?,
        }
        rest = &rest[at + 1..];
    }
    out.write_str(rest)?;
    out.write_char('"')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_what_the_reader_reads() {
        let text = r#"{"a":[1,-0.5,"é\u0000\"\\",true,null],"b":{"c":[]}}"#;
        let value = Json::parse(text.as_bytes()).unwrap();
        assert_eq!(value.to_string(), text);
    }

    #[test]
    fn writes_integers_of_64_bits_as_texts() {
        assert_eq!(Json::object([("a", Json::from(5i64)), ("b", Json::from(5u32))]).to_string(), r#"{"a":"5","b":5}"#);
    }
}
