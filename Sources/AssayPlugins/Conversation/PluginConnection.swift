package import AssayFramedRPC
package import AssayRPC
package import SwiftProtobuf

/// The conversation with one process of a plugin: the methods of `assay.plugin.v1.Plugin`, and the host's services for it.
///
/// It ends when it is released.
package struct PluginConnection: Sendable {
    private let connection: RPCConnection

    /// Frames as `docs/plugins/protocol.md`, "The connection", has them.
    private static var limits: RPCConnectionLimits {
        var limits = RPCConnectionLimits()
        // Calls of the daemon wait in its own queue, not in a socket.
        limits.maxOutboundBytes = 4 << 20
        limits.closeTimeout = .seconds(2)
        return limits
    }

    /// Takes over the socket.
    ///
    /// - Throws: UNAVAILABLE, `connect_failed`.
    package init(_ socket: CInt, host: any PeerCallHandler) async throws(RPCError) {
        connection = try await RPCConnection.adopt(socket, limits: Self.limits, serving: host)
    }

    package var isOpen: Bool { connection.isOpen }

    /// Calls a method of the plugin.
    package func call<Response: SwiftProtobuf.Message>(
        _ method: Method, _ request: some SwiftProtobuf.Message, returning: Response.Type = Response.self, timeout: Duration
    ) async throws(RPCError) -> Response {
        try await connection.call(method.path, request, timeout: timeout)
    }

    /// The time that a frame takes to the plugin and back.
    package func ping() async throws(RPCError) -> Duration { try await connection.ping() }

    /// Takes no more calls, lets the plugin answer those in flight, and ends the connection by half-close.
    package func close() async { await connection.close() }

    package enum Method: String, CaseIterable, Sendable {
        case describe = "Describe"
        case validate = "Validate"
        case configure = "Configure"
        case locate = "Locate"
        case appraise = "Appraise"
        case prepare = "Prepare"
        case observe = "Observe"
        case health = "Health"

        package var path: String { "/assay.plugin.v1.Plugin/" + rawValue }
    }
}
