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
        let (app, clients, keys) = (app, clients, keys)
        let signed = try await withThrowingTaskGroup(of: (Int, VirtualKey, Uploads).self) { group in
            for index in keys.indices {
                group.addTask {
                    var key = keys[index]
                    let uploads = try await Self.sign(count, with: &key, app: app, over: clients[index % clients.count])
                    return (index, key, uploads)
                }
            }
            return try await group.reduce(into: [(Int, VirtualKey, Uploads)]()) { $0.append($1) }
        }
        for (index, key, _) in signed { self.keys[index] = key }
        return signed.sorted { $0.0 < $1.0 }.map(\.2)
    }

    private static func sign(
        _ count: Int, with key: inout VirtualKey, app: AppID, over client: AssayClient
    ) async throws -> Uploads {
        let payloadHash = ClientData.payloadHash(Array("a photo".utf8))
        var uploads: Uploads = []
        for _ in 0..<count {
            let challenge = try await client.issueChallenge(app: app, purpose: .assert)
            guard let data = ClientData(purpose: .assert, challenge: challenge.bytes, payloadHash: payloadHash) else {
                continue
            }
            let assertion = try key.assert(clientDataHash: data.hash)
            uploads.append(
                VerificationRequest(
                    app: app, purpose: .assert, challenge: challenge.bytes,
                    evidence: [Evidence(format: .appAttestAssertion, keyID: key.keyID, body: assertion)],
                    binding: .clientData(payloadHash: payloadHash)))
        }
        return uploads
    }

    /// Sends all uploads and returns how many were accepted, which must be all. Each connection sends a burst, one upload
    /// of each of its devices, and the next one when the last answer has come.
    func send(_ batches: [Uploads]) async throws -> Int {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for (index, client) in clients.enumerated() {
                let uploads = stride(from: index, to: batches.count, by: clients.count).map { batches[$0] }
                group.addTask { try await Self.send(uploads, over: client) }
            }
            return try await group.reduce(0, +)
        }
    }

    private static func send(_ devices: [Uploads], over client: AssayClient) async throws -> Int {
        var accepted = 0
        for round in 0..<(devices.first?.count ?? 0) {
            accepted += try await withThrowingTaskGroup(of: Int.self) { group in
                for uploads in devices {
                    group.addTask {
                        let verdict = try await client.verify(uploads[round], timeout: .seconds(60))
                        guard verdict.decision == .accepted else {
                            throw AssayError(.internalError, "not accepted: \(verdict.reason) \(verdict.detail)")
                        }
                        return 1
                    }
                }
                return try await group.reduce(0, +)
            }
        }
        return accepted
    }

    func close() async {
        for client in clients { await client.close() }
    }
}
