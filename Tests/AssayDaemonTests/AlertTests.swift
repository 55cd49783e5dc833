import Foundation
import Testing

@testable import DaemonTesting

extension ProcessTests {
    /// The alerts and the dashboard in `deploy/`. The scripts exit with 77 where Prometheus or PyYAML is missing.
    @Suite("Alerts", .enabled(if: Python.path != nil))
    struct AlertTests {
        private func check(_ script: String, _ arguments: [String], says word: String) async throws {
            let ending = try await Child(
                try #require(Python.path), ["-B", Package.path(script)] + arguments, within: .seconds(1500)
            ).ending()
            if ending.status == 77 { return print(ending.out) }
            #expect(ending.status == 0, "\(ending)")
            #expect(ending.lines.last?.contains(word) == true, "\(ending)")
        }

        @Test("Each alert fires above its threshold and not below, has its section, and asks for metrics that exist")
        func rules() async throws {
            try await check("deploy/tests/check_rules.py", [], says: "alerts fire where they are to fire")
        }

        @Test("Alerts fire against daemons whose state is caused, and none against a sound daemon")
        func causes() async throws {
            let programs = URL(fileURLWithPath: try Child.built("assayd")).deletingLastPathComponent().path
            try await check("deploy/tests/fire_alerts.py", [programs], says: "alerts fired against")
        }
    }
}
