import AssayRPC
import NIOCore

/// Reads the body of a request that carries one message, as it comes.
///
/// A message that is too long is refused before it is kept: by its length where it has one (an envelope, `content-length`), and otherwise when it
/// has grown beyond the limit.
struct RequestBody {
    private let limit: Int
    /// Whether the body, or with envelopes a message that says so, is compressed by gzip.
    private let isGzip: Bool
    private var reader: EnvelopeReader?
    /// Of gRPC-Web as text.
    private var text: TextBase64Decoder?
    private var message: ByteBuffer?
    /// Whether the message is, as far as that is known.
    private(set) var isCompressed = false

    /// - Throws: UNIMPLEMENTED for a compression that is not known.
    init(_ form: CallFormat, encoding: String?, limit: Int) throws(RPCError) {
        self.limit = limit
        switch encoding {
        case nil, "identity": isGzip = false
        case "gzip": isGzip = true
        default: throw .unknownCompression
        }
        reader = form.isEnveloped ? EnvelopeReader(limit: limit) : nil
        if !form.isEnveloped { isCompressed = isGzip }
        if form == .grpcWebText { text = TextBase64Decoder() }
    }

    /// Bytes that are kept.
    var heldBytes: Int { (message?.readableBytes ?? 0) + (reader?.heldBytes ?? 0) }

    mutating func append(_ bytes: inout ByteBuffer) throws(RPCError) {
        guard reader != nil else {
            guard heldBytes + bytes.readableBytes <= limit else { throw .messageTooLarge }
            if message == nil { message = bytes } else { message?.writeBuffer(&bytes) }
            bytes.clear()
            return
        }
        if text != nil, let decoded = try text?.decode(&bytes) { bytes = decoded }
        while let envelope = try reader?.next(from: &bytes) {
            guard message == nil else { throw .tooManyMessages }
            guard envelope.flags & ~EnvelopePrefix.compressed == 0 else { throw .undecodableEnvelope }
            isCompressed = envelope.flags != 0
            guard isGzip || !isCompressed else { throw .unknownCompression }
            message = envelope.message
        }
    }

    /// The message. Throws if the body ended within it, or had none where one is wanted.
    mutating func end() throws(RPCError) -> ByteBuffer {
        try text?.finish()
        if let reader {
            guard reader.isEmpty else { throw .undecodableEnvelope }
            guard message != nil else { throw .notOneMessage }
        }
        let whole = message ?? ByteBuffer()
        message = nil
        guard isCompressed else { return whole }
        return ByteBuffer(bytes: try Gzip.inflate(whole, limit: limit))
    }
}
