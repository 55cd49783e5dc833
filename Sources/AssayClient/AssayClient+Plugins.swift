public import AssayAPI
import Foundation
import SwiftProtobuf

extension AssayClient {
    /// The plugins of the catalog, in the order of their ids.
    public func plugins(timeout: Duration? = nil) async throws(AssayError) -> [Assay_V1_Plugin] {
        try await call(API.listPlugins, Assay_V1_ListPluginsRequest(), timeout).plugins
    }

    /// Lets a disabled plugin run again, closes an open circuit breaker, and tries a plugin again that could not be started.
    public func enablePlugin(_ id: String, timeout: Duration? = nil) async throws(AssayError) -> Assay_V1_Plugin {
        try await call(API.enablePlugin, .with { $0.id = id }, timeout)
    }

    /// Ends a plugin's processes until it is enabled.
    public func disablePlugin(_ id: String, timeout: Duration? = nil) async throws(AssayError) -> Assay_V1_Plugin {
        try await call(API.disablePlugin, .with { $0.id = id }, timeout)
    }

    /// Reads the configuration and the catalog again: all of it, or nothing.
    public func reloadPlugins(timeout: Duration? = nil) async throws(AssayError) -> [Assay_V1_Plugin] {
        try await call(API.reloadPlugins, Assay_V1_ReloadPluginsRequest(), timeout).plugins
    }

    /// The evidence that ended processes of plugins, the newest first, without the bodies.
    ///
    /// - Parameter id: of one plugin; `nil`: of all.
    public func quarantine(
        of id: String? = nil, timeout: Duration? = nil
    ) async throws(AssayError) -> [Assay_V1_QuarantinedEvidence] {
        try await call(API.listQuarantine, .with { $0.id = id ?? "" }, timeout).evidence
    }

    /// One piece of quarantined evidence with its body.
    public func quarantined(
        _ digest: [UInt8], timeout: Duration? = nil
    ) async throws(AssayError) -> Assay_V1_QuarantinedEvidence {
        try await call(API.readQuarantine, .with { $0.digest = Data(digest) }, timeout)
    }

    /// Takes evidence out of the quarantine, so that the plugin judges it again.
    public func releaseQuarantined(_ digest: [UInt8], timeout: Duration? = nil) async throws(AssayError) {
        _ = try await call(API.releaseQuarantine, .with { $0.digest = Data(digest) }, timeout)
    }
}
