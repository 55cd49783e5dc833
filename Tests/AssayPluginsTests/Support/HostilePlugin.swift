import AssayCore
import Foundation
import Logging
import Synchronization
import Testing

@testable import AssayPlugins

/// The plugins of `plugins/sdk/tests/hostile`, supervised with times that suit tests.
final class HostilePlugins: Sendable {
    static let format = EvidenceFormat(rawValue: "test.hostile")
    static let located = EvidenceFormat(rawValue: "test.located")

    let host = StandInHost()
    let folder: URL
    /// What the supervision logs.
    let log = LogLines()
    let plugins: SupervisedPlugins

    init(folder: URL? = nil, _ change: (inout PluginEnvironment) -> Void = { _ in }) {
        self.folder =
            folder ?? FileManager.default.temporaryDirectory.resolvingSymlinksInPath().appending(path: UUID().uuidString)
        var environment = PluginEnvironment(
            launcher: BuiltPlugin.launcher, user: BuiltPlugin.sandbox.user, stateFolder: self.folder.path(),
            daemonVersion: "test", host: { [host] _ in host }, logger: log.logger)
        environment.times.stopGrace = .seconds(1)
        // A slow machine takes its time to start a process.
        (environment.times.start, environment.times.patience) = (.seconds(60), .seconds(60))
        // The device that evidence of the located format names: of another one the registry refuses evidence before the plugin is asked.
        let keyID = PluginScope.digest(
            PluginScope.deviceTag, plugin: "hostile", format: Self.located, Array("device".utf8))
        host.state.withLock { $0.devices[keyID] = .registered(keyID, for: Self.located, of: Self.shop) }
        change(&environment)
        plugins = SupervisedPlugins(environment)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// An entry of the hostile plugin: restarted at once, and without a circuit breaker unless the test wants one.
    static func entry(
        _ arguments: [String] = [], _ change: (inout PluginEntry) -> Void = { _ in }
    ) throws -> PluginEntry {
        let digest = try SealedExecutable(copying: BuiltPlugin.hostile).sha256
        var entry = PluginEntry(
            id: "hostile", name: "hostile", file: "plugins.d/hostile.yaml", command: BuiltPlugin.hostile,
            arguments: arguments, manifest: PluginManifest([BuiltPlugin.hostile: digest]), formats: [format, located],
            apps: [shop])
        entry.sandbox = BuiltPlugin.sandbox
        entry.services = [.findDevice]
        entry.restart.firstDelay = .milliseconds(1)
        entry.restart.longestDelay = .milliseconds(20)
        entry.restart.deaths = 1000
        entry.limits.deadline = .seconds(60)
        entry.limits.grace = .seconds(1)
        change(&entry)
        return entry
    }

    static let shop = { (id: AppID?) in id.unsafelyUnwrapped }(AppID("shop"))

    static func request(_ body: String, format: EvidenceFormat = HostilePlugins.format) -> PluginRequest {
        PluginRequest(
            app: shop, format: format, purpose: .assert, body: Array(body.utf8),
            now: Timestamp(unixMilliseconds: 1_800_000_000_000), ceiling: .hardware)
    }

    /// Takes entries into use, as a reload does.
    func use(_ entries: [PluginEntry]) async throws { try await plugins.prepare(entries)() }

    /// Takes one entry into use, and returns its supervisor.
    func use(_ entry: PluginEntry) async throws -> PluginSupervisor {
        try await use([entry])
        return try #require(plugins[entry.id])
    }
}

/// Keeps log lines: level, text and fields.
final class LogLines: Sendable {
    private let state = Mutex<[String]>([])
    var all: [String] { state.withLock { $0 } }
    var logger: Logger { Logger(label: "test") { _ in Handler(lines: self) } }

    private struct Handler: LogHandler {
        let lines: LogLines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let fields = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            let line = (["\(event.level): \(event.message)"] + fields).joined(separator: " ")
            lines.state.withLock { $0.append(line) }
        }
    }
}

extension PluginSupervisor {
    /// What a caller gets, in a word: `accepted`, a rejection's code, or the reason of UNAVAILABLE.
    func word(_ body: String, format: EvidenceFormat = HostilePlugins.format) async -> String {
        do throws(PluginUnavailable) {
            switch try await judge(HostilePlugins.request(body, format: format)) {
            case .appraised(let appraisal, _, _): return appraisal.failure?.rejection?.code.rawValue ?? "accepted"
            case .refused(let rejection): return rejection.code.rawValue
            }
        } catch { return error.reason.rawValue }
    }
}

/// The bytes of this process that are in memory.
func residentBytes() -> Int {
    let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ").dropFirst().first
    return pages.flatMap { Int($0) }.map { $0 * Int(getpagesize()) } ?? 0
}

/// Whether a process with the number exists.
func isAlive(_ process: Int32) -> Bool { kill(process, 0) == 0 || errno == EPERM }
