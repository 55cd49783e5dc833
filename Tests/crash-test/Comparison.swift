import AssayAPI
import AssayClient
import AssayCore
import AssaySimulator
import AssayTesting

/// Compares a restarted daemon with the expected state.
///
/// Requests without an answer are settled first, by sending them again. After that the state is known exactly: the devices,
/// every counter, and the number of the audit log's verdict records.
struct Comparison: Sendable {
    /// The most recent acceptances and rejections are repeated, this many; of older ones a third as many, at random.
    let recent: Int
    /// The number of repetitions while the daemon has a fault.
    static let hasty = 20
    /// Counters far above any used one: a rejection with them is not caused by the counter.
    static let fresh: UInt32 = 1_000_000_000

    let home: Home
    let expected: ExpectedState
    let findings: Findings
    let client: AssayClient

    /// Returns a description of the comparison for people.
    func run(seed: UInt64) async throws -> String {
        try await settleOpen()
        try await settleBlocks()
        try await certificates.settle()
        let state = expected.now
        try await compareDevices(state)
        try await compareTotals(state)
        var numbers = SeededNumbers(seed: seed)
        let acceptances = sample(state.acceptances, recent: recent, &numbers)
        try await concurrently(acceptances) { try await compareSpent($0, state) }
        try await concurrently(acceptances) { try await compareVerdict($0, state) }
        let refused = sample(state.refused, recent: recent, &numbers)
        try await concurrently(refused) { request in
            let verdict = try await verify(request)
            findings.expect(verdict.decision != .accepted || verdict.repeated, "what was refused came to life")
        }
        try await compareBlocks(state)
        let uploads = sample(state.uploads, recent: recent, &numbers)
        try await concurrently(uploads) { try await compareUpload($0) }
        let compared = try await certificates.run(seed: seed)
        // None of this was applied.
        try await compareTotals(state)
        return
            "compared \(state.registered.count) devices, \(acceptances.count) challenges and verdicts, \(refused.count) refusals, "
            + "\(uploads.count) uploads, \(state.blocks.count) blocks, \(state.count) audit records of verdicts; \(compared)"
    }

    private var certificates: CertificateComparison {
        CertificateComparison(recent: recent, home: home, expected: expected.certificates, findings: findings, client: client)
    }

    // MARK: Requests without an answer

    private func settleOpen() async throws {
        let open = expected.edit { state in
            defer { state.open = [] }
            return state.open
        }
        try await concurrently(open) { open in
            let verdict = try await verify(open.request)
            var device = Array(verdict.deviceID)
            if verdict.decision != .accepted {
                guard let found = try await applied(open) else {
                    findings.expect(
                        open.isOutOfTime,
                        "a request without an answer is neither applied nor accepted: \(verdict.reason) (\(verdict.detail))")
                    return expected.refused(open.request)
                }
                device = found
            }
            expected.accepted(
                open.request, verdict.decision == .accepted ? verdict : nil, device: device, by: open.phone,
                isOutOfTime: open.isOutOfTime)
        }
    }

    /// The device of a request that was applied before its answer was lost.
    private func applied(_ open: ExpectedState.Open) async throws -> [UInt8]? {
        do {
            let device = try await client.device(keyID: open.phone.key.keyID, app: home.app, timeout: LoadClient.patience)
            let isThere = open.request.purpose == .register || device.counter >= open.phone.key.counter
            return isThere ? Array(device.deviceID) : nil
        } catch {
            guard error.code == .notFound else { throw error }
            return nil
        }
    }

    private func settleBlocks() async throws {
        for block in expected.now.blocks.values where !block.isCertain {
            let device = expected.now.registered[block.phone.key.keyID]?.id
            try await client.setBlock(block.target, of: block.phone, device, isWanted: block.isWanted)
            expected.block(block.target, block.phone, isWanted: block.isWanted, isCertain: true)
        }
    }

    // MARK: Known facts

