import AssayCore

/// The output form of ids and digests: the usual encoding of each, and the other one beside it, so that the value can be found
/// in another tool's output.
enum BytesText {
    /// For people: `HEX (base64url TEXT)`.
    static func hexFirst(_ bytes: some Collection<UInt8>) -> String {
        "\(Hex.encode(bytes))" + Console.styled("  (base64url \(Base64.url.encode(bytes)))", .faint)
    }

    /// For people: `BASE64 (hex DIGITS)`, for key ids, which platforms' APIs return as Base64.
    static func base64First(_ bytes: some Collection<UInt8>) -> String {
        "\(Base64.standard.encode(bytes))" + Console.styled("  (hex \(Hex.encode(bytes)))", .faint)
    }
}

extension [String: Any] {
    /// Adds `name` in hexadecimal and `name_base64url`.
    mutating func add(hex name: String, _ bytes: some Collection<UInt8>) {
        self[name] = Hex.encode(bytes)
        self[name + "_base64url"] = Base64.url.encode(bytes)
    }

    /// Adds `name` in base64url and `name_hex`.
    mutating func add(base64url name: String, _ bytes: some Collection<UInt8>) {
        self[name] = Base64.url.encode(bytes)
        self[name + "_hex"] = Hex.encode(bytes)
    }

    /// Adds a device's id as `dev_` and digits, and its 16 bytes as `name_base64url`. Bytes that are not an id are shown too.
    mutating func add(device name: String, _ bytes: some Collection<UInt8>) {
        self[name] = DeviceID(bytes: Array(bytes))?.description ?? Hex.encode(bytes)
        self[name + "_base64url"] = Base64.url.encode(bytes)
    }
}

extension Claims {
    /// Claims by name, in JSON's types; bytes as base64url, times as RFC 3339.
    var json: [String: Any] {
        Dictionary(all.map { ($0.name, $0.value.json) }, uniquingKeysWith: { first, _ in first })
    }
}

extension Claims.Value {
    var text: String {
        switch self {
        case .text(let value): value
        case .integer(let value): String(value)
        case .boolean(let value): value ? "true" : "false"
        case .bytes(let value): Base64.url.encode(value)
        case .texts(let values): values.isEmpty ? "none" : values.joined(separator: ", ")
        case .time(let value): value.description
        }
    }

    var json: Any {
        switch self {
        case .integer(let value): value
        case .boolean(let value): value
        case .texts(let values): values
        case .text, .bytes, .time: text
        }
    }
}
