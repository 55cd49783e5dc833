import AssayCore

/// The certificates that sign the package, as a token names them.
struct PlaySigners {
    /// SHA-256 of the certificates, 32 bytes each. Values in another spelling are not digests and match nothing.
    let digests: [[UInt8]]
    private let stated: [String]?

    init(_ stated: [String]?) {
        self.stated = stated
        digests = stated.map { $0.compactMap { Base64.url.decode($0) }.filter { $0.count == 32 } } ?? []
    }

    /// Who signs the package; of values that are not digests, how the first is spelt.
    ///
    /// - Parameter others: the digests that the sentence compares with.
    func sentence(beside others: some Sequence<[UInt8]>) -> String {
        guard let stated else { return "the token does not say who signs the package" }
        guard !stated.isEmpty else { return "the token's list of the package's signers is empty" }
        guard let odd = stated.first(where: { Base64.url.decode($0)?.count != 32 }) else {
            return "the package is signed by \(digests.shownShort(beside: others))"
        }
        let fault = "is not base64url of 32 bytes without padding (\(Self.fault(of: odd)))"
        guard !digests.isEmpty else { return "the digest of the package's signer \(fault)" }
        return "the package is signed by \(digests.shownShort(beside: others)), and another digest \(fault)"
    }

    private static func fault(of text: String) -> String {
        if Hex.decode(text)?.count == 32 { return "it is hexadecimal" }
        if let bytes = Base64.url.decode(text), !bytes.isEmpty { return "it has \(bytes.count) bytes" }
        return Base64.misspelling(ofURL: text) ?? "it has another form"
    }
}

extension PlayPayload.App {
    var signers: PlaySigners { PlaySigners(certificateDigests) }
}
