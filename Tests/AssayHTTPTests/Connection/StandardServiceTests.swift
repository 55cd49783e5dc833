import AssayListening
import AssayRPC
import AssayTesting
import Testing

@testable import AssayHTTP

/// Health and reflection, as clients of gRPC ask for them.
@Suite("Health and reflection over HTTP", .timeLimit(.minutes(30)))
struct StandardServiceTests {
    private static let check = "/grpc.health.v1.Health/Check"
    private static let watch = "/grpc.health.v1.Health/Watch"
    /// `HealthCheckResponse` of each status.
    private static let (serving, notServing): ([UInt8], [UInt8]) = ([8, 1], [8, 2])

    /// `HealthCheckRequest`.
    private func service(_ name: String) -> [UInt8] { [10, UInt8(name.utf8.count)] + name.utf8 }

    // MARK: Health

    @Test("health says whether a service is served, and the whole server by the empty name")
    func checkHealth() async throws {
        try await HTTPTestServer.run { server in
            let client = try await HTTP2Client.connect(to: server.address)
            #expect(try await client.answer(to: Self.check).messages == [Self.notServing])
            server.health.setAll(true)
            #expect(try await client.answer(to: Self.check).messages == [Self.serving])
            server.health.set(false, for: "assay.v1.Attestation")
            let named = try await client.answer(to: Self.check, service("assay.v1.Attestation"))
            #expect(named.messages == [Self.notServing])
            let unknown = try await client.answer(to: Self.check, service("no.such.Service"))
            #expect(unknown.grpcStatus == .notFound && unknown.has(reason: "unknown_service"))
        }
    }

    @Test("a client that watches is told of each change", arguments: ["", "assay.v1.Devices"])
    func watchHealth(_ name: String) async throws {
        try await HTTPTestServer.run { server in
            let client = try await HTTP2Client.connect(to: server.address)
            let stream = client.call(Self.watch, name.isEmpty ? [] : service(name))
            var expected = [Self.notServing]
            for isServing in [true, false, true] {
                try await eventually("it is told") { client.partial(stream).messages == expected }
                server.health.setAll(isServing)
                expected.append(isServing ? Self.serving : Self.notServing)
            }
            try await eventually("it is told") { client.partial(stream).messages == expected }
            client.reset(stream)
            try await eventually("its call has ended") { server.health.watcherCount == 0 }
        }
    }

    @Test("a client that watches is told that the server stops")
    func watchStop() async throws {
        try await HTTPTestServer.run(
            .with { ($0.limits.drainTimeout, $0.limits.lingerTimeout) = (.milliseconds(300), .seconds(3)) }
        ) { server in
            server.health.setAll(true)
            let client = try await HTTP2Client.connect(to: server.address)
            let stream = client.call(Self.watch)
            try await eventually("it is told") { client.partial(stream).messages == [Self.serving] }
            await server.front.stop()
            let answer = try await client.answer(stream)
            #expect(answer.messages == [Self.serving, Self.notServing] && answer.grpcStatus == .unavailable)
        }
    }

    @Test("health is answered to peers that may call nothing else, in every form", arguments: HTTPVersion.allCases)
    func openHealth(_ version: HTTPVersion) async throws {
        let access = RPCAccess(
            caller: { _ in nil }, refusal: { _, _ in RPCError(.permissionDenied, "no", reason: "permission_denied") },
            version: { 0 })
        try await HTTPTestServer.run(.with { $0.access = access }) { server in
            server.health.setAll(true)
            let answer = try await version.request(Self.check, "application/proto", at: server)
            #expect(answer.status == 200 && answer.body == Self.serving)
            let web = try await version.request(Self.check, "application/grpc-web", Enveloped.bytes([]), at: server)
            #expect(web.envelopes?.first?.message == Self.serving)
            let other = try await version.request(TestMethods.echo, "application/proto", at: server)
            #expect(other.status == 403)
        }
    }

