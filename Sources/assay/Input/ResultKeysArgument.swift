import ArgumentParser
import AssayClient
import AssayCore
import AssayResults
import AssayVendors
import Foundation

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
        let path = text.drop { $0 != "/" }.dropFirst(2).drop { $0 != "/" }
        guard let address = VendorAddress(String(text.dropLast(path.count)), allowsPlainLoopback: true) else {
            throw Console.unreadable("\(text) is no address of keys: https://host/path, or http:// on this machine")
        }
        let settings = VendorSettings(
            totalMilliseconds: Int64(limit / .milliseconds(1)), answerLimit: JSONWebKeySet.sizeLimit, extraRoots: roots)
        guard let client = try? VendorClient(settings) else {
            throw Console.unreadable("the file of --tls-ca has no certificates in PEM")
        }
        do throws(VendorError) {
            let answer = try await client.call(VendorRequest(.get, String(path)), at: address)
            guard answer.status == 200 else { throw .refused(host: address.host, status: answer.status) }
            return answer.body
        } catch {
            throw Console.failure("keys_unavailable", "\(text): \(error)", status: AssayError.unavailableStatus)
        }
    }
}
