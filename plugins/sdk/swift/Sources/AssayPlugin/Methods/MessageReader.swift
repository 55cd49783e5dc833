internal import SwiftProtobuf

/// Decodes messages with bounded memory.
enum MessageReader {
    /// A message of this many fields takes about 3 MiB; one of the largest frame could take a hundred.
    static let fieldLimit = 16_384

    enum Outcome<M> {
        case message(M)
        case tooLarge
        case undecodable
    }

    /// `nested`: the fields of the message that hold messages.
    static func read<M: Message>(_: M.Type, _ bytes: [UInt8], nested: Set<UInt64>) -> Outcome<M> {
        guard let count = try? WireReader.fieldCount(bytes, nested: nested, limit: fieldLimit) else { return .undecodable }
        guard count <= fieldLimit else { return .tooLarge }
        guard let message = try? M(serializedBytes: bytes) else { return .undecodable }
        return .message(message)
    }
}
