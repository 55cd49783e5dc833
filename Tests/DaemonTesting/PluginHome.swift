import AssayAPI
import AssayClient
import AssayConfiguration
import AssayCore
import AssayDaemon
import AssayPlugins
import AssayRPC
import AssayService
import AssayTesting
import Crypto
import Foundation
import Logging
import Testing

/// A daemon in this process whose app has no evidence but that of the template in C, which appraises an HMAC.
final class PluginHome: Sendable {
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    static let launcher = root.appending(path: ".build/plugins/assay-plugin-launcher").path()
    static let template = root.appending(path: "plugins/template-c/.build/example-hmac").path()
    static let format = EvidenceFormat(rawValue: "example.hmac")
    static let key = [UInt8](0..<32)

    /// Whether plugins are built, and the sandbox can be enforced on this machine.
    static let runs: Bool = {
        guard [launcher, template].allSatisfy({ FileManager.default.isExecutableFile(atPath: $0) }),
            let child = try? Child(launcher, ["--print-support"])
        else { return false }
        let end = Date().addingTimeInterval(60)
        while child.isRunning, Date() < end { usleep(10_000) }
        return child.out.contains("=seccomp allow-list") && child.out.contains("=landlock ")
    }()

    let folder: TemporaryFolder
    let app: AppID

    init() throws {
        folder = try TemporaryFolder()
        app = try #require(AppID("kiosk"))
        for name in ["plugins.d", "bin"] {
            try FileManager.default.createDirectory(
                atPath: folder.file(name), withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
        }
        try FileManager.default.copyItem(atPath: Self.template, toPath: command)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: command)
        try folder.write(
            """
            listen: [{tcp: 127.0.0.1:0}]
            store: {path: ledger.sqlite, warn_free_bytes: 0, warn_free_percent: 0}
            callers: {loopback_demo: true}
            plugins: {catalog: plugins.d, launcher: \(Self.launcher)\(getuid() == 0 ? ", user: 65534:65534" : "")}
            apps: {kiosk: {challenge: {ttl: 5m}}}
            """, to: "assayd.yaml")
        try writeKey(Self.key, to: "right.key")
        try writeEntry()
    }

    var command: String { folder.file("bin/example-hmac") }

    func writeKey(_ key: [UInt8], to name: String) throws {
        try folder.write(Hex.encode(key), to: "plugins.d/\(name)")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.file("plugins.d/\(name)"))
    }

    /// Writes an entry of the catalog.
    ///
    /// - Parameters:
    ///   - digest: of the command; `nil`: the right one.
    ///   - more: further keys, one per line.
    func writeEntry(
        _ id: String = "example-hmac", key: String = "right.key", digest: String? = nil, more: String = ""
    ) throws {
        let executable = try Data(contentsOf: URL(fileURLWithPath: command))
        let sha256 = digest ?? Hex.encode(Array(SHA256.hash(data: executable)))
        try folder.write(
            """
            name: example-hmac
            id: \(id)
            command: \(command)
            formats: [example.hmac]
            apps: [kiosk]
            configuration: {key: \(key)}
            powers: {execute: [/lib64/ld-linux-x86-64.so.2], read: [/usr/lib, /etc/ld.so.cache]}
            manifest: {\(command): \(sha256)}
            restart: {first_delay: 10ms, longest_delay: 100ms, deaths: 100}
            \(more)
            """, to: "plugins.d/\(id).yaml")
    }

    /// A composed daemon, the reloader of its file, and a client.
    struct Running: Sendable {
        let home: PluginHome
        let daemon: Daemon
        let reloader: Reloader
        let client: AssayClient

        init(_ home: PluginHome) async throws {
            self.home = home
            let path = home.folder.file("assayd.yaml")
            let configuration = try Configuration.load(path)
            daemon = try await makeDaemon(
                configuration, ledger: MemoryLedger(), vault: SecretVault(key: [UInt8](repeating: 1, count: 32)),
                logger: .silent)
            reloader = Reloader(
                running: configuration.fixed, read: { try Configuration.load(path) }, steps: daemon.reloadSteps,
                problem: daemon.reloadProblem, logger: .silent)
            daemon.plugins.reloads { [reloader] in await reloader.reload(by: $0) }
            client = try await AssayClient.connect(
                to: try #require(try await daemon.start().first).description,
                options: ClientOptions(retry: .once, timeout: TestPhone.patience))
            // The start of the daemon waits for plugins, and not for long.
            try await eventually("the plugins have started or do not start") {
                try await client.status().plugins.allSatisfy { $0.state != .starting }
            }
        }

        func end() async {
            await client.close()
            await daemon.server.stop()
            await daemon.plugins.supervised.stop()
        }

        /// Evidence over a fresh challenge, under a key.
        func verify(_ key: [UInt8] = PluginHome.key) async throws -> Assay_V1_Verdict {
            let issued = try await client.issueChallenge(app: home.app, purpose: .assert)
            let data = ClientData(purpose: .assert, challenge: Array(issued.bytes))
            let mac = HMAC<SHA256>.authenticationCode(for: data?.bytes ?? [], using: SymmetricKey(data: key))
            return try await client.verify(
                VerificationRequest(
                    app: home.app, purpose: .assert, challenge: Array(issued.bytes),
                    evidence: [Evidence(format: PluginHome.format, keyID: [], body: Array(mac))],
                    binding: .clientData(payloadHash: nil)))
        }

        func plugin(_ id: String = "example-hmac") async throws -> Assay_V1_Plugin {
            try #require(try await client.status().plugins.first { $0.id == id })
        }
    }

    /// Runs a daemon for the time of the body.
    func run(_ body: (Running) async throws -> Void) async throws {
        let running = try await Running(self)
        do { try await body(running) } catch {
            await running.end()
            throw error
        }
        await running.end()
    }
}
