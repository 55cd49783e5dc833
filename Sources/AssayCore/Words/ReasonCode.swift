/// Why evidence was refused, as one stable word.
///
/// The raw value is the contract: it goes on the wire, into the ledger and into `docs/reason-codes.md`. A code is never
/// renamed and never reused. Where several platforms have the same failure there is one code for it.
/// The table of the documentation is derived from this enumeration and kept equal by a test.
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

    // Shape.
    case evidenceTooLarge = "evidence_too_large"
    case formatNotAccepted = "format_not_accepted"
    case wrongFormat = "wrong_format"
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
    case keyUsage = "key_usage"
    case unsupportedAlgorithm = "unsupported_algorithm"
    case unsupportedKey = "unsupported_key"
    case badSignature = "bad_signature"
    case untrustedRoot = "untrusted_root"
    case notYetValid = "not_yet_valid"
    case expired = "expired"

    // What the device said.
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

    // What a receipt says.
    case receiptSignerUnexpected = "receipt_signer_unexpected"
    case publicKeyMismatch = "public_key_mismatch"
    case receiptTypeUnexpected = "receipt_type_unexpected"
    case receiptClientHashMismatch = "receipt_client_hash_mismatch"
    case timestampInFuture = "timestamp_in_future"
    case receiptExpired = "receipt_expired"
    case receiptTooOld = "receipt_too_old"

    // Policy.
    case categoryMissing = "category_missing"
    case categoryNotAllowed = "category_not_allowed"
    case bundleVersionNotAllowed = "bundle_version_not_allowed"
    case receiptNotVerified = "receipt_not_verified"

    // Registry.
    case unknownDevice = "unknown_device"
    case deviceBlocked = "device_blocked"
    case deviceMismatch = "device_mismatch"
    case keyOwnerMismatch = "key_owner_mismatch"
    case keyAlreadyRegistered = "key_already_registered"
    case tooManyDevices = "too_many_devices"
    case importedNotAccepted = "imported_not_accepted"
}

extension ReasonCode {
    /// One sentence for people: what was found, without values from the evidence.
    public var summary: String {
        switch self {
        case .challengeInvalid: "The challenge was not issued by this service for this app and context."
        case .challengeWrongPurpose: "The challenge was issued for another purpose."
        case .challengeExpired: "The challenge has expired, or lies at or below the spent horizon."
        case .challengeReused: "The challenge, or evidence that may be used once, was used before."
        case .challengeAttemptsExceeded: "Too many attempts were made with this challenge."
        case .idempotencyKeyReused: "The idempotency key was used for a request with other fields."
        case .clientDataMismatch: "The client data does not carry the challenge at the configured place."
        case .payloadRequired: "The app requires a payload to be bound, and none was given."
        case .bindingNotAllowed: "The app or the purpose does not allow this way of binding."
        case .evidenceTooLarge: "The evidence is larger than its kind may be."
        case .formatNotAccepted: "The app does not accept this kind of evidence."
        case .wrongFormat: "The evidence names another attestation format."
        case .malformedCBOR: "The evidence is not the strict CBOR that its kind demands."
        case .malformedCertificate: "A certificate is not strict DER or breaks X.509."
        case .malformedAuthData: "The authenticator data is malformed."
        case .malformedNonceExtension: "The nonce extension of the credential certificate is missing or malformed."
        case .receiptMissing: "The attestation carries no receipt."
        case .malformedCMS: "The receipt is not a signed CMS message of the form that receipts have."
        case .malformedReceipt: "The receipt's fields are malformed, or one of them is missing or stands twice."
        case .badChain: "The certificates do not form the chain that their kind demands."
        case .nameChaining: "A certificate's issuer is not the subject of the next."
        case .caUsedAsLeaf: "The credential certificate is a CA certificate."
        case .keyUsage: "A certificate's key usage does not allow its use here."
        case .unsupportedAlgorithm: "A signature algorithm is not allowed here."
        case .unsupportedKey: "A public key is of a kind or encoding that is not allowed here."
        case .badSignature: "A signature does not verify."
        case .untrustedRoot: "The chain does not end at a trust anchor of the app."
        case .notYetValid: "A certificate is not yet valid."
        case .expired: "A certificate has expired."
        case .nonceMismatch: "The attestation was made over other client data or authenticator data."
        case .keyIDMismatch: "The key id is not the digest of the attested public key."
        case .credentialIDMismatch: "The credential id is not the key id."
        case .credentialKeyMismatch: "The credential public key is not the certified key."
        case .appIDMismatch: "The evidence is for another app."
        case .flagsInvalid: "The authenticator data flags are not those of an attestation."
        case .counterNotZero: "The counter of an attestation is not zero."
        case .environmentMismatch: "The evidence comes from an environment that the app does not allow."
        case .aclMissing: "The key's access control list is missing (macOS)."
        case .aclMismatch: "The key's access control list is not that of a Mac with full security."
        case .counterNotIncreasing: "The counter is not greater than the last accepted one, or was seen before."
        case .counterTooOld: "The counter lies below the window of accepted counters."
        case .receiptSignerUnexpected: "The receipt's signer is not marked as one for receipts."
        case .publicKeyMismatch: "The receipt is for another key."
        case .receiptTypeUnexpected: "A receipt of another type belongs here."
        case .receiptClientHashMismatch: "The receipt is for other client data."
        case .timestampInFuture: "The time in the evidence lies in the future."
        case .receiptExpired: "The receipt has expired."
        case .receiptTooOld: "The receipt was made too long ago."
        case .categoryMissing: "The app requires the validation category, and the device did not report it."
        case .categoryNotAllowed: "The validation category is not on the app's list."
        case .bundleVersionNotAllowed: "The bundle version is not on the app's list."
        case .receiptNotVerified: "The app requires a receipt, and the device was registered without a verified one."
        case .unknownDevice: "No device with this key is registered for the app."
        case .deviceBlocked: "The device, its key or its subject is blocked."
        case .deviceMismatch: "The evidence belongs to another device than the caller expected."
        case .keyOwnerMismatch: "The device is registered for another subject."
        case .keyAlreadyRegistered: "The key is registered already."
        case .tooManyDevices: "The subject has as many devices as the app allows."
        case .importedNotAccepted: "The device was imported, and the app does not accept imported devices."
        }
    }

