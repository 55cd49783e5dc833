//! The calls of README.md, which have to compile.

use assay_client::*;
use std::time::Duration;

#[allow(dead_code, unused_variables)]
fn calls(key: &str, id: Vec<u8>, device_serial: String, csr: Vec<u8>, request: VerifyRequest) -> Result<(), AssayError> {
    let assay = Client::new(ClientOptions::new("https://assay.example:8443").api_key(key).ca_file("ca.pem"))?;
    let (app, reason, state) = ("cameras".to_owned(), "reported stolen".to_owned(), DeviceState::Blocked);
    let page = assay.list_devices(&ListDevicesRequest { app: app.clone(), state, ..Default::default() })?;
    let block = assay.block(&BlockRequest { app: app.clone(), target: BlockTarget::DeviceId(id), reason })?;
    let made = assay.provision_device(&ProvisionDeviceRequest { app, device_serial, csr, ..Default::default() })?;
    let verdict = assay.within(Duration::from_secs(2)).verify(&request)?; // another time-out
    let options = CallOptions { idempotent: true, ..Default::default() };
    let feeds = assay.call("Feeds", "List", &Json::Object(Object::new()), &options)?;
    Ok(())
}

#[test]
fn stand_in_the_readme() {
    let readme = include_str!("../README.md");
    let calls =
        readme.split("## More calls").nth(1).and_then(|rest| rest.split("```").nth(1)).unwrap().trim_start_matches("rust\n");
    let indented: String = calls.lines().map(|line| format!("    {line}\n")).collect();
    assert!(include_str!("more_calls.rs").contains(&indented), "README.md has other calls");
}
