import AssayCore

extension LedgerContract {
    static let subjectQuestions = [
        Question("lets as many of many racers register as their subject may have devices") { it in
            let entries = try (0..<racers).map { _ in
                LedgerEntry.register(try .sample(subject: LedgerUnderTest.subject), atMost: 3)
            }
            let outcomes = try await it.race(entries)
            try same(outcomes.count { $0 == .committed }, 3, "winners")
            try same(outcomes.count { $0 == .refused(.tooManyDevices) }, racers - 3, "losers that heard why")
            try same(await it.ledger.status().devices, 3, "devices")
        },
        Question("counts the devices of each subject and app by themselves, blocked ones too, forgotten ones not") { it in
            let first = try await it.register(.sample(subject: LedgerUnderTest.subject))
            let others = [
                try Device.sample(subject: [UInt8](repeating: 1, count: 32)), try .sample(), try .sample(),
                try .sample(app: "other", subject: LedgerUnderTest.subject),
            ]
            for device in others { try await it.expect(.register(device, atMost: 1), .committed, "another's device") }
            let second = LedgerEntry.register(try .sample(subject: LedgerUnderTest.subject), atMost: 1)
            try await it.expect(second, .refused(.tooManyDevices), "a second device")
            _ = try await it.block(.device(first.id))
            try await it.expect(second, .refused(.tooManyDevices), "a second device, the first being blocked")
            _ = try await it.ledger.forget(first.id)
            try await it.expect(second, .committed, "a second device, the first being forgotten")
        },
        Question("counts the devices of one entry together") { it in
            let three = try (0..<3).map { _ in try Device.sample(subject: LedgerUnderTest.subject) }
            let entry = LedgerEntry.sample(registrations: three, devicesPerSubject: 2)
            try await it.expect(entry, .refused(.tooManyDevices), "three")
            try same(await it.ledger.status().devices, 0, "devices")
            let two = LedgerEntry.sample(registrations: Array(three.prefix(2)), devicesPerSubject: 2)
            try await it.expect(two, .committed, "two")
            try await it.expect(.register(three[2]), .committed, "a third one where there is no limit")
        },
    ]
}