    private func compareDevices(_ state: ExpectedState.State) async throws {
        var found: [[UInt8]: Assay_V1_Device] = [:]
        for device in try await client.allDevices(of: home.app) { found[Array(device.keyID)] = device }
        for (keyID, registered) in state.registered {
            let name = Hex.encode(registered.id)
            guard let device = found.removeValue(forKey: keyID) else {
                findings.expect(false, "device \(name) is lost")
                continue
            }
            let isBlocked = state.blocks[keyID]?.isWanted ?? false
            findings.expect(Array(device.deviceID) == registered.id, "device \(name) has another id")
            findings.expect(
                device.counter == registered.counter,
                "the counter of device \(name) is \(device.counter), not \(registered.counter)")
            findings.expect(
                (device.state == .blocked) == isBlocked,
                "device \(name) is \(device.state), and \(isBlocked ? "was" : "was not") blocked")
        }
        findings.expect(found.isEmpty, "\(found.count) devices exist that no caller was told of")
    }

    private func compareTotals(_ state: ExpectedState.State) async throws {
        let status = try await client.status(timeout: LoadClient.patience)
        findings.expect(status.store.available, "the store is not available: \(status.store.problem)")
        let devices = state.registered.count + expected.certificates.now.devices.count
        findings.expect(
            status.store.devices == devices, "\(status.store.devices) devices are counted, not \(devices)")
        var counted = state.counted
        try await counted.count(all: status, by: client)
        let verdicts = counted.verdicts(of: [home.app])
        findings.expect(verdicts == state.count, "the audit log has \(verdicts) records of verdicts, not \(state.count)")
        certificates.compare(counted)
        expected.edit { [counted] in $0.counted = counted }
        expected.saw(status)
    }

    /// What was acknowledged of an upload is there; what was not may be.
    private func compareUpload(_ upload: ExpectedState.Upload) async throws {
        let found: Assay_V1_Upload
        do throws(AssayError) {
            found = try await client.upload(upload.id, in: home.app, timeout: LoadClient.patience)
        } catch {
            guard error.code == .notFound else { throw error }
            return findings.expect(false, "upload \(upload.id) is lost")
        }
        let missing = Set(found.missing.map(Int.init))
        findings.expect(
            upload.chunks.isDisjoint(with: missing),
            "upload \(upload.id) lost chunks that were acknowledged: \(upload.chunks.intersection(missing).sorted())")
        findings.expect(
            !upload.isFinished || found.state == .finished, "upload \(upload.id) is \(found.state), and was finished")
        guard let index = upload.chunks.first else { return }
        // The same again is fine; another hash is not.
        let again = upload.chunk(index)
        do throws(AssayError) {
            _ = try await client.putChunks([again], of: upload.id, in: home.app, timeout: LoadClient.patience)
        } catch {
            // Nothing may be written at present.
            guard error.code == .unavailable else { throw error }
            return
        }
        let other = UploadChunk(index: index, size: again.size, sha256: again.sha256.reversed())
        do throws(AssayError) {
            _ = try await client.putChunks([other], of: upload.id, in: home.app, timeout: LoadClient.patience)
            findings.expect(false, "another chunk \(index) of upload \(upload.id) was kept")
        } catch {
            guard error.reason == "tamper_detected" else { throw error }
        }
    }

    /// Valid new evidence over a spent challenge.
    private func compareSpent(_ acceptance: ExpectedState.Acceptance, _ state: ExpectedState.State) async throws {
        guard let keyID = acceptance.request.evidence.first?.keyID, let registered = state.registered[keyID] else { return }
        let request: VerificationRequest
        if acceptance.request.purpose == .register {
            request = try home.phone().registration(acceptance.request.challenge)
        } else {
            var phone = registered.phone
            request = try phone.upload(acceptance.request.challenge, counter: Self.fresh)
        }
        let verdict = try await verify(request)
        var known: Set = ["challenge_reused", "challenge_attempts_exceeded", "device_blocked"]
        if acceptance.mayHaveExpired { known.insert("challenge_expired") }
        findings.expect(
            verdict.decision == .rejected && known.contains(verdict.reason),
            "a spent challenge gives \(verdict.decision) \(verdict.reason)")
    }

