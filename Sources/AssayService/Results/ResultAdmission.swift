package import AssayCore
import AssayRPC
package import AssayResults

/// Refuses requests for signed results that cannot come to anything, before anything is charged, judged or spent for them.
package struct ResultAdmission: Sendable {
    private let keys: ResultKeyRing
    private let clock: any WallClock

    package init(keys: ResultKeyRing, clock: any WallClock) { (self.keys, self.clock) = (keys, clock) }

    /// Throws what the app does not allow, and `result_key_unavailable` if no key may sign a result of the app now.
    func check(_ requests: [ResultRequest], of profile: AppProfile) throws(RPCError) {
        guard !requests.isEmpty else { return }
        guard let rule = profile.results?.rule else { throw .resultsNotConfigured(of: profile.id) }
        for (place, request) in requests.enumerated() {
            guard rule.shapes.contains(request.shape) else {
                throw .resultShapeNotAllowed(request.shape, at: place, profile.id)
            }
            guard rule.audiences.contains(request.audience) else { throw .resultAudienceNotAllowed(at: place, profile.id) }
        }
        let now = clock.now()
        guard canSign(requests, .devices, at: now) || profile.acceptsSimulated && canSign(requests, .simulatedDevices, at: now)
        else { throw .resultKeyUnavailable }
    }

    private func canSign(_ requests: [ResultRequest], _ issuer: ResultPublicKey.Issuer, at now: Timestamp) -> Bool {
        guard let key = try? keys.signer(issuer, at: now) else { return false }
        return requests.allSatisfy { key.canSign($0.shape) }
    }
}

extension RPCError {
    static func resultsNotConfigured(of app: AppID) -> RPCError {
        RPCError(
            .failedPrecondition, "the app \(app) has no section \"results\": no verdict on it is signed",
            reason: "results_not_configured")
    }

    fileprivate static func resultShapeNotAllowed(_ shape: ResultShape, at place: Int, _ app: AppID) -> RPCError {
        RPCError(
            .permissionDenied,
            "results[\(place)].shape is \(shape.rawValue), which is not among \"results.shapes\" of the app \(app)",
            reason: "result_shape_not_allowed")
    }

    /// The audience is not repeated, since a caller may have put anything there.
    fileprivate static func resultAudienceNotAllowed(at place: Int, _ app: AppID) -> RPCError {
        RPCError(
            .permissionDenied, "results[\(place)].audience is not among \"results.audiences\" of the app \(app)",
            reason: "result_audience_not_allowed")
    }

    /// Nothing was judged: the same request may be made without results, or once a key signs again.
    fileprivate static let resultKeyUnavailable = RPCError(
        .unavailable, "no key may sign results now; nothing was judged",
        reason: ResultProblem.keyUnavailable.rawValue, retryAfterMilliseconds: 60_000,
        cause: "no key that may sign results is configured here")
}
