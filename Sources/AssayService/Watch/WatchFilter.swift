package import AssayCore

/// Selects events. An empty or missing part selects all; an event is selected if every part selects it. What an event does not have, no
/// part finds.
package struct WatchFilter: Hashable, Sendable {
    /// The most values of each part.
    package static let valueLimit = 64
    package static let kindLimit = 32

    /// Kinds, or groups of kinds (`WatchKind`).
    package var kinds: Set<String>
    package var apps: Set<AppID>
    /// Names of callers in the configuration.
    package var callers: Set<String>
    /// Codes of rejections, errors and findings.
    package var codes: Set<String>
    package var device: DeviceID?

    package init(
        kinds: Set<String> = [], apps: Set<AppID> = [], callers: Set<String> = [], codes: Set<String> = [],
        device: DeviceID? = nil
    ) {
        (self.kinds, self.apps, self.callers, self.codes, self.device) = (kinds, apps, callers, codes, device)
    }

    package func admits(_ event: WatchEvent) -> Bool {
        if let device, event.device != device { return false }
        if !apps.isEmpty { guard let app = event.app, apps.contains(app) else { return false } }
        if !callers.isEmpty { guard let caller = event.caller, callers.contains(caller) else { return false } }
        if !codes.isEmpty { guard let code = event.code, codes.contains(code) else { return false } }
        return kinds.isEmpty || kinds.contains(event.group) || kinds.contains(event.kind)
    }

    /// Whether an event of some group can be selected.
    package func admits(group: String) -> Bool {
        kinds.isEmpty || kinds.contains { $0 == group || $0.hasPrefix(group + ".") }
    }
}
