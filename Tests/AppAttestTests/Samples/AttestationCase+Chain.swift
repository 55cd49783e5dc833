import AppAttest
import AssayCertificates
import AssayCore
import AssaySimulator

extension AttestationCase {
    private static let day: Int64 = 24 * 60 * Sample.minute

    /// Rows 10 to 17 and 66: the chain.
    static let chains: [AttestationCase] = [
        .init(10, "certificates in the wrong order", .nameChaining, .genuine.chain { $0.swapAt(0, 1) }),
        .init(10, "the leaf twice", .nameChaining, .genuine.chain { $0[1] = $0[0] }),
        .init(10, "the intermediate twice", .nameChaining, .genuine.chain { $0.append($0[1]) }),
        .init(
            11, "a stranger's root behind a stranger's chain", .untrustedRoot,
            .genuine.chain { $0.append(Sample.stranger.rootCertificate) }
        ) { $0.phone = Sample.phone(authority: Sample.stranger) },
        .init(
            11, "a stranger's root behind a good chain", .untrustedRoot,
            .genuine.chain { $0.append(Sample.stranger.rootCertificate) }),
        .init(
            11, "the root twice", .badChain,
            .genuine.chain { $0 += [Sample.authority.rootCertificate, Sample.authority.rootCertificate] }),
        .init(11, "the root once", nil, .genuine.chain { $0.append(Sample.authority.rootCertificate) }),
        .init(12, "a stranger's chain under the same names", .untrustedRoot) {
            $0.phone = Sample.phone(authority: Sample.stranger)
        },
        .init(
            12, "a leaf that a look-alike intermediate signed", .badSignature,
            .genuine.leafSigner(Sample.stranger.intermediateKey)),
        .init(
            12, "an intermediate that a look-alike root signed", .untrustedRoot,
            .genuine.intermediateSigner(Sample.stranger.rootKey)),
        .init(12, "a leaf that its own key signed", .badSignature, .genuine.leafSigner(Forger.key)),
        .init(
            13, "a genuine leaf as the issuer of a forged one", .badChain,
            .genuine.leaf { $0.issuer = Forger.subject }.leafSigner(Forger.key).chain { $0.insert(Forger.leaf, at: 1) }),
        .init(14, "no anchor but Apple's", .untrustedRoot) { $0.anchors = TrustAnchor.appAttest },
        .init(14, "no anchor at all", .untrustedRoot) { $0.anchors = [] },
        .init(
            15, "an intermediate that is no CA", .badChain,
            .genuine.intermediate { $0[ExtensionName.basicConstraints] = .basicConstraints(ca: false) }),
        .init(
            15, "an intermediate without basic constraints", .badChain,
            .genuine.intermediate { $0[ExtensionName.basicConstraints] = nil }),
        .init(
            15, "an intermediate that may not sign certificates", .keyUsage,
            .genuine.intermediate { $0[ExtensionName.keyUsage] = .keyUsage([.cRLSign]) }),
        .init(
            15, "an intermediate without key usage", .keyUsage, .genuine.intermediate { $0[ExtensionName.keyUsage] = nil }),
        .init(
            15, "a leaf that is a CA", .caUsedAsLeaf,
            .genuine.leaf { $0[ExtensionName.basicConstraints] = .basicConstraints(ca: true) }),
        .init(
            15, "a leaf that may not sign", .keyUsage,
            .genuine.leaf { $0[ExtensionName.keyUsage] = .keyUsage([.keyEncipherment]) }),
        .init(15, "a leaf without key usage", .keyUsage, .genuine.leaf { $0[ExtensionName.keyUsage] = nil }),
        .init(15, "a CA below an intermediate of path length 0", .badChain, Forger.subordinate),
        .init(
            15, "a CA below an intermediate of path length 1", nil,
            Forger.subordinate.intermediate {
                $0[ExtensionName.basicConstraints] = .basicConstraints(ca: true, pathLength: 1)
            }),
        .init(16, "ten minutes before the leaf is valid", .notYetValid) {
            $0.now = Sample.now.adding(milliseconds: -day - 10 * Sample.minute)
        },
        .init(16, "ten minutes after the leaf was valid", .expired) {
            $0.now = Sample.now.adding(milliseconds: 2 * day + 10 * Sample.minute)
        },
        .init(16, "five minutes before the leaf is valid", nil) {
            $0.now = Sample.now.adding(milliseconds: -day - 5 * Sample.minute)
        },
        .init(16, "five minutes after the leaf was valid", nil) {
            $0.now = Sample.now.adding(milliseconds: 2 * day + 5 * Sample.minute)
        },
        .init(17, "an expired intermediate", .expired, .genuine.intermediate { $0.notAfter = Sample.now.days(-1) }),
        .init(
            17, "an intermediate of tomorrow", .notYetValid, .genuine.intermediate { $0.notBefore = Sample.now.days(1) }),
        .init(66, "a stored attestation at the time when it was verified", nil),
        .init(66, "a stored attestation a year later", .expired) { $0.now = Sample.now.days(365) },
    ]
}

extension Timestamp {
    func days(_ days: Int64) -> Timestamp { adding(milliseconds: days * 86_400_000) }
}

/// An attacker with a genuine key, who acts as a CA.
enum Forger {
    static let key = TestSigningKey(.p256, seed: "sample phone", label: "app attest key 0")
    static let subject = CertificateBuilder.Name(commonName: "Forger")

    /// Certified by the authority like a leaf, over any nonce.
    static let leaf: [UInt8] =
        (try? builder(issuer: intermediateName, ca: nil).signed(by: Sample.authority.intermediateKey)) ?? []

    private static let intermediateName = CertificateBuilder.Name(
        commonName: "Assay Test App Attestation CA 1", organization: "Assay Simulator", state: "Simulation")

    /// A CA between the intermediate and the leaf, signed by the intermediate.
    static let subordinate = AttestationChanges.genuine.leaf { $0.issuer = subject }.leafSigner(key).chain {
        $0.insert(
            (try? builder(issuer: intermediateName, ca: true).signed(by: Sample.authority.intermediateKey)) ?? [], at: 1)
    }

    private static func builder(issuer: CertificateBuilder.Name, ca: Bool?) -> CertificateBuilder {
        CertificateBuilder(
            serial: [7], algorithm: .ecdsaWithSHA256, issuer: issuer, notBefore: Sample.now.days(-1),
            notAfter: Sample.now.days(1), subject: subject, subjectPublicKeyInfo: key.subjectPublicKeyInfo,
            extensions: [
                .basicConstraints(ca: ca ?? false), .keyUsage(ca == true ? [.keyCertSign] : [.digitalSignature]),
            ])
    }
}
