import AssayCertificates
import AssayCore
import AssayEncoding
import AssayProvisioning
import AssaySigning
import AssayTesting
import Testing

/// A root and an issuing CA in memory.
struct TestCA {
    static let now = Timestamp(unixSeconds: 1_795_000_000)
    static let day: Int64 = 86_400_000

    let root: IssuingAuthority
    let issuing: IssuingAuthority

    init(
        _ curve: AuthorityCurve = .p256, name: String = "issuing-1", number: Int = 1, at now: Timestamp = now,
        signsFrom: Timestamp? = nil, validity: Int64? = nil, root: IssuingAuthority? = nil
    ) async throws {
        var plan = AuthorityPlan()
        (plan.name, plan.organization, plan.curve) = ("Test", "Assay Tests", curve)
        if let validity { plan.issuingValidity = validity }
        if let root {
            self.root = root
        } else {
            let rootSigner = FileSigner(SigningKey.random(curve.algorithm))
            let chain = try AuthorityChain([try await plan.root(rootSigner, at: now)])
            self.root = try IssuingAuthority(name: "root", chain: chain, signer: rootSigner)
        }
        let signer = FileSigner(SigningKey.random(curve.algorithm))
        let der = try await plan.issuing(number, publicKey: signer, below: self.root, at: now)
        issuing = try IssuingAuthority(
            name: name, chain: try AuthorityChain([der] + self.root.chain.encoded), signer: signer, signsFrom: signsFrom)
    }

    var set: AuthoritySet { get throws { try AuthoritySet([issuing]) } }

    /// Writes `root.pem` and `issuing.pem`.
    func write(to openSSL: OpenSSLFolder) throws {
        try openSSL.write("root.pem", PEM.encode(root.chain.issuer.der))
        try openSSL.write("issuing.pem", PEM.encode(issuing.chain.issuer.der))
    }

    /// The arguments of `openssl verify` for a certificate below this CA.
    static func verification(_ certificate: String, at now: Timestamp = now, _ more: [String] = []) -> [String] {
        [
            "verify", "-x509_strict", "-no-CApath", "-CAfile", "root.pem", "-untrusted", "issuing.pem", "-attime",
            String(now.unixMilliseconds / 1000),
        ] + more + [certificate]
    }
}

/// An order for tests.
func order(
    publicKey: [UInt8], profile: CertificateProfile = CertificateProfile(), simulated: Bool = false,
    requestID: [UInt8] = [UInt8](1...16), fleet: FleetStatement? = nil
) throws -> CertificateOrder {
    CertificateOrder(
        app: try #require(AppID("photos")), device: try #require(DeviceID(bytes: [UInt8](repeating: 0xA5, count: 16))),
        publicKey: publicKey,
        basis: CertificateBasis(
            assurance: .hardware, protection: .attested, platform: EvidenceFormat(rawValue: "key-attestation.chain"),
            policyDigest: [UInt8](repeating: 0x33, count: 32), simulated: simulated),
        profile: profile, requestID: requestID, fleet: fleet)
}
