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
        return try await Requests.made(by: &keys) { index, key in
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
