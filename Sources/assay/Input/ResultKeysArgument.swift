import ArgumentParser
import AssayResults

/// Where the keys are by which results are checked: a file with a JWK Set, or the address of one.
struct ResultKeysArgument: ExpressibleByArgument {
    private let text: String

    init?(argument: String) { text = argument }

    private static let wellKnown = "/.well-known/jwks.json"

    private var isAddress: Bool { text.hasPrefix("https://") || text.hasPrefix("http://") }

    /// The issuer that publishes the set at its address; `nil`: the text does not say it.
    var issuer: String? { isAddress && text.hasSuffix(Self.wellKnown) ? String(text.dropLast(Self.wellKnown.count)) : nil }

    /// The JWK Set. Exit status 65 if the file cannot be read, 69 if the address does not answer.
    ///
    /// - Parameters:
    ///   - roots: PEM, trusted beside those of the machine.
    ///   - limit: the time for an answer.
    func read(roots: [UInt8], within limit: Duration) async throws -> [UInt8] {
        guard isAddress else {
            guard let file = FileArgument(argument: text) else { return [] }
            return try file.read(atMost: JSONWebKeySet.sizeLimit)
        }
        return try await PublishedFile(address: text, sizeLimit: JSONWebKeySet.sizeLimit)
            .read(code: "keys_unavailable", roots: roots, within: limit)
    }
}
