import AssayRPC
import NIOCore
import SwiftProtobuf

/// Writes frames with their length. A payload is copied once, from the serialised message to the buffer.
extension ByteBuffer {
    mutating func writeCall(_ id: UInt64, _ method: String, _ message: [UInt8], _ timeout: UInt32, _ metadata: RPCMetadata) {
        let entries = metadata.entries.map { ($0, fieldSize($0.key.utf8.count) + fieldSize($0.value.utf8.count)) }
        let timeoutSize = timeout == 0 ? 0 : 1 + varintSize(UInt64(timeout))
        let entriesSize = entries.reduce(0) { $0 + 1 + varintSize(UInt64($1.1)) + $1.1 }
        let size = fieldSize(method.utf8.count) + fieldSize(message.count) + timeoutSize + entriesSize
        writeHead(.call, id, bodySize: size)
        writeField(1, method)
        writeField(2, message)
        if timeout != 0 {
            writeVarint(3 << 3 | WireReader.Tag.varint)
            writeVarint(UInt64(timeout))
        }
        for (entry, size) in entries {
            writeVarint(4 << 3 | WireReader.Tag.lengthDelimited)
            writeVarint(UInt64(size))
            writeField(1, entry.key)
            writeField(2, entry.value)
        }
    }

    mutating func writeReply(_ id: UInt64, _ message: [UInt8]) {
        writeHead(.reply, id, bodySize: fieldSize(message.count))
        writeField(2, message)
    }

    mutating func writeReply(_ id: UInt64, _ error: RPCError) { writeStatus(.reply, id, error) }

    mutating func writeItem(_ id: UInt64, _ message: [UInt8]) {
        writeHead(.item, id, bodySize: fieldSize(message.count))
        writeField(1, message)
    }

    mutating func writeEnd(_ id: UInt64, _ error: RPCError?) {
        guard let error else { return writeHead(.end, id, bodySize: 0) }
        writeStatus(.end, id, error)
    }

    mutating func writeCancel(_ id: UInt64) { writeHead(.cancel, id, bodySize: 0) }
    mutating func writePing() { writeHead(.ping, 0, bodySize: 0) }
    mutating func writePong() { writeHead(.pong, 0, bodySize: 0) }

    mutating func writeGoAway(_ reason: String) {
        writeHead(.goAway, 0, bodySize: fieldSize(reason.utf8.count))
        writeField(1, reason)
    }

    /// The most bytes that a frame has beside its message and method: the envelope, ids, lengths and tags.
    static let frameOverhead = 64

    private mutating func writeStatus(_ kind: FrameKind, _ id: UInt64, _ error: RPCError) {
        // Serialising four scalars cannot fail. An empty status would mean OK, so it is not the fallback.
        let status: [UInt8] =
            (try? Assay_Rpc_V1_Status(error).serializedBytes()) ?? [0x08, UInt8(RPCStatusCode.unknown.rawValue)]
        writeHead(kind, id, bodySize: fieldSize(status.count))
        writeField(1, status)
    }

    private mutating func writeHead(_ kind: FrameKind, _ id: UInt64, bodySize: Int) {
        let idSize = id == 0 ? 0 : 1 + varintSize(id)
        writeInteger(UInt32(clamping: idSize + 1 + varintSize(UInt64(bodySize)) + bodySize))
        if id != 0 {
            writeVarint(1 << 3 | WireReader.Tag.varint)
            writeVarint(id)
        }
        writeVarint(kind.rawValue << 3 | WireReader.Tag.lengthDelimited)
        writeVarint(UInt64(bodySize))
    }

    private mutating func writeField(_ number: UInt64, _ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        writeVarint(number << 3 | WireReader.Tag.lengthDelimited)
        writeVarint(UInt64(bytes.count))
        writeBytes(bytes)
    }

    private mutating func writeField(_ number: UInt64, _ text: String) {
        guard !text.isEmpty else { return }
        writeVarint(number << 3 | WireReader.Tag.lengthDelimited)
        writeVarint(UInt64(text.utf8.count))
        writeString(text)
    }

    private mutating func writeVarint(_ value: UInt64) {
        var rest = value
        while rest > 0x7f {
            writeInteger(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        writeInteger(UInt8(truncatingIfNeeded: rest))
    }
}

private func varintSize(_ value: UInt64) -> Int { max(1, (64 - value.leadingZeroBitCount + 6) / 7) }

/// The size of a length-delimited field with a number below 16; an empty one is not written.
private func fieldSize(_ count: Int) -> Int { count == 0 ? 0 : 1 + varintSize(UInt64(count)) + count }
