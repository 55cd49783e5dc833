use crate::base64;
use crate::json::{Json, Object};

/// Makes the JSON of a request. Members at their default are left out.
#[derive(Default)]
pub(crate) struct Members(Object);

impl Members {
    pub fn json(mut self, name: &str, value: Json) -> Members {
        self.0.insert(name.to_owned(), value);
        self
    }

    pub fn text(self, name: &str, text: &str) -> Members {
        if text.is_empty() {
            self
        } else {
            self.json(name, text.into())
        }
    }

    pub fn bytes(self, name: &str, bytes: &[u8]) -> Members {
        if bytes.is_empty() {
            self
        } else {
            self.json(name, base64::encode(bytes).into())
        }
    }

    pub fn byte_texts(self, name: &str, list: &[Vec<u8>]) -> Members {
        self.list(name, list.iter().map(|bytes| base64::encode(bytes).into()).collect())
    }

    pub fn number(self, name: &str, number: u32) -> Members {
        if number == 0 {
            self
        } else {
            self.json(name, number.into())
        }
    }

    pub fn integer(self, name: &str, number: i64) -> Members {
        if number == 0 {
            self
        } else {
            self.json(name, number.into())
        }
    }

    pub fn boolean(self, name: &str, value: bool) -> Members {
        if value {
            self.json(name, value.into())
        } else {
            self
        }
    }

    /// The name of an enumeration's value.
    pub fn name(self, name: &str, prefix: &str, value: &str) -> Members {
        match value {
            "" => self,
            value => self.json(name, format!("{prefix}{value}").into()),
        }
    }

    pub fn list(self, name: &str, list: Vec<Json>) -> Members {
        if list.is_empty() {
            self
        } else {
            self.json(name, list.into())
        }
    }

    pub fn finish(self) -> Json {
        Json::Object(self.0)
    }
}
