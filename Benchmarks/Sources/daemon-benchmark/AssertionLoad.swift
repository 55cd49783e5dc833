import AssayAPI
import AssayClient
import AssayCore
import AssaySimulator
import Foundation
import SwiftProtobuf

/// Registered phones, and uploads with their assertions.
final class AssertionLoad: Load, @unchecked Sendable {  // only one task touches keys, between rounds
    let clients: [AssayClient]
    private let app: AppID
    /// What each upload asks for beside its verdict.
    private let results: [ResultRequest]
    private var keys: [VirtualKey]

    private init(app: AppID, clients: [AssayClient], keys: [VirtualKey], results: [ResultRequest]) {
        (self.app, self.clients, self.keys, self.results) = (app, clients, keys, results)
    }

    /// Connects, and registers the devices.
    static func prepare(
        _ daemon: DaemonProcess, devices: Int, connections: Int, results: [ResultRequest] = []
    ) async throws -> AssertionLoad {
        let clients = try await Clients.connect(connections, to: daemon.address)
        let keys = try await Phones.register(devices, with: daemon, over: clients[0])
        return AssertionLoad(app: try DaemonConfiguration.phoneApp, clients: clients, keys: keys, results: results)
    }

    func requests(_ count: Int) async throws -> [[PlainFrame.Request]] {
        let (app, clients, results) = (app, clients, results)
        return try await Phones.sign(&keys) { index, key in
            try await Phones.uploads(count, of: &key, to: app, over: clients[index % clients.count], asking: results)
        }
    }

    func check(_ answer: [UInt8]) throws {
        let verdict = try Assay_V1_Verdict(serializedBytes: answer)
        try verdict.requireAccepted()
        guard verdict.results.count == results.count, verdict.results.allSatisfy({ !$0.id.isEmpty }) else {
            throw AssayError(.internalError, "not signed: \(verdict.results.map(\.problem.code))")
        }
    }
}

/// Virtual iPhones.
enum Phones {
    static func register(
        _ count: Int, with daemon: DaemonProcess, over client: AssayClient
    ) async throws -> [VirtualKey] {
        let app = try DaemonConfiguration.phoneApp
        var phone = VirtualPhone(authority: daemon.authority, appID: DaemonConfiguration.appID)
        var keys: [VirtualKey] = []
        for _ in 0..<count {
            let key = phone.makeKey()
            let challenge = try await client.issueChallenge(app: app, purpose: .register)
            guard let data = ClientData(purpose: .register, challenge: challenge.bytes) else { continue }
            let attestation = try key.attest(clientDataHash: data.hash, at: SystemClock().now())
            let verdict = try await client.verify(
                VerificationRequest(
                    app: app, purpose: .register, challenge: challenge.bytes,
                    evidence: [Evidence(format: .appAttestAttestation, keyID: key.keyID, body: attestation)]))
            guard verdict.decision == .accepted else { throw AssayError(.internalError, "not registered: \(verdict.reason)") }
            keys.append(key)
        }
        return keys
    }

    /// Signs uploads, each with a challenge of its own.
    static func uploads(
        _ count: Int, of key: inout VirtualKey, to app: AppID, over client: AssayClient, asking results: [ResultRequest] = []
    ) async throws -> [PlainFrame.Request] {
        var uploads: [PlainFrame.Request] = []
        let payloadHash = ClientData.payloadHash(Array("a photo".utf8))
        for _ in 0..<count {
            let challenge = try await client.issueChallenge(app: app, purpose: .assert)
            guard let data = ClientData(purpose: .assert, challenge: challenge.bytes, payloadHash: payloadHash) else {
                continue
            }
            let assertion = try key.assert(clientDataHash: data.hash)
            var request = VerificationRequest(
                app: app, purpose: .assert, challenge: challenge.bytes,
                evidence: [Evidence(format: .appAttestAssertion, keyID: key.keyID, body: assertion)],
                binding: .clientData(payloadHash: payloadHash))
            request.results = results
            uploads.append(try PlainFrame.Request("/assay.v1.Attestation/Verify", request.message))
        }
        return uploads
    }

    /// Lets phones make their requests at the same time; their counters go on.
    static func sign(
        _ keys: inout [VirtualKey],
        _ make: @escaping @Sendable (Int, inout VirtualKey) async throws -> [PlainFrame.Request]
    ) async throws -> [[PlainFrame.Request]] {
        var requests: [[PlainFrame.Request]] = []
        // A daemon takes so many calls of a connection at a time (limits.max_calls_per_connection).
        let limit = 256
        for start in stride(from: 0, to: keys.count, by: limit) {
            let phones = keys[start..<min(start + limit, keys.count)]
            let made = try await withThrowingTaskGroup(of: (Int, VirtualKey, [PlainFrame.Request]).self) { group in
                for index in phones.indices {
                    group.addTask {
                        var key = phones[index]
                        let requests = try await make(index, &key)
                        return (index, key, requests)
                    }
                }
                return try await group.reduce(into: [(Int, VirtualKey, [PlainFrame.Request])]()) { $0.append($1) }
            }
            for (index, key, _) in made { keys[index] = key }
            requests += made.sorted { $0.0 < $1.0 }.map(\.2)
        }
        return requests
    }
}

extension Assay_V1_Verdict {
    func requireAccepted() throws {
        guard decision == .accepted else { throw AssayError(.internalError, "not accepted: \(reason)") }
    }
}
