import AssayCore

/// An Entity Attestation Result (draft-ietf-rats-ear-04) with one attester: the device.
struct EntityAttestationResult {
    /// `eat_nonce` has 8 to 64 bytes (RFC 9711 §4.1).
    private static let nonceSizes = 8...64

    private let facts: ResultFacts
    private let terms: ResultTerms
    private let vector: TrustVector
    private let status: TrustVector.Tier

    /// What stands before the digest in the name of a policy (RFC 6920).
    private static let policyScheme: StaticString = "ni:///sha-256;"

    init(_ facts: ResultFacts, _ terms: ResultTerms) {
        (self.facts, self.terms) = (facts, terms)
        vector = TrustVector(formats: facts.formats, assurance: facts.assurance)
        status = vector.status
    }

    private var device: String? { terms.audience.name(of: facts.device) }
    private var answersChallenge: Bool { Self.nonceSizes.contains(facts.challenge.count) }

    /// The claims as JSON.
    var json: [UInt8] {
        JSONClaims.object { claims in
            claims.addParties(terms)
            claims.addLife(terms)
            claims.add("eat_profile", plain: ResultProfiles.ear)
            if !terms.nonce.isEmpty { claims.add("eat_nonce", base64url: terms.nonce) }
            claims.add("ear_status", plain: status.name)
            claims.object("ear_verifier_id") { verifier in
                verifier.add("developer", plain: ResultProfiles.developer)
                verifier.add("build", plain: ResultProfiles.build)
            }
            if let place = terms.status { claims.object("status") { $0.addStatusList(place) } }
            claims.object("submods") { $0.object(ResultProfiles.submodule) { appraisal(&$0) } }
        }
    }

    private func appraisal(_ claims: inout JSONClaims) {
        claims.add("ear_status", plain: status.name)
        claims.object("ear_trustworthiness_vector") { entries in
            for entry in vector.stated { entries.add(entry.name, Int64(vector[entry])) }
        }
        claims.add("ear_appraisal_policy_ids", listOf: Self.policyScheme, base64url: facts.policyDigest)
        if answersChallenge { claims.add("eat_nonce", base64url: facts.challenge) }
        claims.object("ear_verifier_claims") { $0.addDetails(of: facts, device: device) }
    }

    /// The claims as CBOR.
    var cbor: [UInt8] {
        CBORClaims.map { claims in
            claims.addTerms(terms)
            claims.add(CWTLabel.profile, ResultProfiles.ear)
            claims.map(CWTLabel.submodules) { $0.map(ResultProfiles.submodule) { appraisal(&$0) } }
            claims.add(CWTLabel.status, status.rawValue)
            claims.map(CWTLabel.verifier) { verifier in
                verifier.add(0, ResultProfiles.developer)
                verifier.add(1, ResultProfiles.build)
            }
            if let place = terms.status {
                claims.map(CWTLabel.statusReference) { status in
                    status.map("status_list") { list in
                        list.add("idx", Int64(place.index))
                        list.add("uri", place.uri)
                    }
                }
            }
        }
    }

    private func appraisal(_ claims: inout CBORClaims) {
        if answersChallenge { claims.add(CWTLabel.nonce, bytes: facts.challenge) }
        claims.add(CWTLabel.status, status.rawValue)
        claims.map(CWTLabel.trustVector) { entries in
            for entry in vector.stated { entries.add(Int64(entry.rawValue), Int64(vector[entry])) }
        }
        claims.add(CWTLabel.policies, ["\(Self.policyScheme)" + Base64.url.encode(facts.policyDigest)])
        claims.map(CWTLabel.verifierClaims) { $0.addDetails(of: facts, device: device) }
    }
}
