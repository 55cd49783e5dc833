//! From the client's types to what the suite compares.

use assay_client::*;

fn data(bytes: &[u8]) -> Json {
    base64_encode(bytes).into()
}

fn data_list(list: &[Vec<u8>]) -> Json {
    Json::List(list.iter().map(|bytes| data(bytes)).collect())
}

fn texts(list: &[String]) -> Json {
    Json::List(list.iter().map(|text| text.as_str().into()).collect())
}

pub fn error(error: &AssayError) -> Json {
    let retry_after = error.retry_after.map_or(Json::Null, |wait| Json::Number(wait.as_millis().to_string()));
    Json::object([
        ("code", error.code.as_str().into()),
        ("reason", error.reason.as_str().into()),
        ("message", error.message.as_str().into()),
        ("retry", error.retry.as_str().into()),
        ("retryAfterMs", retry_after),
        ("link", error.link.as_str().into()),
        ("httpStatus", u32::from(error.http_status).into()),
        ("attempts", error.attempts.into()),
    ])
}

pub fn challenge(answer: &Challenge) -> Json {
    Json::object([("challenge", data(&answer.challenge)), ("expiresAtUnixMs", answer.expires_at_unix_ms.into())])
}

pub fn verdict(answer: &Verdict) -> Json {
    let finding = |finding: &Finding| {
        Json::object([
            ("check", finding.check.as_str().into()),
            ("outcome", finding.outcome.as_str().into()),
            ("code", finding.code.as_str().into()),
        ])
    };
    let claim = |claim: &Claim| {
        let value = match &claim.value {
            ClaimValue::Text(text) => text.as_str().into(),
            ClaimValue::Integer(number) | ClaimValue::TimeUnixMs(number) => (*number).into(),
            ClaimValue::Boolean(value) => (*value).into(),
            ClaimValue::Bytes(bytes) => data(bytes),
            ClaimValue::Texts(list) => texts(list),
            _ => Json::Null,
        };
        (claim.name.clone(), value)
    };
    Json::object([
        ("accepted", answer.accepted().into()),
        ("decision", answer.decision.as_str().into()),
        ("assurance", answer.assurance.as_str().into()),
        ("reason", answer.reason.as_str().into()),
        ("detail", answer.detail.as_str().into()),
        ("check", answer.check.as_str().into()),
        ("retry", retry(&answer.retry)),
        ("findings", Json::List(answer.findings.iter().map(finding).collect())),
        ("claims", Json::Object(answer.claims.iter().map(claim).collect())),
        ("deviceId", data(&answer.device_id)),
        ("requestId", data(&answer.request_id)),
        ("simulated", answer.simulated.into()),
        ("repeated", answer.repeated.into()),
        ("decidedAtUnixMs", answer.decided_at_unix_ms.into()),
        ("wouldReject", answer.would_reject.as_ref().map_or("", |would| would.reason.as_str()).into()),
    ])
}

fn retry(retry: &Retry) -> Json {
    retry.as_str().to_ascii_uppercase().into()
}

pub fn certificate(answer: &IssueCertificateResponse) -> Json {
    Json::object([
        ("verdict", verdict(&answer.verdict)),
        ("certificate", data(&answer.certificate)),
        ("chain", data_list(&answer.chain)),
    ])
}

pub fn provisioned(answer: &ProvisionDeviceResponse) -> Json {
    let counts = answer.key_tables.iter().map(|keys| Json::from(keys.len() as u32)).collect();
    let rejection = answer.rejection.clone().unwrap_or_default();
    Json::object([
        ("provisioned", answer.provisioned().into()),
        ("deviceCertificate", data(&answer.device_certificate)),
        ("certificateChain", data_list(&answer.certificate_chain)),
        ("keyTables", Json::List(counts)),
        ("keyTableIndices", Json::List(answer.key_table_indices.iter().map(|index| (*index).into()).collect())),
        ("deviceSecret", data(&answer.device_secret)),
        ("devicePrivateKey", data(&answer.device_private_key)),
        ("deviceId", data(&answer.device_id)),
        ("repeated", answer.repeated.into()),
        ("reason", rejection.reason.as_str().into()),
        ("retry", retry(&rejection.retry)),
    ])
}

pub fn device(answer: &Device) -> Json {
    Json::object([
        ("deviceId", data(&answer.device_id)),
        ("app", answer.app.as_str().into()),
        ("format", answer.format.as_str().into()),
        ("keyId", data(&answer.key_id)),
        ("state", answer.state.as_str().into()),
        ("counter", answer.counter.into()),
        ("registeredAtUnixMs", answer.registered_at_unix_ms.into()),
        ("simulated", answer.simulated.into()),
        ("blockReason", answer.block_reason.as_str().into()),
    ])
}

pub fn devices(answer: &ListDevicesResponse) -> Json {
    let devices = answer.devices.iter().map(device).collect();
    Json::object([("devices", Json::List(devices)), ("nextPageToken", data(&answer.next_page_token))])
}

pub fn block(answer: &BlockResponse) -> Json {
    Json::object([
        ("devices", answer.devices.into()),
        ("wasBlocked", answer.was_blocked.into()),
        ("revokedCertificates", answer.revoked_certificates.into()),
    ])
}

pub fn unblock(answer: &UnblockResponse) -> Json {
    Json::object([
        ("devices", answer.devices.into()),
        ("wasBlocked", answer.was_blocked.into()),
        ("stillBlocked", answer.still_blocked.into()),
    ])
}

pub fn found(answer: &FindVerdictsResponse) -> Json {
    let verdict = |verdict: &FoundVerdict| {
        Json::object([
            ("requestId", data(&verdict.request_id)),
            ("decision", verdict.decision.as_str().into()),
            ("decidedAtUnixMs", verdict.decided_at_unix_ms.into()),
            ("match", verdict.matched.as_str().into()),
            ("deviceState", verdict.device_state.as_str().into()),
            ("simulated", verdict.simulated.into()),
        ])
    };
    let result = |result: &SignedResult| {
        let (text, binary, problem) = match &result.token {
            Token::Text(text) => (text.as_str(), &[][..], ""),
            Token::Binary(bytes) => ("", &bytes[..], ""),
            Token::Problem { code, .. } => ("", &[][..], code.as_str()),
            _ => ("", &[][..], ""),
        };
        Json::object([
            ("shape", result.shape.as_str().into()),
            ("audience", result.audience.as_str().into()),
            ("text", text.into()),
            ("binary", data(binary)),
            ("problem", problem.into()),
            ("expiresAtUnixMs", result.expires_at_unix_ms.into()),
        ])
    };
    Json::object([
        ("found", answer.found.into()),
        ("verdicts", Json::List(answer.verdicts.iter().map(verdict).collect())),
        ("truncated", answer.truncated.into()),
        ("noteCode", answer.note_code.as_str().into()),
        ("results", Json::List(answer.results.iter().map(result).collect())),
    ])
}

pub fn keys(answer: &ResultKeys) -> Json {
    Json::object([("issuer", answer.issuer.as_str().into()), ("jwks", answer.jwks.as_str().into())])
}

pub fn caller(answer: &Caller) -> Json {
    Json::object([
        ("name", answer.name.as_str().into()),
        ("recognisedBy", answer.recognised_by.as_str().into()),
        ("roles", texts(&answer.roles)),
        ("allApps", answer.all_apps.into()),
        ("apps", texts(&answer.apps)),
    ])
}
