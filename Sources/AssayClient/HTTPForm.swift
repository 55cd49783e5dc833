/// How a client calls an address of HTTP.
package struct HTTPForm: Hashable, Sendable {
    package enum Calls: String, CaseIterable, Hashable, Sendable {
        /// Connect with protobuf.
        case connect
        /// Connect with JSON; streams are protobuf.
        case json
        /// gRPC over HTTP/2, with TLS or without.
        case grpc
    }

    package var calls: Calls
    /// HTTP/2 is not offered. Without TLS, Connect takes HTTP/1.1 in any case.
    package var isHTTP1Only: Bool

    package init(calls: Calls = .connect, isHTTP1Only: Bool = false) { (self.calls, self.isHTTP1Only) = (calls, isHTTP1Only) }
}
