import AssayCore

/// The checks of `ReceiptStore`.
public enum ReceiptStoreContract {
    public static let checks: [ContractCheck] = [
        ContractCheck("Due receipts of one app and environment are found in the order of their due times") { it in
            let (late, early, future) = (try dueDevice(-1), try dueDevice(-1000), try dueDevice(1))
            let sameTime = try dueDevice(-1000)
            for device in [late, early, future, sameTime] { _ = try await it.register(device) }
            _ = try await it.register(try dueDevice(-1, app: "other"))
            _ = try await it.register(try dueDevice(-1, environment: "development"))
            _ = try await it.register(.sample())
            let queue = ReceiptQueue(app: late.app, environment: late.registration.environment)
            let all = try await it.ledger.receipts(in: queue, dueAt: LedgerUnderTest.now, limit: 10)
            try same(all, DueReceipts(devices: [early, sameTime, late], count: 3), "what is due")
            let one = try await it.ledger.receipts(in: queue, dueAt: LedgerUnderTest.now, limit: 1)
            try same(one, DueReceipts(devices: [early], count: 3), "the first of what is due")
            let soon = LedgerUnderTest.now.adding(milliseconds: 1)
            try same(await it.ledger.receipts(in: queue, dueAt: soon, limit: 10).count, 4, "what is due at the very moment")
        },
        ContractCheck("A newer receipt replaces the stored one") { it in
            let device = try await it.register(dueDevice(-1))
            let exchange = ReceiptExchange(
                due: LedgerUnderTest.now.adding(milliseconds: 5), failures: 2, metric: RiskMetric(3, at: LedgerUnderTest.now))
            _ = try await it.bothWays(device)
            try await it.ledger.keep([ReceiptOutcome(device: device.id, receipt: [9, 9], exchange: exchange)])
            let kept = try await it.bothWays(device)
            try same(kept?.registration.receipt, [9, 9], "the receipt")
            try same(kept?.exchange, exchange, "what became of it")
            try same(kept?.registration, device.registration.replacing(receipt: [9, 9]), "the rest of the registration")
            try await it.expect(.advance(device.id, to: 1), .committed, "the counter")
            try same(await it.bothWays(device)?.exchange, exchange, "what became of it, after evidence was accepted")
        },
        ContractCheck("An ended exchange keeps the receipt and is never due") { it in
            let device = try await it.register(dueDevice(-1))
            let exchange = ReceiptExchange(due: nil, failures: 1, end: .noData, metric: RiskMetric(1, at: LedgerUnderTest.now))
            try await it.ledger.keep([ReceiptOutcome(device: device.id, exchange: exchange)])
            let kept = try await it.bothWays(device)
            try same(kept?.registration, device.registration, "the registration")
            try same(kept?.exchange, exchange, "what became of the receipt")
            let queue = ReceiptQueue(app: device.app, environment: device.registration.environment)
            let due = try await it.ledger.receipts(in: queue, dueAt: .distantFuture, limit: 10)
            try same(due, DueReceipts(devices: [], count: 0), "what is due")
        },
        ContractCheck("The outcome of a forgotten device's receipt is dropped") { it in
            let (gone, stays) = (try await it.register(dueDevice(-1)), try await it.register(dueDevice(-1)))
            _ = try await it.ledger.forget(gone.id)
            let exchange = ReceiptExchange(due: nil, end: .refused)
            try await it.ledger.keep([
                ReceiptOutcome(device: gone.id, receipt: [9], exchange: exchange),
                ReceiptOutcome(device: stays.id, receipt: [9], exchange: exchange),
            ])
            try same(await it.bothWays(gone), nil, "the forgotten device")
            try same(await it.bothWays(stays)?.registration.receipt, [9], "the other one's receipt")
            try await it.ledger.keep([])
        },
        ContractCheck("A due receipt comes with its device's blocks") { it in
            let device = try await it.register(dueDevice(-1))
            _ = try await it.block(.device(device.id))
            let queue = ReceiptQueue(app: device.app, environment: device.registration.environment)
            let due = try await it.ledger.receipts(in: queue, dueAt: LedgerUnderTest.now, limit: 1)
            try same(due.devices.first?.isBlocked, true, "that it is blocked")
        },
    ]

    /// A device whose receipt is due a number of milliseconds after `LedgerUnderTest.now`.
    private static func dueDevice(
        _ milliseconds: Int64, app name: String = "contract", environment: String = "production"
    ) throws -> Device {
        guard let app = AppID(name) else { throw ContractViolation("the literal is not an app id") }
        return Device(
            id: .random(), app: app, subject: nil,
            registration: Registration(
                format: EvidenceFormat(rawValue: "contract.attestation"), keyID: SecureRandom.bytes(32),
                publicKey: SecureRandom.bytes(65),
                environment: environment, anchor: SecureRandom.bytes(32), claims: Claims(), chainSerials: [],
                receipt: SecureRandom.bytes(4000), simulated: false),
            registeredAt: LedgerUnderTest.now,
            exchange: ReceiptExchange(due: LedgerUnderTest.now.adding(milliseconds: milliseconds)))
    }
}
