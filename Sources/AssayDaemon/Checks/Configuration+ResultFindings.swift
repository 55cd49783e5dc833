import AssayCertificates
import AssayConfiguration
import AssayCore
import AssayResults
import AssaySchemes
import AssaySigning

extension Configuration {
    /// The end of a key's certificate is told so long before, in milliseconds.
    private static let noticeBeforeEnd: Int64 = 30 * 86_400_000

    /// What keeps the keys of `results` from signing: files that cannot be opened, certificates and public keys of other keys, keys that stand twice,
    /// and tokens, which are asked and logged into. When the lifetime of a key ends is in the ledger, which is not looked at.
    ///
    /// - Parameter account: the user that the daemon will run as. Files that only that user may read are not opened.
    func resultFindings(_ account: UnixAccount, at now: Timestamp) async -> [ConfigurationFinding] {
        let isOwn = account.userID == UnixAccount.current.userID || UnixAccount.current.userID == 0
        guard let settings = live.results, isOwn else { return [] }
        var findings: [ConfigurationFinding] = []
        var opened: [[UInt8]: String] = [:]
        for (issuer, place) in settings.issuers.map({ (ResultIssuer($0.kind, address: $0.settings.address), $0.place) }) {
            let keys = issuer.kind == .devices ? settings.devices.keys : settings.simulated?.keys ?? []
            for (index, key) in keys.enumerated() {
                let place = "\(place).keys[\(index)]"
                let (found, identifier) = await keyFindings(key, issuer, place, now)
                findings += found
                guard let identifier else { continue }
                if let earlier = opened[identifier] {
                    findings.append(
                        finding(.resultKey, at: place, "it is the key of \(earlier): each signs for one issuer, once"))
                } else {
                    opened[identifier] = place
                }
            }
        }
        return findings
    }

    /// - Returns: what is wrong with a key, and its identifier if it could be opened.
    private func keyFindings(
        _ settings: ResultSettings.Key, _ issuer: ResultIssuer, _ place: String, _ now: Timestamp
    ) async -> ([ConfigurationFinding], [UInt8]?) {
        var token: TokenSigner?
        let key: ResultKey
        do throws(CredentialFileError) {
            key = try settings.open(for: issuer) { (settings, publicKey) throws(CredentialFileError) in
                let signer = try TokenSigner(settings, publicKey: publicKey)
                token = signer
                return signer
            }
        } catch {
            let isMissing = error.path == settings.file && UnixFile(at: error.path) == nil
            let words = error.description + (isMissing ? "; assay results new-key makes one" : "")
            return ([finding(.resultKey, at: settings.place(of: error.path, in: place), words)], nil)
        }
        var findings = certificateFindings(settings, place, now) + shapeFindings(key, place)
        switch await token?.check() {
        case nil, .usable: break
        case .away(let why):
            findings.append(
                finding(
                    .resultToken, at: place + ".pkcs11",
                    "\(why); the key signs no results until the token is back, and verdicts go on"))
        case .unusable(let why): findings.append(finding(.resultKey, at: place + ".pkcs11", why))
        }
        return (findings, key.identifier)
    }

    private func certificateFindings(
        _ settings: ResultSettings.Key, _ place: String, _ now: Timestamp
    ) -> [ConfigurationFinding] {
        guard let end = (try? settings.certificates())?.map(\.validity.notAfter).min(),
            now.adding(milliseconds: Self.noticeBeforeEnd) > end
        else { return [] }
        let words = now > end ? "ended" : "ends"
        return [
            finding(
                .resultCertificateEnds, at: place + ".certificate",
                "a certificate of the key \(words) at \(end): "
                    + (settings.certifiedLifetime == nil
                        ? "wallets' attestations that show it are refused from then on"
                        : "the key certifies no others from then on, and no results are signed"))
        ]
    }

    /// Shapes that apps may give out and that the key cannot sign, although it has a certificate.
    private func shapeFindings(_ key: ResultKey, _ place: String) -> [ConfigurationFinding] {
        guard !key.certificates.isEmpty else { return [] }
        let shapes = ResultShape.allCases.filter { shape in
            !key.canSign(shape) && live.apps.contains { $0.results?.shapes.contains(shape) == true }
        }
        guard let shape = shapes.first else { return [] }
        return [
            finding(
                .resultKeyUnfit, at: place,
                "apps give out \(shape.rawValue), which a key of Ed25519 cannot sign: wallets' attestations are ECDSA alone")
        ]
    }
}

extension ResultSettings.Key {
    /// The way to the value that names a file.
    fileprivate func place(of file: String, in section: String) -> String {
        if file == certificateFile { return section + ".certificate" }
        switch place {
        case .file(_, let passphrase): return section + (file == passphrase ? ".passphrase_file" : ".file")
        case .pkcs11(_, let publicKey): return section + (file == publicKey ? ".public_key" : ".pkcs11")
        }
    }
}
