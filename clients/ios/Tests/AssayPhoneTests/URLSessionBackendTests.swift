import AssayPhone
import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("The backend by URLSession")
struct URLSessionBackendTests {
    private static let challenge = ScriptedBackend.challenge(7)
    private static let signature = UploadSignature(challenge: challenge, keyID: "a2V5", assertion: Data("assertion".utf8))
    private static let upload = SignedUpload(id: "alice-1", payload: Data("photo".utf8), signature: signature)

    private func backend(_ port: UInt16, timeout: TimeInterval = 20) throws -> URLSessionBackend {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = timeout
        return URLSessionBackend(url: try .loopback(port), configuration: configuration, maxAnswerBytes: 1024) { request in
            request.setValue("alice", forHTTPHeaderField: "User")
        }
    }

    private func error(_ call: () async throws(BackendError) -> BackendAnswer) async -> BackendError? {
        do throws(BackendError) {
            _ = try await call()
            return nil
        } catch {
            return error
        }
    }

    @Test("requests have the routes and members of the documented handler, and what shows the user")
    func requests() async throws {
        let server = try LocalServer { request in
            guard request.path == "/challenges" else { return LocalServer.json(201, "{\"then\": \"done\"}") }
            return LocalServer.json(200, "{\"challenge\": \"\(Self.challenge.bytes.base64EncodedString())\"}")
        }
        defer { server.stop() }
        let backend = try backend(server.port)
        #expect(try await backend.challenge(for: .register) == Self.challenge)
        #expect(try await backend.challenge(for: .upload) == Self.challenge)
        let registration = Registration(challenge: Self.challenge, keyID: "a2V5", attestation: Data("attestation".utf8))
        #expect(try await backend.register(registration) == .done)
        #expect(try await backend.upload(Self.upload) == .done)
        let requests = server.requests.with { $0 }
        let challenge = Self.challenge.bytes.base64EncodedString()
        #expect(requests.map(\.path) == ["/challenges", "/challenges", "/devices", "/uploads"])
        #expect(
            requests.map(\.json) == [
                ["for": "register"], ["for": "upload"],
                ["challenge": challenge, "key_id": "a2V5", "attestation": Data("attestation".utf8).base64EncodedString()],
                [
                    "challenge": challenge, "key_id": "a2V5", "assertion": Data("assertion".utf8).base64EncodedString(),
                    "upload_id": "alice-1", "photo": Data("photo".utf8).base64EncodedString(),
                ],
            ])
        #expect(requests.allSatisfy { $0.head.hasPrefix("POST ") && $0.head.lowercased().contains("\r\nuser: alice") })
    }

    @Test("a repeated request has the same bytes")
    func same() async throws {
        let server = try LocalServer { _ in LocalServer.json(200, "{\"then\": \"done\"}") }
        defer { server.stop() }
        let backend = try backend(server.port)
        for _ in 1...3 { #expect(try await backend.upload(Self.upload) == .done) }
        #expect(Set(server.requests.with { $0.map(\.body) }).count == 1)
    }

    @Test("Retry-After of an answer is passed on")
    func retryAfter() async throws {
        let server = try LocalServer { _ in LocalServer.json(503, "{\"then\": \"later\"}", "Retry-After: 5\r\n") }
        defer { server.stop() }
        let backend = try backend(server.port)
        #expect(
            await error { () async throws(BackendError) in try await backend.upload(Self.upload) } == .later(after: .seconds(5))
        )
    }

    @Test("an answer that is longer than the limit is wrong")
    func tooLong() async throws {
        let server = try LocalServer { _ in
            LocalServer.json(200, "{\"then\": \"done\"}" + String(repeating: " ", count: 1024))
        }
        defer { server.stop() }
        let backend = try backend(server.port)
        let error = await error { () async throws(BackendError) in try await backend.upload(Self.upload) }
        #expect(error == .wrongAnswer("the answer is longer than 1024 bytes"))
    }

    @Test(
        "an answer without an end is wrong, and its connection is closed",
        arguments: [LocalServer.head(200, 1 << 40), "HTTP/1.1 200 -\r\nConnection: close\r\n\r\n"])
    func endless(_ head: String) async throws {
        let server = try LocalServer { _ in .endless(head) }
        defer { server.stop() }
        let backend = try backend(server.port)
        let error = await error { () async throws(BackendError) in try await backend.upload(Self.upload) }
        #expect(error == .wrongAnswer("the answer is longer than 1024 bytes"))
        #expect(await eventually { server.hangUps.with { $0 == 1 } })
    }

    @Test("a redirect is not followed")
    func redirect() async throws {
        let server = try LocalServer { request in
            .whole(LocalServer.head(307, 0, "Location: /elsewhere\r\n"))
        }
        defer { server.stop() }
        let backend = try backend(server.port)
        let error = await error { () async throws(BackendError) in try await backend.upload(Self.upload) }
        #expect(error == .wrongAnswer("status 307 with 0 bytes that say nothing known"))
        #expect(server.requests.with { $0.map(\.path) } == ["/uploads"])
    }

    @Test(
        "no connection, a lost one, a lost body, and no answer in time are the same: no answer",
        arguments: ["none", "lost", "body", "late"])
    func noAnswer(_ kind: String) async throws {
        let server = try LocalServer { _ in
            switch kind {
            case "late": .silence
            case "body": .whole(LocalServer.head(200, 16))
            default: .hangUp
            }
        }
        if kind == "none" { server.stop() }
        defer { if kind != "none" { server.stop() } }
        let backend = try backend(server.port, timeout: 1)
        #expect(await error { () async throws(BackendError) in try await backend.upload(Self.upload) } == .noAnswer)
    }

    @Test("a request that is cancelled ends, without its answer")
    func cancelled() async throws {
        let server = try LocalServer { _ in .silence }
        defer { server.stop() }
        let backend = try backend(server.port)
        let task = Task { await error { () async throws(BackendError) in try await backend.upload(Self.upload) } }
        #expect(await eventually { server.requests.with { $0.count } == 1 })
        task.cancel()
        #expect(await task.value == .cancelled)
    }

    @Test("a request of a task that was cancelled before ends at once")
    func cancelledBefore() async throws {
        let server = try LocalServer { _ in .silence }
        defer { server.stop() }
        let backend = try backend(server.port)
        let gate = Gate()
        let task = Task {
            await gate.pass()
            return await error { () async throws(BackendError) in try await backend.upload(Self.upload) }
        }
        task.cancel()
        await gate.open()
        #expect(await task.value == .cancelled)
    }

    @Test("if a request cannot be prepared nothing is sent, and the reason is passed on")
    func notPrepared() async throws {
        let server = try LocalServer { _ in LocalServer.json(200, "{\"then\": \"done\"}") }
        defer { server.stop() }
        let errors: [(any Error, BackendError)] = [
            (BackendError.signedOut, .signedOut), (CancellationError(), .cancelled),
            (URLError(.notConnectedToInternet), .noAnswer),
        ]
        for (thrown, expected) in errors {
            let backend = URLSessionBackend(url: try .loopback(server.port)) { _ in throw thrown }
            #expect(await error { () async throws(BackendError) in try await backend.upload(Self.upload) } == expected)
        }
        #expect(server.requests.with { $0.isEmpty })
    }

    @Test("names of routes and of the payload can be others")
    func names() async throws {
        let server = try LocalServer { _ in LocalServer.json(200, "{\"then\": \"done\"}") }
        defer { server.stop() }
        var names = URLSessionBackend.Names()
        (names.uploads, names.payload) = ("v2/photos", "image")
        let backend = URLSessionBackend(url: try .loopback(server.port), names: names) { _ in }
        #expect(try await backend.upload(Self.upload) == .done)
        let request = try #require(server.requests.with { $0.first })
        #expect(request.path == "/v2/photos")
        #expect(request.json["image"] == Data("photo".utf8).base64EncodedString())
    }
}
