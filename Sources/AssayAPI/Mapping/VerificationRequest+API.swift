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
            if let upload { $0.binding.clientData = .with { $0.uploadID = Data(upload.bytes) } }
            $0.subject = Data(subject)
            $0.expectedDeviceID = Data(expectedDevice?.bytes ?? [])
            $0.idempotencyKey = Data(idempotencyKey)
            $0.sourceAddress = sourceAddress?.text ?? ""
            $0.signals = Data(signals)
            $0.replacesDeviceID = Data(replaces?.bytes ?? [])
            $0.results = results.map(\.message)
            $0.report = report.message
        }
    }

    /// The message as callers over HTTP send it. Throws only if the schema does not describe it.
    package func json() throws -> [UInt8] {
        guard let json = API.verify.json else { throw JSONMessageError("is not among the messages of the API") }
        return try json.writeRequest(try message.serializedBytes())
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
