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
    package func refusal(of method: Int, in service: RPCService) -> RPCError? {
        guard !service.methods[method].isOpen else { return nil }
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

/// The sessions of the calls of one connection: the connection's own, and one for each credential, and each address that a proxy passes on, that
/// its calls carry. Used by one thread at a time.
package struct RPCSessions {
    /// Sessions that are remembered beside the connection's own. Beyond it all are forgotten, and asked for again.
    static let limit = 64

    /// What the sessions of a connection differ in.
    private struct Key: Hashable {
        // By bytes: texts are equal by Unicode's canonical equivalence, and would get each other's session.
        var credential: [UInt8] = []
        /// Numeric; empty for that of the connection.
        var address: String = ""
    }

    /// That of calls without a credential, and of what the connection itself holds.
    package let own: RPCSession
    private let service: RPCService
    private var last: (key: Key, session: RPCSession)?
    private var others: [Key: RPCSession] = [:]

    package init(_ peer: RPCPeer, in service: RPCService) {
        (own, self.service) = (RPCSession(peer, in: service), service)
    }

    /// The session of a call. Takes the credential out of the call's metadata. A credential that is refused is not remembered.
    ///
    /// - Parameter address: the client's, as a proxy passes it on that is believed; `nil`: that of the connection.
    package mutating func session(
        for metadata: inout RPCMetadata, from address: String? = nil
    ) throws(RPCError) -> RPCSession {
        let shown = metadata[RPCMetadata.authorization]
        guard shown != nil || address != nil else { return own }
        if shown != nil { metadata = metadata.withoutCredential() }
        if let last, last.key.address == address ?? "", last.key.credential.elementsEqual((shown ?? "").utf8) {
            return last.session
        }
        let key = Key(credential: Array((shown ?? "").utf8), address: address ?? "")
        let session: RPCSession
        if let known = others[key] {
            session = known
        } else {
            let peer = address.map { own.peer.comingFrom($0) } ?? own.peer
            session = RPCSession(try identified(peer, shown), in: service)
            if others.count >= Self.limit { others = [:] }
            others[key] = session
        }
        last = (key, session)
        return session
    }

    private func identified(_ peer: RPCPeer, _ credential: String?) throws(RPCError) -> RPCPeer {
        guard let credential else { return peer }
        return try service.access.identify(peer, credential).get()
    }
}
