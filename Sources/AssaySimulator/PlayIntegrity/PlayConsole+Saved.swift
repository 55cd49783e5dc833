extension PlayConsole {
    private static let title = "assay play console 1"

    /// The keys as text, for saving them to a file.
    public var saved: String {
        var saved = SavedText(Self.title)
        saved.add("decryption-key", decryptionKey)
        saved.add("signing-key", signingKey.scalar)
        return saved.text
    }

    /// The keys whose `saved` is the text.
    public init(saved text: String) throws(SimulatorError) {
        let saved = try SavedText(Self.title, reading: text)
        let decryptionKey = try saved.bytes("decryption-key")
        guard decryptionKey.count == 32 else {
            throw .unreadable("the decryption key has \(decryptionKey.count) bytes, not 32")
        }
        self.init(
            decryptionKey: decryptionKey, signingKey: try TestSigningKey(.p256, scalar: try saved.bytes("signing-key")))
    }
}
