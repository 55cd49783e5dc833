/// Why a connection was closed without a GoAway. The words are counted and logged.
enum EndReason {
    /// What was handed to the socket was not taken in time.
    static let writeTimeout = "write_timeout"
    /// More answers waited than may.
    static let outboundOverflow = "outbound_overflow"
    /// The connection broke.
    static let reset = "reset"
}

/// Why a connection takes no more calls. Raw values go on the wire: never renamed, never reused.
package enum GoAwayReason: String, CaseIterable, Error, Sendable {
    // The peer broke the protocol: its later input is thrown away.
    case emptyFrame = "empty_frame"
    case frameTooLarge = "frame_too_large"
    case undecodableFrame = "undecodable_frame"
    case callIDZero = "call_id_zero"
    case duplicateCallID = "duplicate_call_id"

    // The peer was too slow or too late.
    case firstFrameTimeout = "first_frame_timeout"
    case frameTimeout = "frame_timeout"
    case idleTimeout = "idle_timeout"

    // The server has no room, or stops.
    case tooManyConnections = "too_many_connections"
    case overloaded
    case shuttingDown = "shutting_down"

    // Nobody vouches for the client any more.
    case certificateExpired = "certificate_expired"
    /// A CA that it may have been verified with was taken out, or expired.
    case authorityGone = "authority_gone"

    /// The client said GoAway first.
    case clientLeaving = "client_leaving"

    /// Whether frames that arrive later are still answered. Only towards a peer that did nothing wrong; the rest is discarded.
    var answersLaterCalls: Bool {
        switch self {
        case .shuttingDown, .idleTimeout, .clientLeaving, .certificateExpired, .authorityGone: true
        case .emptyFrame, .frameTooLarge, .undecodableFrame, .callIDZero, .duplicateCallID, .firstFrameTimeout,
            .frameTimeout, .tooManyConnections, .overloaded:
            false
        }
    }
}
