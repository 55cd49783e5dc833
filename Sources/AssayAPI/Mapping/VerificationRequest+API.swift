public import AssayCore
import Foundation
import SwiftProtobuf

extension VerificationRequest {
    /// Throws `RequestError` naming the first field that breaks a limit of the API.
    public init(_ message: Assay_V1_VerifyRequest) throws(RequestError) {
        self.init(
            app: try AppID(field: message.app),
            purpose: try Purpose(message.purpose),
            challenge: Array(message.challenge),
            context: try message.context.bounded("context", by: Challenge.contextLimit),
            evidence: try Self.evidence(message.evidence),
            binding: try BindingRequest(message.binding),
            subject: try message.subject.bounded("subject", by: Self.subjectLimit),
            expectedDevice: try DeviceID?(field: "expected_device_id", optional: message.expectedDeviceID),
            idempotencyKey: try message.idempotencyKey.bounded("idempotency_key", by: Self.idempotencyKeyLimit))
    }

    private static func evidence(_ messages: [Assay_V1_Evidence]) throws(RequestError) -> [Evidence] {
        guard (1...evidenceLimit).contains(messages.count) else {
            throw RequestError("evidence", "must hold 1 to \(evidenceLimit) pieces, not \(messages.count)")
        }
        var evidence: [Evidence] = []
        for message in messages {
            let piece = try Evidence(message)
            guard !evidence.contains(where: { $0.format == piece.format }) else {
                throw RequestError("evidence", "must not hold two pieces of the format \(piece.format)")
            }
            evidence.append(piece)
        }
        return evidence
    }

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
        }
    }
}

extension VerificationRequest.BindingRequest {
    /// The longest hash that a caller may vouch for. Platforms do not enforce 32 bytes.
    static let hashLimit = 64

    init(_ message: Assay_V1_Binding) throws(RequestError) {
        switch message.mode {
        case nil: self = .clientData(payloadHash: nil)
        case .clientData(let binding):
            guard binding.payloadSha256.isEmpty || binding.payloadSha256.count == 32 else {
                throw RequestError("binding.client_data.payload_sha256", "must have 32 bytes or none")
            }
            self = .clientData(payloadHash: binding.payloadSha256.isEmpty ? nil : Array(binding.payloadSha256))
        case .embedded(let binding):
            self = .embedded(Array(binding.clientData))
        case .callerOwned(let binding):
            guard (1...Self.hashLimit).contains(binding.clientDataHash.count) else {
                throw RequestError("binding.caller_owned.client_data_hash", "must have 1 to \(Self.hashLimit) bytes")
            }
            self = .callerOwned(Array(binding.clientDataHash))
        }
    }

    var message: Assay_V1_Binding {
        .with {
            switch self {
            case .clientData(let payloadHash): $0.clientData = .with { $0.payloadSha256 = Data(payloadHash ?? []) }
            case .embedded(let clientData): $0.embedded = .with { $0.clientData = Data(clientData) }
            case .callerOwned(let hash): $0.callerOwned = .with { $0.clientDataHash = Data(hash) }
            }
        }
    }
}
