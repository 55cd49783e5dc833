public import AssayCore
import Foundation
import SwiftProtobuf

extension VerificationRequest {
    /// The message that a client sends.
    public var message: Assay_V1_VerifyRequest {
        .with {
            $0.app = app.text
            $0.purpose = purpose.message
            $0.challenge = Data(challenge)
            $0.context = Data(context)
            $0.evidence = evidence.compactMap(\.message)
            $0.binding = binding.message
            $0.subject = Data(subject)
            $0.expectedDeviceID = Data(expectedDevice?.bytes ?? [])
            $0.idempotencyKey = Data(idempotencyKey)
            $0.sourceAddress = sourceAddress?.text ?? ""
            $0.signals = Data(signals)
            $0.replacesDeviceID = Data(replaces?.bytes ?? [])
        }
    }
}

extension VerificationRequest.BindingRequest {
    var message: Assay_V1_Binding {
        .with {
            switch self {
            case .clientData(let payloadHash): $0.clientData = .with { $0.payloadSha256 = Data(payloadHash ?? []) }
            case .embedded(let clientData): $0.embedded = .with { $0.clientData = Data(clientData) }
            case .callerOwned(let hash): $0.callerOwned = .with { $0.clientDataHash = Data(hash) }
            case .inEvidence: $0.inEvidence = Assay_V1_InEvidenceBinding()
            }
        }
    }
}

extension Evidence {
    /// `nil` for a format without a message in the API.
    public var message: Assay_V1_Evidence? {
        var message = Assay_V1_Evidence()
        switch format {
        case .appAttestAttestation:
            message.appAttestAttestation = .with { ($0.keyID, $0.attestation) = (Data(keyID), Data(body)) }
        case .appAttestAssertion:
            message.appAttestAssertion = .with { ($0.keyID, $0.assertion) = (Data(keyID), Data(body)) }
        case .keyAttestation:
            guard let parts else { return nil }
            message.androidKeyAttestation = .with { $0.certificates = parts.map { Data($0) } }
        case .playIntegrity: message.playIntegrityToken = .with { $0.token = String(decoding: body, as: UTF8.self) }
        case .keySignature:
            guard let parts, parts.count == 2, let algorithm = parts.first?.first, let signature = parts.last else {
                return nil
            }
            message.keySignature = .with {
                $0.keyID = Data(keyID)
                $0.algorithm = Assay_V1_KeySignature.Algorithm(rawValue: Int(algorithm)) ?? .unspecified
                $0.signature = Data(signature)
            }
        case .certificateBundle:
            guard let bundle = parts.flatMap({ CertificateBundle(parts: $0) }) else { return nil }
            message.certificateBundle = bundle.message
        case .safetyNet: message.safetyNetResponse = .with { $0.jws = String(decoding: body, as: UTF8.self) }
        case .deviceCheck: message.deviceCheckToken = .with { $0.token = Data(body) }
        default:
            guard EvidenceFormat(pluginFormat: format.rawValue.utf8) != nil else { return nil }
            message.pluginEvidence = .with { ($0.format, $0.body) = (format.rawValue, Data(body)) }
        }
        return message
    }
}
