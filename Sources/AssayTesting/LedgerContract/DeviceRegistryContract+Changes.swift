import AssayCore

extension DeviceRegistryContract {
    static let changeChecks: [ContractCheck] = [
        ContractCheck("An import adds each new device once and tells the outcome of each") { it in
            let known = try await it.register(.sample(subject: LedgerUnderTest.subject, counter: 5))
            let blocked = try Device.sample()
            _ = try await it.block(.key(blocked.key))
            let (one, two) = (try Device.sample(counter: 41), try Device.sample())
            let other = try Device.sample(keyID: one.registration.keyID)
            let batch = [one, known.again(), blocked, other, two, one]
            let expected: [ImportOutcome] = [
                .added(one.id), .present(known.id), .refused(.deviceBlocked), .conflict(one.id), .added(two.id),
                .present(one.id),
            ]
            try same(await it.ledger.add(imported: batch), expected, "the outcomes")
            try same(await it.bothWays(one), one, "the first")
            try same(await it.bothWays(two), two, "the second")
            try same(await it.bothWays(known), known, "the one that was on record")
            try same(await it.bothWays(blocked), nil, "the blocked one")
            try same(await it.ledger.status().devices, 3, "devices")
            try same(await it.ledger.add(imported: []), [], "the outcomes of nothing")
        },
        ContractCheck("An import of a known device conflicts if the device was used elsewhere since") { it in
            let device = try Device.sample(counter: 5)
            try same(await it.ledger.add(imported: [device]), [.added(device.id)], "the first time")
            try await it.expect(.advance(device.id, to: 9), .committed, "its counter")
            try same(await it.ledger.add(imported: [device.again()]), [.present(device.id)], "the second time")
            try same(await it.bothWays(device)?.counter, 9, "the counter")
            let ahead = Device(
                id: .random(), app: device.app, subject: nil, registration: device.registration,
                registeredAt: LedgerUnderTest.now, counter: 10)
            try same(await it.ledger.add(imported: [ahead]), [.conflict(device.id)], "a counter that is higher")
            let owned = device.again(subject: LedgerUnderTest.subject)
            try same(await it.ledger.add(imported: [owned]), [.conflict(device.id)], "a subject that it has not")
        },
        ContractCheck("64 imports race for a key: exactly one adds it") { it in
            let device = try Device.sample()
            let outcomes = try await withThrowingTaskGroup(of: [ImportOutcome].self) { group in
                for _ in 0..<racers { group.addTask { try await it.ledger.add(imported: [device.again()]) } }
                return try await group.reduce(into: [ImportOutcome]()) { $0 += $1 }
            }
            guard let winner = try await it.ledger.device(device.key) else { throw ContractViolation("no device is found") }
            try same(outcomes.count { $0 == .added(winner.id) }, 1, "winners")
            try same(outcomes.count { $0 == .present(winner.id) }, racers - 1, "losers that heard of the winner")
        },
        ContractCheck("An import is recorded once for each app, with the number and digest of its devices") { it in
            let known = try await it.register(.sample())
            let start = try await it.ledger.status().auditCount
            let new = [try Device.sample(counter: 7), try Device.sample()]
            let foreign = try Device.sample(app: "another")
            let batch = [new[0], known.again(), foreign, new[1], new[0].again()]
            let outcomes = try await it.ledger.add(imported: batch, LedgerUnderTest.asked(""))
            try same(
                outcomes, [.added(new[0].id), .present(known.id), .added(foreign.id), .added(new[1].id), .present(new[0].id)],
                "the outcomes")
            _ = try await it.ledger.add(imported: [new[0].again(), known.again()], LedgerUnderTest.asked("nothing new"))
            let expected = AuditChange.imports(of: new, new.map { .added($0.id) }, LedgerUnderTest.asked(""))
            try await it.expectChanges(
                expected + AuditChange.imports(of: [foreign], [.added(foreign.id)], LedgerUnderTest.asked("")), after: start)
            try same(expected.first?.count, 2, "devices in the record")
            try same(expected.first?.digest, AuditChange.digest(ofImported: new), "the digest in the record")
        },
        ContractCheck("A forgotten device can register again") { it in
            let device = try await it.register(.sample(subject: LedgerUnderTest.subject))
            _ = try await it.bothWays(device)
            try same(await it.ledger.forget(device.id), ForgottenDevice(keyStaysBlocked: false), "the answer")
            try same(await it.bothWays(device), nil, "the device")
            try same(await it.ledger.status().devices, 0, "devices")
            try await it.expect(.advance(device.id, to: 1), .refused(.unknownDevice), "its counter")
            try same(await it.ledger.forget(device.id), nil, "the answer, the second time")
            let again = try await it.register(device.again())
            try same(await it.bothWays(again), again, "the key, registered again")
            try same(await it.ledger.device(device.id), nil, "the name that it had")
            try await it.expect(.advance(again.id, to: 1), .committed, "its counter")
        },
        ContractCheck("The key of a blocked device stays blocked after the device is forgotten") { it in
            for kind in BlockKind.allCases {
                let device = try await it.register(.sample(subject: LedgerUnderTest.subject))
                guard let target = device.blockTarget(kind) else { throw ContractViolation("the device has no \(kind)") }
                _ = try await it.block(target, reason: "\(kind)")
                try same(await it.ledger.forget(device.id), ForgottenDevice(keyStaysBlocked: true), "the answer")
                try same(await it.bothWays(device), nil, "the device")
                if kind == .subject { _ = try await it.ledger.unblock(target) }
                let again = device.again(subject: [UInt8](repeating: 9, count: 32))
                try await it.expect(.register(again), .refused(.deviceBlocked), "its key, blocked by \(kind)")
                try same(await it.ledger.add(imported: [again]), [.refused(.deviceBlocked)], "its key, imported")
                let lifted = BlockChange(wasBlocked: true, devices: 0, blocked: 0)
                try same(await it.ledger.unblock(.key(device.key)), lifted, "lifting the block of the key")
                try await it.expect(.register(again), .committed, "its key when the block is lifted")
                try same(await it.bothWays(again)?.blocks, [], "its blocks")
            }
        },
        ContractCheck("A stored verdict goes with its forgotten device") { it in
            let (gone, kept) = (try await it.register(.sample()), try await it.register(.sample()))
            for (key, device) in [(UInt8(1), gone), (2, kept)] {
                let entry = LedgerEntry.ask(key: [key], request: [2], verdict: [3], device: device.id)
                try await it.expect(entry, .committed, "a verdict")
            }
            _ = try await it.ledger.forget(gone.id)
            try same(await it.ledger.verdict(idempotencyKey: [1], now: LedgerUnderTest.now), nil, "the verdict")
            try same(await it.ledger.verdict(idempotencyKey: [2], now: LedgerUnderTest.now)?.verdict, [3], "another's verdict")
        },
        ContractCheck("64 counters race the removal of their device: none is committed after it") { it in
            let device = try await it.register(.sample())
            let outcomes = try await withThrowingTaskGroup(of: CommitOutcome?.self) { group in
                for counter in 1...UInt32(racers) {
                    group.addTask { try await it.commit(.advance(device.id, to: counter, .window64)) }
                }
                group.addTask {
                    _ = try await it.ledger.forget(device.id)
                    return nil
                }
                return try await group.reduce(into: []) { $0 += [$1].compactMap(\.self) }
            }
            let wrong = outcomes.filter { $0 != .committed && $0 != .refused(.unknownDevice) }
            try same(wrong, [], "outcomes of another kind")
            try same(await it.bothWays(device), nil, "the device")
        },
        ContractCheck("The certificates of a forgotten device are revoked without their DER, and its submissions are dropped") {
            it in
            let (device, one) = try await it.certified()
            let two = try await it.issue(.sample(of: device))
            let (other, kept) = try await it.certified()
            let earlier = ChangeContext(.caller("operator"), at: LedgerUnderTest.now)
            _ = try await it.ledger.revoke(one.name, .keyCompromise, earlier)
            for id in [device.id, other.id] { try await it.expect(.submit(id, atMost: 9), .committed, "a submission") }
            let start = try await it.ledger.status().auditCount
            let context = LedgerUnderTest.asked("asked for")
            _ = try await it.ledger.forget(device.id, context)
            try await it.expectChanges(
                [
                    .forget(device, ForgottenDevice(keyStaysBlocked: false), context),
                    .revoke(two, .cessationOfOperation, context),
                ], after: start)
            let before = one.revoked(.keyCompromise, at: LedgerUnderTest.now)
            try same(await it.bothWays(one), before.withoutDER, "the certificate that was revoked before")
            try same(await it.bothWays(two), two.revoked(.cessationOfOperation).withoutDER, "the other certificate")
            try same(await it.bothWays(kept), kept, "the certificate of another device")
            try same(await it.ledger.submissions(of: device.id, at: LedgerUnderTest.now), 0, "its submissions")
            try same(await it.ledger.submissions(of: other.id, at: LedgerUnderTest.now), 1, "another's submissions")
            let again = try await it.register(device.again())
            let entry = LedgerEntry.issue(.sample(of: again, keyID: two.keyID))
            try await it.expect(entry, .refused(.keyAlreadyCertified), "the certified key, under the registered key")
        },
        ContractCheck("64 certificates for a device race its removal: none stays valid, and none keeps its DER") { it in
            let device = try await it.register(.sample())
            let outcomes = try await withThrowingTaskGroup(of: CommitOutcome?.self) { group in
                for index in 0..<racers {
                    group.addTask { try await it.commit(.issue(.sample(of: device))) }
                    guard index == racers / 2 else { continue }
                    group.addTask {
                        _ = try await it.ledger.forget(device.id)
                        return nil
                    }
                }
                return try await group.reduce(into: []) { $0 += [$1].compactMap(\.self) }
            }
            let issued = outcomes.count { $0 == .committed }
            try same(outcomes.count { $0 == .refused(.unknownDevice) }, racers - issued, "racers that were refused")
            let page = try await it.ledger.certificates(CertificateListing(app: device.app, limit: racers))
            try same(page.certificates.count, issued, "certificates")
            let left = page.certificates.filter { $0.revocation == nil || !$0.der.isEmpty }
            try same(left, [], "certificates that are valid or have their DER")
        },
        ContractCheck("A forgotten device is recorded, with whether its key stays blocked") { it in
            let (free, blocked) = (try await it.register(.sample()), try await it.register(.sample()))
            _ = try await it.block(.key(blocked.key))
            let start = try await it.ledger.status().auditCount
            for device in [free, blocked] {
                // The second call finds none.
                for _ in 0..<2 { _ = try await it.ledger.forget(device.id, LedgerUnderTest.asked("asked for")) }
            }
            try await it.expectChanges(
                [
                    .forget(free, ForgottenDevice(keyStaysBlocked: false), LedgerUnderTest.asked("asked for")),
                    .forget(blocked, ForgottenDevice(keyStaysBlocked: true), LedgerUnderTest.asked("asked for")),
                ], after: start)
        },
    ]
}
