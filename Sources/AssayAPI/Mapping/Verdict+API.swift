public import AssayCore
import Foundation
import SwiftProtobuf

extension Verdict {
    public var message: Assay_V1_Verdict {
        var message = Assay_V1_Verdict()
        switch decision {
        case .accepted(let assurance):
            message.decision = .accepted
            message.assurance = assurance.message
        case .rejected(let rejection, let check):
            message.decision = .rejected
            message.reason = rejection.code.rawValue
            message.detail = rejection.detail
            message.check = check
            message.retry = rejection.code.retry.message
        }
        message.findings = findings.map(\.message)
        message.claims = claims.messages
        message.deviceID = Data(device?.bytes ?? [])
        if let binding { message.bound = binding.message }
        message.evidenceDigest = Data(evidenceDigest)
        message.policyDigest = Data(policyDigest)
        message.simulated = simulated
        message.requestID = Data(requestID)
        message.decidedAtUnixMs = decidedAt.unixMilliseconds
        return message
    }
}

extension Assurance {
    var message: Assay_V1_Assurance {
        switch self {
        case .none: .none
        case .software: .software
        case .platform: .platform
        case .hardware: .hardware
        case .secureElement: .secureElement
        }
    }
}

extension RetryClass {
    var message: Assay_V1_RetryClass {
        switch self {
        case .never: .never
        case .newChallenge: .newChallenge
        case .reAttest: .reAttest
        case .later: .later
        case .contactOperator: .contactOperator
        }
    }
}

extension Finding {
    var message: Assay_V1_Finding {
        .with {
            $0.check = check
            $0.outcome = outcome.message
            $0.code = code
            $0.detail = detail
        }
    }
}

extension Finding.Outcome {
    var message: Assay_V1_Finding.Outcome {
        switch self {
        case .pass: .pass
        case .fail: .fail
        case .unavailable: .unavailable
        case .skipped: .skipped
        case .note: .note
        }
    }
}

extension Binding {
    var message: Assay_V1_BoundTo {
        .with {
            switch mode {
            case .clientData: $0.mode = .clientData
            case .embedded: $0.mode = .embedded
            case .callerOwned: $0.mode = .callerOwned
            }
            $0.payloadSha256 = Data(payloadHash ?? [])
            $0.clientDataHash = Data(clientDataHash)
        }
    }
}
