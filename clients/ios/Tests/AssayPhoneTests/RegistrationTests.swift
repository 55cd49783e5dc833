import Foundation
import Testing

@testable import AssayPhone

@Suite("Registrations")
struct RegistrationTests {
    private let photo = Data("photo".utf8)

    @Test("64 callers at the same time share one registration")
    func shared() async throws {
        let fixture = Fixture()
        let gate = Gate()
        fixture.backend.registrationBegins.with { $0 = { await gate.pass() } }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 1...64 { group.addTask { try await fixture.device.register() } }
            #expect(await eventually { fixture.backend.registrations.count == 1 })
            await gate.open()
            try await group.waitForAll()
        }
        #expect(fixture.service.generated == 1)
        #expect(fixture.service.attests.count == 1)
        #expect(fixture.backend.registrations.count == 1)
    }

    @Test("callers share the error of a registration, and the next call begins another")
    func sharedError() async throws {
        let fixture = Fixture()
        let gate = Gate()
        fixture.backend.registrationBegins.with { $0 = { await gate.pass() } }
        fixture.backend.state.with { $0.registerAnswers = [.failure(.signedOut)] }
        async let first = failure(fixture.device.register)
        #expect(await eventually { fixture.backend.registrations.count == 1 })
        async let second = failure(fixture.device.register)
        await gate.open()
        #expect(await first == .signedOut)
        #expect([nil, .signedOut].contains(await second))
        try await fixture.device.register()
        #expect(fixture.service.generated == 1)
    }

    @Test("a caller that is cancelled stops waiting, and the registration goes on for the others")
    func cancelled() async throws {
        let fixture = Fixture()
        let gate = Gate()
        fixture.backend.registrationBegins.with { $0 = { await gate.pass() } }
        let impatient = Task { await failure(fixture.device.register) }
        let patient = Task { await failure(fixture.device.register) }
        #expect(await eventually { fixture.backend.registrations.count == 1 })
        impatient.cancel()
        #expect(await impatient.value == .cancelled)
        await gate.open()
        #expect(await patient.value == nil)
        #expect(fixture.service.generated == 1)
    }

    @Test("a registration whose only caller is cancelled ends nevertheless, and its key is used")
    func abandoned() async throws {
        let fixture = Fixture()
        let gate = Gate()
        fixture.backend.registrationBegins.with { $0 = { await gate.pass() } }
        let caller = Task { await failure(fixture.device.register) }
        #expect(await eventually { fixture.backend.registrations.count == 1 })
        caller.cancel()
        #expect(await caller.value == .cancelled)
        await gate.open()
        try await fixture.device.upload(photo, id: "1")
        #expect(fixture.service.generated == 1)
        #expect(fixture.backend.registrations.count == 1)
    }

    @Test("a registration whose answer was lost is sent again, byte for byte, also after a start of the app")
    func lostAnswer() async throws {
        let fixture = Fixture()
        fixture.backend.state.with { $0.registerAnswers = Array(repeating: .failure(.noAnswer), count: 6) }
        #expect(await failure(fixture.device.register) == .backendUnavailable(after: nil))
        #expect(fixture.seconds == [1, 2, 4, 8])
        try await fixture.again().register()
        #expect(fixture.backend.registrations.count == 7)
        #expect(Set(fixture.backend.registrations).count == 1)
        #expect(fixture.service.attests.count == 1)
    }

    @Test(
        "an uncertain registration that is then refused as not fresh counts as accepted, until an upload shows otherwise",
        arguments: [
            Result<BackendAnswer, BackendError>.success(.newChallenge), .failure(.refused(.never)),
            .failure(.refused(.unspecified)),
        ])
    func uncertain(_ answer: Result<BackendAnswer, BackendError>) async throws {
        let fixture = Fixture()
        fixture.backend.state.with { $0.registerAnswers = [.failure(.noAnswer), answer] }
        try await fixture.device.upload(photo, id: "1")
        #expect(fixture.service.generated == 1)
        #expect(fixture.backend.uploads.count == 1)
    }

    @Test("an uncertain registration that was not accepted is made again when an upload shows it")
    func uncertainAndWrong() async throws {
        let fixture = Fixture()
        fixture.backend.state.with {
            $0.registerAnswers = [.failure(.noAnswer), .success(.newChallenge)]
            $0.uploadAnswers = [.success(.register)]
        }
        try await fixture.device.upload(photo, id: "1")
        #expect(fixture.service.generated == 2)
        #expect(fixture.backend.uploads.map(\.signature.keyID).last == fixture.backend.registrations.last?.keyID)
    }

    @Test("a first registration that is refused as not fresh costs its key, and the next call makes another")
    func notFresh() async throws {
        let fixture = Fixture()
        fixture.backend.state.with { $0.registerAnswers = [.success(.newChallenge)] }
        #expect(await failure(fixture.device.register) == .challengesRefused)
        try await fixture.device.register()
        #expect(fixture.service.generated == 2)
    }

    @Test("a registration whose answer is that another key is needed makes one in the next call")
    func anotherKey() async throws {
        let fixture = Fixture()
        fixture.backend.state.with { $0.registerAnswers = [.success(.register)] }
        #expect(await failure(fixture.device.register) == .keyUnusable(nil))
        try await fixture.device.register()
        #expect(fixture.service.generated == 2)
    }

    @Test(
        "a refused registration is passed on, and not repeated",
        arguments: [
            (Refusal.never, PhoneError.Action.giveUp), (.contactOperator, .contactSupport), (.unspecified, .giveUp),
        ])
    func refused(_ refusal: Refusal, _ action: PhoneError.Action) async {
        let fixture = Fixture()
        fixture.backend.state.with { $0.registerAnswers = [.failure(.refused(refusal))] }
        let error = await failure(fixture.device.register)
        #expect(error == .refused(refusal))
        #expect(error?.action == action)
        #expect(fixture.backend.registrations.count == 1)
    }

    @Test("a wrong answer to a registration keeps the attested key for the next call")
    func wrongAnswer() async throws {
        let fixture = Fixture()
        fixture.backend.state.with { $0.registerAnswers = [.failure(.wrongAnswer("HTML"))] }
        #expect(await failure(fixture.device.register) == .wrongAnswer("HTML"))
        try await fixture.device.register()
        #expect(fixture.service.attests.count == 1)
    }
}
