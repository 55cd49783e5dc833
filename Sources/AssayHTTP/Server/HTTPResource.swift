package import AssayRPC

/// What GET and HEAD read at some paths, beside the calls.
package protocol HTTPResource: Sendable {
    /// Whether a path is one of its own. Asked on an event loop.
    func serves(_ path: String) -> Bool

    /// The file at a path of its own; `nil`: there is none, or the peer may not see it. Called in a task of its own.
    func file(at path: String, of peer: RPCPeer) async -> HTTPFile?
}
