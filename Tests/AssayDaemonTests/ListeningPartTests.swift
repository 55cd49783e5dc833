import AssayConfiguration
import AssayRPC
import AssayService
import AssayTesting
import AssayVendors
import Testing

@testable import AssayDaemon
@testable import DaemonTesting

@Suite("The part that listens")
struct ListeningPartTests {
    /// The part of a daemon that was composed and does not listen.
    private func part(_ listen: [ListenAddress]) async throws -> ListeningPart {
        var configuration = try Configuration.parse(SmallConfiguration.text, file: "f.yaml", folder: "/nowhere")
        configuration.fixed.listen = listen
        let daemon = try await makeDaemon(
            configuration, ledger: MemoryLedger(), vault: SecretVault(key: [UInt8](repeating: 1, count: 32)), logger: .silent)
        daemon.vendors.close()
        return daemon.parts.listening
    }

    private let framed = ListenAddress(.tcp(host: "127.0.0.1", port: 0))
    private let http = ListenAddress(.tcp(host: "127.0.0.1", port: 0), speaks: .http)

    @Test("has a front for each protocol that its addresses speak")
    func fronts() async throws {
        func names(_ listen: [ListenAddress]) async throws -> [String] {
            try await part(listen).fronts.map { "\(type(of: $0))" }
        }
        for (listen, want) in [
            ([framed], ["FramedServer"]), ([http, http], ["HTTPServer"]),
            ([http, framed, http], ["FramedServer", "HTTPServer"]),
        ] {
            let found = try await names(listen)
            #expect(found == want)
        }
    }

    @Test("says of each address that it opened what is spoken there")
    func opened() async throws {
        let part = try await part([http, framed, http])
        let opened = part.opened([1, 2, 3].map { .tcp(host: "127.0.0.1", port: $0) })
        #expect(opened.map(\.description) == ["tcp:127.0.0.1:1", "tcp:127.0.0.1:2 (http)", "tcp:127.0.0.1:3 (http)"])
    }
}
