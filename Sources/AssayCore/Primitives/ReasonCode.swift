/// The reason for a rejection, as a stable code.
///
/// The raw value is the contract: it is on the wire, in the ledger and in `docs/reference/reason-codes.md`. A code is never renamed and
/// never reused. A failure that several platforms share has one code. A test keeps the table of the documentation equal to this
/// enumeration.
public enum ReasonCode: String, CaseIterable, Hashable, Sendable {
    // Freshness.
    case challengeInvalid = "challenge_invalid"
    case challengeWrongPurpose = "challenge_wrong_purpose"
    case challengeExpired = "challenge_expired"
    case challengeReused = "challenge_reused"
    case challengeAttemptsExceeded = "challenge_attempts_exceeded"
    case idempotencyKeyReused = "idempotency_key_reused"

    // Binding.
    case clientDataMismatch = "client_data_mismatch"
    case payloadRequired = "payload_required"
    case bindingNotAllowed = "binding_not_allowed"
    case payloadNotBound = "payload_not_bound"

    // Form.
    case evidenceTooLarge = "evidence_too_large"
    case formatNotAccepted = "format_not_accepted"
    case wrongFormat = "wrong_format"
    case malformed = "malformed"
    case signatureMalformed = "signature_malformed"
    case malformedCBOR = "malformed_cbor"
    case malformedCertificate = "malformed_certificate"
    case malformedAuthData = "malformed_auth_data"
    case malformedNonceExtension = "malformed_nonce_extension"
    case receiptMissing = "receipt_missing"
    case malformedCMS = "malformed_cms"
    case malformedReceipt = "malformed_receipt"

    // Certificates.
    case badChain = "bad_chain"
    case nameChaining = "name_chaining"
    case caUsedAsLeaf = "ca_used_as_leaf"
    case caAsLeaf = "ca_as_leaf"
    case wrongCurve = "wrong_curve"
    case keyUsage = "key_usage"
    case unsupportedAlgorithm = "unsupported_algorithm"
    case unsupportedKey = "unsupported_key"
    case hostnameMismatch = "hostname_mismatch"
    case badSignature = "bad_signature"
    case untrustedRoot = "untrusted_root"
    case notYetValid = "not_yet_valid"
    case expired = "expired"

    // Statements of the device.
    case nonceMismatch = "nonce_mismatch"
    case keyIDMismatch = "key_id_mismatch"
    case credentialIDMismatch = "credential_id_mismatch"
    case credentialKeyMismatch = "credential_key_mismatch"
    case appIDMismatch = "app_id_mismatch"
    case flagsInvalid = "flags_invalid"
    case counterNotZero = "counter_not_zero"
    case environmentMismatch = "environment_mismatch"
    case aclMissing = "acl_missing"
    case aclMismatch = "acl_mismatch"
    case counterNotIncreasing = "counter_not_increasing"
    case counterTooOld = "counter_too_old"

    // Statements of a receipt.
    case receiptSignerUnexpected = "receipt_signer_unexpected"
    case publicKeyMismatch = "public_key_mismatch"
    case receiptTypeUnexpected = "receipt_type_unexpected"
    case receiptClientHashMismatch = "receipt_client_hash_mismatch"
    case timestampInFuture = "timestamp_in_future"
    case receiptExpired = "receipt_expired"
    case receiptTooOld = "receipt_too_old"

    // Statements of an Android key description.
    case challengeMismatch = "challenge_mismatch"
    case malformedExtension = "malformed_extension"
    case missingAttestationExtension = "missing_attestation_extension"
    case chainExtended = "chain_extended"
    case chainShape = "chain_shape"
    case revoked = "revoked"
    case softwareLevel = "software_level"
    case securityLevelMismatch = "security_level_mismatch"
    case rootOfTrustMissing = "root_of_trust_missing"
    case bootloaderUnlocked = "bootloader_unlocked"
    case bootState = "boot_state"
    case keyOrigin = "key_origin"
    case keyPurpose = "key_purpose"
    case keyNotAppBound = "key_not_app_bound"
    case keyType = "key_type"
    case attestedAppMissing = "app_id_missing"
    case attestedAppUnavailable = "app_id_unavailable"
    case packageMismatch = "package_mismatch"
    case signerMismatch = "signer_mismatch"
    case tagsNotAscending = "tags_not_ascending"
    case versionsDiffer = "versions_differ"

