import AssayAPI
import AssayClient
import AssayConfiguration
import AssayCore
import AssayDaemon
import AssayRPC
import AssayService
import AssayTesting
import AssayVendors
import Foundation
import Logging
import Synchronization
import Testing

@testable import DaemonTesting

@Suite("Reload", .timeLimit(.minutes(30)))
struct ReloadTests {
    /// A composed daemon and the reloader of its file.
    private struct Running {
        let home: TestHome
        let daemon: Daemon
        let reloader: Reloader
        let client: AssayClient
        let ledger = MemoryLedger()

        init(also steps: [ReloadStep] = [], logger: Logger = .silent) async throws {
            let home = try TestHome()
            self.home = home
            let configuration = try Configuration.load(home.configuration)
            daemon = try await makeDaemon(
                configuration, ledger: ledger, vault: SecretVault(key: [UInt8](repeating: 1, count: 32)), logger: .silent)
            reloader = Reloader(
                running: configuration.fixed, read: { try Configuration.load(home.configuration) },
                steps: daemon.reloadSteps + steps, problem: daemon.reloadProblem, logger: logger)
            client = try await AssayClient.connect(
                to: try #require(try await daemon.start().first).description, options: ClientOptions(retry: .once))
        }

        /// Writes the file again with one replacement.
        func edit(_ old: String, _ new: String) throws {
            let text = home.folder.text("assayd.yaml")
            try #require(text.contains(old))
            try home.folder.write(text.replacing(old, with: new), to: "assayd.yaml")
        }

        func end() async {
            await client.close()
            await daemon.server.stop()
        }
    }

    @Test("Apps, policies, anchors and callers are replaced for further requests, on open connections")
    func exchange() async throws {
        let running = try await Running()
        let before = try await running.client.status()
        var phone = running.home.phone()
        #expect(try await phone.register(running.client).outcome == "accepted")

        try running.edit("  camera: {app_attest:", "  camera: {binding: {payload: required}, app_attest:")
        try running.edit("  other:", "  third:")
        #expect(await running.reloader.reload() == nil)
        let after = try await running.client.status()
        #expect(after.apps.map(\.app) == ["camera", "third"])
        #expect(after.apps.first?.policyDigest != before.apps.first?.policyDigest)
        #expect(after.configuration.digest != before.configuration.digest)
        #expect(after.startedAtUnixMs == before.startedAtUnixMs && after.traffic.accepted == 1, "what counts goes on")
        #expect(try await phone.upload(running.client).outcome == "accepted", "challenge keys and devices are kept")
        let second = running.home.phone()
        #expect(try await second.register(running.client).outcome == "payload_required")

        try running.edit("binding: {payload: required}, ", "")
        try running.edit("trust: {test_roots: [root.pem]}", "trust: {}")
        #expect(await running.reloader.reload() == nil)
        #expect(try await second.register(running.client).outcome == "untrusted_root")

        try running.edit("{loopback_demo: true}", "{known: [{name: a, unix_user: 4294967294, roles: [verify], apps: all}]}")
        // The new file allows no call over TCP, but lists TCP.
        #expect(await running.reloader.reload()?.contains("loopback_demo") == true)
        await running.end()
    }

    @Test("Simulated devices are refused and accepted again, stored verdicts included, with a warning")
    func simulated() async throws {
        let log = LogBook()
        let running = try await Running(logger: log.logger)
        var phone = running.home.phone()
        var registration = try phone.registration(try await phone.challenge(.register, running.client))
        registration.idempotencyKey = [1]
        #expect(try await running.client.patiently(registration).outcome == "accepted")
        try running.edit("accept_simulated: true", "accept_simulated: false")
        #expect(await running.reloader.reload() == nil)
        #expect(log.lines.allSatisfy { !$0.contains("accept_simulated") })
        #expect(try await running.client.patiently(registration).outcome == "simulated_not_accepted")
        #expect(try await phone.upload(running.client).outcome == "simulated_not_accepted")
        #expect(try await running.home.phone().register(running.client).outcome == "simulated_not_accepted")
        #expect(try await running.client.status().traffic.rejected["simulated_not_accepted"] == 3)
        try running.edit("accept_simulated: false", "accept_simulated: true")
        #expect(await running.reloader.reload() == nil)
        #expect(log.lines.count { $0.hasPrefix("warning: ") && $0.contains("accept_simulated") } == 2, "one for each app")
        #expect(try await running.client.patiently(registration).repeated)
        #expect(try await phone.upload(running.client).outcome == "accepted")
        await running.end()
    }

