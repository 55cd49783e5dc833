import AssayCore
import AssayEncoding
import AssaySimulator

extension EvidenceCase {
    /// Chains of Android devices.
    static let googleChains: [EvidenceCase] = [
        attestation(.malformedCertificate, "The certificate was cut on its way.", .certificateBytes(0) { $0.removeLast() }),
        attestation(.badChain, "All certificates but the first are left out.", .chain { $0 = Array($0.prefix(1)) }),
        attestation(
            .nameChaining, "The certificate names another issuer.",
            .certificate(0) { $0.issuer = CertificateBuilder.Name(commonName: "Another CA") }),
        attestation(
            .badSignature, "Another key signed the certificate.", .signer(of: 0, TestKey(TestSigningKey(.p256)))),
        EvidenceCase(.badSignature, "Another key signed.", for: [.assert], with: [.android], make: forged),
        EvidenceCase(.untrustedRoot, "A forger attests a key under a root of its own.", for: [.register], with: [.android]) {
            run in
            var device = VirtualAndroid(
                authority: AndroidAuthority(), application: run.policy.android().application, level: .strongBox)
            device.identifiers = run.policy.android().identifiers
            return try await run.attestation(of: try device.makeKey())
        },
        attestation(
            .expired, "The certificate of the attestation key has expired.",
            .certificate(1) { $0.notAfter = $0.notBefore.adding(milliseconds: 3_600_000) }),
        attestation(
            .notYetValid, "The certificate of the attestation key is not yet valid.",
            .certificate(1) { $0.notBefore = $0.notAfter.adding(milliseconds: -3_600_000) }),
        attestation(
            .missingAttestationExtension, "The certificate describes no key.",
            .certificate(0) { $0[ExtensionName.keyDescription] = nil }),
        EvidenceCase(
            .chainExtended, "A genuine key attests another one.", for: [.register], with: [.android]
        ) { run in
            var device = run.policy.android()
            let key = try device.makeKey()
            let challenge = try await run.challenge()
            let data = try run.clientData(challenge)
            let chain = try key.attest(challenge: data.bytes, at: run.now, changes: CasePolicy.genuineKey)
            let longer = try key.extend(chain, with: try device.makeKey(), challenge: data.bytes, at: run.now)
            return run.request(challenge, CaseDevice.chain(longer))
        },
        attestation(
            .chainShape, "A certificate of Google's servers is in the wrong place.",
            .certificate(2) {
                var info = CBORMap()
                info.append(1, CBORWriter.integer(2))
                $0.extensions.append(.provisioningInfo(info.bytes))
            }),
        attestation(
            .revoked, "The certificate is on the app's list of those that leaked.",
            device: { $0.attestationSerial = CasePolicy.deniedSerial }),
    ]

    /// What a key description states.
    static let googleStatements: [EvidenceCase] = [
        attestation(
            .challengeMismatch, "The key was attested over another challenge.", .description { $0.challenge = [1, 2, 3] }),
        attestation(.malformedExtension, "The description is cut.", .descriptionBytes { $0.removeLast() }),
        attestation(
            .softwareLevel, "Software keeps the key.",
            .description { ($0.attestationLevel, $0.keyMintLevel) = (0, 0) }),
        attestation(
            .securityLevelMismatch, "The chain is one of the TEE, the description one of StrongBox.",
            .description { ($0.attestationLevel, $0.keyMintLevel) = (2, 2) }, level: .trustedEnvironment),
        attestation(
            .rootOfTrustMissing, "The hardware does not say how the device booted.",
            .description { $0.hardware[.rootOfTrust] = nil }),
        attestation(.bootloaderUnlocked, "The bootloader is unlocked.", device: { $0.rootOfTrust = .unlocked }),
        attestation(.bootState, "The booted system is not verified.", device: { $0.rootOfTrust.verifiedBootState = 2 }),
        attestation(.keyOrigin, "The key was imported.", .description { $0.hardware.set(.origin, integer: 2) }),
        attestation(
            .keyPurpose, "The key is not one for signatures.", .description { $0.hardware.set(.purpose, integers: [0, 1]) }),
        attestation(.keyNotAppBound, "Every app may use the key.", .description { $0.software.set(.allApplications) }),
        attestation(
            .keyType, "The description is one of an RSA key.", .description { $0.hardware.set(.algorithm, integer: 1) }),
        attestation(
            .attestedAppMissing, "The device does not name the app.",
            .description { $0.software[.attestationApplicationID] = nil }),
        attestation(.attestedAppUnavailable, "The device could not name the app.", device: { $0.application = .unknown }),
        attestation(
            .packageMismatch, "The evidence is of another app.",
            device: {
                $0.application = AttestedApplicationDraft("com.example.other", version: 2, signer: CasePolicy.signer)
            }),
        attestation(
            .signerMismatch, "The app is signed by someone else.",
            device: {
                $0.application = AttestedApplicationDraft(
                    CasePolicy.package, version: 2, signer: [UInt8](repeating: 4, count: 32))
            }),
        attestation(
            .tagsNotAscending, "The description's tags are out of order.",
            .description { $0.hardware.append(.rollbackResistance, DERWriter.null) }),
        attestation(.versionsDiffer, "KeyMint has another version.", .description { $0.keyMintVersion = 300 }),
    ]

