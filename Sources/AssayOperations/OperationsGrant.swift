package import AssayRPC

/// What of the operations address is answered to peers that are no callers.
package enum OperationsOpening: String, CaseIterable, Hashable, Sendable {
    /// `/livez` and `/readyz`: the status and one word.
    case probes
    /// `/metrics`.
    case metrics
}

/// What a peer may see.
package struct OperationsGrant: Hashable, Sendable {
    /// Whether the probes are answered at all.
    package var probes = false
    /// Whether the probes name what is not ready.
    package var details = false
    package var metrics = false
    package var status = false

    package init() {}
}

/// Which peers may see what, by the configuration in force.
package struct OperationsRule: Sendable {
    /// What peers on this machine see that are no callers.
    package var open: Set<OperationsOpening>
    /// What any peer sees that is no caller, wherever it is.
    package var openToTheNetwork: Set<OperationsOpening>
    /// What a caller may see; `nil` for a peer that is no caller.
    package var caller: @Sendable (RPCPeer) -> OperationsGrant?
    /// Who a peer is that shows a credential, the value of `Authorization`; `nil`: it is refused.
    package var identify: @Sendable (RPCPeer, String) -> RPCPeer?

    package init(
        open: Set<OperationsOpening>, openToTheNetwork: Set<OperationsOpening>,
        caller: @escaping @Sendable (RPCPeer) -> OperationsGrant?,
        identify: @escaping @Sendable (RPCPeer, String) -> RPCPeer? = { _, _ in nil }
    ) {
        (self.open, self.openToTheNetwork, self.caller, self.identify) = (open, openToTheNetwork, caller, identify)
    }

    /// - Parameters:
    ///   - peer: `nil` for a TLS peer without a certificate.
    ///   - isLocal: whether the peer is a process of this machine: at a Unix socket, or with a loopback address.
    func grant(_ peer: RPCPeer?, isLocal: Bool) -> OperationsGrant {
        var grant = peer.flatMap(caller) ?? OperationsGrant()
        let open = isLocal ? open.union(openToTheNetwork) : openToTheNetwork
        if open.contains(.probes) { grant.probes = true }
        if open.contains(.metrics) { grant.metrics = true }
        return grant
    }

    /// Whether a TLS peer without a certificate may get any answer.
    func answersWithoutCertificate(isLocal: Bool) -> Bool { grant(nil, isLocal: isLocal) != OperationsGrant() }
}
