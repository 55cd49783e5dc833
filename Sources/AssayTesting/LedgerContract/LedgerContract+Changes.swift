import AssayCore

extension LedgerContract {
    static let changeQuestions = [
        Question("records who blocked and unblocked what, and nothing where nothing changed") { it in
            let device = try await it.register(.sample(subject: LedgerUnderTest.subject))
            let (app, start) = (device.app, try await it.ledger.status().auditCount)
            let key = DeviceKey(app: app, keyID: SecureRandom.bytes(32))
            let targets: [(BlockTarget, Int)] = [
                (.device(device.id), 1), (.subject(LedgerUnderTest.subject, of: app), 1), (.key(device.key), 1), (.key(key), 0),
            ]
            var expected: [AuditChange] = []
            for (target, devices) in targets {
                for wasBlocked in [false, true] {
                    let context = asked("reason \(wasBlocked)")
                    _ = try await it.ledger.block(target, context)
                    let change = BlockChange(wasBlocked: wasBlocked, devices: devices, blocked: devices)
                    expected.append(.block(target, of: app, change, context))
                }
            }
            for (target, devices) in targets {
                // The second time there is nothing to lift.
                for _ in 0..<2 { _ = try await it.ledger.unblock(target, asked("")) }
                let change = BlockChange(wasBlocked: true, devices: devices, blocked: 0)
                expected.append(.unblock(target, of: app, change, asked("")))
            }
            _ = try await it.ledger.block(.device(.random()), asked("no such device"))
            _ = try await it.ledger.unblock(.device(.random()), asked("no such device"))
            try await expectChanges(expected, after: start, it)
        },
        Question("records a forgotten device, and whether its key stays blocked") { it in
            let (free, blocked) = (try await it.register(.sample()), try await it.register(.sample()))
            _ = try await it.block(.key(blocked.key))
            let start = try await it.ledger.status().auditCount
            for device in [free, blocked] {
                // The second time there is none.
                for _ in 0..<2 { _ = try await it.ledger.forget(device.id, asked("asked for")) }
            }
            try await expectChanges(
                [
                    .forget(free, ForgottenDevice(keyStaysBlocked: false), asked("asked for")),
                    .forget(blocked, ForgottenDevice(keyStaysBlocked: true), asked("asked for")),
                ], after: start, it)
        },
        Question("records the devices that one import added in one record, with their number and digest") { it in
            let known = try await it.register(.sample())
            let start = try await it.ledger.status().auditCount
            let new = [try Device.sample(counter: 7), try Device.sample()]
            let foreign = try Device.sample(app: "another")
            let batch = [new[0], known.again(), foreign, new[1], new[0].again()]
            let outcomes = try await it.ledger.add(imported: batch, asked(""))
            try same(
                outcomes, [.added(new[0].id), .present(known.id), .added(foreign.id), .added(new[1].id), .present(new[0].id)],
                "the outcomes")
            _ = try await it.ledger.add(imported: [new[0].again(), known.again()], asked("nothing new"))
            let expected = AuditChange.imports(of: new, new.map { .added($0.id) }, asked(""))
            try await expectChanges(
                expected + AuditChange.imports(of: [foreign], [.added(foreign.id)], asked("")), after: start, it)
            try same(expected.first?.count, 2, "devices in the record")
            try same(expected.first?.digest, AuditChange.digest(ofImported: new), "the digest in the record")
        },
        Question("records that claims were forgotten, and not where there were none") { it in
            let device = try await it.register(.sample())
            let claims = AuditClaims(salt: [1], claims: [2])
            for _ in 0..<3 {
                try await it.expect(.sample(about: device.id, claims: claims), .committed, "an entry with claims")
            }
            let start = try await it.ledger.status().auditCount
            for _ in 0..<2 { _ = try await it.ledger.forgetAuditClaims(of: device.id, app: device.app, asked("")) }
            try await expectChanges(
                [.forgetClaims(of: device.id, app: device.app, count: 3, asked(""))], after: start, it)
        },
        Question("records changes that were made elsewhere, and the chain goes on with verdicts") { it in
            let change = AuditChange.configurationLoad(SecureRandom.bytes(32), version: "1", by: .start)
            try await it.ledger.record(change, at: changedAt)
            try same(await it.ledger.status().lastEntryAt, nil, "the time of the last verdict before the first")
            let entry = LedgerEntry.sample()
            try await it.expect(entry, .committed, "an entry behind a change")
            try await it.ledger.record(change, at: changedAt)
            let chain = AuditChain().appending(change.bytes, at: changedAt).appending(entry.audit.bytes, at: entry.time)
                .appending(change.bytes, at: changedAt)
            let status = try await it.ledger.status()
            try same(status.auditEnd, chain, "the end of the chain")
            try same(status.lastEntryAt, entry.time, "the time of the last verdict")
            try same(status.auditStart, AuditChain(), "the start of the chain")
        },
    ]

    private static let changedAt = LedgerUnderTest.now.adding(milliseconds: 12)

    private static func asked(_ reason: String) -> ChangeContext {
        ChangeContext(.caller("operator"), at: changedAt, reason: reason)
    }

    /// The log goes on after a number with these changes and nothing else, and is chained.
    private static func expectChanges(_ expected: [AuditChange], after start: Int64, _ it: LedgerUnderTest) async throws {
        let page = try await it.ledger.audit(from: .min, limit: AuditPage.limit)
        var verifier = AuditVerifier(from: page.start)
        for row in page.rows { verifier.take(row) }
        try same(verifier.finish(), nil, "what is wrong with the chain")
        let found = page.rows.drop { $0.number <= start }
        try same(found.map { AuditEntry(decoding: $0.record) }, expected.map { .change($0) }, "the changes")
        try same(found.allSatisfy { $0.time == changedAt }, true, "that each has its time")
    }
}
