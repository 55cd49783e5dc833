import AssayCore
import AssayResults
import AssaySigning
import AssayTesting
import Testing

@testable import AssayService

/// A ledger with one device, what publishes its status lists, and a reader of them.
struct StatusListScene {
    static let secret = [UInt8](repeating: 0x17, count: 32)

    let issuers = ResultIssuers()
    let ledger: WatchedLedger
    let clock: FixedClock
    let ring = ResultKeyRing()
    let device: DeviceID
    let places: LedgerStatusPlaces
    let publisher: StatusListPublisher

    /// - Parameter lifetime: of a list, in milliseconds.
    init(_ kinds: [ResultIssuer] = [ResultIssuers.devices], lifetime: Int64 = StatusListRule().lifetime) async throws {
        let harness = try await ServiceHarness()
        (_, device) = try await harness.enrol()
        (ledger, clock) = (harness.ledger, harness.clock)
        let permutations = StatusListPermutations(secret: Self.secret)
        places = LedgerStatusPlaces(ledger: ledger, permutations: permutations)
        publisher = Self.publisher(ledger, ring, clock, lifetime: lifetime)
        try sign(as: kinds)
    }

    static func publisher(
        _ ledger: WatchedLedger, _ ring: ResultKeyRing, _ clock: FixedClock, lifetime: Int64 = StatusListRule().lifetime
    ) -> StatusListPublisher {
        var rule = StatusListRule()
        rule.lifetime = lifetime
        return StatusListPublisher(
            ledger: ledger, keys: ring, permutations: StatusListPermutations(secret: secret), rule: rule, clock: clock,
            logger: ServiceHarness.logger)
    }

    /// The keys that sign from now on: those of `issuers`, in the order of publication, the last of each issuer signs.
    func sign(as kinds: [ResultIssuer], by others: [ResultIssuers] = []) throws {
        let own = try ([issuers] + others).flatMap { try $0.keys(of: kinds).own }
        let published = own.enumerated().map { number, key in
            let time = ServiceHarness.opening.adding(milliseconds: Int64(number - own.count))
            return PublishedResultKey(key.published, publishedAt: time, signsFrom: time)
        }
        ring.learn(own: own, published: published, ResultKeyRule())
    }

    /// The device's place, as a result of an hour names it.
    func reference(
        for audience: String = ResultIssuers.audience, from issuer: ResultIssuer = ResultIssuers.devices
    ) async throws -> ResultStatusReference {
        try await places.statusReference(
            of: device, for: audience, from: issuer, until: clock.now().adding(milliseconds: 3_600_000))
    }

    /// A list as its reader has it.
    func read(
        _ form: StatusListForm = .jwt, list: UInt32 = 0, of issuer: ResultIssuer = ResultIssuers.devices,
        from other: StatusListPublisher? = nil
    ) async throws -> VerifiedStatusList {
        let published = try #require(await (other ?? publisher).list(list, of: issuer.kind))
        let set = try #require(ring.keySet(issuer.kind)).webKeySet(at: clock.now())
        return try StatusListReader(keys: JSONWebKeySet(parsing: set)).read(
            published.token(form).bytes, of: StatusListAddress.uri(of: list, from: issuer), at: clock.now())
    }

    /// What the device's place says.
    func status(from other: StatusListPublisher? = nil) async throws -> StatusValue {
        try await read(from: other).status(of: try await reference())
    }

    func block(_ device: DeviceID) async throws {
        _ = try await ledger.block(.device(device), ChangeContext(.caller("test"), at: clock.now()))
    }

    func unblock(_ device: DeviceID) async throws {
        _ = try await ledger.unblock(.device(device), ChangeContext(.caller("test"), at: clock.now()))
    }
}

extension StatusListPublisher {
    /// The list; `nil` if there is none to be given.
    func list(_ list: UInt32 = 0, of issuer: ResultPublicKey.Issuer = .devices) async -> PublishedStatusList? {
        guard case .list(let published) = await find(list, of: issuer) else { return nil }
        return published
    }
}
