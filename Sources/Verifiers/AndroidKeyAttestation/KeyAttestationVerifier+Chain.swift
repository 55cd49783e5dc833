import AssayCertificates
import AssayCore
import AssayEncoding

/// The chain: from bytes to certificates that lead to an anchor, and the class of the chain.
extension KeyAttestationVerifier {
    /// The number of certificates, and each certificate.
    ///
    /// - Parameter reading: of the same evidence; `nil`: it was not read before.
    func readChain(
        _ evidence: BoundedEvidence, _ reading: ChainReading?, _ appraisal: inout Appraisal
    ) throws(Rejection) -> UnverifiedChain {
        let parts = try appraisal.check("chain_length") { () throws(Rejection) in
            guard let parts = evidence.parts else { throw Rejection(.badChain, "not a list of certificates that is read") }
            try UnverifiedChain.checkLength(parts.count, profile: Self.chainProfile)
            return parts
        }
        let chain = try appraisal.check("certificates") { () throws(Rejection) in
            try (reading ?? ChainReading(parts, links: validator.links)).chain.get()
        }
        for (index, certificate) in chain.certificates.enumerated() where !certificate.usedLeniencies.isEmpty {
            for leniency in certificate.usedLeniencies.names {
                appraisal.note("certificates", leniency, "certificate \(index) breaks the standard in a way that devices do")
            }
        }
        return chain
    }

    /// Names, algorithms, anchor, signatures. The certificates' CA flags are ignored, since genuine ones are wrong; the place
    /// of the key description prevents an attested key from acting as an issuer.
    func validate(_ unverified: UnverifiedChain, _ appraisal: inout Appraisal) throws(Rejection) -> ValidatedChain {
        let chain = try validator.validate(unverified, at: .distantPast) { (step, run) throws(Rejection) in
            try appraisal.check(step.rawValue, run)
        }
        appraisal.simulated = chain.anchor.simulated
        return chain
    }

    /// The checks of a validated chain: the place of the key description, the class of the chain, its dates, its revocation.
    func judgeChain(
        _ chain: ValidatedChain, in context: AppraisalContext, _ appraisal: inout Appraisal
    ) throws(Rejection) -> ChainClass {
        try appraisal.check("attestation_extension") { () throws(Rejection) in try checkPlaceOfDescription(chain) }
        let chainClass = ChainClass(chain)
        try appraisal.check("chain_shape") { () throws(Rejection) in try checkShape(chain, chainClass) }
        claimChain(chain, chainClass, &appraisal)
        try appraisal.check("chain_validity") { () throws(Rejection) in
            for (index, certificate) in chain.issuers.enumerated() {
                try certificate.requireValid(
                    at: context.now, skew: Self.chainProfile.skewMilliseconds, place: index + 1,
                    checksEnd: chainClass.validityProfile == .both)
            }
        }
        try RevocationCheck(knowledge: context.facts.revocation, allowsSuspended: policy.allowsSuspended)
            .judge(chain.serials, in: &appraisal)
        try policy.denied.judge(serials: chain.serials, keys: chain.keys, in: &appraisal)
        return chainClass
    }

    /// The extensions in which Android and manufacturers describe an attested key: only an attested key's certificate has one.
    private static let attestationExtensions: [(oid: OID, name: StaticString)] = [
        (KeyDescription.oid, "a key description"),
        // The same in the form of an entity attestation token (RFC 9711).
        (OID(1, 3, 6, 1, 4, 1, 11129, 2, 1, 25), "a key description in the form of an EAT"),
        (OID(1, 3, 6, 1, 4, 1, 236, 11, 3, 23, 7), "Samsung's description of a key"),
    ]

    /// An app can let an attested key sign a further certificate with an invented description. So the first certificate must
    /// have the extension, and no other may have it or a similar one, critical or not.
    private func checkPlaceOfDescription(_ chain: ValidatedChain) throws(Rejection) {
        for (index, authority) in chain.authorities.enumerated() {
            guard let found = Self.attestationExtensions.first(where: { authority.value(of: $0.oid) != nil }) else { continue }
            throw Rejection(
                .chainExtended, "certificate \(index + 1) carries \(found.name)\(Self.attestKey(authority) ?? "")")
        }
        guard chain.leaf.value(of: KeyDescription.oid) != nil else {
            throw Self.noDescription
        }
    }

    /// For the end of a sentence about a certificate above the first: what its description says of the key that signed the one below.
    private static func attestKey(_ certificate: Certificate) -> String? {
        guard let value = certificate.value(of: KeyDescription.oid), let description = try? KeyDescription(parsing: value)
        else {
            return nil
        }
        let purposes =
            (description.hardwareEnforced.numbers(.purpose) ?? []) + (description.softwareEnforced.numbers(.purpose) ?? [])
        guard purposes.contains(KeyPurpose.attestKey.rawValue) else {
            return ", of a key that is not for attesting: an app signed the certificate below"
        }
        return ": the one below is signed by an attest key (purpose ATTEST_KEY, setAttestKeyAlias), which apps choose"
    }

    static var noDescription: Rejection {
        Rejection(.missingAttestationExtension, "the first certificate carries no key description")
    }

    /// The chain has at least three certificates with the root, whether or not the root was sent. Only the attestation
    /// certificate carries provisioning info, and Google's servers certify attestation keys directly. Keys that they certify
    /// for other uses, such as virtual machines, may sign certificates too, and would be between the two.
    private func checkShape(_ chain: ValidatedChain, _ chainClass: ChainClass) throws(Rejection) {
        guard chain.lengthWithRoot >= 3 else { throw Rejection(.badChain, "a root that attests keys itself") }
        for (index, certificate) in chain.certificates.enumerated() where index != 1 {
            guard certificate.value(of: RemoteKeyProvisioningInfo.oid) == nil else {
                throw Rejection(.chainShape, "certificate \(index) carries provisioning info")
            }
        }
        guard chainClass != .remote || ChainClass.isProvisionedDirectly(chain) else {
            throw Rejection(.chainShape, "the attestation certificate is not one that Google's servers issued")
        }
    }

    private func claimChain(_ chain: ValidatedChain, _ chainClass: ChainClass, _ appraisal: inout Appraisal) {
        var claims = Claims()
        claims.reserveCapacity(40)
        claims.add("chain_length_with_root", .integer(Int64(chain.lengthWithRoot)))
        claims.add("validity_profile", .text(chainClass.validityProfile.rawValue))
        claims.add("root", .text(chain.anchor.name))
        claims.add("serial_numbers_hex", .texts(chain.serials.map(SerialNumber.hexadecimal)))
        claims.add("attestation_key_sha256", chain.authorities.first.map { .bytes($0.publicKeySHA256) })
        appraisal.claims = claims
    }
}

extension ValidatedChain {
    /// Leaf, issuers and one root, even if several versions of the root were sent.
    fileprivate var lengthWithRoot: Int { issuers.count + 2 }

    /// Digests of all keys, from the attested key to the anchor.
    fileprivate var keys: [[UInt8]] { certificates.map(\.publicKeySHA256) + [anchor.publicKeySHA256] }
}
