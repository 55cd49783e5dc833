import AssayCore

/// The textual form of RFC 7468, 64 characters a line.
enum PEM {
    static func encode(_ label: String, _ bytes: [UInt8]) -> String {
        let text = Array(Base64.standard.encode(bytes).utf8)
        let lines = stride(from: 0, to: text.count, by: 64).map {
            String(decoding: text[$0..<min($0 + 64, text.count)], as: UTF8.self)
        }
        return (["-----BEGIN \(label)-----"] + lines + ["-----END \(label)-----"]).joined(separator: "\n") + "\n"
    }
}
