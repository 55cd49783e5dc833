public import AssayAPI
import SwiftProtobuf

/// The keys under which results are signed. Results themselves are asked for with a verdict (``VerificationRequest/results``) and are in
/// it (`Assay_V1_Verdict.results`).
extension AssayClient {
    /// What an issuer publishes: its address, its public keys as a JWK Set, and the shapes that it signs.
    ///
    /// - Parameter simulated: the issuer of results about simulated devices, in place of that of real ones.
    public func publishedResultKeys(
        simulated: Bool = false, timeout: Duration? = nil
    ) async throws(AssayError) -> Assay_V1_GetResultKeysResponse {
        try await call(API.getResultKeys, .with { $0.simulated = simulated }, timeout)
    }

    /// All keys of the issuers, in the order in which they were published.
    public func resultKeys(timeout: Duration? = nil) async throws(AssayError) -> [Assay_V1_ResultKey] {
        try await call(API.listResultKeys, Assay_V1_ListResultKeysRequest(), timeout).keys
    }

    /// Lets the newest published key that does not sign yet sign next.
    ///
    /// - Parameters:
    ///   - now: before it was published for as long as caches may keep the key set.
    ///   - simulated: a key of the issuer of results about simulated devices.
    /// - Returns: the key, with the time from which on it signs.
    public func rotateResultKey(
        now: Bool = false, simulated: Bool = false, reason: String = "", timeout: Duration? = nil
    ) async throws(AssayError) -> Assay_V1_ResultKey {
        try await call(
            API.rotateResultKey, .with { ($0.now, $0.simulated, $0.reason) = (now, simulated, reason) }, timeout)
    }

    /// A published status list, as it is served over HTTP: whether results that name a place in it still hold.
    ///
    /// - Parameters:
    ///   - list: the number at the end of the list's address.
    ///   - simulated: that of the issuer of results about simulated devices.
    public func statusList(
        _ list: UInt32, as form: Assay_V1_StatusListForm = .jwt, simulated: Bool = false, timeout: Duration? = nil
    ) async throws(AssayError) -> Assay_V1_GetStatusListResponse {
        try await call(API.getStatusList, .with { ($0.list, $0.form, $0.simulated) = (list, form, simulated) }, timeout)
    }
}
