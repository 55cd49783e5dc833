import AssayAPI
import AssayClient
import AssayCore
import AssayMetrics
import AssayPlugins
import AssayService
import AssayTesting
import Testing

@testable import AssayDaemon
@testable import DaemonTesting

@Suite("Flags of plugins and callers on one device")
struct FlagCountTests {
    private let counters = DeviceFlagCounters()

    private func host(_ id: String, _ operations: OperationsHome) -> LedgerPluginHost {
        LedgerPluginHost(
            PluginEntry(
                id: id, name: id, file: "\(id).yaml", command: "/usr/bin/\(id)", manifest: PluginManifest([:]), formats: [],
                apps: [operations.home.app]),
            ledger: operations.ledger, fleets: FleetSecretsCache(root: [UInt8](repeating: 1, count: 32)), flags: counters,
            clock: operations.clock, logger: .silent)
    }

    private func device(_ operations: OperationsHome) async throws -> DeviceID {
        let verdict = try await operations.home.phone().register(operations.client)
        return try #require(DeviceID(bytes: Array(verdict.deviceID)), "\(verdict.reason)")
    }

    /// The metric by its labels.
    private func counts(_ operations: OperationsHome) async throws -> [[String]: Double] {
        let families = try await operations.client.metrics().families
        let family = try #require(families.first { $0.name == "assay_device_flag_changes_total" })
        return Dictionary(family.series.map { ($0.labels, $0.value) }, uniquingKeysWith: +)
    }

    @Test("A plugin sets and clears its own flag alone, and each change is counted once")
    func plugins() async throws {
        let operations = try await OperationsHome()
        let (device, app) = (try await device(operations), operations.home.app)
        let (one, other) = (host("one", operations), host("other", operations))
        let until = operations.clock.now().adding(milliseconds: 60_000)
        let set = PluginFlag(name: "farm", detail: "", until: until)
        let cleared = PluginFlag(name: "farm", detail: "", until: operations.clock.now())
        for (host, flag, outcome) in [
            (one, set, .set), (one, set, .unchanged), (other, cleared, .unchanged), (other, set, .set),
            (one, cleared, .cleared),
            (one, cleared, .unchanged),
        ] as [(LedgerPluginHost, PluginFlag, DeviceFlagOutcome)] {
            #expect(try await host.flag(device, of: app, flag) == outcome)
        }
        #expect(try await one.flag(.random(), of: app, set) == nil)
        #expect(
            counters.counts == [
                ["set", "plugin"]: 2, ["cleared", "plugin"]: 1, ["set", "caller"]: 0, ["cleared", "caller"]: 0,
            ])
        #expect(one.measures.values["flags_set"] == 1 && other.measures.values["flags_set"] == 1)
        #expect(try await operations.ledger.device(device)?.flags.map(\.setter) == [.plugin("other")])
        await operations.end()
    }

    @Test(
        "A caller clears a plugin's flag, which the plugin may set again, and the daemon's metric counts the caller's changes")
    func callers() async throws {
        let operations = try await OperationsHome()
        let (device, app) = (try await device(operations), operations.home.app)
        let plugin = host("anomaly", operations)
        let until = operations.clock.now().adding(milliseconds: 60_000)
        let set = PluginFlag(name: "farm", detail: "", until: until)
        #expect(try await plugin.flag(device, of: app, set) == .set)
        #expect(try await operations.client.unflag(device, "farm", app: app, reason: "a mistake").wasFlagged)
        #expect(try await operations.ledger.device(device)?.flags == [])
        #expect(try await !operations.client.flag(device, "farm", app: app, until: until).wasFlagged)
        #expect(try await plugin.flag(device, of: app, set) == .set)
        let found = try await operations.client.device(device, app: app)
        #expect(found.flags.map(\.caller) == ["loopback-demo", ""] && found.flags.map(\.plugin) == ["", "anomaly"])
        #expect(
            try await counts(operations) == [
                ["set", "caller"]: 1, ["cleared", "caller"]: 1, ["set", "plugin"]: 0, ["cleared", "plugin"]: 0,
            ])
        await operations.end()
    }
}
