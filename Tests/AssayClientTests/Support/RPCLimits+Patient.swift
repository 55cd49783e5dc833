import AssayListening

@testable import AssayFramedRPC

extension RPCLimits {
    /// The server's own, except that it waits for a peer as long as a test on a busy machine may take between two of its steps.
    static let patient = {
        var limits = RPCLimits()
        (limits.firstFrameTimeout, limits.frameTimeout, limits.handshakeTimeout) = (.seconds(600), .seconds(600), .seconds(600))
        (limits.writeTimeout, limits.idleTimeout) = (.seconds(600), .seconds(600))
        return limits
    }()
}
