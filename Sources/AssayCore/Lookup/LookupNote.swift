/// What the answer to a look-up means, and what it does not, in one sentence or two for people who know nothing of attestation.
///
/// Raw values are on the wire: never renamed, never reused. Sentences are stable too: they are shown beside photos. `docs/reference/look-up-notes.md` lists both.
package enum LookupNote: String, CaseIterable, Hashable, Sendable {
    case nothingFound = "nothing_found"
    case simulated
    case secureElement = "attested_secure_element"
    case hardware = "attested_hardware"
    case platform = "attested_platform"
    case software = "attested_software"
    case veryHighConfidence = "confidence_very_high"
    case highConfidence = "confidence_high"
    case mediumHighConfidence = "confidence_medium_high"
    case mediumConfidence = "confidence_medium"
    case lowConfidence = "confidence_low"
    case suspiciousConfidence = "confidence_suspicious"
    case noConfidence = "confidence_rejected"

    /// That of a test device comes before all others; then that of a vendor's word, which no key of the device stands behind; then that of the
    /// level of confidence; then that of the assurance.
    package init(_ verdict: FoundVerdict) {
        guard !verdict.simulated else {
            self = .simulated
            return
        }
        let capture = verdict.assurance == .platform ? nil : verdict.capture
        self = capture.map { Self($0.level) } ?? Self(verdict.assurance)
    }

    private init(_ level: ConfidenceLevel) {
        switch level {
        case .veryHigh: self = .veryHighConfidence
        case .high: self = .highConfidence
        case .mediumHigh: self = .mediumHighConfidence
        case .medium: self = .mediumConfidence
        case .low: self = .lowConfidence
        case .suspicious: self = .suspiciousConfidence
        case .rejected: self = .noConfidence
        }
    }

    private init(_ assurance: Assurance) {
        switch assurance {
        case .secureElement: self = .secureElement
        case .hardware: self = .hardware
        case .platform: self = .platform
        case .software, .none: self = .software
        }
    }

    package var sentence: String {
        switch self {
        case .nothingFound:
            "No accepted verdict on exactly these bytes is kept. That says nothing against the file: a single changed byte, as after saving it "
                + "again or sending it through a messenger, makes another file, and verdicts are kept for a limited time."
        case .simulated: "A test device made this: no genuine device stands behind it, and it proves nothing about the file."
        case .secureElement:
            "A genuine device, whose key lies in a secure element, signed the hash of exactly these bytes. \(Self.saysNotWhatIsShown)"
        case .hardware:
            "A genuine device, whose key lies in protected hardware, signed the hash of exactly these bytes. \(Self.saysNotWhatIsShown)"
        case .platform:
            "The vendor of the device's system vouched for device and app, for a request with the hash of exactly these bytes; no key in hardware signed "
                + "it. \(Self.saysNotWhatIsShown)"
        case .software:
            "A key that software stores, and that may have been copied, signed the hash of exactly these bytes. Little is known of the device, and nothing "
                + "of what the file shows."
        case .veryHighConfidence:
            "A genuine device signed the hash of exactly these bytes, and everything that its app can measure speaks clearly for a real scene. "
                + Self.appsWord
        case .highConfidence:
            "A genuine device signed the hash of exactly these bytes, and what its app measured speaks clearly for a real scene. \(Self.appsWord)"
        case .mediumHighConfidence:
            "A genuine device signed the hash of exactly these bytes, and what its app measured speaks for a real scene, with something missing. "
                + Self.appsWord
        case .mediumConfidence:
            "A genuine device signed the hash of exactly these bytes, and part of what its app measured speaks for a real scene. \(Self.appsWord)"
        case .lowConfidence:
            "A genuine device signed the hash of exactly these bytes, and little or nothing that its app measured speaks for a real scene: it may be a "
                + "picture of a picture. That does not make the file false."
        case .suspiciousConfidence:
            "A genuine device signed the hash of exactly these bytes, and something that its app measured speaks against a real scene, as a screen or a "
                + "print before the camera would. That does not prove the file false."
        case .noConfidence:
            "A key that software stores, and that may have been copied, signed the hash of exactly these bytes: nothing that the app measured counts, and "
                + "nothing is known of what the file shows."
        }
    }

    private static let saysNotWhatIsShown =
        "That does not say what the file shows, who made it, or how it came into the app."
    private static let appsWord =
        "The measurements are the app's word: they do not prove what is shown, who took it, or that nothing was staged."
}
