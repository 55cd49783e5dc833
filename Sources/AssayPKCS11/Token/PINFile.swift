import AssayFiles

/// The file with a token's PIN: a file with a secret (`ProtectedFile`).
enum PINFile {
    /// In bytes; PINs are far shorter.
    static let limit = 256

    /// The PIN, 1 to 256 bytes, without one newline at the end.
    static func read(_ path: String) throws(TokenError) -> [UInt8] {
        var bytes: [UInt8]
        do throws(ProtectedFileError) { bytes = try ProtectedFile.read(path, atMost: limit + 2) } catch {
            throw unusable(path, error.description)
        }
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        guard !bytes.isEmpty else { throw unusable(path, "is empty") }
        guard bytes.count <= limit else { throw unusable(path, "is longer than \(limit) bytes") }
        return bytes
    }

    private static func unusable(_ path: String, _ why: String) -> TokenError {
        TokenError(.pinUnusable, "the PIN file \(path) \(why)")
    }
}
