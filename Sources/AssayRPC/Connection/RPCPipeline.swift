package import NIOCore

/// Adds handlers between the socket and the frames, on the channel's event loop: the place for TLS. It sees plain bytes on
/// the frames' side, and must pass half-close on.
package typealias RPCPipeline = @Sendable (any Channel) throws -> Void
