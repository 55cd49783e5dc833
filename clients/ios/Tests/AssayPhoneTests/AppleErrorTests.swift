import Foundation
import Testing

@testable import AssayPhone

@Suite("Errors of Apple's calls")
struct AppleErrorTests {
    @Test("a device without App Attest makes no key, and the app goes its way without attestation")
    func unsupported() async {
        let fixture = Fixture()
        fixture.service.state.with { $0.isSupported = false }
        let error = await failure { () async throws(PhoneError) in try await fixture.device.upload(Data(), id: "1") }
        #expect(error == .notSupported)
        #expect(error?.action == .goWithoutAttestation)
        #expect(fixture.service.generated == 0)
        #expect(fixture.backend.challenges.isEmpty)
    }

    @Test(
        "a key that cannot be made is not tried again in the same call",
        arguments: [
            (AppAttestError.featureUnsupported, PhoneError.notSupported), (.serverUnavailable, .appleUnavailable),
            (.invalidKey, .keyUnusable(.invalidKey)), (.invalidInput, .keyUnusable(.invalidInput)),
            (.unknownSystemFailure, .keyUnusable(.unknownSystemFailure)),
        ])
    func generate(_ error: AppAttestError, _ expected: PhoneError) async {
        let fixture = Fixture()
        fixture.service.state.with { $0.generateErrors = [error] }
        #expect(await failure(fixture.device.register) == expected)
        #expect(fixture.service.generated == 1)
        #expect(fixture.seconds.isEmpty)
    }

    @Test("after serverUnavailable the same key and the same hash are attested again, after pauses that double")
    func attestAgain() async throws {
        let fixture = Fixture()
        fixture.service.state.with { $0.attestErrors = [.serverUnavailable, .serverUnavailable, .serverUnavailable] }
        try await fixture.device.register()
        #expect(fixture.service.attests.count == 4)
        #expect(Set(fixture.service.attests).count == 1)
        #expect(fixture.service.generated == 1)
        #expect(fixture.seconds == [1, 2, 4])
    }

    @Test("after five times serverUnavailable the next call goes on with the same key and hash, also after a start of the app")
    func attestLater() async throws {
        let fixture = Fixture()
        fixture.service.state.with { $0.attestErrors = Array(repeating: .serverUnavailable, count: 5) }
        let error = await failure(fixture.device.register)
        #expect(error == .appleUnavailable)
        #expect(error?.action == .tryLater(after: nil))
        #expect(fixture.service.attests.count == 5)
        try await fixture.again().register()
        #expect(fixture.service.attests.count == 6)
        #expect(Set(fixture.service.attests).count == 1)
        #expect(fixture.service.generated == 1)
        #expect(fixture.backend.challenges == [.register])
    }

    @Test("once the challenge is too old, the same key is attested over a new one")
    func attestMuchLater() async throws {
        let fixture = Fixture()
        fixture.service.state.with { $0.attestErrors = Array(repeating: .serverUnavailable, count: 5) }
        #expect(await failure(fixture.device.register) == .appleUnavailable)
        fixture.time.passes(.seconds(300))
        try await fixture.device.register()
        #expect(fixture.service.generated == 1)
        #expect(Set(fixture.service.attests.map(\.hash)).count == 2)
        #expect(fixture.backend.registrations.map(\.challenge) == [ScriptedBackend.challenge(2)])
    }

    @Test(
        "after any other error of attestKey a key that was just made is discarded, and no other one is made in the call",
        arguments: [AppAttestError.invalidKey, .invalidInput, .unknownSystemFailure])
    func attestFails(_ error: AppAttestError) async throws {
        let fixture = Fixture()
        fixture.service.state.with { $0.attestErrors = [error] }
        #expect(await failure(fixture.device.register) == .keyUnusable(error))
        #expect(fixture.service.generated == 1)
        #expect(fixture.service.attests.count == 1)
        try await fixture.device.register()
        #expect(fixture.service.generated == 2)
        #expect(Set(fixture.service.attests.map(\.keyID)).count == 2)
    }

