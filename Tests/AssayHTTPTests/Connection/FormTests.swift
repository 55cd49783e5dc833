import AssayAPI
import AssayTesting
import Foundation
import SwiftProtobuf
import Testing

@testable import AssayHTTP
@testable import AssayRPC

/// Calls in the forms of both versions of HTTP: gRPC-Web, Connect, JSON.
@Suite("Forms of calls", .timeLimit(.minutes(30)))
struct FormTests {
    private static let json = "application/json"

    // MARK: gRPC and gRPC-Web

    @Test("gRPC over HTTP/1.1 is answered 505, and the connection stays")
    func grpcNeedsHTTP2() async throws {
        try await HTTPTestServer.run { server in
            let client = try await RawClient.connect(to: server.address)
            let head = "POST \(TestMethods.echo) HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/grpc\r\n"
            for _ in 0..<2 {
                try await client.say(Array("\(head)content-length: 6\r\n\r\n".utf8) + Enveloped.bytes([1]))
                let answer = try await client.answer()
                #expect(answer.status == 505 && answer.text.contains("gRPC needs HTTP/2"))
            }
            #expect(server.statistics.refusedCalls == ["needs_http2": 2])
        }
    }

    @Test(
        "gRPC-Web has its messages and then its trailers in the body", arguments: HTTPVersion.allCases,
        ["application/grpc-web", "application/grpc-web+proto"])
    func grpcWeb(_ version: HTTPVersion, _ type: String) async throws {
        try await HTTPTestServer.run { server in
            let unary = try await version.request(TestMethods.echo, type, Enveloped.bytes([1, 2]), at: server)
            #expect(unary.status == 200 && unary.field("content-type") == "application/grpc-web+proto")
            #expect(unary.envelopes?.map(\.flags) == [0, 0x80])
            #expect(unary.envelopes?.map(\.message) == [[1, 2], Array("grpc-status: 0\r\n".utf8)])

            let failed = try await version.request(TestMethods.fail, type, Enveloped.bytes([]), at: server)
            #expect(failed.status == 200 && failed.envelopes?.map(\.flags) == [0x80])
            let trailers = String(decoding: failed.envelopes?.first?.message ?? [], as: UTF8.self)
            #expect(trailers.hasPrefix("grpc-status: 9\r\ngrpc-message: 100 %25 %C3%BCbel\r\n"))

            let stream = try await version.request(TestMethods.count, type, Enveloped.bytes([20]), at: server)
            #expect(stream.envelopes?.count == 13 && stream.envelopes?.last?.flags == 0x80)
        }
    }

    @Test("gRPC-Web in text has the same in Base64, whose pieces are padded", arguments: HTTPVersion.allCases)
    func grpcWebText(_ version: HTTPVersion) async throws {
        try await HTTPTestServer.run { server in
            let type = "application/grpc-web-text"
            let bytes = Enveloped.bytes([1, 2, 3, 4])
            let pieces = Enveloped.base64(Array(bytes.prefix(5))) + Enveloped.base64(Array(bytes.dropFirst(5)))
            for body in [Enveloped.base64(bytes), pieces] {
                let answer = try await version.request(TestMethods.echo, type, body, at: server)
                #expect(answer.status == 200 && answer.field("content-type") == "application/grpc-web-text+proto")
                let envelopes = Enveloped.decoded(base64: answer.body).flatMap { Enveloped.all(in: $0) }
                #expect(envelopes?.map(\.message) == [[1, 2, 3, 4], Array("grpc-status: 0\r\n".utf8)])
            }
            let stream = try await version.request(
                TestMethods.count, type, Enveloped.base64(Enveloped.bytes([3])), at: server)
            let messages = Enveloped.decoded(base64: stream.body).flatMap { Enveloped.all(in: $0) }
            #expect(messages?.dropLast().map(\.message) == [[1], [2], [3]])
        }
    }

    @Test(
        "a text that is no Base64, or ends within a group, is refused", arguments: HTTPVersion.allCases, ["AAAA*AAA", "AAAAAA"])
    func badText(_ version: HTTPVersion, _ text: String) async throws {
        try await HTTPTestServer.run { server in
            let answer = try await version.post(TestMethods.echo, "application/grpc-web-text", text: text, at: server)
            let envelopes = Enveloped.decoded(base64: answer.body).flatMap { Enveloped.all(in: $0) }
            let trailers = String(decoding: envelopes?.last?.message ?? [], as: UTF8.self)
            #expect(trailers.hasPrefix("grpc-status: 3\r\n"))
            #expect(server.statistics.refusedCalls == ["undecodable_text": 1])
        }
    }

