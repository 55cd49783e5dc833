import AssayCore
import AssayTesting
import Synchronization

@testable import AssayPlugins

/// A host for tests: keeps what it is told, and knows the devices, tokens and keys that it is given.
final class StandInHost: PluginHost {
    struct State {
        var lines: [String] = []
        var devices: [[UInt8]: Device] = [:]
        var used: Set<[UInt8]> = []
        /// Devices of the fleet, by secret; `nil`: the app has none.
        var fleet: [[UInt8]: PluginFleetDevice]?
        /// The registry does not answer.
        var isDown = false
        /// The devices that can be flagged, each with its flags as they were asked for.
        var flags: [DeviceID: [PluginFlag]] = [:]
        /// The registry lets those wait who ask it, and with them the plugin.
        var isHeld = false
    }
    let state = Mutex(State())
    let measures = PluginMeasures()

    var lines: [String] { state.withLock { $0.lines } }

    /// Keeps those who ask the registry waiting: a plugin that judges `find` has its call in flight until the release.
    func hold() { state.withLock { $0.isHeld = true } }
    func release() { state.withLock { $0.isHeld = false } }

    func log(_ level: PluginLogLevel, _ message: String, _ fields: [(name: String, value: String)]) {
        state.withLock { $0.lines.append(message) }
    }
    func device(keyID: [UInt8], in call: PluginCall) async throws -> Device? {
        try await eventually("the registry is released", within: .seconds(600)) { !state.withLock { $0.isHeld } }
        return try state.withLock { state in
            guard !state.isDown else { throw RegistryDown() }
            return state.devices[keyID]
        }
    }
    func areUsed(_ digests: [[UInt8]], in call: PluginCall) -> [Bool] {
        state.withLock { state in digests.map { state.used.contains($0) } }
    }
    func anchors() -> [[UInt8]] { [] }
    func fleetDevice(secret: [UInt8], in call: PluginCall) throws -> PluginFleetDevice? {
        guard let fleet = state.withLock({ $0.fleet }) else { throw NoFleet() }
        return fleet[secret]
    }
    func fleetKey(table: UInt16, index: UInt16, in call: PluginCall) throws -> [UInt8]? { throw NoFleet() }
    func flag(_ device: DeviceID, of app: AppID, _ flag: PluginFlag) -> DeviceFlagOutcome? {
        state.withLock { state in
            guard let flags = state.flags[device] else { return nil }
            guard flags.count < DeviceFlag.countLimit else { return .tooMany }
            state.flags[device] = flags + [flag]
            return .set
        }
    }
}

struct RegistryDown: Error {}

extension Device {
    static func registered(_ keyID: [UInt8], for format: EvidenceFormat, of app: AppID) -> Device {
        let registration = Registration(
            format: format, keyID: keyID, publicKey: [], environment: "", anchor: [], claims: Claims(), chainSerials: [],
            receipt: [], simulated: false)
        return Device(
            id: .random(), app: app, subject: nil, registration: registration,
            registeredAt: Timestamp(unixMilliseconds: 1_700_000_000_000))
    }
}
