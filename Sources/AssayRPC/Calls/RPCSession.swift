import Synchronization

/// Who makes a call, and what is known of them. The calls of one connection that carry the same credential have one session.
package final class RPCSession: Sendable {
    package let peer: RPCPeer
    /// The account that its calls are counted on.
    package let usage: CallerUsage
    /// Which methods the peer may call, as far as that was asked, in one version of the access.
    private let permissions = Mutex(Permissions())
    /// What the calls hold of the bounds is given back here; `nil` for a call without a connection.
    private let state: ServingState?

    private struct Permissions {
        var version = 0
        /// By the method's number; empty before the first call.
        var permitted: [Bool] = []
    }

    package init(_ peer: RPCPeer, in service: RPCService) {
        (self.peer, state) = (peer, service.state)
        usage = service.state.callers.usage(of: PeerIdentity(peer, service.access))
    }

    /// For a call without a connection.
    init(_ peer: RPCPeer) {
        (self.peer, state) = (peer, nil)
        usage = CallerRegister().usage(of: PeerIdentity(peer))
    }

    /// The identity that shares bounds and takes turns.
    package var identity: PeerIdentity { usage.identity }

    /// Why the peer may not call a method; nil: it may. A permission is asked for once in each version of the access.
    func refusal(of method: Int, in service: RPCService) -> RPCError? {
        let version = service.access.version()
        let isPermitted = permissions.withLock { permissions in
            if version != permissions.version || permissions.permitted.isEmpty {
                permissions = Permissions(version: version, permitted: Array(repeating: false, count: service.methods.count))
            }
            return permissions.permitted[method]
        }
        guard !isPermitted else { return nil }
        if let refusal = service.access.refusal(peer, service.methods[method].path) { return refusal }
        permissions.withLock { permissions in
            if permissions.version == version { permissions.permitted[method] = true }
        }
        return nil
    }

    func release(_ share: Admission.Share) { state?.admission.release(share, of: usage) }

    func countRefusal(because reason: String) { state?.countRefusal(because: reason) }
}

/// The sessions of the calls of one connection: the connection's own, and one for each credential that its calls carry. Used by one
/// thread at a time.
package struct RPCSessions {
    /// Credentials that are remembered. Beyond it all are forgotten, and asked for again.
    static let limit = 64

    /// That of calls without a credential, and of what the connection itself holds.
    package let own: RPCSession
    private let service: RPCService
    // By bytes: texts are equal by Unicode's canonical equivalence, and would get each other's session.
    private var last: (credential: [UInt8], session: RPCSession)?
    private var others: [[UInt8]: RPCSession] = [:]

    package init(_ peer: RPCPeer, in service: RPCService) {
        (own, self.service) = (RPCSession(peer, in: service), service)
    }

    /// The session of a call. Takes the credential out of the call's metadata. A credential that is refused is not remembered.
    package mutating func session(for metadata: inout RPCMetadata) throws(RPCError) -> RPCSession {
        guard let shown = metadata[RPCMetadata.authorization] else { return own }
        metadata = metadata.withoutCredential()
        if let last, last.credential.elementsEqual(shown.utf8) { return last.session }
        let credential = Array(shown.utf8)
        let session: RPCSession
        if let known = others[credential] {
            session = known
        } else {
            session = RPCSession(try service.access.identify(own.peer, shown).get(), in: service)
            if others.count >= Self.limit { others = [:] }
            others[credential] = session
        }
        last = (credential, session)
        return session
    }
}