    // Statements of a vendor's token.
    case malformedToken = "malformed_token"
    case badAlgorithm = "bad_algorithm"
    case decryptionFailed = "decryption_failed"
    case requestHashMismatch = "request_hash_mismatch"
    case staleTimestamp = "stale_timestamp"
    case testingResponse = "testing_response"
    case appVerdict = "app_verdict"
    case deviceVerdict = "device_verdict"
    case ctsProfileMismatch = "cts_profile_mismatch"
    case providerDeprecated = "provider_deprecated"
    case pluginQuarantined = "plugin_quarantined"
    case vendorRefused = "vendor_refused"

    // Statements of a certificate bundle.
    case timestampTooOld = "timestamp_too_old"
    case secretUndecryptable = "secret_undecryptable"
    case serialMismatch = "serial_mismatch"
    case splitNotAllowed = "split_not_allowed"

    // Captures that were signed offline.
    case offlineNotAllowed = "offline_not_allowed"

    // Requests for certificates.
    case malformedCSR = "malformed_csr"
    case possessionNotProven = "possession_not_proven"
    case csrKeyMismatch = "csr_key_mismatch"
    case csrNotBound = "csr_not_bound"
    case assuranceTooLow = "assurance_too_low"

    // Policy.
    case categoryMissing = "category_missing"
    case categoryNotAllowed = "category_not_allowed"
    case bundleVersionNotAllowed = "bundle_version_not_allowed"
    case receiptNotVerified = "receipt_not_verified"
    case riskMetricTooHigh = "risk_metric_too_high"
    case deviceBits = "device_bits"
    case securityLevelTooLow = "security_level_too_low"
    case bootKey = "boot_key"
    case bootKeyDenied = "boot_key_denied"
    case appVersion = "app_version"
    case osVersion = "os_version"
    case patchLevelTooOld = "patch_level_too_old"
    case patchLevelInFuture = "patch_level_in_future"
    case keyProperties = "key_properties"
    case createdOutOfWindow = "created_out_of_window"
    case attestedIDMismatch = "device_id_mismatch"
    case remoteProvisioningRequired = "remote_provisioning_required"
    case provisioningCount = "provisioning_count"
    case attestationKeyOverused = "attestation_key_overused"
    case sdkVersionUnevaluated = "sdk_version_unevaluated"
    case appNotLicensed = "app_not_licensed"
    case licenseUnevaluated = "license_unevaluated"
    case playProtect = "play_protect"
    case appAccessRisk = "app_access_risk"
    case deviceActivity = "device_activity"
    case deviceRecalled = "device_recalled"
    case accountActivity = "account_activity"
    case evidenceMissing = "evidence_missing"
    case confidenceTooLow = "confidence_too_low"
    case metadataFlagsViolated = "metadata_flags_violated"

    // Registry.
    case unknownDevice = "unknown_device"
    case deviceBlocked = "device_blocked"
    case deviceFlagged = "device_flagged"
    case deviceMismatch = "device_mismatch"
    case keyOwnerMismatch = "key_owner_mismatch"
    case keyAlreadyRegistered = "key_already_registered"
    case tooManyDevices = "too_many_devices"
    case replacementRefused = "replacement_refused"
    case importedNotAccepted = "imported_not_accepted"
    case simulatedNotAccepted = "simulated_not_accepted"
    case unknownCertificate = "unknown_certificate"
    case keyAlreadyCertified = "key_already_certified"
    case certificateSerialTaken = "certificate_serial_taken"
    case tooManySubmissions = "too_many_submissions"
    case notEnrolled = "not_enrolled"
    case alreadyProvisioned = "already_provisioned"
}

