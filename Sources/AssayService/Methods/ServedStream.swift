import AssayAPI
import AssayCore
import AssayRPC
import SwiftProtobuf

/// The caller of a stream, by the configuration in force: a stream outlives configurations, and a caller that may not call the method any
/// more gets no more of it.
struct StreamCaller: Sendable {
    let peer: RPCPeer
    let method: MethodDeclaration
    /// That of the configuration in force.
    let authorizer: @Sendable () -> CallAuthorizer

    func current() throws(RPCError) -> Caller { try authorizer().caller(peer, calling: method) }
}

/// The answer of a call that is a stream of messages.
struct ServedStream<Message: SwiftProtobuf.Message>: Sendable {
    private let writer: RPCStreamWriter
    private let who: StreamCaller

    init(_ writer: RPCStreamWriter, _ who: StreamCaller) { (self.writer, self.who) = (writer, who) }

    /// The caller, if it may call the method now. Ask before each message, or group of them, that tells something.
    func caller() throws(RPCError) -> Caller { try who.current() }

    /// Denies the call if it asks for what concerns an app that is not the caller's.
    func authorize(filteringBy app: AppID) throws(RPCError) {
        try who.authorizer().authorize(filteringBy: app, try caller(), calling: who.method)
    }

    /// Sends one message. Suspends while the peer does not read what was sent before.
    func send(_ message: Message) async throws(RPCError) { try await writer.send(message) }
}
