import AssayClient
import AssayConfiguration
import AssayCore
import AssayDaemon
import AssayMetrics
import AssayOperations
import AssayRPC
import AssayService
import AssayTesting
import AssayVendors
import Logging
import Testing

/// A composed daemon with an operations address, over a ledger in memory or in a file.
struct OperationsHome: Sendable {
    let home: TestHome
    let daemon: Daemon
    let ledger: MemoryLedger
    let clock: FixedClock
    let reloader: Reloader
    let client: AssayClient
    let url: String

    private let store: OpenStore?

    /// - Parameters:
    ///   - operate: the section's content, without `listen`.
    ///   - onFile: whether the ledger is that of the configuration, as in `assayd`; otherwise `ledger`, in memory.
    init(_ operate: String = "open: [probes, metrics]", onFile: Bool = false) async throws {
        home = try TestHome(
            listen: ["tcp: 127.0.0.1:0"], callers: "{loopback_demo: true}",
            more: "operate: {listen: [{tcp: 127.0.0.1:0}], \(operate)}")
        try home.leaveTheDiskAlone()
        let configuration = try Configuration.load(home.configuration)
        (ledger, clock) = (MemoryLedger(), FixedClock(SystemClock().now()))
        store = onFile ? try await OpenStore(configuration.fixed.store, logger: .silent) : nil
        daemon = try await makeDaemon(
            configuration, ledger: store?.ledger ?? ledger,
            vault: store?.vault ?? SecretVault(key: SecureRandom.bytes(32)), clock: clock, libraryMetrics: LibraryMetrics(),
            logger: .silent)
        reloader = Reloader(
            running: configuration.fixed, read: { [home] in try Configuration.load(home.configuration) },
            steps: daemon.reloadSteps, problem: daemon.reloadProblem, logger: .silent)
        client = try await AssayClient.connect(
            to: try #require(try await daemon.start().first).description, options: ClientOptions(retry: .once))
        let address = try #require(try await daemon.operations.start().first)
        guard case .tcp(_, let port) = address else { throw ListensElsewhere() }
        url = "http://127.0.0.1:\(port)"
    }

    private struct ListensElsewhere: Error {}

    func edit(_ old: String, _ new: String) throws {
        let text = home.folder.text("assayd.yaml")
        try #require(text.contains(old))
        try home.folder.write(text.replacing(old, with: new), to: "assayd.yaml")
    }

    func end() async {
        await client.close()
        await daemon.server.stop()
        await daemon.operations.stop()
        daemon.vendors.close()
        store?.close()
    }
}
