package import AssayCore

extension EvidenceCase {
    /// All of them. Several have one name where platforms or purposes are made in different ways.
    package static let all: [EvidenceCase] =
        outcomes + freshness + registry + appleForms + appleStatements + appleReceipts + googleChains + googleStatements
        + googlePolicy + playTokens

    /// The case of a name, for a purpose and a platform; `nil`: any.
    static func find(_ name: String, purpose: Purpose?, platform: CasePlatform?) throws(CaseError) -> EvidenceCase {
        let named = all.filter { $0.name == name }
        guard !named.isEmpty else { throw unknown(name) }
        let ofPurpose = named.filter { purpose.map($0.purposes.contains) ?? true }
        guard !ofPurpose.isEmpty else {
            let purposes = Set(named.flatMap(\.purposes)).map(\.name).sorted()
            throw CaseError(.wrongPurpose, "the case \(name) is one of the purpose \(purposes.joined(separator: " or "))")
        }
        guard let found = ofPurpose.first(where: { entry in platform.map(entry.platforms.contains) ?? true }) else {
            let platforms = Set(ofPurpose.flatMap(\.platforms)).map(\.rawValue).sorted()
            throw CaseError(
                .wrongDevice,
                "the case \(name) is made with a device of the platform \(platforms.joined(separator: " or ")): leave the "
                    + "device out, or name one")
        }
        return found
    }

    private static func unknown(_ name: String) -> CaseError {
        if let code = ReasonCode(rawValue: name), let why = code.whyNoCase {
            return CaseError(.notMade, "no virtual device causes \(name): \(why)")
        }
        let near = Set(all.map(\.name)).sorted().filter { $0.contains(name) || name.contains($0) }
        let hint =
            near.isEmpty ? "the reply to {\"method\": \"cases\"} lists them" : "did you mean \(near.joined(separator: ", "))?"
        return CaseError(.unknownCase, "there is no case \"\(name)\"; \(hint)")
    }
}

extension ReasonCode {
    /// Why no case causes the code; `nil`: one does. A test compares both with the catalogue.
    package var whyNoCase: String? {
        switch self {
        case .payloadRequired, .clientDataMismatch, .payloadNotBound:
            "it follows from a binding that the app of the tests does not have; a service causes it by its own request"
        case .categoryMissing:
            "the app of the tests does not set require_extensions"
        case .malformed, .signatureMalformed, .caAsLeaf, .wrongCurve, .timestampTooOld, .secretUndecryptable, .serialMismatch,
            .splitNotAllowed, .unknownCertificate, .tooManySubmissions:
            "it is of certificate bundles, which cameras sign"
        case .malformedCSR, .possessionNotProven, .csrKeyMismatch, .csrNotBound, .assuranceTooLow, .keyAlreadyCertified,
            .certificateSerialTaken, .notEnrolled, .alreadyProvisioned:
            "it is of requests for certificates, and not of verdicts on uploads or registrations"
        case .hostnameMismatch, .ctsProfileMismatch: "it is of SafetyNet, whose responses are rejected as provider_deprecated"
        case .pluginQuarantined: "it is of evidence that a plugin judges"
        case .vendorRefused, .deviceBits: "it follows from the answer of a vendor's service, which the tests do not ask"
        case .receiptNotVerified, .riskMetricTooHigh: "it follows from an exchange of receipts with Apple's service"
        case .confidenceTooLow, .metadataFlagsViolated: "it follows from signals, which the app of the tests does not judge"
        case .importedNotAccepted: "it takes a device that an operator imported"
        case .simulatedNotAccepted: "the app of the tests accepts virtual devices: every device would have this reason"
        default: nil
        }
    }
}
