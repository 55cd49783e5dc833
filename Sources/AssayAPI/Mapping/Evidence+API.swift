public import AssayCore
import Foundation
import SwiftProtobuf

extension Evidence {
    /// `nil` for a format that the API has no message for.
    public var message: Assay_V1_Evidence? {
        var message = Assay_V1_Evidence()
        switch format {
        case .appAttestAttestation:
            message.appAttestAttestation = .with { ($0.keyID, $0.attestation) = (Data(keyID), Data(body)) }
        case .appAttestAssertion:
            message.appAttestAssertion = .with { ($0.keyID, $0.assertion) = (Data(keyID), Data(body)) }
        default: return nil
        }
        return message
    }
}
