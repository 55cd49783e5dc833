import Foundation
import Testing

@testable import AssayPhone

@Suite("Uploads")
struct UploadTests {
    private let photo = Data("photo".utf8)

    private func error(of fixture: Fixture, id: String = "1") async -> PhoneError? {
        await failure { () async throws(PhoneError) in try await fixture.device.upload(photo, id: id) }
    }

    @Test("each upload has a challenge and an assertion of its own")
    func two() async throws {
        let fixture = Fixture()
        try await fixture.device.upload(photo, id: "1")
        try await fixture.device.upload(photo, id: "2")
        #expect(Set(fixture.backend.uploads.map(\.signature)).count == 2)
        #expect(fixture.backend.uploads.map(\.id) == ["1", "2"])
    }

    @Test("an offline backend is asked five times, and the app is told to try later")
    func offline() async {
        let fixture = Fixture()
        fixture.backend.state.with { $0.challengeErrors = Array(repeating: .noAnswer, count: 9) }
        let error = await error(of: fixture)
        #expect(error == .backendUnavailable(after: nil))
        #expect(error?.action == .tryLater(after: nil))
        #expect(fixture.backend.challenges.count == 5)
        #expect(fixture.seconds == [1, 2, 4, 8])
    }

    @Test("an answer of later repeats the same request after what it asks for")
    func later() async throws {
        let fixture = Fixture()
        fixture.time.chance.with { $0 = 0 }
        fixture.backend.state.with { $0.uploadAnswers = [.failure(.later(after: .seconds(7))), .failure(.later(after: nil))] }
        try await fixture.device.upload(photo, id: "1")
        #expect(Set(fixture.backend.uploads).count == 1)
        #expect(fixture.seconds == [7, 1.6])
    }

    @Test("a backend that asks for an hour ends the call at once, and the app is told when to come back")
    func muchLater() async {
        let fixture = Fixture()
        fixture.backend.state.with { $0.uploadAnswers = [.failure(.later(after: .seconds(3600)))] }
        let error = await error(of: fixture)
        #expect(error == .backendUnavailable(after: .seconds(3600)))
        #expect(error?.action == .tryLater(after: .seconds(3600)))
        #expect(fixture.seconds.isEmpty)
    }

    @Test("an upload whose answer was lost is sent again with its first signature, also after a start of the app")
    func lostAnswer() async throws {
        let fixture = Fixture()
        fixture.backend.state.with { $0.uploadAnswers = Array(repeating: .failure(.noAnswer), count: 5) }
        #expect(await error(of: fixture) == .backendUnavailable(after: nil))
        try await fixture.again().upload(photo, id: "1")
        #expect(fixture.backend.uploads.count == 6)
        #expect(Set(fixture.backend.uploads).count == 1)
        #expect(fixture.service.asserts.count == 1)
        #expect(fixture.store.values.with { $0["uploads/alice"] } == Data("[]".utf8))
    }

    @Test("other bytes under the id of an upload without an answer are signed themselves")
    func otherBytes() async throws {
        let fixture = Fixture()
        fixture.backend.state.with { $0.uploadAnswers = Array(repeating: .failure(.noAnswer), count: 5) }
        #expect(await error(of: fixture) == .backendUnavailable(after: nil))
        try await fixture.device.upload(Data("another".utf8), id: "1")
        #expect(fixture.service.asserts.count == 2)
    }

    @Test("a first signature that is too old by then is followed by a second")
    func lostAnswerTooOld() async throws {
        let fixture = Fixture()
        fixture.backend.state.with {
            $0.uploadAnswers = Array(repeating: .failure(.noAnswer), count: 5) + [.success(.newChallenge)]
        }
        #expect(await error(of: fixture) == .backendUnavailable(after: nil))
        try await fixture.device.upload(photo, id: "1")
        #expect(fixture.service.asserts.count == 2)
    }

