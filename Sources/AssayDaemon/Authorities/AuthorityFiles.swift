import AssayCore
import AssayHTTP
import AssayRPC
import AssayService

/// The certificates of the CAs and their revocation lists over HTTP, at addresses that certificates may name: `/v1/authorities/<name>.cer`
/// (RFC 5280 §4.2.2.1) and `/v1/authorities/<name>.crl` (§4.2.1.13), both DER. The name is that of the configuration in force.
///
/// They are public, as what checks certificates reads them: any peer gets them.
struct AuthorityFiles: HTTPResource {
    static let folder = "/v1/authorities/"
    /// A cache may keep a file for this long, in seconds; a list never past its next update.
    static let longestAge: Int64 = 3600

    private let authority: any CertificateAuthority
    private let lists: RecentRevocationLists
    private let clock: any WallClock

    init(authority: any CertificateAuthority, issuer: RevocationListIssuer, clock: any WallClock) {
        (self.authority, self.clock) = (authority, clock)
        lists = RecentRevocationLists { try await issuer.current($0) }
    }

    private enum Kind: String { case certificate = ".cer", revocationList = ".crl" }

    /// The CA that a path names, and what of it; `nil` for a path of another form.
    private static func parse(_ path: String) -> (name: Substring, kind: Kind)? {
        guard path.hasPrefix(folder) else { return nil }
        let file = path.dropFirst(folder.count)
        guard let kind = Kind(rawValue: String(file.suffix(4))), file.count > 4 else { return nil }
        return (file.dropLast(4), kind)
    }

    func serves(_ path: String) -> Bool { Self.parse(path) != nil }

    func file(_ request: HTTPFileRequest) async throws(HTTPFileRefusal) -> HTTPFile? {
        guard let (name, kind) = Self.parse(request.path) else { return nil }
        let now = clock.now()
        guard let facts = authority.authorities(at: now).first(where: { $0.name.utf8.elementsEqual(name.utf8) }) else {
            return nil
        }
        switch kind {
        case .certificate:
            guard let certificate = facts.chain.first else { return nil }
            return HTTPFile(
                contentType: "application/pkix-cert", body: certificate, maxAge: .seconds(Self.longestAge))
        case .revocationList:
            guard let list = await lists.list(of: facts.issuer, at: now), list.nextUpdate > now else { return nil }
            let rest = list.nextUpdate.milliseconds(since: now) / 1000
            return HTTPFile(
                contentType: "application/pkix-crl", body: list.der, maxAge: .seconds(min(Self.longestAge, rest)))
        }
    }
}
