import AssayCertificates
import AssayCore
import Crypto

/// The key description: its content and the checks of it.
extension KeyAttestationVerifier {
    func readDescription(_ chain: ValidatedChain, _ appraisal: inout Appraisal) throws(Rejection) -> KeyDescription {
        let description = try appraisal.check("key_description") { () throws(Rejection) in
            guard let value = chain.leaf.value(of: KeyDescription.oid) else { throw Self.noDescription }
            return try KeyDescription(parsing: value)
        }
        for quirk in EncodingQuirk.allCases where description.quirks.contains(quirk) {
            appraisal.note("key_description", quirk.rawValue, quirk.meaning)
        }
        let unknown = (description.softwareEnforced.unknown + description.hardwareEnforced.unknown).map(\.number)
        if !unknown.isEmpty {
            appraisal.note("key_description", "unknown_tags", "tags that this version does not know: \(unknown)")
        }
        return description
    }

    /// The claims that do not depend on later checks.
    func claimFacts(
        _ chain: ValidatedChain, _ chainClass: ChainClass, _ description: KeyDescription, _ appraisal: inout Appraisal
    ) -> KeyFacts {
        var issued: UInt64?
        if let value = chain.authorities.first?.value(of: RemoteKeyProvisioningInfo.oid) {
            do throws(Rejection) {
                issued = try RemoteKeyProvisioningInfo(value).certificatesIssued
            } catch {
                appraisal.note("provisioning_info", "provisioning_info_malformed", error.detail)
            }
        }
        let facts = KeyFacts(
            description, kind: KeyKind(chain.leaf.publicKey), softwareRoot: chain.anchor.isSoftware, provisioning: chainClass,
            provisioningCount: issued)
        appraisal.claims.add("challenge", .bytes(description.challenge))
        appraisal.claims.add("unique_id", .bytes(description.uniqueID))
        appraisal.claims.add("encoding_quirks", .texts(description.quirks.map(\.rawValue).sorted()))
        appraisal.claims.add("leaf_spki_sha256", .bytes(chain.leaf.publicKeySHA256))
        facts.add(to: &appraisal.claims)
        return facts
    }

    func checkChallenge(
        _ description: KeyDescription, _ binding: Binding, _ appraisal: inout Appraisal
    ) throws(Rejection) {
        let expected = binding.clientData
        // Compared in constant time, although the challenge is not secret.
        let difference = zip(description.challenge, expected).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) }
        let isExpected = !expected.isEmpty && description.challenge.count == expected.count && difference == 0
        try appraisal.check("challenge") { () throws(Rejection) in
            guard isExpected else { throw Rejection(.challengeMismatch, Self.mismatch(of: description.challenge, binding)) }
        }
    }

    private static func mismatch(of challenge: [UInt8], _ binding: Binding) -> String {
        let expected = binding.clientData
        guard !expected.isEmpty else { return "the request binds nothing that the attestation challenge could be" }
        guard !challenge.isEmpty else { return "the attestation challenge is empty" }
        let digests = ComparedBytes(SHA256.bytes(of: challenge), expected: SHA256.bytes(of: expected))
        return "the attestation challenge has \(challenge.count) bytes with the SHA-256 \(digests.found), expected "
            + "\(expected.count) with \(digests.expected)" + binding.slipsOfData.explanation { $0 == challenge }
    }

    /// Levels, then what description and chain say about the same property, then the app's policy.
    func judgeKey(
        _ facts: KeyFacts, _ description: KeyDescription, _ chain: ValidatedChain, _ chainClass: ChainClass, at now: Timestamp,
        _ appraisal: inout Appraisal
    ) throws(Rejection) {
        if policy.requiresTagOrder {
            try appraisal.require(
                "tag_order", !description.quirks.contains(.tagsNotAscending), else: .tagsNotAscending,
                "authorization tags are out of order")
        } else {
            appraisal.skip("tag_order")
        }
        try policy.judgeVersions(facts, isNew: true, in: &appraisal)
        try policy.judgeLevel(facts, in: &appraisal)
        if facts.level > .software {
            try appraisal.require(
                "level_match", facts.attestationLevel == facts.keyMintLevel, else: .securityLevelMismatch,
                "the key is attested in \(facts.attestationLevel.name) and stored in \(facts.keyMintLevel.name)")
            try appraisal.require(
                "chain_level", ChainLevel(chain, chainClass).fits(facts.level), else: .securityLevelMismatch,
                "the key is in \(facts.level.name), its chain is not one for such keys")
        } else {
            appraisal.skip("level_match")
            appraisal.skip("chain_level")
        }
        try checkKind(facts, chain, &appraisal)
        try policy.judge(facts, at: now, in: &appraisal)
        try policy.judgeCreation(facts, at: now, in: &appraisal)
    }

    private func checkKind(
        _ facts: KeyFacts, _ chain: ValidatedChain, _ appraisal: inout Appraisal
    ) throws(Rejection) {
        try appraisal.check("key_type") { () throws(Rejection) in
            let key = chain.leaf.publicKey
            guard let kind = facts.kind else { throw Rejection(.keyType, "a public key of kind \(key.algorithm)") }
            if let contradiction = kind.contradiction(of: facts.trusted, with: key) { throw Rejection(.keyType, contradiction) }
        }
    }
}
