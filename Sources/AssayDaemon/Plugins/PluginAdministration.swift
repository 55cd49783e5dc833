package import AssayAPI
import AssayConfiguration
package import AssayCore
package import AssayPlugins
import AssayRPC
import AssayService
import Foundation
import ServiceLifecycle
import SwiftProtobuf
import Synchronization

/// The plugins of the daemon, for `assay.v1.Plugins` and the status.
package final class PluginAdministration: PluginControl {
    package let supervised: SupervisedPlugins
    private let reloading = Mutex<(@Sendable (ChangeOrigin) async -> String?)?>(nil)

    init(_ supervised: SupervisedPlugins) { self.supervised = supervised }

    /// Says how the configuration is read again.
    package func reloads(by reload: @escaping @Sendable (ChangeOrigin) async -> String?) {
        reloading.withLock { $0 = reload }
    }

    /// What each plugin said of itself, in the order of their ids; `nil` for one that has not been started yet.
    var descriptions: [PluginDescription?] { supervised.all.map(\.description) }

    package func plugins() -> [Assay_V1_Plugin] {
        supervised.all.map { Assay_V1_Plugin($0, $0.measures.values) }
    }

    package func enable(_ id: String) async throws {
        try await switching { () async throws in try await supervised.enable(id) }
    }
    package func disable(_ id: String) async throws {
        try await switching { () async throws in try await supervised.disable(id) }
    }

    private func switching(_ body: () async throws -> Void) async throws {
        do { try await body() } catch let error as PluginSwitchError {
            switch error {
            case .unknown: throw RPCError(.notFound, error.description, reason: "unknown_plugin")
            case .unwritable: throw RPCError(.unavailable, error.description, reason: "state_unwritable")
            }
        }
    }

    package func reload(by caller: String) async -> String? {
        guard let reload = reloading.withLock({ $0 }) else { return "this daemon has no file that it could read again" }
        return await reload(.caller(caller))
    }

    package func quarantined() -> [Assay_V1_QuarantinedEvidence] {
        supervised.quarantine.list().map { Assay_V1_QuarantinedEvidence($0) }
    }

    package func quarantined(_ digest: [UInt8]) -> Assay_V1_QuarantinedEvidence? {
        guard let (evidence, body) = supervised.quarantine.read(digest) else { return nil }
        var message = Assay_V1_QuarantinedEvidence(evidence)
        message.body = Data(body)
        return message
    }

    package func release(_ digest: [UInt8]) async throws -> Bool { supervised.quarantine.release(digest) }
}

/// Ends the processes of plugins when the daemon stops.
struct PluginProcesses: Service {
    let supervised: SupervisedPlugins

    func run() async throws {
        try? await gracefulShutdown()
        await supervised.stop()
    }
}

extension Assay_V1_Plugin {
    init(_ plugin: PluginSupervisor, _ metrics: [String: Double]) {
        self.init()
        let (entry, status) = (plugin.entry, plugin.status)
        (id, name, file) = (entry.id, entry.name, entry.file)
        (state, problem) = (.init(status.state), status.problem ?? "")
        version = status.description?.version ?? ""
        protocolVersion = status.description?.protocolVersion ?? 0
        role = .init(entry.role)
        (required, observes) = (entry.isRequired, entry.observes)
        apps = entry.apps.map(\.text)
        formats = entry.formats.map { format in
            .with {
                $0.format = format.rawValue
                $0.builtIn = EvidenceFormat.described.contains(format)
                $0.replacesBuiltin = entry.replacesBuiltIn
            }
        }
        services = entry.services.map(\.rawValue).sorted()
        digest = Data(status.digest)
        let steps = status.report?.steps ?? []
        enforced = steps.filter { $0.outcome == .enforced }.map { step in .with { ($0.step, $0.state) = (step.name, step.text) }
        }
        missing = steps.filter { $0.outcome == .missing }.map { "\($0.name): \($0.text)" }
        processes = status.processes.map { process in
            .with {
                $0.pid = UInt32(clamping: process.id)
                $0.startedAtUnixMs = process.startedAt.unixMilliseconds
                $0.inFlight = UInt32(clamping: process.inFlight)
            }
        }
        waitingCalls = UInt32(clamping: status.queued)
        counts = .init(status.counts)
        (health, lastLines, self.metrics) = (status.health ?? "", status.lastLines, metrics)
    }
}

extension Assay_V1_Plugin.Counts {
    fileprivate init(_ counts: PluginStatus.Counts) {
        self.init()
        (calls, rejections, unavailable) = (counts.calls, counts.rejections, counts.unavailable)
        (timeouts, invalid, deaths, starts) = (counts.timeouts, counts.invalid, counts.deaths, counts.starts)
        (agreements, differences) = (counts.agreements, counts.differences)
        (dropped, quarantined) = (counts.dropped, counts.quarantined)
    }
}

extension Assay_V1_Plugin.State {
    fileprivate init(_ state: PluginStatus.State) {
        switch state {
        case .starting: self = .starting
        case .ready: self = .ready
        case .waiting: self = .waiting
        case .broken: self = .broken
        case .refused: self = .refused
        case .disabled: self = .disabled
        case .stopped: self = .stopped
        }
    }
}

extension Assay_V1_Plugin.Role {
    fileprivate init(_ role: PluginEntry.Role) {
        switch role {
        case .primary: self = .primary
        case .shadow: self = .shadow
        case .all: self = .all
        }
    }
}

extension Assay_V1_QuarantinedEvidence {
    fileprivate init(_ evidence: Quarantine.Evidence) {
        self.init()
        (digest, plugin, app) = (Data(evidence.digest), evidence.plugin, evidence.app.text)
        (format, sinceUnixMs) = (evidence.format.rawValue, evidence.since.unixMilliseconds)
        (end, size) = (evidence.end, UInt32(clamping: evidence.size))
    }
}
