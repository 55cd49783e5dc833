import AssayHTTP
import NIOCore

extension FuzzTarget {
    /// The first byte is the length of the pieces in which the text arrives.
    static func grpcWebText(_ bytes: [UInt8]) {
        guard let first = bytes.first else { return }
        let size = Int(first) + 1
        var decoder = TextBase64Decoder()
        var reader = EnvelopeReader(limit: 4096)
        var rest = bytes.dropFirst()
        while !rest.isEmpty {
            var incoming = ByteBuffer(bytes: rest.prefix(size))
            rest = rest.dropFirst(size)
            guard var decoded = try? decoder.decode(&incoming) else { return }
            while let envelope = try? reader.next(from: &decoded) { _ = envelope.message.readableBytes }
        }
        _ = try? decoder.finish()
    }
}
