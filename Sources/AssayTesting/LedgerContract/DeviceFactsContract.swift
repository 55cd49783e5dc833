import AssayCore

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
