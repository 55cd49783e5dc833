import AssayAPI
import AssayCore
import AssaySimulator
import Foundation
import SwiftProtobuf

extension RequestRecorder {
    mutating func certificateRequest() async throws -> RecordedRequest {
        switch below(10) {
        case 0..<5: return try await issuance()
        case 5..<7: return try await renewal()
        case 7:
            let key = pick(certified)
            let request = Assay_V1_GetCertificateRequest.with {
                ($0.app, $0.keyID) = (key.app, oneIn(4) ? Data(bytes(32)) : Data(key.key.subjectPublicKeyInfoDigest))
            }
            return try RecordedRequest("certificate of a key", .getCertificate, request)
        case 8 where oneIn(2):
            let key = pick(certified)
            let request = Assay_V1_RevokeCertificateRequest.with {
                ($0.app, $0.comment) = (oneIn(6) ? "fleet" : key.app, oneIn(4) ? "found" : "")
                $0.serial = key.serial.isEmpty ? Data(bytes(pick([0, 8, 21]))) : key.serial
                $0.reason = pick([.unspecified, .keyCompromise, .superseded, .cessationOfOperation])
            }
            return try RecordedRequest("revocation", .revoke, request)
        case 8: return try RecordedRequest("authorities", .getAuthorities, Assay_V1_GetAuthoritiesRequest())
        default:
            let request = Assay_V1_ListCertificatesRequest.with {
                $0.app = pick(World.apps)
                ($0.pageSize, $0.state) = (UInt32(below(220)), pick([.unspecified, .good, .revoked]))
                if oneIn(3) { $0.deviceID = pick(phones.map(\.device)) }
            }
            return try RecordedRequest("list of certificates", .listCertificates, request)
        }
    }

    private mutating func issuance() async throws -> RecordedRequest {
        var request: Assay_V1_IssueCertificateRequest
        if oneIn(3) {
            let key = try stage.android(below(1000))
            let challenge = try await challenge("camera", .provision)
            let data = try Stage.clientData(.provision, challenge, payload: nil)
            let chain = try key.attest(challenge: data.bytes, at: SystemClock().now(), changes: try chainChanges() ?? .genuine)
            request = try .with {
                ($0.app, $0.challenge) = ("camera", Data(challenge))
                $0.evidence = [.with { $0.androidKeyAttestation.certificates = chain.map { Data($0) } }]
                if oneIn(2) {
                    $0.csr = Data(try key.certificateRequest())
                } else {
                    $0.publicKey = Data(key.key.subjectPublicKeyInfo)
                }
            }
        } else {
            let key = try TestKey(.p256)
            let csr = try CertificateRequestDraft(key).signed(by: key)
            // The app may be one that issues no certificates.
            let index = oneIn(3) ? nil : below(phones.count)
            let app = index.map { phones[$0].app } ?? "camera"
            let data = try Stage.clientData(.provision, try await challenge(app, .provision), payload: csr)
            request = try Stage.issuance(app, data, csr, try voucher(data, index))
            certified.append(Stage.Certified(key: key, app: app))
        }
        if oneIn(8) { request.csr = Data(flipped(Array(request.csr))) }
        if oneIn(10) { request.payloadSha256 = Data(bytes(pick([0, 31, 32]))) }
        if oneIn(10) { request.challenge = Data(flipped(Array(request.challenge))) }
        if oneIn(10) { request.app = pick(World.apps) }
        if oneIn(4) { request.idempotencyKey = newKey() }
        let recorded = try RecordedRequest("certificate on evidence", .issue, request)
        if !request.idempotencyKey.isEmpty { repeatable.append(recorded) }
        return recorded
    }

    /// An assertion of a phone, or an attestation of a new one.
    private mutating func voucher(_ data: ClientData, _ index: Int?) throws -> Evidence {
        guard let index else {
            let key = stage.phone(below(1000))
            let body = try key.attest(
                clientDataHash: data.hash, at: SystemClock().now(), changes: attestationChanges() ?? .genuine)
            return Evidence(format: .appAttestAttestation, keyID: key.keyID, body: body)
        }
        let body = try phones[index].key.assert(clientDataHash: data.hash)
        return Evidence(format: .appAttestAssertion, keyID: phones[index].key.keyID, body: body)
    }

    private mutating func renewal() async throws -> RecordedRequest {
        let current = pick(certified)
        let next = try TestKey(.p256)
        let csr = try CertificateRequestDraft(next).signed(by: next)
        let challenge = try await challenge(current.app, .renew)
        let data = try Stage.clientData(.renew, challenge, payload: csr)
        let signer = oneIn(8) ? next : current.key
        let request = try Assay_V1_RenewCertificateRequest.with {
            ($0.app, $0.challenge, $0.csr) = (current.app, Data(challenge), Data(oneIn(8) ? flipped(csr) : csr))
            $0.signature = try .with {
                ($0.keyID, $0.algorithm) = (Data(current.key.subjectPublicKeyInfoDigest), .ecdsaP256Sha256)
                $0.signature = Data(try signer.sign(data.bytes, by: signer.usualScheme))
            }
            if oneIn(10) { $0.clearSignature() }
        }
        certified.append(Stage.Certified(key: next, app: current.app))
        return try RecordedRequest("renewal", .renew, request)
    }
}
