import AssayCore
import AssayEncoding
import AssaySimulator

extension EvidenceCase {
    /// Attestations of iPhones and Macs, and their certificates.
    static let appleForms: [EvidenceCase] = [
        assertion(.evidenceTooLarge, "The assertion is padded.", .genuine.bytes { $0 += [UInt8](repeating: 0, count: 4096) }),
        attestation(
            .evidenceTooLarge, "The attestation is padded.", .genuine.bytes { $0 += [UInt8](repeating: 0, count: 32_768) }),
        attestation(.wrongFormat, "The object is one of WebAuthn.", .genuine.object { $0["fmt"] = CBORWriter.text("packed") }),
        assertion(.malformedCBOR, "The assertion was cut on its way.", .genuine.bytes { $0.removeLast() }),
        attestation(.malformedCBOR, "The attestation was cut on its way.", .genuine.bytes { $0.removeLast() }),
        attestation(
            .malformedCertificate, "The certificate has an extension twice.",
            .genuine.leaf { $0.extensions.append(.appleNonce([UInt8](repeating: 0, count: 32))) }),
        assertion(.malformedAuthData, "The signed data is cut.", .genuine.authenticatorBytes { $0 = Array($0.prefix(36)) }),
        attestation(
            .malformedAuthData, "The certified data is cut.", .genuine.authenticatorBytes { $0 = Array($0.prefix(36)) }),
        attestation(
            .malformedNonceExtension, "The certificate has no nonce.", .genuine.leaf { $0[ExtensionName.appleNonce] = nil }),
        attestation(.badChain, "The intermediate certificate is left out.", .genuine.chain { $0.removeLast() }),
        attestation(
            .nameChaining, "The certificate names another issuer.",
            .genuine.leaf { $0.issuer = CertificateBuilder.Name(commonName: "Another CA") }),
        attestation(
            .caUsedAsLeaf, "The certificate is that of a CA.",
            .genuine.leaf { $0[ExtensionName.basicConstraints] = .basicConstraints(ca: true) }),
        attestation(
            .keyUsage, "The certificate is not one for signatures.",
            .genuine.leaf { $0[ExtensionName.keyUsage] = .keyUsage(.keyEncipherment) }),
        attestation(
            .unsupportedAlgorithm, "The certificate is signed with SHA-512.",
            .genuine.leaf {
                // ecdsa-with-SHA512 (RFC 5758 §3.2).
                $0.algorithm = .named(
                    DERWriter.sequence([DERWriter.objectIdentifier("1.2.840.10045.4.3.4")]), .sha384)
            }),
        attestation(
            .unsupportedKey, "The certified key is one of P-384.",
            .genuine.leaf { $0.subjectPublicKeyInfo = TestSigningKey(.p384).subjectPublicKeyInfo }),
        assertion(.badSignature, "Another key signed.", .genuine.signer(TestSigningKey(.p256))),
        attestation(
            .badSignature, "Another CA signed in the name of the genuine one.", .genuine.leafSigner(TestSigningKey(.p384))),
        attestation(
            .notYetValid, "The certificate is not yet valid.",
            .genuine.leaf { $0.notBefore = $0.notAfter.adding(milliseconds: -3_600_000) }),
        attestation(
            .expired, "The certificate has expired.",
            .genuine.leaf { $0.notAfter = $0.notBefore.adding(milliseconds: 3_600_000) }),
        EvidenceCase(.untrustedRoot, "A forger attests a key under a root of its own.", for: [.register], with: [.iPhone]) {
            run in
            var phone = VirtualPhone(authority: TestAuthority(), appID: CasePolicy.appID)
            return try await run.attestation(of: phone.makeKey())
        },
    ]

