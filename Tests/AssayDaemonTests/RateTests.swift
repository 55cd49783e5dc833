import AssayAPI
import AssayClient
import AssayConfiguration
import AssayCore
import AssayDaemon
import AssayFiles
import AssayRPC
import AssayService
import AssayTesting
import Foundation
import Testing

@testable import DaemonTesting

@Suite("Rates", .timeLimit(.minutes(30)))
struct RateTests {
    private func parse(_ text: String) throws -> Configuration {
        try Configuration.parse(text, file: "assayd.yaml", folder: "/tmp")
    }

    private func problems(_ text: String) -> [String] {
        do {
            _ = try parse(text)
            return []
        } catch {
            return "\(error)".split(separator: "\n").map(String.init)
        }
    }

    @Test("Nothing is limited by default")
    func none() throws {
        let live = try parse(SmallConfiguration.text).live
        let photos = try #require(AppID("photos"))
        #expect(live.rates == RateRules() && live.appRates == [photos: AppRates()])
    }

    @Test("An app's rates replace the defaults one by one, and off cancels one")
    func read() throws {
        let text = """
            limits: {rates: {caller: 200/s burst 400, app: 1000/s, address: 100/h, device: 10/h}}
            \(SmallConfiguration.text)
                rates: {caller: 5/m, address: off, device: 20/h burst 5}
            """
        let configuration = try parse(text)
        #expect(configuration.live.rates.caller == RateRule("200/s burst 400"))
        let expected = AppRates(
            caller: RateRule("5/m"), app: RateRule("1000/s"), address: nil, device: RateRule("20/h burst 5"))
        let photos = try #require(AppID("photos"))
        #expect(configuration.live.appRates == [photos: expected])
        #expect(configuration.summary.contains("limits each caller to 200/s burst 400 requests over all its apps"))
        #expect(
            configuration.summary.contains(
                "photos: allows 5/m requests of a caller, 1000/s requests, 20/h burst 5 accepted verdicts of a device"))
        // Rates bear on no verdict.
        let plain = try parse(SmallConfiguration.text)
        #expect(configuration.apps.first?.policyDigest(testRoots: []) == plain.apps.first?.policyDigest(testRoots: []))
        #expect(configuration.fixed == plain.fixed)
    }

    @Test("What is no rate is reported with its place")
    func refused() {
        let small = SmallConfiguration.text
        #expect(
            problems("limits: {rates: {device: ten}}\n\(small)").first?.contains("limits.rates.device: want a rate") == true)
        #expect(problems("limits: {rates: {device: off}}\n\(small)").first?.contains("want a rate such as 10/h") == true)
        #expect(problems("limits: {rates: {user: 1/h}}\n\(small)").first?.contains("unknown key \"user\"") == true)
        #expect(problems("\(small)\n    rates: {app: 20000/s}").first?.contains("apps.photos.rates.app") == true)
        #expect(problems("\(small)\n    rates: 5/s").count == 1)
    }

    @Test("The file of the levels is not another file of the configuration")
    func ownFile() throws {
        let text = SmallConfiguration.text.replacing("{path: ledger.db}", with: "{path: ledger.db, key_file: ledger.db.rates}")
        #expect(problems(text).contains { $0.contains("want a file of its own") })
    }

    // MARK: A running daemon

    private func home(_ rates: String) throws -> TestHome {
        try TestHome(
            listen: ["tcp: 127.0.0.1:0"], callers: "{loopback_demo: true}", more: "limits: {rates: {\(rates)}}")
    }

    private func challenges(_ client: AssayClient, _ app: AppID, until limit: Int = 50) async throws -> Int {
        var count = 0
        do {
            while count < limit {
                _ = try await client.issueChallenge(app: app, purpose: .assert)
                count += 1
            }
        } catch {
            #expect(error.code == .resourceExhausted && error.reason == "rate_limited", "\(error)")
        }
        return count
    }

    @Test("A reload exchanges rates and keeps what was used")
    func reload() async throws {
        let home = try home("app: 4/h")
        let configuration = try Configuration.load(home.configuration)
        let daemon = try await makeDaemon(
            configuration, ledger: MemoryLedger(), vault: SecretVault(key: [UInt8](repeating: 1, count: 32)), logger: .silent)
        let reloader = Reloader(
            running: configuration.fixed, read: { try Configuration.load(home.configuration) }, steps: daemon.reloadSteps,
            problem: daemon.reloadProblem, logger: .silent)
        let client = try await AssayClient.connect(
            to: try #require(try await daemon.start().first).description, options: ClientOptions(retry: .once))
        #expect(try await challenges(client, home.app) == 4)
        let text = home.folder.text("assayd.yaml")
        // Half of the hour is missing still: half of twice as many.
        try home.folder.write(text.replacing("app: 4/h", with: "app: 8/h burst 16"), to: "assayd.yaml")
        #expect(await reloader.reload() == nil)
        #expect(try await challenges(client, home.app) == 8)
        try home.folder.write(text.replacing("app: 4/h", with: ""), to: "assayd.yaml")
        #expect(await reloader.reload() == nil)
        #expect(try await challenges(client, home.app) == 50)
        await client.close()
        await daemon.server.stop()
    }

    @Test("A restart keeps what was used, and starts full where the file is damaged, which the log says")
    func restart() async throws {
        let home = try home("app: 4/h")
        try home.leaveTheDiskAlone()
        let file = home.folder.file("ledger.sqlite.rates")
        for (round, expected) in [4, 0].enumerated() {
            let daemon = try await TestDaemon(home)
            let client = try await daemon.connect()
            #expect(try await challenges(client, home.app) == expected, "round \(round)")
            await client.close()
            let ending = await daemon.stop()
            #expect(ending.status == 0 && !ending.err.contains("not taken over"))
            let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }
        var bytes = try #require(FileManager.default.contents(atPath: file))
        bytes[bytes.count / 2] ^= 1
        try bytes.write(to: URL(fileURLWithPath: file))
        let daemon = try await TestDaemon(home)
        let client = try await daemon.connect()
        #expect(try await challenges(client, home.app) == 4)
        await client.close()
        #expect(await daemon.stop().err.contains("it is damaged, or of another ledger"))
    }

    @Test("The file is written while the daemon runs, so that a kill keeps what was used before")
    func written() async throws {
        let folder = try TemporaryFolder()
        let (path, secret) = (folder.file("levels"), [UInt8](repeating: 9, count: 32))
        let buckets = RateBuckets(secret: secret)
        let keeper = RateLevelsKeeper(buckets, in: path, period: .milliseconds(5), logger: .silent)
        let rate = try #require(RateRule("1/h"))
        let app = try #require(AppID("camera"))
        let limits = try #require(
            RateLimits(caller: rate, apps: [app: AppRates(device: rate)], buckets: buckets, counters: VerdictCounters()))
        let running = Task { await keeper.run() }
        #expect(!FileManager.default.fileExists(atPath: path), "nothing was charged")
        #expect(limits.charge(DeviceID.random(), of: app) == nil)
        while !FileManager.default.fileExists(atPath: path) { try await Task.sleep(for: .milliseconds(5)) }
        let next = RateBuckets(secret: secret)
        #expect(next.restore(try ProtectedFile.read(path, atMost: 1 << 20)) == 1)
        running.cancel()
        await running.value
    }
}
