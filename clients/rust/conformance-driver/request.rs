//! From a line's request to the client's types.

use crate::outcome;
use assay_client::*;

pub enum Failed {
    Call(AssayError),
    Broken(String),
}

impl From<AssayError> for Failed {
    fn from(error: AssayError) -> Failed {
        Failed::Call(error)
    }
}

type Made<T> = Result<T, Failed>;

fn broken<T>(why: impl Into<String>) -> Made<T> {
    Err(Failed::Broken(why.into()))
}

pub fn perform(client: &Client, method: &str, request: &Json, options: &Json) -> Made<Json> {
    let idempotency_key = options.get("idempotencyKey").and_then(Json::as_text).map(str::to_owned);
    let app = text(request, "app");
    Ok(match method {
        "issueChallenge" => outcome::challenge(&client.issue_challenge(&IssueChallengeRequest {
            app,
            purpose: purpose(request)?,
            context: bytes(request, "context")?,
            ttl_ms: number(request, "ttlMs")?,
            source_address: text(request, "sourceAddress"),
        })?),
        "verify" => outcome::verdict(&client.verify(&VerifyRequest {
            app,
            purpose: purpose(request)?,
            challenge: bytes(request, "challenge")?,
            context: bytes(request, "context")?,
            evidence: evidence(request)?,
            binding: request.get("binding").map(binding).transpose()?,
            subject: bytes(request, "subject")?,
            expected_device_id: bytes(request, "expectedDeviceId")?,
            idempotency_key,
            source_address: text(request, "sourceAddress"),
            report: match text(request, "report").as_str() {
                "" => Report::Unspecified,
                "FIRST" => Report::First,
                "ALL" => Report::All,
                other => Report::Other(other.to_owned()),
            },
            ..Default::default()
        })?),
        "issueCertificate" => outcome::certificate(&client.issue_certificate(&IssueCertificateRequest {
            app,
            challenge: bytes(request, "challenge")?,
            context: bytes(request, "context")?,
            evidence: evidence(request)?,
            payload_sha256: bytes(request, "payloadSha256")?,
            key: match (bytes(request, "csr")?, bytes(request, "publicKey")?) {
                (csr, _) if !csr.is_empty() => Some(CertificateKey::Csr(csr)),
                (_, key) if !key.is_empty() => Some(CertificateKey::PublicKey(key)),
                _ => None,
            },
            subject: bytes(request, "subject")?,
            idempotency_key,
            ..Default::default()
        })?),
        "provisionDevice" => outcome::provisioned(&client.provision_device(&ProvisionDeviceRequest {
            app,
            device_serial: text(request, "deviceSerial"),
            device_family: text(request, "deviceFamily"),
            csr: bytes(request, "csr")?,
            enrolment_token: text(request, "enrolmentToken"),
            idempotency_key,
            ..Default::default()
        })?),
        "getDevice" => outcome::device(&client.get_device(&GetDeviceRequest { app, by: device_name(request)? })?),
        "listDevices" => outcome::devices(&client.list_devices(&ListDevicesRequest {
            app,
            subject: bytes(request, "subject")?,
            state: match text(request, "state").as_str() {
                "" => DeviceState::Unspecified,
                "ACTIVE" => DeviceState::Active,
                "BLOCKED" => DeviceState::Blocked,
                other => DeviceState::Other(other.to_owned()),
            },
            page_size: number(request, "pageSize")?,
            page_token: bytes(request, "pageToken")?,
            ..Default::default()
        })?),
        "block" => {
            let (target, reason) = (target(request)?, text(request, "reason"));
            outcome::block(&client.block(&BlockRequest { app, target, reason })?)
        }
        "unblock" => outcome::unblock(&client.unblock(&UnblockRequest { app, target: target(request)? })?),
        "findVerdicts" => outcome::found(&client.find_verdicts(&FindVerdictsRequest {
            app,
            payload_sha256: bytes(request, "payloadSha256")?,
            source_address: text(request, "sourceAddress"),
            results: results(request)?,
        })?),
        "getResultKeys" => outcome::keys(&client.get_result_keys(request.get("simulated") == Some(&Json::Bool(true)))?),
        "whoAmI" => outcome::caller(&client.who_am_i()?),
        "call" => {
            let idempotent = options.get("idempotent") == Some(&Json::Bool(true));
            let message = request.get("message").cloned().unwrap_or(Json::Object(Object::new()));
            let options = CallOptions { idempotent, idempotency_key };
            Json::Object(client.call(&text(request, "service"), &text(request, "method"), &message, &options)?)
        }
        other => return broken(format!("no method {other}")),
    })
}

fn text(json: &Json, name: &str) -> String {
    json.get(name).and_then(Json::as_text).unwrap_or("").to_owned()
}

fn bytes(json: &Json, name: &str) -> Made<Vec<u8>> {
    match json.get(name) {
        None => Ok(Vec::new()),
        Some(value) => match value.as_text().and_then(base64_decode) {
            Some(bytes) => Ok(bytes),
            None => broken(format!("{name} is not Base64")),
        },
    }
}

fn byte_texts(json: &Json, name: &str) -> Made<Vec<Vec<u8>>> {
    let list = json.get(name).and_then(Json::as_list).unwrap_or(&[]);
    let decoded: Option<Vec<Vec<u8>>> = list.iter().map(|item| item.as_text().and_then(base64_decode)).collect();
    decoded.ok_or_else(|| Failed::Broken(format!("{name} is not a list of Base64")))
}