    /// What attestations and assertions state.
    static let appleStatements: [EvidenceCase] = [
        attestation(.nonceMismatch, "The app attests over other client data.", .genuine.clientDataHash { $0[0] ^= 1 }),
        EvidenceCase(.keyIDMismatch, "The key id is that of another key.", for: [.register], with: [.iPhone]) { run in
            var phone = run.policy.phone()
            let other = phone.makeKey().keyID
            let request = try await run.attestation(of: phone.makeKey())
            return run.request(
                request.challenge,
                Evidence(format: .appAttestAttestation, keyID: other, body: request.evidence.first?.body ?? []))
        },
        attestation(
            .credentialIDMismatch, "The credential is another than the key.",
            .genuine.authenticatorData { $0.credential?.id = [UInt8](repeating: 7, count: 32) }),
        attestation(
            .credentialKeyMismatch, "The credential's key is not the certified one.",
            .genuine.authenticatorData {
                $0.credential?.publicKey = AuthenticatorDataDraft.coseKey(point: TestSigningKey(.p256).publicPoint)
            }),
        EvidenceCase(.appIDMismatch, "The evidence is of another app.", for: [.register], with: [.iPhone]) { run in
            var phone = VirtualPhone(authority: run.policy.apple, appID: "TEAMID1234.com.example.other")
            return try await run.attestation(of: phone.makeKey())
        },
        attestation(.flagsInvalid, "The flags are not those of an attestation.", .genuine.authenticatorData { $0.flags = 0 }),
        attestation(.counterNotZero, "The attested key has signed before.", .genuine.authenticatorData { $0.signCount = 1 }),
        EvidenceCase(
            .environmentMismatch, "The app is a build of the development environment.", for: [.register], with: [.iPhone]
        ) { run in
            var phone = VirtualPhone(
                authority: run.policy.apple, appID: CasePolicy.appID, environment: .development)
            return try await run.attestation(of: phone.makeKey())
        },
        attestation(
            .aclMissing, "The key has no access control list.", with: .mac,
            .genuine.leaf { $0[ExtensionName.appleAccessControl] = nil }),
        attestation(
            .aclMismatch, "The Mac's security is reduced.", with: .mac,
            .genuine.leaf { $0[ExtensionName.appleAccessControl]?.value = DERWriter.sequence([]) }),
        attestation(
            .categoryNotAllowed, "The app was installed by TestFlight.",
            phone: { $0.validationCategory = 2 }),
        attestation(
            .bundleVersionNotAllowed, "The app is an old version.",
            phone: { $0.bundleVersion = "0.9" }),
    ]

    /// Receipts beside attestations.
    static let appleReceipts: [EvidenceCase] = [
        attestation(.receiptMissing, "The receipt was taken out.", .genuine.statement { $0["receipt"] = nil }),
        receipt(.malformedCMS, "The receipt is cut.", .genuine.bytes { $0 = Array($0.prefix(16)) }),
        receipt(.malformedReceipt, "The receipt lacks its type.", .genuine.fields { $0[6] = nil }),
        receipt(
            .receiptSignerUnexpected, "The receipt's signer is not one for receipts.",
            .genuine.signer { $0[ExtensionName.appleReceiptSigner] = nil }),
        receipt(
            .publicKeyMismatch, "The receipt is that of another key.",
            .genuine.fields { $0[3] = TestSigningKey(.p256).subjectPublicKeyInfo }),
        receipt(.receiptTypeUnexpected, "The receipt is of another type.", .genuine.fields { $0.set(6, "OTHER") }),
        receipt(
            .receiptClientHashMismatch, "The receipt is for other client data.",
            .genuine.fields { $0[4] = [UInt8](repeating: 7, count: 32) }),
        receipt(.timestampInFuture, "The receipt was made tomorrow.", .genuine.fields { $0.set(12, text(hours: 24)) }),
        receipt(.receiptExpired, "The receipt has expired.", .genuine.fields { $0.set(21, text(hours: -24)) }),
        receipt(.receiptTooOld, "The receipt was made an hour ago.", .genuine.fields { $0.set(12, text(hours: -1)) }),
    ]

    /// A time, from now, as receipts write it.
    private static func text(hours: Int64) -> String {
        SystemClock().now().adding(milliseconds: hours * 3_600_000).description
    }

    private static func attestation(
        _ code: ReasonCode, _ summary: String, with platform: CasePlatform = .iPhone, _ changes: AttestationChanges = .genuine,
        phone edit: @escaping @Sendable (inout VirtualPhone) -> Void = { _ in }
    ) -> EvidenceCase {
        EvidenceCase(code, summary, for: [.register], with: [platform]) { run in
            var phone = run.policy.phone(platform, edit: edit)
            return try await run.attestation(of: phone.makeKey(), changes)
        }
    }

    private static func receipt(_ code: ReasonCode, _ summary: String, _ changes: ReceiptChanges) -> EvidenceCase {
        attestation(code, summary, .genuine.receipt(changes))
    }

    private static func assertion(_ code: ReasonCode, _ summary: String, _ changes: AssertionChanges) -> EvidenceCase {
        EvidenceCase(code, summary, for: [.assert], with: [.iPhone]) { run in
            let challenge = try await run.challenge()
            run.device = try await run.ready()
            return run.request(challenge, try run.device.sign(try run.clientData(challenge), changes))
        }
    }
}

extension CaseRun {
    /// A request with the attestation of a key that the test does not use again.
    fileprivate func attestation(
        of key: VirtualKey, _ changes: AttestationChanges = .genuine
    ) async throws -> VerificationRequest {
        let challenge = try await challenge()
        return request(challenge, try CaseDevice.attest(key, try clientData(challenge), at: now, changes))
    }
}
