package import AssayAPI
package import AssayCore

/// What a plugin says of itself, checked against the contract.
package struct PluginDescription: Hashable, Sendable {
    /// The version of the contract that this daemon speaks.
    package static let protocolVersions: [UInt32] = [1]

    package let name: String
    package let version: String
    /// The highest version that both speak.
    package let protocolVersion: UInt32
    package let formats: [PluginFormat]
    package let observes: Bool
    package let configurationKeys: [PluginConfigurationKey]
    /// Services of the host that it asks for.
    package let hostServices: Set<HostService>

    /// - Parameter expected: the name of the catalog's entry.
    package init(_ response: Assay_Plugin_V1_DescribeResponse, expected: String) throws(PluginFault) {
        name = try PluginText.name(response.name, of: "the plugin's name", more: "-")
        guard name == expected else {
            throw PluginFault("the plugin says that it is '\(name)', and the catalog's entry is '\(expected)'")
        }
        version = PluginText.sentence(String(response.version.prefix(PluginText.nameLimit)))
        let shared = Set(response.protocolVersions).intersection(Self.protocolVersions)
        guard let highest = shared.max() else {
            throw PluginFault(
                "no version of the protocol is shared: the plugin speaks \(response.protocolVersions.prefix(16)), "
                    + "this daemon \(Self.protocolVersions)")
        }
        protocolVersion = highest
        formats = try Self.read(response.formats, limit: 16, "formats") { (format) throws(PluginFault) in
            try PluginFormat(format)
        }
        try Self.checkDistinct(formats.map(\.name.rawValue), "format")
        configurationKeys = try Self.read(response.configurationKeys, limit: 64, "configuration keys") {
            (key) throws(PluginFault) in try PluginConfigurationKey(key)
        }
        try Self.checkDistinct(configurationKeys.map(\.name), "configuration key")
        hostServices = Set(response.hostServices.compactMap(HostService.init))
        observes = response.observes
        guard observes || !formats.isEmpty else {
            throw PluginFault("the plugin neither appraises a format nor observes")
        }
    }

    static func read<Message, Value>(
        _ messages: [Message], limit: Int, _ what: String, _ read: (Message) throws(PluginFault) -> Value
    ) throws(PluginFault) -> [Value] {
        guard messages.count <= limit else { throw PluginFault("\(messages.count) \(what), the limit is \(limit)") }
        var values: [Value] = []
        for message in messages { values.append(try read(message)) }
        return values
    }

    static func checkDistinct(_ names: [String], _ what: String, _ done: String = "declared") throws(PluginFault) {
        var seen: Set<String> = []
        for name in names where !seen.insert(name).inserted { throw PluginFault("the \(what) '\(name)' is \(done) twice") }
    }
}

