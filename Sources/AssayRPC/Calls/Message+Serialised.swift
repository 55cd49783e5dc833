package import SwiftProtobuf

extension SwiftProtobuf.Message {
    /// The message's bytes. Throws INTERNAL, `unserialisable_message`, for one that has none.
    package func serialised() throws(RPCError) -> [UInt8] {
        guard let bytes: [UInt8] = try? serializedBytes() else { throw .unserialisable }
        return bytes
    }
}