    // MARK: Connect

    @Test("one JSON object each way, by either name of the method", arguments: HTTPVersion.allCases)
    func json(_ version: HTTPVersion) async throws {
        try await HTTPTestServer.run { server in
            for path in [TestMethods.issueChallenge, "/v1/attestation/issue-challenge", "/v1/attestation/issue-challenge?a=b"] {
                let answer = try await version.post(path, Self.json, text: #"{"app":"photos","purpose":"ASSERT"}"#, at: server)
                #expect(answer.status == 200 && answer.field("content-type") == Self.json, "\(path)")
                #expect(answer.text == #"{"challenge":"cGhvdG9z","expiresAtUnixMs":"1700000000000"}"#, "\(path)")
            }
            let who = try await version.post(
                "/v1/operations/who-am-i", "application/json; charset=utf-8", text: "{}", at: server)
            #expect(who.text == #"{"name":"127.0.0.1"}"#)
        }
    }

    @Test("one protobuf message each way", arguments: HTTPVersion.allCases)
    func protobuf(_ version: HTTPVersion) async throws {
        try await HTTPTestServer.run { server in
            var request = Assay_V1_IssueChallengeRequest()
            request.app = "photos"
            let bytes = try request.serialised()
            let answer = try await version.request(TestMethods.issueChallenge, "application/proto", bytes, at: server)
            #expect(answer.status == 200 && answer.field("content-type") == "application/proto")
            #expect(try Assay_V1_IssueChallengeResponse(serializedBytes: answer.body).challenge == Data("photos".utf8))
            let empty = try await version.request(TestMethods.echo, "application/proto", at: server)
            #expect(empty.status == 200 && empty.body.isEmpty)
        }
    }

    @Test("an error is JSON with the status of its code, in both codecs", arguments: HTTPVersion.allCases)
    func errors(_ version: HTTPVersion) async throws {
        try await HTTPTestServer.run { server in
            let failed = try await version.request(TestMethods.fail, "application/proto", at: server)
            #expect(failed.status == 400 && failed.field("content-type") == Self.json && failed.field("retry-after") == "2")
            #expect(failed.text.hasPrefix(#"{"code":"failed_precondition","message":"100 % übel","details":[{"type":"#))
            let unknown = try await version.post("/test.Test/Nothing", Self.json, text: "{}", at: server)
            #expect(unknown.status == 501 && unknown.text.hasPrefix(#"{"code":"unimplemented","#))
            let bad = try await version.post(
                TestMethods.whoAmI, Self.json, text: "{}", [("connect-timeout-ms", "1s")], at: server)
            #expect(bad.status == 400 && server.statistics.refusedCalls["bad_timeout"] == 1)
            let late = try await version.request(
                TestMethods.sleep, "application/proto", [], [("connect-timeout-ms", "50")], at: server)
            #expect(late.status == 504 && late.text.hasPrefix(#"{"code":"deadline_exceeded","#))
        }
    }

    /// Objects that are refused, and the member that the message names.
    static let badObjects: [(text: String, place: String)] = [
        (#"{"app":1}"#, "app"),
        (#"{"purpose":"NO_SUCH"}"#, "purpose"),
        (#"{"evidence":[{},{"playIntegrityToken":{"token":"YQ==","token":"YQ=="}}]}"#, "evidence[1].playIntegrityToken.token"),
        (#"{"idempotencyKey":"YQ==","idempotency_key":"YQ=="}"#, "idempotencyKey"),
    ]

    @Test(
        "a long request of JSON is read beside the loop, and one that is refused there is answered",
        arguments: HTTPVersion.allCases)
    func longJSON(_ version: HTTPVersion) async throws {
        try await HTTPTestServer.run { server in
            let long = String(repeating: "a", count: 100_000)
            let good = try await version.post(
                TestMethods.verify, Self.json, text: #"{"app":"photos","subject":"\#(long)","idempotencyKey":"azE="}"#,
                at: server)
            #expect(good.status == 200)
            #expect(server.calls.notes == ["k1"])
            let bad = try await version.post(
                TestMethods.verify, Self.json, text: #"{"app":"photos","subject":"\#(long)","purpose":"NO_SUCH"}"#, at: server)
            #expect(bad.status == 400 && bad.text.contains("purpose"))
            try await eventually("nothing is held") { server.statistics.heldBytes == 0 }
        }
    }

    @Test("JSON that is refused names the member", arguments: badObjects.indices)
    func badJSON(_ index: Int) async throws {
        let (text, place) = Self.badObjects[index]
        try await HTTPTestServer.run { server in
            let answer = try await HTTPVersion.one.post(TestMethods.verify, Self.json, text: text, at: server)
            #expect(answer.status == 400 && answer.text.hasPrefix(#"{"code":"invalid_argument","message":""#))
            #expect(answer.text.contains(place), "\(answer.text)")
            #expect(server.calls.notes.isEmpty)
        }
    }

    @Test("what is no JSON at all is refused", arguments: ["", "[]", "{", "{}{}", "\u{FEFF}{}", "null"])
    func noJSON(_ text: String) async throws {
        try await HTTPTestServer.run { server in
            let answer = try await HTTPVersion.two.post(TestMethods.whoAmI, Self.json, text: text, at: server)
            #expect(answer.status == 400 && server.statistics.refusedCalls == ["undecodable_message": 1])
        }
    }

    @Test("a body that is compressed by gzip is inflated, and another compression refused", arguments: HTTPVersion.allCases)
    func compressedBody(_ version: HTTPVersion) async throws {
        try await HTTPTestServer.run { server in
            let body = try Gzipped.bytes(Array(#"{"app":"photos"}"#.utf8))
            let path = TestMethods.issueChallenge
            let answer = try await version.request(path, Self.json, body, [("content-encoding", "gzip")], at: server)
            #expect(answer.status == 200 && answer.text.contains("cGhvdG9z"))
            let refused = try await version.request(path, Self.json, body, [("content-encoding", "br")], at: server)
            #expect(refused.status == 501 && server.statistics.refusedCalls == ["unknown_compression": 1])
        }
    }

    @Test("a body of one message that is too long is refused", arguments: HTTPVersion.allCases)
    func tooLong(_ version: HTTPVersion) async throws {
        try await HTTPTestServer.run(.with { $0.limits.maxMessageBytes = 1000 }) { server in
            for length in [1001, 2000] {
                let body = [UInt8](repeating: 1, count: length)
                let answer = try await version.request(TestMethods.echo, "application/proto", body, at: server)
                #expect(answer.status == 429, "\(length)")
            }
            #expect(server.statistics.refusedCalls == ["message_too_large": 2])
        }
    }

    // MARK: Connect's streams

    @Test("a stream of Connect ends by a message that says so", arguments: HTTPVersion.allCases)
    func connectStream(_ version: HTTPVersion) async throws {
        try await HTTPTestServer.run { server in
            let type = "application/connect+proto"
            let answer = try await version.request(TestMethods.count, type, Enveloped.bytes([3]), at: server)
            #expect(answer.status == 200 && answer.field("content-type") == type)
            #expect(answer.envelopes?.map(\.flags) == [0, 0, 0, 2])
            #expect(answer.envelopes?.map(\.message) == [[1], [2], [3], Array("{}".utf8)])
            if version == .one { #expect(answer.field("transfer-encoding") == "chunked") }

            let failed = try await version.request(TestMethods.count, type, Enveloped.bytes([20]), at: server)
            #expect(failed.status == 200 && failed.envelopes?.count == 13 && failed.envelopes?.last?.flags == 2)
            let end = String(decoding: failed.envelopes?.last?.message ?? [], as: UTF8.self)
            #expect(end.hasPrefix(#"{"error":{"code":"failed_precondition","#))
        }
    }

    @Test("a stream of Connect has JSON in its envelopes", arguments: HTTPVersion.allCases)
    func connectJSONStream(_ version: HTTPVersion) async throws {
        try await HTTPTestServer.run { server in
            let body = Enveloped.bytes(Array("{}".utf8))
            let answer = try await version.request("/v1/operations/watch", "application/connect+json", body, at: server)
            let texts = answer.envelopes?.map { String(decoding: $0.message, as: UTF8.self) }
            #expect(texts == (1...3).map { #"{"overtaken":{"missed":"\#($0)"}}"# } + ["{}"])
        }
    }

    @Test("a stream is not answered as one message, and one message not as a stream", arguments: HTTPVersion.allCases)
    func wrongForm(_ version: HTTPVersion) async throws {
        try await HTTPTestServer.run { server in
            let stream = try await version.post(TestMethods.watch, Self.json, text: "{}", at: server)
            #expect(stream.status == 501)
            let body = Enveloped.bytes(Array("{}".utf8))
            let unary = try await version.request(TestMethods.whoAmI, "application/connect+json", body, at: server)
            #expect(unary.status == 200 && unary.envelopes?.map(\.flags) == [2])
            #expect(unary.text.contains("unimplemented"))
            let noJSON = try await version.post(TestMethods.echo, Self.json, text: "{}", at: server)
            #expect(noJSON.status == 501)
            #expect(server.statistics.refusedCalls == ["wrong_form": 3])
        }
    }

    // MARK: Methods and content types

    @Test("a method is not called by another word than POST", arguments: HTTPVersion.allCases, ["GET", "PUT", "OPTIONS"])
    func otherMethods(_ version: HTTPVersion, _ method: String) async throws {
        try await HTTPTestServer.run { server in
            let answer = try await version.request(TestMethods.whoAmI, nil, method: method, at: server)
            #expect(answer.status == 405 && answer.field("allow") == "POST")
            let unknown = try await version.request("/no/such/path", nil, method: method, at: server)
            #expect(unknown.status == 404)
        }
    }

    @Test(
        "a content type that is no form of calls, or none, is answered 415 with those that are",
        arguments: HTTPVersion.allCases,
        [nil, "text/plain", "application/x-www-form-urlencoded", "application/grpc+json"])
    func contentType(_ version: HTTPVersion, _ type: String?) async throws {
        try await HTTPTestServer.run { server in
            let answer = try await version.request(TestMethods.whoAmI, type, Array("{}".utf8), at: server)
            #expect(answer.status == 415 && answer.field("accept-post")?.contains("application/json") == true)
            #expect(server.statistics.refusedCalls == ["unsupported_media_type": 1])
        }
    }

    // MARK: Idempotency-Key

    @Test("the field Idempotency-Key becomes the key of the request", arguments: HTTPVersion.allCases)
    func idempotencyKey(_ version: HTTPVersion) async throws {
        try await HTTPTestServer.run { server in
            func call(_ text: String, _ key: String) async throws -> HTTPVersion.Answer {
                try await version.post(TestMethods.verify, Self.json, text: text, [("idempotency-key", key)], at: server)
            }
            #expect(try await call(#"{"app":"photos"}"#, "k1").status == 200)
            // "k1" in Base64.
            #expect(try await call(#"{"app":"photos","idempotencyKey":"azE="}"#, "k1").status == 200)
            #expect(server.calls.notes == ["k1", "k1"])
            let other = try await call(#"{"app":"photos","idempotencyKey":"azE="}"#, "k2")
            #expect(other.status == 400)
            // 0xff, which is no text.
            let bytes = try await call(#"{"app":"photos","idempotencyKey":"/w=="}"#, "k2")
            #expect(bytes.status == 400)
            #expect(server.statistics.refusedCalls == ["two_idempotency_keys": 2])
            #expect(server.calls.notes == ["k1", "k1"])
        }
    }

    @Test("the field Idempotency-Key is refused where a second call would do more, and ignored where it does not")
    func idempotencyKeyNotTaken() async throws {
        try await HTTPTestServer.run { server in
            let key = [("idempotency-key", "k1")]
            let refused = try await HTTPVersion.one.post(TestMethods.unblock, Self.json, text: "{}", key, at: server)
            #expect(refused.status == 400 && server.statistics.refusedCalls == ["idempotency_key_not_taken": 1])
            #expect(try await HTTPVersion.one.post(TestMethods.unblock, Self.json, text: "{}", at: server).status == 200)
            let ignored = try await HTTPVersion.one.post(TestMethods.issueChallenge, Self.json, text: "{}", key, at: server)
            #expect(ignored.status == 200)
        }
    }

    @Test("a field that stands once is refused when it stands twice", arguments: HTTPVersion.allCases)
    func twice(_ version: HTTPVersion) async throws {
        try await HTTPTestServer.run { server in
            for name in ["authorization", "idempotency-key", "connect-timeout-ms", "content-encoding"] {
                let fields = [(name, "1"), (name, "1")]
                let answer = try await version.post(TestMethods.whoAmI, Self.json, text: "{}", fields, at: server)
                #expect(answer.status == 400 && answer.text.contains(name))
            }
        }
    }
}
