import AssayAPI
import AssayClient
import AssayCore
import AssaySimulator
import AssayTesting
import Foundation
import Testing

@testable import DaemonTesting

extension ProcessTests {
    /// Three daemons on one ledger behind HAProxy, with the configuration in deploy/haproxy.
    @Suite(
        "A load balancer before daemons on one ledger", .needsServer,
        .enabled(if: Balancer.isInstalled, "haproxy is absent: install it (make setup-tests)"))
    struct BalancerTests {
        private let ports: [UInt16]
        private let probes: [UInt16]

        init() throws { (ports, probes) = (try Balancer.ports(3), try Balancer.ports(3)) }

        private func ledger(daemons count: Int, on server: TestServer) throws -> SharedLedger {
            try SharedLedger(
                daemons: count, on: server, port: { ports[$0 - 1] },
                more: { "operate: {listen: [{tcp: 127.0.0.1:\(probes[$0 - 1])}], open: [probes]}" })
        }

        /// The outcome of an upload, over a new connection if the one before has ended.
        private func upload(_ phone: inout TestPhone, through balancer: Balancer) async throws -> String {
            var last: any Error = CancellationError()
            for _ in 0..<600 {
                do {
                    let client = try await AssayClient.connect(to: balancer.address, options: ClientOptions(retry: .once))
                    do {
                        let outcome = try await phone.upload(client).outcome
                        await client.close()
                        return outcome
                    } catch {
                        await client.close()
                        throw error
                    }
                } catch {
                    last = error
                    try await Task.sleep(for: .milliseconds(100))
                }
            }
            throw last
        }

        @Test("Calls go on while daemons are killed, stop and come back, and a daemon that is not ready gets none")
        func life() async throws {
            let shared = try ledger(daemons: 3, on: try TestServer.shared.get())
            var daemons = try await shared.start()
            let balancer = try Balancer(ports, probes)
            try await balancer.wait(forReady: 3)
            let client = try await AssayClient.connect(to: balancer.address, options: ClientOptions(retry: .once))
            var phone = shared.homes[0].phone()
            #expect(try await phone.register(client).outcome == "accepted")
            await client.close()
            for _ in 0..<6 { #expect(try await upload(&phone, through: balancer) == "accepted") }

            daemons[0].child.signal(SIGKILL)
            _ = await daemons[0].child.ending()
            for _ in 0..<6 { #expect(try await upload(&phone, through: balancer) == "accepted") }
            try await balancer.wait(forReady: 2)
            #expect(await daemons[1].stop().status == 0)
            for _ in 0..<6 { #expect(try await upload(&phone, through: balancer) == "accepted") }
            try await balancer.wait(forReady: 1)

            // The killed one has the folder of the holder of its name, and so starts at once.
            daemons[0] = try await TestDaemon(shared.homes[0])
            try await balancer.wait(forReady: 2)
            #expect(await daemons[2].stop().status == 0)
            for _ in 0..<6 { #expect(try await upload(&phone, through: balancer) == "accepted") }
            #expect(await daemons[0].stop().status == 0)
        }

        @Test(
            "While no daemon is ready, challenges are issued through the balancer, and verdicts are unavailable with the reason"
        )
        func noDatabase() async throws {
            let server = try TestServer.ownServer()
            defer { server.remove() }
            let shared = try ledger(daemons: 2, on: server)
            let daemons = try await shared.start()
            let balancer = try Balancer(ports, probes)
            try await balancer.wait(forReady: 2)
            server.stop(SIGQUIT)
            try await balancer.wait(forReady: 0)
            let client = try await AssayClient.connect(to: balancer.address, options: ClientOptions(retry: .once))
            var phone = shared.homes[0].phone()
            let challenge = try await phone.challenge(.register, client)
            let error = await #expect(throws: (any Error).self) {
                try await client.patiently(try phone.registration(challenge))
            }
            #expect("\(error.map { "\($0)" } ?? "")".contains("unavailable"), "\(error.map { "\($0)" } ?? "")")
            await client.close()
            try server.start()
            try await balancer.wait(forReady: 2)
            let again = try await AssayClient.connect(to: balancer.address, options: ClientOptions(retry: .once))
            #expect(try await phone.register(again).outcome == "accepted")
            #expect(try await phone.upload(again).outcome == "accepted")
            await again.close()
            for daemon in daemons { #expect(await daemon.stop().status == 0) }
        }
    }

    /// HAProxy with the configuration in deploy/haproxy, before daemons at ports of the loopback address.
    final class Balancer: Sendable {
        private static let program = "/usr/sbin/haproxy"
        static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: program) }

        private let child: Child
        private let folder: TemporaryFolder
        private let statistics: UInt16
        let address: String

        static func ports(_ count: Int) throws -> [UInt16] {
            try (0..<count).map { _ in try TestServer.freePort() }
        }

        init(_ daemons: [UInt16], _ probes: [UInt16]) throws {
            let own = try Self.ports(2)
            var text = try Package.text("deploy/haproxy/haproxy.cfg")
                .replacing("0.0.0.0:7443", with: "127.0.0.1:\(own[0])").replacing("127.0.0.1:8404", with: "127.0.0.1:\(own[1])")
            for (index, (daemon, probe)) in zip(daemons, probes).enumerated() {
                text = text.replacing(
                    "10.0.0.1\(index + 1):7443 check port 9464", with: "127.0.0.1:\(daemon) check port \(probe)"
                )
                .replacing("10.0.0.1\(index + 1):7443", with: "127.0.0.1:\(daemon)")
            }
            try #require(!text.contains("10.0.0."), "deploy/haproxy/haproxy.cfg has other addresses")
            folder = try TemporaryFolder()
            let file = try folder.write(text, to: "haproxy.cfg")
            (statistics, address) = (own[1], "tcp:127.0.0.1:\(own[0])")
            child = try Child(Self.program, ["-db", "-f", file], within: .seconds(1500))
        }

        deinit { child.signal(SIGTERM) }

        /// Waits until so many daemons are ready.
        func wait(forReady count: Int) async throws {
            try await eventually("\(count) daemons are ready", within: .seconds(180)) { try await ready() == count }
        }

        private func ready() async throws -> Int {
            let page = try await Curl.get("http://127.0.0.1:\(statistics)/;csv").body
            return page.split(separator: "\n").count { line in
                let fields = line.split(separator: ",", omittingEmptySubsequences: false)
                return fields.count > 17 && fields[0] == "daemons" && fields[1].hasPrefix("assay-")
                    && !fields[1].hasSuffix("unready") && fields[17] == "UP"
            }
        }
    }
}