/// A format of evidence that a plugin appraises.
package struct PluginFormat: Hashable, Sendable {
    /// What keeps evidence from being accepted twice.
    package enum Freshness: Hashable, Sendable { case challenge, singleUse, statement, payload }

    /// The largest body that a plugin may ask for, in bytes: it must fit into a frame beside the rest of a request.
    package static let largestBody = 524_288
    static let measureLimit = 16

    package let name: EvidenceFormat
    package let purposes: Set<Purpose>
    package let sizeLimit: Int
    package let freshness: Freshness
    package let locates: Bool
    package let prepares: Bool
    package let claims: [String: PluginClaimKind]
    /// The retry classes of the plugin's own reason codes.
    package let codes: [String: RetryClass]
    /// The codes of another system, by the reason code; only those that the plugin declared.
    package let vendorCodes: [String: String]
    /// The signals of the confidence that appraisals may measure. Empty for freshness other than by payload.
    package let measures: Set<String>

    package init(_ format: Assay_Plugin_V1_Format) throws(PluginFault) {
        let name = try PluginText.name(format.name, of: "a format", more: ".-")
        self.name = EvidenceFormat(rawValue: name)
        purposes = Set(format.purposes.compactMap(Purpose.init))
        guard !purposes.isEmpty else { throw PluginFault("the format '\(name)' has no purpose") }
        guard (1...Self.largestBody).contains(Int(format.sizeLimit)) else {
            throw PluginFault("the format '\(name)' has the size limit \(format.sizeLimit), want 1 to \(Self.largestBody)")
        }
        sizeLimit = Int(format.sizeLimit)
        switch format.freshness {
        case .challenge: freshness = .challenge
        case .singleUse: freshness = .singleUse
        case .statement: freshness = .statement
        case .payload: freshness = .payload
        case .unspecified, .UNRECOGNIZED:
            throw PluginFault("the format '\(name)' does not say what keeps its evidence from being accepted twice")
        }
        (locates, prepares) = (format.locates, format.prepares)
        guard freshness != .payload || !locates else {
            throw PluginFault("the format '\(name)' is a part of a payload and locates a device: it has none of its own")
        }
        let claims = try PluginDescription.read(format.claims, limit: 64, "claims of '\(name)'") {
            (claim) throws(PluginFault) in
            guard let kind = PluginClaimKind(claim.kind) else { throw PluginFault("a claim of '\(name)' has no kind") }
            return (try PluginText.name(claim.name, of: "a claim"), kind)
        }
        try PluginDescription.checkDistinct(claims.map(\.0), "claim")
        self.claims = Dictionary(claims, uniquingKeysWith: { first, _ in first })
        let codes = try PluginDescription.read(format.codes, limit: 64, "codes of '\(name)'") {
            (code) throws(PluginFault) in
            (
                name: try Self.declared(code.code), retry: RetryClass(code.retry) ?? .contactOperator,
                vendor: try PluginText.vendorCode(code.vendorCode)
            )
        }
        try PluginDescription.checkDistinct(codes.map(\.name), "reason code")
        self.codes = Dictionary(codes.map { ($0.name, $0.retry) }, uniquingKeysWith: { first, _ in first })
        vendorCodes = Dictionary(
            codes.lazy.filter { !$0.vendor.isEmpty }.map { ($0.name, $0.vendor) }, uniquingKeysWith: { first, _ in first })
        let measures = try PluginDescription.read(format.measures, limit: Self.measureLimit, "signals that '\(name)' measures")
        {
            (signal) throws(PluginFault) in
            guard signal.count <= SignalDocument.nameLimit else {
                throw PluginFault(
                    "a signal that '\(name)' measures has \(signal.count) bytes, want at most \(SignalDocument.nameLimit)")
            }
            return try PluginText.name(signal, of: "a signal")
        }
        try PluginDescription.checkDistinct(measures, "measured signal")
        guard measures.isEmpty || freshness == .payload else {
            throw PluginFault("the format '\(name)' measures signals, which only a part of a payload can")
        }
        self.measures = Set(measures)
    }
}

extension PluginFormat {
    /// Codes of decisions that the daemon alone takes, from its ledger, its limits and the app's configuration: a caller that reads one of them may
    /// rely on that.
    static let reservedCodes: Set<ReasonCode> = [
        .challengeInvalid, .challengeWrongPurpose, .challengeAttemptsExceeded, .idempotencyKeyReused, .bindingNotAllowed,
        .payloadNotBound, .formatNotAccepted, .pluginQuarantined, .vendorRefused, .confidenceTooLow, .metadataFlagsViolated,
        .assuranceTooLow, .deviceBlocked, .deviceFlagged, .deviceMismatch, .keyOwnerMismatch, .keyAlreadyRegistered,
        .tooManyDevices, .replacementRefused, .importedNotAccepted, .simulatedNotAccepted, .unknownCertificate,
        .keyAlreadyCertified, .certificateSerialTaken, .tooManySubmissions, .notEnrolled, .alreadyProvisioned, .malformedCSR,
        .possessionNotProven, .csrKeyMismatch, .csrNotBound,
    ]

