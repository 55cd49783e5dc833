package import AssayAPI
package import AssayCore
import Crypto
import Foundation

/// A plugin's judgement of one piece of evidence, checked against what the plugin declared: what it may say, about which devices, and for
/// how long.
package struct PluginAppraisal: Hashable, Sendable {
    /// What the evidence has in place of a challenge.
    package enum Use: Hashable, Sendable {
        case challenge
        /// Tokens that are used up, each with the code of the rejection if it was used before.
        case tokens([Token])
        case statement(digest: [UInt8], until: Timestamp)
        /// Nothing: the evidence is a part of the payload that the request binds.
        case payload
    }

    package struct Token: Hashable, Sendable {
        /// 32 bytes, of app, plugin, format and the plugin's token: those of two plugins or apps never meet.
        package let digest: [UInt8]
        package let until: Timestamp
        /// The rejection of evidence whose token was used before.
        package let used: Rejection
    }

    package enum Effect: Hashable, Sendable {
        case none
        case register(keyID: [UInt8], publicKey: [UInt8])
        case advance(counter: UInt32)
    }

    package let findings: [Finding]
    package let claims: Claims
    package let assurance: Assurance
    package let use: Use
    package let effect: Effect
    package let measurements: [SignalMeasurement]

    /// Whether no check failed, and one could not be made: the evidence is neither accepted nor rejected.
    package var isOpen: Bool { failure == nil && findings.contains { $0.outcome == .unavailable } }

    /// The first failed check.
    package var failure: Finding? { findings.first { $0.outcome == .fail } }
}

/// Who speaks, and about what: the borders within which an appraisal is read.
package struct PluginScope: Sendable {
    package let plugin: String
    package let format: PluginFormat
    package let app: AppID
    /// `nil`: that of an answer that was checked against its purpose when it came.
    package let purpose: Purpose?
    /// SHA-256 of the client data that were expected; `nil` without a challenge.
    package let clientDataSHA256: [UInt8]?
    /// SHA-256 of the payload that the client data bind; `nil` if they bind none.
    package let payloadSHA256: [UInt8]?
    /// Whether Locate named a device that is registered.
    package let hasDevice: Bool
    package let ceiling: Assurance
    package let now: Timestamp
    /// Whether the daemon told the plugin in this call that a device of the fleet is blocked. True of an answer that was checked when it came.
    package let toldBlock: Bool
    /// Whether the judgement can accept evidence. Of a second opinion, which can only reject, the findings alone are read.
    package let canAccept: Bool

    package init(
        plugin: String, format: PluginFormat, app: AppID, purpose: Purpose?, clientDataSHA256: [UInt8]?,
        payloadSHA256: [UInt8]?, hasDevice: Bool, ceiling: Assurance, now: Timestamp, toldBlock: Bool, canAccept: Bool = true
    ) {
        (self.plugin, self.format, self.app, self.purpose) = (plugin, format, app, purpose)
        (self.clientDataSHA256, self.payloadSHA256, self.hasDevice) = (clientDataSHA256, payloadSHA256, hasDevice)
        (self.ceiling, self.now, self.toldBlock, self.canAccept) = (ceiling, now, toldBlock, canAccept)
    }

    /// The key id of a device of this plugin, from what the plugin calls its subject key: 32 bytes.
    package func keyID(ofSubjectKey key: [UInt8]) -> [UInt8] { digest(Self.deviceTag, key) }

    static let deviceTag = "assay.plugin.device.v1"
    static let tokenTag = "assay.plugin.token.v1"

    func digest(_ tag: String, _ value: [UInt8]) -> [UInt8] {
        Self.digest(tag, plugin: plugin, format: format.name, value)
    }

    /// A digest that is the plugin's and the format's own.
    static func digest(_ tag: String, plugin: String, format: EvidenceFormat, _ value: [UInt8]) -> [UInt8] {
        var hash = FieldDigest(tag)
        hash.append(plugin)
        hash.append(format.rawValue)
        hash.append(value)
        return hash.finalize()
    }
}

extension PluginAppraisal {
    static let findingLimit = 64
    static let claimLimit = 64
    static let tokenLimit = 4
    /// How far ahead a token or statement may be remembered, in milliseconds: 400 days.
    static let memoryLimit: Int64 = 400 * 86_400_000

    /// Reads the answer of Appraise. Throws for one that is against the contract: nothing of it is used.
    package init(_ response: Assay_Plugin_V1_AppraiseResponse, in scope: PluginScope) throws(PluginFault) {
        findings = try PluginDescription.read(response.findings, limit: Self.findingLimit, "findings") {
            (finding) throws(PluginFault) in try Finding(finding, scope)
        }
        guard !findings.isEmpty else { throw PluginFault("the appraisal has no finding") }
        let isAccepting = findings.allSatisfy { $0.outcome != .fail && $0.outcome != .unavailable }
        guard scope.canAccept, isAccepting else {
            // What was not accepted says nothing, and changes nothing. Nor does a second opinion.
            (claims, assurance, effect, measurements) = (Claims(), .none, .none, [])
            use = scope.format.freshness == .challenge ? .challenge : .tokens([])
            return
        }
        claims = try Claims(response.claims, scope)
        assurance = min(Assurance(response.assurance) ?? .none, scope.ceiling)
        effect = try Self.effect(response, scope)
        use = try Self.use(response, scope)
        measurements = try Self.measurements(response, scope)
    }

