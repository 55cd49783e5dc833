import AssayListening

/// Why a connection was closed without a GoAway. The values are counted and logged.
enum EndReason {
    /// The peer did not read within the write timeout.
    static let writeTimeout = "write_timeout"
    /// More bytes of answers waited than the limit allows.
    static let outboundOverflow = "outbound_overflow"
    /// The peer sent what must be answered, and more bytes of such answers waited than the limit allows.
    static let answersNotRead = "answers_not_read"
    /// The connection broke.
    static let reset = "reset"
}

/// Why a connection takes no more calls. Raw values go on the wire: never renamed, never reused.
package enum GoAwayReason: String, CaseIterable, Error, Sendable {
    // The peer broke the protocol: its later input is discarded.
    case emptyFrame = "empty_frame"
    case frameTooLarge = "frame_too_large"
    case undecodableFrame = "undecodable_frame"
    case callIDZero = "call_id_zero"
    case duplicateCallID = "duplicate_call_id"

    // The peer was too slow or too late.
    case firstFrameTimeout = "first_frame_timeout"
    case frameTimeout = "frame_timeout"
    case idleTimeout = "idle_timeout"

    // The server is full, or stops.
    case tooManyConnections = "too_many_connections"
    case overloaded
    case shuttingDown = "shutting_down"

    // The client's certificate is not valid any more.
    case certificateExpired = "certificate_expired"
    /// A CA that it may have been verified with was removed or has expired.
    case authorityGone = "authority_gone"

    /// The client sent GoAway first.
    case clientLeaving = "client_leaving"

    /// Whether later frames are still answered: only those of a peer that did nothing wrong. Others are discarded.
    var answersLaterCalls: Bool {
        switch self {
        case .shuttingDown, .idleTimeout, .clientLeaving, .certificateExpired, .authorityGone: true
        case .emptyFrame, .frameTooLarge, .undecodableFrame, .callIDZero, .duplicateCallID, .firstFrameTimeout,
            .frameTimeout, .tooManyConnections, .overloaded:
            false
        }
    }

    /// Why a connection ends whose peer's certificate authenticates it no more.
    init(_ verdict: PeerCertificateLifetime.Verdict) {
        switch verdict {
        case .expired, .outlived: self = .certificateExpired
        case .authorityRemoved, .authorityExpired: self = .authorityGone
        }
    }
}
