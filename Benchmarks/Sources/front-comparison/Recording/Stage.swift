import AssayAPI
import AssayCore
import AssaySimulator
import Foundation
import SwiftProtobuf

/// Devices that a daemon knows before the comparison begins, and challenges that it issues.
struct Stage {
    struct Phone {
        var key: VirtualKey
        let app: String
        /// Empty if the comparison registers it: each daemon gives it another one.
        var device = Data()
    }

    struct Android {
        let key: AndroidKey
        let app: String
        var device = Data()
    }

    struct Camera {
        let camera: VirtualCamera
        let app: String
        let certificate: [UInt8]
    }

    /// A key with a certificate.
    struct Certified {
        let key: TestKey
        let app: String
        /// The serial number; empty if the comparison issues it: each daemon gives it another one.
        var serial = Data()
    }

    let front: FramedFront
    let world: World
    private(set) var phones: [Phone] = []
    private(set) var androids: [Android] = []
    private(set) var cameras: [Camera] = []
    private(set) var certified: [Certified] = []

    init(_ front: FramedFront, _ world: World) async throws {
        (self.front, self.world) = (front, world)
        for (app, count) in [("camera", 10), ("strict", 4), ("rated", 3)] {
            for number in 0..<count { try await register(phone(number % 4), app: app) }
        }
        for (app, count) in [("camera", 6), ("strict", 2)] {
            for number in 0..<count { try await register(try android(number), app: app) }
        }
        try await enrol()
        try await certify()
    }

    // MARK: Devices

    /// A new phone; the number says of which kind.
    func phone(_ number: Int, trusted: Bool = true) -> VirtualKey {
        let systems: [(VirtualPhone.Platform, String)] = [(.iOS, "27.0"), (.iOS, "18.5"), (.macOS, "27.0"), (.iOS, "26.1")]
        let (platform, version) = systems[number % systems.count]
        var phone = VirtualPhone(
            authority: trusted ? world.authority : world.stranger, appID: World.appID,
            environment: number % 7 == 6 ? .development : .production, platform: platform, osVersion: version)
        return phone.makeKey()
    }

    func android(_ number: Int) throws -> AndroidKey {
        let kinds: [TestKey.Kind] = [.p256, .p384, .p256, .ed25519]
        let levels: [VirtualAndroid.Level] = [
            .trustedEnvironment, .strongBox, .trustedEnvironment, .trustedEnvironment, .software,
        ]
        var device = VirtualAndroid(
            authority: world.android, application: AttestedApplicationDraft(World.package, signer: World.signer),
            level: levels[number % levels.count])
        return try device.makeKey(kinds[number % kinds.count])
    }

    private mutating func register(_ key: VirtualKey, app: String) async throws {
        let data = try Self.clientData(.register, try await challenge(app, .register), payload: [1])
        let body = try key.attest(clientDataHash: data.hash, at: SystemClock().now())
        let device = try await verify(
            Self.request(app, data, [Evidence(format: .appAttestAttestation, keyID: key.keyID, body: body)]))
        phones.append(Phone(key: key, app: app, device: device))
    }

    private mutating func register(_ key: AndroidKey, app: String) async throws {
        guard key.device.level != .software else { return }
        let data = try Self.clientData(.register, try await challenge(app, .register), payload: [1])
        let chain = try key.attest(challenge: data.bytes, at: SystemClock().now())
        let device = try await verify(
            Self.request(app, data, [Evidence(format: .keyAttestation, keyID: [], body: Evidence.join(chain))]))
        androids.append(Android(key: key, app: app, device: device))
    }

    /// The device that a request registers, which must be accepted.
    private func verify(_ request: Assay_V1_VerifyRequest) async throws -> Data {
        let verdict = try await front.call(.verify, request, of: Assay_V1_Verdict.self)
        guard verdict.decision == .accepted else { throw ProtocolFault("\(request.app): \(verdict.reason): \(verdict.detail)") }
        return verdict.deviceID
    }

