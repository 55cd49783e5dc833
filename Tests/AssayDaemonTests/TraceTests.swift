import AssayAPI
import AssayClient
import AssayCore
import AssayDaemon
import AssayOTLP
import AssayTesting
import AssayTraceExport
import AssayTracing
import Foundation
import SwiftProtobuf
import Testing

@testable import DaemonTesting

extension ProcessTests {
    @Suite("Traces of a daemon")
    struct TraceTests {
        private typealias Request = Opentelemetry_Proto_Collector_Trace_V1_ExportTraceServiceRequest
        private typealias Span = Opentelemetry_Proto_Trace_V1_Span

        private static let traceID = "4bf92f3577b34da6a3ce929d0e0e4736"
        private static let parent = "00-\(traceID)-00f067aa0ba902b7-01"

        private func spans(_ server: TestHTTPSServer) throws -> [Span] {
            try server.requests.flatMap { request in
                try Request(serializedBytes: request.body).resourceSpans.flatMap(\.scopeSpans).flatMap(\.spans)
            }
        }

        private func attribute(_ name: String, of span: Span) -> String? {
            span.attributes.first { $0.key == name }?.value.stringValue
        }

        private func home(_ server: TestHTTPSServer, more: String = "") throws -> TestHome {
            try TestHome(
                listen: ["tcp: 127.0.0.1:0"], callers: "{loopback_demo: true}",
                more: "traces: {endpoint: \"\(server.address)\"\(more)}\nlog: {level: debug}")
        }

