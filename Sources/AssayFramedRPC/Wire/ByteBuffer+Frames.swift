import AssayProtobuf
import AssayRPC
import NIOCore
import SwiftProtobuf

/// Writes frames with their length. A payload is copied once, from the serialised message to the buffer. Each frame is measured before it is written,
/// so that the buffer grows at most once.
extension ByteBuffer {
    mutating func writeCall(_ id: UInt64, _ method: String, _ message: [UInt8], _ timeout: UInt32, _ metadata: RPCMetadata) {
        let entries = metadata.entries.map { ($0, fieldSize($0.key.utf8.count) + fieldSize($0.value.utf8.count)) }
        let timeoutSize = timeout == 0 ? 0 : 1 + Varint.length(UInt64(timeout))
        let entriesSize = entries.reduce(0) { $0 + ProtobufFieldWriter.size($1.1) }
        let size = fieldSize(method.utf8.count) + fieldSize(message.count) + timeoutSize + entriesSize
        writeFrame(.call, id, bodySize: size) { writer in
            writer.writeUnlessEmpty(1, method)
            writer.writeUnlessEmpty(2, message)
            if timeout != 0 { writer.write(3, UInt64(timeout)) }
            for (entry, size) in entries {
                writer.writeHead(4, length: size)
                writer.writeUnlessEmpty(1, entry.key)
                writer.writeUnlessEmpty(2, entry.value)
            }
        }
    }

    mutating func writeReply(_ id: UInt64, _ message: [UInt8]) {
        writeFrame(.reply, id, bodySize: fieldSize(message.count)) { $0.writeUnlessEmpty(2, message) }
    }

    mutating func writeReply(_ id: UInt64, _ error: RPCError) { writeStatus(.reply, id, error) }

    mutating func writeItem(_ id: UInt64, _ message: [UInt8]) {
        writeFrame(.item, id, bodySize: fieldSize(message.count)) { $0.writeUnlessEmpty(1, message) }
    }

    mutating func writeEnd(_ id: UInt64, _ error: RPCError?) {
        guard let error else { return writeFrame(.end, id) }
        writeStatus(.end, id, error)
    }

    mutating func writeCancel(_ id: UInt64) { writeFrame(.cancel, id) }
    mutating func writePing() { writeFrame(.ping, 0) }
    mutating func writePong() { writeFrame(.pong, 0) }

    mutating func writeGoAway(_ reason: String) {
        writeFrame(.goAway, 0, bodySize: fieldSize(reason.utf8.count)) { $0.writeUnlessEmpty(1, reason) }
    }

    /// The most bytes that a frame has beside its message and method: the envelope, ids, lengths and tags.
    static let frameOverhead = 64

    private mutating func writeStatus(_ kind: FrameKind, _ id: UInt64, _ error: RPCError) {
        // Serialising four scalars cannot fail. An empty status would mean OK, so it is not the fallback.
        let status: [UInt8] =
            (try? Assay_Rpc_V1_Status(error).serializedBytes()) ?? [0x08, UInt8(RPCStatusCode.unknown.rawValue)]
        writeFrame(kind, id, bodySize: fieldSize(status.count)) { $0.writeUnlessEmpty(1, status) }
    }

    /// - Parameters:
    ///   - bodySize: the bytes that `body` writes.
    ///   - body: writes the fields of the kind's message.
    private mutating func writeFrame(
        _ kind: FrameKind, _ id: UInt64, bodySize: Int = 0, _ body: (inout ProtobufFieldWriter) -> Void = { _ in }
    ) {
        let idSize = id == 0 ? 0 : 1 + Varint.length(id)
        let size = idSize + ProtobufFieldWriter.size(bodySize)
        reserveCapacity(minimumWritableBytes: FrameSplitter.lengthBytes + size)
        writeInteger(UInt32(clamping: size))
        writeWithUnsafeMutableBytes(minimumWritableBytes: size) { memory in
            var writer = ProtobufFieldWriter(memory)
            if id != 0 { writer.write(1, id) }
            writer.writeHead(kind.rawValue, length: bodySize)
            body(&writer)
            return writer.count
        }
    }
}

extension ProtobufFieldWriter {
    fileprivate mutating func writeUnlessEmpty(_ field: Int, _ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        bytes.withUnsafeBytes { write(field, $0) }
    }

    fileprivate mutating func writeUnlessEmpty(_ field: Int, _ text: String) {
        guard !text.isEmpty else { return }
        var text = text
        text.withUTF8 { write(field, UnsafeRawBufferPointer($0)) }
    }
}

/// The size of a length-delimited field; an empty one is not written.
private func fieldSize(_ count: Int) -> Int { count == 0 ? 0 : ProtobufFieldWriter.size(count) }
