import AssayAPI
import AssayClient
import AssayCore
import AssaySimulator

/// Registered devices and the connections that they share.
final class AssertionLoad: @unchecked Sendable {  // keys are touched between rounds only, by one task
    private let app: AppID
    private let clients: [AssayClient]
    private var keys: [VirtualKey]

    /// The signed uploads of one device, in the order of their counters.
    typealias Uploads = [VerificationRequest]

    private init(app: AppID, clients: [AssayClient], keys: [VirtualKey]) {
        (self.app, self.clients, self.keys) = (app, clients, keys)
    }

    /// Connects, and registers the devices.
    static func prepare(_ daemon: DaemonProcess, devices: Int, connections: Int) async throws -> AssertionLoad {
        guard let app = AppID("camera") else { throw AssayError(.internalError, "no app") }
        var clients = [try await connect(daemon.address)]
        while clients.count < connections { clients.append(try await connect(daemon.address)) }
        var phone = VirtualPhone(authority: daemon.authority, appID: DaemonProcess.appID)
        var keys: [VirtualKey] = []
        for _ in 0..<devices {
            let key = phone.makeKey()
            let challenge = try await clients[0].issueChallenge(app: app, purpose: .register)
            guard let data = ClientData(purpose: .register, challenge: challenge.bytes) else { continue }
            let attestation = try key.attest(clientDataHash: data.hash, at: SystemClock().now())
            let verdict = try await clients[0].verify(
                VerificationRequest(
                    app: app, purpose: .register, challenge: challenge.bytes,
                    evidence: [Evidence(format: .appAttestAttestation, keyID: key.keyID, body: attestation)]))
            guard verdict.decision == .accepted else { throw AssayError(.internalError, "not registered: \(verdict.reason)") }
            keys.append(key)
        }
        return AssertionLoad(app: app, clients: clients, keys: keys)
    }

    /// The daemon needs a moment until it listens.
    private static func connect(_ address: String) async throws -> AssayClient {
        for _ in 0..<100 {
            if let client = try? await AssayClient.connect(to: address) { return client }
            try await Task.sleep(for: .milliseconds(50))
        }
        return try await AssayClient.connect(to: address)
    }

    /// Asks for challenges and signs uploads: `count` for each device.
    func sign(_ count: Int) async throws -> [Uploads] {
        var batches: [Uploads] = []
        let payloadHash = ClientData.payloadHash(Array("a photo".utf8))
        for index in keys.indices {
            var uploads: Uploads = []
            for _ in 0..<count {
                let challenge = try await clients[index % clients.count].issueChallenge(app: app, purpose: .assert)
                guard let data = ClientData(purpose: .assert, challenge: challenge.bytes, payloadHash: payloadHash) else {
                    continue
                }
                let assertion = try keys[index].assert(clientDataHash: data.hash)
                uploads.append(
                    VerificationRequest(
                        app: app, purpose: .assert, challenge: challenge.bytes,
                        evidence: [Evidence(format: .appAttestAssertion, keyID: keys[index].keyID, body: assertion)],
                        binding: .clientData(payloadHash: payloadHash)))
            }
            batches.append(uploads)
        }
        return batches
    }

    /// Sends all uploads, one in flight for each device; returns how many were accepted, which must be all.
    func send(_ batches: [Uploads]) async throws -> Int {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for (index, uploads) in batches.enumerated() {
                let client = clients[index % clients.count]
                group.addTask {
                    var accepted = 0
                    for upload in uploads {
                        let verdict = try await client.verify(upload, timeout: .seconds(60))
                        guard verdict.decision == .accepted else {
                            throw AssayError(.internalError, "not accepted: \(verdict.reason) \(verdict.detail)")
                        }
                        accepted += 1
                    }
                    return accepted
                }
            }
            return try await group.reduce(0, +)
        }
    }

    func close() async {
        for client in clients { await client.close() }
    }
}
