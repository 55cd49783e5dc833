/// Calls as frames of HTTP/2 (RFC 9113): one HEADERS and one DATA frame each.
///
/// As usual clients do, the first call names its header fields as text and puts them into the connection's table, and later ones refer
/// to them (HPACK, RFC 7541). So all calls of an encoder are of one method, on one connection, in this order.
struct HTTP2Encoder: BurstEncoder {
    let authority: String
    let isJSON: Bool
    private var stream: UInt32 = 1
    private var path: String?

    init(authority: String, isJSON: Bool) { (self.authority, self.isJSON) = (authority, isJSON) }

    mutating func burst(_ requests: [PlainFrame.Request]) throws -> [UInt8] {
        var bytes: [UInt8] = []
        for request in requests {
            let body = isJSON ? try request.json() : Self.envelope(request.message)
            bytes +=
                HTTP2Frame(type: .headers, flags: HTTP2Frame.endHeaders, stream: stream, head(request, length: body.count))
                .bytes
            bytes += HTTP2Frame(type: .data, flags: HTTP2Frame.endStream, stream: stream, body).bytes
            stream += 2
        }
        return bytes
    }

    private static func envelope(_ message: [UInt8]) -> [UInt8] {
        [0] + withUnsafeBytes(of: UInt32(message.count).bigEndian) { Array($0) } + message
    }

    /// The fields that all calls share, in the order in which they come into the table.
    private func shared(_ path: String) -> [(name: HPACKName, value: String)] {
        let common: [(HPACKName, String)] = [(.indexed(4), path), (.indexed(1), authority), (.indexed(58), "daemon-benchmark")]
        if isJSON {
            return common + [(.indexed(31), "application/json"), (.text("connect-timeout-ms"), "60000")]
        }
        return common + [
            (.indexed(31), "application/grpc"), (.text("te"), "trailers"), (.text("grpc-timeout"), "60S"),
        ]
    }

    private mutating func head(_ request: PlainFrame.Request, length: Int) -> [UInt8] {
        precondition(path == nil || path == request.method, "an encoder makes calls of one method")
        let fields = shared(request.method)
        // :method POST and :scheme http, of the static table.
        var head: [UInt8] = [0x83, 0x86]
        if path == nil {
            for field in fields { head += field.name.newEntry + HPACKName.string(field.value) }
        } else {
            // The latest entry is 62. All are below 127, and one byte each.
            head += fields.indices.map { 0x80 | UInt8(62 + fields.count - 1 - $0) }
        }
        path = request.method
        // content-length, 28 of the static table, is in no entry, since it changes.
        if isJSON { head += [0x0F, 0x0D] + HPACKName.string(String(length)) }
        return head
    }
}

/// The name of a header field: a number of the static table (RFC 7541, appendix A), or text.
enum HPACKName {
    case indexed(UInt8)
    case text(String)

    /// The beginning of a literal with incremental indexing (§6.2.1).
    var newEntry: [UInt8] {
        switch self {
        case .indexed(let number): [0x40 | number]
        case .text(let name): [0x40] + Self.string(name)
        }
    }

    /// Text of at most 126 bytes (§5.2), as it is.
    static func string(_ text: String) -> [UInt8] {
        precondition(text.utf8.count < 127, "a field of the load is short")
        return [UInt8(text.utf8.count)] + Array(text.utf8)
    }
}

/// A frame of HTTP/2.
struct HTTP2Frame {
    enum Kind: UInt8 {
        case data = 0
        case headers = 1
        case resetStream = 3
        case settings = 4
        case ping = 6
        case goAway = 7
        case windowUpdate = 8
    }

    static let endStream: UInt8 = 0x01
    static let acknowledgement: UInt8 = 0x01
    static let endHeaders: UInt8 = 0x04
    static let headBytes = 9

    let type: Kind
    let flags: UInt8
    let stream: UInt32
    let payload: [UInt8]

    init(type: Kind, flags: UInt8 = 0, stream: UInt32 = 0, _ payload: [UInt8] = []) {
        (self.type, self.flags, self.stream, self.payload) = (type, flags, stream, payload)
    }

    var bytes: [UInt8] {
        let length = payload.count
        return [UInt8(length >> 16 & 0xFF), UInt8(length >> 8 & 0xFF), UInt8(length & 0xFF), type.rawValue, flags]
            + Self.number(stream) + payload
    }

    static func number(_ value: UInt32) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }
}
