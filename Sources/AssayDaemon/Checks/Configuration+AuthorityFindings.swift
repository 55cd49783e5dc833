import AssayConfiguration
import AssayProvisioning
import AssaySchemes
import AssayService
import AssaySigning

extension Configuration {
    /// What keeps the CAs of `provisioning` from signing: files that cannot be opened, keys that do not belong to their certificates, and
    /// tokens, which are asked and logged into.
    ///
    /// - Parameter account: the user that the daemon will run as. Files that only that user may read are not opened.
    func authorityFindings(_ account: UnixAccount) async -> [ConfigurationFinding] {
        let isOwn = account.userID == UnixAccount.current.userID || UnixAccount.current.userID == 0
        guard let settings = live.provisioning, isOwn else { return [] }
        var findings: [ConfigurationFinding] = []
        var members: [IssuingAuthority] = []
        for (index, authority) in settings.authorities.map(\.settings).enumerated() {
            let place = "provisioning.authorities[\(index)]"
            var token: TokenSigner?
            do throws(CredentialFileError) {
                members.append(
                    try authority.open { (settings, publicKey) throws(CredentialFileError) in
                        let signer = try TokenSigner(settings, publicKey: publicKey)
                        token = signer
                        return signer
                    })
            } catch {
                findings.append(finding(.issuingKey, at: authority.place(of: error.path, in: place), error.description))
                continue
            }
            switch await token?.check() {
            case nil, .usable: break
            case .away(let why):
                findings.append(
                    finding(
                        .issuingToken, at: place + ".pkcs11",
                        "\(why); no certificates are issued until the token is back, and verdicts go on"))
            case .unusable(let why): findings.append(finding(.issuingKey, at: place + ".pkcs11", why))
            }
        }
        do throws(AuthorityChainError) { _ = try AuthoritySet(members) } catch {
            findings.append(finding(.issuingKey, at: "provisioning.authorities", error.description))
        }
        return findings
    }
}

extension AuthoritySettings {
    /// The way to the value that names a file.
    fileprivate func place(of file: String, in section: String) -> String {
        if file == certificateFile { return section + ".certificate" }
        switch key {
        case .file(_, let passphrase): return section + (file == passphrase ? ".passphrase_file" : ".key")
        case .pkcs11: return section + ".pkcs11"
        }
    }
}
