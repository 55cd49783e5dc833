import AssayProtobuf
import AssayRPC

/// A `ServerReflectionRequest`, of `grpc.reflection.v1` and `v1alpha` alike. Names are UTF-8.
struct ReflectionRequest: Hashable {
    enum Question: Hashable {
        /// By its name.
        case file([UInt8])
        /// The file that declares it, by its full name.
        case symbol([UInt8])
        case fileOfExtension
        case extensionNumbers(of: [UInt8])
        case services
    }

    private(set) var host: [UInt8] = []
    /// `nil`: there is no question, or it is not known here. Of several the last one counts, as in every oneof.
    private(set) var question: Question?

    private enum Rules: ProtobufRules {
        static var malformed: RPCError { .undecodableMessage }
        static var dropsHighBits: Bool { true }
    }

    /// Throws INVALID_ARGUMENT, `undecodable_message`, for bytes that are none.
    init(_ bytes: [UInt8]) throws(RPCError) {
        let fields = try bytes.withUnsafeBufferPointer { (buffer) throws(RPCError) in
            let memory = UnsafeRawBufferPointer(buffer)
            var reader = ProtobufReader<Rules>(memory)
            var (host, question): ([UInt8], Question?) = ([], nil)
            while let field = try reader.next() {
                guard case .bytes(let number, let range) = field else { continue }
                switch number {
                case 1: host = try Self.name(memory, range)
                case 3: question = .file(try Self.name(memory, range))
                case 4: question = .symbol(try Self.name(memory, range))
                case 5:
                    try Self.readExtension(memory, range)
                    question = .fileOfExtension
                case 6: question = .extensionNumbers(of: try Self.name(memory, range))
                case 7:
                    _ = try Self.name(memory, range)
                    question = .services
                default: continue
                }
            }
            return (host, question)
        }
        (host, question) = fields
    }

    private static func name(_ memory: UnsafeRawBufferPointer, _ range: Range<Int>) throws(RPCError) -> [UInt8] {
        guard memory.text(range) != nil else { throw .undecodableMessage }
        return Array(memory[range])
    }

    /// Which extension is asked for changes no answer: there is none.
    private static func readExtension(_ memory: UnsafeRawBufferPointer, _ range: Range<Int>) throws(RPCError) {
        var reader = ProtobufReader<Rules>(memory, range)
        while let field = try reader.next() {
            if case .bytes(1, let type) = field { _ = try name(memory, type) }
        }
    }
}
