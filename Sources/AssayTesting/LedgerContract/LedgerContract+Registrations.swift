import AssayCore

extension LedgerContract {
    static let registrationQuestions = [
        Question("lets one of many racers register a key") { it in
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
        Question("refuses a key that is registered") { it in
            let device = try await it.register(.sample())
            let again = try Device.sample(keyID: device.registration.keyID)
            try await it.expect(.register(again), .refused(.keyAlreadyRegistered), "the key")
            try same(await it.bothWays(device), device, "the first device")
        },
        Question("refuses a name that is given") { it in
            let device = try await it.register(.sample())
            let again = try Device.sample(id: device.id)
            try await it.expect(.register(again), .refused(.keyAlreadyRegistered), "the name")
            try same(await it.ledger.device(device.id), device, "the first device")
        },
        Question("registers several devices in one entry, or none") { it in
            let (one, two) = (try Device.sample(), try Device.sample())
            let again = try Device.sample(keyID: one.registration.keyID)
            try await it.expect(.sample(registrations: [one, again]), .refused(.keyAlreadyRegistered), "one key twice")
            try same(await it.bothWays(one), nil, "the first of them")
            try await it.expect(.sample(registrations: [one, two]), .committed, "two keys")
            try same(await it.bothWays(one), one, "the first")
            try same(await it.bothWays(two), two, "the second")
        },
    ]
}
