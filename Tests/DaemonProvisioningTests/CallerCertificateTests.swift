import AssayCertificates
import AssayClient
import AssayCore
import AssayFramedRPC
import AssayListening
import AssayRPC
import AssayService
import AssaySimulator
import AssayTesting
import Foundation
import Logging
import Synchronization
import Testing

@testable import AssayConfiguration
@testable import AssayDaemon
@testable import DaemonTesting

/// Open connections whose caller's certificate expires, whose CA is removed, or whose caller is removed.
@Suite("Open connections of callers", .timeLimit(.minutes(30)))
struct CallerCertificateTests {
    /// A composed daemon with TLS that checks certificates often, and the reloader of its file.
    private struct Running {
        let tls: TLSHome
        let daemon: Daemon
        let address: String
        let reloader: Reloader

        init() async throws {
            let tls = try TLSHome()
            let read = { @Sendable () throws -> Configuration in
                var configuration = try Configuration.load(tls.home.configuration)
                configuration.fixed.limits.certificateInterval = .milliseconds(100)
                return configuration
            }
            let configuration = try read()
            daemon = try await makeDaemon(
                configuration, ledger: MemoryLedger(), vault: SecretVault(key: [UInt8](repeating: 1, count: 32)),
                logger: .silent)
            reloader = Reloader(
                running: configuration.fixed, read: read, steps: daemon.reloadSteps, problem: daemon.reloadProblem,
                logger: .silent)
            address = try #require(try await daemon.start().first).description
            self.tls = tls
        }

        func connect(_ files: (ca: String, certificate: String, key: String)) async throws -> AssayClient {
            try await AssayClient.connect(
                to: address,
                credentials: ClientCredentials(authorities: files.ca, certificate: files.certificate, privateKey: files.key),
                options: ClientOptions(retry: .once))
        }

        func reload(_ old: String, _ new: String) async throws {
            let text = tls.folder.text("assayd.yaml")
            try #require(text.contains(old))
            try tls.folder.write(text.replacing(old, with: new), to: "assayd.yaml")
            #expect(await reloader.reload() == nil)
        }

        var ended: [String: Int] { daemon.server.statistics.endedConnections }
    }

