import AssayCore
import AssayResults
import AssayTesting
import Testing

@testable import AssayService

@Suite("Places of results in status lists")
struct LedgerStatusPlacesTests {
    private static let hour: Int64 = 3_600_000

    @Test("results of a device for an audience name one place, and ask the ledger once a day")
    func remembered() async throws {
        let scene = try await StatusListScene()
        let first = try await scene.reference()
        for _ in 0..<23 {
            scene.clock.advance(milliseconds: Self.hour)
            #expect(try await scene.reference() == first)
        }
        #expect(scene.ledger.asked(.statusPlaces) == 1)
        scene.clock.advance(milliseconds: 2 * Self.hour)
        #expect(try await scene.reference() == first)
        #expect(scene.ledger.asked(.statusPlaces) == 2)
    }

    @Test("a place is kept until the result ends, at least")
    func kept() async throws {
        let scene = try await StatusListScene()
        let end = scene.clock.now().adding(milliseconds: 31 * 24 * Self.hour)
        let reference = try await scene.places.statusReference(
            of: scene.device, for: ResultIssuers.audience, from: ResultIssuers.devices, until: end)
        _ = try await scene.ledger.forget(scene.device, ChangeContext(.caller("test"), at: scene.clock.now()))
        try await scene.ledger.purge(now: end)
        scene.clock.set(end)
        await scene.publisher.look()
        let set = try #require(scene.ring.keySet(.devices)).webKeySet(at: end)
        let published = try #require(await scene.publisher.list())
        let list = try StatusListReader(keys: JSONWebKeySet(parsing: set)).read(
            published.token(.jwt).bytes, of: reference.uri, at: end)
        #expect(try list.status(of: reference) == .invalid)
    }

    @Test("two audiences, two issuers and two devices have four places")
    func distinct() async throws {
        let scene = try await StatusListScene([ResultIssuers.devices, ResultIssuers.simulated])
        let end = scene.clock.now()
        var references: Set<ResultStatusReference> = [
            try await scene.reference(), try await scene.reference(for: ResultIssuers.other),
            try await scene.reference(from: ResultIssuers.simulated),
        ]
        references.insert(
            try await scene.places.statusReference(
                of: .random(), for: ResultIssuers.audience, from: ResultIssuers.devices, until: end))
        #expect(references.count == 4 && Set(references.map(\.index)).count == 4)
    }

    @Test("another daemon gives the same place, which the ledger and its secret determine")
    func otherDaemon() async throws {
        let scene = try await StatusListScene()
        let other = LedgerStatusPlaces(
            ledger: scene.ledger, permutations: StatusListPermutations(secret: StatusListScene.secret))
        let end = scene.clock.now()
        let reference = try await other.statusReference(
            of: scene.device, for: ResultIssuers.audience, from: ResultIssuers.devices, until: end)
        #expect(try await scene.reference() == reference)
    }

    @Test("a ledger that does not answer gives no place to a device that has none in memory")
    func failing() async throws {
        let scene = try await StatusListScene()
        let known = try await scene.reference()
        scene.ledger.fail(.statusPlaces, with: .overloaded)
        #expect(try await scene.reference() == known)
        await #expect(throws: LedgerError.overloaded) { try await scene.reference(for: ResultIssuers.other) }
    }

    @Test("as many places are remembered as the limit says, and those in use stay")
    func bounded() async throws {
        let scene = try await StatusListScene()
        let end = scene.clock.now()
        let known = try await scene.reference()
        for number in 0..<(LedgerStatusPlaces.rememberedLimit * 5 / 4) {
            _ = try await scene.places.statusReference(
                of: .random(), for: ResultIssuers.audience, from: ResultIssuers.devices, until: end)
            if number.isMultiple(of: 1000) { #expect(try await scene.reference() == known) }
        }
        let asked = scene.ledger.asked(.statusPlaces)
        #expect(try await scene.reference() == known)
        #expect(scene.ledger.asked(.statusPlaces) == asked)
        #expect(scene.places.count <= LedgerStatusPlaces.rememberedLimit)
    }
}
