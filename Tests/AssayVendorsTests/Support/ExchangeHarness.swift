import AssayCore
import AssayTesting
import Crypto

@testable import AssayVendors

/// Receipts for tests of the exchange: their fields, as text.
struct PlainReceipt: Hashable {
    var facts: ReceiptFacts

    init(createdAt: Timestamp, notBefore: Timestamp? = nil, expiresAt: Timestamp, riskMetric: Int64? = nil) {
        facts = ReceiptFacts(createdAt: createdAt, notBefore: notBefore, expiresAt: expiresAt, riskMetric: riskMetric)
    }

    /// A receipt from Apple's service: valid for 90 days, and not exchangeable for a day.
    init(from time: Timestamp, riskMetric: Int64) {
        self.init(
            createdAt: time, notBefore: time.adding(milliseconds: ExchangeHarness.day),
            expiresAt: time.adding(milliseconds: 90 * ExchangeHarness.day), riskMetric: riskMetric)
    }

    var bytes: [UInt8] {
        let numbers = [
            facts.createdAt.unixMilliseconds, facts.notBefore?.unixMilliseconds ?? 0, facts.expiresAt.unixMilliseconds,
            facts.riskMetric ?? -1,
        ]
        return Array(numbers.map(String.init).joined(separator: " ").utf8)
    }

    var base64: String { Base64.standard.encode(bytes) }

    struct Reader: ReceiptReader {
        func stored(by device: Device) throws(Rejection) -> ReceiptFacts { try read(device.registration.receipt) }

        func exchanged(_ receipt: [UInt8], for device: Device, at now: Timestamp) throws(Rejection) -> ReceiptFacts {
            try read(receipt)
        }

        private func read(_ bytes: [UInt8]) throws(Rejection) -> ReceiptFacts {
            let numbers = String(decoding: bytes, as: UTF8.self).split(separator: " ").compactMap { Int64($0) }
            guard numbers.count == 4 else { throw Rejection(.malformedReceipt, "not four numbers") }
            func time(_ index: Int) -> Timestamp { Timestamp(unixMilliseconds: numbers[index]) }
            return ReceiptFacts(
                createdAt: time(0), notBefore: numbers[1] == 0 ? nil : time(1), expiresAt: time(2),
                riskMetric: numbers[3] < 0 ? nil : numbers[3])
        }
    }
}

/// A ledger with devices, and the exchanger of their receipts in front of a vendor's server.
final class ExchangeHarness: Sendable {
    static let now = Timestamp(unixSeconds: 1_750_000_000)
    static let day: Int64 = 86_400_000
    static let queue: ReceiptQueue = {
        guard let app = AppID("camera") else { preconditionFailure("the literal is of the form") }
        return ReceiptQueue(app: app, environment: "production")
    }()

    let ledger = MemoryLedger()
    let clock = FixedClock(now)
    let log = LogBook()
    let vendor: Vendor
    let exchanger: ReceiptExchanger
    let token: AppleTeamToken

    init(_ vendor: Vendor, clockAhead: @escaping @Sendable () -> Int64 = { 0 }, takes: Bool = true) throws {
        self.vendor = vendor
        exchanger = ReceiptExchanger(
            ledger: ledger, client: vendor.client, clock: clock, clockAhead: clockAhead,
            takes: { () throws(LedgerError) in takes }, logger: log.logger,
            random: SeededNumbers(seed: 1))
        let key = try AppleTeamKey(
            teamID: "ABCDE12345", keyID: "2X9R4HXF34", pem: P256.Signing.PrivateKey().pemRepresentation)
        token = AppleTeamToken(key, clock: clock)
        exchanger.use([route()])
    }

    func route(_ queue: ReceiptQueue = queue, isBearer: Bool = false) -> ReceiptExchangeRoute {
        ReceiptExchangeRoute(
            queue: queue, address: vendor.address, teamID: "ABCDE12345", token: token, isBearer: isBearer,
            reader: PlainReceipt.Reader())
    }

    /// Runs `body` with a harness in front of a server.
    static func run(
        answer: @escaping TestHTTPSServer.Rule = { _ in TestHTTPSAnswer(404) }, _ body: (ExchangeHarness) async throws -> Void
    ) async throws {
        try await Vendor.run(answer: answer) { vendor in
            try await body(ExchangeHarness(vendor))
        }
    }

    /// Registers a device whose receipt came with its attestation, by default an hour ago.
    @discardableResult
    func register(
        _ receipt: [UInt8]? = nil, at time: Timestamp = now.adding(milliseconds: -3_600_000),
        environment: String = "production",
        lastAcceptedAt: Timestamp? = nil, isBlocked: Bool = false
    ) async throws -> DeviceID {
        let plain = PlainReceipt(createdAt: time, expiresAt: time.adding(milliseconds: 90 * Self.day))
        let device = Device(
            id: .random(), app: Self.queue.app, subject: nil,
            registration: Registration(
                format: .appAttestAttestation, keyID: SecureRandom.bytes(32), publicKey: SecureRandom.bytes(65),
                environment: environment, anchor: [], claims: Claims(), chainSerials: [], receipt: receipt ?? plain.bytes,
                simulated: false),
            registeredAt: time, blocks: isBlocked ? [Device.Block(.device, reason: "lost", since: time)] : [],
            lastAcceptedAt: lastAcceptedAt)
        _ = try await ledger.add(imported: [device])
        return device.id
    }

    func device(_ id: DeviceID) async throws -> Device {
        guard let device = try await ledger.device(id) else { throw LedgerError.corrupt("the device is gone") }
        return device
    }

    func exchange(_ id: DeviceID) async throws -> ReceiptExchange { try await device(id).exchange }
}
