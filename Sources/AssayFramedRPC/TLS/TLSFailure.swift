/// Explains a TLS error in a few words.
enum TLSFailure {
    private static let limit = 200

    /// BoringSSL's words if the error has some, such as `certificate_verify_failed`.
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
