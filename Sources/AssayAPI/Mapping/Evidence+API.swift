public import AssayCore
import Foundation
import SwiftProtobuf

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
        case .safetyNet: message.safetyNetResponse = .with { $0.jws = String(decoding: body, as: UTF8.self) }
        case .deviceCheck: message.deviceCheckToken = .with { $0.token = Data(body) }
        default:
            guard EvidenceFormat(pluginFormat: format.rawValue.utf8) != nil else { return nil }
            message.pluginEvidence = .with { ($0.format, $0.body) = (format.rawValue, Data(body)) }
        }
        return message
    }
}
