import Foundation

/// Makes, attests and registers the key of one user: one registration at a time, whose result all callers share.
actor Registrar {
    /// A key that cannot be used any more.
    struct LostKey {
        enum Cause {
            /// It is not in the Secure Enclave.
            case gone
            /// The backend does not accept it (retry class `re_attest`).
            case demanded
        }

        let id: String
        let cause: Cause
    }

    private let user: String
    private let backend: any Backend
    private let service: BoundedService
    private let store: any KeyStore
    private let sha256: any SHA256Hashing
    private let settings: Settings
    private let timing: Timing
    private let retries: Retries

    private var running: Task<Result<String, PhoneError>, Never>?

    init(
        user: String, backend: any Backend, service: BoundedService, store: any KeyStore, sha256: any SHA256Hashing,
        settings: Settings, timing: Timing
    ) {
        (self.user, self.backend, self.service, self.store, self.sha256) = (user, backend, service, store, sha256)
        (self.settings, self.timing) = (settings, timing)
        retries = Retries(backoff: settings.backoff, timing: timing)
    }

    /// The id of a registered key: that of the store, or a new one, also if the one of the store is `lost`.
    ///
    /// A caller that is cancelled stops waiting. The registration goes on: Apple attests a key once, so that an abandoned one is wasted.
    func registeredKey(inPlaceOf lost: LostKey? = nil) async throws(PhoneError) -> String {
        while let running {
            let key = try await first(of: [running], ifCancelled: .failure(.cancelled)).get()
            guard key == lost?.id else { return key }
        }
        let task = Task {
            let result = await self.run(lost)
            running = nil
            return result
        }
        running = task
        return try await first(of: [task], ifCancelled: .failure(.cancelled)).get()
    }

    /// Forgets the key, not how many keys were made. A registration that is running ends first.
    func forgetKey() async throws(PhoneError) {
        while let running { _ = await running.value }
        var record = try load()
        guard record.key != nil else { return }
        record.key = nil
        try save(record)
    }

    private func run(_ lost: LostKey?) async -> Result<String, PhoneError> {
        do throws(PhoneError) {
            var record = try load()
            if let lost, lost.id == record.key?.id { try discard(lost, from: &record) }
            // A key of an earlier run may be gone, or its challenge too old. One that is made in this run is the last.
            var mayMakeKey = true
            while true {
                if record.key == nil {
                    mayMakeKey = false
                    try await makeKey(&record)
                }
                if let key = try await advance(&record, isNew: !mayMakeKey) { return .success(key) }
            }
        } catch {
            return .failure(error)
        }
    }

    /// One step of the key. The id, once it is registered.
    private func advance(_ record: inout KeyRecord, isNew: Bool) async throws(PhoneError) -> String? {
        switch record.key {
        case nil:
            break
        case .registered(let id):
            return id
        case .generated(let id):
            let challenge = try await retries.ask { () async throws(BackendError) in try await backend.challenge(for: .register)
            }
            record.key = .attesting(id: id, challenge: challenge, at: timing.now())
            try save(record)
        case .attesting(let id, let challenge, let began):
            let age = timing.now().timeIntervalSince(began)
            if age >= 0, Duration.seconds(age) < settings.challengeLifetime {
                try await attest(id, challenge, in: &record, isNew: isNew)
            } else {
                record.key = .generated(id: id)
            }
        case .attested(let registration, let wasSent):
            try await send(registration, wasSent: wasSent, in: &record, isNew: isNew)
        }
        return nil
    }

    private func discard(_ lost: LostKey, from record: inout KeyRecord) throws(PhoneError) {
        let now = timing.now()
        if lost.cause == .demanded {
            if let wait = record.history.waitForDemand(at: now) { throw .tooManyKeys(after: wait) }
            record.history.isDemanded(at: now)
        }
        record.key = nil
        try save(record)
    }

    /// `generateKey` is called once in a run. It is counted before it is called: a crash, or a store that cannot be written, then makes
    /// no loop either.
    private func makeKey(_ record: inout KeyRecord) async throws(PhoneError) {
        guard service.isSupported else { throw .notSupported }
        let now = timing.now()
        if let wait = record.history.waitForKey(at: now, limit: settings.keysPerDay) { throw .tooManyKeys(after: wait) }
        record.history.makesKey(at: now, limit: settings.keysPerDay)
        try save(record)
        do throws(AppAttestError) {
            record.key = .generated(id: try await service.generateKey())
        } catch {
            switch error {
            case .featureUnsupported: throw .notSupported
            case .serverUnavailable: throw .appleUnavailable
            case .invalidInput, .invalidKey, .unknownSystemFailure: throw .keyUnusable(error)
            }
        }
        try save(record)
    }

    /// After `serverUnavailable` the same key and hash are sent again, in this run and in the next ones, while the challenge is fresh.
    /// After every other error the key is discarded, as Apple says.
    private func attest(
        _ id: String, _ challenge: Challenge, in record: inout KeyRecord, isNew: Bool
    ) async throws(PhoneError) {
        let clientData = ClientData(.register, challenge, payloadHash: sha256.hash(Data(user.utf8)))
        let hash = sha256.hash(clientData.bytes)
        let attestation: Data
        do {
            attestation = try await retries.run { () async throws(AppAttestError) in
                try await service.attestKey(id, clientDataHash: hash)
            } again: {
                $0 == .serverUnavailable ? .yes(after: nil) : .no
            }
        } catch {
            guard case .failed(let failure, _) = error else { throw .cancelled }
            guard failure != .serverUnavailable else { throw .appleUnavailable }
            record.key = nil
            try save(record)
            switch failure {
            case .featureUnsupported: throw .notSupported
            case .invalidKey, .invalidInput: if isNew { throw .keyUnusable(failure) }
            case .serverUnavailable, .unknownSystemFailure: throw .keyUnusable(failure)
            }
            return
        }
        record.key = .attested(Registration(challenge: challenge, keyID: id, attestation: attestation), wasSent: false)
        try save(record)
    }

    /// All requests of one attestation are the same bytes: a repeated one has the same answer.
    private func send(
        _ registration: Registration, wasSent: Bool, in record: inout KeyRecord, isNew: Bool
    ) async throws(PhoneError) {
        record.key = .attested(registration, wasSent: true)
        if !wasSent { try save(record) }
        var sends = wasSent ? 1 : 0
        let answer: BackendAnswer
        do throws(PhoneError) {
            answer = try await retries.ask { () async throws(BackendError) in
                sends += 1
                return try await backend.register(registration)
            }
        } catch {
            guard case .refused(let refusal) = error else { throw error }
            // An earlier request may have been accepted, and the refusal mean that the key is registered. The next upload shows it.
            let maybe = sends > 1 && refusal != .contactOperator
            record.key = maybe ? .registered(id: registration.keyID) : nil
            try save(record)
            guard maybe else { throw error }
            return
        }
        switch answer {
        case .done:
            record.key = .registered(id: registration.keyID)
        case .newChallenge:
            // No other challenge can be signed into this attestation. If an earlier request may have been accepted, the next upload
            // shows it.
            record.key = sends > 1 ? .registered(id: registration.keyID) : nil
        case .register:
            record.key = nil
        }
        try save(record)
        if isNew, record.key == nil { throw answer == .register ? .keyUnusable(nil) : .challengesRefused }
    }

    private var name: String { "key/" + user }

    private func load() throws(PhoneError) -> KeyRecord { try store.value(KeyRecord.self, name) ?? KeyRecord() }

    private func save(_ record: KeyRecord) throws(PhoneError) { try store.keep(record, name) }
}
