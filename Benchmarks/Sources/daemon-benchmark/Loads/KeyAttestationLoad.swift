import AssayAPI
import AssayClient
import AssayCore
import SwiftProtobuf

/// New Android devices that register by a key attestation.
struct KeyAttestationLoad: Load {
    let clients: [AssayClient]
    private let makers: AndroidDevices
    private let devices: Int

    static func prepare(_ daemon: DaemonProcess, devices: Int, connections: Int) async throws -> KeyAttestationLoad {
        KeyAttestationLoad(
            clients: try await Clients.connect(connections, to: daemon.address),
            makers: try AndroidDevices(daemon.vendors.android), devices: devices)
    }

    func requests(_ count: Int) async throws -> [[PlainFrame.Request]] {
        let (makers, clients) = (makers, clients)
        return try await Requests.made(by: devices, each: count) { index in
            try .verify(try await makers.registration(of: try makers.makeKey(), over: clients[index % clients.count]))
        }
    }

    func check(_ answer: [UInt8]) throws { try Assay_V1_Verdict(serializedBytes: answer).requireAccepted() }
}
