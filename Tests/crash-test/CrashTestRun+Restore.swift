import AssayAPI
import AssayClient
import AssayCore
import AssaySimulator
import Foundation

extension CrashTestRun {
    /// The expected state before and after the backup, and challenges that were unused when the daemon was killed.
    private struct Backup: Sendable {
        let early: ExpectedState.State
        let late: ExpectedState.State
        let certificates: CertificateRestore.Backup
        let unspent: [(purpose: Purpose, bytes: [UInt8])]
    }

    /// A backup is made under load; the daemon continues and is killed; the backup replaces the ledger and is started as
    /// docs/operate/backups.md describes.
    mutating func restore(_ load: Load) async throws {
        let process = try await running()
        let (before, after) = (someAcceptances(), someAcceptances())
        let (home, expected, file) = (home, expected, home.file("backup.db"))
        let backup = try await load.run(seed: numbers.next()) { load in
            try await load.wait(for: before)
            let (early, earlyCertificates) = (expected.now, expected.certificates.now)
            try LedgerBackup.make(of: home.ledger, at: file)
            let (late, lateCertificates) = (expected.now, expected.certificates.now)
            try await load.wait(for: load.accepted + after)
            let unspent = try await Self.unspentChallenges(home)
            try await Self.seeList(home, expected)
            process.signal(SIGKILL)
            load.stop()
            return Backup(
                early: early, late: late, certificates: .init(early: earlyCertificates, late: lateCertificates),
                unspent: unspent)
        }
        try await process.end()
        kills += 1
        self.process = nil

        for file in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: home.ledger + file) }
        try FileManager.default.moveItem(atPath: file, toPath: home.ledger)
        let whole = try await run(["audit", "verify", home.ledger])
        findings.expect(whole.status == 0, "the audit log of the backup does not verify: \(whole.words)")
        let state = expected.now
        // What was stated after the backup is missing in it.
        expected.edit { $0.uploads = [] }
        let sought = try await run(["audit", "verify", home.ledger, "--expect-head", state.heads[.only]?.description ?? ""])
        let forgetting = try await run(["forget-challenges", "--config", home.configuration()])
        findings.expect(forgetting.status == 0, "forget-challenges: \(forgetting.words)")

        _ = try await running()
        let client = try await home.connect()
        let status = try await client.status(timeout: LoadClient.patience)
        var counted = AuditCount()
        try await counted.count(all: status, by: client)
        let count = counted.verdicts(of: [home.app])
        findings.expect(
            backup.early.count <= count && count <= backup.late.count + Int64(Load.loadClients),
            "the backup has \(count) audit records of verdicts, not \(backup.early.count) to \(backup.late.count) and what was in flight"
        )
        if let head = state.heads[.only], head.chain.number > status.audit.count {
            findings.expect(sought.status == 1, "a head from after the backup is not missed: \(sought.words)")
        }
        try await compareChallenges(backup, state, client)
        try await adopt(backup, counted, client)
        let certificates = try await CertificateRestore(
            backup: backup.certificates, recent: recent, home: home, expected: expected.certificates, findings: findings,
            client: client
        ).run(counted)
        note =
            "; restored \(count) of \(state.count) accepted verdicts, \(expected.now.registered.count) of "
            + "\(state.registered.count) devices, \(certificates) and no challenge"
        await client.close()
        try await finish()
    }

    private static func unspentChallenges(_ home: Home) async throws -> [(purpose: Purpose, bytes: [UInt8])] {
        let client = try await home.connect()
        var challenges: [(purpose: Purpose, bytes: [UInt8])] = []
        for index in 0..<20 {
            let purpose: Purpose = index % 2 == 0 ? .register : .assert
            challenges.append((purpose, try await client.issueChallenge(app: home.app, purpose: purpose).bytes))
        }
        await client.close()
        return challenges
    }

    /// The revocation list after the backup. The next one has a greater number, unless it is the same.
    private static func seeList(_ home: Home, _ expected: ExpectedState) async throws {
        let client = try await home.connect()
        let list = try await client.revocationList(timeout: LoadClient.patience)
        expected.certificates.edit { $0.list = (list.number, Array(list.list)) }
        await client.close()
    }

    /// Every challenge from before the restore is invalid: spent before the backup, after it, or not at all. Equal requests
    /// under an idempotency key may get the backup's verdict; nothing is accepted again.
    private func compareChallenges(_ backup: Backup, _ state: ExpectedState.State, _ client: AssayClient) async throws {
        let findings = findings
        let (home, recent) = (home, recent)
        guard let phone = state.registered.values.first?.phone else { return }
        let spent = state.acceptances.suffix(recent)
        let challenges = backup.unspent + spent.map { ($0.request.purpose, $0.request.challenge) }
        try await concurrently(challenges) { purpose, challenge in
            var phone = phone
            let request =
                purpose == .register
                ? try home.phone().registration(challenge) : try phone.upload(challenge, counter: Comparison.fresh)
            let verdict = try await client.verify(request, timeout: LoadClient.patience)
            findings.expect(
                verdict.reason == "challenge_invalid",
                "a challenge from before the restore gives \(verdict.decision) \(verdict.reason)")
        }
        try await concurrently(spent.map(\.request) + state.refused.suffix(recent)) { request in
            let verdict = try await client.verify(request, timeout: LoadClient.patience)
            findings.expect(verdict.decision == .rejected || verdict.repeated, "a restore made an old request good again")
        }
    }

    /// Compares the registry with its state at the backup, and continues with it: later changes are lost, which is the cost of
    /// a restore.
    private func adopt(_ backup: Backup, _ counted: AuditCount, _ client: AssayClient) async throws {
        var kept: [[UInt8]: ExpectedState.Registered] = [:]
        let known = expected.now
        let phones = known.registered.mapValues(\.phone).merging(known.open.map { ($0.phone.key.keyID, $0.phone) }) { old, _ in
            old
        }
        for device in try await client.allDevices(of: home.app) {
            let keyID = Array(device.keyID)
            guard let phone = phones[keyID] else {
                findings.expect(false, "the backup has a device that was never registered")
                continue
            }
            let earliest = backup.early.registered[keyID]?.counter ?? 0
            findings.expect(device.counter >= earliest, "the backup has an older counter than it had when it was made")
            if let block = backup.early.blocks[keyID], block.isCertain, block.isWanted {
                findings.expect(device.state == .blocked, "the backup lost a block")
            }
            kept[keyID] = .init(phone: phone, id: Array(device.deviceID), counter: device.counter)
        }
        for keyID in backup.early.registered.keys {
            findings.expect(kept[keyID] != nil, "the backup lost a device")
        }
        expected.edit { state in
            state.registered = kept
            state.acceptances = []
            state.open = []
            (state.count, state.counted) = (counted.verdicts(of: [home.app]), counted)
            state.heads = [:]
            // Blocks that were set since must be set again.
            state.blocks = state.blocks.filter { $0.value.target == .key || kept[$0.key] != nil }
                .mapValues { block in
                    var block = block
                    block.isCertain = false
                    return block
                }
        }
    }
}
