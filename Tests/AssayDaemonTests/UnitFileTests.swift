import Foundation
import Testing

@testable import DaemonTesting

/// The unit for systemd lets the launcher of plugins do its work. No init system is started.
@Suite("Unit file")
struct UnitFileTests {
    private let settings: [(key: String, value: String)]

    init() throws {
        settings = try Package.text("deploy/systemd/assayd.service").split(separator: "\n").compactMap { line in
            guard let equals = line.firstIndex(of: "="), !line.hasPrefix("#") else { return nil }
            return (String(line[..<equals]), String(line[line.index(after: equals)...]))
        }
    }

    private func values(_ key: String) -> [String] { settings.filter { $0.key == key }.map(\.value) }

    /// The system calls that the launcher needs and `@system-service` of systemd 252 does not have.
    private static let calls = ["landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self", "seccomp"]

    /// Those of them that the filter leaves out. A list without `~` adds to the ones before it, one with `~` takes from them
    /// (systemd.exec(5)); no group that is taken has one of the calls.
    private var missing: [String] {
        let allowed = values("SystemCallFilter").filter { !$0.hasPrefix("~") }.flatMap {
            $0.split(separator: " ").map(String.init)
        }
        let forbidden = values("SystemCallFilter").filter { $0.hasPrefix("~") }
            .flatMap { $0.dropFirst().split(separator: " ").map(String.init) }
        return Self.calls.filter { !allowed.contains($0) || forbidden.contains($0) }
    }

    @Test("The calls of Landlock and seccomp are allowed by name, besides the group of services")
    func filter() {
        #expect(missing.isEmpty)
        #expect(values("SystemCallFilter").first == "@system-service" && values("SystemCallErrorNumber") == ["EPERM"])
        #expect(values("SystemCallFilter").filter { $0.hasPrefix("~") } == ["~@privileged"])
    }

    @Test("The daemon alone gets SIGTERM, keeps no rights, and has a folder for plugins")
    func settingsOfPlugins() {
        #expect(values("KillMode") == ["mixed"])
        #expect(values("NoNewPrivileges") == ["yes"] && values("CapabilityBoundingSet") == [""])
        #expect(values("StateDirectory").first?.split(separator: " ").contains("assay/plugins") == true)
        #expect(values("StateDirectoryMode") == ["0700"])
    }

    private static let launcher = Package.path(".build/plugins/assay-plugin-launcher")
    /// Runs a program under a filter that lets system calls fail, as the service's does.
    private static let filtered = Package.path(".build/plugins/launcher-tests/filtered")

    @Test(
        "Under the unit's filter the launcher can enforce its sandbox, and without the calls by name it says what is missing",
        .enabled(
            if: [launcher, filtered].allSatisfy { FileManager.default.isExecutableFile(atPath: $0) },
            "the launcher's tests are not built (make plugins-test)"))
    func imitated() async throws {
        func support(without calls: [String]) async throws -> [String] {
            let rules = calls.map { "\($0)=1" }  // EPERM
            let child = try Child(Self.filtered, rules + ["--", Self.launcher, "--print-support"])
            return await child.ending().lines
        }
        let bare = try await Child(Self.launcher, ["--print-support"]).ending().lines
        #expect(try await support(without: missing) == bare)
        let refused = try await support(without: Self.calls)
        #expect(refused.contains { $0.contains("landlock EPERM") }, "\(refused)")
    }
}
