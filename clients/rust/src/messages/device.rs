use super::enumeration::enumeration;
use super::{Answer, Claim, Fields, Members};
use crate::json::{Json, Object};

enumeration! {
    DeviceState, "STATE_", Unspecified = "",
    { Active = "ACTIVE", Blocked = "BLOCKED" }
}

/// What a device is asked for by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeviceName {
    /// 16 bytes.
    DeviceId(Vec<u8>),
    /// The platform's key id, raw bytes.
    KeyId(Vec<u8>),
    /// The serial number under which the device was provisioned.
    Serial(String),
}

/// Asks for the record of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GetDeviceRequest {
    pub app: String,
    pub by: DeviceName,
}

impl GetDeviceRequest {
    pub(crate) fn json(&self) -> Json {
        let members = Members::default().text("app", &self.app);
        match &self.by {
            DeviceName::DeviceId(id) => members.bytes("deviceId", id).finish(),
            DeviceName::KeyId(id) => members.bytes("keyId", id).finish(),
            DeviceName::Serial(serial) => members.text("deviceSerial", serial).finish(),
        }
    }
}

/// Asks for devices of an app, page by page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListDevicesRequest {
    pub app: String,
    /// Only devices of this subject. Empty: all.
    pub subject: Vec<u8>,
    pub state: DeviceState,
    /// At most 500. 0: 100.
    pub page_size: u32,
    /// As the page before said. Empty: the first page.
    pub page_token: Vec<u8>,
    pub device_serial: String,
    pub flag: String,
}

impl ListDevicesRequest {
    pub(crate) fn json(&self) -> Json {
        Members::default()
            .text("app", &self.app)
            .bytes("subject", &self.subject)
            .name("state", DeviceState::PREFIX, self.state.as_str())
            .number("pageSize", self.page_size)
            .bytes("pageToken", &self.page_token)
            .text("deviceSerial", &self.device_serial)
            .text("flag", &self.flag)
            .finish()
    }
}

/// One attested key of one app.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Device {
    pub device_id: Vec<u8>,
    pub app: String,
    /// The format of the evidence that registered it.
    pub format: String,
    pub key_id: Vec<u8>,
    pub public_key: Vec<u8>,
    pub environment: String,
    pub state: DeviceState,
    /// Of the first block that holds.
    pub block_reason: String,
    pub blocked_at_unix_ms: i64,
    /// The highest accepted counter.
    pub counter: u32,
    pub registered_at_unix_ms: i64,
    pub last_accepted_at_unix_ms: i64,
    pub claims: Vec<Claim>,
    pub simulated: bool,
    pub has_subject: bool,
    pub imported: bool,
    pub raw: Object,
}

impl Answer for Device {
    fn read(fields: &Fields<'_>) -> Result<Device, String> {
        Ok(Device {
            device_id: fields.bytes("deviceId")?,
            app: fields.text("app")?,
            format: fields.text("format")?,
            key_id: fields.bytes("keyId")?,
            public_key: fields.bytes("publicKey")?,
            environment: fields.text("environment")?,
            state: fields.name("state", DeviceState::named)?,
            block_reason: fields.text("blockReason")?,
            blocked_at_unix_ms: fields.integer("blockedAtUnixMs")?,
            counter: fields.number("counter")?,
            registered_at_unix_ms: fields.integer("registeredAtUnixMs")?,
            last_accepted_at_unix_ms: fields.integer("lastAcceptedAtUnixMs")?,
            claims: fields.messages("claims")?,
            simulated: fields.boolean("simulated")?,
            has_subject: fields.boolean("hasSubject")?,
            imported: fields.boolean("imported")?,
            raw: fields.raw(),
        })
    }
}

/// A page of devices.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListDevicesResponse {
    /// May be few or none although more pages follow.
    pub devices: Vec<Device>,
    /// Empty: this was the last page.
    pub next_page_token: Vec<u8>,
    pub raw: Object,
}

impl Answer for ListDevicesResponse {
    fn read(fields: &Fields<'_>) -> Result<ListDevicesResponse, String> {
        Ok(ListDevicesResponse {
            devices: fields.messages("devices")?,
            next_page_token: fields.bytes("nextPageToken")?,
            raw: fields.raw(),
        })
    }
}
