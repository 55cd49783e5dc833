package import AssayRPC

/// What GET and HEAD read at some paths, beside the calls.
package protocol HTTPResource: Sendable {
    /// Whether a path is one of its own. Asked on an event loop.
    func serves(_ path: String) -> Bool

    /// The file at a path of its own; `nil`: there is none, or the peer may not see it. Throws why there is none to be had now, or none as it is
    /// asked for. Called in a task of its own.
    func file(_ request: HTTPFileRequest) async throws(HTTPFileRefusal) -> HTTPFile?
}

/// How a reader asks for a file.
package struct HTTPFileRequest: Sendable {
    package var path: String
    /// Behind the path, without the question mark.
    package var query: String
    /// The media types that the reader takes (RFC 9110 §12.5.1), as it names them; `nil`: it names none, and takes all.
    package var accept: String?
    package var peer: RPCPeer

    package init(path: String, query: String = "", accept: String? = nil, peer: RPCPeer) {
        (self.path, self.query, self.accept, self.peer) = (path, query, accept, peer)
    }
}

/// Why a reader gets no file, by a status of HTTP. No cache keeps it.
package struct HTTPFileRefusal: Error {
    package let status: Int
    package let error: RPCError

    package init(_ status: Int, _ error: RPCError) { (self.status, self.error) = (status, error) }
}
