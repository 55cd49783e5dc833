import AssayPlugin
import CLibcrypto

/// Checks packages of captured data: a salt that is bound to device, session and time and used once, the signature of an approved
/// client, and the signature of a user.
@main
struct CapturePackagePlugin: Plugin {
    static let description = PluginDescription(
        name: "capture-package",
        version: "1.0.0",
        formats: [
            Format(
                "capture-package", purposes: [.assert], sizeLimit: 8192, freshness: .singleUse, claims: claims, codes: codes)
        ],
        configurationKeys: [
            ConfigurationKey(
                "clients", .list, required: true, "the approved clients: client_id, public_key, state, valid_until"),
            ConfigurationKey("max_age_seconds", .integer, "how old a package may be: 1 to 300, 300 by default"),
            ConfigurationKey("max_ahead_seconds", .integer, "how far ahead its time may be: 0 to 30, 30 by default"),
            ConfigurationKey("salt_days", .integer, "how long a used salt is remembered: 1 to 400, 400 by default"),
        ],
        hostServices: [.findUsed])

    static let claims = [
        ClaimDeclaration("client_id", .text, "the client whose key signed"),
        ClaimDeclaration("client_public_key", .bytes, "its key"),
        ClaimDeclaration("client_key_state", .text, "active or deprecated"),
        ClaimDeclaration("device_id", .text, "as the package says; no signature covers it"),
        ClaimDeclaration("session_id", .text, "as the package says; no signature covers it"),
        ClaimDeclaration("captured_at", .time, "as the package says; no signature covers it"),
        ClaimDeclaration("payload_sha256", .bytes, "what client and user signed"),
        ClaimDeclaration("user_key_type", .text, "ed25519 or secp256k1"),
        ClaimDeclaration("user_public_key", .bytes, "the key of the user's signature: compare it with the account's"),
    ]

    static let codes = [
        CodeDeclaration(
            "unsupported_version", retry: .never, "the package is of another version than \(Capture.version)"),
        CodeDeclaration("salt_length", retry: .never, "the salt has not 32 to 64 bytes"),
        CodeDeclaration("salt_weak", retry: .never, "all bytes of the salt are equal"),
        CodeDeclaration("salt_binding_mismatch", retry: .never, "the salt is not bound to this device, session and time"),
        CodeDeclaration("salt_replayed", retry: .never, "the salt was used before"),
        CodeDeclaration("client_unknown", retry: .contactOperator, "the client is not registered"),
        CodeDeclaration("client_pending", retry: .contactOperator, "the client is not approved yet"),
        CodeDeclaration("client_deprecated", retry: .contactOperator, "the overlap of the client's older key is over"),
        CodeDeclaration("client_revoked", retry: .contactOperator, "the client's approval was withdrawn"),
        CodeDeclaration("client_signature_invalid", retry: .never, "no key of the client made the signature"),
        CodeDeclaration("user_signature_invalid", retry: .never, "the user's key did not make the signature"),
        CodeDeclaration("signature_not_low_s", retry: .never, "s of the user's signature is above half of the order"),
    ]

    let registry: ClientRegistry
    let maximumAge: Int64
    let maximumAhead: Int64
    let saltMilliseconds: Int64

    init(configuration: Setting) {
        // No file is read: the sandbox would refuse.
        OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_LOAD_CONFIG), nil)
        registry = ClientRegistry(configuration["clients"])
        maximumAge = 1000 * configuration["max_age_seconds"].integer(in: 1...300, default: 300)
        maximumAhead = 1000 * configuration["max_ahead_seconds"].integer(in: 0...30, default: 30)
        saltMilliseconds = 86_400_000 * configuration["salt_days"].integer(in: 1...400, default: 400)
    }

    /// Every check is made that does not rest on a failed one, so that all faults are listed.
    func appraise(_ evidence: Evidence, _ appraisal: inout Appraisal, host: Host) throws {
        let capture = try Capture(parsing: evidence.body)
        try appraisal.require("form", true, else: .malformed, "")
        try checkSalt(capture, &appraisal)
        checkTime(capture, evidence.nowMilliseconds, &appraisal)
        try checkSingleUse(capture, &appraisal, host)
        let key = try checkClient(capture, evidence.nowMilliseconds, &appraisal)
        try checkUser(capture, &appraisal)
        guard let key, appraisal.isGood else { return }
        add(capture, key, &appraisal)
        // Neither signature covers the time: an old salt under a new time would be a replay.
        appraisal.use(token: capture.salt, until: evidence.nowMilliseconds + saltMilliseconds, code: "salt_replayed")
    }
}

// MARK: Checks

