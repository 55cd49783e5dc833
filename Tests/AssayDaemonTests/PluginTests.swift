import AssayAPI
import AssayClient
import AssayCore
import AssayDaemon
import Foundation
import Synchronization
import Testing

@testable import DaemonTesting

extension ProcessTests {
    @Suite(
        "Plugins of a daemon",
        .enabled(if: PluginHome.runs, "plugins are not built (make plugins), or the sandbox cannot be enforced here"))
    struct PluginTests {
        @Test("A plugin of the catalog accepts good evidence, rejects bad, and its challenge is accepted once")
        func appraises() async throws {
            try await PluginHome().run { running in
                let good = try await running.verify()
                #expect(good.outcome == "accepted" && good.assurance == .software)
                #expect(good.claims.contains { $0.name == "algorithm" && $0.text == "hmac-sha256" })
                #expect(good.findings.contains { $0.code == "judged_by" && $0.detail == "example-hmac" })
                #expect(try await running.verify([UInt8](repeating: 0, count: 32)).outcome == "bad_signature")
                let plugin = try await running.plugin()
                #expect(plugin.state == .ready && plugin.problem.isEmpty && plugin.protocolVersion == 1)
                #expect(plugin.counts.calls == 2 && plugin.counts.rejections == 1 && plugin.counts.starts == 1)
                #expect(plugin.enforced.contains { $0.step == "seccomp" && $0.state == "allow-list" })
                #expect(try await running.client.status().attention.isEmpty)
            }
        }

        @Test("A file that differs from its pin is not run: its format is UNAVAILABLE until a reload after the pin is right")
        func pin() async throws {
            let home = try PluginHome()
            try home.writeEntry(digest: String(repeating: "0", count: 64))
            try await home.run { running in
                let error = await #expect(throws: AssayError.self) { try await running.verify() }
                #expect(error?.code == .unavailable && error?.reason == "evidence_unavailable")
                let plugin = try await running.plugin()
                #expect(plugin.state == .refused && plugin.problem.contains("the manifest says 0000"), "\(plugin.problem)")
                let status = try await running.client.status()
                #expect(status.attention.contains { $0.code == "plugin_not_ready" })
                #expect(status.apps.first?.outages.first?.formats == ["example.hmac"])
                try home.writeEntry()
                #expect(await running.reloader.reload() == nil)
                #expect(try await running.verify().outcome == "accepted")
            }
        }

        @Test("A reload with an entry that cannot be used changes nothing and says why")
        func refusedReload() async throws {
            let home = try PluginHome()
            try await home.run { running in
                try home.writeKey([1, 2], to: "short.key")
                try home.writeEntry(key: "short.key")
                let problem = try #require(await running.reloader.reload())
                #expect(problem.contains("example-hmac.yaml") && problem.contains("64 hex digits"), "\(problem)")
                #expect(try await running.verify().outcome == "accepted")
                try home.writeEntry("other", more: "unknown: 1")
                try home.writeEntry()
                #expect(await running.reloader.reload()?.contains("\"unknown\"") == true)
                #expect(try await running.verify().outcome == "accepted")
            }
        }

        @Test("A reload under load exchanges the process without losing a call")
        func reload() async throws {
            let home = try PluginHome()
            let next = [UInt8](repeating: 9, count: 32)
            try home.writeKey(next, to: "next.key")
            try await home.run { running in
                let first = try await running.plugin().processes.first?.pid
                let isDone = Flag()
                let failed = try await withThrowingTaskGroup(of: Int.self) { group in
                    for _ in 0..<8 {
                        group.addTask {
                            var failed = 0
                            while !isDone.isSet {
                                // Under either key, one of the two processes accepts.
                                for key in [PluginHome.key, next] {
                                    let outcome = (try? await running.verify(key))?.outcome
                                    if outcome != "accepted", outcome != "bad_signature" { failed += 1 }
                                }
                            }
                            return failed
                        }
                    }
                    for key in ["next.key", "right.key", "next.key"] {
                        try home.writeEntry(key: key)
                        let problem = await running.reloader.reload()
                        #expect(problem == nil)
                    }
                    isDone.set()
                    return try await group.reduce(0, +)
                }
                #expect(failed == 0)
                #expect(try await running.verify(next).outcome == "accepted")
                #expect(try await running.plugin().processes.first?.pid != first)
            }
        }

