package import AssayCore

/// What the daemon does for plugins: the services of `assay.plugin.v1.Host`, for one plugin.
///
/// Every question comes with the scope of a call that is in flight: app, plugin and format. What is answered is of that scope only.
package protocol PluginHost: Sendable {
    /// A line for the daemon's log.
    func log(_ level: PluginLogLevel, _ message: String, _ fields: [(name: String, value: String)])
    /// What the plugin measures, over all its processes.
    var measures: PluginMeasures { get }
    /// The registered device with this key id, unless it is blocked.
    func device(keyID: [UInt8], in call: PluginCall) async throws -> Device?
    /// For each digest of a token, whether it was used.
    func areUsed(_ digests: [[UInt8]], in call: PluginCall) async throws -> [Bool]
    /// The certificates (DER) of the catalog's `anchors`.
    func anchors() -> [[UInt8]]
    /// The device of the app's fleet with a secret.
    func fleetDevice(secret: [UInt8], in call: PluginCall) async throws -> PluginFleetDevice?
    /// A key of the app's fleet, 32 bytes; `nil` for a table or index that does not exist.
    func fleetKey(table: UInt16, index: UInt16, in call: PluginCall) async throws -> [UInt8]?
    /// Sets, renews or clears a flag of the plugin's own. `nil` if the app has no such device.
    func flag(_ device: DeviceID, of app: AppID, _ flag: PluginFlag) async throws -> DeviceFlagOutcome?
}

/// A flag as a plugin states it.
package struct PluginFlag: Hashable, Sendable {
    /// `[a-z0-9_]{1,32}`.
    package let name: String
    /// At most 256 bytes.
    package let detail: String
    /// A time that is past clears the flag.
    package let until: Timestamp

    package init(name: String, detail: String, until: Timestamp) {
        (self.name, self.detail, self.until) = (name, detail, until)
    }
}

/// A call of Observe that is in flight.
package struct ObserveCall: Hashable, Sendable {
    /// 16 random bytes, by which the plugin's own calls name it.
    package let token: [UInt8]
    /// Whose devices the plugin may flag: the apps that it serves.
    package let apps: Set<AppID>

    package init(apps: Set<AppID>) { (token, self.apps) = (SecureRandom.bytes(16), apps) }
}

package enum PluginLogLevel: Hashable, Sendable { case debug, info, warning, error }

/// A call of the daemon to a plugin that is in flight.
package struct PluginCall: Hashable, Sendable {
    /// 16 random bytes, by which the plugin's own calls name it.
    package let token: [UInt8]
    package let app: AppID
    package let format: EvidenceFormat
    /// The ledger's tokens that the request itself has used up by now. To the plugin they are unused: it judges what was judged before.
    package let ownUses: Set<[UInt8]>

    package init(app: AppID, format: EvidenceFormat, ownUses: Set<[UInt8]> = []) {
        (token, self.app, self.format, self.ownUses) = (SecureRandom.bytes(16), app, format, ownUses)
    }
}

/// A device of a fleet, as a plugin sees it.
package struct PluginFleetDevice: Hashable, Sendable {
    package let id: DeviceID
    package let serial: [UInt8]
    package let family: String
    package let tables: [UInt16]
    /// SubjectPublicKeyInfo (DER).
    package let publicKey: [UInt8]
    package let isBlocked: Bool

    package init(id: DeviceID, serial: [UInt8], family: String, tables: [UInt16], publicKey: [UInt8], isBlocked: Bool) {
        (self.id, self.serial, self.family, self.tables) = (id, serial, family, tables)
        (self.publicKey, self.isBlocked) = (publicKey, isBlocked)
    }
}

/// The app has no fleet.
package struct NoFleet: Error {
    package init() {}
}
