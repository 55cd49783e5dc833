import AssayProtobuf
import AssayRPC

@testable import AssayHTTP

/// A `CheckRequest` as Envoy writes it.
struct EnvoyRequest {
    var headers: [(name: String, value: String)] = []
    /// Written as `header_map`, with `raw_value`.
    var isRaw = false
    var extensions: [(String, String)] = []
    var rawBody: [UInt8] = []
    var textBody = ""
    var address: String? = "192.0.2.7"

    var serialized: [UInt8] {
        var writer = ProtobufWriter(capacity: 64)
        writer.writeMessage(1) { attributes in
            attributes.writeMessage(1) { source in
                if let address {
                    source.writeMessage(1) {
                        $0.writeMessage(1) { socket in
                            socket.write(2, address)
                            socket.write(3, Int64(40000))
                        }
                    }
                } else {
                    source.writeMessage(1) { $0.writeMessage(2) { $0.write(1, "/run/client.sock") } }
                }
                source.write(2, "a service")
            }
            attributes.writeMessage(4) { request in
                request.writeMessage(1) { $0.write(1, Int64(1_790_000_000)) }
                request.writeMessage(2) { http in
                    http.write(1, "17")
                    http.write(2, "POST")
                    if isRaw {
                        http.writeMessage(13) { map in
                            for (name, value) in headers {
                                map.writeMessage(1) { header in
                                    header.write(1, name)
                                    header.write(3, Array(value.utf8))
                                }
                            }
                        }
                    } else {
                        for (name, value) in headers {
                            http.writeMessage(3) { entry in
                                entry.write(1, name)
                                entry.write(2, value)
                            }
                        }
                    }
                    http.write(4, "/upload?album=1")
                    http.write(9, Int64(-1))
                    http.write(11, textBody)
                    http.write(12, rawBody)
                }
            }
            for (key, value) in extensions {
                attributes.writeMessage(10) { entry in
                    entry.write(1, key)
                    entry.write(2, value)
                }
            }
        }
        return writer.finish()
    }
}

/// A `CheckResponse` as Envoy reads it.
struct EnvoyResponse {
    var code: Int?
    var isAllowed = false
    var isDenied = false
    var status: Int?
    var fields: [String: String] = [:]
    var removed: [String] = []
    var body = ""
    /// Whether each header is to overwrite one of that name.
    var overwritesAll = true

    init(_ message: [UInt8]) throws {
        try message.withUnsafeBytes { bytes in
            try Self.each(bytes, 0..<bytes.count) { field in
                switch field {
                case .bytes(1, let range):
                    code = 0
                    try Self.each(bytes, range) { if case .varint(1, let value) = $0 { code = Int(value) } }
                case .bytes(2, let range):
                    isDenied = true
                    try readAnswer(bytes, range)
                case .bytes(3, let range):
                    isAllowed = true
                    try readAnswer(bytes, range)
                default: break
                }
            }
        }
    }

    private mutating func readAnswer(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) throws {
        try Self.each(bytes, range) { field in
            switch field {
            case .bytes(1, let status):
                try Self.each(bytes, status) { if case .varint(1, let value) = $0 { self.status = Int(value) } }
            case .bytes(2, let option): try readOption(bytes, option)
            case .bytes(3, let text): body = bytes.text(text) ?? ""
            case .bytes(5, let text): removed.append(bytes.text(text) ?? "")
            default: break
            }
        }
    }

    private mutating func readOption(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) throws {
        var (name, value, action) = ("", "", UInt64(0))
        try Self.each(bytes, range) { field in
            switch field {
            case .bytes(1, let header):
                try Self.each(bytes, header) { part in
                    if case .bytes(1, let text) = part { name = bytes.text(text) ?? "" }
                    if case .bytes(2, let text) = part { value = bytes.text(text) ?? "" }
                }
            case .varint(3, let value): action = value
            default: break
            }
        }
        fields[name] = value
        overwritesAll = overwritesAll && action == 2
    }

    private static func each(
        _ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, _ body: (ProtobufReader<AuthorizationRules>.Field) throws -> Void
    ) throws {
        var reader = ProtobufReader<AuthorizationRules>(bytes, range)
        while let field = try reader.next() { try body(field) }
    }
}
