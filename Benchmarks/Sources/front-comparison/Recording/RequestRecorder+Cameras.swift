import AssayAPI
import AssayCore
import AssaySimulator
import Crypto
import Foundation
import SwiftProtobuf

extension RequestRecorder {
    /// A bundle in one of its forms.
    mutating func bundle() throws -> Assay_V1_VerifyRequest {
        let camera = pick(cameras)
        let now = SystemClock().now()
        let time = oneIn(12) ? now.adding(milliseconds: pick([-40 * 86_400_000, 3_600_000])) : now
        let json = try camera.camera.bundle(
            imageHash: bytes(32), certificate: camera.certificate, at: time, locationHash: oneIn(2) ? bytes(32) : nil,
            bundleChanges())
        return try .with {
            $0.app = oneIn(12) ? pick(World.apps) : camera.app
            $0.purpose = .assert
            if oneIn(2) { $0.binding = .with { $0.inEvidence = .init() } }
            $0.evidence = [try .with { $0.certificateBundle = try form(json) }]
        }
    }

    private mutating func bundleChanges() -> CameraBundleChanges {
        guard oneIn(4) else { return .genuine }
        let bit = UInt8(1) << below(8)
        switch below(6) {
        case 0: return CameraBundleChanges.genuine.signature { $0[0] ^= bit }
        case 1: return CameraBundleChanges.genuine.signer(TestSigningKey(.p256))
        case 2: return CameraBundleChanges.genuine.signedBytes { $0[0] ^= bit }
        case 3: return CameraBundleChanges.genuine.members { $0.imageHash = String($0.imageHash.dropLast()) }
        case 4: return CameraBundleChanges.genuine.members { $0.certificate = "AAAA" }
        default: return CameraBundleChanges.genuine.json { $0["more"] = .integer(1) }
        }
    }

    /// The JSON itself, its members, or the digest of what was signed.
    private mutating func form(_ json: [UInt8]) throws -> Assay_V1_CertificateBundle {
        let form = below(4)
        guard form < 2, let members = try? JSONDecoder().decode(Members.self, from: Data(json)) else {
            return .with { $0.json = Data(json) }
        }
        let signature = Data(base64Encoded: members.bundleSignature) ?? Data()
        guard form == 0 else {
            let text = [members.imageHash, members.cameraCert, "\(members.timestamp)", members.gpsHash ?? ""]
            let signed = text.map { $0 + "\n" }.joined()
            return .with {
                $0.digest = .with {
                    $0.signedSha256 = Data(SHA256.hash(data: Data(signed.utf8)))
                    ($0.cameraCert, $0.bundleSignature) = (members.cameraCert, signature)
                }
            }
        }
        return .with {
            $0.fields = .with {
                $0.imageHash = Data(Hex.decode(members.imageHash) ?? [])
                ($0.cameraCert, $0.timestamp, $0.bundleSignature) = (members.cameraCert, members.timestamp, signature)
                $0.gpsHash = Data(members.gpsHash.flatMap { Hex.decode($0) } ?? [])
            }
        }
    }

    private struct Members: Decodable {
        let imageHash: String
        let cameraCert: String
        let timestamp: Int64
        let gpsHash: String?
        let bundleSignature: String

        private enum CodingKeys: String, CodingKey {
            case imageHash = "image_hash"
            case cameraCert = "camera_cert"
            case timestamp
            case gpsHash = "gps_hash"
            case bundleSignature = "bundle_signature"
        }
    }

    // MARK: Fleets

    mutating func fleetRequest() throws -> RecordedRequest {
        let app = pick(["fleet", "fleet", "legacy"])
        switch below(10) {
        case 0..<6: return try provisioning(app)
        case 6:
            let request = Assay_V1_AddEnrolmentsRequest.with {
                ($0.app, $0.dryRun) = (oneIn(8) ? "camera" : app, oneIn(4))
                $0.serials = (0..<below(4)).map { _ in oneIn(8) ? " bad" : Stage.serial(app, 1000 + below(500)) }
                if oneIn(3) {
                    ($0.tokens, $0.expiresAtUnixMs) = (
                        UInt32(below(3)), oneIn(4) ? 0 : SystemClock().now().unixMilliseconds + 86_400_000
                    )
                }
            }
            return try RecordedRequest("permissions", .addEnrolments, request)
        case 7:
            let request = Assay_V1_RemoveEnrolmentRequest.with {
                ($0.app, $0.serial) = (app, Stage.serial(app, 1000 + below(500)))
            }
            return try RecordedRequest("removed permission", .removeEnrolment, request)
        case 8:
            let request = Assay_V1_ReadmitDeviceRequest.with {
                ($0.app, $0.deviceSerial, $0.reason) = (app, Stage.serial(app, below(30)), oneIn(5) ? "" : "repaired")
            }
            return try RecordedRequest("readmission", .readmit, request)
        default:
            let request = Assay_V1_ListEnrolmentsRequest.with {
                ($0.app, $0.deviceSerial) = (app, Stage.serial(app, below(30)))
            }
            return try RecordedRequest("list of permissions", .listEnrolments, request)
        }
    }

    private mutating func provisioning(_ app: String) throws -> RecordedRequest {
        // Now and then one that was provisioned, or is none of the list.
        let number = oneIn(5) ? pick([below(30), 500]) : nextSerial[app, default: 0]
        if number == nextSerial[app] { nextSerial[app] = number + 1 }
        let camera = VirtualCamera(serial: Stage.serial(app, number))
        let request = try Assay_V1_ProvisionDeviceRequest.with {
            ($0.app, $0.deviceSerial) = (app, camera.serial)
            if !oneIn(6) { $0.csr = Data(try camera.certificateRequest()) }
            if oneIn(10) { $0.csr = Data(flipped(Array($0.csr))) }
            if oneIn(2) { $0.deviceSecret = Data(bytes(oneIn(10) ? 31 : 32)) }
            if oneIn(3) { $0.deviceFamily = "X" }
            if oneIn(10) { $0.enrolmentToken = "unknown-token" }
            if oneIn(3) { $0.idempotencyKey = newKey() }
        }
        let recorded = try RecordedRequest("provisioning of a fleet", .provisionDevice, request)
        if !request.idempotencyKey.isEmpty { repeatable.append(recorded) }
        return recorded
    }
}