    /// What the caller may do next. Platforms limit how often a device may attest, so `reAttest` is said only where
    /// nothing less helps.
    public var retry: RetryClass {
        switch self {
        case .challengeInvalid, .challengeWrongPurpose, .challengeExpired, .challengeReused, .challengeAttemptsExceeded,
            .clientDataMismatch, .payloadRequired, .nonceMismatch, .counterNotIncreasing, .counterTooOld:
            .newChallenge
        case .unknownDevice, .environmentMismatch, .keyIDMismatch, .keyAlreadyRegistered, .keyOwnerMismatch:
            .reAttest
        case .notYetValid, .expired, .timestampInFuture, .receiptExpired, .receiptTooOld, .receiptNotVerified:
            .reAttest
        case .deviceBlocked, .bindingNotAllowed, .formatNotAccepted, .appIDMismatch, .categoryMissing, .categoryNotAllowed,
            .bundleVersionNotAllowed, .untrustedRoot, .idempotencyKeyReused, .deviceMismatch, .tooManyDevices,
            .importedNotAccepted:
            .contactOperator
        case .evidenceTooLarge, .wrongFormat, .malformedCBOR, .malformedCertificate, .malformedAuthData,
            .malformedNonceExtension, .receiptMissing, .malformedCMS, .malformedReceipt, .receiptSignerUnexpected,
            .publicKeyMismatch, .receiptTypeUnexpected, .receiptClientHashMismatch, .badChain, .nameChaining, .caUsedAsLeaf,
            .keyUsage,
            .unsupportedAlgorithm, .unsupportedKey, .badSignature, .credentialIDMismatch, .credentialKeyMismatch,
            .flagsInvalid, .counterNotZero, .aclMissing, .aclMismatch:
            .never
        }
    }

    /// The table of `docs/reason-codes.md`, one row a code, in the order of this enumeration.
    public static var markdownTable: String {
        let rows = allCases.map { "| `\($0.rawValue)` | \($0.summary) | `\($0.retry.rawValue)` |" }
        return (["| code | meaning | retry |", "|---|---|---|"] + rows).joined(separator: "\n") + "\n"
    }
}