extension CapturePackagePlugin {
    private func checkSalt(_ capture: Capture, _ appraisal: inout Appraisal) throws {
        let salt = capture.salt
        appraisal.check(
            "salt_length", Capture.saltSizes.contains(salt.count), else: "salt_length",
            "expected a salt of 32 to 64 bytes, found \(salt.count) bytes")
        appraisal.check(
            "salt_strength", Set(salt).count > 1, else: "salt_weak",
            "expected a random salt, found the same byte \(salt.count) times")
        let bound = try SHA256.digest(capture.bound)
        appraisal.check(
            "salt_binding", bound == capture.saltBinding, else: "salt_binding_mismatch",
            "expected salt_binding \(Bytes.hex(bound)), found \(Bytes.hex(capture.saltBinding))")
    }

    private func checkTime(_ capture: Capture, _ now: Int64, _ appraisal: inout Appraisal) {
        let age = now - 1000 * capture.timestamp
        appraisal.check(
            "age", age <= maximumAge, else: "timestamp_too_old",
            "expected a timestamp at most \(maximumAge / 1000) s old; it is \(age) ms old")
        appraisal.check(
            "time", -age <= maximumAhead, else: "timestamp_in_future",
            "expected a timestamp at most \(maximumAhead / 1000) s ahead; it is \(-age) ms ahead")
    }

    private func checkSingleUse(_ capture: Capture, _ appraisal: inout Appraisal, _ host: Host) throws {
        guard Capture.saltSizes.contains(capture.salt.count) else {
            return appraisal.skip("single_use", "a salt of another length is never accepted")
        }
        let used = try host.findUsed(tokens: [capture.salt])
        appraisal.check("single_use", used == [false], else: "salt_replayed", "the salt was used before")
    }

    /// The client's key that signed.
    private func checkClient(
        _ capture: Capture, _ now: Int64, _ appraisal: inout Appraisal
    ) throws -> ClientRegistry.Key? {
        let keys = registry.keys(of: capture.clientID)
        guard
            appraisal.check(
                "client", !keys.isEmpty, else: "client_unknown", "the client \(capture.clientID) is not registered")
        else { return nil }
        let key = try keys.first {
            try Ed25519.verify(capture.clientSignature, by: $0.publicKey, over: capture.signedByClient)
        }
        appraisal.check(
            "client_signature", key != nil, else: "client_signature_invalid",
            "no key of \(capture.clientID) made the signature over salt and payload hash")
        guard let key else { return nil }
        check(key, now, &appraisal)
        return key
    }

    private func check(_ key: ClientRegistry.Key, _ now: Int64, _ appraisal: inout Appraisal) {
        let code: ReasonCode?
        let sentence: String
        switch key.state {
        case .active: (code, sentence) = (nil, "")
        case .deprecated where now <= key.validUntil:
            (code, sentence) = (nil, "")
            appraisal.note("client_overlap", "client_deprecated", "the client signs with an older key")
        case .deprecated: (code, sentence) = ("client_deprecated", "the overlap of the client's older key is over")
        case .pending: (code, sentence) = ("client_pending", "the client is not approved yet")
        case .revoked: (code, sentence) = ("client_revoked", "the client's approval was withdrawn")
        }
        appraisal.check("client_state", code == nil, else: code ?? "client_revoked", sentence)
    }

    private func checkUser(_ capture: Capture, _ appraisal: inout Appraisal) throws {
        let right: Bool
        switch capture.userKeyType {
        case .ed25519:
            right = try Ed25519.verify(capture.userSignature, by: capture.userPublicKey, over: capture.signedByUser)
        case .secp256k1:
            guard
                appraisal.check(
                    "user_signature_form", Secp256k1.isLowS(capture.userSignature), else: "signature_not_low_s",
                    "expected user_signature with an s of at most half of the order")
            else { return }
            right = try Secp256k1.verify(capture.userSignature, by: capture.userPublicKey, over: capture.signedByUser)
        }
        appraisal.check(
            "user_signature", right, else: "user_signature_invalid",
            "the user's key did not make the signature over salt, payload hash and client signature")
    }

    private func add(_ capture: Capture, _ key: ClientRegistry.Key, _ appraisal: inout Appraisal) {
        appraisal.claim("client_id", .text(capture.clientID))
        appraisal.claim("client_public_key", .bytes(key.publicKey))
        appraisal.claim("client_key_state", .text(key.state.rawValue))
        appraisal.claim("device_id", .text(capture.deviceID))
        appraisal.claim("session_id", .text(capture.sessionID))
        appraisal.claim("captured_at", .time(1000 * capture.timestamp))
        appraisal.claim("payload_sha256", .bytes(capture.payloadHash))
        appraisal.claim("user_key_type", .text(capture.userKeyType.rawValue))
        appraisal.claim("user_public_key", .bytes(capture.userPublicKey))
        appraisal.assurance = .software
    }
}