    @Test("featureUnsupported of attestKey is the same as a device without App Attest")
    func attestUnsupported() async {
        let fixture = Fixture()
        fixture.service.state.with { $0.attestErrors = [.featureUnsupported] }
        #expect(await failure(fixture.device.register) == .notSupported)
    }

    @Test("an attestation that does not end in time counts as serverUnavailable: the same key and hash again")
    func attestSilent() async throws {
        let fixture = Fixture()
        fixture.time.limitEnds.with { [service = fixture.service] in $0 = { service.takesSilentCall() } }
        fixture.service.state.with { $0.silentAttestations = [1, 2] }
        try await fixture.device.register()
        #expect(fixture.service.attests.count == 3)
        #expect(Set(fixture.service.attests).count == 1)
        #expect(fixture.service.generated == 1)
        #expect(fixture.seconds == [1, 2])
    }

    @Test("an assertion that does not end in time is signed again after a pause")
    func assertSilent() async throws {
        let fixture = Fixture()
        fixture.time.limitEnds.with { [service = fixture.service] in $0 = { service.takesSilentCall() } }
        fixture.service.state.with { $0.silentAssertions = [1] }
        try await fixture.device.upload(Data("photo".utf8), id: "1")
        #expect(fixture.service.asserts.count == 2)
        #expect(Set(fixture.service.asserts).count == 1)
        #expect(fixture.service.generated == 1)
        #expect(fixture.seconds == [1])
    }

    @Test("an assertion that fails once for an unknown cause is made again with the same key")
    func assertOnce() async throws {
        let fixture = Fixture()
        fixture.service.state.with { $0.assertErrors = [.unknownSystemFailure, .serverUnavailable] }
        try await fixture.device.upload(Data("photo".utf8), id: "1")
        #expect(fixture.service.generated == 1)
        #expect(fixture.service.asserts.count == 3)
        #expect(fixture.seconds == [1, 2])
    }

    @Test("serverUnavailable that stays keeps a registered key")
    func assertUnavailable() async throws {
        let fixture = Fixture()
        fixture.service.state.with { $0.assertErrors = Array(repeating: .serverUnavailable, count: 5) }
        let error = await failure { () async throws(PhoneError) in try await fixture.device.upload(Data(), id: "1") }
        #expect(error == .appleUnavailable)
        try await fixture.device.upload(Data(), id: "1")
        #expect(fixture.service.generated == 1)
    }

    @Test("featureUnsupported of an assertion is passed on")
    func assertUnsupported() async {
        let fixture = Fixture()
        fixture.service.state.with { $0.assertErrors = [.featureUnsupported] }
        let error = await failure { () async throws(PhoneError) in try await fixture.device.upload(Data(), id: "1") }
        #expect(error == .notSupported)
    }

    @Test(
        "a registered key that cannot sign any more is replaced once in an upload",
        arguments: [
            [AppAttestError.invalidKey], [.invalidInput], Array(repeating: .unknownSystemFailure, count: 5),
        ])
    func assertGone(_ errors: [AppAttestError]) async throws {
        let fixture = Fixture()
        try await fixture.device.register()
        fixture.service.state.with { $0.assertErrors = errors }
        try await fixture.device.upload(Data("photo".utf8), id: "1")
        #expect(fixture.service.generated == 2)
        #expect(fixture.backend.registrations.count == 2)
        #expect(fixture.backend.uploads.map(\.signature.keyID) == [fixture.backend.registrations[1].keyID])
    }

    @Test("a second key that cannot sign ends the upload")
    func assertGoneTwice() async {
        let fixture = Fixture()
        fixture.service.state.with { $0.assertErrors = [.invalidKey, .invalidKey] }
        let error = await failure { () async throws(PhoneError) in try await fixture.device.upload(Data(), id: "1") }
        #expect(error == .keyUnusable(.invalidKey))
        #expect(fixture.service.generated == 2)
        #expect(fixture.backend.uploads.isEmpty)
    }
}
