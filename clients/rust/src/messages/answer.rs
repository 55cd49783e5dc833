use crate::base64;
use crate::json::{Json, Object};

/// Why an answer is not what a method returns: a place in it, and what is wrong there.
pub(crate) type Undecodable = String;

/// A message that a method returns.
pub(crate) trait Answer: Sized {
    fn read(fields: &Fields<'_>) -> Result<Self, Undecodable>;
}

/// The members of a message in JSON. A member that is left out or `null` has its default, and one of another type is refused.
pub(crate) struct Fields<'a> {
    object: &'a Object,
    /// Before the name of each member.
    place: String,
}

impl<'a> Fields<'a> {
    pub fn new(object: &'a Object) -> Fields<'a> {
        Fields { object, place: String::new() }
    }

    pub fn raw(&self) -> Object {
        self.object.clone()
    }

    fn get(&self, name: &str) -> Option<&'a Json> {
        self.object.get(name).filter(|value| **value != Json::Null)
    }

    pub fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    fn read<T: Default>(&self, name: &str, kind: &str, read: impl Fn(&'a Json) -> Option<T>) -> Result<T, Undecodable> {
        match self.get(name) {
            None => Ok(T::default()),
            Some(value) => read(value).ok_or_else(|| format!("{}{name} is not {kind}", self.place)),
        }
    }

    pub fn text(&self, name: &str) -> Result<String, Undecodable> {
        self.read(name, "a text", |value| value.as_text().map(str::to_owned))
    }

    pub fn bytes(&self, name: &str) -> Result<Vec<u8>, Undecodable> {
        self.read(name, "Base64", bytes)
    }

    pub fn boolean(&self, name: &str) -> Result<bool, Undecodable> {
        self.read(name, "true or false", Json::as_bool)
    }

    pub fn integer(&self, name: &str) -> Result<i64, Undecodable> {
        self.read(name, "an integer of 64 bits", Json::as_i64)
    }

    pub fn number(&self, name: &str) -> Result<u32, Undecodable> {
        self.read(name, "an integer of 32 bits", |value| value.as_i64()?.try_into().ok())
    }

    /// The name of an enumeration's value, or its number.
    pub fn name<T: Default>(&self, name: &str, named: impl Fn(&str) -> T) -> Result<T, Undecodable> {
        self.read(name, "a name", |value| name_of(value).map(&named))
    }

    pub fn names(&self, name: &str) -> Result<Vec<String>, Undecodable> {
        self.list(name, "a name", |value| name_of(value).map(str::to_owned))
    }

    pub fn texts(&self, name: &str) -> Result<Vec<String>, Undecodable> {
        self.list(name, "a text", |value| value.as_text().map(str::to_owned))
    }

    pub fn byte_texts(&self, name: &str) -> Result<Vec<Vec<u8>>, Undecodable> {
        self.list(name, "Base64", bytes)
    }

    pub fn numbers(&self, name: &str) -> Result<Vec<u32>, Undecodable> {
        self.list(name, "an integer of 32 bits", |value| value.as_i64()?.try_into().ok())
    }

    fn list<T>(&self, name: &str, kind: &str, read: impl Fn(&'a Json) -> Option<T>) -> Result<Vec<T>, Undecodable> {
        let list = self.read(name, "a list", Json::as_list)?;
        let item = |(index, value)| read(value).ok_or_else(|| format!("{}{name}[{index}] is not {kind}", self.place));
        list.iter().enumerate().map(item).collect()
    }

    /// The message that is a member; one of defaults where it is left out.
    pub fn message<T: Answer + Default>(&self, name: &str) -> Result<T, Undecodable> {
        self.optional(name).map(Option::unwrap_or_default)
    }

    pub fn optional<T: Answer>(&self, name: &str) -> Result<Option<T>, Undecodable> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let object = value.as_object().ok_or_else(|| format!("{}{name} is not an object", self.place))?;
        T::read(&Fields { object, place: format!("{}{name}.", self.place) }).map(Some)
    }

    pub fn messages<T: Answer>(&self, name: &str) -> Result<Vec<T>, Undecodable> {
        let list = self.read(name, "a list", Json::as_list)?;
        let item = |(index, value): (usize, &'a Json)| {
            let place = format!("{}{name}[{index}]", self.place);
            let object = value.as_object().ok_or_else(|| format!("{place} is not an object"))?;
            T::read(&Fields { object, place: place + "." })
        };
        list.iter().enumerate().map(item).collect()
    }
}

fn bytes(value: &Json) -> Option<Vec<u8>> {
    value.as_text().and_then(base64::decode)
}

fn name_of(value: &Json) -> Option<&str> {
    match value {
        Json::Text(name) | Json::Number(name) => Some(name),
        _ => None,
    }
}
