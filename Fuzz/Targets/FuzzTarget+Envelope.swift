import AssayHTTP
import NIOCore

extension FuzzTarget {
    /// The first byte is the length of the pieces in which the body arrives.
    static func envelope(_ bytes: [UInt8]) {
        guard let first = bytes.first else { return }
        let size = Int(first) + 1
        var reader = EnvelopeReader(limit: 4096)
        var rest = bytes.dropFirst()
        while !rest.isEmpty {
            var incoming = ByteBuffer(bytes: rest.prefix(size))
            rest = rest.dropFirst(size)
            while let envelope = try? reader.next(from: &incoming) { _ = envelope.message.readableBytes }
        }
    }
}
