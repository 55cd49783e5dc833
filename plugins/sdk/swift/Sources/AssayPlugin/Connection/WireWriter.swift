/// Writes frames.
struct WireWriter {
    private(set) var bytes: [UInt8] = []

    private mutating func varint(_ value: UInt64) {
        var value = value
        while value >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: value) | 0x80)
            value >>= 7
        }
        bytes.append(UInt8(value))
    }

    private mutating func number(_ field: UInt64, _ value: UInt64) {
        guard value != 0 else { return }
        varint(field << 3)
        varint(value)
    }

    private mutating func data(_ field: UInt64, _ data: some Collection<UInt8>) {
        guard !data.isEmpty else { return }
        varint(field << 3 | 2)
        varint(UInt64(data.count))
        bytes += data
    }

    /// A frame without its length: the id, and a kind of these bytes, which may be none.
    private static func frame(_ callID: UInt64, _ kind: UInt64, _ content: WireWriter) -> [UInt8] {
        var frame = WireWriter()
        frame.bytes.reserveCapacity(content.bytes.count + 24)
        frame.number(1, callID)
        frame.varint(kind << 3 | 2)
        frame.varint(UInt64(content.bytes.count))
        frame.bytes += content.bytes
        return frame.bytes
    }

    static func reply(_ callID: UInt64, _ message: [UInt8]) -> [UInt8] {
        var reply = WireWriter()
        reply.data(2, message)
        return frame(callID, 3, reply)
    }

    static func reply(_ callID: UInt64, _ status: Status) -> [UInt8] {
        var content = WireWriter()
        content.number(1, status.code)
        content.data(2, status.message.utf8)
        content.data(3, status.reason.utf8)
        content.number(4, UInt64(status.retryAfterMilliseconds))
        var reply = WireWriter()
        reply.data(1, content.bytes)
        return frame(callID, 3, reply)
    }

    static func call(_ callID: UInt64, _ method: String, _ message: [UInt8], timeoutMilliseconds: UInt32) -> [UInt8] {
        var call = WireWriter()
        call.data(1, method.utf8)
        call.data(2, message)
        call.number(3, UInt64(timeoutMilliseconds))
        return frame(callID, 2, call)
    }

    static func pong() -> [UInt8] { frame(0, 8, WireWriter()) }
}
