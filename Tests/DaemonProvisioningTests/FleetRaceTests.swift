import AssayAPI
import AssayClient
import AssayCore
import AssayTesting
import Crypto
import Foundation
import Testing

@testable import DaemonTesting

extension ProcessTests {
    /// Equal requests to provision a camera, which a factory sends again when an answer is late.
    @Suite("Equal requests of a factory")
    struct FleetRaceTests {
        private static let racers = 64
        /// More with `ASSAY_ROUNDS`, where the machine has time.
        private static let rounds = ProcessInfo.processInfo.environment["ASSAY_ROUNDS"].flatMap { Int($0) } ?? 4

        /// Sends a request from all racers at once, over two connections to each daemon.
        private func race(_ request: FleetDeviceRequest, _ clients: [AssayClient]) async throws
            -> [Assay_V1_ProvisionDeviceResponse]
        {
            try await withThrowingTaskGroup(of: Assay_V1_ProvisionDeviceResponse.self) { group in
                for number in 0..<Self.racers {
                    group.addTask {
                        try await clients[number % clients.count].provisionDevice(request, timeout: TestPhone.patience)
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
        }

        /// Lets a camera be provisioned by racing requests, then readmitted and provisioned again, and so on.
        private func run(_ fleet: AppID, _ daemons: [TestDaemon]) async throws {
            var clients: [AssayClient] = []
            for daemon in daemons + daemons { clients.append(try await daemon.connect()) }
            _ = try await clients[0].addEnrolments(app: fleet, serials: ["CAM-1"])
            var devices: Set<Data> = []
            for round in 0..<Self.rounds {
                let csr = try await OpenSSLKey().csr
                let request = FleetDeviceRequest(
                    app: fleet, serial: "CAM-1", csr: csr, idempotencyKey: [UInt8(truncatingIfNeeded: round)])
                let answers = try await race(request, clients)
                #expect(answers.allSatisfy { $0.rejection.reason.isEmpty }, "\(Set(answers.map(\.rejection.reason)))")
                #expect(answers.count { !$0.repeated } == 1)
                let contents = Set(
                    answers.map { answer in
                        var content = answer
                        content.repeated = false
                        return content
                    })
                #expect(contents.count == 1 && devices.insert(contents.first?.deviceID ?? Data()).inserted)
                let another = FleetDeviceRequest(app: fleet, serial: "CAM-1", csr: csr, idempotencyKey: [0xFF])
                #expect(try await clients[0].provisionDevice(another).rejection.reason == "already_provisioned")
                _ = try await clients[round % clients.count].readmitDevice(serial: "CAM-1", app: fleet, reason: "repaired")
            }
            for client in clients { await client.close() }
        }

        @Test("At one daemon all get one answer, before and after readmissions")
        func oneDaemon() async throws {
            let home = try await ProvisioningHome()
            let daemon = try await TestDaemon(home.home)
            try await run(home.fleet, [daemon])
            #expect(await daemon.stop().status == 0)
        }

        @Test("At three daemons on one ledger all get one answer, before and after readmissions", .needsServer)
        func threeDaemons() async throws {
            let home = try await ProvisioningHome()
            let ca = home.folder.file("ca/issuing-1")
            let shared = try SharedLedger(
                daemons: 3, on: try TestServer.shared.get(),
                more: { _ in
                    """
                    provisioning:
                      authorities:
                        - {name: issuing-1, certificate: \(ca).pem, key: \(ca).key, passphrase_file: \(ca).passphrase}
                    """
                })
            for daemon in shared.homes {
                try daemon.folder.write(
                    daemon.folder.text("assayd.yaml") + """

                          fleet:
                            provisioning: {fleet: {manufacturer: Example, validation_endpoint: "https://validate.example.org"}}
                            certificate_bundle: {}
                        """, to: "assayd.yaml")
            }
            let daemons = try await shared.start()
            try await run(home.fleet, daemons)
            for daemon in daemons { #expect(await daemon.stop().status == 0) }
        }
    }
}
