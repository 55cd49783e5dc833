import AssayConfiguration
import AssayRPC
import AssaySchemes
import Testing

@testable import DaemonTesting

@Suite("The section operate")
struct OperateConfigurationTests {
    private static let demo = "{loopback_demo: true}"
    private static let named = "{known: [{name: a, unix_user: 1001, roles: [verify], apps: all}]}"

    private func text(_ operate: String, callers: String = OperateConfigurationTests.named, more: String = "") -> String {
        """
        listen: [{unix: a.sock}]
        store: {path: ledger.db}
        callers: \(callers)
        operate: \(operate)
        \(more)
        apps: {photos: {app_attest: {identities: [{app_id: TEAMID1234.com.example}]}}}
        """
    }

    private func parse(_ text: String) throws -> Configuration {
        try Configuration.parse(text, file: "f.yaml", folder: "/nowhere")
    }

    private func problems(_ text: String) -> [String] {
        do throws(ConfigurationError) {
            _ = try Configuration.parse(text, file: "f.yaml", folder: "/nowhere")
            return []
        } catch {
            return error.problems.map { "\($0.path): \($0.message)" }
        }
    }

    @Test("Nothing listens without the section, and one loopback address with it")
    func usual() throws {
        let without = try parse(text("{open: [probes]}").replacing("operate: {open: [probes]}", with: ""))
        #expect(without.fixed.operate.isEmpty && without.live.operate == OperateSettings())
        let with = try parse(text("{open: [probes, metrics]}"))
        #expect(with.fixed.operate == [.tcp(host: "127.0.0.1", port: 9464)])
        #expect(with.live.operate.open == [.probes, .metrics] && with.live.operate.openToTheNetwork.isEmpty)
        #expect(with.warnings.isEmpty)
    }

    @Test("An address at which no peer would get an answer is an error")
    func closed() throws {
        #expect(problems(text("{open: []}")).contains { $0.contains("no peer would get an answer over TCP") })
        #expect(try parse(text("{open: []}", callers: Self.demo)).fixed.operate.count == 1, "the demo's caller gets one")
        #expect(
            try parse(text("{listen: [{unix: o.sock, mode: 0660}]}")).fixed.operate == [
                .unix(path: "/nowhere/o.sock", mode: 0o660)
            ])
        #expect(
            problems(text("{listen: [{tls: 0.0.0.0:1}], open: [probes]}")).contains {
                $0.contains("no peer would get an answer over TLS")
            })
    }

    @Test("Beyond loopback nothing is open unless the file says so in so many words, and check-config repeats it")
    func network() throws {
        let far = "listen: [{tcp: 0.0.0.0:9464}]"
        #expect(
            problems(text("{\(far), open: [probes, metrics]}")).contains { $0.contains("it is not on loopback") },
            "what is open to this machine is not meant for the network")
        let open = try parse(text("{\(far), open_to_the_network: [probes]}"))
        #expect(open.live.operate.openToTheNetwork == [.probes])
        let warning = try #require(open.warnings.first { $0.code == .operationsOpen })
        #expect(warning.message.contains("probes, without authentication") && warning.line == 4)
        #expect(warning.code.isDeliberate)
    }

    @Test("Words that are no openings, addresses of calls and a missing certificate are errors")
    func wrong() {
        #expect(problems(text("{open: [status]}")).contains { $0.contains("operate.open") })
        #expect(problems(text("{listen: [{unix: a.sock}]}")).contains { $0.contains("is in \"listen\" too") })
        #expect(
            problems(text("{listen: [{tls: 0.0.0.0:1}], open_to_the_network: [probes]}")).contains {
                $0.contains("\"tls\" is missing")
            })
        #expect(problems(text("{open: [probes], port: 1}")).contains { $0.contains("port") })
    }

    @Test("A new address needs a restart, and what is open does not")
    func reload() throws {
        let one = try parse(text("{open: [probes]}"))
        #expect(one.fixed.sections(thatDifferIn: try parse(text("{open: [metrics]}")).fixed).isEmpty)
        let other = try parse(text("{listen: [{tcp: 127.0.0.1:1}], open: [probes]}"))
        #expect(one.fixed.sections(thatDifferIn: other.fixed) == ["operate.listen"])
    }
}
