import AssayPhone
import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Against a daemon")
struct DaemonTests {
    @Test(
        "a virtual iPhone registers and uploads through the documented handler, over lost answers, a lost key and a daemon that ends",
        .enabled(
            if: Programs.found != nil,
            "assayd and assay are not in $ASSAY_HOME/bin or on the PATH, or python3-protobuf is missing"))
    func wholePath() async throws {
        let programs = try #require(Programs.found)
        let service = try Service(phones: 2, programs: programs)
        defer { service.end() }
        let sha256 = TestSHA256()
        let apple = SimulatedService(phones: service.phones, programs: programs, sha256: sha256)
        let backend = LossyBackend(
            URLSessionBackend(url: try .loopback(service.port)) { $0.setValue("alice", forHTTPHeaderField: "User") })
        let store = MemoryStore()
        let time = TestTiming()
        func device(tries: Int = 5) -> AttestedDevice {
            var settings = Settings()
            settings.backoff.tries = tries
            return AttestedDevice(
                user: "alice", backend: backend, service: apple, store: store, sha256: sha256, settings: settings,
                timing: time.timing)
        }
        let accepted = "accepted=True repeated=False reason=-"
        let repeated = "accepted=True repeated=True reason=-"
        var expected: [String] = []

        // Apple's server is away twice, and the answer of the registration is lost once.
        apple.isUnavailable(times: 2)
        backend.losses.with { $0 = 1 }
        try await device().upload(Data("a photo".utf8), id: "1")
        expected += [accepted, repeated, accepted]
        #expect(try service.verdicts() == expected)

        // The answers of an upload are lost until the app gives up. After a start it sends the same request, and learns that it is stored.
        backend.losses.with { $0 = 5 }
        let lost = await failure { () async throws(PhoneError) in try await device().upload(Data("another".utf8), id: "2") }
        #expect(lost == .backendUnavailable(after: nil))
        try await device().upload(Data("another".utf8), id: "2")
        expected += [accepted] + Array(repeating: repeated, count: 5)
        #expect(try service.verdicts() == expected)

        // The phone is restored from a backup: the id is in the store, the key is not.
        apple.losesItsKeys()
        try await device().upload(Data("a third".utf8), id: "3")
        expected += [accepted, accepted]
        #expect(try service.verdicts() == expected)
        #expect(Set(backend.uploads.with { $0.map(\.signature.keyID) }).count == 2)

        // Another user replays the upload.
        let stranger = URLSessionBackend(url: try .loopback(service.port)) { $0.setValue("bob", forHTTPHeaderField: "User") }
        let upload = try #require(backend.uploads.with { $0.last })
        let replayed = SignedUpload(id: "4", payload: upload.payload, signature: upload.signature)
        #expect(try await stranger.upload(replayed) == .newChallenge)
        await #expect(throws: BackendError.refused(.unspecified)) {
            // The photo is exchanged on the way.
            let challenge = try await backend.challenge(for: .upload)
            let other = UploadSignature(
                challenge: challenge, keyID: upload.signature.keyID, assertion: upload.signature.assertion)
            _ = try await backend.upload(SignedUpload(id: "5", payload: Data("exchanged".utf8), signature: other))
        }

        service.endDaemon()
        let offline = await failure { () async throws(PhoneError) in
            try await device(tries: 1).upload(Data("a fourth".utf8), id: "6")
        }
        #expect(offline == .backendUnavailable(after: .seconds(5)))
    }
}
