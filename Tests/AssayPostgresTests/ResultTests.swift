import AssayCore
import AssayTesting
import Testing

@testable import AssayPostgres

/// Four daemons on one database share result keys, status lists and verdicts by payload.
@Suite("Signed results of several daemons on PostgreSQL", .needsServer, .serialized, .timeLimit(.minutes(30)))
struct ResultTests {
    private static let audience = [UInt8](repeating: 0xA0, count: 32)
    private static let context = ChangeContext(.caller("operator"), at: Sample.now, reason: "test")

    private func key(_ number: UInt8) -> ResultPublicKey {
        ResultPublicKey(identifier: [UInt8](repeating: number, count: 32), issuer: .devices, publicKey: [number])
    }

    private func request(_ device: DeviceID, days: Int64 = 1) -> ResultStatusRequest {
        ResultStatusRequest(
            device: device, audience: Self.audience, until: Sample.now.adding(milliseconds: days * 86_400_000))
    }

    private func devices(_ count: Int, of fleet: Fleet, subject: [UInt8]? = nil) async throws -> [Device] {
        let devices = try (0..<count).map { _ in try Sample.device(subject: subject) }
        #expect(try await fleet[0].commit([Sample.entry(registrations: devices)]) == [.committed])
        return devices
    }

    // MARK: Keys

    @Test("Daemons that publish the same key at the same time add it once, and record it once")
    func sameKey() async throws {
        let fleet = try Fleet(4)
        defer { fleet.close() }
        for number in 1...8 as ClosedRange<UInt8> {
            let added = try await concurrently(16) { try await fleet[$0].publish([key(number)], Self.context) }
            let new = added.reduce(0, +)
            #expect(new == 1)
        }
        let keys = try await fleet[3].resultKeys()
        #expect(Set(keys.map(\.key)) == Set((1...8).map { key($0) }) && keys.count == 8)
        #expect(keys.filter { $0.signsFrom != nil }.map(\.key) == [key(1)])
        var records = 0
        for ledger in fleet.ledgers {
            records += try await ledger.audit(from: .min, limit: AuditPage.limit).rows.count {
                AuditChange(decoding: $0.record)?.kind == .publishResultKey
            }
        }
        #expect(records == 8)
    }

    @Test("Of daemons that publish different first keys at the same time one has the key that signs", arguments: 1...5)
    func firstKeys(_ round: Int) async throws {
        let fleet = try Fleet(4)
        defer { fleet.close() }
        let added = try await concurrently(4) { try await fleet[$0].publish([key(UInt8($0))], Self.context) }
        #expect(added == [1, 1, 1, 1])
        let keys = try await fleet[1].resultKeys()
        #expect(keys.map { $0.signsFrom != nil } == [true, false, false, false])
        #expect(try await fleet[2].resultKeys() == keys)
    }

    // MARK: Places

    @Test("Daemons that ask for the places of the same devices at the same time get the same ones, and no two devices one")
    func samePlaces() async throws {
        let fleet = try Fleet(4)
        defer { fleet.close() }
        let known = try await devices(20, of: fleet).map(\.id)
        let all = known + (0..<20).map { _ in DeviceID.random() }
        let given = try await concurrently(32) { number in
            let some = all.shuffled()
            let places = try await fleet[number].statusPlaces(some.map { request($0, days: Int64(number % 3)) })
            return Dictionary(zip(some, places), uniquingKeysWith: { first, _ in first })
        }
        #expect(Set(given).count == 1)
        #expect(Set(given[0].values).count == all.count)
        #expect(try await fleet[0].statusEntries(ofList: 0).count == 20, "those of devices that are not registered")
    }

