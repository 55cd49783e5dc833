import Crypto

/// The form of a platform's key id: a SHA-256, 32 bytes.
package enum KeyIDForm {
    package static let length = SHA256.byteCount

    /// Why bytes are no key id, with what they may be instead; `nil` for 32 bytes. The usual mistake is to pass the Base64 text that
    /// `generateKey` returns in place of the bytes that it stands for.
    package static func fault(of keyID: [UInt8]) -> String? {
        guard keyID.count != length else { return nil }
        let sentence = "a key id of \(keyID.count) bytes, want \(length)"
        return spelling(of: keyID).map { "\(sentence): \($0) text of a key id?" } ?? sentence
    }

    private static func spelling(of keyID: [UInt8]) -> String? {
        guard let text = String(validating: keyID, as: UTF8.self) else { return nil }
        if decoded(text, by: .standard) { return "the Base64" }
        if decoded(text, by: .url) { return "the base64url" }
        if Hex.decode(text)?.count == length { return "the hexadecimal" }
        return TransportSlip.decode(text, count: length) == nil ? nil : "the encoded"
    }

    private static func decoded(_ text: String, by alphabet: Base64) -> Bool { alphabet.decode(text)?.count == length }
}
