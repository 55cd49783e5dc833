import Crypto

/// Entity tags of HTTP (RFC 9110 §8.8.3).
package enum EntityTag {
    /// The strong tag of a content, with its quotation marks: the first 16 bytes of its SHA-256 in hexadecimal, 34 characters. Equal bytes have equal tags
    /// on every daemon.
    package static func of(_ content: [UInt8]) -> String {
        "\"\(Hex.encode(Array(SHA256.bytes(of: content).prefix(16))))\""
    }
}