    @Test("After the last position of a list the first one of the next list is given out")
    func boundary() async throws {
        let fleet = try Fleet(2)
        defer { fleet.close() }
        let size = ResultStatusPlace.listSize
        // As if all positions but two had been given out.
        _ = try fleet.settings.text("SELECT setval(pg_get_serial_sequence('status_places', 'number'), \(size - 2))::text")
        var places: [ResultStatusPlace] = []
        for number in 0..<3 { places += try await fleet[number].statusPlaces([request(.random())]) }
        #expect(
            places == [
                ResultStatusPlace(list: 0, position: size - 2), ResultStatusPlace(list: 0, position: size - 1),
                ResultStatusPlace(list: 1, position: 0),
            ])
        #expect(try await fleet[0].statusLists().map(\.number) == [0, 1])
        #expect(try await fleet[1].statusEntries(ofList: 0).map(\.position) == [size - 2, size - 1])
    }

    @Test("A block by one daemon is in the list, and its revision has grown, while another daemon gives the place out")
    func blockedMeanwhile() async throws {
        let fleet = try Fleet(4)
        defer { fleet.close() }
        let subject = SecureRandom.bytes(32)
        for (round, device) in try await devices(60, of: fleet, subject: subject).enumerated() {
            let target = try #require(device.blockTarget([.device, .key][round % 2]))
            let before = try await fleet[2].statusLists()
            async let given = fleet[round].statusPlaces([request(device.id)])
            async let blocked = fleet[round + 1].block(target, Self.context)
            let (place, _) = (try await given[0], try await blocked)
            let status = try await fleet[3].statusEntries(ofList: place.list).first { $0.position == place.position }
            #expect(status?.status == .suspended)
            #expect(try await grew(place.list, since: before, fleet[3]))
        }
    }

    @Test("A device that one daemon forgets while another gives its place out is invalid in the list")
    func forgottenMeanwhile() async throws {
        let fleet = try Fleet(4)
        defer { fleet.close() }
        for (round, device) in try await devices(40, of: fleet).enumerated() {
            let before = try await fleet[2].statusLists()
            async let given = fleet[round].statusPlaces([request(device.id)])
            async let forgotten = fleet[round + 1].forget(device.id, Self.context)
            let (place, _) = (try await given[0], try await forgotten)
            let status = try await fleet[3].statusEntries(ofList: place.list).first { $0.position == place.position }
            #expect(status?.status == .invalid)
            #expect(try await grew(place.list, since: before, fleet[3]))
        }
    }

    private func grew(
        _ list: UInt32, since before: [ResultStatusList], _ ledger: PostgresLedger
    ) async throws -> Bool {
        let now = try #require(try await ledger.statusLists().first { $0.number == list })
        return now.revision > before.first { $0.number == list }?.revision ?? -1
    }

    @Test("Places are given out, kept, blocked and purged by four daemons at once: no number twice, and no call fails")
    func all() async throws {
        let fleet = try Fleet(4)
        defer { fleet.close() }
        let known = try await devices(30, of: fleet).map(\.id)
        let given = try await concurrently(24) { number in
            var places: [ResultStatusPlace: DeviceID] = [:]
            for step in 0..<12 {
                let device = known[(number * 7 + step) % known.count]
                switch number % 6 {
                case 0: _ = try await fleet[step].block(.device(device), Self.context)
                case 1: _ = try await fleet[step].unblock(.device(device), Self.context)
                case 2: _ = try await fleet[step].setInvalid(step % 2 == 0, device)
                case 3: try await fleet[step].purge(now: Sample.now.adding(milliseconds: Int64(step) * 86_400_000))
                default:
                    let some = (known + [.random()]).shuffled().prefix(5)
                    let requests = some.map { request($0, days: Int64.random(in: 0...12)) }
                    for (id, place) in zip(some, try await fleet[step].statusPlaces(requests)) { places[place] = id }
                }
            }
            return places
        }
        var owners: [ResultStatusPlace: DeviceID] = [:]
        for (place, device) in given.flatMap({ $0 }) {
            let owner = owners.updateValue(device, forKey: place)
            #expect(owner == nil || owner == device, "\(place)")
        }
        #expect(owners.count >= known.count)
    }

    // MARK: Verdicts by payload

    @Test("Verdicts by payload of all daemons are found by each")
    func payloads() async throws {
        let fleet = try Fleet(4)
        defer { fleet.close() }
        let payload = SecureRandom.bytes(32)
        let app = try Sample.app()
        let outcomes = try await concurrently(40) { number in
            let time = Sample.now.adding(milliseconds: Int64(number))
            let entry = LedgerEntry(
                time: time, spends: [Sample.spend()],
                audit: AuditRecord(
                    requestID: SecureRandom.bytes(16), caller: "tester", app: app, purpose: .assert, device: nil,
                    assurance: .hardware, evidenceDigest: SecureRandom.bytes(32), policyDigest: SecureRandom.bytes(32),
                    simulated: false),
                lookups: [
                    IndexedVerdict(
                        key: payload, device: nil, time: time, until: Sample.expiry, content: [UInt8(number)])
                ])
            return try await fleet[number].commit([entry])
        }
        #expect(outcomes.allSatisfy { $0 == [.committed] })
        for ledger in fleet.ledgers {
            let found = try await ledger.verdicts(onPayload: payload, at: Sample.now, limit: 10)
            let newest = (30..<40).reversed().map { [UInt8($0)] }
            #expect(found.map(\.content) == newest)
        }
    }

    /// What `count` tasks return that run at the same time, in their order.
    private func concurrently<T: Sendable>(
        _ count: Int, _ body: @escaping @Sendable (Int) async throws -> T
    ) async throws -> [T] {
        try await withThrowingTaskGroup(of: (Int, T).self) { group in
            for number in 0..<count { group.addTask { (number, try await body(number)) } }
            var found: [Int: T] = [:]
            for try await (number, value) in group { found[number] = value }
            return found.sorted { $0.key < $1.key }.map(\.value)
        }
    }
}
