import AssayAPI
import AssayCore
import AssaySimulator
import Crypto
import Foundation

extension RequestRecorder {
    /// A registration, or another attestation of a registered key.
    mutating func attestation() async throws -> Assay_V1_VerifyRequest {
        let app = pick(["camera", "camera", "camera", "strict", "genuine", "rated"])
        let isNew = !oneIn(10)
        let isTrusted = !oneIn(15)
        let key = isNew ? stage.phone(below(1000), trusted: isTrusted) : pick(phones).key
        let changes = attestationChanges()
        let data = try Stage.clientData(.register, try await challenge(app, .register), payload: payload())
        let body = try key.attest(clientDataHash: data.hash, at: SystemClock().now(), changes: changes ?? .genuine)
        // Others would hardly be registered.
        if isNew, isTrusted, changes == nil, key.phone.environment == .production, app != "genuine" {
            phones.append(Stage.Phone(key: key, app: app))
        }
        return try Stage.request(app, data, [Evidence(format: .appAttestAttestation, keyID: key.keyID, body: body)])
    }

    /// `nil`: none.
    mutating func attestationChanges() -> AttestationChanges? {
        guard oneIn(4) else { return nil }
        let bit = UInt8(1) << below(8)
        switch below(10) {
        case 0: return AttestationChanges.genuine.nonce { $0[0] ^= bit }
        case 1: return AttestationChanges.genuine.leafSigner(TestSigningKey(.p256))
        case 2: return AttestationChanges.genuine.authenticatorData { $0.signCount = 5 }
        case 3: return AttestationChanges.genuine.authenticatorData { $0.rpIDHash = [UInt8](repeating: 1, count: 32) }
        case 4: return AttestationChanges.genuine.chain { $0.removeLast() }
        case 5: return AttestationChanges.genuine.chain { $0.reverse() }
        case 6: return AttestationChanges.genuine.clientDataHash { $0[31] ^= bit }
        case 7: return AttestationChanges.genuine.bytes { $0.append(0) }
        case 8: return AttestationChanges.genuine.statement { $0.append("more", [0xF6]) }
        default: return AttestationChanges.genuine.intermediateSigner(TestSigningKey(.p384))
        }
    }

    /// An upload under one of the bindings.
    mutating func assertion() async throws -> Assay_V1_VerifyRequest {
        let index = below(phones.count)
        let app = phones[index].app
        func piece(_ hash: [UInt8], _ recorder: inout RequestRecorder) throws -> Evidence {
            let changes = recorder.assertionChanges()
            let body = try recorder.phones[index].key.assert(clientDataHash: hash, changes: changes)
            return Evidence(format: .appAttestAssertion, keyID: recorder.phones[index].key.keyID, body: body)
        }
        let mode = app == "camera" ? below(6) : 5
        guard mode < 2, let id = AppID(app) else {
            let data = try Stage.clientData(.assert, try await challenge(app, .assert), payload: payload())
            return try Stage.request(app, data, [try piece(data.hash, &self)])
        }
        if mode == 0 {
            let hash = bytes(32)
            return VerificationRequest(
                app: id, purpose: .assert, challenge: [], evidence: [try piece(hash, &self)], binding: .callerOwned(hash)
            ).message
        }
        let challenge = try await challenge(app, .assert)
        let clientData = Array("{\"photo\":\(below(1000)),\"challenge\":\"\(Base64.url.encode(challenge))\"}".utf8)
        return VerificationRequest(
            app: id, purpose: .assert, challenge: challenge, evidence: [try piece(Array(SHA256.hash(data: clientData)), &self)],
            binding: .embedded(clientData)
        ).message
    }

    private mutating func assertionChanges() -> AssertionChanges {
        guard oneIn(5) else { return .genuine }
        let bit = UInt8(1) << below(8)
        switch below(7) {
        case 0: return AssertionChanges.genuine.counter(UInt32(below(3)))
        case 1: return AssertionChanges.genuine.counter(UInt32.max - UInt32(below(1000)))
        case 2: return AssertionChanges.genuine.signer(TestSigningKey(.p256))
        case 3: return AssertionChanges.genuine.hashing(.single)
        case 4: return AssertionChanges.genuine.authenticatorData { $0.rpIDHash = [UInt8](repeating: 1, count: 32) }
        case 5: return AssertionChanges.genuine.nonce { $0[0] ^= bit }
        default: return AssertionChanges.genuine.bytes { $0.append(0) }
        }
    }
}
