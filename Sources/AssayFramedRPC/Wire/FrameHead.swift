/// The kinds of frames, by their field number in `assay.rpc.v1.Frame`.
package enum FrameKind: UInt64, CaseIterable, Sendable {
    case call = 2
    case reply = 3
    case item = 4
    case end = 5
    case cancel = 6
    case ping = 7
    case pong = 8
    case goAway = 9
}

/// The envelope of a frame, without the generated message, which would copy the payload twice and build a dictionary for each call.
///
/// It reads what the generated message reads, and is stricter in one point: a frame has at most one kind, given once.
package struct FrameHead {
    package private(set) var callID: UInt64 = 0
    /// Nil for an unknown kind.
    package private(set) var kind: FrameKind?
    /// The range of the kind's message in the frame.
    package private(set) var body = 0..<0

    package init(parsing bytes: UnsafeRawBufferPointer) throws(GoAwayReason) {
        var reader = WireReader(bytes)
        while let tag = try reader.tag() {
            if tag.field == 1, tag.type == WireReader.Tag.varint {
                callID = try reader.varint()
            } else if tag.type == WireReader.Tag.lengthDelimited, let found = FrameKind(rawValue: tag.field) {
                guard kind == nil else { throw .undecodableFrame }
                kind = found
                body = try reader.range()
            } else {
                try reader.skip(tag)
            }
        }
    }
}
