import AssayCore

/// Names and sentences as they come from a plugin: bytes that are checked before they are shown or compared.
enum PluginText {
    /// The longest name, in bytes.
    static let nameLimit = 64
    /// The longest sentence, in bytes.
    static let sentenceLimit = 1024

    /// A name of 1 to 64 bytes of `a`-`z`, `0`-`9` and `_`; also `.` or `-` where `more` has them.
    static func name(
        _ bytes: some Collection<UInt8>, of what: String, more: String = ""
    ) throws(PluginFault) -> String {
        let isName = bytes.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
            default: "_\(more)".utf8.contains(byte)
            }
        }
        guard isName, (1...nameLimit).contains(bytes.count) else {
            throw PluginFault(
                "\(what) is \(shown(bytes)), want 1 to \(nameLimit) of a-z, 0-9, _\(more.map { ", \($0)" }.joined())")
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Text without control characters; what is longer than the limit is cut.
    static func sentence(_ text: String) -> String {
        var bytes = text.utf8.prefix(sentenceLimit).map { $0 < 0x20 || $0 == 0x7f ? UInt8(ascii: " ") : $0 }
        // A character that was cut is dropped whole.
        while let last = bytes.last, last >= 0x80, String(validating: bytes, as: UTF8.self) == nil { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Bytes of a plugin in a message: quoted if they are short ASCII, otherwise their number.
    static func shown(_ bytes: some Collection<UInt8>) -> String {
        guard bytes.count <= nameLimit, bytes.allSatisfy({ (0x20..<0x7f).contains($0) }) else { return "\(bytes.count) bytes" }
        return "'\(String(decoding: bytes, as: UTF8.self))'"
    }
}
