package import AssayAPI
import AssayCore

/// The plugins of the catalog, for those who operate the daemon.
package protocol PluginControl: Sendable {
    /// In the order of their ids. Does no I/O.
    func plugins() -> [Assay_V1_Plugin]

    /// Lets a plugin run, or ends it until it is enabled. Throws if that cannot be remembered.
    func enable(_ id: String) async throws
    func disable(_ id: String) async throws

    /// Reads configuration and catalog again. Returns why nothing was changed, or `nil`.
    ///
    /// - Parameter caller: who wants that, for the audit log.
    func reload(by caller: String) async -> String?

    /// The quarantined evidence, the newest first, without the bodies.
    func quarantined() -> [Assay_V1_QuarantinedEvidence]
    /// One piece with its body; `nil` if there is none.
    func quarantined(_ digest: [UInt8]) -> Assay_V1_QuarantinedEvidence?
    /// False if there is none.
    func release(_ digest: [UInt8]) async throws -> Bool
}

/// A daemon without a catalog.
package struct NoPlugins: PluginControl {
    package init() {}
    package func plugins() -> [Assay_V1_Plugin] { [] }
    package func enable(_ id: String) async throws {}
    package func disable(_ id: String) async throws {}
    package func reload(by caller: String) async -> String? { nil }
    package func quarantined() -> [Assay_V1_QuarantinedEvidence] { [] }
    package func quarantined(_ digest: [UInt8]) -> Assay_V1_QuarantinedEvidence? { nil }
    package func release(_ digest: [UInt8]) async throws -> Bool { false }
}

extension [Assay_V1_Plugin] {
    /// Those that serve an app of the caller's, and of their apps only these.
    func shown(to caller: Caller) -> [Assay_V1_Plugin] {
        guard caller.apps != nil else { return self }
        return compactMap { plugin in
            var plugin = plugin
            plugin.apps = plugin.apps.filter { AppID($0).map(caller.may(use:)) ?? false }
            guard !plugin.apps.isEmpty else { return nil }
            // They may name other apps.
            (plugin.file, plugin.lastLines) = ("", [])
            return plugin
        }
    }
}
