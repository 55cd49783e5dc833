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

    /// The same with the further inputs, for kinds whose content they describe. The default looks at the bytes alone.
    func explain(_ input: InspectionInput, for subject: InspectionSubject) -> Explanation

    /// Appraises the evidence. Checks whose input is missing are left out.
    func judge(_ input: InspectionInput, for subject: InspectionSubject) -> InspectionResult

    /// Describes for people what a check compares.
    func meaning(of check: String) -> String?
}

extension EvidenceInspector {
    package var registers: Bool { false }

    package func explain(_ input: InspectionInput, for subject: InspectionSubject) -> Explanation {
        explain(input.bytes, for: subject)
    }
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

/// A file to inspect, with further inputs. Checks whose input is missing are not judged; the others are.
package struct InspectionInput: Sendable {
    package var bytes: [UInt8]
    /// The platform's key id.
    package var keyID: [UInt8]?
    /// The hash that the device was expected to sign.
    package var clientDataHash: [UInt8]?
    /// The preimage of `clientDataHash`; `nil` if only the hash is known. Some evidence contains it unhashed.
    package var clientData: [UInt8]?
    /// The registered key of an assertion, an uncompressed P-256 point of 65 bytes.
    package var publicKey: [UInt8]?
    /// The last accepted counter of the device that made an assertion.
    package var counter: UInt32?
    /// The intended purpose of a challenge.
    package var purpose: Purpose?
    /// The revocation list of Android attestation certificates, in the format of Google's service.
    package var revocation: RevocationSnapshot?
    /// What is known of a depth map.
    package var depth = DepthMapOptions()
    /// The time of the appraisal.
    package var now: Timestamp

    package init(bytes: [UInt8], now: Timestamp) { (self.bytes, self.now) = (bytes, now) }
}

/// How a depth map is read and judged.
package struct DepthMapOptions: Hashable, Sendable {
    /// In pixels.
    package var width = 256
    /// In pixels.
    package var height = 192
    /// Judges edges by the strict constant.
    package var isStrict = false

    package init() {}
}

/// The reasons for which an inspection does not judge a check; each names the option that would supply the input.
extension Examination {
    package static let clientData = "the client data were not given (--challenge, --client-data or --client-data-hash)"
    package static let wholeClientData =
        "the client data were not given (--challenge or --client-data): they stand in the evidence as they are, so that a hash "
        + "of them is of no use"
    package static let app = "no app was named (--config and --app)"
    package static let keyID = "the key id was not given (--key-id)"
    package static let publicKey = "the registered key was not given (--public-key)"
    package static let registration =
        "the registration is not known here: the assertion reports no validation category of its own"
    package static let counter = "the last accepted counter was not given (--counter)"
    package static let revocation = "no list of revoked certificates was given (--revocation-list)"

    /// Leaves the checks unjudged for this reason.
    package mutating func leaveOut(_ checks: String..., because why: String) {
        for check in checks { notJudged[check] = why }
    }
}
