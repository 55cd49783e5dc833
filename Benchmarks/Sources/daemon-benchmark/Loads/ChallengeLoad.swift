import AssayAPI
import AssayClient
import AssayCore
import Foundation
import SwiftProtobuf

/// Requests for challenges.
struct ChallengeLoad: Load {
    let clients: [AssayClient]
    private let devices: Int

    static func prepare(_ daemon: DaemonProcess, devices: Int, connections: Int) async throws -> ChallengeLoad {
        ChallengeLoad(clients: try await Clients.connect(connections, to: daemon.address), devices: devices)
    }

    func requests(_ count: Int) async throws -> [[PlainFrame.Request]] {
        Array(repeating: Array(repeating: try Self.request(), count: count), count: devices)
    }

    static func request() throws -> PlainFrame.Request {
        let app = try DaemonConfiguration.phoneApp.text
        return try PlainFrame.Request(
            "/assay.v1.Attestation/IssueChallenge",
            Assay_V1_IssueChallengeRequest.with { ($0.app, $0.purpose) = (app, .assert) })
    }

    func check(_ answer: [UInt8]) throws {
        guard try !Assay_V1_IssueChallengeResponse(serializedBytes: answer).challenge.isEmpty else {
            throw AssayError(.internalError, "no challenge")
        }
    }
}
