import Foundation
import Testing

@testable import AssayPhone

@Suite("The life of a key")
struct KeyLifeTests {
    private let photo = Data("photo".utf8)

    @Test("a registered key is used after a start of the app, without another registration")
    func started() async throws {
        let fixture = Fixture()
        try await fixture.device.upload(photo, id: "1")
        try await fixture.again().upload(photo, id: "2")
        #expect(fixture.service.generated == 1)
        #expect(fixture.backend.challenges == [.register, .upload, .upload])
    }

    @Test("a registered id that a backup restored leads to a new key and a registration, and the upload is stored")
    func restored() async throws {
        let fixture = Fixture()
        try await fixture.device.register()
        fixture.service.losesItsKeys()
        try await fixture.again().upload(photo, id: "1")
        #expect(fixture.service.generated == 2)
        #expect(fixture.backend.registrations.count == 2)
        #expect(fixture.backend.uploads.count == 1)
    }

    @Test("an id that was restored before its attestation leads to a new key in the same call")
    func restoredBeforeAttestation() async throws {
        let fixture = Fixture()
        fixture.backend.state.with { $0.challengeErrors = Array(repeating: .noAnswer, count: 5) }
        #expect(await failure(fixture.device.register) == .backendUnavailable(after: nil))
        fixture.service.losesItsKeys()
        try await fixture.again().register()
        #expect(fixture.service.generated == 2)
        #expect(fixture.backend.registrations.count == 1)
    }

    @Test("a key whose attestation was interrupted after Apple made it leads to a new one")
    func attestedUnseen() async throws {
        let fixture = Fixture()
        fixture.service.state.with { $0.attestErrors = Array(repeating: .serverUnavailable, count: 5) }
        #expect(await failure(fixture.device.register) == .appleUnavailable)
        fixture.service.state.with { state in state.attested = state.attested.mapValues { _ in true } }
        try await fixture.again().register()
        #expect(fixture.service.generated == 2)
    }

    @Test("two uploads that find the key gone at the same time register one new key")
    func goneForTwo() async throws {
        let fixture = Fixture()
        try await fixture.device.register()
        fixture.service.losesItsKeys()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for count in 1...8 { group.addTask { try await fixture.device.upload(photo, id: "\(count)") } }
            try await group.waitForAll()
        }
        #expect(fixture.service.generated == 2)
        #expect(fixture.backend.registrations.count == 2)
        #expect(fixture.backend.uploads.count == 8)
    }

    @Test("no more than three keys are made in 24 hours, also over starts of the app")
    func allowance() async throws {
        let fixture = Fixture()
        fixture.service.state.with { $0.attestErrors = Array(repeating: .unknownSystemFailure, count: 9) }
        for _ in 1...3 { #expect(await failure(fixture.again().register) == .keyUnusable(.unknownSystemFailure)) }
        let error = await failure(fixture.again().register)
        #expect(error == .tooManyKeys(after: .seconds(86400)))
        #expect(error?.action == .tryLater(after: .seconds(86400)))
        #expect(fixture.service.generated == 3)
        fixture.time.passes(.seconds(86401))
        #expect(await failure(fixture.again().register) == .keyUnusable(.unknownSystemFailure))
        #expect(fixture.service.generated == 4)
    }

    @Test("a key that Apple does not make counts too")
    func allowanceOfNone() async throws {
        let fixture = Fixture()
        fixture.service.state.with { $0.generateErrors = Array(repeating: .unknownSystemFailure, count: 9) }
        for _ in 1...3 { #expect(await failure(fixture.again().register) == .keyUnusable(.unknownSystemFailure)) }
        #expect(await failure(fixture.again().register) == .tooManyKeys(after: .seconds(86400)))
        #expect(fixture.service.generated == 3)
    }

    @Test("a clock that was ahead when keys were made delays the next by 24 hours at most")
    func clockAhead() {
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        var history = KeyHistory()
        for _ in 1...3 { history.makesKey(at: now + 3600, limit: 3) }
        #expect(history.waitForKey(at: now, limit: 3) == .seconds(86400))
        #expect(history.waitForKey(at: now + 3600 + 86400, limit: 3) == nil)
        // A year ahead: it does not count at all.
        history = KeyHistory()
        for _ in 1...3 { history.makesKey(at: now + 365 * 86400, limit: 3) }
        #expect(history.waitForKey(at: now, limit: 3) == nil)
    }

    @Test("a store that cannot be read, as before the first unlock, makes no key")
    func lockedToRead() async {
        let fixture = Fixture()
        fixture.store.failsToRead.with { $0 = true }
        #expect(await failure(fixture.device.register) == .storeUnavailable("locked"))
        #expect(fixture.service.generated == 0)
    }

    @Test("a store that cannot be written makes no key")
    func lockedToWrite() async {
        let fixture = Fixture()
        fixture.store.failsToWrite.with { $0 = true }
        #expect(await failure(fixture.device.register) == .storeUnavailable("locked"))
        #expect(fixture.service.generated == 0)
    }

    @Test("what cannot be read in the store counts as not there", arguments: ["", "{}", "[1", "{\"key\":{\"registered\":{}}}"])
    func unreadable(_ text: String) async throws {
        let fixture = Fixture()
        fixture.store.values.with { $0 = ["key/alice": Data(text.utf8), "uploads/alice": Data(text.utf8)] }
        try await fixture.device.upload(photo, id: "1")
        #expect(fixture.service.generated == 1)
    }

    @Test("a forgotten key is replaced by a new one, and counts on")
    func forgotten() async throws {
        let fixture = Fixture()
        for count in 1...3 {
            try await fixture.device.register()
            try await fixture.device.forgetKey()
            #expect(fixture.service.generated == count)
        }
        #expect(await failure(fixture.device.register) == .tooManyKeys(after: .seconds(86400)))
    }

    @Test("users of one installation have keys of their own")
    func users() async throws {
        let fixture = Fixture()
        try await fixture.device.register()
        let bob = AttestedDevice(
            user: "bob", backend: fixture.backend, service: fixture.service, store: fixture.store, sha256: fixture.sha256,
            timing: fixture.time.timing)
        try await bob.register()
        #expect(Set(fixture.backend.registrations.map(\.keyID)).count == 2)
    }
}
