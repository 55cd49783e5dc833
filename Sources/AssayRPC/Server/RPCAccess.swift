/// What a server asks about its peers: the transport knows connections, the layer above knows callers.
package struct RPCAccess: Sendable {
    /// The name under which a peer's connections and calls are counted, together with those of other peers of that name. Nil: the
    /// peer is counted by what it shows, which is a user, the names in a certificate, or an address. Asked once for each connection.
    package let caller: @Sendable (RPCPeer) -> String?
    /// Why a peer may not call the method of that path at all; nil: it may. Asked on an event loop, before the call takes a place or
    /// waits anywhere. A connection asks once for each method and ``version``, and each time as long as it may not.
    package let refusal: @Sendable (RPCPeer, String) -> RPCError?
    /// Changes after the answers of ``refusal`` have changed.
    package let version: @Sendable () -> Int

    package init(
        caller: @escaping @Sendable (RPCPeer) -> String?, refusal: @escaping @Sendable (RPCPeer, String) -> RPCError?,
        version: @escaping @Sendable () -> Int
    ) {
        (self.caller, self.refusal, self.version) = (caller, refusal, version)
    }

    /// Every peer may call every method, as far as the transport is concerned.
    package static let open = RPCAccess(caller: { _ in nil }, refusal: { _, _ in nil }, version: { 0 })
}
