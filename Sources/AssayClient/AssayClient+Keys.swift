public import AssayAPI
public import AssayCore
import SwiftProtobuf

extension AssayClient {
    /// Makes an API key. It is in this answer and nowhere else. A lost answer leaves a key that is not known to anyone: revoke it.
    ///
    /// - Parameters:
    ///   - apps: empty: all that the configuration allows for keys.
    ///   - lifetime: `nil`: 90 days, or the longest that the configuration allows.
    public func createKey(
        _ name: String, roles: [String], apps: [AppID] = [], lifetime: Duration? = nil, reason: String = "",
        timeout: Duration? = nil
    ) async throws(AssayError) -> (key: String, record: Assay_V1_CallerKey) {
        let response = try await call(
            API.createKey,
            .with {
                ($0.name, $0.roles, $0.apps, $0.reason) = (name, roles, apps.map(\.text), reason)
                $0.lifetimeMs = lifetime.map { UInt64(clamping: Int64($0 / .milliseconds(1))) } ?? 0
            }, timeout)
        return (response.key, response.record)
    }

    /// All API keys, revoked and expired ones included.
    public func keys(timeout: Duration? = nil) async throws(AssayError) -> [Assay_V1_CallerKey] {
        try await call(API.listKeys, Assay_V1_ListKeysRequest(), timeout).keys
    }

    /// Revokes an API key at once and for good.
    public func revokeKey(
        _ name: String, reason: String = "", timeout: Duration? = nil
    ) async throws(AssayError) -> Assay_V1_CallerKey {
        try await call(API.revokeKey, .with { ($0.name, $0.reason) = (name, reason) }, timeout)
    }
}
