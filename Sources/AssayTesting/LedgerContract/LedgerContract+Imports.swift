import AssayCore

extension LedgerContract {
    static let importQuestions = [
        Question("adds imported devices once, and says what became of each") { it in
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
        Question("tells a device that was used since from one that was used elsewhere") { it in
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
        Question("lets one of many racers import a key") { it in
            let device = try Device.sample()
            let outcomes = try await withThrowingTaskGroup(of: [ImportOutcome].self) { group in
                for _ in 0..<racers { group.addTask { try await it.ledger.add(imported: [device.again()]) } }
                return try await group.reduce(into: [ImportOutcome]()) { $0 += $1 }
            }
            guard let winner = try await it.ledger.device(device.key) else { throw ContractViolation("no device is found") }
            try same(outcomes.count { $0 == .added(winner.id) }, 1, "winners")
            try same(outcomes.count { $0 == .present(winner.id) }, racers - 1, "losers that heard of the winner")
        },
    ]
}
