import AssayCertificates
import AssayCore
import AssayVendors

/// The revocation list of one CA, as it is at the time of an appraisal: its file may be replaced.
struct IssuerRevocationList: Sendable {
    /// SHA-256 of the CA's SubjectPublicKeyInfo, 32 bytes.
    let issuer: [UInt8]
    let source: any RevocationSource

    /// Records a certificate on the list as `revoked`, and a list that is missing or too old as unavailable.
    ///
    /// - Parameter serial: an unsigned big-endian integer.
    func judge(_ serial: [UInt8], at now: Timestamp, _ appraisal: inout Appraisal) throws(Rejection) {
        switch source.knowledge(at: now) {
        case .notConsulted: return
        case .unavailable(let why): appraisal.unavailable("revocation", "revocation_unavailable", why)
        case .snapshot(let list):
            if !appraisal.feeds.contains(list.feed) { appraisal.feeds.append(list.feed) }
            guard let entry = list[serial] else { return }
            let reason = entry.reason.isEmpty ? entry.status.text : entry.reason
            try appraisal.require("revocation", false, else: .revoked, "a certificate stands on its issuer's list: \(reason)")
        }
    }
}

extension RevocationFileFormat {
    /// A CRL in DER or PEM that the CA signed. A list that was issued before the one in force does not replace it.
    static func revocationList(of authority: TrustAnchor) -> RevocationFileFormat {
        RevocationFileFormat { (file, _) throws(FeedError) in
            do throws(Rejection) {
                let list = try CertificateRevocationList(file: file)
                try list.verify(by: authority)
                return List(list.snapshot(named: "crl"), nextUpdate: list.nextUpdate)
            } catch {
                throw FeedError.malformed(error.detail)
            }
        } replacing: { (new, old) throws(FeedError) in
            guard new.snapshot.feed.asOf >= old.snapshot.feed.asOf else { throw FeedError.outdated }
        }
    }
}