        @Test(
            "assay verify --traceparent leads to a span of the call and its stages below the caller's, and to log lines that name them"
        )
        func verify() async throws {
            let server = try await TestHTTPSServer.plain { _ in TestHTTPSAnswer(200) }
            let daemon = try await TestDaemon(try home(server))
            let client = try await daemon.connect()
            var phone = daemon.home.phone()
            #expect(try await phone.register(client).outcome == "accepted")
            let challenge = try await phone.challenge(.assert, client)
            let request = try phone.upload(challenge)
            let evidence = try #require(request.evidence.first)
            try daemon.home.folder.write(Hex.encode(evidence.body), to: "assertion")
            try daemon.home.folder.write("photo", to: "photo")
            let words = [
                "verify", "--app", "camera", "--challenge", Hex.encode(challenge), "--key-id", Hex.encode(evidence.keyID),
                "--assertion", daemon.home.folder.file("assertion"), "--payload", daemon.home.folder.file("photo"),
                "--subject", "anna@example.com", "--json",
            ]
            let verified = try await Child.run(
                "assay", words + ["--traceparent", Self.parent], environment: ["ASSAY_SERVER": try daemon.address("tcp")])
            #expect(verified.status == 0, "\(verified.out) \(verified.err)")
            let verdict = try #require(try JSONSerialization.jsonObject(with: Data(verified.out.utf8)) as? [String: Any])
            let requestID = try #require(verdict["request_id"] as? String)
            await client.close()
            #expect(await daemon.stop().status == 0)

            // The stop has sent what waited. The calls of the client above named no trace and were not sampled.
            let spans = try spans(server)
            let call = try #require(spans.first { $0.kind == .server })
            #expect(spans.allSatisfy { Hex.encode(Array($0.traceID)) == Self.traceID })
            #expect(call.name == "assay.v1.Attestation/Verify" && Hex.encode(Array(call.parentSpanID)) == "00f067aa0ba902b7")
            let stages = spans.filter { $0.parentSpanID == call.spanID }
            #expect(stages.map(\.name) == ["prepare", "appraise", "decide", "commit"])
            for stage in stages {
                #expect(call.startTimeUnixNano <= stage.startTimeUnixNano && stage.startTimeUnixNano <= stage.endTimeUnixNano)
                #expect(stage.endTimeUnixNano <= call.endTimeUnixNano)
                #expect(stage.attributes.first { $0.key == "assay.group.requests" }?.value.intValue == 1)
            }
            #expect(
                attribute("rpc.service", of: call) == "assay.v1.Attestation" && attribute("rpc.method", of: call) == "Verify")
            #expect(
                attribute("rpc.response.status_code", of: call) == "OK" && attribute("assay.decision", of: call) == "accepted")
            #expect(attribute("assay.app", of: call) == "camera" && attribute("assay.request_id", of: call) == requestID)
            #expect(attribute("assay.format", of: call) == "app-attest.assertion")
            let texts = spans.flatMap(\.attributes).map { "\($0.key) \($0.value.stringValue)" }
            let device = try #require(verdict["device_id"] as? String ?? verdict["device"] as? String)
            for secret in ["anna", "photo", Hex.encode(challenge), device] {
                #expect(!texts.contains { $0.contains(secret) }, "\(secret)")
            }
            let lines = daemon.child.err.split(separator: "\n").filter { $0.contains(requestID) }
            #expect(!lines.isEmpty)
            for line in lines {
                #expect(line.contains(Self.traceID) && line.contains(Hex.encode(Array(call.spanID))), "\(line)")
            }
            try await server.stop()
        }

        @Test("A trace of the environment is followed, a malformed one is none, and a malformed option is wrong usage")
        func environment() async throws {
            let server = try await TestHTTPSServer.plain { _ in TestHTTPSAnswer(200) }
            let daemon = try await TestDaemon(try home(server))
            func status(_ words: [String], _ trace: [String: String]) async throws -> Child.Ending {
                try await Child.run(
                    "assay", ["status"] + words, environment: trace.merging(["ASSAY_SERVER": try daemon.address("tcp")]) { $1 })
            }
            #expect(try await status([], ["TRACEPARENT": Self.parent, "TRACESTATE": "a=1"]).status == 0)
            #expect(try await status([], ["TRACEPARENT": "nonsense"]).status == 0)
            #expect(try await status([], ["TRACEPARENT": String(Self.parent.dropLast(2)) + "00"]).status == 0)
            let wrong = try await status(["--traceparent", "00-zz"], [:])
            #expect(wrong.status == 64 && wrong.err.contains("no trace parent"), "\(wrong.err)")
            #expect(await daemon.stop().status == 0)
            let spans = try spans(server)
            #expect(spans.map(\.name) == ["assay.v1.Operations/Status"] && spans.first?.traceState == "a=1")
            try await server.stop()
        }

        @Test("A rejection is no error of the span, and a call of the caller's mistake has its code")
        func rejected() async throws {
            let server = try await TestHTTPSServer.plain { _ in TestHTTPSAnswer(200) }
            let daemon = try await TestDaemon(try home(server, more: ", sample: 1"))
            let client = try await daemon.connect()
            var phone = daemon.home.phone()
            #expect(try await phone.register(client).outcome == "accepted")
            var request = try phone.upload(try await phone.challenge(.assert, client))
            request.binding = .clientData(payloadHash: [UInt8](repeating: 1, count: 32))
            let verdict = try await client.patiently(request)
            #expect(verdict.outcome == "bad_signature")
            request.challenge = [1, 2, 3]
            request.binding = .callerOwned([UInt8](repeating: 1, count: 32))
            await #expect(throws: AssayError.self) { try await client.patiently(request) }
            await client.close()
            #expect(await daemon.stop().status == 0)
            let calls = try spans(server).filter { $0.kind == .server && $0.name.hasSuffix("/Verify") }
            #expect(calls.count == 3 && calls.allSatisfy { $0.parentSpanID.isEmpty && $0.status.code == .unset })
            let rejected = try #require(calls.first { attribute("assay.decision", of: $0) == "rejected" })
            #expect(
                attribute("assay.reason", of: rejected) == "bad_signature"
                    && attribute("assay.check", of: rejected) == "signature")
            #expect(attribute("assay.request_id", of: rejected) == Hex.encode(Array(verdict.requestID)))
            let mistaken = try #require(calls.first { attribute("error.type", of: $0) != nil })
            #expect(attribute("rpc.response.status_code", of: mistaken) == "INVALID_ARGUMENT")
            try await server.stop()
        }

        @Test("A collector that never answers slows no verdict, and a reload without the section ends tracing")
        func deadCollector() async throws {
            let server = try await TestHTTPSServer.plain { _ in .silence }
            let operations = try await OperationsHome("open: [metrics]")
            try operations.edit("trust:", "traces: {endpoint: \"\(server.address)\", sample: 1}\ntrust:")
            #expect(await operations.reloader.reload() == nil)
            var phone = operations.home.phone()
            #expect(try await phone.register(operations.client).outcome == "accepted")
            for _ in 0..<20 { #expect(try await phone.upload(operations.client).outcome == "accepted") }
            // A call's spans are there once it was answered: those of the last one may follow a moment later.
            let queue = operations.daemon.exporter.tracer.queue
            // A batch that is being sent waits no longer.
            try await eventually("they are there") { try queue.count + spans(server).count >= 42 }
            try operations.edit("traces: {endpoint: \"\(server.address)\", sample: 1}\n", "")
            #expect(await operations.reloader.reload() == nil)
            #expect(!operations.daemon.exporter.tracer.isOn && queue.count == 0)
            try await eventually("they are dropped") { (queue.counts.dropped[.stopped] ?? 0) >= 42 }
            await operations.end()
            try await server.stop()
        }
    }
}