    /// Calls continuously from several tasks until something has happened, and returns the failures.
    private func call(_ client: AssayClient, until isOver: @escaping @Sendable () -> Bool) async -> [AssayError] {
        await withTaskGroup(of: [AssayError].self) { group in
            for _ in 0..<4 {
                group.addTask {
                    var failures: [AssayError] = []
                    while !isOver(), failures.count < 10 {
                        do throws(AssayError) { _ = try await client.status() } catch { failures.append(error) }
                    }
                    return failures
                }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
    }

    private func denied(_ work: () async throws -> Void, sourceLocation: SourceLocation = #_sourceLocation) async {
        let error = await #expect(throws: AssayError.self, sourceLocation: sourceLocation) { try await work() }
        #expect(error?.reason == "permission_denied", sourceLocation: sourceLocation)
    }

    @Test("A renewed certificate continues without a failed call, and an expired one is refused")
    func renewed() async throws {
        let running = try await Running()
        let end = Timestamp(unixSeconds: SystemClock().now().unixMilliseconds / 1000 + 15)
        let issued = try running.tls.callerCA.issue(.client, names: [.dns(TLSHome.monitoring)], notAfter: end)
        let (one, other) = (try running.tls.files(showing: issued), try running.tls.files(showing: issued))
        let (careful, careless) = (try await running.connect(one), try await running.connect(other))
        _ = try await careless.status()
        let renewed = try running.tls.callerCA.issue(.client, names: [.dns(TLSHome.monitoring)])
        try running.tls.folder.write(renewed.certificate, to: URL(fileURLWithPath: one.certificate).lastPathComponent)
        try running.tls.folder.write(renewed.privateKey, to: URL(fileURLWithPath: one.key).lastPathComponent)

        let failures = await call(careful) {
            SystemClock().now() > end.adding(milliseconds: 500) && running.ended["certificate_expired", default: 0] >= 2
        }
        #expect(failures.isEmpty, "\(failures)")
        #expect(running.ended == ["certificate_expired": 2])
        let error = await #expect(throws: AssayError.self) { _ = try await careless.status() }
        #expect(error?.reason == "connect_failed", "\(String(describing: error))")
        await careful.close()
        await careless.close()
        await running.daemon.server.stop()
    }

    @Test("A caller with a certificate of a new CA continues without a failed call, and one of a removed CA is refused")
    func authorityReplaced() async throws {
        let running = try await Running()
        let files = try running.tls.files(.dns(TLSHome.monitoring))
        let careful = try await running.connect(files)
        let careless = try await running.connect(try running.tls.files(.dns(TLSHome.monitoring)))
        _ = try await careless.status()
        let next = try TestTLSAuthority("next caller CA")
        let renewed = try next.issue(.client, names: [.dns(TLSHome.monitoring)])

        let isOver = Mutex(false)
        async let failures = call(careful) { isOver.withLock { $0 } }
        try running.tls.folder.write(running.tls.callerCA.pem + next.pem, to: "caller-ca.pem")
        #expect(await running.reloader.reload() == nil)
        try running.tls.folder.write(renewed.certificate, to: URL(fileURLWithPath: files.certificate).lastPathComponent)
        try running.tls.folder.write(renewed.privateKey, to: URL(fileURLWithPath: files.key).lastPathComponent)
        try await Task.sleep(for: .milliseconds(300))
        #expect(running.ended.isEmpty, "a CA that comes, and a renewed certificate, end nothing")
        try running.tls.folder.write(next.pem, to: "caller-ca.pem")
        #expect(await running.reloader.reload() == nil)
        try await eventually("both are ended") { running.ended["authority_gone", default: 0] >= 2 }
        try await Task.sleep(for: .milliseconds(300))
        isOver.withLock { $0 = true }
        let failed = await failures
        #expect(failed.isEmpty, "\(failed)")
        #expect(running.ended == ["authority_gone": 2], "what was made afterwards stays")
        let error = await #expect(throws: AssayError.self) { _ = try await careless.status() }
        #expect(error?.reason == "connect_failed", "\(String(describing: error))")
        await careful.close()
        await careless.close()
        await running.daemon.server.stop()
    }

    @Test("While the files are unusable the earlier certificate stays in use")
    func halfWritten() async throws {
        let running = try await Running()
        let files = try running.tls.files(.dns(TLSHome.monitoring))
        let credentials = try ClientCredentials(
            authorities: files.ca, certificate: files.certificate, privateKey: files.key)
        let renewed = try running.tls.callerCA.issue(.client, names: [.dns(TLSHome.monitoring)])
        // The certificate is there, its key is not yet.
        try running.tls.folder.write(renewed.certificate, to: URL(fileURLWithPath: files.certificate).lastPathComponent)
        let client = try await AssayClient.connect(
            to: running.address, credentials: credentials, options: ClientOptions(retry: .once))
        _ = try await client.status()
        await client.close()
        await running.daemon.server.stop()
    }

    @Test("After a reload removed roles, apps or the caller, the first further call is denied")
    func rights() async throws {
        let running = try await Running()
        let uploads = try await running.connect(try running.tls.files(.uri(TLSHome.uploads)))
        let monitoring = try await running.connect(try running.tls.files(.dns(TLSHome.monitoring)))
        let (camera, other) = (try #require(AppID("camera")), try #require(AppID("other")))
        func challenge(_ app: AppID) async throws { _ = try await uploads.issueChallenge(app: app, purpose: .assert) }

        try await challenge(camera)
        try await running.reload("apps: [camera]", "apps: [other]")
        await denied { try await challenge(camera) }
        try await challenge(other)

        _ = try await monitoring.status()
        try await running.reload("roles: [observe]", "roles: [verify]")
        await denied { _ = try await monitoring.status() }
        try await running.reload("roles: [verify], apps: all", "roles: [observe], apps: all")
        _ = try await monitoring.status()

        try await running.reload("dns: \(TLSHome.monitoring)", "dns: another.example.org")
        await denied { _ = try await monitoring.status() }
        try await challenge(other)
        #expect(running.daemon.server.statistics.acceptedConnections == 2 && running.ended.isEmpty, "on the same connections")
        await uploads.close()
        await monitoring.close()
        await running.daemon.server.stop()
    }
}
