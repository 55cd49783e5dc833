import Foundation

/// Messages in envelopes, written and read without the server's own modules.
enum Enveloped {
    static func bytes(_ message: [UInt8], flags: UInt8 = 0) -> [UInt8] { prefix(message.count, flags: flags) + message }

    /// The first bytes of an envelope.
    static func prefix(_ count: Int, flags: UInt8 = 0) -> [UInt8] {
        [flags] + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) }
    }

    /// `nil` if the bytes are not whole envelopes.
    static func all(in bytes: [UInt8]) -> [(flags: UInt8, message: [UInt8])]? {
        var (found, rest): ([(flags: UInt8, message: [UInt8])], ArraySlice<UInt8>) = ([], bytes[...])
        while let flags = rest.first {
            let length = rest.dropFirst().prefix(4).reduce(0) { $0 << 8 | Int($1) }
            guard rest.count >= 5 + length else { return nil }
            found.append((flags, Array(rest.dropFirst(5).prefix(length))))
            rest = rest.dropFirst(5 + length)
        }
        return found
    }

    static func base64(_ bytes: [UInt8]) -> [UInt8] { Array(Data(bytes).base64EncodedString().utf8) }

    /// The bytes of a text of padded pieces; `nil` if it is none.
    static func decoded(base64 text: [UInt8]) -> [UInt8]? {
        var bytes: [UInt8] = []
        for start in stride(from: 0, to: text.count, by: 4) {
            let group = String(decoding: text[start..<min(start + 4, text.count)], as: UTF8.self)
            guard let piece = Data(base64Encoded: group) else { return nil }
            bytes += piece
        }
        return bytes
    }
}
