import AssayAPI
import AssayCore
import AssaySimulator
import Foundation

extension RequestRecorder {
    mutating func keyAttestation() async throws -> Assay_V1_VerifyRequest {
        let app = pick(["camera", "camera", "strict", "genuine"])
        let isNew = !oneIn(8)
        let key = isNew ? try stage.android(below(1000)) : pick(androids).key
        let data = try Stage.clientData(.register, try await challenge(app, .register), payload: payload())
        let changes = try chainChanges()
        let chain = try key.attest(challenge: data.bytes, at: SystemClock().now(), changes: changes ?? .genuine)
        if isNew, changes == nil, key.device.level != .software, app != "genuine" {
            androids.append(Stage.Android(key: key, app: app))
        }
        return try Stage.request(app, data, [Evidence(format: .keyAttestation, keyID: [], body: Evidence.join(chain))])
    }

    /// `nil`: none.
    mutating func chainChanges() throws -> KeyAttestationChanges? {
        guard oneIn(4) else { return nil }
        let bit = UInt8(1) << below(8)
        let index = below(2)
        switch below(8) {
        case 0: return KeyAttestationChanges.genuine.description { $0.challenge[0] ^= bit }
        case 1: return KeyAttestationChanges.genuine.description { $0.attestationLevel = 0 }
        case 2: return KeyAttestationChanges.genuine.signer(of: index, try TestKey(.p256))
        case 3: return KeyAttestationChanges.genuine.chain { $0.removeLast() }
        case 4: return KeyAttestationChanges.genuine.chain { $0.reverse() }
        case 5: return KeyAttestationChanges.genuine.chain { $0.removeFirst() }
        case 6: return KeyAttestationChanges.genuine.certificateBytes(index) { $0[$0.count / 2] ^= bit }
        default: return KeyAttestationChanges.genuine.descriptionBytes { $0.append(0) }
        }
    }

    mutating func keySignature() async throws -> Assay_V1_VerifyRequest {
        let device = pick(androids)
        if oneIn(4), device.app == "camera", let id = AppID(device.app) {
            let challenge = try await challenge(device.app, .assert)
            let clientData = Array("{\"challenge\":\"\(Base64.url.encode(challenge))\"}".utf8)
            return VerificationRequest(
                app: id, purpose: .assert, challenge: challenge, evidence: [try signature(device, clientData)],
                binding: .embedded(clientData)
            ).message
        }
        let data = try Stage.clientData(.assert, try await challenge(device.app, .assert), payload: payload())
        return try Stage.request(device.app, data, [try signature(device, data.bytes)])
    }

    private mutating func signature(_ device: Stage.Android, _ message: [UInt8]) throws -> Evidence {
        let signer = oneIn(12) ? try TestKey(device.key.key.kind) : device.key.key
        // JSON has no number that is none of an algorithm.
        let stated = oneIn(12) ? UInt8(below(9)) : signer.usualScheme.rawValue
        let signed = oneIn(12) ? flipped(message) : message
        let parts = [[stated], try signer.sign(signed, by: signer.usualScheme)]
        return Evidence(format: .keySignature, keyID: device.key.keyID, body: Evidence.join(parts))
    }

    /// A token of a classic request, alone.
    mutating func integrityToken() async throws -> Assay_V1_VerifyRequest {
        let app = pick(["camera", "camera", "strict", "genuine"])
        let data = try Stage.clientData(.assert, try await challenge(app, .assert), payload: payload())
        return try Stage.request(app, data, [try token(data)])
    }

    private mutating func token(_ data: ClientData) throws -> Evidence {
        let now = SystemClock().now()
        var payload = JSONDraft.playPayload(package: World.package, signer: World.signer, nonce: data.bytes, at: now)
        if oneIn(3) {
            switch below(9) {
            case 0: payload["deviceIntegrity", "deviceRecognitionVerdict"] = .texts([])
            case 1: payload["deviceIntegrity", "deviceRecognitionVerdict"] = .texts(["MEETS_STRONG_INTEGRITY"])
            case 2: payload["appIntegrity", "appRecognitionVerdict"] = .text("UNRECOGNIZED_VERSION")
            case 3: payload["appIntegrity", "packageName"] = .text("com.example.other")
            case 4: payload["requestDetails", "timestampMillis"] = .text(String(now.unixMilliseconds - 7_200_000))
            case 5: payload["requestDetails", "nonce"] = .text(Base64.url.encode(flipped(data.bytes)))
            case 6: payload["accountDetails", "appLicensingVerdict"] = .text("UNLICENSED")
            case 7: payload["requestDetails", "nonce"] = nil
            default: payload["more"] = .texts(["of something"])
            }
        }
        let console = oneIn(15) ? PlayConsole() : stage.world.console
        return Evidence(format: .playIntegrity, keyID: [], body: Array(try console.token(payload).utf8))
    }

    /// Two to four pieces under one binding, of one device or not.
    mutating func several() async throws -> Assay_V1_VerifyRequest {
        let app = "camera"
        let isRegistration = oneIn(2)
        let data = try Stage.clientData(
            isRegistration ? .register : .assert, try await challenge(app, isRegistration ? .register : .assert),
            payload: payload())
        var pieces = [try token(data)]
        if isRegistration {
            let key = try stage.android(below(1000))
            let chain = try key.attest(challenge: data.bytes, at: SystemClock().now(), changes: try chainChanges() ?? .genuine)
            pieces.append(Evidence(format: .keyAttestation, keyID: [], body: Evidence.join(chain)))
            androids.append(Stage.Android(key: key, app: app))
        } else {
            pieces.append(try signature(pick(androids), data.bytes))
        }
        if oneIn(3) {
            let index = below(phones.count)
            let body = try phones[index].key.assert(clientDataHash: data.hash)
            pieces.append(Evidence(format: .appAttestAssertion, keyID: phones[index].key.keyID, body: body))
        }
        if oneIn(4) { pieces.append(Evidence(format: .safetyNet, keyID: [], body: Array("e30.e30.AA".utf8))) }
        pieces.shuffle(using: &numbers)
        return try Stage.request(app, data, pieces)
    }
}
