import AssayConfiguration
import AssayDaemon
import AssaySchemes
import AssayTesting
import AssayTraceExport
import AssayTracing
import Foundation
import Testing

@testable import DaemonTesting

@Suite("The section traces")
struct TraceConfigurationTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let rest = """
        listen: [{tcp: 127.0.0.1:0}]
        store: {path: ledger.db}
        callers: {loopback_demo: true}
        apps: {camera: {app_attest: {identities: [{app_id: ABCDE12345.com.example.camera}]}}}

        """

    private func parse(_ section: String) throws -> Configuration {
        try Configuration.parse(Self.rest + section, file: "assayd.yaml", folder: folder.path)
    }

    private func problems(_ section: String) -> [String] {
        do {
            _ = try parse(section)
            return []
        } catch let error as ConfigurationError {
            return error.problems.map { "\($0.path): \($0.message)" }
        } catch {
            return ["\(error)"]
        }
    }

    private func headers(_ text: String, mode: Int = 0o600) throws {
        try folder.write(text, to: "headers")
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder.file("headers"))
    }

    @Test("Without the section nothing is traced, and an endpoint is enough")
    func usual() throws {
        #expect(try parse("").live.traces == nil)
        let traces = try #require(try parse("traces: {endpoint: \"https://collector.example\"}").live.traces)
        #expect(traces.rule == Tracer.Rule(share: 0, parentsPerSecond: 50) && traces.headers.isEmpty && traces.roots.isEmpty)
        #expect(
            try parse("traces: {endpoint: \"https://c\"}").summary.contains {
                $0.contains("exports traces to https://c/v1/traces")
            })
    }

    @Test("Every key is read, and the digest covers the headers")
    func all() throws {
        try headers("x-key: one\n")
        let text = "traces: {endpoint: \"http://127.0.0.1:4318\", sample: 0.25, parents_per_second: 7, headers_file: headers}"
        let first = try parse(text)
        let traces = try #require(first.live.traces)
        #expect(traces.endpoint.url == "http://127.0.0.1:4318/v1/traces")
        #expect(traces.rule == Tracer.Rule(share: 0.25, parentsPerSecond: 7))
        #expect(traces.headers == [.init(name: "x-key", value: "one")])
        #expect(
            !first.summary.joined().contains("one\n") && first.summary.contains { $0.contains("25.0 % of the other calls") })
        try headers("x-key: two\n")
        #expect(try parse(text).live.digest != first.live.digest)
    }

    @Test(
        "What cannot be used is named at its key",
        arguments: [
            ("{sample: 0.1}", "\"endpoint\" is missing"),
            (
                "{endpoint: \"http://collector.example:4318\"}",
                "traces.endpoint: traces would go to another machine unencrypted"
            ),
            ("{endpoint: collector}", "traces.endpoint: want https://host"),
            ("{endpoint: \"https://c\", sample: 1.5}", "traces.sample: want a number from 0 to 1"),
            ("{endpoint: \"https://c\", sample: nan}", "traces.sample: want a number from 0 to 1"),
            ("{endpoint: \"https://c\", sample: -0.1}", "traces.sample: want a number from 0 to 1"),
            ("{endpoint: \"https://c\", parents_per_second: -1}", "traces.parents_per_second: want a number"),
            ("{endpoint: \"https://c\", headers_file: missing}", "is missing"),
            ("{endpoint: \"https://c\", collector_ca: missing}", "there is no such file"),
            ("{endpoint: \"http://localhost\", collector_ca: /etc/hostname}", "plain HTTP"),
            ("{endpoint: \"https://c\", endpont: x}", "did you mean \"endpoint\"?"),
        ])
    func wrong(_ section: String, _ problem: String) {
        let found = problems("traces: " + section)
        #expect(found.contains { $0.contains(problem) }, "\(found)")
    }

    @Test("A file of headers that others can read, or that is not of the form, is refused, and its content is not repeated")
    func headerFile() throws {
        let section = "traces: {endpoint: \"https://c\", headers_file: headers}"
        try headers("x-key: secret-word\n", mode: 0o644)
        #expect(problems(section).contains { $0.contains("can be read by others") })
        for text in ["secret-word", "content-type: secret-word\n", "x: " + String(repeating: "secret-word", count: 1000)] {
            try headers(text)
            let found = problems(section)
            #expect(found.count == 1 && found.allSatisfy { !$0.contains("secret-word") }, "\(found)")
        }
    }

    @Test("check-config warns of a collector that takes no connection, and of no other")
    func unreachable() async throws {
        let server = try await TestHTTPSServer.plain()
        let port = server.port
        func findings() throws -> [ConfigurationFinding] {
            try folder.write(Self.rest + "traces: {endpoint: \"http://127.0.0.1:\(port)\"}\n", to: "assayd.yaml")
            var check = ConfigurationCheck(folder.file("assayd.yaml"))
            check.tryCollector()
            return check.findings.filter { $0.code == .tracesUnreachable }
        }
        #expect(try findings().isEmpty)
        try await server.stop()
        let finding = try #require(try findings().first)
        #expect(finding.path == "traces.endpoint" && finding.line == 5 && finding.message.contains("Connection refused"))
        #expect(server.requests.isEmpty)
    }
}
