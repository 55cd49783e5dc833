package import AssayCertificates
package import AssayCore

/// Recognises, explains and appraises one kind of file (`assay inspect`).
package protocol EvidenceInspector: Sendable {
    /// The kind of file.
    var kind: InspectedKind { get }

    /// How a file of the kind is recognised: good enough to choose a reader, which then checks it.
    var recognition: InspectedKind.Recognition { get }

    /// Whether evidence of the kind registers a device: then a challenge is taken for one of that purpose.
    var registers: Bool { get }

    /// Describes the content of the bytes and judges nothing.
    func explain(_ bytes: [UInt8], for subject: InspectionSubject) -> Explanation

    /// Appraises the evidence. Checks whose input is missing are left out.
    func judge(_ input: InspectionInput, for subject: InspectionSubject) -> InspectionResult

    /// Describes for people what a check compares.
    func meaning(of check: String) -> String?
}

extension EvidenceInspector {
    package var registers: Bool { false }
}

/// The kind of a file. The raw value is a contract (`assay inspect --json`).
package struct InspectedKind: RawRepresentable, Hashable, Sendable {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    /// PEM text, or one certificate in DER.
    package static let certificates = InspectedKind(rawValue: "certificates")
    /// Issued by a daemon.
    package static let challenge = InspectedKind(rawValue: "challenge")
    package static let unknown = InspectedKind(rawValue: "unknown")

    /// How a file of a kind is recognised. Kinds that begin in a way of their own are looked for first.
    package enum Recognition: Sendable {
        case beginning(@Sendable ([UInt8]) -> Bool)
        /// By a name that occurs somewhere in the bytes.
        case content(String)
        /// What is left after both.
        case remaining(@Sendable ([UInt8]) -> Bool)

        package func holds(for bytes: [UInt8]) -> Bool {
            switch self {
            case .beginning(let isKind), .remaining(let isKind): isKind(bytes)
            case .content(let name): bytes.firstRange(of: Array(name.utf8)) != nil
            }
        }

        /// Kinds with a lower number are looked for first.
        package var order: Int {
            switch self {
            case .beginning: 0
            case .content: 1
            case .remaining: 2
            }
        }
    }
}

/// The app, if one is named, under whose policy a file is appraised.
package struct InspectionSubject: Sendable {
    package let app: AppID?
    /// The app's sections, by their keys. Empty: only the platform's own checks apply.
    package let sections: [String: any SchemeSection]
    package let testRoots: [TrustAnchor]

    package init(app: AppID? = nil, sections: [String: any SchemeSection] = [:], testRoots: [TrustAnchor] = []) {
        (self.app, self.sections, self.testRoots) = (app, sections, testRoots)
    }
}

/// What an appraisal for an inspection says.
package struct InspectionResult: Sendable {
    /// The verifier's findings in its order, with all failures; empty if nothing is judged.
    package let findings: [Finding]
    /// Assumptions, and inputs that would allow more checks. Sentences.
    package let remarks: [String]

    package init(_ findings: [Finding], remarks: [String] = []) { (self.findings, self.remarks) = (findings, remarks) }
}
