import AssayCertificates
package import AssayCore
import AssayEncoding
import AssayFiles
package import AssaySigning
import Foundation

extension AuthorityFolder {
    /// The root's revocation list, in DER. Beside it stands the same in PEM, with the ending `.pem`.
    package var rootList: String { "\(path)/\(Self.rootName).crl" }

    /// Signs the next revocation list of the root: which of the CAs below it are revoked. Those who check each certificate of a chain demand
    /// one, also an empty one.
    ///
    /// What stands on the list in ``rootList`` stands on the next one: a revocation is permanent.
    ///
    /// - Parameters:
    ///   - revoked: certificate files of CAs below the root that are revoked now. The first certificate of each counts.
    ///   - validity: the time until the next update, in milliseconds.
    package func nextRootList(
        _ root: AuthorityFiles, revoking revoked: [String], for reason: RevocationReason, validity: Int64, at now: Timestamp
    ) async throws(CredentialFileError) -> RootList {
        let chain = try AuthorityChain.read(root.certificate)
        let anchor: TrustAnchor
        do throws(Rejection) {
            anchor = try TrustAnchor(name: Self.rootName, issuing: PEM.encode(chain.issuer.der))
        } catch {
            throw CredentialFileError(root.certificate, "is not a CA: \(error.detail)")
        }
        let signer = try root.signer()
        let authority: IssuingAuthority
        do throws(AuthorityChainError) {
            authority = try IssuingAuthority(name: Self.rootName, chain: chain, signer: signer)
        } catch {
            throw CredentialFileError(root.key, "does not belong to \(root.certificate): \(error.description)")
        }
        let previous = try previousList(by: anchor)
        var entries = try previous.map { list throws(CredentialFileError) in try kept(list) } ?? [:]
        for file in revoked {
            let certificate = try AuthorityChain.read(file).issuer
            guard !certificate.isSelfIssued, anchor.issued(certificate) else {
                throw CredentialFileError(file, "is not a CA that this root signed")
            }
            let serial = SerialNumber.magnitude(Array(certificate.serial))
            if entries[serial] == nil { entries[serial] = CertificateRevocation(reason, at: now.wholeSecond) }
        }
        let content = RevocationListContent(
            number: Self.number(after: previous, at: now), thisUpdate: now.wholeSecond,
            nextUpdate: now.wholeSecond.adding(milliseconds: validity),
            revoked: entries.sorted { $0.key.lexicographicallyPrecedes($1.key) }
                .map { RevokedCertificate(serial: $0.key, revocation: $0.value) })
        do throws(AuthorityError) {
            return RootList(content: content, der: try await authority.sign(content))
        } catch {
            throw CredentialFileError(root.certificate, "cannot sign a revocation list: \(error)")
        }
    }

    /// The list before, which only the root can have signed.
    private func previousList(by anchor: TrustAnchor) throws(CredentialFileError) -> CertificateRevocationList? {
        guard FileManager.default.fileExists(atPath: rootList) else { return nil }
        let bytes: [UInt8]
        do throws(BoundedFileError) { bytes = try BoundedFile.read(rootList, atMost: 64 << 20) } catch {
            throw CredentialFileError(rootList, error.description)
        }
        do throws(Rejection) {
            let list = try CertificateRevocationList(file: bytes)
            try list.verify(by: anchor)
            return list
        } catch {
            throw CredentialFileError(rootList, "is not the root's revocation list: \(error.detail)")
        }
    }

    private func kept(_ list: CertificateRevocationList) throws(CredentialFileError) -> [[UInt8]: CertificateRevocation] {
        var entries: [[UInt8]: CertificateRevocation] = [:]
        for (serial, entry) in list.entries {
            guard let time = list.times[serial], entry.status == .revoked else {
                throw CredentialFileError(rootList, "has a certificate on hold, which cannot be continued")
            }
            let reason = RevocationReason.allCases.first { $0.name == entry.reason } ?? .unspecified
            entries[serial] = CertificateRevocation(reason, at: time)
        }
        return entries
    }

    /// The seconds since 1970, so that numbers rise also where the list before is lost.
    private static func number(after previous: CertificateRevocationList?, at now: Timestamp) -> Int64 {
        let seconds = now.unixMilliseconds / 1000
        guard let bytes = previous?.number, bytes.count < 8 else { return seconds }
        return max(seconds, bytes.reduce(0) { $0 << 8 | Int64($1) } + 1)
    }
}

/// A signed revocation list of a root.
package struct RootList: Sendable {
    package let content: RevocationListContent
    package let der: [UInt8]
}
