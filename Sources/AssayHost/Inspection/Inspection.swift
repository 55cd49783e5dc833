import AndroidKeyAttestation
import AppAttest
package import AssayCertificates
package import AssayCore
import AssayEncoding
import Crypto
import PlayIntegrity
import SafetyNet

/// Everything that can be told about a file: what it is, part by part, and what each check says about it.
package struct Inspection: Sendable {
    package let kind: InspectedKind
    package let explanation: Explanation
    /// What the verifier found, in its order, with all failures; checks that need what was not given are among them as not
    /// judged. Empty where nothing is judged.
    package let findings: [Finding]
    /// What was assumed, and what would be needed to judge more. Sentences.
    package let remarks: [String]
    /// The app whose policy was applied; `nil`: the platform's own checks alone.
    package let app: AppID?
    package let judgedAt: Timestamp

    /// No check failed.
    package var isGood: Bool { !findings.contains { $0.outcome == .fail } }

    /// Every check of the evidence could be judged. Never true of what is explained only.
    package var isFullyJudged: Bool {
        !findings.isEmpty && !findings.contains { $0.code == Finding.notJudged || $0.outcome == .unavailable }
    }

    /// What a check of this kind of evidence compares.
    package func meaning(of check: String) -> String? {
        switch kind {
        case .playIntegrityToken, .playIntegrityAnswer: PlayIntegrityCheck.meaning(of: check)
        // What it shares with other chains bears their names.
        case .safetyNetResponse: SafetyNetCheck.meaning(of: check) ?? AppAttestCheck.meaning(of: check)
        case .keyAttestation: KeyAttestationCheck.meaning(of: check)
        case .challenge: ChallengeInspection.meaning(of: check)
        case .attestation, .assertion, .receipt, .certificates, .unknown: AppAttestCheck.meaning(of: check)
        }
    }

    /// - Parameter app: judges under this app's policy, anchors and identities; `nil`: under the platform's anchors, with whatever
    ///   App ID the evidence names, in either environment, or whatever package.
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