fn number(json: &Json, name: &str) -> Made<u32> {
    match json.get(name) {
        None => Ok(0),
        Some(value) => match value.as_i64().and_then(|number| number.try_into().ok()) {
            Some(number) => Ok(number),
            None => broken(format!("{name} is not a number")),
        },
    }
}

fn purpose(request: &Json) -> Made<Purpose> {
    Ok(match text(request, "purpose").as_str() {
        "" => Purpose::Unspecified,
        "REGISTER" => Purpose::Register,
        "ASSERT" => Purpose::Assert,
        "PROVISION" => Purpose::Provision,
        "RENEW" => Purpose::Renew,
        other => Purpose::Other(other.to_owned()),
    })
}

fn results(request: &Json) -> Made<Vec<ResultRequest>> {
    let shape = |name: &str| match name {
        "PLAIN_JWS" => ResultShape::PlainJws,
        "PLAIN_COSE" => ResultShape::PlainCose,
        other => ResultShape::Other(other.to_owned()),
    };
    let made = |json: &Json| {
        Ok(ResultRequest { shape: shape(&text(json, "shape")), audience: text(json, "audience"), nonce: bytes(json, "nonce")? })
    };
    request.get("results").and_then(Json::as_list).unwrap_or(&[]).iter().map(made).collect()
}

fn algorithm(json: &Json) -> SignatureAlgorithm {
    use SignatureAlgorithm::*;
    let known = [
        EcdsaP256Sha256,
        EcdsaP384Sha384,
        EcdsaP384Sha256,
        RsaPssSha256,
        RsaPkcs1Sha256,
        Ed25519,
        MlDsa65,
        MlDsa87,
        Unspecified,
    ];
    let name = text(json, "algorithm");
    known.into_iter().find(|algorithm| algorithm.as_str() == name).unwrap_or(Other(name))
}

fn evidence(request: &Json) -> Made<Vec<Evidence>> {
    request.get("evidence").and_then(Json::as_list).unwrap_or(&[]).iter().map(piece).collect()
}

fn piece(json: &Json) -> Made<Evidence> {
    let Some((kind, value)) = json.as_object().and_then(|object| object.iter().next()) else {
        return Ok(Evidence::from_json(json.clone())?);
    };
    Ok(match kind.as_str() {
        "appAttestAttestation" => Evidence::app_attest_attestation(&bytes(value, "keyId")?, &bytes(value, "attestation")?),
        "appAttestAssertion" => Evidence::app_attest_assertion(&bytes(value, "keyId")?, &bytes(value, "assertion")?),
        "androidKeyAttestation" => Evidence::android_key_attestation(&byte_texts(value, "certificates")?),
        "playIntegrityToken" => Evidence::play_integrity_token(&text(value, "token")),
        "keySignature" => Evidence::key_signature(&bytes(value, "keyId")?, algorithm(value), &bytes(value, "signature")?),
        "certificateBundle" if value.get("json").is_some() => Evidence::certificate_bundle(&bytes(value, "json")?),
        "deviceCheckToken" => Evidence::device_check_token(&bytes(value, "token")?),
        "offlineSignature" => Evidence::offline_signature(
            &bytes(value, "keyId")?,
            algorithm(value),
            &bytes(value, "signature")?,
            value.get("capturedAtUnixMs").and_then(Json::as_i64).unwrap_or(0),
            &bytes(value, "payloadSha256")?,
        ),
        "pluginEvidence" => Evidence::plugin(&text(value, "format"), &bytes(value, "body")?),
        _ => Evidence::from_json(json.clone())?,
    })
}

fn binding(json: &Json) -> Made<Binding> {
    let Some((mode, value)) = json.as_object().and_then(|object| object.iter().next()) else {
        return broken("a binding without a mode");
    };
    Ok(match mode.as_str() {
        "clientData" if value.get("uploadId").is_some() => Binding::Upload { upload_id: bytes(value, "uploadId")? },
        "clientData" => Binding::ClientData { payload_sha256: bytes(value, "payloadSha256")? },
        "embedded" => Binding::Embedded { client_data: bytes(value, "clientData")? },
        "callerOwned" => Binding::CallerOwned { client_data_hash: bytes(value, "clientDataHash")? },
        "inEvidence" => Binding::InEvidence,
        other => return broken(format!("no binding {other}")),
    })
}

fn device_name(request: &Json) -> Made<DeviceName> {
    Ok(if request.get("keyId").is_some() {
        DeviceName::KeyId(bytes(request, "keyId")?)
    } else if request.get("deviceSerial").is_some() {
        DeviceName::Serial(text(request, "deviceSerial"))
    } else {
        DeviceName::DeviceId(bytes(request, "deviceId")?)
    })
}

fn target(request: &Json) -> Made<BlockTarget> {
    let none = Json::Null;
    let target = request.get("target").unwrap_or(&none);
    Ok(if target.get("subject").is_some() {
        BlockTarget::Subject(bytes(target, "subject")?)
    } else if target.get("keyId").is_some() {
        BlockTarget::KeyId(bytes(target, "keyId")?)
    } else {
        BlockTarget::DeviceId(bytes(target, "deviceId")?)
    })
}
