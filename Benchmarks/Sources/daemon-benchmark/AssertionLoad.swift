import AssayAPI
import AssayClient
import AssayCore
import AssaySimulator
import Foundation
import Synchronization

/// Registered devices and the connections that they share.
final class AssertionLoad: @unchecked Sendable {  // only one task touches keys, between rounds
    private let app: AppID
    private let clients: [AssayClient]
    private var keys: [VirtualKey]
    private let address: String

    /// The signed uploads of one device, in the order of their counters.
    typealias Uploads = [VerificationRequest]

    private init(app: AppID, clients: [AssayClient], keys: [VirtualKey], address: String) {
        (self.app, self.clients, self.keys, self.address) = (app, clients, keys, address)
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
        return AssertionLoad(app: app, clients: clients, keys: keys, address: daemon.address)
    }

    /// The daemon takes a moment until it listens.
    private static func connect(_ address: String) async throws -> AssayClient {
        for _ in 0..<100 {
            if let client = try? await AssayClient.connect(to: address) { return client }
            try await Task.sleep(for: .milliseconds(50))
        }
        return try await AssayClient.connect(to: address)
    }

    /// Requests challenges and signs uploads: `count` for each device.
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

    /// A connection's bursts, ready to send: each has one upload of each of its devices.
    typealias Bursts = [(bytes: [UInt8], uploads: Int)]

    /// Makes the frames of all uploads, for each connection.
    func bursts(_ batches: [Uploads]) throws -> [Bursts] {
        try clients.indices.map { index in
            let devices = stride(from: index, to: batches.count, by: clients.count).map { batches[$0] }
            return try (0..<(devices.first?.count ?? 0)).map { round in
                let frames = try devices.enumerated().map { try PlainFrame.call(UInt64($0 + 1), $1[round]) }
                return (frames.flatMap { $0 }, frames.count)
            }
        }
    }

    /// Sends all bursts, on each connection the next one after the last answer; returns all answers.
    func send(_ bursts: [Bursts]) throws -> [[UInt8]] {
        let results = Mutex<[Result<[[UInt8]], any Error>]>([])
        let address = address
        DispatchQueue.concurrentPerform(iterations: bursts.count) { index in
            let result = Result {
                let connection = try PlainConnection(address)
                return try bursts[index].flatMap { try connection.exchange($0.bytes, frames: $0.uploads) }
            }
            results.withLock { $0.append(result) }
        }
        return try results.withLock { $0 }.flatMap { try $0.get() }
    }

    /// The number of acceptances among the answers; all must be.
    static func accepted(_ replies: [[UInt8]]) throws -> Int {
        for reply in replies {
            guard let verdict = PlainFrame.verdict(reply), verdict.decision == .accepted else {
                throw AssayError(.internalError, "not accepted: \(PlainFrame.verdict(reply)?.reason ?? "no verdict")")
            }
        }
        return replies.count
    }

    func close() async {
        for client in clients { await client.close() }
    }
}
