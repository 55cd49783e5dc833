import AssayCore
import AssayPlugins
import AssayRPC
import AssayService
import Crypto
import Logging
import Synchronization

/// The services of the host for one plugin, over the ledger.
final class LedgerPluginHost: PluginHost {
    private let entry: PluginEntry
    private let ledger: any VerdictLedger & EnrolmentRegistry & DeviceFlagRegistry
    private let fleets: FleetSecretsCache
    private let flags: DeviceFlagCounters
    let measures = PluginMeasures()
    private let clock: any WallClock
    private let budget = Mutex(LineBudget())
    private let logger: Logger

    init(
        _ entry: PluginEntry, ledger: any VerdictLedger & EnrolmentRegistry & DeviceFlagRegistry, fleets: FleetSecretsCache,
        flags: DeviceFlagCounters, clock: any WallClock, logger: Logger
    ) {
        (self.entry, self.ledger, self.fleets, self.flags, self.clock) = (entry, ledger, fleets, flags, clock)
        var logger = logger
        logger[metadataKey: "plugin"] = "\(entry.id)"
        self.logger = logger
    }

    func log(_ level: PluginLogLevel, _ message: String, _ fields: [(name: String, value: String)]) {
        guard logger.logLevel <= level.level else { return }
        // A plugin that logs without end does not fill the daemon's log.
        guard let dropped = budget.withLock({ $0.pass(at: .now) }) else {
            return measures.countDroppedLine()
        }
        var metadata = Logger.Metadata(fields.map { ("plugin_\($0.name)", .string($0.value)) }, uniquingKeysWith: { $1 })
        if dropped > 0 { metadata["dropped"] = "\(dropped)" }
        logger.log(level: level.level, "\(message)", metadata: metadata)
    }

    func device(keyID: [UInt8], in call: PluginCall) async throws -> Device? {
        let device = try await ledger.device(DeviceKey(app: call.app, keyID: keyID))
        return device.flatMap { $0.isBlocked ? nil : $0 }
    }

    func areUsed(_ digests: [[UInt8]], in call: PluginCall) async throws -> [Bool] {
        try await ledger.areSpent(digests.map { EvidenceUse.token(app: call.app, digest: $0) })
    }

    func anchors() -> [[UInt8]] { entry.anchors }

    func fleetDevice(secret: [UInt8], in call: PluginCall) async throws -> PluginFleetDevice? {
        guard let secrets = fleets[call.app] else { throw NoFleet() }
        let keyID = secrets.keyID(ofSecret: secret, app: call.app)
        guard let device = try await ledger.device(DeviceKey(app: call.app, keyID: keyID)),
            let serial = device.registration.claims.text(FleetDevice.serialClaim),
            let record = try await ledger.fleetDevice(serial: Array(serial.utf8), app: call.app), record.device == device.id
        else { return nil }
        return PluginFleetDevice(
            id: device.id, serial: record.serial, family: device.registration.claims.text(FleetDevice.familyClaim) ?? "",
            tables: record.tables, publicKey: device.registration.publicKey,
            isBlocked: device.isBlocked || record.supersededAt != nil)
    }

    func fleetKey(table: UInt16, index: UInt16, in call: PluginCall) async throws -> [UInt8]? {
        guard let secrets = fleets[call.app] else { throw NoFleet() }
        return secrets.tables.key(table: table, index: index).map { $0.withUnsafeBytes { Array($0) } }
    }

    func flag(_ device: DeviceID, of app: AppID, _ flag: PluginFlag) async throws -> DeviceFlagOutcome? {
        let (now, setter) = (clock.now(), DeviceFlag.Setter.plugin(entry.id))
        guard now < flag.until else {
            return try await change(.clear(name: flag.name, setter: setter), of: device, app, at: now)
        }
        guard flag.until <= now.adding(milliseconds: DeviceFlag.longest) else {
            throw RPCError(
                .invalidArgument, "until_unix_ms is \(flag.until), want at most 400 days ahead of \(now)",
                reason: "invalid_until")
        }
        let new = DeviceFlag(name: flag.name, setter: setter, detail: flag.detail, since: now, until: flag.until)
        return try await change(.set(new), of: device, app, at: now)
    }

    private func change(
        _ change: DeviceFlagChange, of device: DeviceID, _ app: AppID, at now: Timestamp
    ) async throws -> DeviceFlagOutcome? {
        let outcome = try await ledger.change(change, of: device, app: app, ChangeContext(.plugin(entry.id), at: now))
        if let outcome { flags.count(outcome, by: .plugin(entry.id)) }
        if outcome == .set { measures.countFlag() }
        return outcome
    }
}

extension PluginLogLevel {
    fileprivate var level: Logger.Level {
        switch self {
        case .debug: .debug
        case .info: .info
        case .warning: .warning
        case .error: .error
        }
    }
}

/// The secrets of the apps' fleets. Those of one app are 2500 derived keys, so they are derived once.
final class FleetSecretsCache: Sendable {
    private let root: [UInt8]
    private struct State {
        var secrets: [AppID: FleetSecrets] = [:]
        var apps: Set<AppID> = []
    }
    private let state = Mutex(State())

    /// - Parameter root: the secret of the ledger from which those of fleets are derived, 32 bytes.
    init(root: [UInt8]) { self.root = root }

    /// Says which apps have a fleet now.
    func follow(_ apps: some Sequence<AppID>) { state.withLock { $0.apps = Set(apps) } }

    /// `nil` for an app without a fleet.
    subscript(app: AppID) -> FleetSecrets? {
        state.withLock { state in
            guard state.apps.contains(app) else { return nil }
            if let known = state.secrets[app] { return known }
            let derived = FleetSecrets(root: root, app: app)
            state.secrets[app] = derived
            return derived
        }
    }
}
