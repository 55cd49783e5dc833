import AssayAPI
import AssayClient
import AssayCore
import AssaySimulator
import SwiftProtobuf

/// Uploads with a token of Play Integrity, which the daemon decrypts and verifies by keys of its own.
struct IntegrityLoad: Load {
    let clients: [AssayClient]
    private let console: PlayConsole
    private let devices: Int

    static func prepare(_ daemon: DaemonProcess, devices: Int, connections: Int) async throws -> IntegrityLoad {
        IntegrityLoad(
            clients: try await Clients.connect(connections, to: daemon.address), console: daemon.vendors.console,
            devices: devices)
    }

    func requests(_ count: Int) async throws -> [[PlainFrame.Request]] {
        let (console, clients) = (console, clients)
        let app = try DaemonConfiguration.phoneApp
        return try await Requests.made(by: devices, each: count) { index in
            let challenge = try await clients[index % clients.count].issueChallenge(app: app, purpose: .assert)
            let data = try ClientData.signed(.assert, challenge.bytes, payload: Uploaded.payload)
            let payload = JSONDraft.playPayload(
                package: DaemonConfiguration.package, signer: DaemonConfiguration.packageSigner, nonce: data.bytes,
                at: SystemClock().now())
            let body = Array(try console.token(payload).utf8)
            return try .verify(Uploaded.request(to: app, data, Evidence(format: .playIntegrity, keyID: [], body: body)))
        }
    }

    func check(_ answer: [UInt8]) throws { try Assay_V1_Verdict(serializedBytes: answer).requireAccepted() }
}