        @Test("A process that is killed is started again, and calls meanwhile wait for it")
        func killed() async throws {
            try await PluginHome().run { running in
                for deaths in 1...5 {
                    let pid = try #require(try await running.plugin().processes.first?.pid)
                    kill(pid_t(pid), SIGKILL)
                    while try await running.plugin().counts.deaths < UInt64(deaths) {
                        try await Task.sleep(for: .milliseconds(5))
                    }
                    #expect(try await running.verify().outcome == "accepted")
                }
            }
        }

        @Test("A disabled plugin stays disabled at the next start, and runs again once it is enabled")
        func disabled() async throws {
            let home = try PluginHome()
            try await home.run { running in
                try await running.daemon.plugins.disable("example-hmac")
                let plugin = try await running.plugin()
                #expect(plugin.state == .disabled && plugin.processes.isEmpty)
                await #expect(throws: AssayError.self) { try await running.verify() }
            }
            try await home.run { running in
                #expect(try await running.plugin().state == .disabled)
                try await running.daemon.plugins.enable("example-hmac")
                while try await running.plugin().state != .ready { try await Task.sleep(for: .milliseconds(5)) }
                #expect(try await running.verify().outcome == "accepted")
            }
        }

        @Test("A shadow judges the same evidence, differences are counted, and it never decides")
        func shadow() async throws {
            let home = try PluginHome()
            try home.writeKey([UInt8](repeating: 9, count: 32), to: "next.key")
            try home.writeEntry("example-hmac-next", key: "next.key", more: "role: shadow")
            try await home.run { running in
                #expect(try await running.verify().outcome == "accepted")
                #expect(try await running.verify([UInt8](repeating: 0, count: 32)).outcome == "bad_signature")
                while true {
                    let counts = try await running.plugin("example-hmac-next").counts
                    guard counts.agreements + counts.differences < 2 else {
                        #expect(counts.agreements == 1 && counts.differences == 1)
                        break
                    }
                    try await Task.sleep(for: .milliseconds(5))
                }
            }
        }

        @Test("Where a second plugin must accept too, its rejection is the verdict's")
        func all() async throws {
            let home = try PluginHome()
            try home.writeKey([UInt8](repeating: 9, count: 32), to: "second.key")
            try home.writeEntry("second", key: "second.key", more: "role: all")
            try await home.run { running in
                let verdict = try await running.verify()
                #expect(verdict.outcome == "bad_signature" && verdict.check.hasPrefix("second."), "\(verdict.check)")
            }
        }

        @Test("The policy digest follows what decides, and not what is tried out")
        func policyDigest() async throws {
            let home = try PluginHome()
            try await home.run { running in
                func digest() async throws -> Data { try await running.verify().policyDigest }
                let first = try await digest()
                try home.writeEntry("example-hmac-next", more: "role: shadow")
                #expect(await running.reloader.reload() == nil)
                #expect(try await digest() == first)
                try home.writeEntry(more: "assurance_ceiling: hardware")
                #expect(await running.reloader.reload() == nil)
                let second = try await digest()
                #expect(second != first)
            }
        }

        @Test("A required plugin that cannot be started keeps the daemon from starting")
        func required() async throws {
            let home = try PluginHome()
            try home.writeEntry(digest: String(repeating: "0", count: 64), more: "required: true")
            let error = await #expect(throws: StartupError.self) { _ = try await PluginHome.Running(home) }
            #expect(error?.description.contains("example-hmac cannot be started") == true)
            try home.writeEntry(more: "required: true")
            try await home.run { running in
                let verdict = try await running.verify()
                #expect(verdict.outcome == "accepted")
            }
        }
    }
}

private final class Flag: Sendable {
    private let value = Atomic(false)
    var isSet: Bool { value.load(ordering: .relaxed) }
    func set() { value.store(true, ordering: .relaxed) }
}
