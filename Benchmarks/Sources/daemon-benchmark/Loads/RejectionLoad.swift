import AssayAPI
import AssayClient
import AssayCore
import AssaySimulator
import SwiftProtobuf

/// Uploads of phones that are rejected. Each is another one: the daemon remembers what it has refused.
final class RejectionLoad: Load, @unchecked Sendable {  // only one task touches keys, between rounds
    /// What is wrong with an upload.
    enum Fault: Sendable {
        /// Its challenge has a changed bit.
        case challenge
        /// Its key is not registered.
        case key
        /// Another key signed it.
        case signature

        var code: ReasonCode {
            switch self {
            case .challenge: .challengeInvalid
            case .key: .unknownDevice
            case .signature: .badSignature
            }
        }
    }

    let clients: [AssayClient]
    private let fault: Fault
    private var keys: [VirtualKey]

    private init(_ fault: Fault, clients: [AssayClient], keys: [VirtualKey]) {
        (self.fault, self.clients, self.keys) = (fault, clients, keys)
    }

    /// Connects, and registers the phones, unless their keys are to be unknown.
    static func prepare(
        _ fault: Fault, _ daemon: DaemonProcess, devices: Int, connections: Int
    ) async throws -> RejectionLoad {
        let clients = try await Clients.connect(connections, to: daemon.address)
        guard fault == .key else {
            let keys = try await Phones.register(devices, with: daemon, over: clients[0])
            return RejectionLoad(fault, clients: clients, keys: keys)
        }
        var phone = VirtualPhone(authority: daemon.authority, appID: DaemonConfiguration.appID)
        return RejectionLoad(fault, clients: clients, keys: (0..<devices).map { _ in phone.makeKey() })
    }

    func requests(_ count: Int) async throws -> [[PlainFrame.Request]] {
        let (fault, clients) = (fault, clients)
        let app = try DaemonConfiguration.phoneApp
        let stranger = TestSigningKey(.p256)
        return try await Requests.made(by: &keys) { index, key in
            var requests: [PlainFrame.Request] = []
            for _ in 0..<count {
                var challenge = try await clients[index % clients.count].issueChallenge(app: app, purpose: .assert).bytes
                if fault == .challenge, let last = challenge.popLast() { challenge.append(last ^ 1) }
                let changes: AssertionChanges = fault == .signature ? .genuine.signer(stranger) : .genuine
                requests.append(try .verify(try Phones.upload(of: &key, to: app, under: challenge, changes: changes)))
            }
            return requests
        }
    }

    func check(_ answer: [UInt8]) throws {
        try Assay_V1_Verdict(serializedBytes: answer).requireRejected(as: fault.code)
    }
}
