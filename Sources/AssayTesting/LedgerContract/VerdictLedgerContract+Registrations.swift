import AssayCore

extension VerdictLedgerContract {
    static let registrationChecks: [ContractCheck] = [
        ContractCheck("64 entries race to register a key: exactly one is committed") { it in
            let keyID = SecureRandom.bytes(32)
            let devices = try (0..<racers).map { _ in try Device.sample(keyID: keyID) }
            try await it.expectOneWinner(devices.map { .register($0) }, others: .keyAlreadyRegistered)
            try same(await it.ledger.status().devices, 1, "devices")
            guard let winner = try await it.ledger.device(DeviceKey(app: devices[0].app, keyID: keyID)) else {
                throw ContractViolation("the winner is not found")
            }
            var found = 0
            for device in devices where try await it.ledger.device(device.id) != nil { found += 1 }
            try same(found, 1, "devices that are found by name")
            try same(devices.contains(winner), true, "the winner is one of the racers")
        },
        ContractCheck("A registered key is refused") { it in
            let device = try await it.register(.sample())
            let again = try Device.sample(keyID: device.registration.keyID)
            try await it.expect(.register(again), .refused(.keyAlreadyRegistered), "the key")
            try same(await it.bothWays(device), device, "the first device")
        },
        ContractCheck("A device id that is in use is refused") { it in
            let device = try await it.register(.sample())
            let again = try Device.sample(id: device.id)
            try await it.expect(.register(again), .refused(.keyAlreadyRegistered), "the name")
            try same(await it.ledger.device(device.id), device, "the first device")
        },
        ContractCheck("An entry registers all of its devices or none") { it in
            let (one, two) = (try Device.sample(), try Device.sample())
            let again = try Device.sample(keyID: one.registration.keyID)
            try await it.expect(.sample(registrations: [one, again]), .refused(.keyAlreadyRegistered), "one key twice")
            try same(await it.bothWays(one), nil, "the first of them")
            // In one transaction, if the ledger joins entries: what is reverted counts no device.
            let outcomes = try await it.ledger.commit([
                .sample(registrations: [two, again, one]), .sample(registrations: [one, two]),
                .sample(registrations: [try .sample(), one]),
            ])
            try same(
                outcomes, [.refused(.keyAlreadyRegistered), .committed, .refused(.keyAlreadyRegistered)],
                "two keys among others")
            try same(await it.ledger.status().devices, 2, "devices")
            try same(await it.bothWays(one), one, "the first")
            try same(await it.bothWays(two), two, "the second")
        },
        ContractCheck("64 devices of a subject that may have three race to register: three are committed") { it in
            let entries = try (0..<racers).map { _ in
                LedgerEntry.register(try .sample(subject: LedgerUnderTest.subject), atMost: 3)
            }
            let outcomes = try await it.race(entries)
            try same(outcomes.count { $0 == .committed }, 3, "winners")
            try same(outcomes.count { $0 == .refused(.tooManyDevices) }, racers - 3, "losers that heard why")
            try same(await it.ledger.status().devices, 3, "devices")
        },
        ContractCheck("The limit of devices counts each subject and app, with blocked devices and without forgotten ones") {
            it in
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
        ContractCheck("The limit of devices counts all devices of an entry") { it in
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
