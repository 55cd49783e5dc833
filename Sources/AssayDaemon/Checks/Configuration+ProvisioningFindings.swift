import AssayCertificates
import AssayConfiguration
import AssayCore
import AssayFiles
import AssayProvisioning
import AssaySchemes

extension Configuration {
    /// A CA's end is told so long before, in milliseconds.
    private static let noticeBeforeEnd: Int64 = 30 * 86_400_000

    /// CAs of device certificates that have ended or end soon, that are roots, or that begin to sign together, and the folder of revocation
    /// lists. No key is opened.
    func provisioningFindings(_ account: UnixAccount, _ now: Timestamp) -> [ConfigurationFinding] {
        guard let settings = live.provisioning else { return [] }
        let authorities = settings.authorities.map(\.settings)
        var findings = endFindings(authorities, now) + rootFindings(authorities) + startFindings(authorities)
        if let directory = settings.lists.directory, let why = Self.trouble(filling: directory, account) {
            findings.append(
                finding(
                    .revocationDirectory, at: "provisioning.revocation_lists.directory",
                    "\(why); revocation lists are not published as files"))
        }
        return findings
    }

    private func endFindings(_ authorities: [AuthoritySettings], _ now: Timestamp) -> [ConfigurationFinding] {
        // A chain that cannot be read is told with the keys.
        let periods = authorities.map { authority -> Validity? in
            guard let validity = try? authority.chain().validity else { return nil }
            return Validity(
                notBefore: max(authority.signsFrom ?? validity.notBefore, validity.notBefore), notAfter: validity.notAfter)
        }
        var findings: [ConfigurationFinding] = []
        for (index, period) in periods.enumerated() {
            guard let end = period?.notAfter, now.adding(milliseconds: Self.noticeBeforeEnd) > end else { continue }
            let place = "provisioning.authorities[\(index)].certificate"
            if now > end {
                findings.append(
                    finding(
                        .issuingEnded, at: place,
                        "the CA's chain ended at \(end): it signs neither certificates nor revocation lists, and evidence under it is refused"
                    ))
            } else {
                let isFollowed = periods.contains { $0.map { $0.notBefore <= end && $0.notAfter > end } ?? false }
                findings.append(
                    finding(
                        .issuingEndsSoon, at: place,
                        "the CA's chain ends at \(end), and with it its certificates"
                            + (isFollowed ? "" : "; no other CA signs after it")))
            }
        }
        let known = periods.compactMap(\.self)
        if known.count == periods.count, !known.contains(where: { $0.notBefore <= now && now <= $0.notAfter }) {
            findings.append(finding(.issuingNone, at: "provisioning.authorities", "no CA signs certificates now"))
        }
        return findings
    }

    private func rootFindings(_ authorities: [AuthoritySettings]) -> [ConfigurationFinding] {
        authorities.enumerated().compactMap { index, authority in
            guard let chain = try? authority.chain(), chain.certificates.count == 1 else { return nil }
            return finding(
                .issuingRoot, at: "provisioning.authorities[\(index)].certificate",
                "the CA is a root: its key is online, and no list can revoke the CA. An issuing CA below an offline root can be revoked"
            )
        }
    }

    private func startFindings(_ authorities: [AuthoritySettings]) -> [ConfigurationFinding] {
        authorities.enumerated().compactMap { index, authority in
            guard let start = authority.signsFrom,
                let earlier = authorities[..<index].last(where: { $0.signsFrom == start })
            else { return nil }
            return finding(
                .issuingStartShared, at: "provisioning.authorities[\(index)].signs_from",
                "the CA \(earlier.name) has the same \"signs_from\": of the two, \(authority.name) signs, the later one in the file"
            )
        }
    }

    /// Why files cannot be put into a folder, which is made if it is missing; `nil` if they can.
    private static func trouble(filling folder: String, _ account: UnixAccount) -> String? {
        guard UnixFile(at: folder) == nil else { return trouble(inFolderOf: folder + "/list", account) }
        var above = ProtectedFile.folder(of: folder)
        while UnixFile(at: above) == nil {
            let next = ProtectedFile.folder(of: above)
            guard next != above else { break }
            above = next
        }
        return trouble(inFolderOf: above + "/folder", account).map {
            "the folder \(folder) does not exist and cannot be made: \($0)"
        }
    }
}
