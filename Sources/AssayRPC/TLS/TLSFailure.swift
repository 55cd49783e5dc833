/// What went wrong in TLS, in as few words as help.
enum TLSFailure {
    private static let limit = 200

    /// BoringSSL's own words where there are any: `certificate_verify_failed`, `peer_did_not_return_a_certificate`.
    static func explain(_ error: any Error) -> String {
        let text = "\(error)"
        let words = text.components(after: "OPENSSL_internal:").map { $0.prefix { $0 != " " && $0 != "]" }.lowercased() }
        return words.isEmpty ? String(text.prefix(limit)) : words.joined(separator: ", ")
    }
}

extension String {
    /// What follows each occurrence of `marker`.
    fileprivate func components(after marker: String) -> [Substring] {
        var found: [Substring] = []
        var rest = self[...]
        while let range = rest.firstRange(of: marker) {
            rest = rest[range.upperBound...]
            found.append(rest)
        }
        return found
    }
}