    @Test("of uploads without an answer the latest 16 are remembered")
    func bounded() async throws {
        let fixture = Fixture()
        try await fixture.device.register()
        fixture.backend.state.with { $0.uploadAnswers = Array(repeating: .failure(.signedOut), count: 40) }
        for count in 1...40 { #expect(await error(of: fixture, id: "\(count)") == .signedOut) }
        let sent = SentUploads(store: fixture.store, user: "alice")
        var remembered = 0
        for count in 1...40 {
            let signature = try await sent.signature(of: "\(count)", payloadHash: fixture.sha256.hash(photo))
            #expect((signature != nil) == (count > 24))
            remembered += signature == nil ? 0 : 1
        }
        #expect(remembered == SentUploads.limit)
    }

    @Test("new_challenge signs again with the same key and no pause, three times in all")
    func newChallenge() async throws {
        let fixture = Fixture()
        fixture.backend.state.with { $0.uploadAnswers = [.success(.newChallenge), .success(.newChallenge)] }
        try await fixture.device.upload(photo, id: "1")
        #expect(fixture.service.generated == 1)
        #expect(Set(fixture.backend.uploads.map(\.signature.challenge)).count == 3)
        fixture.backend.state.with { $0.uploadAnswers = Array(repeating: .success(.newChallenge), count: 9) }
        let error = await error(of: fixture, id: "2")
        #expect(error == .challengesRefused)
        #expect(error?.action == .tryLater(after: nil))
        #expect(fixture.backend.uploads.count == 6)
        #expect(fixture.seconds.isEmpty)
    }

    @Test("re_attest makes and registers another key, and uploads again")
    func reAttest() async throws {
        let fixture = Fixture()
        fixture.backend.state.with { $0.uploadAnswers = [.success(.register)] }
        try await fixture.device.upload(photo, id: "1")
        #expect(fixture.service.generated == 2)
        #expect(fixture.backend.uploads.map(\.signature.keyID) == fixture.backend.registrations.map(\.keyID))
    }

    @Test("a second re_attest in one upload ends it")
    func reAttestTwice() async throws {
        let fixture = Fixture()
        fixture.backend.state.with { $0.uploadAnswers = [.success(.register), .success(.register)] }
        #expect(await error(of: fixture) == .keyUnusable(nil))
        #expect(fixture.service.generated == 2)
    }

    @Test("the backend may ask for another key once in 24 hours")
    func reAttestOnceADay() async throws {
        let fixture = Fixture()
        fixture.backend.state.with { $0.uploadAnswers = [.success(.register)] }
        try await fixture.device.upload(photo, id: "1")
        fixture.backend.state.with { $0.uploadAnswers = [.success(.register)] }
        #expect(await error(of: fixture, id: "2") == .tooManyKeys(after: .seconds(86400)))
        #expect(fixture.service.generated == 2)
        fixture.time.passes(.seconds(86400))
        fixture.backend.state.with { $0.uploadAnswers = [.success(.register)] }
        try await fixture.device.upload(photo, id: "3")
        #expect(fixture.service.generated == 3)
    }

    @Test(
        "a refused upload is passed on, and not repeated",
        arguments: [
            (Refusal.never, PhoneError.Action.giveUp), (.contactOperator, .contactSupport), (.unspecified, .giveUp),
        ])
    func refused(_ refusal: Refusal, _ action: PhoneError.Action) async {
        let fixture = Fixture()
        fixture.backend.state.with { $0.uploadAnswers = [.failure(.refused(refusal))] }
        let error = await error(of: fixture)
        #expect(error == .refused(refusal))
        #expect(error?.action == action)
        #expect(fixture.backend.uploads.count == 1)
    }

    @Test(
        "a session that ended and a wrong answer are passed on, and not repeated",
        arguments: [
            (BackendError.signedOut, PhoneError.signedOut, PhoneError.Action.signIn),
            (.wrongAnswer("HTML"), .wrongAnswer("HTML"), .giveUp), (.cancelled, .cancelled, .nothing),
        ])
    func passedOn(_ answer: BackendError, _ expected: PhoneError, _ action: PhoneError.Action) async {
        let fixture = Fixture()
        fixture.backend.state.with { $0.uploadAnswers = [.failure(answer)] }
        let error = await error(of: fixture)
        #expect(error == expected)
        #expect(error?.action == action)
        #expect(fixture.backend.uploads.count == 1)
    }

    @Test("an upload that is cancelled in a pause ends, and makes no further request")
    func cancelledInPause() async throws {
        let fixture = Fixture()
        try await fixture.device.register()
        fixture.backend.state.with { $0.uploadAnswers = [.failure(.noAnswer)] }
        fixture.time.pausing.with { $0 = { throw CancellationError() } }
        let error = await error(of: fixture)
        #expect(error == .cancelled)
        #expect(error?.action == .nothing)
        #expect(fixture.backend.uploads.count == 1)
    }

    @Test("an upload that is cancelled while Apple's call does not end, ends")
    func cancelledInAssertion() async throws {
        let fixture = Fixture()
        try await fixture.device.register()
        fixture.service.state.with { $0.silentAssertions = [1] }
        let task = Task { await error(of: fixture) }
        #expect(await eventually { fixture.service.asserts.count == 1 })
        task.cancel()
        #expect(await task.value == .cancelled)
        #expect(fixture.backend.uploads.isEmpty)
    }
}
