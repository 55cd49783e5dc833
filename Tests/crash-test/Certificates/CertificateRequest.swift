import AssayAPI
import AssayClient
import AssayCore
import AssaySimulator
import SwiftProtobuf

/// A request for a certificate, with the key that it is for.
struct CertificateRequest: Sendable {
    /// The key, which signs bundles. The name of a camera is its serial number.
    let signer: VirtualCamera
    var call: Call

    enum Call: Sendable {
        case issue(IssuanceRequest)
        case renew(RenewalRequest)
        case provision(FleetDeviceRequest)
    }

    var app: AppID {
        switch call {
        case .issue(let request): request.app
        case .renew(let request): request.app
        case .provision(let request): request.app
        }
    }

    var idempotencyKey: [UInt8] {
        get {
            switch call {
            case .issue(let request): request.idempotencyKey
            case .renew(let request): request.idempotencyKey
            case .provision(let request): request.idempotencyKey
            }
        }
        set {
            switch call {
            case .issue(var request):
                request.idempotencyKey = newValue
                call = .issue(request)
            case .renew(var request):
                request.idempotencyKey = newValue
                call = .renew(request)
            case .provision(var request):
                request.idempotencyKey = newValue
                call = .provision(request)
            }
        }
    }

    /// Whether a verdict is given, which the audit log records.
    var isJudged: Bool { if case .provision = call { false } else { true } }

    /// SHA-256 of the key's SubjectPublicKeyInfo, 32 bytes.
    var keyID: [UInt8] { TestKey(signer.key).subjectPublicKeyInfoDigest }

    /// The JSON of a bundle of a new image, signed now.
    func bundle(_ certificate: [UInt8]) throws -> [UInt8] {
        try signer.bundle(imageHash: SecureRandom.bytes(32), certificate: certificate, at: SystemClock().now())
    }
}

/// The answer to a request for a certificate.
enum CertificateAnswer: Sendable, CustomStringConvertible {
    /// - Parameter digest: of the whole answer, but for its mark as a repetition.
    case certified(der: [UInt8], device: [UInt8], digest: [UInt8], isRepeated: Bool)
    case rejected(reason: String, detail: String)

    var description: String {
        switch self {
        case .certified(_, _, _, let isRepeated): isRepeated ? "a certificate, repeated" : "a new certificate"
        case .rejected(let reason, let detail): "\(reason) (\(detail))"
        }
    }

    init(_ response: Assay_V1_IssueCertificateResponse) throws {
        guard response.verdict.decision == .accepted else {
            self = .rejected(reason: response.verdict.reason, detail: response.verdict.detail)
            return
        }
        var marked = response
        marked.verdict.repeated = false
        self = .certified(
            der: Array(response.certificate.certificate), device: Array(response.certificate.deviceID),
            digest: Self.digest(try marked.serializedBytes()), isRepeated: response.verdict.repeated)
    }

    init(_ response: Assay_V1_ProvisionDeviceResponse) throws {
        guard !response.hasRejection else {
            self = .rejected(reason: response.rejection.reason, detail: response.rejection.detail)
            return
        }
        var marked = response
        marked.repeated = false
        self = .certified(
            der: Array(response.deviceCertificate), device: Array(response.deviceID),
            digest: Self.digest(try marked.serializedBytes()), isRepeated: response.repeated)
    }

    private static func digest(_ message: [UInt8]) -> [UInt8] {
        var digest = FieldDigest("crash-test.answer")
        digest.append(message)
        return digest.finalize()
    }
}

extension AssayClient {
    func send(_ request: CertificateRequest) async throws -> CertificateAnswer {
        switch request.call {
        case .issue(let call): try CertificateAnswer(try await issue(call, timeout: LoadClient.patience))
        case .renew(let call): try CertificateAnswer(try await renew(call, timeout: LoadClient.patience))
        case .provision(let call): try CertificateAnswer(try await provisionDevice(call, timeout: LoadClient.patience))
        }
    }

    /// The verdict on a bundle.
    func submit(_ bundle: [UInt8], app: AppID) async throws(AssayError) -> Assay_V1_Verdict {
        try await verify(
            VerificationRequest(
                app: app, purpose: .assert, challenge: [], evidence: [CertificateBundle.json(bundle).evidence],
                binding: .inEvidence), timeout: LoadClient.patience)
    }

    /// Blocks the device, or revokes its certificate. Returns the number of other certificates that were revoked.
    @discardableResult
    func end(_ device: CertifiedDevice, by kind: CertifiedDevice.Ending.Kind) async throws -> UInt32 {
        switch kind {
        case .block:
            guard let id = DeviceID(bytes: device.id) else { throw Trouble("a device has no id") }
            _ = try await block(.device(id), app: device.app, reason: "crash test", timeout: LoadClient.patience)
            return 0
        case .revocation(let index, let reason):
            guard device.certificates.indices.contains(index) else { throw Trouble("a certificate to revoke is unknown") }
            return try await revoke(
                serial: device.certificates[index].serial, app: device.app, reason: reason, timeout: LoadClient.patience
            ).alsoRevokedCount
        }
    }

    /// Every certificate of an app.
    func allCertificates(of app: AppID) async throws(AssayError) -> [Assay_V1_DeviceCertificate] {
        var certificates: [Assay_V1_DeviceCertificate] = []
        var token: [UInt8] = []
        repeat {
            let page = try await self.certificates(
                app: app, pageSize: 200, pageToken: token, timeout: LoadClient.patience)
            certificates += page.certificates
            token = Array(page.nextPageToken)
        } while !token.isEmpty
        return certificates
    }
}
