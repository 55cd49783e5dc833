/// What the frames of a client of HTTP/2 have left behind that goes on for the whole connection: its settings (RFC 9113 §6.5), and the table of its
/// compressor (RFC 7541 §2.3.2).
///
/// The table is kept as the header blocks that have changed it: decoded again in their order, they make the same table. A block that adds nothing to
/// it, as most blocks of a client do that repeats its calls, is not kept.
package struct FrameHistory {
    /// Bytes of blocks that are kept. The first head of a client of gRPC has 150 to 300, with a token 1,000.
    package static let mostBlockBytes = 2048
    /// Bytes of settings that are kept: six values have 36.
    package static let mostSettingsBytes = 240

    /// The payloads of the client's SETTINGS frames, one behind the other.
    package private(set) var settings: [UInt8] = []
    /// The client has acknowledged the server's settings.
    package private(set) var hasAcknowledged = false
    /// The blocks that have changed the table, each with its length before it in two bytes.
    private var kept: [UInt8] = []
    package private(set) var blockCount = 0
    /// The highest stream that the client has begun.
    package private(set) var lastStream: UInt32 = 0
    /// More came than is kept, or what came cannot be repeated.
    package private(set) var isLost = false

    private static let (headers, settingsType, continuation) = (UInt8(1), UInt8(4), UInt8(9))
    private static let (endHeaders, padded, priority, acknowledged) = (UInt8(4), UInt8(8), UInt8(0x20), UInt8(1))

    package init() {}

    /// Whether a later handler can be told what the client's frames have left: all of it is kept.
    package var isWhole: Bool { !isLost && hasAcknowledged && lastStream > 0 && blockCount <= Int(lastStream / 2) + 1 }

    package mutating func lose() {
        (settings, kept, blockCount, isLost) = ([], [], 0, true)
    }

    /// Whether the payload of a frame of this kind is to be taken. A frame that is too long to be kept ends the history.
    package mutating func wants(_ type: UInt8, flags: UInt8, length: Int) -> Bool {
        guard !isLost else { return false }
        switch type {
        case Self.headers where length <= Self.mostBlockBytes: return true
        case Self.settingsType where length <= Self.mostSettingsBytes: return true
        case Self.headers, Self.settingsType, Self.continuation:
            lose()
            return false
        default: return false
        }
    }

    /// Takes a whole payload that is wanted.
    package mutating func take(_ type: UInt8, flags: UInt8, stream: UInt32, _ payload: UnsafeRawBufferPointer) {
        guard type == Self.headers else { return take(settings: payload, flags: flags) }
        let isNew = stream & 0x7fff_ffff > lastStream
        if isNew { lastStream = stream & 0x7fff_ffff }
        guard flags & Self.endHeaders != 0, let block = Self.block(in: payload, flags: flags),
            let changes = HeaderBlockScan.changesTable(block)
        else { return lose() }
        guard changes else { return }
        // Trailers cannot be repeated as the head of a request.
        guard isNew, kept.count + 2 + block.count <= Self.mostBlockBytes else { return lose() }
        kept.append(UInt8(truncatingIfNeeded: block.count >> 8))
        kept.append(UInt8(truncatingIfNeeded: block.count))
        kept.append(contentsOf: block)
        blockCount += 1
    }

    private mutating func take(settings payload: UnsafeRawBufferPointer, flags: UInt8) {
        guard flags & Self.acknowledged == 0 else { return hasAcknowledged = true }
        guard settings.count + payload.count <= Self.mostSettingsBytes else { return lose() }
        settings.append(contentsOf: payload)
    }

    /// A HEADERS frame's part of a block (RFC 9113 §6.2), without padding and priority.
    private static func block(in payload: UnsafeRawBufferPointer, flags: UInt8) -> UnsafeRawBufferPointer? {
        var (start, end) = (0, payload.count)
        if flags & padded != 0 {
            guard let padding = payload.first else { return nil }
            (start, end) = (1, end - Int(padding))
        }
        if flags & priority != 0 { start += 5 }
        guard start <= end else { return nil }
        return UnsafeRawBufferPointer(rebasing: payload[start..<end])
    }

    /// The blocks in the order in which they came.
    package var blocks: [ArraySlice<UInt8>] {
        var (blocks, next): ([ArraySlice<UInt8>], Int) = ([], 0)
        while next + 2 <= kept.count {
            let end = next + 2 + (Int(kept[next]) << 8 | Int(kept[next + 1]))
            guard end <= kept.count else { return blocks }
            blocks.append(kept[next + 2..<end])
            next = end
        }
        return blocks
    }
}
