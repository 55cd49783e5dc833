import AssayCore

extension Device {
    /// A device with a random id and key, and few other fields.
    static func sample(
        app: String = "contract", id: DeviceID = .random(), keyID: [UInt8] = SecureRandom.bytes(32), subject: [UInt8]? = nil,
        counter: UInt32 = 0, attestationKey: [UInt8] = [], registeredAt: Timestamp = LedgerUnderTest.now
    ) throws(ContractViolation) -> Device {
        guard let app = AppID(app) else { throw ContractViolation("the literal is not an app id") }
        return Device(
            id: id, app: app, subject: subject,
            registration: Registration(
                format: EvidenceFormat(rawValue: "contract.attestation"), keyID: keyID, publicKey: SecureRandom.bytes(65),
                environment: "production", anchor: SecureRandom.bytes(32), claims: Claims(), chainSerials: [],
                attestationKey: attestationKey, receipt: [], simulated: false),
            registeredAt: registeredAt, counter: counter)
    }
}

extension Device {
    /// The same key, attested again: another record.
    func again(subject: [UInt8]? = nil) -> Device {
        Device(
            id: .random(), app: app, subject: subject ?? self.subject, registration: registration,
            registeredAt: LedgerUnderTest.now, counter: counter, counterWindow: counterWindow)
    }
}

extension LedgerEntry {
    /// An entry that spends a fresh token, unless `spends` has others, and makes the given changes.
    static func sample(
        time: Timestamp = LedgerUnderTest.now, spends: [Spend] = [.fresh()], registrations: [Device] = [],
        devicesPerSubject: UInt32? = nil,
        advances: [Advance] = [], idempotency: Idempotency? = nil, about device: DeviceID? = nil,
        claims: AuditClaims? = nil, subject: [UInt8]? = nil, certification: Certification? = nil,
        replacing replaced: Device? = nil, lookups: [IndexedVerdict] = []
    ) -> LedgerEntry {
        LedgerEntry(
            time: time, spends: spends, registrations: registrations, devicesPerSubject: devicesPerSubject, advances: advances,
            idempotency: idempotency,
            audit: AuditRecord(
                requestID: SecureRandom.bytes(16), caller: "contract", app: contractApp, purpose: .assert, device: device,
                assurance: .hardware, evidenceDigest: SecureRandom.bytes(32), policyDigest: SecureRandom.bytes(32),
                simulated: false, claimsDigest: claims?.digest ?? []), auditClaims: claims, subject: subject,
            certification: certification, replacement: replaced.map { Replacement($0, reason: "lost") },
            lookups: lookups)
    }

    static func register(
        _ device: Device, atMost limit: UInt32? = nil, spends: [Spend] = [.fresh()], replacing replaced: Device? = nil
    ) -> LedgerEntry {
        .sample(
            spends: spends, registrations: [device], devicesPerSubject: limit, about: device.id, replacing: replaced)
    }

    static func advance(
        _ device: DeviceID, to counter: UInt32, _ rule: CounterRule = .strictlyIncreasing,
        time: Timestamp = LedgerUnderTest.now,
        spends: [Spend] = [.fresh()]
    ) -> LedgerEntry {
        .sample(
            time: time, spends: spends, advances: [Advance(device: device, counter: counter, rule: rule)], about: device)
    }

    static func ask(
        key: [UInt8], request: [UInt8], verdict: [UInt8], time: Timestamp = LedgerUnderTest.now,
        expiry: Timestamp = LedgerUnderTest.expiry, device: DeviceID? = nil, subject: [UInt8]? = nil
    ) -> LedgerEntry {
        .sample(
            time: time, spends: [.fresh(expiry: expiry)],
            idempotency: Idempotency(key: key, request: request, expiry: expiry, verdict: verdict, device: device),
            subject: subject)
    }

    static let contractApp: AppID = {
        guard let app = AppID("contract") else { preconditionFailure("the literal is of the form") }
        return app
    }()
}

extension LedgerEntry.Spend {
    static func fresh(expiry: Timestamp = LedgerUnderTest.expiry, expiryIsFixed: Bool = false) -> LedgerEntry.Spend {
        LedgerEntry.Spend(token: SecureRandom.bytes(16), expiry: expiry, expiryIsFixed: expiryIsFixed)
    }
}
