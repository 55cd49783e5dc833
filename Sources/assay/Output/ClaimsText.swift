import AssayCore

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