    /// The same request under its idempotency key.
    private func compareVerdict(_ acceptance: ExpectedState.Acceptance, _ state: ExpectedState.State) async throws {
        let request = acceptance.request
        let keyID = request.evidence.first?.keyID ?? []
        var verdict = try await verify(request)
        let mustRepeat =
            !request.idempotencyKey.isEmpty && !acceptance.mayHaveExpired && !(state.blocks[keyID]?.isWanted ?? false)
        findings.expect(
            verdict.decision == .rejected || verdict.repeated, "a request was accepted a second time, and as a new one")
        guard mustRepeat, var stored = acceptance.verdict else { return }
        findings.expect(verdict.repeated, "a stored verdict is lost: \(verdict.reason) (\(verdict.detail))")
        (verdict.repeated, stored.repeated) = (false, false)
        findings.expect(verdict.decision == .rejected || verdict == stored, "a stored verdict has changed")
    }

    /// Evidence of blocked phones, and of keys that must not be registered.
    private func compareBlocks(_ state: ExpectedState.State) async throws {
        let blocks = state.blocks.values.filter(\.isWanted).suffix(recent)
        try await concurrently(Array(blocks)) { block in
            var phone = block.phone
            let purpose: Purpose = block.target == .device ? .assert : .register
            let challenge = try await client.issueChallenge(app: home.app, purpose: purpose, timeout: LoadClient.patience).bytes
            let request =
                block.target == .device
                ? try phone.upload(challenge, counter: Self.fresh) : try phone.registration(challenge)
            let verdict = try await verify(request)
            findings.expect(verdict.reason == "device_blocked", "a block is lost: \(verdict.decision) \(verdict.reason)")
        }
    }

    private func verify(_ request: VerificationRequest) async throws -> Assay_V1_Verdict {
        try await client.verify(request, timeout: LoadClient.patience)
    }
}

/// The last elements, and of the earlier ones a third as many, at random.
func sample<Element>(_ all: [Element], recent: Int, _ numbers: inout SeededNumbers) -> [Element] {
    let older = all.dropLast(recent)
    return all.suffix(recent) + (0..<min(recent / 3, older.count)).compactMap { _ in older.randomElement(using: &numbers) }
}

/// Calls `body` for each element, a few at a time.
func concurrently<Element: Sendable>(
    _ elements: [Element], _ work: @escaping @Sendable (Element) async throws -> Void
) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
        for loadClient in 0..<Load.loadClients {
            group.addTask {
                for index in stride(from: loadClient, to: elements.count, by: Load.loadClients) {
                    try await work(elements[index])
                }
            }
        }
        try await group.waitForAll()
    }
}

extension AssayClient {
    /// Every device of an app.
    func allDevices(of app: AppID) async throws -> [Assay_V1_Device] {
        var devices: [Assay_V1_Device] = []
        var token: [UInt8] = []
        repeat {
            let page = try await self.devices(app: app, pageSize: 200, pageToken: token, timeout: LoadClient.patience)
            devices += page.devices
            token = Array(page.nextPageToken)
        } while !token.isEmpty
        return devices
    }
}

extension Comparison {
    /// Repeats some accepted requests while the daemon has a fault: any rejection, or the stored verdict, is correct; a new
    /// acceptance is not.
    func tryAgain(seed: UInt64) async throws {
        var numbers = SeededNumbers(seed: seed)
        let state = expected.now
        let some = (0..<Self.hasty).compactMap { _ in state.acceptances.randomElement(using: &numbers) }
        try await concurrently(some) { acceptance in
            let verdict = try await verify(acceptance.request)
            findings.expect(verdict.decision == .rejected || verdict.repeated, "a request was accepted a second time")
            var unkeyed = acceptance.request
            unkeyed.idempotencyKey = []
            findings.expect(try await verify(unkeyed).decision == .rejected, "a spent challenge was accepted again")
        }
        try await certificates.tryAgain(seed: seed)
    }
}
