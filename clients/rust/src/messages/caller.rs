use super::{Answer, Fields};
use crate::json::Object;

/// What the daemon knows of the caller.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Caller {
    /// The name in the configuration and in the audit log.
    pub name: String,
    /// What the caller was recognised by, such as `key` or `uri`.
    pub recognised_by: String,
    pub mark: String,
    pub roles: Vec<String>,
    /// Whether the caller may name every app.
    pub all_apps: bool,
    pub apps: Vec<String>,
    pub raw: Object,
}

impl Answer for Caller {
    fn read(fields: &Fields<'_>) -> Result<Caller, String> {
        Ok(Caller {
            name: fields.text("name")?,
            recognised_by: fields.text("recognisedBy")?,
            mark: fields.text("mark")?,
            roles: fields.texts("roles")?,
            all_apps: fields.boolean("allApps")?,
            apps: fields.texts("apps")?,
            raw: fields.raw(),
        })
    }
}
