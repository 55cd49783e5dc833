import AssayAPI
import AssayClient
import AssayCore
import AssaySimulator
import SwiftProtobuf

/// Registered Android devices, and uploads that their keys sign.
struct KeySignatureLoad: Load {
    let clients: [AssayClient]
    private let keys: [AndroidKey]

    /// Connects, and registers the devices.
    static func prepare(_ daemon: DaemonProcess, devices: Int, connections: Int) async throws -> KeySignatureLoad {
        let clients = try await Clients.connect(connections, to: daemon.address)
        let makers = try AndroidDevices(daemon.vendors.android)
        var keys = try (0..<devices).map { _ in try makers.makeKey() }
        let client = clients[0]
        _ = try await Requests.made(by: &keys) { _, key in
            try await client.verify(try await makers.registration(of: key, over: client)).requireAccepted()
            return []
        }
        return KeySignatureLoad(clients: clients, keys: keys)
    }

    func requests(_ count: Int) async throws -> [[PlainFrame.Request]] {
        let (keys, clients) = (keys, clients)
        let app = try DaemonConfiguration.phoneApp
        return try await Requests.made(by: keys.count, each: count) { index in
            let key = keys[index]
            let challenge = try await clients[index % clients.count].issueChallenge(app: app, purpose: .assert)
            let data = try ClientData.signed(.assert, challenge.bytes, payload: Uploaded.payload)
            let body = Evidence.join([[key.key.usualScheme.rawValue], try key.sign(data.bytes)])
            return try .verify(
                Uploaded.request(to: app, data, Evidence(format: .keySignature, keyID: key.keyID, body: body)))
        }
    }

    func check(_ answer: [UInt8]) throws { try Assay_V1_Verdict(serializedBytes: answer).requireAccepted() }
}
