import AssayAPI
import AssayClient
import AssayCore
import AssayRPC
import AssayResults
import AssaySigning
import AssaySimulator
import AssayTesting
import AssayVendors
import Foundation
import SwiftProtobuf
import Testing

@testable import DaemonTesting

extension ProcessTests {
    /// Status lists as whole daemons publish them, and others read them. Virtual devices are simulated ones.
    @Suite("Published status lists")
    struct StatusListTests {
        private static let issuer = ResultIssuer(.simulatedDevices, address: ResultHome.issuer + "/simulated")

        /// Registers a phone, and returns the device, its session token, and where the token's status is published.
        private func session(
            of home: TestHome, _ client: some MethodCaller
        ) async throws -> (device: Data, token: String, place: ResultStatusReference) {
            let challenge = try await client.call(
                API.issueChallenge, .with { ($0.app, $0.purpose) = ("camera", .register) })
            var request = try home.phone().registration(Array(challenge.challenge))
            request.results = [ResultRequest(shape: .session, audience: ResultHome.audience)]
            let verdict = try await client.call(API.verify, request.message)
            try #require(verdict.outcome == "accepted" && verdict.results.count == 1)
            let keys = try await client.call(API.getResultKeys, .with { $0.simulated = true }).jwks
            let token = try ResultHome.read(verdict.results[0].text, as: .session, by: Array(keys.utf8))
            return (verdict.deviceID, verdict.results[0].text, try #require(try token.statusReference()))
        }

        /// What a list says of a place now, by the method.
        private func status(_ place: ResultStatusReference, _ client: some MethodCaller) async throws -> StatusValue {
            let keys = try await client.call(API.getResultKeys, .with { $0.simulated = true }).jwks
            let list = try await client.call(
                API.getStatusList,
                .with {
                    $0.list = UInt32(place.uri.split(separator: "/").last ?? "") ?? .max
                    $0.simulated = true
                })
            return try StatusListReader(keys: JSONWebKeySet(parsing: Array(keys.utf8))).read(
                Array(list.token), of: place.uri, at: SystemClock().now(), tolerance: 1000
            ).status(of: place)
        }

        /// Whether a daemon says so. It says nothing of a list that began less than a second after its last look.
        private func isSuspended(_ place: ResultStatusReference, _ client: FramedCaller) async throws -> Bool {
            do {
                return try await status(place, client) == .suspended
            } catch let error as RPCError where error.reason == "status_list_unavailable" {
                return false
            }
        }

        private func block(_ device: Data, _ client: some MethodCaller) async throws {
            _ = try await client.call(
                API.block,
                .with {
                    ($0.app, $0.reason) = ("camera", "stolen")
                    $0.target.deviceID = device
                })
        }

        @Test("A list is served at the address that a token names, in both forms, and a block is in it within a minute")
        func served() async throws {
            let home = try ResultHome()
            let daemon = try await TestDaemon(home.home, addresses: 2)
            let client = try await FramedCaller(try daemon.address("tcp"))
            let (device, token, place) = try await session(of: home.home, client)
            #expect(place.uri == ResultHome.issuer + "/simulated/v1/status/0")
            let path = String(place.uri.dropFirst(ResultHome.issuer.count))
            let keys = try JSONWebKeySet(parsing: try await ResultHome.get("/simulated/.well-known/jwks.json", at: daemon).body)
            func get(_ path: String, _ headers: [(name: String, value: String)] = []) async throws -> VendorAnswer {
                let address = try #require(
                    VendorAddress("http://127.0.0.1:\(try daemon.httpPort)", allowsPlainLoopback: true))
                return try await VendorClient().call(VendorRequest(.get, path, headers: headers), at: address)
            }
            func status(_ type: String?) async throws -> StatusValue {
                let answer = try await get(path, type.map { [("accept", $0)] } ?? [])
                try #require(answer.status == 200)
                return try StatusListReader(keys: keys).read(
                    answer.body, of: place.uri, at: SystemClock().now(), tolerance: 1000
                ).status(of: place)
            }
            // The daemon may have looked less than a second before the list began.
            try await eventually("the list is served") { try await get(path).status == 200 }
            let first = try await get(path)
            #expect(first.status == 200 && first.headers.cacheControl == "public, max-age=15" && first.headers.eTag != nil)
            for type in [nil, "application/statuslist+jwt", "application/statuslist+cwt"] {
                #expect(try await status(type) == .valid)
            }
            #expect(try await get(path + "?time=1686925000").status == 501)
            #expect(try await get(path, [("accept", "text/html")]).status == 406)
            for unknown in ["/simulated/v1/status/1", "/v1/status/1"] {
                try await eventually("there is no list at \(unknown)") {
                    try await get(unknown).status == 404
                }
            }

            func assay(_ words: [String]) async throws -> Child.Ending {
                try await Child.run(
                    "assay", ["results", "verify", token, "--simulated", "--audience", ResultHome.audience] + words,
                    environment: ["ASSAY_SERVER": try daemon.address("tcp")])
            }
            let good = try await assay(["--status"])
            #expect(
                good.status == 0 && good.lines.prefix(2) == ["VERIFIED  session  [simulated]", "  status    valid"], "\(good)")

