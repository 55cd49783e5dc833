/// The textual form of RFC 7468, 64 characters a line.
enum PEM {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func encode(_ label: String, _ bytes: [UInt8]) -> String {
        let text = base64(bytes)
        let lines = stride(from: 0, to: text.count, by: 64).map {
            String(decoding: text[$0..<min($0 + 64, text.count)], as: UTF8.self)
        }
        return (["-----BEGIN \(label)-----"] + lines + ["-----END \(label)-----"]).joined(separator: "\n") + "\n"
    }

    private static func base64(_ bytes: [UInt8]) -> [UInt8] {
        stride(from: 0, to: bytes.count, by: 3).flatMap { start in
            let group = bytes[start..<min(start + 3, bytes.count)]
            let word = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            return (0..<4).map { index in
                index <= group.count ? alphabet[word >> (18 - 6 * index) & 63] : UInt8(ascii: "=")
            }
        }
    }
}
