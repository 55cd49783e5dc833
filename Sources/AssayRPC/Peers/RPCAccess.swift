/// What a front asks about its peers. Fronts know connections; the services know callers.
package struct RPCAccess: Sendable {
    /// The name of the caller that a peer belongs to. Connections and calls of peers with one name are counted together. Nil: the
    /// peer is counted by what it shows: a user, the names in a certificate, or an address. Asked once for each connection.
    package let caller: @Sendable (RPCPeer) -> String?
    /// Why a peer may not call the method of that path at all; nil: it may. Asked on an event loop, before the call holds anything
    /// or waits. A connection asks once for each method and ``version`` that permit the call, and for each call that is refused.
    package let refusal: @Sendable (RPCPeer, String) -> RPCError?
    /// Changes after the answers of ``refusal`` have changed.
    package let version: @Sendable () -> Int

    package init(
        caller: @escaping @Sendable (RPCPeer) -> String?, refusal: @escaping @Sendable (RPCPeer, String) -> RPCError?,
        version: @escaping @Sendable () -> Int
    ) {
        (self.caller, self.refusal, self.version) = (caller, refusal, version)
    }

    /// Every peer may call every method.
    package static let open = RPCAccess(caller: { _ in nil }, refusal: { _, _ in nil }, version: { 0 })
}