    /// A reason code that the plugin declared, or one of Assay's. A declared one comes with its retry class.
    ///
    /// - Parameter toldBlock: whether the daemon told the plugin in this call that a device of the fleet is blocked. Then the block is the
    ///   daemon's word, which the plugin repeats.
    func code(
        _ bytes: [UInt8], toldBlock: Bool = false
    ) throws(PluginFault) -> (code: FailureCode, retry: RetryClass?) {
        let text = try PluginText.name(bytes, of: "a reason code")
        guard let code = FailureCode(rawValue: text), code.builtIn != nil || codes[text] != nil else {
            throw PluginFault("the reason code '\(text)' is neither declared nor one of Assay's")
        }
        guard !Self.isReserved(code) || toldBlock && code.builtIn == .deviceBlocked else { throw Self.reserved(text) }
        return (code, codes[text])
    }

    private static func isReserved(_ code: FailureCode) -> Bool { code.builtIn.map(reservedCodes.contains) ?? false }

    private static func reserved(_ text: String) -> PluginFault {
        PluginFault("the reason code '\(text)' says what only Assay decides")
    }

    fileprivate static func declared(_ bytes: some Collection<UInt8>) throws(PluginFault) -> String {
        let text = try PluginText.name(bytes, of: "a reason code")
        if let code = FailureCode(rawValue: text), isReserved(code) { throw reserved(text) }
        return text
    }
}

extension Rejection {
    /// The refusal of evidence that could not be located, or of data that could not be prepared.
    init(_ refusal: Assay_Plugin_V1_Refusal, of format: PluginFormat) throws(PluginFault) {
        let (code, retry) = try format.code(Array(refusal.code))
        self.init(code, PluginText.sentence(refusal.detail), retry: retry)
    }
}

/// A key at the top of a plugin's configuration.
package struct PluginConfigurationKey: Hashable, Sendable {
    package let name: String
    package let kind: Assay_Plugin_V1_ValueKind
    package let isRequired: Bool
    package let meaning: String

    init(_ key: Assay_Plugin_V1_ConfigurationKey) throws(PluginFault) {
        name = try PluginText.name(key.name, of: "a configuration key")
        (kind, isRequired, meaning) = (key.kind, key.required, PluginText.sentence(key.meaning))
    }
}

/// The services of the host that a plugin has to declare.
package enum HostService: String, CaseIterable, Hashable, Sendable {
    case findDevice = "FindDevice"
    case findUsed = "FindUsed"
    case getAnchors = "GetAnchors"
    case findFleetDevice = "FindFleetDevice"
    case deriveKey = "DeriveKey"
    case flagDevice = "FlagDevice"

    /// `nil` for a service of a later version.
    init?(_ service: Assay_Plugin_V1_HostService) {
        switch service {
        case .findDevice: self = .findDevice
        case .findUsed: self = .findUsed
        case .getAnchors: self = .getAnchors
        case .findFleetDevice: self = .findFleetDevice
        case .deriveKey: self = .deriveKey
        case .flagDevice: self = .flagDevice
        case .unspecified, .UNRECOGNIZED: return nil
        }
    }
}

/// The kinds of values that a plugin's claims have.
package enum PluginClaimKind: Hashable, Sendable {
    case text, integer, boolean, bytes, texts, time

    init?(_ kind: Assay_Plugin_V1_ClaimKind) {
        switch kind {
        case .text: self = .text
        case .integer: self = .integer
        case .boolean: self = .boolean
        case .bytes: self = .bytes
        case .texts: self = .texts
        case .time: self = .time
        case .unspecified, .UNRECOGNIZED: return nil
        }
    }
}

extension Purpose {
    /// `nil` for a purpose of a later version.
    init?(_ purpose: Assay_Plugin_V1_Purpose) {
        switch purpose {
        case .register: self = .register
        case .assert: self = .assert
        case .provision: self = .provision
        case .renew: self = .renew
        case .unspecified, .UNRECOGNIZED: return nil
        }
    }
}

extension RetryClass {
    init?(_ retry: Assay_Plugin_V1_Retry) {
        switch retry {
        case .never: self = .never
        case .newChallenge: self = .newChallenge
        case .reAttest: self = .reAttest
        case .later: self = .later
        case .contactOperator: self = .contactOperator
        case .unspecified, .UNRECOGNIZED: return nil
        }
    }
}
