import AssayAPI
import Foundation
import SwiftProtobuf

/// What may be wrong with a request, whatever evidence it carries.
extension RequestRecorder {
    /// A request as it is, or with a change or two, and now and then with an idempotency key.
    mutating func twisted(_ kind: String, _ message: Assay_V1_VerifyRequest) async throws -> RecordedRequest {
        var message = message
        var kind = kind
        if oneIn(3) {
            kind += ", changed"
            for _ in 0...below(2) { twist(&message) }
        }
        if oneIn(8) { message.subject = Data(pick(["alice", "bob", "carol"]).utf8) }
        if oneIn(8) { message.sourceAddress = pick(["192.0.2.7", "2001:db8::1", "198.51.100.200"]) }
        guard oneIn(6) else { return try RecordedRequest(kind, .verify, message) }
        message.idempotencyKey = newKey()
        var request = try RecordedRequest(kind, .verify, message)
        if oneIn(2) {
            let key = String(decoding: message.idempotencyKey, as: UTF8.self)
            message.idempotencyKey = Data()
            request.idempotencyKey = (key, try message.serializedBytes())
        }
        repeatable.append(request)
        return request
    }

    private mutating func twist(_ message: inout Assay_V1_VerifyRequest) {
        switch below(24) {
        case 0: message.app = pick(World.apps + ["unknown", "Not An App", ""])
        case 1: message.purpose = pick([.unspecified, .register, .assert, .provision, .renew])
        case 2: message.challenge = Data()
        case 3: message.challenge = Data(flipped(Array(message.challenge)))
        case 4: message.challenge = message.challenge.prefix(below(54))
        case 5: message.context = Data(bytes(pick([1, 16, 64, 65])))
        case 6: message.subject = Data(bytes(pick([1, 256, 257])))
        case 7:
            message.expectedDeviceID = pick(phones.map(\.device) + androids.map(\.device) + [Data(bytes(16)), Data(bytes(15))])
        case 8: message.replacesDeviceID = pick(phones.map(\.device) + [Data(bytes(16)), Data(bytes(17))])
        case 9: message.idempotencyKey = Data(bytes(pick([1, 64, 65])))
        case 10: message.sourceAddress = pick(["192.0.2.256", "here", "::", "10.0.0.0/8", " 192.0.2.1"])
        case 11: message.signals = Data(pick(["{}", "[]", "{\"schema\":1}", ""]).utf8)
        case 12: message.clearBinding()
        case 13: message.binding = .with { $0.inEvidence = .init() }
        case 14: message.binding = .with { $0.callerOwned.clientDataHash = Data(bytes(pick([0, 31, 32, 33]))) }
        case 15: message.binding = .with { $0.embedded.clientData = Data(bytes(pick([0, 10, 100]))) }
        case 16: message.binding = .with { $0.clientData.payloadSha256 = Data(bytes(pick([0, 31, 32]))) }
        case 17: message.binding = .init()
        case 18: message.evidence = []
        case 19: if let first = message.evidence.first { message.evidence.append(first) }
        case 20: message.evidence.append(.init())
        case 21: message.evidence = Array(repeating: message.evidence.first ?? .init(), count: 5)
        case 22: message.evidence.append(.with { $0.safetyNetResponse.jws = "e30.e30.AA" })
        default: for index in message.evidence.indices { damage(&message.evidence[index]) }
        }
    }

    /// Flips a bit of what the platform made, or of the key's name, or cuts it.
    private mutating func damage(_ evidence: inout Assay_V1_Evidence) {
        let cut = oneIn(4)
        let named = oneIn(5)
        func change(_ data: Data, _ recorder: inout RequestRecorder) -> Data {
            cut ? data.prefix(recorder.below(max(1, data.count))) : Data(recorder.flipped(Array(data)))
        }
        switch evidence.kind {
        case .appAttestAttestation(var piece):
            if named { piece.keyID = change(piece.keyID, &self) } else { piece.attestation = change(piece.attestation, &self) }
            evidence.kind = .appAttestAttestation(piece)
        case .appAttestAssertion(var piece):
            if named { piece.keyID = change(piece.keyID, &self) } else { piece.assertion = change(piece.assertion, &self) }
            evidence.kind = .appAttestAssertion(piece)
        case .androidKeyAttestation(var piece):
            if piece.certificates.isEmpty { return }
            let index = below(piece.certificates.count)
            if named {
                piece.certificates.remove(at: index)
            } else {
                piece.certificates[index] = change(piece.certificates[index], &self)
            }
            evidence.kind = .androidKeyAttestation(piece)
        case .playIntegrityToken(var piece):
            piece.token = pick([String(piece.token.dropLast()), piece.token + "A", piece.token.replacing(".", with: ""), ""])
            evidence.kind = .playIntegrityToken(piece)
        case .keySignature(var piece):
            if named { piece.keyID = change(piece.keyID, &self) } else { piece.signature = change(piece.signature, &self) }
            evidence.kind = .keySignature(piece)
        case .certificateBundle(var piece):
            if case .json(let json) = piece.form { piece.form = .json(change(json, &self)) }
            evidence.kind = .certificateBundle(piece)
        default: break
        }
    }
}
