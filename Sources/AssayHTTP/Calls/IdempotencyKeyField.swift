import AssayAPI
import AssayProtobuf
import AssayRPC
import NIOCore

extension HTTPMethods.Entry {
    /// Puts the key of the header field `Idempotency-Key` into a request, as its field `idempotency_key`.
    ///
    /// Throws INVALID_ARGUMENT if the request has another key, or if the method may not be repeated and knows no key: its client would trust in
    /// what nothing holds. A method that may be repeated without a key needs none, and the key is ignored.
    func add(idempotencyKey key: String, to message: inout ByteBuffer) throws(RPCError) {
        guard let field = idempotencyField else {
            if isRepeatable { return }
            throw .idempotencyKeyNotTaken
        }
        guard !key.isEmpty else { return }
        var found: [UInt8]?
        var fault: RPCError?
        message.withUnsafeReadableBytes { bytes in
            do throws(RPCError) { found = try Self.value(of: Int(field), in: bytes) } catch { fault = error }
        }
        if let fault { throw fault }
        if let found, !found.isEmpty {
            guard found.elementsEqual(key.utf8) else { throw .twoIdempotencyKeys }
            return
        }
        var writer = ProtobufWriter(capacity: key.utf8.count + 8)
        writer.writeAlways(Int(field), key)
        message.writeBytes(writer.finish())
    }

    /// The last value of a field of text or bytes.
    private static func value(of field: Int, in bytes: UnsafeRawBufferPointer) throws(RPCError) -> [UInt8]? {
        var value: [UInt8]?
        var reader = ProtobufReader<MessageRules>(bytes)
        while let next = try reader.next() {
            guard case .bytes(field, let range) = next else { continue }
            value = Array(bytes[range])
        }
        return value
    }
}

/// Messages that a front looks into are refused as the methods refuse them.
enum MessageRules: ProtobufRules {
    static let malformed = RPCError.undecodableMessage
    static let dropsHighBits = true
}

extension MethodJSON {
    /// The bytes of the request that a text states.
    func request(_ text: ByteBuffer) throws(RPCError) -> [UInt8] {
        do throws(JSONMessageError) {
            return try readRequest(ArraySlice(text.readableBytesView))
        } catch {
            throw RPCError(.invalidArgument, "\(error)", reason: RPCError.undecodableMessage.reason)
        }
    }
}