    private mutating func enrol() async throws {
        for (app, count) in [("fleet", 200), ("legacy", 60)] {
            let request = Assay_V1_AddEnrolmentsRequest.with {
                ($0.app, $0.serials) = (app, (0..<count).map { Self.serial(app, $0) })
            }
            _ = try await front.call(.addEnrolments, request, of: Assay_V1_AddEnrolmentsResponse.self)
            for number in 0..<8 {
                let camera = VirtualCamera(serial: Self.serial(app, number))
                let request = try Assay_V1_ProvisionDeviceRequest.with {
                    ($0.app, $0.deviceSerial, $0.csr) = (app, camera.serial, Data(try camera.certificateRequest()))
                }
                let answer = try await front.call(.provisionDevice, request, of: Assay_V1_ProvisionDeviceResponse.self)
                guard !answer.deviceCertificate.isEmpty else {
                    throw ProtocolFault("\(camera.serial): \(answer.rejection.reason)")
                }
                cameras.append(Camera(camera: camera, app: app, certificate: Array(answer.deviceCertificate)))
            }
        }
    }

    static func serial(_ app: String, _ number: Int) -> String { "\(app.uppercased())-\(number)" }

    private mutating func certify() async throws {
        for index in phones.indices.filter({ phones[$0].app == "camera" }) {
            let key = try TestKey(.p256)
            let csr = try CertificateRequestDraft(key).signed(by: key)
            let data = try Self.clientData(.provision, try await challenge("camera", .provision), payload: csr)
            let body = try phones[index].key.assert(clientDataHash: data.hash)
            let piece = Evidence(format: .appAttestAssertion, keyID: phones[index].key.keyID, body: body)
            let answer = try await front.call(
                .issue, try Self.issuance("camera", data, csr, piece), of: Assay_V1_IssueCertificateResponse.self)
            guard answer.hasCertificate else { throw ProtocolFault("no certificate: \(answer.verdict.reason)") }
            certified.append(Certified(key: key, app: "camera", serial: answer.certificate.serial))
        }
    }

    /// A request for a certificate, on a piece of evidence that vouches for the key of the CSR.
    static func issuance(
        _ app: String, _ data: ClientData, _ csr: [UInt8], _ piece: Evidence
    ) throws -> Assay_V1_IssueCertificateRequest {
        let evidence = try request(app, data, [piece]).evidence
        return .with {
            ($0.app, $0.challenge, $0.csr) = (app, Data(data.challenge), Data(csr))
            ($0.payloadSha256, $0.evidence) = (Data(data.payloadHash ?? []), evidence)
        }
    }

    // MARK: Requests

    func challenge(
        _ app: String, _ purpose: Assay_V1_Purpose, context: [UInt8] = [], milliseconds: UInt32 = 0
    ) async throws -> [UInt8] {
        let request = Assay_V1_IssueChallengeRequest.with {
            ($0.app, $0.purpose, $0.context, $0.ttlMs) = (app, purpose, Data(context), milliseconds)
        }
        return Array(try await front.call(.issueChallenge, request, of: Assay_V1_IssueChallengeResponse.self).challenge)
    }

    static func clientData(_ purpose: Purpose, _ challenge: [UInt8], payload: [UInt8]?) throws -> ClientData {
        let data = ClientData(purpose: purpose, challenge: challenge, payloadHash: payload.map { ClientData.payloadHash($0) })
        guard let data else { throw ProtocolFault("a challenge of \(challenge.count) bytes") }
        return data
    }

    /// Evidence under Assay's own client data.
    static func request(_ app: String, _ data: ClientData, _ evidence: [Evidence]) throws -> Assay_V1_VerifyRequest {
        guard let id = AppID(app) else { throw ProtocolFault("\(app) is no app") }
        return VerificationRequest(
            app: id, purpose: data.purpose, challenge: data.challenge, evidence: evidence,
            binding: .clientData(payloadHash: data.payloadHash)
        ).message
    }
}
