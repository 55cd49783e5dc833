import AssayProtobuf
import AssayRPC

/// The fields of `assay.rpc.v1.Call`, as ranges of the frame. Method and message may be given at most once.
package struct CallFields {
    private(set) var method = 0..<0
    private(set) var message = 0..<0
    private(set) var timeoutMilliseconds: UInt32 = 0
    /// The timeout has more than 32 bits, which no client's `uint32` can hold. It is not kept.
    private(set) var hasTooLongTimeout = false
    private(set) var metadata = RPCMetadata()
    /// There are more entries than ``RPCMetadata/maxEntries``. The others are not kept.
    private(set) var hasTooMuchMetadata = false

    package init(parsing bytes: UnsafeRawBufferPointer, _ body: Range<Int>) throws(GoAwayReason) {
        var reader = FrameReader(bytes, body)
        while let field = try reader.next() {
            switch field {
            // Given twice, two readers could take different ones.
            case .bytes(1, let range):
                guard method.isEmpty else { throw .undecodableFrame }
                method = range
            case .bytes(2, let range):
                guard message.isEmpty else { throw .undecodableFrame }
                message = range
            case .varint(3, let value): setTimeout(value)
            case .bytes(4, let range): try addMetadata(bytes, range)
            default: continue
            }
        }
    }

    /// The last of several timeouts counts, as in protobuf.
    private mutating func setTimeout(_ value: UInt64) {
        timeoutMilliseconds = UInt32(exactly: value) ?? 0
        hasTooLongTimeout = value > UInt64(UInt32.max)
    }

    /// An entry of a map is a message: key 1, value 2.
    private mutating func addMetadata(_ bytes: UnsafeRawBufferPointer, _ entry: Range<Int>) throws(GoAwayReason) {
        guard metadata.entries.count < RPCMetadata.maxEntries else {
            hasTooMuchMetadata = true
            return
        }
        var (key, value) = ("", "")
        var reader = FrameReader(bytes, entry)
        while let field = try reader.next() {
            switch field {
            case .bytes(1, let range): key = try Self.text(bytes, range)
            case .bytes(2, let range): value = try Self.text(bytes, range)
            default: guard !(1...2).contains(field.number) else { throw .undecodableFrame }
            }
        }
        metadata.append(key, value)
    }

    /// proto3 strings are UTF-8.
    private static func text(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) throws(GoAwayReason) -> String {
        guard let text = bytes.text(range) else { throw .undecodableFrame }
        return text
    }
}
