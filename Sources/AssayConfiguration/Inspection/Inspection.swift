import AssayCertificates
package import AssayCore
import AssayEncoding
package import AssaySchemes

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
    /// The numbers of a depth map with a valid pixel; `nil` for other files.
    package let depth: (statistics: DepthStatistics, judgement: DepthJudgement)?
    private let inspector: any EvidenceInspector

    /// No check failed.
    package var isGood: Bool { !findings.contains { $0.outcome == .fail } }

    /// Every check of the evidence was judged. Always false if the file is only explained.
    package var isFullyJudged: Bool {
        !findings.isEmpty && !findings.contains { $0.code == Finding.notJudged || $0.outcome == .unavailable }
    }

    /// Describes what a check of this kind of evidence compares.
    package func meaning(of check: String) -> String? { inspector.meaning(of: check) }

    /// - Parameter subject: the app whose policy, anchors and identities apply; without one the platform's anchors do, and every App ID,
    ///   environment and package is accepted.
    package init(
        _ input: InspectionInput, for subject: InspectionSubject = InspectionSubject(), by inspectors: Inspectors = .builtIn
    ) {
        inspector = inspectors.inspector(of: input.bytes)
        kind = inspector.kind
        app = subject.app
        judgedAt = input.now
        depth = inspector.kind == .depthMap ? DepthMapInspector.numbers(of: input) : nil
        explanation = inspector.explain(input, for: subject)
        let result = inspector.judge(input, for: subject)
        (findings, remarks) = (result.findings, result.remarks)
    }
}

/// The inspectors of all platforms, and of what belongs to no platform.
package struct Inspectors: Sendable {
    /// In the order in which they are asked.
    private let all: [any EvidenceInspector]

    package static let builtIn = Inspectors(builtInSchemes)

    package init(_ schemes: [any AttestationScheme.Type]) {
        let unknown = UnknownFile(forms: schemes.compactMap { $0.inspectedForms })
        let known =
            schemes.flatMap { $0.inspectors } + [DepthMapInspector(), CertificateInspector(), ChallengeInspector(), unknown]
        all = (0...2).flatMap { order in known.filter { $0.recognition.order == order } }
    }

    /// By the first bytes; then by the names in the bytes; then by what remains. The last inspector takes every file.
    package func inspector(of bytes: [UInt8]) -> any EvidenceInspector {
        all.first { $0.recognition.holds(for: bytes) } ?? UnknownFile(forms: [])
    }
}

/// A file of no known kind: the description that is given nevertheless.
struct UnknownFile: EvidenceInspector {
    /// The files of platforms that are known, as parts of a sentence.
    let forms: [String]

    let kind = InspectedKind.unknown
    let recognition = InspectedKind.Recognition.remaining { _ in true }

    func judge(_ input: InspectionInput, for subject: InspectionSubject) -> InspectionResult {
        let known = forms + ["depth maps (gzip)", "certificates in PEM or DER", "challenges"]
        return InspectionResult([], remarks: ["What is known: \(known.joined(separator: "; "))."])
    }

    func meaning(of check: String) -> String? { nil }

    func explain(_ bytes: [UInt8], for subject: InspectionSubject) -> Explanation {
        guard !bytes.isEmpty else { return Explanation("an empty file", of: bytes[...]) }
        var unknown = Explanation("a file of no known kind", of: bytes[...])
        unknown.add("begins with", bytes.prefix(16))
        // App Attest objects are CBOR maps. Other bytes would be reported as broken at an accidental place.
        guard let first = bytes.first, first >> 5 == 5 else { return unknown }
        unknown.read { (unknown) throws(Rejection) in
            let item = try CBORReader.parse(bytes[...], code: .malformedCBOR)
            unknown.add("cbor", .text("\(item.kind)"), "well-formed, but neither an attestation nor an assertion")
        }
        return unknown
    }
}
