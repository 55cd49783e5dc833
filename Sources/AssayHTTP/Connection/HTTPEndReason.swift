import AssayListening

/// Why the server ended a connection. Raw values are counted and logged.
enum HTTPEndReason: String, Hashable, Sendable {
    // The peer broke the protocol, or did more than it may.
    case protocolError = "protocol_error"
    /// It reset more calls than may be reset in a time.
    case tooManyResets = "too_many_resets"
    /// It sent too much that belongs to no request.
    case tooMuchOverhead = "too_much_overhead"

    // The peer was too slow or too late.
    case headTimeout = "head_timeout"
    case idleTimeout = "idle_timeout"
    case writeTimeout = "write_timeout"
    case outboundOverflow = "outbound_overflow"
    case reset

    // The server is full, or stops.
    case tooManyConnections = "too_many_connections"
    case shuttingDown = "shutting_down"

    // The client's certificate is not valid any more.
    case certificateExpired = "certificate_expired"
    case authorityGone = "authority_gone"

    /// The client said first that it leaves.
    case clientLeaving = "client_leaving"

    init(_ verdict: PeerCertificateLifetime.Verdict) {
        switch verdict {
        case .expired, .outlived: self = .certificateExpired
        case .authorityRemoved, .authorityExpired: self = .authorityGone
        }
    }

    /// Whether the peer is at fault: what it sends later is not read.
    var isFault: Bool {
        switch self {
        case .protocolError, .tooManyResets, .tooMuchOverhead, .headTimeout, .writeTimeout, .outboundOverflow,
            .reset,
            .tooManyConnections:
            true
        case .idleTimeout, .shuttingDown, .certificateExpired, .authorityGone, .clientLeaving: false
        }
    }

    /// Whether requests that cross its announcement are done.
    var isGraceful: Bool { self == .shuttingDown || self == .idleTimeout }

    /// What an operator should know of it; `nil`: it is only counted.
    var logged: String? {
        switch self {
        case .protocolError: "it sent what is not HTTP"
        case .tooManyResets: "it reset more calls than may be"
        case .tooMuchOverhead: "it sent too much that belongs to no request"
        case .writeTimeout: "it did not read what was sent to it within the write timeout"
        case .outboundOverflow: "it did not read, and as many answers waited as may"
        case .tooManyConnections: "there are as many connections as may be"
        case .headTimeout, .idleTimeout, .reset, .shuttingDown, .certificateExpired, .authorityGone, .clientLeaving: nil
        }
    }
}
