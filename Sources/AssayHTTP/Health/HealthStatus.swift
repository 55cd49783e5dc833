import AssayProtobuf
import AssayRPC

/// What `grpc.health.v1.HealthCheckResponse` says of a service, by its number on the wire.
enum HealthStatus: Int64, Sendable {
    case serving = 1
    case notServing = 2
    /// Only in the answers of Watch; Check refuses a service that is not known.
    case serviceUnknown = 3
}

/// The messages of `grpc/health/v1/health.proto`, without generated code.
enum HealthMessages {
    private enum Rules: ProtobufRules {
        static var malformed: RPCError { .undecodableMessage }
        static var dropsHighBits: Bool { true }
    }

    /// The name in a `HealthCheckRequest`. Throws INVALID_ARGUMENT, `undecodable_message`, for bytes that are none.
    static func service(in request: [UInt8]) throws(RPCError) -> ServiceName {
        try request.withUnsafeBufferPointer { (buffer) throws(RPCError) in
            let memory = UnsafeRawBufferPointer(buffer)
            var reader = ProtobufReader<Rules>(memory)
            var name = ServiceName(bytes: [])
            while let field = try reader.next() {
                guard case .bytes(1, let range) = field else { continue }
                guard memory.text(range) != nil else { throw .undecodableMessage }
                name = ServiceName(bytes: Array(memory[range]))
            }
            return name
        }
    }

    /// Checks that a `HealthListRequest`, which has no fields, is a message.
    static func readEmpty(_ request: [UInt8]) throws(RPCError) {
        try request.withUnsafeBufferPointer { (buffer) throws(RPCError) in
            let memory = UnsafeRawBufferPointer(buffer)
            var reader = ProtobufReader<Rules>(memory)
            while try reader.next() != nil {}
        }
    }

    /// A `HealthCheckResponse`.
    static func response(_ status: HealthStatus) -> [UInt8] {
        var writer = ProtobufWriter(capacity: 8)
        writer.write(1, status.rawValue)
        return writer.finish()
    }

    /// A `HealthListResponse`: a map in field 1, whose entries have the name in field 1 and the response in field 2.
    static func list(_ statuses: [(name: String, status: HealthStatus)]) -> [UInt8] {
        var writer = ProtobufWriter(capacity: 512)
        for (name, status) in statuses {
            writer.writeMessage(1) { entry in
                entry.writeAlways(1, name)
                entry.writeMessage(2) { $0.write(1, status.rawValue) }
            }
        }
        return writer.finish()
    }
}

/// The full protobuf name of a service, compared as bytes: texts are equal by Unicode's canonical equivalence.
struct ServiceName: Hashable, Sendable {
    let bytes: [UInt8]

    init(bytes: [UInt8]) { self.bytes = bytes }
    init(_ text: String) { bytes = Array(text.utf8) }

    /// The whole server, in `grpc.health.v1`.
    static let wholeServer = ServiceName(bytes: [])

    var text: String { String(decoding: bytes, as: UTF8.self) }
}
