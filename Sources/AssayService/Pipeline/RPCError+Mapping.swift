import AssayAPI
import AssayCore
import AssayRPC

/// The one place where our own errors become the wire's.
extension RPCError {
    /// Our surroundings failed.
    init(_ error: LedgerError) {
        switch error {
        case .unavailable:
            self.init(
                .unavailable, "the ledger is unavailable; nothing was decided", reason: "ledger_unavailable",
                retryAfterMilliseconds: 1000, cause: error.description)
        case .overloaded:
            self.init(
                .resourceExhausted, "the ledger has as many entries waiting as it may", reason: "ledger_overloaded",
                retryAfterMilliseconds: 100)
        case .corrupt:
            self.init(
                .unavailable, "the ledger is damaged; an operator must act", reason: "ledger_corrupt",
                retryAfterMilliseconds: 60_000, cause: error.description)
        case .replaced:
            self.init(
                .unavailable, "the ledger was replaced while the daemon ran; an operator must act", reason: "ledger_replaced",
                retryAfterMilliseconds: 60_000, cause: error.description)
        }
    }

    /// The message does not have the shape that the API demands.
    init(_ error: RequestError) {
        self.init(.invalidArgument, error.description, reason: "invalid_request")
    }

    /// A use of evidence could not be remembered, so the evidence could be used again.
    static let evidenceMemoryFull = RPCError(
        .unavailable, "no more uses of evidence may be kept; nothing was decided", reason: "evidence_memory_full",
        retryAfterMilliseconds: 60_000)

    /// A challenge would be refused when it comes back: what was spent up to the horizon is forgotten.
    static func horizonAhead(_ horizon: Timestamp, of expiry: Timestamp) -> RPCError {
        RPCError(
            .unavailable,
            "nothing that expires before \(horizon) can be accepted, because the clock of the daemon ran ahead; no challenge is issued",
            reason: "spent_horizon_ahead",
            retryAfterMilliseconds: UInt32(max(1000, min(horizon.milliseconds(since: expiry), 3_600_000))))
    }

    /// Said of a caller nobody knows, a role that is missing, and an app that is not the caller's or does not exist:
    /// the answer tells nothing about what exists.
    static let denied = RPCError(.permissionDenied, "the caller may not do this", reason: "permission_denied")
}