            try await block(device, client)
            let begun = ContinuousClock.now
            try await eventually("the block is in both forms", within: .seconds(60)) {
                for form in StatusListForm.allCases {
                    guard try await status(form.mediaType) == .suspended else { return false }
                }
                return true
            }
            // A cache may keep it 15 seconds, and a reader as long.
            #expect(ContinuousClock.now - begun < .seconds(60))
            #expect(try await self.status(place, client) == .suspended)
            let list = try home.home.folder.write(try await get(path).body, to: "list.jwt")
            for words in [["--status"], ["--status-list", list]] {
                let blocked = try await assay(words)
                #expect(
                    blocked.status == 65
                        && blocked.lines.prefix(2) == ["HOLDS NO MORE  session  [simulated]", "  status    suspended"],
                    "\(blocked)")
            }
            #expect(try await assay([]).status == 0, "nothing is looked up")
            await client.close()
            #expect(await daemon.stop().status == 0)
        }

        @Test("A block before a kill is in the list of the next process, with the place that the token names")
        func kill() async throws {
            let home = try ResultHome()
            let first = try await TestDaemon(home.home, addresses: 2)
            let client = try await FramedCaller(try first.address("tcp"))
            let (device, _, place) = try await session(of: home.home, client)
            let (_, _, other) = try await session(of: home.home, client)
            try await block(device, client)
            first.child.signal(SIGKILL)
            #expect(await first.child.ending().status == 128 + SIGKILL)
            await client.close()

            let daemon = try await TestDaemon(home.home, addresses: 2)
            let again = try await FramedCaller(try daemon.address("tcp"))
            #expect(try await status(place, again) == .suspended)
            #expect(try await status(other, again) == .valid)
            await again.close()
            #expect(await daemon.stop().status == 0)
        }

        /// More with `ASSAY_BLOCKS`, where the machine has time.
        private static let blocks = ProcessInfo.processInfo.environment["ASSAY_BLOCKS"].flatMap { Int($0) } ?? 24

        /// How long after its block each device is suspended in the lists of all daemons, in ascending order. Blocks come at any time between
        /// two looks of a daemon, and from another one than the one that signed.
        private func latencies(
            of places: [(device: Data, place: ResultStatusReference)], _ clients: [FramedCaller]
        ) async throws -> [Duration] {
            let (start, pause) = (ContinuousClock.now, Duration.milliseconds(700))
            var begun: [ContinuousClock.Instant] = []
            var unseen: [Set<Int>] = []
            var latencies: [Duration] = []
            var looked = start
            try await eventually("each block is seen", within: pause * places.count + .seconds(60)) {
                if begun.count < places.count, ContinuousClock.now - start >= pause * begun.count {
                    let number = begun.count
                    begun.append(.now)
                    unseen.append(Set(clients.indices))
                    try await block(places[number].device, clients[(number + 1) % clients.count])
                }
                guard ContinuousClock.now - looked >= .milliseconds(100) else { return false }
                looked = .now
                for (client, caller) in clients.enumerated() {
                    for number in begun.indices where unseen[number].contains(client) {
                        guard try await isSuspended(places[number].place, caller) else { break }
                        unseen[number].remove(client)
                        if unseen[number].isEmpty { latencies.append(ContinuousClock.now - begun[number]) }
                    }
                }
                return latencies.count == places.count
            }
            return latencies.sorted()
        }

        @Test("Three daemons on one ledger each show a block of any of them within half a minute", .needsServer)
        func shared() async throws {
            let shared = try SharedLedger(
                daemons: 3, on: try TestServer.shared.get(),
                more: { _ in
                    """
                    results: {issuer: \(ResultHome.issuer), keys: [{file: real.key, passphrase_file: real.passphrase}], \
                    simulated: {issuer: \(Self.issuer.address), keys: [{file: test.key, passphrase_file: test.passphrase}]}}
                    """
                })
            let keys = [("real", SigningKey.random(.p256)), ("test", SigningKey.random(.p256))]
            for home in shared.homes {
                for (name, key) in keys {
                    let files = NewKeyFiles(
                        key: home.folder.file(name + ".key"), passphrase: home.folder.file(name + ".passphrase"))
                    _ = try files.write(key)
                }
                let text = home.folder.text("assayd.yaml")
                let section = "results: {shapes: [session], audiences: [\(ResultHome.audience)]}"
                try home.folder.write(text.replacing("  camera: {", with: "  camera: {\(section), "), to: "assayd.yaml")
            }
            let daemons = try await shared.start()
            var clients: [FramedCaller] = []
            for daemon in daemons { clients.append(try await FramedCaller(try daemon.address("tcp"))) }
            var places: [(device: Data, place: ResultStatusReference)] = []
            for number in 0..<Self.blocks {
                let (device, _, place) = try await session(of: shared.homes[number % 3], clients[number % 3])
                places.append((device, place))
            }
            #expect(Set(places.map(\.place)).count == Self.blocks)
            let latencies = try await latencies(of: places, clients)
            func shown(_ share: Double) -> Duration { latencies[Int(share * Double(latencies.count - 1))] }
            print(
                "\(Self.blocks) blocks, until each of 3 daemons shows it: median \(shown(0.5)), p99 \(shown(0.99)), slowest \(shown(1))"
            )
            #expect(shown(1) < .seconds(30))
            for client in clients { await client.close() }
            for daemon in daemons { #expect(await daemon.stop().status == 0) }
        }
    }
}
