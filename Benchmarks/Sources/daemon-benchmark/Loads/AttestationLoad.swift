import AssayAPI
import AssayClient
import AssayCore
import AssaySimulator
import SwiftProtobuf

/// New phones that register by an App Attest attestation.
struct AttestationLoad: Load {
    let clients: [AssayClient]
    private let authority: TestAuthority
    private let devices: Int

    static func prepare(_ daemon: DaemonProcess, devices: Int, connections: Int) async throws -> AttestationLoad {
        AttestationLoad(
            clients: try await Clients.connect(connections, to: daemon.address), authority: daemon.authority, devices: devices)
    }

    func requests(_ count: Int) async throws -> [[PlainFrame.Request]] {
        let (authority, clients) = (authority, clients)
        return try await Requests.made(by: devices, each: count) { index in
            var phone = VirtualPhone(authority: authority, appID: DaemonConfiguration.appID)
            let key = phone.makeKey()
            return try .verify(try await Phones.registration(of: key, over: clients[index % clients.count]))
        }
    }

    func check(_ answer: [UInt8]) throws { try Assay_V1_Verdict(serializedBytes: answer).requireAccepted() }
}
