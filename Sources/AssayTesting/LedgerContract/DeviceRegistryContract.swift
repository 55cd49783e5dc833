import AssayCore

/// The checks of `DeviceRegistry`: records here, listing, import and removal in files of their own.
public enum DeviceRegistryContract {
    public static let checks = recordChecks + listingChecks + changeChecks

    private static let recordChecks: [ContractCheck] = [
        ContractCheck("A device record keeps every field") { it in
            let device = try await it.register(richDevice())
            try same(await it.bothWays(device), device, "the device as it was registered")
        },
        ContractCheck("A device record may have empty fields") { it in
            let device = try await it.register(.sample())
            try same(await it.bothWays(device), device, "the device as it was registered")
        },
        ContractCheck("A device can be registered blocked") { it in
            var device = try Device.sample()
            device.blocks = [Device.Block(.device, reason: "known from elsewhere", since: LedgerUnderTest.now)]
            _ = try await it.register(device)
            try same(await it.bothWays(device), device, "the device as it was registered")
            try await it.expect(.advance(device.id, to: 1), .refused(.deviceBlocked), "its counter")
        },
        ContractCheck("A device that is not registered is not found") { it in
            let device = try Device.sample()
            try same(await it.bothWays(device), nil, "a device")
        },
        ContractCheck("The same key in two apps makes two devices") { it in
            let keyID = SecureRandom.bytes(32)
            let one = try await it.register(.sample(app: "one", keyID: keyID))
            let two = try await it.register(.sample(app: "two", keyID: keyID))
            try same(await it.bothWays(one), one, "the first app's device")
            try same(await it.bothWays(two), two, "the second app's device")
        },
        ContractCheck("The status counts devices") { it in
            for _ in 0..<3 { _ = try await it.register(.sample()) }
            try same(await it.ledger.status().devices, 3, "devices")
        },
        ContractCheck("A device record has the time of the last accepted evidence") { it in
            let device = try await it.register(.sample())
            let later = LedgerUnderTest.now.adding(milliseconds: 60_000)
            try await it.expect(.advance(device.id, to: 1, time: later), .committed, "a counter")
            try same(await it.bothWays(device)?.lastAcceptedAt, later, "the time after a counter")
            let evenLater = later.adding(milliseconds: 60_000)
            try await it.expect(.sample(time: evenLater, about: device.id), .committed, "evidence without a counter")
            try same(await it.bothWays(device)?.lastAcceptedAt, evenLater, "the time after evidence without a counter")
        },
    ]

    /// A device with a value in every field, including the ends of ranges.
    private static func richDevice() throws -> Device {
        guard let app = AppID("contract.app_with-everything.0") else {
            throw ContractViolation("the literal is not an app id")
        }
        var claims = Claims()
        claims.add("text", .text("naïve ☕︎ \u{0} end"))
        claims.add("empty", .text(""))
        claims.add("integer", .integer(.min))
        claims.add("boolean", .boolean(true))
        claims.add("bytes", .bytes([0, 255]))
        claims.add("texts", .texts(["one", "", "three"]))
        claims.add("time", .time(Timestamp(unixMilliseconds: -1)))
        return Device(
            id: .random(), app: app, subject: SecureRandom.bytes(32),
            registration: Registration(
                format: EvidenceFormat(rawValue: "contract.attestation"), keyID: SecureRandom.bytes(32),
                publicKey: SecureRandom.bytes(65), environment: "development", anchor: SecureRandom.bytes(32), claims: claims,
                chainSerials: [[1], SecureRandom.bytes(20), []], receipt: SecureRandom.bytes(20_000), simulated: true,
                imported: true),
            registeredAt: Timestamp(unixMilliseconds: 1_750_000_000_123), counter: .max, counterWindow: .max,
            lastAcceptedAt: Timestamp(unixMilliseconds: 1_750_000_000_456),
            exchange: ReceiptExchange(
                due: Timestamp(unixMilliseconds: 1_760_000_000_789), failures: .max, end: .noData,
                metric: RiskMetric(.max, at: Timestamp(unixMilliseconds: -1))))
    }
}

/// The checks of `DeviceFacts`.
public enum DeviceFactsContract {
    private static let target = BlockTarget.subject(LedgerUnderTest.subject, of: LedgerEntry.contractApp)

    public static let checks: [ContractCheck] = [
        ContractCheck("The use of an attestation key counts its devices of the last 24 hours in all apps") { it in
            let key = SecureRandom.bytes(32)
            let day: Int64 = 86_400_000
            let devices = try [
                Device.sample(attestationKey: key, registeredAt: LedgerUnderTest.now.adding(milliseconds: -day)),
                .sample(attestationKey: key, registeredAt: LedgerUnderTest.now.adding(milliseconds: -day + 1)),
                .sample(app: "other", attestationKey: key), .sample(attestationKey: SecureRandom.bytes(32)), .sample(),
            ]
            for device in devices { _ = try await it.register(device) }
            try same(
                await it.ledger.use(ofAttestationKey: key, at: LedgerUnderTest.now), AttestationKeyUse(lastDay: 2),
                "devices of the key")
            _ = try await it.ledger.forget(devices[1].id)
            try same(
                await it.ledger.use(ofAttestationKey: key, at: LedgerUnderTest.now), AttestationKeyUse(lastDay: 1),
                "devices after one was forgotten")
            try same(
                await it.ledger.use(ofAttestationKey: SecureRandom.bytes(32), at: LedgerUnderTest.now),
                AttestationKeyUse(lastDay: 0), "devices of an unknown key")
            try same(await it.ledger.use(ofAttestationKey: [], at: LedgerUnderTest.now).lastDay, 0, "devices of no key")
        },
        ContractCheck("A subject is blocked only in the app of its block") { it in
            guard let other = AppID("other") else { throw ContractViolation("the literal is not an app id") }
            func expect(_ found: [Bool], _ what: String) async throws {
                let said = [
                    try await it.ledger.isBlocked(subject: LedgerUnderTest.subject, of: LedgerEntry.contractApp),
                    try await it.ledger.isBlocked(subject: LedgerUnderTest.subject, of: other),
                    try await it.ledger.isBlocked(subject: [UInt8](repeating: 1, count: 32), of: LedgerEntry.contractApp),
                ]
                try same(said, found, what)
            }
            try await expect([false, false, false], "what is said before the block")
            _ = try await it.block(target)
            try await expect([true, false, false], "what is said after the block")
            // A block of a key with the same bytes does not count.
            let key = DeviceKey(app: other, keyID: LedgerUnderTest.subject)
            _ = try await it.block(.key(key))
            try await expect([true, false, false], "what is said after the block of a key")
            _ = try await it.ledger.unblock(target)
            try await expect([false, false, false], "what is said when the block is lifted")
        },
    ]
}