extension ReasonCode {
    /// The code that a text is probably meant to be: one or two letters differ. A plugin may have codes of its own, so that one which is not known is no
    /// mistake by itself.
    package static func meant(by text: String) -> ReasonCode? {
        Spelling.nearest(to: text, among: allCases.map(\.rawValue), within: 2).flatMap { Self(rawValue: $0) }
    }

    /// One sentence for people: the failure, without values from the evidence.
    public var summary: String {
        switch self {
        case .challengeInvalid: "The challenge was not issued by this service for this app and context."
        case .challengeWrongPurpose: "The challenge was issued for another purpose."
        case .challengeExpired: "The challenge has expired, or its expiry is at or before the spent horizon."
        case .challengeReused: "The challenge, or evidence that may be used once, was used before."
        case .challengeAttemptsExceeded: "Too many attempts were made with this challenge."
        case .idempotencyKeyReused: "The idempotency key was used for a request with other fields."
        case .clientDataMismatch: "The client data does not carry the challenge at the configured place."
        case .payloadRequired: "The app requires a payload to be bound, and none was given."
        case .bindingNotAllowed: "The app or the purpose does not allow this way of binding."
        case .payloadNotBound: "No evidence of the request binds the payload that a part of it was sent with."
        case .evidenceTooLarge: "The evidence is larger than its format allows."
        case .formatNotAccepted: "The app does not accept this kind of evidence."
        case .wrongFormat: "The evidence names another attestation format."
        case .malformed: "A member of the evidence is missing, or is not of the form that the format requires."
        case .signatureMalformed: "The signature is neither 64 bytes nor strict DER, or its numbers are out of range."
        case .malformedCBOR: "The evidence is not the strict CBOR that its format requires."
        case .malformedCertificate: "A certificate is not strict DER or breaks X.509."
        case .malformedAuthData: "The authenticator data is malformed."
        case .malformedNonceExtension: "The nonce extension of the credential certificate is missing or malformed."
        case .receiptMissing: "The attestation carries no receipt."
        case .malformedCMS: "The receipt is not a signed CMS message of the form that receipts have."
        case .malformedReceipt: "The receipt's fields are malformed, or one of them is missing or occurs twice."
        case .badChain: "The certificates do not form the chain that the evidence's format requires."
        case .nameChaining: "A certificate's issuer is not the subject of the next."
        case .caUsedAsLeaf: "The credential certificate is a CA certificate."
        case .caAsLeaf: "The device certificate is a CA certificate."
        case .wrongCurve: "The device certificate's key is not a P-256 key."
        case .keyUsage: "A certificate's key usage does not allow its use here."
        case .unsupportedAlgorithm: "A signature algorithm is not allowed here."
        case .unsupportedKey: "A public key is of a kind or encoding that is not allowed here."
        case .hostnameMismatch: "The certificate belongs to another host than the one that signs such evidence."
        case .badSignature: "A signature does not verify."
        case .untrustedRoot: "The chain does not end at a trust anchor of the app."
        case .notYetValid: "A certificate is not yet valid."
        case .expired: "A certificate has expired."
        case .nonceMismatch: "The attestation was made over other client data or authenticator data."
        case .keyIDMismatch:
            "The key id is not the digest of the attested public key, or is not one: it does not have 32 bytes."
        case .credentialIDMismatch: "The credential id is not the key id."
        case .credentialKeyMismatch: "The credential public key is not the certified key."
        case .appIDMismatch: "The evidence is for another app."
        case .flagsInvalid: "The authenticator data flags are not those of an attestation."
        case .counterNotZero: "The counter of an attestation is not zero."
        case .environmentMismatch: "The evidence comes from an environment that the app does not allow."
        case .aclMissing: "The key's access control list is missing (macOS)."
        case .aclMismatch: "The key's access control list is not that of a Mac with full security."
        case .counterNotIncreasing:
            "The counter was accepted before; or the app sets `counter: strict` and a higher counter of the device arrived first."
        case .counterTooOld:
            "The counter is 64 or more below the highest accepted one, beyond the window in which used counters are known."
        case .receiptSignerUnexpected: "The receipt's signer is not marked as one for receipts."
        case .publicKeyMismatch: "The receipt is for another key."
        case .receiptTypeUnexpected: "The receipt is of another type than required here."
        case .receiptClientHashMismatch: "The receipt is for other client data."
        case .timestampInFuture: "The time in the evidence is in the future."
        case .receiptExpired: "The receipt has expired."
        case .receiptTooOld: "The receipt was made too long ago."
        case .challengeMismatch: "The evidence was made over another challenge."
        case .malformedExtension: "The key description is malformed."
        case .missingAttestationExtension: "The first certificate carries no key description."
        case .chainExtended:
            "A certificate above the first has a key description: the chain was extended below an attested key."
        case .chainShape: "The chain's layout does not match its provisioning type."
        case .revoked: "A certificate of the chain is revoked or suspended."
        case .softwareLevel: "The key was attested by software, whose keys are public."
        case .securityLevelMismatch: "The security levels that the chain and the key description name do not agree."
        case .rootOfTrustMissing: "The hardware does not say how the device booted."
        case .bootloaderUnlocked: "The device's bootloader is unlocked."
        case .bootState: "The device did not boot a verified system."
        case .keyOrigin: "The key was not generated in the hardware."
        case .keyPurpose: "The key may be used for other purposes than the app allows, or not for those that it needs."
        case .keyNotAppBound: "The key may be used by every app of the device."
        case .keyType: "The attested key is not of the kind that the description or the app names."
        case .attestedAppMissing: "The device does not say which app made the key."
        case .attestedAppUnavailable: "The device could not say which app made the key; it can after a restart."
        case .packageMismatch: "The evidence comes from a package that is not the app's."
        case .signerMismatch: "The package is signed by a certificate that is not the app's."
        case .tagsNotAscending: "The key description's tags are out of order, and the app wants them in order."
        case .versionsDiffer: "The attestation and KeyMint have different versions, and the app wants equal ones."
        case .malformedToken: "The token is malformed."
        case .badAlgorithm: "The token names an algorithm that is not allowed."
        case .decryptionFailed: "The token cannot be decrypted by a key of the app."
        case .requestHashMismatch: "The token was made for another request."
        case .staleTimestamp: "The token was made too long ago, or in the future."
        case .testingResponse: "The token is a test response, whose content the tester chose."
        case .appVerdict: "The platform does not recognise the app."
        case .deviceVerdict: "The device does not meet the integrity that the app demands."
        case .ctsProfileMismatch: "The device does not match a certified profile."
        case .providerDeprecated: "The provider of this evidence was turned off; no genuine evidence can be fresh."
        case .pluginQuarantined:
            "This very evidence ended two processes of the plugin that judges it; it is kept aside for the plugin's author."
        case .vendorRefused: "The vendor's service does not accept the evidence."
        case .timestampTooOld: "The bundle, or the capture, was made longer ago than the app allows."
        case .secretUndecryptable:
            "The device secret in the certificate is missing, or cannot be decrypted by a key table of the app."
        case .serialMismatch: "The certificate names another serial number than the registry has for the device."
        case .splitNotAllowed: "The app demands the whole bundle, and only the digest of what was signed was given."
        case .offlineNotAllowed: "The app takes no captures that devices signed offline."
        case .malformedCSR: "The certificate signing request is not strict DER of the form of RFC 2986."
        case .possessionNotProven: "Nothing proves that the requester has the private key to be certified."
        case .csrKeyMismatch: "The key to be certified is not the attested key."
        case .csrNotBound: "The device did not sign the certificate signing request: the bound payload is not its SHA-256."
        case .assuranceTooLow: "The assurance of the certificate would be below what the app demands."
        case .categoryMissing: "The app requires the validation category, and the device did not report it."
        case .categoryNotAllowed: "The validation category is not on the app's list."
        case .bundleVersionNotAllowed: "The bundle version is not on the app's list."
        case .receiptNotVerified: "The app requires a receipt, and the device was registered without a verified one."
        case .riskMetricTooHigh: "The platform's risk metric of the device is above what the app allows."
        case .deviceBits: "The bits that the platform keeps for the device are not those that the app requires."
        case .securityLevelTooLow: "The key's security level is below what the app demands."
        case .bootKey: "The system was verified by a key that the app does not allow."
        case .bootKeyDenied: "The system was verified by a test key whose private key is public."
        case .appVersion: "The app's version is below what is allowed."
        case .osVersion: "The system's version is below what the app demands, or is not stated."
        case .patchLevelTooOld: "A security patch level is older than the app allows."
        case .patchLevelInFuture: "A security patch level is further in the future than the app allows."
        case .keyProperties: "The key lacks a property that the app demands."
        case .createdOutOfWindow: "The key was not created within the time that the app allows."
        case .attestedIDMismatch: "An attested identifier of the device is not the expected one."
        case .remoteProvisioningRequired: "The app demands a remotely provisioned chain."
        case .provisioningCount: "More certificates were issued to the device than the app allows."
        case .attestationKeyOverused: "More devices were registered under the attestation key than the app allows."
        case .sdkVersionUnevaluated: "The app demands a system version that was not evaluated."
        case .appNotLicensed: "The user has no licence for the app."
        case .licenseUnevaluated: "The app demands a licence that was not evaluated."
        case .playProtect: "The verdict of Play Protect is not among those that the app allows."
        case .appAccessRisk: "Apps are running that the app does not allow beside it."
        case .deviceActivity: "The device asked for tokens more often than the app allows."
        case .deviceRecalled: "The device has a recall bit set that the app does not allow."
        case .accountActivity: "The app does not allow the activity level of the user's account."
        case .evidenceMissing: "The app requires another piece of evidence beside what was given."
        case .confidenceTooLow: "The confidence in the capture is below the level that the app demands."
        case .metadataFlagsViolated: "The document of the capture states what its own flags leave out."
        case .unknownDevice: "No device with this key is registered for the app."
        case .deviceBlocked: "The device, its key or its subject is blocked."
        case .deviceFlagged: "The device has a flag that the app's policy rejects."
        case .deviceMismatch: "The evidence belongs to another device than the caller expected, or to several."
        case .keyOwnerMismatch: "The device is registered for another subject."
        case .keyAlreadyRegistered: "The key is registered already."
        case .tooManyDevices: "The subject has as many devices as the app allows."
        case .replacementRefused: "The registration would replace a device that it must not replace."
        case .importedNotAccepted: "The device was imported, and the app does not accept imported devices."
        case .simulatedNotAccepted:
            "The evidence rests on a test root, and the app does not set `accept_simulated: true`."
        case .unknownCertificate: "The certificate is not on record."
        case .keyAlreadyCertified: "The key was certified before; a certificate needs a new key."
        case .certificateSerialTaken: "A certificate with this serial number was issued before."
        case .tooManySubmissions: "The device submitted as much in 24 hours as the app allows."
        case .notEnrolled:
            "The device is not on the app's list of devices that may be provisioned, or its enrolment token is not valid."
        case .alreadyProvisioned:
            "A device with this serial number or secret was provisioned before, and the serial number is not readmitted."
        }
    }

