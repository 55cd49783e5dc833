package import AssayRPC

/// Who stands behind a peer: the user id of a Unix socket's peer, or, in the demo profile, anyone on loopback.
package struct CallerDirectory: Sendable {
    private let byUserID: [UInt32: Caller]
    /// The demo profile: whoever reaches a socket on this machine.
    package let loopback: Caller?

    package init(byUserID: [UInt32: Caller], loopback: Caller? = nil) {
        (self.byUserID, self.loopback) = (byUserID, loopback)
    }

    /// The demo profile's caller: every role, every app.
    package static let demo = Caller(name: "loopback-demo", roles: Set(Role.allCases), apps: nil)

    package func caller(for peer: RPCPeer) -> Caller? {
        switch peer {
        case .unix(let userID, _, _): byUserID[userID] ?? loopback
        case .tcp(_, _, let isLoopback): isLoopback ? loopback : nil
        }
    }
}
