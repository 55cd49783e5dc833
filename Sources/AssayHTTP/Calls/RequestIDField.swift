import AssayAPI
import AssayCore
import AssayProtobuf
import AssayRPC

/// Where an answer has the id under which the daemon has recorded its request, so that it can stand in the head of the answer too, for the logs of
/// proxies: the fields that lead to it.
struct RequestIDField: Sendable {
    /// The header field of the id, in hexadecimal.
    static let header = "assay-request-id"

    private let path: [Int]

    /// `nil` for a message that has no id, neither itself nor in its verdict.
    init?(_ response: MessageSchema, of schema: APISchema = .current) {
        if let own = Self.number("request_id", in: response) {
            path = [own]
        } else if let verdict = response.fields.first(where: { $0.name == "verdict" && $0.count == .single }),
            case .message(let position) = verdict.kind, let own = Self.number("request_id", in: schema.messages[position])
        {
            path = [verdict.number, own]
        } else {
            return nil
        }
    }

    private static func number(_ name: String, in message: MessageSchema) -> Int? {
        message.fields.first { $0.name == name && $0.kind == .bytes }?.number
    }

    /// The id in a serialised answer, as the header field has it; `nil`: it has none.
    func text(in message: [UInt8]) -> String? {
        message.withUnsafeBytes { bytes in
            var range = 0..<bytes.count
            for number in path {
                guard let next = Self.last(number, in: bytes, range) else { return nil }
                range = next
            }
            return range.isEmpty ? nil : Hex.encode(Array(bytes[range]))
        }
    }

    private static func last(_ number: Int, in bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Range<Int>? {
        var found: Range<Int>?
        var reader = ProtobufReader<MessageRules>(bytes, range)
        while let field = try? reader.next() {
            if case .bytes(number, let value) = field { found = value }
        }
        return found
    }
}
