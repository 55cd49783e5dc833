public import Foundation

/// This device for one user: registers a key of the Secure Enclave once, and signs each upload with it.
///
/// Make one for each signed-in user and keep it: two of the same user would register two keys. All functions may be called at the same
/// time. Where the daemon's app says `app_attest.counter: strict`, let one upload end before the next begins.
public final class AttestedDevice: Sendable {
    private let backend: any Backend
    private let service: BoundedService
    private let sha256: any SHA256Hashing
    private let settings: Settings
    private let retries: Retries
    private let registrar: Registrar
    private let sent: SentUploads

    /// - Parameter user: the name under which the backend registers the device, with exactly the same bytes: the attestation binds it.
    public init(
        user: String, backend: any Backend, service: any AppAttestService, store: any KeyStore, sha256: any SHA256Hashing,
        settings: Settings = Settings(), timing: Timing = .system
    ) {
        (self.backend, self.sha256, self.settings) = (backend, sha256, settings)
        self.service = BoundedService(service: service, limit: settings.appleTimeLimit, timing: timing)
        retries = Retries(backoff: settings.backoff, timing: timing)
        registrar = Registrar(
            user: user, backend: backend, service: self.service, store: store, sha256: sha256, settings: settings,
            timing: timing)
        sent = SentUploads(store: store, user: user)
    }

    /// Whether the device has App Attest (`DCAppAttestService.isSupported`).
    ///
    /// In most kinds of app extension Apple's answer is true and App Attest does not work.
    public var isSupported: Bool { service.isSupported }

    /// Registers a key, unless one is registered. `upload` does it too; called early, the first upload need not wait for Apple.
    public func register() async throws(PhoneError) { _ = try await registrar.registeredKey() }

    /// Signs exactly these bytes and sends them. Returns when the backend has stored them, now or by an earlier request.
    ///
    /// - Parameter id: names the upload. The same whenever the app tries the same payload again, also after a start of the app; never the
    ///   same for another payload, or at the same time.
    public func upload(_ payload: Data, id: String) async throws(PhoneError) {
        let payloadHash = sha256.hash(payload)
        var keyID = try await registrar.registeredKey()
        var mayReplaceKey = true
        var challengesLeft = max(settings.challengesPerUpload, 1)
        var earlier = try await sent.signature(of: id, payloadHash: payloadHash)
        while true {
            let signature: UploadSignature
            if let earlier {
                signature = earlier
            } else {
                guard challengesLeft > 0 else { throw .challengesRefused }
                challengesLeft -= 1
                let challenge = try await retries.ask { () async throws(BackendError) in
                    try await backend.challenge(for: .upload)
                }
                switch try await assertion(by: keyID, over: challenge, payloadHash) {
                case .made(let assertion):
                    signature = UploadSignature(challenge: challenge, keyID: keyID, assertion: assertion)
                case .unusable(let error):
                    guard mayReplaceKey else { throw .keyUnusable(error) }
                    mayReplaceKey = false
                    keyID = try await registrar.registeredKey(inPlaceOf: .init(id: keyID, cause: .gone))
                    continue
                }
                try await sent.add(signature, of: id, payloadHash: payloadHash)
            }
            earlier = nil
            switch try await answer(to: SignedUpload(id: id, payload: payload, signature: signature)) {
            case .done: return
            case .newChallenge: break
            case .register where signature.keyID != keyID: break  // said of an earlier key
            case .register:
                guard mayReplaceKey else { throw .keyUnusable(nil) }
                mayReplaceKey = false
                keyID = try await registrar.registeredKey(inPlaceOf: .init(id: keyID, cause: .demanded))
            }
        }
    }

    /// Forgets the key, such as when the user signs out for good. How many keys were made is kept.
    public func forgetKey() async throws(PhoneError) { try await registrar.forgetKey() }

    /// A final answer. While there is none, the signature is kept for the next try of the same upload.
    private func answer(to upload: SignedUpload) async throws(PhoneError) -> BackendAnswer {
        do throws(PhoneError) {
            let answer = try await retries.ask { () async throws(BackendError) in try await backend.upload(upload) }
            try await sent.remove(upload.id)
            return answer
        } catch {
            if case .refused = error { try await sent.remove(upload.id) }
            throw error
        }
    }

    private enum Assertion {
        case made(Data)
        /// The key cannot sign any more.
        case unusable(AppAttestError)
    }

    /// A key that was registered and then fails is gone, by another installation, a restored backup or another device. Apple's code for
    /// that is `invalidKey`; `invalidInput`, and `unknownSystemFailure` that stays, are seen in the field too (google/app-check, pull
    /// requests 96 and 104).
    private func assertion(
        by keyID: String, over challenge: Challenge, _ payloadHash: Data
    ) async throws(PhoneError) -> Assertion {
        let hash = sha256.hash(ClientData(.assert, challenge, payloadHash: payloadHash).bytes)
        do {
            return .made(
                try await retries.run { () async throws(AppAttestError) in
                    try await service.generateAssertion(keyID, clientDataHash: hash)
                } again: { failure in
                    switch failure {
                    case .serverUnavailable, .unknownSystemFailure: .yes(after: nil)
                    case .featureUnsupported, .invalidInput, .invalidKey: .no
                    }
                })
        } catch {
            guard case .failed(let failure, _) = error else { throw .cancelled }
            switch failure {
            case .featureUnsupported: throw .notSupported
            case .serverUnavailable: throw .appleUnavailable
            case .invalidKey, .invalidInput, .unknownSystemFailure: return .unusable(failure)
            }
        }
    }
}
