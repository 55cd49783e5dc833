/// The name of a method over plain HTTP: a path of lower-case words, as HTTP interfaces have them. gRPC and Connect call a method by its
/// gRPC path itself.
package struct HTTPName: Hashable, Sendable, CustomStringConvertible {
    /// Every method takes a message, so that every method is posted to.
    package static let verb = "POST"

    /// Such as `/v1/attestation/issue-challenge`.
    package let path: String

    /// The name that a gRPC path gives: the last part of the package, the service and the method, `/assay.v1.Attestation/IssueChallenge` for the
    /// path above. A path of another form is its own name; no declared method has one.
    init(grpcPath: String) {
        let parts = grpcPath.split(separator: "/", omittingEmptySubsequences: false)
        let names = parts.count == 3 ? parts[1].split(separator: ".").suffix(2) + [parts[2]] : []
        guard names.count == 3 else {
            path = grpcPath
            return
        }
        path = names.map { "/" + Self.words($0) }.joined()
    }

    package var description: String { "\(Self.verb) \(path)" }

    /// `WhoAmI` as `who-am-i`: each capital letter begins a word.
    private static func words(_ name: Substring) -> String {
        var words = ""
        for letter in name.unicodeScalars {
            let isCapital = ("A"..."Z").contains(letter)
            if isCapital, !words.isEmpty { words += "-" }
            words += isCapital ? Character(letter).lowercased() : String(letter)
        }
        return words
    }
}