    /// What the app demands of devices.
    static let googlePolicy: [EvidenceCase] = [
        attestation(.securityLevelTooLow, "The key is in the TEE.", level: .trustedEnvironment),
        attestation(
            .bootKey, "The device boots a system that the app rejects.",
            device: { $0.rootOfTrust.verifiedBootKey = CasePolicy.deniedBootKey }),
        attestation(
            .bootKeyDenied, "The system is signed with a key that everyone has.",
            device: {
                // testkey_rsa4096 of Android Verified Boot.
                $0.rootOfTrust.verifiedBootKey =
                    Hex.decode("7728e30f50bfa5cea165f473175a08803f6a8346642b5aa10913e9d9e6defef6") ?? []
            }),
        attestation(
            .appVersion, "The app is an old version.",
            device: { $0.application = AttestedApplicationDraft(CasePolicy.package, version: 1, signer: CasePolicy.signer) }),
        attestation(.osVersion, "The system is an old version.", device: { $0.osVersion = 120_000 }),
        attestation(.patchLevelTooOld, "The system has not been patched for long.", device: { $0.osPatchLevel = 202_301 }),
        attestation(.patchLevelInFuture, "The patch level is in the future.", device: { $0.osPatchLevel = 209_912 }),
        EvidenceCase(
            .keyProperties, "The key may be used while the device is locked.", for: [.register], with: [.android]
        ) { run in
            var device = run.policy.android()
            return try await run.attestation(of: try device.makeKey(), .genuine)
        },
        attestation(
            .createdOutOfWindow, "The key was made long ago.",
            .description { $0.software.set(.creationDateTime, integer: 1_600_000_000_000) }),
        attestation(.attestedIDMismatch, "The device is of another brand.", device: { $0.identifiers[.brand] = "other" }),
        attestation(.remoteProvisioningRequired, "The attestation key is one of the factory.", provisioning: .factory),
        attestation(.provisioningCount, "The device got very many certificates.", device: { $0.certificatesIssued = 101 }),
    ]

    /// A deviation from a genuine attestation of the app's key.
    private struct Deviation {
        let changes: KeyAttestationChanges

        static let none = Deviation(changes: CasePolicy.genuineKey)

        static func description(_ change: @escaping KeyAttestationChanges.Change<KeyDescriptionDraft>) -> Deviation {
            Deviation(changes: CasePolicy.genuineKey.description(change))
        }
        static func descriptionBytes(_ change: @escaping KeyAttestationChanges.Change<[UInt8]>) -> Deviation {
            Deviation(changes: CasePolicy.genuineKey.descriptionBytes(change))
        }
        static func certificate(
            _ index: Int, _ change: @escaping KeyAttestationChanges.Change<CertificateBuilder>
        ) -> Deviation {
            Deviation(changes: CasePolicy.genuineKey.certificate(index, change))
        }
        static func certificateBytes(_ index: Int, _ change: @escaping KeyAttestationChanges.Change<[UInt8]>) -> Deviation {
            Deviation(changes: CasePolicy.genuineKey.certificateBytes(index, change))
        }
        static func signer(of index: Int, _ key: TestKey) -> Deviation {
            Deviation(changes: CasePolicy.genuineKey.signer(of: index, key))
        }
        static func chain(_ change: @escaping KeyAttestationChanges.Change<[[UInt8]]>) -> Deviation {
            Deviation(changes: CasePolicy.genuineKey.chain(change))
        }
    }

    private static func attestation(
        _ code: ReasonCode, _ summary: String, _ deviation: Deviation = .none, level: VirtualAndroid.Level = .strongBox,
        provisioning: VirtualAndroid.Provisioning = .remote,
        device edit: @escaping @Sendable (inout VirtualAndroid) -> Void = { _ in }
    ) -> EvidenceCase {
        let changes = deviation.changes
        return EvidenceCase(code, summary, for: [.register], with: [.android]) { run in
            var device = run.policy.android(level: level, provisioning: provisioning, edit: edit)
            return try await run.attestation(of: try device.makeKey(), changes)
        }
    }
}

extension CaseRun {
    /// A request with the attestation of a key that the test does not use again.
    fileprivate func attestation(
        of key: AndroidKey, _ changes: KeyAttestationChanges = CasePolicy.genuineKey
    ) async throws -> VerificationRequest {
        let challenge = try await challenge()
        return request(challenge, try CaseDevice.attest(key, try clientData(challenge), at: now, changes))
    }
}
