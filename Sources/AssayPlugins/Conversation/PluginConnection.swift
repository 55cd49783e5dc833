package import AssayFramedRPC
package import AssayRPC
package import SwiftProtobuf

/// The conversation with one process of a plugin: the methods of `assay.plugin.v1.Plugin`, and the host's services for it.
///
/// It ends when it is released.
package struct PluginConnection: Sendable {
    private let connection: RPCConnection

    /// Frames as `docs/reference/plugin-protocol.md`, "The connection", has them.
    private static var limits: RPCConnectionLimits {
        var limits = RPCConnectionLimits()
        // Calls of the daemon wait in its own queue, not in a socket.
        limits.maxOutboundBytes = 4 << 20
        limits.maxAnswerBytes = 1 << 20
        // A plugin that works on one call does not read meanwhile. How long it may, the supervisor says.
        limits.writeTimeout = .seconds(365 * 86_400)
        limits.closeTimeout = .seconds(2)
        // A plugin answers a ping after the calls before it, however long they take: the supervisor pings those that are idle.
        limits.keepAliveInterval = .seconds(365 * 86_400)
        return limits
    }

    /// Takes over the socket.
    ///
    /// - Throws: UNAVAILABLE, `connect_failed`.
    package init(_ socket: CInt, host: any PeerCallHandler) async throws(RPCError) {
        connection = try await RPCConnection.adopt(socket, limits: Self.limits, serving: host)
    }

    package var isOpen: Bool { connection.isOpen }

    /// Whether the connection was ended because the plugin sent without reading what answers it.
    package var isUnread: Bool { connection.end == .answersNotRead }

    /// Calls a method of the plugin.
    package func call<Response: SwiftProtobuf.Message>(
        _ method: Method, _ request: some SwiftProtobuf.Message, returning: Response.Type = Response.self, timeout: CallTimeout
    ) async throws(RPCError) -> Response {
        try await connection.call(
            method.path, request, timeout: timeout.duration, enforcesTimeout: timeout.isEnforced)
    }

    /// The time that a frame takes to the plugin and back.
    package func ping() async throws(RPCError) -> Duration { try await connection.ping() }

    /// Takes no more calls, lets the plugin answer those in flight, and ends the connection by half-close.
    package func close() async { await connection.close() }

    /// Ends the connection at once.
    package func abort() { connection.abort() }

    /// Suspends until the connection has ended. All calls have their results then.
    package func closed() async { await connection.closed() }

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

/// How long a plugin has for a call.
package struct CallTimeout: Hashable, Sendable {
    /// Sent to the plugin.
    package let duration: Duration
    /// Whether the call fails after it. Otherwise its answer is waited for until the connection ends.
    package let isEnforced: Bool

    package static func enforced(_ duration: Duration) -> CallTimeout { CallTimeout(duration: duration, isEnforced: true) }
    package static func announced(_ duration: Duration) -> CallTimeout { CallTimeout(duration: duration, isEnforced: false) }
    package static func seconds(_ seconds: Int) -> CallTimeout { enforced(.seconds(seconds)) }
}
