import AssayAPI
package import AssayCore
package import AssayRPC

/// Maps the daemon's errors to those of a call. No other file does.
extension RPCError {
    /// A request that cannot be judged.
    package init(_ error: PipelineError) {
        switch error {
        case .ledger(let error): self.init(error)
        case .evidenceMemoryFull:
            self.init(
                .unavailable, "no more uses of evidence may be kept; nothing was decided", reason: "evidence_memory_full",
                retryAfterMilliseconds: 60_000)
        case .evidenceUnavailable(let check, let detail):
            // The detail may be a plugin's own sentence about evidence, which no log may have.
            self.init(
                .unavailable, "\(check): \(detail)", reason: "evidence_unavailable", retryAfterMilliseconds: 1000,
                cause: "the check \(check) could not be made")
        case .issuing(let error): self.init(error)
        case .fleetNotConfigured: self = .hasNoFleet
        case .rateLimited(let refusal): self.init(refusal)
        case .upload(let refusal): self.init(refusal)
        case .inconsistent(let what): self.init(.internalError, what)
        }
    }

    /// An upload that came to nothing.
    init(_ refusal: UploadRefusal) {
        let code: RPCStatusCode =
            switch refusal {
            case .unknown: .notFound
            case .notConfigured, .expired, .incomplete, .unfinished: .failedPrecondition
            case .countMismatch, .hashMismatch, .tooLarge, .chunkSizeNotAllowed, .wrongSize: .invalidArgument
            case .outOfRange: .outOfRange
            case .tampered, .keyReused: .alreadyExists
            case .tooManyOpen: .resourceExhausted
            }
        self.init(
            code, refusal.description, reason: refusal.code.rawValue,
            retryAfterMilliseconds: code == .resourceExhausted ? 1000 : nil)
    }

    /// A request that cannot be judged, with the time after which what it needs may be available.
    init(_ error: PipelineError, retryAfter delay: Duration?) {
        let mapped = RPCError(error)
        self.init(
            mapped.code, mapped.message, reason: mapped.reason,
            retryAfterMilliseconds: delay.map { UInt32(min(max($0 / .milliseconds(1), 1), 86_400_000)) }
                ?? mapped.retryAfterMilliseconds, cause: mapped.cause)
    }

    /// A certificate or list cannot be made.
    init(_ error: AuthorityError) {
        switch error {
        case .noSigningAuthority, .unavailable:
            self.init(
                .unavailable, "no certificate can be issued now; nothing was decided", reason: "issuing_unavailable",
                retryAfterMilliseconds: 5000, cause: error.description)
        case .impossible:
            self.init(.failedPrecondition, error.description, reason: "certificate_impossible")
        }
    }

    /// A failure of the ledger.
    package init(_ error: LedgerError) {
        switch error {
        case .unavailable:
            self.init(
                .unavailable, "the ledger is unavailable; no answer can be given, so repeat the request",
                reason: "ledger_unavailable",
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

    /// A request that does not have the shape that the API requires.
    init(_ error: RequestError) {
        self.init(.invalidArgument, error.description, reason: "invalid_request")
    }

    /// No challenge can be issued: the ledger has forgotten what was spent up to the horizon, so it would refuse the challenge.
    static func horizonAhead(_ horizon: Timestamp, of expiry: Timestamp) -> RPCError {
        RPCError(
            .unavailable,
            "nothing that expires before \(horizon) can be accepted, because the clock of the daemon ran ahead; no challenge is issued",
            reason: "spent_horizon_ahead",
            retryAfterMilliseconds: UInt32(max(1000, min(horizon.milliseconds(since: expiry), 3_600_000))))
    }

    /// An unknown caller, a missing role, or an app that is not the caller's, or, for a caller of some apps, does not exist. The answer tells nothing about what
    /// exists.
    static let denied = RPCError(.permissionDenied, "the caller may not do this", reason: "permission_denied")

    /// An app that is not configured, for a caller that may use every app.
    ///
    /// - Parameter known: the apps of the configuration, by name.
    static func unknownApp(_ app: AppID, among known: [String]) -> RPCError {
        // A comparison costs as much as both names are long, and is made of few.
        let isShort = known.count <= 64
        let meant = isShort ? Spelling.nearest(to: app.text, among: known) : nil
        let hint =
            meant.map { "; did you mean \"\($0)\"?" }
            ?? (known.count <= 8 ? ", which has \(known.joined(separator: ", "))" : "")
        return RPCError(.notFound, "unknown app: \"\(app)\" is not in the configuration\(hint)", reason: "unknown_app")
    }
}

extension RPCError {
    /// The answer to a call whose body threw `error`.
    init(thrown error: any Error) {
        switch error {
        case let error as RPCError: self = error
        case let error as RequestError: self.init(error)
        case let error as LedgerError: self.init(error)
        case let error as AuthorityError: self.init(error)
        case let error as PipelineError: self.init(error)
        case let error as UploadRefusal: self.init(error)
        case let error as TrustFeedError: self.init(.failedPrecondition, error.description, reason: "feed_refused")
        case is CancellationError: self = .cancelled
        default: self.init(.internalError, "the method failed", reason: "method_failed", cause: "\(error)")
        }
    }
}
