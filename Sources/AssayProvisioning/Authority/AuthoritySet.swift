import AssayCertificates
package import AssayCore
package import AssaySigning

/// The CAs of a configuration, of which one at a time signs new certificates.
///
/// The signing CA is the one that started last among those whose validity has begun and not ended; of two that start together, the later one in
/// the configuration. A CA whose start is still to come is published (`next`). One that started before the signing CA is `retiring`: it signs
/// its revocation lists.
package struct AuthoritySet: CertificateAuthority {
    private let members: [IssuingAuthority]

    /// Throws if two CAs have one name or one key: a list of revoked certificates is found by the key.
    package init(_ members: [IssuingAuthority]) throws(AuthorityChainError) {
        for (index, member) in members.enumerated() {
            for other in members[..<index] {
                guard other.name != member.name else { throw AuthorityChainError("two CAs are named \"\(member.name)\"") }
                guard other.issuer != member.issuer else {
                    throw AuthorityChainError("the CAs \"\(other.name)\" and \"\(member.name)\" have the same key")
                }
            }
        }
        self.members = members
    }

    /// Reads all files.
    ///
    /// - Parameter openToken: gives the signer of a key in a token, whose public key (SubjectPublicKeyInfo, DER) the chain tells.
    package init(
        _ settings: [AuthoritySettings],
        openToken: (TokenKeySettings, [UInt8]) throws(CredentialFileError) -> any Signer = {
            (settings, publicKey) throws(CredentialFileError) in try TokenSigner(settings, publicKey: publicKey)
        }
    ) throws(CredentialFileError) {
        var members: [IssuingAuthority] = []
        for setting in settings { members.append(try setting.open(openToken: openToken)) }
        do throws(AuthorityChainError) { try self.init(members) } catch {
            throw CredentialFileError(settings.last?.certificateFile ?? "", "cannot be used: \(error.description)")
        }
    }

    // MARK: CertificateAuthority

    package func requestedKey(_ csr: [UInt8]) throws(Rejection) -> RequestedKey { try CertificateRequest(der: csr).key }

    package func requestedKey(bare publicKey: [UInt8]) throws(Rejection) -> RequestedKey {
        try CertifiableKey(publicKey[...], code: .unsupportedKey).requested()
    }

    package func issue(_ order: CertificateOrder, at now: Timestamp) async throws(AuthorityError) -> SignedCertificate {
        guard let authority = signing(at: now) else { throw .noSigningAuthority }
        return try await authority.issue(order, at: now)
    }

    package func waits(at now: Timestamp) -> Bool { signing(at: now)?.signer.waits ?? false }

    package func authorities(at now: Timestamp) -> [AuthorityFacts] {
        let signing = signing(at: now)
        return members.map { member in
            let state: AuthorityFacts.State =
                member.hasEnded(at: now)
                ? .ended : member.start > now ? .next : member.issuer == signing?.issuer ? .signing : .retiring
            return AuthorityFacts(
                name: member.name, issuer: member.issuer, chain: member.chain.encoded,
                notAfter: member.chain.validity.notAfter, state: state, problem: member.signer.problem)
        }
    }

    package func deviceSecret(in certificate: [UInt8], arc: ExtensionArc, _ fleet: FleetSecrets) -> [UInt8]? {
        guard let read = try? AssayCertificates.Certificate(der: certificate[...]) else { return nil }
        // It was issued here, below the arc of today or of a configuration before.
        return try? FleetExtensions(read, arc: FleetArc(arc).orStandard).secret(fleet)
    }

    package func sign(_ content: RevocationListContent, issuer: [UInt8]) async throws(AuthorityError) -> [UInt8] {
        guard let authority = members.first(where: { $0.issuer == issuer }) else {
            throw .impossible("no CA of the configuration has this key")
        }
        return try await authority.sign(content)
    }

    private func signing(at now: Timestamp) -> IssuingAuthority? {
        var latest: IssuingAuthority?
        for member in members where member.start <= now && !member.hasEnded(at: now) {
            if latest.map({ member.start >= $0.start }) ?? true { latest = member }
        }
        return latest
    }
}
