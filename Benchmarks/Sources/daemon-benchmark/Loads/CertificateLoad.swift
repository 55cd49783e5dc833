import AssayAPI
import AssayClient
import AssayCore
import AssaySimulator
import Foundation
import SwiftProtobuf

/// Registered phones that ask for certificates of new keys, each with an assertion over its CSR.
final class CertificateLoad: Load, @unchecked Sendable {  // only one task touches keys, between rounds
    let clients: [AssayClient]
    private let app: AppID
    private var keys: [VirtualKey]

    private init(app: AppID, clients: [AssayClient], keys: [VirtualKey]) {
        (self.app, self.clients, self.keys) = (app, clients, keys)
    }

    static func prepare(_ daemon: DaemonProcess, devices: Int, connections: Int) async throws -> CertificateLoad {
        let clients = try await Clients.connect(connections, to: daemon.address)
        let keys = try await Phones.register(devices, with: daemon, over: clients[0])
        return CertificateLoad(app: try DaemonConfiguration.phoneApp, clients: clients, keys: keys)
    }

    func requests(_ count: Int) async throws -> [[PlainFrame.Request]] {
        let (app, clients) = (app, clients)
        return try await Requests.made(by: &keys) { index, key in
            let client = clients[index % clients.count]
            var requests: [PlainFrame.Request] = []
            for _ in 0..<count {
                let challenge = try await client.issueChallenge(app: app, purpose: .provision)
                let csr = try VirtualCamera(serial: "not used").certificateRequest()
                guard let data = ClientData.provisioning(challenge: challenge.bytes, csr: csr) else { continue }
                let assertion = try key.assert(clientDataHash: data.hash)
                let request = IssuanceRequest(
                    app: app, challenge: challenge.bytes,
                    evidence: [Evidence(format: .appAttestAssertion, keyID: key.keyID, body: assertion)], key: .csr(csr))
                requests.append(try PlainFrame.Request("/assay.v1.Provisioning/Issue", request.message))
            }
            return requests
        }
    }

    func check(_ answer: [UInt8]) throws {
        let response = try Assay_V1_IssueCertificateResponse(serializedBytes: answer)
        try response.verdict.requireAccepted()
        guard !response.certificate.certificate.isEmpty else { throw AssayError(.internalError, "no certificate") }
    }
}
