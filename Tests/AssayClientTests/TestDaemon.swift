import AppAttest
import AssayAPI
import AssayCertificates
import AssayClient
import AssayCore
import AssayFramedRPC
import AssayRPC
import AssayService
import AssaySimulator
import AssayTesting
import Foundation
import Logging
import Testing

@testable import AssayConfiguration
@testable import AssayDaemon

/// The daemon as it is composed, over a memory ledger, on a socket of its own.
struct TestDaemon {
    static let appID = "TEAMID1234.com.example.camera"
    static let authority = TestAuthority(seed: "client tests")
    static let opening = Timestamp(unixSeconds: 1_800_000_000)

    let daemon: Daemon
    let ledger: MemoryLedger
    let clock: FixedClock
    let addresses: [RPCAddress]

    enum Socket: CaseIterable, Sendable {
        case tcp, unix
        var address: RPCAddress {
            switch self {
            case .tcp: .tcp(host: "127.0.0.1", port: 0)
            case .unix:
                .unix(path: NSTemporaryDirectory() + "assay-client-\(UInt64.random(in: 0..<(.max))).sock")
            }
        }
    }

    /// Runs a daemon around `body`, and stops it.
    static func run(
        _ socket: Socket = .unix, callers: CallerDirectory = CallerDirectory(byUserID: [:], loopback: CallerDirectory.demo),
        limits: RPCLimits = .patient, speaks: FrontProtocol = .framed, _ body: (TestDaemon) async throws -> Void
    ) async throws {
        var configuration = try Configuration.parse(
            """
            listen: [{unix: a.sock}]
            store: {path: ledger.db}
            callers: {loopback_demo: true}
            apps: {camera: {accept_simulated: true, app_attest: {identities: [{app_id: \(appID)}]}}}
            """, file: "assayd.yaml", folder: "/nowhere")
        configuration.fixed.listen = [ListenAddress(socket.address, speaks: speaks)]
        configuration.fixed.limits = limits
        configuration.live.callers = callers
        configuration.live.testRoots = [try TrustAnchor(name: "test root", pem: authority.rootPEM, simulated: true)]
        let (ledger, clock) = (MemoryLedger(), FixedClock(opening))
        let daemon = try await makeDaemon(
            configuration, ledger: ledger, vault: SecretVault(key: [UInt8](repeating: 1, count: 32)), clock: clock,
            logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
        let addresses = try await daemon.start()
        do {
            try await body(TestDaemon(daemon: daemon, ledger: ledger, clock: clock, addresses: addresses))
        } catch {
            await daemon.server.stop()
            throw error
        }
        await daemon.server.stop()
    }

    var address: String { get throws { try #require(addresses.first).description } }

    /// A client that tells of every failure at once.
    func connect() async throws -> AssayClient {
        try await AssayClient.connect(to: address, options: ClientOptions(retry: .once))
    }

    static func makeKey() -> VirtualKey {
        var phone = VirtualPhone(authority: authority, appID: appID)
        return phone.makeKey()
    }

    /// A request to register a key over a challenge.
    static func registration(_ key: VirtualKey, _ challenge: [UInt8]) throws -> VerificationRequest {
        let data = try #require(ClientData(purpose: .register, challenge: challenge))
        let body = try key.attest(clientDataHash: data.hash, at: opening)
        return VerificationRequest(
            app: try #require(AppID("camera")), purpose: .register, challenge: challenge,
            evidence: [Evidence(format: .appAttestAttestation, keyID: key.keyID, body: body)])
    }
}
