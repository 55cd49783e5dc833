import AssayListening
import AssayRPC

/// The state that all connections of one framed server share.
final class ServerState: Sendable {
    let limits: FramedLimits
    let service: RPCService
    let register: ConnectionRegister
    /// Half of the bytes that calls may hold, so that frames which never end leave the other half to complete calls.
    let partialFrames: HeldBytesLimiter
    let unreadAnswers: HeldBytesLimiter
    let timers = TimerWheels()

    init(limits: FramedLimits, service: RPCService, register: ConnectionRegister) {
        (self.limits, self.service, self.register) = (limits, service, register)
        partialFrames = HeldBytesLimiter(limit: service.state.limits.maxHeldBytesTotal / 2)
        unreadAnswers = HeldBytesLimiter(limit: limits.socket.maxOutboundBytesTotal)
    }

    /// Counts a connection that the server ended, and logs it if an operator should know.
    func ended(because reason: String, _ peer: RPCPeer, _ caller: PeerIdentity) {
        register.ended(because: reason, Self.loggedEnds[reason], peer, caller)
    }

    static let loggedEnds: [String: String] = [
        GoAwayReason.emptyFrame.rawValue: "it sent a frame of length 0",
        GoAwayReason.frameTooLarge.rawValue: "it sent a frame longer than the limit",
        GoAwayReason.undecodableFrame.rawValue: "it sent what is no frame",
        GoAwayReason.callIDZero.rawValue: "it sent a call with id 0",
        GoAwayReason.duplicateCallID.rawValue: "it sent a call with the id of one in flight",
        GoAwayReason.frameTimeout.rawValue: "it began a frame and did not finish it",
        GoAwayReason.overloaded.rawValue: "there was no room for a frame that had come in part",
        GoAwayReason.tooManyConnections.rawValue: "there are as many connections as may be",
        EndReason.writeTimeout: "it did not read what was sent to it within the write timeout",
        EndReason.outboundOverflow: "it did not read, and as many answers waited as may",
    ]
}
