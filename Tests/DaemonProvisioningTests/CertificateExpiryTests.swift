import AssayAPI
import AssayClient
import AssayConfiguration
import AssayCore
import AssayDaemon
import AssayRPC
import AssayService
import AssayTesting
import AssayVendors
import Foundation
import Testing

@testable import DaemonTesting

extension ProcessTests {
    @Suite("Certificates that end")
    struct CertificateExpiryTests {
        @Test("An expired certificate renews nothing, and its bundles are rejected, repetitions too")
        func expired() async throws {
            let home = try await ProvisioningHome()
            let clock = FixedClock(SystemClock().now())
            let daemon = try await makeDaemon(
                try Configuration.load(home.home.configuration), ledger: MemoryLedger(),
                vault: SecretVault(key: SecureRandom.bytes(32)), clock: clock, logger: .silent)
            let client = try await AssayClient.connect(
                to: try #require(try await daemon.start().first).description, options: ClientOptions(retry: .once))
            let key = try await OpenSSLKey()
            let first = try await home.issue(to: home.home.phone(), key, client).certificate
            let ahead: Int64 = 364 * 86_400
            clock.advance(milliseconds: ahead * 1000)
            let good = try await key.bundle(first.certificate, secondsAgo: -ahead)
            #expect(try await home.submit(good.json, app: home.photos, client).outcome == "accepted", "its last day")
            clock.advance(milliseconds: 2 * 86_400_000)
            let late = try await key.bundle(first.certificate, secondsAgo: -ahead - 2 * 86_400)
            #expect(try await home.submit(late.json, app: home.photos, client).outcome == "expired")
            #expect(try await home.submit(good.json, app: home.photos, client).outcome == "expired", "a repetition too")
            let refused = try await home.renew(key, first, to: try await OpenSSLKey(), client)
            #expect(refused.verdict.outcome == "expired" && !refused.hasCertificate, "\(refused.verdict)")
            await client.close()
            await daemon.server.stop()
            daemon.vendors.close()
        }
    }
}
