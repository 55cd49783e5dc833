//! JSON as the daemon speaks it: a value, a strict reader within bounds, and a writer.
//!
//! The crate has its own because it needs little (objects of known members, no mapping to types) and wants what general readers leave
//! out: a member that is given twice is refused, and depth, size and number of values are bounded.

mod reader;
mod writer;

pub use reader::{JsonError, JsonLimits};

use std::collections::BTreeMap;

/// The members of an object, by name.
pub type Object = BTreeMap<String, Json>;

/// A JSON value.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum Json {
    #[default]
    Null,
    Bool(bool),
    /// As it is written: a number of JSON has no size, and 64-bit integers do not fit into `f64`.
    Number(String),
    Text(String),
    List(Vec<Json>),
    Object(Object),
}

impl Json {
    /// Reads one value that is all of `bytes`, within the usual limits.
    pub fn parse(bytes: &[u8]) -> Result<Json, JsonError> {
        Json::parse_within(bytes, JsonLimits::default())
    }

    /// Reads one value that is all of `bytes`.
    pub fn parse_within(bytes: &[u8], limits: JsonLimits) -> Result<Json, JsonError> {
        reader::parse(bytes, limits)
    }

    /// An object of these members. Of two members of one name the last counts.
    pub fn object<const N: usize>(members: [(&str, Json); N]) -> Json {
        Json::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    }

    /// The member of an object; `None` for another value, and where it has none of that name.
    pub fn get(&self, name: &str) -> Option<&Json> {
        self.as_object().and_then(|object| object.get(name))
    }

    pub fn as_object(&self) -> Option<&Object> {
        match self {
            Json::Object(object) => Some(object),
            _ => None,
        }
    }

    pub fn as_list(&self) -> Option<&[Json]> {
        match self {
            Json::List(list) => Some(list),
            _ => None,
        }
    }

    pub fn as_text(&self) -> Option<&str> {
        match self {
            Json::Text(text) => Some(text),
            _ => None,
        }
    }

    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Json::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// A whole number, or a text of its digits, which is how protobuf's JSON has integers of 64 bits.
    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Json::Number(text) | Json::Text(text) => text.parse().ok(),
            _ => None,
        }
    }

    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Json::Number(text) => text.parse().ok(),
            _ => None,
        }
    }
}

impl From<&str> for Json {
    fn from(text: &str) -> Json {
        Json::Text(text.to_owned())
    }
}

impl From<String> for Json {
    fn from(text: String) -> Json {
        Json::Text(text)
    }
}

impl From<bool> for Json {
    fn from(value: bool) -> Json {
        Json::Bool(value)
    }
}

impl From<u32> for Json {
    fn from(number: u32) -> Json {
        Json::Number(number.to_string())
    }
}

/// As a text of its digits, the form of protobuf's JSON.
impl From<i64> for Json {
    fn from(number: i64) -> Json {
        Json::Text(number.to_string())
    }
}

/// As a text of its digits, the form of protobuf's JSON.
impl From<u64> for Json {
    fn from(number: u64) -> Json {
        Json::Text(number.to_string())
    }
}

impl From<Vec<Json>> for Json {
    fn from(list: Vec<Json>) -> Json {
        Json::List(list)
    }
}

impl From<Object> for Json {
    fn from(object: Object) -> Json {
        Json::Object(object)
    }
}
