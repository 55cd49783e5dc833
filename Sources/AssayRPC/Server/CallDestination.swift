/// Where a call's answer goes: a connection, or a closure that stands in for one.
protocol CallDestination: AnyObject, Sendable {
    var peer: RPCPeer { get }
    /// By whom the call is counted.
    var caller: PeerIdentity { get }
    /// Called once for each call, from any thread, if the handler answers first. Ends the handler's work on the calls.
    func answer(_ answers: [RPCCall.Answer])
    /// Called once, from any thread, in place of `answer` when the handler lets go of a call that was abandoned.
    func release(_ call: RPCCall)
}

extension RPCCall {
    /// A call without a connection, for handing to a handler directly. `onAnswer` gets the serialised answer, once.
    package convenience init(
        method: String, message: [UInt8], metadata: RPCMetadata = [:], peer: RPCPeer, timeout: Duration? = nil,
        onAnswer: @escaping @Sendable (Result<[UInt8], RPCError>) -> Void
    ) {
        let now = ContinuousClock.now
        self.init(
            id: 1, method: method, message: message, metadata: metadata, received: now,
            deadline: timeout.map { now.advanced(by: $0) }, isStream: false,
            destination: ClosureDestination(peer: peer, onAnswer: onAnswer))
    }
}

private final class ClosureDestination: CallDestination {
    let peer: RPCPeer
    let onAnswer: @Sendable (Result<[UInt8], RPCError>) -> Void

    var caller: PeerIdentity { PeerIdentity(peer) }

    init(peer: RPCPeer, onAnswer: @escaping @Sendable (Result<[UInt8], RPCError>) -> Void) {
        (self.peer, self.onAnswer) = (peer, onAnswer)
    }

    func answer(_ answers: [RPCCall.Answer]) { for (_, answer) in answers { onAnswer(answer) } }
    func release(_ call: RPCCall) {}
}
