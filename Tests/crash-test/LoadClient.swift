import AssayAPI
import AssayClient
import AssayCore
import AssaySimulator
import AssayTesting

/// One caller of the load. It sends one request after the other, chosen by its own random numbers, and records the answers.
struct LoadClient: Sendable {
    /// A call that takes longer counts as not answered.
    static let patience = Duration.seconds(30)

    let load: Load
    /// The number of the daemon that the client is connected to.
    let daemon: Int
    let client: AssayClient
    /// Connected to another daemon, and its number; `nil`: there is one.
    let other: (client: AssayClient, daemon: Int)?
    var numbers: SeededNumbers
    var phones: [Phone]
    let isOutOfTime: Bool
    private var mine: [VerificationRequest] = []
    /// Whose chunks are being stated.
    private var current: ExpectedState.Upload?

    private var home: Home { load.home }
    private var expected: ExpectedState { load.expected }

    init(
        load: Load, daemon: Int, client: AssayClient, other: (client: AssayClient, daemon: Int)?, numbers: SeededNumbers,
        phones: [Phone], isOutOfTime: Bool
    ) {
        (self.load, self.daemon, self.client, self.other) = (load, daemon, client, other)
        (self.numbers, self.phones) = (numbers, phones)
        self.isOutOfTime = isOutOfTime
    }

    mutating func run() async throws {
        // Under a clock that is stepped uploads may expire, and be forgotten.
        if isOutOfTime { expected.edit { $0.uploads = [] } }
        try await load.untilOver { try await step() }
    }

    private mutating func step() async throws {
        switch numbers.next() % 20 {
        case 0..<6: try await register()
        case 6..<13: try await upload()
        case 13: try await stateChunks()
        case 14..<16: try await replay()
        case 16: try await forgeUpload()
        case 17: try await forgeRegistration()
        case 18: try await block()
        default: try await reuseKey()
        }
    }

    // MARK: Requests to be accepted

    private mutating func register() async throws {
        let phone = home.phone()
        if try await accept(try phone.registration(try await challenge(.register)), by: phone) { phones.append(phone) }
    }

    private mutating func upload() async throws {
        guard !phones.isEmpty else { return try await register() }
        // Out of the list while its request is in flight: a phone with an open request sends nothing more.
        var phone = phones.remove(at: Int.random(in: phones.indices, using: &numbers))
        let request: VerificationRequest
        do { request = try phone.upload(try await challenge(.assert)) } catch {
            phones.append(phone)
            throw error
        }
        if try await accept(request, by: phone) { phones.append(phone) }
    }

    /// Sends a request that must be accepted. Most requests have an idempotency key, as recommended.
    private mutating func accept(_ request: VerificationRequest, by phone: Phone) async throws -> Bool {
        var request = request
        if numbers.next() % 4 > 0 { request.idempotencyKey = key() }
        let outage = load.outage.number
        let (verdict, judge): (Assay_V1_Verdict, Int)
        do {
            (verdict, judge) = try await submit(request)
        } catch {
            expected.edit { $0.open.append(.init(request: request, phone: phone, isOutOfTime: isOutOfTime)) }
            throw error
        }
        guard verdict.decision == .accepted else {
            // Under a clock that steps between challenge and verdict this is allowed.
            load.findings.expect(isOutOfTime, "good evidence was refused: \(verdict.reason) (\(verdict.detail))")
            if isOutOfTime {
                load.countRefused()
                expected.edit { $0.open.append(.init(request: request, phone: phone, isOutOfTime: true)) }
            }
            return false
        }
        load.findings.expect(
            outage % 2 == 0 || load.outage.number != outage, "a request was accepted while nothing could be written")
        expected.accepted(request, verdict, device: Array(verdict.deviceID), by: phone, isOutOfTime: isOutOfTime)
        mine.append(request)
        load.countAccepted(by: judge)
        return true
    }

    /// Sends a request to its daemon, and now and then to two at once, of which one may accept it as a new one.
    ///
    /// - Returns: the verdict, and the number of the daemon that it is of.
    private mutating func submit(_ request: VerificationRequest) async throws -> (Assay_V1_Verdict, Int) {
        guard let other, numbers.next() % 6 == 0 else {
            return (try await client.verify(request, timeout: Self.patience), daemon)
        }
        async let first = answer(to: request, from: client)
        async let second = answer(to: request, from: other.client)
        let answers = await [(first, daemon), (second, other.daemon)]
        let accepted = answers.compactMap { answer, daemon in (try? answer.get()).map { ($0, daemon) } }
            .filter { $0.0.decision == .accepted }
        load.findings.expect(accepted.count { !$0.0.repeated } <= 1, "two daemons accepted one request")
        if let verdict = accepted.first(where: { !$0.0.repeated }) ?? accepted.first { return verdict }
        // Where one answer is missing, the other daemon's rejection may be because of what was accepted there.
        for case (.failure(let error), _) in answers { throw error }
        return (try answers[0].0.get(), daemon)
    }

    private func answer(
        to request: VerificationRequest, from client: AssayClient
    ) async -> Result<Assay_V1_Verdict, AssayError> {
        do throws(AssayError) {
            return .success(try await client.verify(request, timeout: Self.patience))
        } catch {
            return .failure(error)
        }
    }

    // MARK: Uploads in chunks

