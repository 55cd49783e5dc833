import AssayAPI
import AssayClient
import AssayCore
import AssaySimulator
import Foundation
import SwiftProtobuf

/// Provisioned cameras, and uploads with their bundles in JSON.
struct BundleLoad: Load {
    let clients: [AssayClient]
    private let cameras: [(camera: VirtualCamera, certificate: [UInt8])]

    /// Connects, and provisions the cameras.
    static func prepare(_ daemon: DaemonProcess, devices: Int, connections: Int) async throws -> BundleLoad {
        let clients = try await Clients.connect(connections, to: daemon.address)
        let client = clients[0]
        var cameras = try await Fleet.enrol(devices, over: client).map { (camera: $0, certificate: [UInt8]()) }
        _ = try await Requests.made(by: &cameras) { _, provisioned in
            let response = try await client.provisionDevice(try Fleet.request(provisioned.camera))
            guard !response.deviceCertificate.isEmpty else {
                throw AssayError(.internalError, "not provisioned: \(response.rejection.reason)")
            }
            provisioned.certificate = Array(response.deviceCertificate)
            return []
        }
        return BundleLoad(clients: clients, cameras: cameras)
    }

    func requests(_ count: Int) async throws -> [[PlainFrame.Request]] {
        let now = SystemClock().now()
        let app = try DaemonConfiguration.fleetApp
        return try cameras.map { camera, certificate in
            try (0..<count).map { _ in
                // Each image is another one: the same statement again would be a repetition.
                let image = (0..<32).map { _ in UInt8.random(in: 0...255) }
                let json = try camera.bundle(imageHash: image, certificate: certificate, at: now)
                let request = VerificationRequest(
                    app: app, purpose: .assert, challenge: [], evidence: [CertificateBundle.json(json).evidence],
                    binding: .inEvidence)
                return try PlainFrame.Request("/assay.v1.Attestation/Verify", request.message)
            }
        }
    }

    func check(_ answer: [UInt8]) throws { try Assay_V1_Verdict(serializedBytes: answer).requireAccepted() }
}