    private static func effect(
        _ response: Assay_Plugin_V1_AppraiseResponse, _ scope: PluginScope
    ) throws(PluginFault) -> Effect {
        switch response.effect.kind {
        case .registration(let registration):
            guard scope.purpose ?? .register == .register else {
                throw PluginFault("a device is registered for another purpose")
            }
            guard (1...1024).contains(registration.subjectKey.count), registration.publicKey.count <= 4096 else {
                throw PluginFault(
                    "a registration has a subject key of \(registration.subjectKey.count) bytes, want 1 to 1024, and a public key of "
                        + "\(registration.publicKey.count), want at most 4096")
            }
            return .register(
                keyID: scope.keyID(ofSubjectKey: Array(registration.subjectKey)), publicKey: Array(registration.publicKey))
        case .advance(let advance):
            guard scope.hasDevice else { throw PluginFault("a counter is advanced, and no device was located") }
            return .advance(counter: advance.counter)
        case nil: return .none
        }
    }

    /// What was measured, of evidence that is a part of a payload.
    private static func measurements(
        _ response: Assay_Plugin_V1_AppraiseResponse, _ scope: PluginScope
    ) throws(PluginFault) -> [SignalMeasurement] {
        guard scope.format.freshness == .payload else {
            guard response.measurements.isEmpty, response.verifiedPayloadSha256.isEmpty else {
                throw PluginFault("a payload is verified or measured, and the evidence is no part of a payload")
            }
            return []
        }
        let measurements = try PluginDescription.read(
            response.measurements, limit: PluginFormat.measureLimit, "measurements"
        ) { (measurement) throws(PluginFault) in try SignalMeasurement(measurement, scope) }
        try PluginDescription.checkDistinct(measurements.map(\.signal), "signal", "measured")
        return measurements
    }

    private static func use(
        _ response: Assay_Plugin_V1_AppraiseResponse, _ scope: PluginScope
    ) throws(PluginFault) -> Use {
        switch scope.format.freshness {
        case .challenge:
            guard let expected = scope.clientDataSHA256, Array(response.verifiedClientDataSha256) == expected else {
                throw PluginFault("the client data that the plugin says it verified are not those of the request")
            }
            return .challenge
        case .payload:
            guard response.usedTokens.isEmpty, !response.hasStatement, !response.hasEffect else {
                throw PluginFault("a part of a payload registers, advances or uses up something, and has nothing of its own")
            }
            guard !response.verifiedPayloadSha256.isEmpty else {
                throw PluginFault("the plugin does not say which payload its evidence belongs to (verified_payload_sha256)")
            }
            guard let expected = scope.payloadSHA256, Array(response.verifiedPayloadSha256) == expected else {
                throw PluginFault("the payload that the plugin says its evidence belongs to is not that of the request")
            }
            return .payload
        case .singleUse:
            guard (1...tokenLimit).contains(response.usedTokens.count) else {
                throw PluginFault("\(response.usedTokens.count) tokens are used up, want 1 to \(tokenLimit)")
            }
            var tokens: [Token] = []
            for token in response.usedTokens { tokens.append(try Token(token, scope)) }
            return .tokens(tokens)
        case .statement:
            let statement = response.statement
            guard statement.digest.count == 32 else {
                throw PluginFault("the statement's digest has \(statement.digest.count) bytes, want 32")
            }
            return .statement(
                digest: scope.digest("assay.plugin.statement.v1", Array(statement.digest)),
                until: try time(statement.untilUnixMs, scope))
        }
    }

    fileprivate static func time(_ milliseconds: Int64, _ scope: PluginScope) throws(PluginFault) -> Timestamp {
        let latest = scope.now.adding(milliseconds: memoryLimit)
        let time = Timestamp(unixMilliseconds: milliseconds)
        guard time > scope.now, time <= latest else {
            throw PluginFault("a use is remembered until \(time), want a time after now and at most 400 days ahead")
        }
        return time
    }
}

extension PluginAppraisal.Token {
    fileprivate init(_ token: Assay_Plugin_V1_UsedToken, _ scope: PluginScope) throws(PluginFault) {
        guard (1...64).contains(token.token.count) else {
            throw PluginFault("a token has \(token.token.count) bytes, want 1 to 64")
        }
        digest = scope.digest(PluginScope.tokenTag, Array(token.token))
        until = try PluginAppraisal.time(token.untilUnixMs, scope)
        let (code, retry) =
            token.usedCode.isEmpty
            ? (FailureCode(.challengeReused), nil) : try scope.format.code(Array(token.usedCode), toldBlock: scope.toldBlock)
        used = Rejection(code, code.builtIn?.summary ?? "the evidence was used before", retry: retry)
    }
}

