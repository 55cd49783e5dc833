import AssayCore

extension LedgerContract {
    static let attestationKeyQuestions = [
        Question("counts the devices of an attestation key that were registered in the last day, over all apps") { it in
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
        }
    ]
}
