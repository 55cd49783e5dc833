import AssayProtobuf

/// The kinds of frames, by their field number in `assay.rpc.v1.Frame`.
package enum FrameKind: Int, CaseIterable, Sendable {
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
/// It reads what the generated message reads, and is stricter in two points: a frame has at most one kind, given once, and a varint has at most 64
/// bits.
package struct FrameHead {
    package private(set) var callID: UInt64 = 0
    /// Nil for an unknown kind.
    package private(set) var kind: FrameKind?
    /// The range of the kind's message in the frame.
    package private(set) var body = 0..<0

    package init(parsing bytes: UnsafeRawBufferPointer) throws(GoAwayReason) {
        var reader = FrameReader(bytes)
        while let field = try reader.next() {
            switch field {
            case .varint(1, let value): callID = value
            case .bytes(let number, let range):
                guard let found = FrameKind(rawValue: number) else { continue }
                guard kind == nil else { throw .undecodableFrame }
                (kind, body) = (found, range)
            default: continue
            }
        }
    }
}

/// Reads the fields of frames. What is not a message ends the connection.
typealias FrameReader = ProtobufReader<FrameRules>

enum FrameRules: ProtobufRules {
    static var malformed: GoAwayReason { .undecodableFrame }
    static var dropsHighBits: Bool { false }
}