    @Test("health speaks JSON", arguments: HTTPVersion.allCases)
    func healthInJSON(_ version: HTTPVersion) async throws {
        try await HTTPTestServer.run { server in
            func ask(_ method: String, _ text: String, _ type: String = "application/json") async throws -> HTTPVersion.Answer {
                try await version.post("/grpc.health.v1.Health/\(method)", type, text: text, at: server)
            }
            server.health.setAll(true)
            server.health.set(false, for: "assay.v1.Devices")
            #expect(try await ask("Check", "{}").text == #"{"status":"SERVING"}"#)
            #expect(try await ask("Check", #"{"service":"assay.v1.Devices"}"#).text == #"{"status":"NOT_SERVING"}"#)
            let unknown = try await ask("Check", #"{"service":"no.such.Service"}"#)
            #expect(unknown.status == 404 && unknown.text.hasPrefix(#"{"code":"not_found","#))
            let other = try await ask("Check", #"{"servise":""}"#)
            #expect(other.status == 400 && other.text.hasPrefix(#"{"code":"invalid_argument","#))

            let list = try await ask("List", "{}").text
            #expect(list.hasPrefix(#"{"statuses":{"":{"status":"SERVING"},"#))
            #expect(list.contains(#""assay.v1.Devices":{"status":"NOT_SERVING"}"#))

            let watch = try await ask("Watch", "{}")
            #expect(watch.status == 501 && watch.text.contains("application/connect+json"))
        }
    }

    @Test("health is watched as a stream of JSON")
    func watchHealthInJSON() async throws {
        try await HTTPTestServer.run { server in
            let client = try await HTTP2Client.connect(to: server.address)
            let stream = client.open(Self.watch, [("content-type", "application/connect+json")])
            client.send(Enveloped.bytes(Array(#"{"service":"assay.v1.Devices"}"#.utf8)), on: stream, isEnd: true)
            var expected = [#"{"status":"NOT_SERVING"}"#]
            func heard() -> [String]? { client.partial(stream).messages?.map { String(decoding: $0, as: UTF8.self) } }
            try await eventually("it is told") { heard() == expected }
            server.health.setAll(true)
            expected.append(#"{"status":"SERVING"}"#)
            try await eventually("it is told") { heard() == expected }
            client.reset(stream)
            try await eventually("its call has ended") { server.health.watcherCount == 0 }
        }
    }

    @Test("health that is switched off is UNIMPLEMENTED")
    func noHealth() async throws {
        try await HTTPTestServer.run(.with { $0.settings.servesHealth = false }) { server in
            let client = try await HTTP2Client.connect(to: server.address)
            for path in [Self.check, Self.watch] {
                #expect(try await client.answer(to: path).grpcStatus == .unimplemented)
            }
        }
    }

    // MARK: Reflection

    private static let reflection = [
        "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
        "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
    ]
    /// `list_services`
    private static let listServices: [UInt8] = [0x3a, 1, 0x2a]

    @Test("reflection lists the services that are served, and answers one request after another", arguments: reflection)
    func list(_ path: String) async throws {
        try await HTTPTestServer.run(.with { $0.settings.servesReflection = true }) { server in
            let client = try await HTTP2Client.connect(to: server.address)
            let stream = client.openCall(path)
            client.send(Enveloped.bytes(Self.listServices), on: stream)
            try await eventually("the list comes") { client.partial(stream).messages?.count == 1 }
            let list = client.partial(stream).messages?.first ?? []
            for name in ["assay.v1.Attestation", "assay.v1.Operations", "grpc.health.v1.Health"] {
                #expect(list.firstRange(of: Array(name.utf8)) != nil, "\(name)")
            }
            #expect(list.firstRange(of: Array("assay.v1.Webhooks".utf8)) == nil, "it is not served here")

            // `file_containing_symbol`, in two frames.
            let symbol = "assay.v1.Attestation"
            let request = Enveloped.bytes([0x22, UInt8(symbol.utf8.count)] + symbol.utf8)
            client.send(Array(request.prefix(7)), on: stream)
            client.send(Array(request.dropFirst(7)), on: stream)
            try await eventually("the file comes") { client.partial(stream).messages?.count == 2 }
            client.send([], on: stream, isEnd: true)
            let answer = try await client.answer(stream)
            #expect(answer.grpcStatus == .ok && answer.messages?.count == 2)
            #expect(answer.messages?.last?.firstRange(of: Array("assay/v1/attestation.proto".utf8)) != nil)
        }
    }

    @Test("reflection is spoken by gRPC-Web and Connect too, for one request", arguments: HTTPVersion.allCases)
    func otherForms(_ version: HTTPVersion) async throws {
        try await HTTPTestServer.run(.with { $0.settings.servesReflection = true }) { server in
            for (type, flags) in [("application/grpc-web", 0x80), ("application/connect+proto", 2)] as [(String, UInt8)] {
                let body = Enveloped.bytes(Self.listServices)
                let answer = try await version.request(Self.reflection[0], type, body, at: server)
                #expect(answer.status == 200 && answer.envelopes?.map(\.flags) == [0, flags], "\(type)")
            }
        }
    }

    @Test("a request to reflection that is none ends the stream by its error")
    func badRequest() async throws {
        try await HTTPTestServer.run(.with { $0.settings.servesReflection = true }) { server in
            let client = try await HTTP2Client.connect(to: server.address)
            let bad = try await client.answer(to: Self.reflection[0], [0x3a, 9, 0x2a])
            #expect(bad.grpcStatus == .invalidArgument && bad.has(reason: "undecodable_message"))
            let long = try await client.answer(to: Self.reflection[0], [UInt8](repeating: 0, count: 5000))
            #expect(long.grpcStatus == .resourceExhausted && long.has(reason: "message_too_large"))
            let stream = client.openCall(Self.reflection[0])
            client.send(Enveloped.bytes(Self.listServices) + [0], on: stream, isEnd: true)
            let cut = try await client.answer(stream)
            #expect(cut.messages?.count == 1 && cut.grpcStatus == .invalidArgument)
        }
    }

    @Test("reflection that is switched off is UNIMPLEMENTED")
    func noReflection() async throws {
        try await HTTPTestServer.run { server in
            let client = try await HTTP2Client.connect(to: server.address)
            for path in Self.reflection {
                let answer = try await client.answer(to: path, Self.listServices)
                #expect(answer.grpcStatus == .unimplemented && answer.has(reason: "unknown_method"))
            }
        }
    }
}
