import AndroidKeyAttestation
import AppAttest
package import AssayCertificates
package import AssayCore
import AssayEncoding
package import AssaySchemes
import Crypto
import PlayIntegrity
import SafetyNet

/// The full description of a file: its kind, its parts, and the result of each check.
package struct Inspection: Sendable {
    package let kind: InspectedKind
    package let explanation: Explanation
    /// The verifier's findings in its order, with all failures; checks without their input are not judged. Empty if nothing is
    /// judged.
    package let findings: [Finding]
    /// Assumptions, and inputs that would allow more checks. Sentences.
    package let remarks: [String]
    /// The app whose policy was applied; `nil`: only the platform's own checks.
    package let app: AppID?
    package let judgedAt: Timestamp

    /// No check failed.
    package var isGood: Bool { !findings.contains { $0.outcome == .fail } }

    /// Every check of the evidence was judged. Always false if the file is only explained.
    package var isFullyJudged: Bool {
        !findings.isEmpty && !findings.contains { $0.code == Finding.notJudged || $0.outcome == .unavailable }
    }

    /// Describes what a check of this kind of evidence compares.
    package func meaning(of check: String) -> String? {
        switch kind {
        case .playIntegrityToken, .playIntegrityAnswer: PlayIntegrityCheck.meaning(of: check)
        // Checks that all chains share have their names.
        case .safetyNetResponse: SafetyNetCheck.meaning(of: check) ?? AppAttestCheck.meaning(of: check)
        case .keyAttestation: KeyAttestationCheck.meaning(of: check)
        case .challenge: ChallengeInspection.meaning(of: check)
        case .attestation, .assertion, .receipt, .certificates, .unknown: AppAttestCheck.meaning(of: check)
        }
    }

    /// - Parameter app: applies this app's policy, anchors and identities; `nil`: applies the platform's anchors, and accepts
    ///   every App ID, environment and package.
    package init(_ input: InspectionInput, under app: Configuration.App? = nil, testRoots: [TrustAnchor] = []) {
        kind = InspectedKind(input.bytes)
        self.app = app?.id
        judgedAt = input.now
        let policy = InspectionPolicy(app, testRoots: testRoots, evidence: input.bytes)
        switch kind {
        case .attestation:
            explanation = AppAttestExplanation.attestation(input.bytes[...])
            (findings, remarks) = policy.judge(attestation: input)
        case .assertion:
            explanation = AppAttestExplanation.assertion(input.bytes[...])
            (findings, remarks) = policy.judge(assertion: input)
        case .receipt:
            explanation = AppAttestExplanation.receipt(input.bytes[...])
            (findings, remarks) = policy.judge(receipt: input)
        case .playIntegrityToken:
            let play = PlayIntegrityInspection(app)
            explanation = PlayIntegrityExplanation.token(input.bytes[...], keys: play.keys)
            (findings, remarks) = play.judge(token: input)
        case .playIntegrityAnswer:
            explanation = PlayIntegrityExplanation.answer(input.bytes[...])
            (findings, remarks) = PlayIntegrityInspection(app).judge(answer: input)
        case .safetyNetResponse:
            explanation = SafetyNetExplanation.response(input.bytes[...])
            (findings, remarks) = SafetyNetInspection.judge(input)
        case .keyAttestation:
            explanation = KeyAttestationExplanation.chain(
                KeyAttestationInspection.certificates(input.bytes), of: input.bytes[...])
            (findings, remarks) = KeyAttestationInspection(app, testRoots: testRoots).judge(input)
        case .challenge:
            explanation = Challenge.explain(input.bytes)
            (findings, remarks) = ChallengeInspection.judge(input, app?.id)
        case .certificates:
            explanation = CertificateList.explain(input.bytes)
            (findings, remarks) = (
                [], ["Certificates alone are explained and not judged: what they may do depends on the evidence."]
            )
        case .unknown:
            explanation = UnknownFile.explain(input.bytes)
            (findings, remarks) = ([], [UnknownFile.remark])
        }
    }
}

/// Certificates in PEM or DER.
enum CertificateList {
    static func explain(_ bytes: [UInt8]) -> Explanation {
        guard bytes.starts(with: "-----BEGIN".utf8) else { return Certificate.explain(bytes[...]) }
        var list = Explanation("certificates in PEM", of: bytes[...])
        list.read { (list) throws(Rejection) in
            let blocks = try PEM.decode(String(decoding: bytes, as: UTF8.self))
            list.add("certificates", .integer(Int64(blocks.count)))
            for (index, block) in blocks.enumerated() {
                list.add(Certificate.explain(block[...], title: "certificate \(index)"))
            }
            for (index, (below, above)) in zip(blocks, blocks.dropFirst()).enumerated() {
                let link = try Self.link(Certificate(der: below[...]), Certificate(der: above[...]))
                list.add("certificate \(index)", .text(link), "by its name and its signature")
            }
        }
        return list
    }

    private static func link(_ subject: Certificate, _ issuer: Certificate) -> String {
        guard subject.issuer == issuer.subject else { return "names another issuer than the next certificate" }
        do throws(Rejection) {
            try PublicKey(issuer.publicKey).verify(
                subject.signature, by: subject.signatureAlgorithm, over: subject.signedPart)
            return "is issued by the next certificate"
        } catch {
            return "names the next certificate as its issuer, but \(error.detail)"
        }
    }
}