extension Finding {
    fileprivate init(_ finding: Assay_Plugin_V1_Finding, _ scope: PluginScope) throws(PluginFault) {
        let check = try PluginText.name(finding.check, of: "a check")
        let detail = PluginText.sentence(finding.detail)
        switch finding.outcome {
        case .pass: self = .pass(check)
        case .fail:
            let (code, retry) = try scope.format.code(Array(finding.code), toldBlock: scope.toldBlock)
            self = .fail(check, Rejection(code, detail, retry: retry))
            vendorCode = scope.format.vendorCodes[code.rawValue] ?? ""
        case .unavailable:
            let (code, _) = try scope.format.code(Array(finding.code), toldBlock: scope.toldBlock)
            self = Finding(check: check, outcome: .unavailable, code: code.rawValue, detail: detail)
            vendorCode = scope.format.vendorCodes[code.rawValue] ?? ""
        case .skipped: self = Finding(check: check, outcome: .skipped, detail: detail)
        case .note: self = .note(check, try PluginText.name(finding.code, of: "a note's code"), detail)
        case .unspecified, .UNRECOGNIZED: throw PluginFault("the check '\(check)' has no outcome")
        }
    }
}

extension SignalMeasurement {
    /// The longest sentence, in bytes.
    private static let detailLimit = 1024

    fileprivate init(_ measurement: Assay_Plugin_V1_Measurement, _ scope: PluginScope) throws(PluginFault) {
        let signal = try PluginText.name(measurement.signal, of: "a signal")
        guard scope.format.measures.contains(signal) else { throw PluginFault("the signal '\(signal)' was not declared") }
        guard measurement.detail.utf8.count <= Self.detailLimit else {
            throw PluginFault(
                "the measurement of '\(signal)' has a detail of \(measurement.detail.utf8.count) bytes, want at most \(Self.detailLimit)"
            )
        }
        let outcome: Signal.Outcome
        switch measurement.outcome {
        case .pass: outcome = .pass
        case .fail: outcome = .fail
        case .unavailable: outcome = .unavailable
        case .skipped, .note, .unspecified, .UNRECOGNIZED:
            throw PluginFault("the measurement of '\(signal)' is neither PASS nor FAIL nor UNAVAILABLE")
        }
        self.init(signal: signal, outcome: outcome, detail: PluginText.sentence(measurement.detail))
    }
}

extension Claims {
    fileprivate init(_ claims: [Assay_Plugin_V1_Claim], _ scope: PluginScope) throws(PluginFault) {
        self.init()
        guard claims.count <= PluginAppraisal.claimLimit else {
            throw PluginFault("\(claims.count) claims, the limit is \(PluginAppraisal.claimLimit)")
        }
        for claim in claims {
            let name = try PluginText.name(claim.name, of: "a claim")
            guard let kind = scope.format.claims[name] else { throw PluginFault("the claim '\(name)' was not declared") }
            guard self[name] == nil else { throw PluginFault("the claim '\(name)' stands twice") }
            guard let value = Value(claim.value), value.kind == kind else {
                throw PluginFault(
                    "the claim '\(name)' has no value, one of another kind than declared, or one that is too long")
            }
            add(name, value)
        }
    }
}

extension Claims.Value {
    /// The longest text or byte string, in bytes.
    private static let lengthLimit = 4096

    /// `nil` without a value, for text that is not UTF-8, and beyond the limits.
    fileprivate init?(_ value: Assay_Plugin_V1_Claim.OneOf_Value?) {
        switch value {
        case .text(let bytes):
            guard bytes.count <= Self.lengthLimit, let text = Self.text(bytes) else { return nil }
            self = .text(text)
        case .integer(let value): self = .integer(value)
        case .boolean(let value): self = .boolean(value)
        case .binary(let bytes):
            guard bytes.count <= Self.lengthLimit else { return nil }
            self = .bytes(Array(bytes))
        case .texts(let texts):
            let values = texts.values.compactMap(Self.text)
            guard texts.values.count <= 64, values.count == texts.values.count,
                values.reduce(0, { $0 + $1.utf8.count }) <= Self.lengthLimit
            else { return nil }
            self = .texts(values)
        case .timeUnixMs(let milliseconds): self = .time(Timestamp(unixMilliseconds: milliseconds))
        case nil: return nil
        }
    }

    private static func text(_ bytes: Data) -> String? { String(validating: bytes, as: UTF8.self) }

    fileprivate var kind: PluginClaimKind {
        switch self {
        case .text: .text
        case .integer: .integer
        case .boolean: .boolean
        case .bytes: .bytes
        case .texts: .texts
        case .time: .time
        }
    }
}

extension Assurance {
    /// `nil` for one of a later version.
    fileprivate init?(_ assurance: Assay_Plugin_V1_Assurance) {
        switch assurance {
        case .none: self = .none
        case .software: self = .software
        case .platform: self = .platform
        case .hardware: self = .hardware
        case .secureElement: self = .secureElement
        case .UNRECOGNIZED: return nil
        }
    }
}
