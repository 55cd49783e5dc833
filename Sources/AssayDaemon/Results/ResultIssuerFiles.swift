import AssayCore
import AssayHTTP
import AssayRPC
import AssayResults
import AssayService

/// What an issuer of results publishes over HTTP, below its address: `/.well-known/jwks.json`, the public keys (RFC 7517), and
/// `/.well-known/assay-issuer`, what it signs and how. The issuer of results about simulated devices has the same below `/simulated`.
///
/// They are public, as those who check results are not callers: any peer gets them, and any web page may read them.
struct ResultIssuerFiles: HTTPResource {
    private enum Kind: String, CaseIterable { case keys = "/.well-known/jwks.json", metadata = "/.well-known/assay-issuer" }

    /// Where the issuer of results about simulated devices stands.
    static let simulatedFolder = "/simulated"

    private let keys: ResultKeyRing
    private let clock: any WallClock

    init(keys: ResultKeyRing, clock: any WallClock) { (self.keys, self.clock) = (keys, clock) }

    /// The issuer and the file that a path names; `nil` for a path of another form.
    private static func parse(_ path: String) -> (issuer: ResultPublicKey.Issuer, kind: Kind)? {
        let isSimulated = path.hasPrefix(simulatedFolder + "/")
        let rest = isSimulated ? String(path.dropFirst(simulatedFolder.count)) : path
        return Kind(rawValue: rest).map { (isSimulated ? .simulatedDevices : .devices, $0) }
    }

    func serves(_ path: String) -> Bool { Self.parse(path) != nil }

    func file(_ request: HTTPFileRequest) async throws(HTTPFileRefusal) -> HTTPFile? {
        guard let (issuer, kind) = Self.parse(request.path),
            let publication = keys.publication(of: issuer, at: clock.now())
        else { return nil }
        let (type, body) =
            switch kind {
            case .keys: ("application/jwk-set+json", publication.keySet)
            case .metadata: ("application/json", publication.metadata)
            }
        var file = HTTPFile(
            contentType: type, body: body, maxAge: .seconds(publication.cacheLifetime / 1000))
        file.isForEveryOrigin = true
        return file
    }
}
