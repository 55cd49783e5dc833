import AssayRPC
import NIOCore

/// What a request that has come whole asks for: a method's message, or the judgement of an upload.
enum DecodedCall: Sendable {
    case message(ByteBuffer)
    case upload(AuthorizationCall)

    /// Inflates and reads the body of a request. Works on any thread.
    init(_ body: RequestBody, _ intake: Exchange.Intake) throws(RPCError) {
        var body = body
        var message = try body.end()
        switch intake.form {
        case .grpc, .grpcWeb, .grpcWebText, .connectProtobuf, .connectStreamProtobuf, .subrequest: break
        case .connectJSON, .connectStreamJSON:
            guard let json = intake.method.json else { throw .undecodableMessage }
            message = ByteBuffer(bytes: try json.request(message))
        case .envoy:
            self = .upload(try EnvoyAuthorization.call(Array(buffer: message)))
            return
        }
        if let key = intake.idempotencyKey { try intake.method.add(idempotencyKey: key, to: &message) }
        self = .message(message)
    }
}

extension RequestBody {
    /// Bytes of a body that are read where they come in. Evidence of one piece is shorter as JSON.
    private static let longestReadAtOnce = 32 << 10

    /// Whether reading the body takes so long that the connections of an event loop would wait for it.
    func isDear(as form: CallForm) -> Bool {
        switch form {
        case .grpc, .grpcWeb, .grpcWebText, .connectProtobuf, .connectStreamProtobuf, .subrequest: isCompressed
        case .connectJSON, .connectStreamJSON, .envoy: isCompressed || heldBytes > Self.longestReadAtOnce
        }
    }
}