    /// What the caller may do next, chosen by what follows if a million devices obey. Platforms limit how often a device may attest, so
    /// `reAttest` is used only if a new key can differ in what was refused, and `newChallenge` only if the same app can succeed with one:
    /// a fault of code or configuration is `never` or `contactOperator` (decision 0113).
    public var retry: RetryClass {
        switch self {
        case .challengeInvalid, .challengeExpired, .challengeReused, .challengeAttemptsExceeded, .clientDataMismatch,
            .nonceMismatch, .counterNotIncreasing, .counterTooOld, .challengeMismatch,
            .requestHashMismatch, .staleTimestamp, .csrNotBound, .confidenceTooLow:
            .newChallenge
        // A clock is wrong: evidence is good as soon as it is not ahead any more.
        case .tooManySubmissions, .notYetValid, .timestampInFuture: .later
        case .unknownDevice, .keyOwnerMismatch, .keyAlreadyCertified, .certificateSerialTaken, .expired, .receiptExpired,
            .receiptTooOld, .receiptNotVerified, .attestedAppUnavailable, .createdOutOfWindow:
            .reAttest
        case .deviceBlocked, .deviceFlagged, .bindingNotAllowed, .formatNotAccepted, .appIDMismatch, .environmentMismatch,
            .assuranceTooLow,
            .categoryMissing, .categoryNotAllowed, .bundleVersionNotAllowed, .untrustedRoot, .deviceMismatch, .tooManyDevices,
            .importedNotAccepted, .simulatedNotAccepted, .revoked, .softwareLevel, .securityLevelTooLow, .rootOfTrustMissing,
            .bootloaderUnlocked,
            .bootState,
            .bootKey, .bootKeyDenied, .packageMismatch, .signerMismatch, .tagsNotAscending, .versionsDiffer, .appVersion,
            .osVersion,
            .patchLevelTooOld,
            .patchLevelInFuture, .keyProperties, .attestedIDMismatch, .remoteProvisioningRequired, .provisioningCount,
            .attestationKeyOverused, .sdkVersionUnevaluated, .appNotLicensed, .licenseUnevaluated, .playProtect, .appAccessRisk,
            .deviceActivity, .deviceRecalled, .accountActivity, .evidenceMissing, .testingResponse, .appVerdict, .deviceVerdict,
            .ctsProfileMismatch,
            .providerDeprecated, .pluginQuarantined, .vendorRefused, .riskMetricTooHigh, .deviceBits, .decryptionFailed,
            .secretUndecryptable,
            .serialMismatch, .splitNotAllowed, .offlineNotAllowed, .unknownCertificate, .notEnrolled, .alreadyProvisioned:
            .contactOperator
        case .challengeWrongPurpose, .idempotencyKeyReused, .payloadRequired, .payloadNotBound, .keyIDMismatch,
            .keyAlreadyRegistered,
            .csrKeyMismatch, .evidenceTooLarge, .wrongFormat, .malformed, .signatureMalformed, .caAsLeaf, .wrongCurve,
            .timestampTooOld,
            .malformedCSR, .possessionNotProven, .malformedCBOR, .malformedCertificate, .malformedAuthData,
            .malformedNonceExtension, .receiptMissing, .malformedCMS, .malformedReceipt, .receiptSignerUnexpected,
            .publicKeyMismatch, .receiptTypeUnexpected, .receiptClientHashMismatch, .badChain, .nameChaining, .caUsedAsLeaf,
            .keyUsage,
            .unsupportedAlgorithm, .unsupportedKey, .hostnameMismatch, .badSignature, .credentialIDMismatch,
            .credentialKeyMismatch,
            .flagsInvalid, .counterNotZero, .aclMissing, .aclMismatch, .malformedExtension, .missingAttestationExtension,
            .chainExtended, .chainShape, .securityLevelMismatch, .keyOrigin, .keyPurpose, .keyNotAppBound, .keyType,
            .attestedAppMissing, .malformedToken, .badAlgorithm, .replacementRefused, .metadataFlagsViolated:
            .never
        }
    }

    /// The table of `docs/reference/reason-codes.md`, one row per code, in the order of this enumeration.
    public static var markdownTable: String {
        let rows = allCases.map { code in
            let columns = [
                "`\(code.rawValue)`", code.summary, "`\(code.retry.rawValue)`", code.guidance.cause, code.guidance.remedy,
            ]
            return "| \(columns.joined(separator: " | ")) |"
        }
        return (["| code | meaning | retry | usual cause | how to fix |", "|---|---|---|---|---|"] + rows).joined(
            separator: "\n")
            + "\n"
    }
}
