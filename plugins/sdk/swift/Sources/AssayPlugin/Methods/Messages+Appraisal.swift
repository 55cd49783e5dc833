internal import SwiftProtobuf

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension Device {
    init(_ message: Assay_Plugin_V1_Device) {
        id = Array(message.id)
        subjectKey = Array(message.subjectKey)
        publicKey = Array(message.publicKey)
        counter = message.counter
        registeredAtMilliseconds = message.registeredAtUnixMs
    }
}

extension FleetDevice {
    init(_ message: Assay_Plugin_V1_FleetDevice) {
        id = Array(message.id)
        serial = String(decoding: message.serial, as: UTF8.self)
        family = String(decoding: message.family, as: UTF8.self)
        tables = message.tables
        publicKey = Array(message.publicKey)
        blocked = message.blocked
    }
}

extension VerdictEvent {
    init(_ message: Assay_Plugin_V1_VerdictEvent) {
        requestID = Array(message.requestID)
        app = String(decoding: message.app, as: UTF8.self)
        caller = String(decoding: message.caller, as: UTF8.self)
        purpose = Purpose(rawValue: message.purpose.rawValue)
        formats = message.formats.map { String(decoding: $0, as: UTF8.self) }
        accepted = message.accepted
        code = String(decoding: message.code, as: UTF8.self)
        check = String(decoding: message.check, as: UTF8.self)
        assurance = Assurance(rawValue: message.assurance.rawValue) ?? .none
        deviceID = Array(message.deviceID)
        policyDigest = Array(message.policyDigest)
        simulated = message.simulated
        repeatedAnswer = message.repeatedAnswer
        decidedAtMilliseconds = message.decidedAtUnixMs
    }
}

extension Assay_Plugin_V1_Refusal {
    init(_ refusal: Refusal) {
        self.init()
        code = Data(refusal.code.rawValue.utf8)
        detail = Text.sentence(refusal.sentence)
    }
}

extension Assay_Plugin_V1_AppraiseResponse {
    /// Without a finding the daemon rejects; after a failed one nothing else counts, and nothing else is sent.
    init(_ appraisal: Appraisal) {
        self.init()
        findings = appraisal.findings.map { .init($0) }
        guard appraisal.isGood else { return }
        claims = appraisal.claims.map { .init($0.name, $0.value) }
        assurance = Assay_Plugin_V1_Assurance(rawValue: appraisal.assurance.rawValue) ?? .none
        verifiedClientDataSha256 = Data(appraisal.clientDataSHA256 ?? [])
        if let kind = appraisal.effect { effect = .with { $0.kind = .init(kind) } }
        usedTokens = appraisal.tokens.map { token in
            .with {
                $0.token = Data(token.bytes)
                $0.untilUnixMs = token.untilMilliseconds
                $0.usedCode = Data(token.code.rawValue.utf8)
            }
        }
        verifiedPayloadSha256 = Data(appraisal.payloadSHA256 ?? [])
        measurements = appraisal.measurements.map { measurement in
            .with {
                $0.signal = Data(measurement.signal.utf8)
                $0.outcome = Assay_Plugin_V1_Outcome(rawValue: measurement.outcome.rawValue) ?? .unspecified
                $0.detail = measurement.detail
            }
        }
        if let unique = appraisal.statement {
            statement = .with {
                $0.digest = Data(unique.digest)
                $0.untilUnixMs = unique.untilMilliseconds
            }
        }
    }
}

extension Assay_Plugin_V1_Finding {
    init(_ finding: Finding) {
        self.init()
        check = Data(finding.check.utf8)
        outcome = Assay_Plugin_V1_Outcome(rawValue: finding.outcome.rawValue) ?? .unspecified
        code = Data((finding.code?.rawValue ?? "").utf8)
        detail = finding.detail
    }
}

extension Assay_Plugin_V1_Claim {
    init(_ name: String, _ value: ClaimValue) {
        self.init()
        self.name = Data(name.utf8)
        self.value =
            switch value {
            case .text(let text): .text(Data(text.utf8))
            case .integer(let integer): .integer(integer)
            case .boolean(let boolean): .boolean(boolean)
            case .bytes(let bytes): .binary(Data(bytes))
            case .texts(let texts): .texts(.with { $0.values = texts.map { Data($0.utf8) } })
            case .time(let milliseconds): .timeUnixMs(milliseconds)
            }
    }
}

extension Assay_Plugin_V1_Effect.OneOf_Kind {
    init(_ effect: Appraisal.Effect) {
        switch effect {
        case .register(let subjectKey, let publicKey):
            self = .registration(
                .with {
                    $0.subjectKey = Data(subjectKey)
                    $0.publicKey = Data(publicKey)
                })
        case .advance(let counter): self = .advance(.with { $0.counter = counter })
        }
    }
}
