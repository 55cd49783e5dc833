import AssayRPC
package import NIOCore

/// One message in a body of several, with its ``AssayRPC/EnvelopePrefix``.
package struct Envelope {
    package let flags: UInt8
    package let message: ByteBuffer
}

extension ByteBuffer {
    /// - Parameter message: below 4 GiB.
    mutating func writeEnvelope(flags: UInt8, _ message: [UInt8]) {
        let prefix = EnvelopePrefix(flags: flags, length: message.count)
        reserveCapacity(minimumWritableBytes: EnvelopePrefix.byteCount + message.count)
        writeMultipleIntegers(prefix.flags, prefix.length)
        writeBytes(message)
    }
}
