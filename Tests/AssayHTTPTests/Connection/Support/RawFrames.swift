/// Bytes of HTTP/2 (RFC 9113), for clients that break its rules.
enum RawFrames {
    static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
    static let settings = frame(type: 4)
    static let settingsAcknowledged = frame(type: 4, flags: 1)
    /// The highest number of a stream.
    static let lastStream = 0x7fff_ffff

    static func frame(type: UInt8, flags: UInt8 = 0, stream: UInt32 = 0, _ payload: [UInt8] = []) -> [UInt8] {
        number(UInt32(payload.count)).dropFirst() + [type, flags] + number(stream) + payload
    }

    static func ping(_ number: UInt8 = 0) -> [UInt8] { frame(type: 6, [0, 0, 0, 0, 0, 0, 0, number]) }

    static func windowUpdate(of stream: UInt32 = 0, by size: UInt32) -> [UInt8] {
        frame(type: 8, stream: stream, number(size))
    }

    static func reset(_ stream: UInt32, code: UInt32 = 8) -> [UInt8] { frame(type: 3, stream: stream, number(code)) }

    static func data(_ stream: UInt32, _ bytes: [UInt8], isEnd: Bool = true) -> [UInt8] {
        frame(type: 0, flags: isEnd ? 1 : 0, stream: stream, bytes)
    }

    /// The head of a call of gRPC. Literal fields without indexing (RFC 7541 §6.2.2).
    static func call(_ stream: UInt32, _ path: String, _ fields: [(String, String)] = [], isEnd: Bool = false) -> [UInt8] {
        let all: [(String, String)] =
            [
                (":method", "POST"), (":scheme", "http"), (":authority", "localhost"), (":path", path),
                ("content-type", "application/grpc"),
            ] + fields
        let block = all.flatMap { name, value -> [UInt8] in [0] + text(name) + text(value) }
        return frame(type: 1, flags: isEnd ? 5 : 4, stream: stream, block)
    }

    /// A frame of HEADERS with END_HEADERS, as one without it and CONTINUATION frames that end it.
    static func inContinuations(_ headers: [UInt8], pieces: Int) -> [UInt8] {
        guard let whole = all(in: headers).first else { return [] }
        let size = (whole.payload.count + pieces - 1) / pieces
        return stride(from: 0, to: whole.payload.count, by: size).flatMap { start in
            let end = min(start + size, whole.payload.count)
            let (isFirst, isLast) = (start == 0, end == whole.payload.count)
            return frame(
                type: isFirst ? 1 : 9, flags: (isFirst ? whole.flags & ~4 : 0) | (isLast ? 4 : 0), stream: whole.stream,
                Array(whole.payload[start..<end]))
        }
    }

    /// A text of at most 126 bytes.
    private static func text(_ text: String) -> [UInt8] { [UInt8(text.utf8.count)] + text.utf8 }

    private static func number(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }

    struct Frame: Hashable {
        let type: UInt8
        let flags: UInt8
        let stream: UInt32
        let payload: [UInt8]

        /// The first number in the payload; of GOAWAY that of the last stream.
        var number: Int { payload.prefix(4).reduce(0) { $0 << 8 | Int($1) } }
    }

    /// The whole frames in some bytes.
    static func all(in bytes: [UInt8]) -> [Frame] {
        var (frames, rest): ([Frame], ArraySlice<UInt8>) = ([], bytes[...])
        while rest.count >= 9 {
            let head = Array(rest.prefix(9))
            let length = head[..<3].reduce(0) { $0 << 8 | Int($1) }
            guard rest.count >= 9 + length else { break }
            let stream = head[5...].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7fff_ffff
            frames.append(
                Frame(type: head[3], flags: head[4], stream: stream, payload: Array(rest.dropFirst(9).prefix(length))))
            rest = rest.dropFirst(9 + length)
        }
        return frames
    }
}
