public import AssayCore
import Foundation
import SwiftProtobuf

extension Evidence {
    /// Throws `RequestError` if no kind is set.
    public init(_ message: Assay_V1_Evidence) throws(RequestError) {
        switch message.kind {
        case .appAttestAttestation(let kind):
            self.init(format: .appAttestAttestation, keyID: Array(kind.keyID), body: Array(kind.attestation))
        case .appAttestAssertion(let kind):
            self.init(format: .appAttestAssertion, keyID: Array(kind.keyID), body: Array(kind.assertion))
        case nil:
            throw RequestError("evidence", "must be of a kind that this version knows")
        }
    }

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