    @Test("A file with errors changes nothing, and the reason is shown until a valid one is loaded")
    func bad() async throws {
        let running = try await Running()
        let before = try await running.client.status()
        for (old, new, word) in [
            ("apps:", "apsp:", "apsp"), ("apsp:", "apps: [", "assayd.yaml"), ("apps: [", "apps:\n  Bad Name: {}", "Bad Name"),
        ] {
            try running.edit(old, new)
            let problem = try #require(await running.reloader.reload())
            #expect(problem.contains(word))
            let status = try await running.client.status()
            #expect(status.apps == before.apps && status.anchors == before.anchors)
            #expect(status.configuration.digest == before.configuration.digest)
            #expect(status.configuration.problem == problem && status.configuration.refusedAtUnixMs > 0)
        }
        try FileManager.default.removeItem(atPath: running.home.configuration)
        #expect(await running.reloader.reload()?.contains("cannot be read") == true)
        try running.home.folder.write(
            """
            listen: [{tcp: 127.0.0.1:0}]
            store: {path: ledger.sqlite}
            callers: {loopback_demo: true}
            apps: {camera: {app_attest: {identities: [{app_id: \(TestHome.appID)}]}}}
            """, to: "assayd.yaml")
        #expect(await running.reloader.reload() == nil)
        let status = try await running.client.status()
        #expect(status.configuration.problem.isEmpty && status.apps.map(\.app) == ["camera"])
        await running.end()
    }

    @Test("A file that needs a restart is refused as a whole, and the sections are named")
    func restart() async throws {
        let running = try await Running()
        let before = try await running.client.status()
        try running.edit("tcp: 127.0.0.1:0", "tcp: 127.0.0.1:1")
        try running.edit("ledger.sqlite", "other.sqlite")
        try running.edit("  other:", "  third:")
        #expect(await running.reloader.reload() == "what changed needs a restart: listen, store")
        #expect(try await running.client.status().apps == before.apps)
        try running.edit("tcp: 127.0.0.1:1", "tcp: 127.0.0.1:0")
        try running.edit("other.sqlite}", "ledger.sqlite, key_file: k}")
        #expect(await running.reloader.reload() == "what changed needs a restart: store")
        try running.edit("callers:", "limits: {max_calls: 1}\ncallers:")
        #expect(await running.reloader.reload() == "what changed needs a restart: store, limits")
        await running.end()
    }

    @Test("Every property of the live configuration is followed by a reload step")
    func followed() async throws {
        // With TLS, since certificates are followed only where there are any.
        let tls = try TLSHome()
        let configuration = try Configuration.load(tls.home.configuration)
        let daemon = try await makeDaemon(
            configuration, ledger: MemoryLedger(), vault: SecretVault(key: [UInt8](repeating: 1, count: 32)), logger: .silent)
        defer { withExtendedLifetime(tls) { daemon.vendors.close() } }
        let steps = daemon.reloadSteps + [DaemonLog(LogSettings()).reloadStep { $0 }]
        let followed = Set(steps.flatMap(\.follows).map { "\($0)".split(separator: ".").last.map(String.init) ?? "" })
        #expect(followed == Set(Mirror(reflecting: configuration.live).children.compactMap(\.label)))
    }

    @Test("If one step cannot be prepared nothing is replaced, and otherwise everything")
    func steps() async throws {
        let log = Mutex<[String]>([])
        let fails = Mutex(true)
        let running = try await Running(also: [
            ReloadStep("good", follows: []) { _ in
                log.withLock { $0.append("prepared") }
                return { log.withLock { $0.append("exchanged") } }
            },
            ReloadStep("certificates", follows: []) { _ in
                guard !fails.withLock({ $0 }) else { throw StartupError("expired yesterday") }
                return {}
            },
        ])
        try running.edit("  other:", "  third:")
        #expect(await running.reloader.reload() == "certificates: expired yesterday")
        #expect(log.withLock { $0 } == ["prepared"])
        #expect(try await running.client.status().apps.map(\.app) == ["camera", "other"])
        fails.withLock { $0 = false }
        #expect(await running.reloader.reload() == nil)
        #expect(log.withLock { $0 } == ["prepared", "prepared", "exchanged"])
        #expect(try await running.client.status().apps.map(\.app) == ["camera", "third"])
        await running.end()
    }

    @Test("Each request sees one configuration as a whole")
    func atomic() async throws {
        let running = try await Running()
        // Each configuration has an app and the test root, or another app and no test root.
        let one = running.home.folder.text("assayd.yaml")
        let two = one.replacing("test_roots: [root.pem]", with: "").replacing("  other:", with: "  third:")
        try await withThrowingTaskGroup(of: Set<String>.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    var seen: Set<String> = []
                    for _ in 0..<200 {
                        let status = try await running.client.status(timeout: TestPhone.patience)
                        let apps = status.apps.map(\.app).joined(separator: " ")
                        seen.insert("\(apps), test root \(status.anchors.contains { $0.simulated })")
                    }
                    return seen
                }
            }
            for round in 0..<100 {
                try running.home.folder.write(round % 2 == 0 ? two : one, to: "assayd.yaml")
                #expect(await running.reloader.reload() == nil)
            }
            for try await seen in group {
                #expect(seen.isSubset(of: ["camera other, test root true", "camera third, test root false"]), "\(seen)")
            }
        }
        await running.end()
    }
}
