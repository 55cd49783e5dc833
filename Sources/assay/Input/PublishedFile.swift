import AssayClient
import AssayCore
import AssayVendors

/// A file that an issuer of results publishes: https://host/path, or http:// on this machine.
struct PublishedFile {
    let address: String
    let sizeLimit: Int
    /// The media type that is asked for; `nil`: any.
    var type: String?

    /// The file. Exit status 65 if the address is none, 69 if it does not answer.
    ///
    /// - Parameters:
    ///   - code: of the failure.
    ///   - roots: PEM, trusted beside those of the machine.
    ///   - limit: the time for an answer.
    func read(code: String, roots: [UInt8], within limit: Duration) async throws -> [UInt8] {
        let path = address.drop { $0 != "/" }.dropFirst(2).drop { $0 != "/" }
        guard let host = VendorAddress(String(address.dropLast(path.count)), allowsPlainLoopback: true) else {
            throw Console.unreadable("\(address) is no address: https://host/path, or http:// on this machine")
        }
        let settings = VendorSettings(
            totalMilliseconds: Int64(limit / .milliseconds(1)), answerLimit: sizeLimit, extraRoots: roots)
        guard let client = try? VendorClient(settings) else {
            throw Console.unreadable("the file of --tls-ca has no certificates in PEM")
        }
        do throws(VendorError) {
            let headers = type.map { [(name: "accept", value: $0)] } ?? []
            let answer = try await client.call(VendorRequest(.get, String(path), headers: headers), at: host)
            guard answer.status == 200 else { throw .refused(host: host.host, status: answer.status) }
            return answer.body
        } catch {
            throw Console.failure(code, "\(address): \(error)", status: AssayError.unavailableStatus)
        }
    }
}