    /// Begins an upload of 2 to 9 chunks, states some of them, of which some were stated before, or finishes it.
    private mutating func stateChunks() async throws {
        guard !isOutOfTime, home.takesUploads else { return try await self.upload() }
        guard var upload = current else {
            let (hash, count) = (SecureRandom.bytes(32), UInt64(2 + numbers.next() % 8))
            let begun = try await client.beginUpload(
                of: home.app, size: (count - 1) * 65_536 + 1, chunkSize: 65_536, payloadSHA256: hash, timeout: Self.patience)
            guard let id = UploadID(bytes: Array(begun.uploadID)) else { throw Trouble("an upload has no id") }
            let plan = try ChunkPlan(size: begun.size, chunkSize: UInt64(begun.chunkSize))
            let upload = ExpectedState.Upload(id: id, plan: plan, payloadSHA256: hash)
            expected.acknowledged(upload)
            current = upload
            return
        }
        let daemon = other?.client ?? client
        if upload.chunks.count == upload.plan.count {
            let statement = UploadStatement(count: upload.plan.count, payloadSHA256: upload.payloadSHA256)
            let finished = try await daemon.finalizeUpload(upload.id, in: home.app, statement, timeout: Self.patience)
            load.findings.expect(finished.state == .finished, "an upload is \(finished.state) after its end")
            upload.isFinished = true
            current = nil
        } else {
            let first = Int(numbers.next() % UInt64(upload.plan.count))
            let indexes = first..<min(first + 3, upload.plan.count)
            let stated = try await daemon.putChunks(
                indexes.map(upload.chunk), of: upload.id, in: home.app, timeout: Self.patience)
            upload.chunks.formUnion(indexes)
            load.findings.expect(
                upload.chunks.isDisjoint(with: stated.missing.map(Int.init)), "chunks are missing that were acknowledged")
            current = upload
        }
        expected.acknowledged(upload)
    }

    // MARK: Requests to be refused

    /// Repeats the request as if it were another one.
    private mutating func replay() async throws {
        guard var request = mine.randomElement(using: &numbers) else { return try await register() }
        request.idempotencyKey = numbers.next() % 2 == 0 ? [] : key()
        try await refuse(request, "a replay")
    }

    private mutating func forgeUpload() async throws {
        guard var phone = phones.randomElement(using: &numbers) else { return try await register() }
        let request = try phone.upload(try await challenge(.assert), signer: TestSigningKey(.p256))
        try await refuse(request, "a forged upload")
    }

    private func forgeRegistration() async throws {
        var stranger = VirtualPhone(authority: Self.strangers, appID: Home.appID)
        let phone = Phone(key: stranger.makeKey(), app: home.app)
        try await refuse(try phone.registration(try await challenge(.register)), "a registration under a strange root")
    }

    private static let strangers = TestAuthority()

    /// Another request under the key of an accepted one.
    private mutating func reuseKey() async throws {
        // A clock that ran ahead drops keys, and must: then the evidence would be valid.
        guard !isOutOfTime, let earlier = mine.randomElement(using: &numbers), !earlier.idempotencyKey.isEmpty,
            var phone = phones.randomElement(using: &numbers)
        else { return try await register() }
        // The next counter is reserved for the next request.
        var request = try phone.upload(try await challenge(.assert))
        request.idempotencyKey = earlier.idempotencyKey
        try await refuse(request, "a request under a used idempotency key", isWorthRepeating: false)
    }

    /// - Parameter isWorthRepeating: it must be refused again after the daemon's restart.
    private func refuse(
        _ request: VerificationRequest, _ what: String, isWorthRepeating: Bool = true
    ) async throws {
        if isWorthRepeating { expected.refused(request) }
        // At another daemon than the one that accepted, or blocked, if there is one.
        let verdict = try await (other?.client ?? client).verify(request, timeout: Self.patience)
        load.countRefused()
        load.findings.expect(verdict.decision == .rejected, "\(what) was accepted")
    }

    // MARK: Blocks

    /// Blocks a phone, or a key that is not registered yet, and checks the effect; sometimes unblocks it.
    private mutating func block() async throws {
        let isDevice = numbers.next() % 2 == 0 && !phones.isEmpty
        var phone = isDevice ? phones.remove(at: Int.random(in: phones.indices, using: &numbers)) : home.phone()
        try await set(isDevice ? .device : .key, phone, isWanted: true)
        let request =
            isDevice
            ? try phone.upload(try await challenge(.assert)) : try phone.registration(try await challenge(.register))
        try await refuse(request, "evidence of a blocked phone", isWorthRepeating: false)
        guard numbers.next() % 4 == 0 else { return }
        try await set(isDevice ? .device : .key, phone, isWanted: false)
    }

    private func set(_ target: ExpectedState.Block.Target, _ phone: Phone, isWanted: Bool) async throws {
        expected.block(target, phone, isWanted: isWanted, isCertain: false)
        try await client.setBlock(target, of: phone, expected.now.registered[phone.key.keyID]?.id, isWanted: isWanted)
        expected.block(target, phone, isWanted: isWanted, isCertain: true)
    }

    // MARK: Parts

    private func challenge(_ purpose: Purpose) async throws -> [UInt8] {
        try await client.issueChallenge(app: home.app, purpose: purpose, timeout: Self.patience).bytes
    }

    private func key() -> [UInt8] { SecureRandom.bytes(16) }
}

extension AssayClient {
    /// Blocks or unblocks a phone's device or key.
    func setBlock(
        _ target: ExpectedState.Block.Target, of phone: Phone, _ device: [UInt8]?, isWanted: Bool
    ) async throws {
        let subject: BlockSubject
        switch target {
        case .key: subject = .key(phone.key.keyID)
        case .device:
            guard let id = device.flatMap({ DeviceID(bytes: $0) }) else { throw Trouble("a phone has no device") }
            subject = .device(id)
        }
        if isWanted {
            _ = try await block(subject, app: phone.app, reason: "crash test", timeout: LoadClient.patience)
        } else {
            _ = try await unblock(subject, app: phone.app, timeout: LoadClient.patience)
        }
    }
}
