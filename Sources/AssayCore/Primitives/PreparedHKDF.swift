package import Crypto

/// HKDF-SHA-256 (RFC 5869) without salt, with its material extracted and the key of its HMAC absorbed, so that a key of 32 bytes costs
/// two short hashes. A test compares it with the library's HKDF.
package struct PreparedHKDF: Sendable {
    /// HMAC by the extracted pseudorandom key.
    private let mac: PreparedMAC

    package init(material: [UInt8]) {
        mac = PreparedMAC(key: Self.extractor.bytes(over: material), prefix: [])
    }

    /// The key of 32 bytes for `info`: T(1) of §2.3.
    package func key(_ info: [UInt8]) -> SHA256.Digest { mac.tag(over: info, 1) }

    /// §2.2: without salt, the key of the extracting HMAC is zeros, to which every shorter key is padded.
    private static let extractor = PreparedMAC(key: [], prefix: [])
}
