import AssayAPI
import AssayClient
import AssayConfiguration
import AssayCore
import AssayDoctor
import AssayRPC
import AssayTop
import Foundation

extension InstallationFacts {
    /// Asks the daemon, and looks at the configuration file and at this machine.
    ///
    /// - Parameters:
    ///   - file: the configuration; `nil`: none.
    ///   - user: as whom the daemon runs.
    static func collect(from server: ServerOptions, configuration file: String?, as user: String?) async -> InstallationFacts {
        var server = server
        // A file that cannot be used is reported by its check.
        let configuration = file.flatMap { path in try? Configuration.load(path) }
        if !server.isNamed, let address = configuration?.fixed.listen.lazy.compactMap(\.calledAs).first {
            server.server = address
        }
        var facts = await asked(server)
        facts.configuration = file.map { CheckConfigRun.run(on: $0, as: user) }
        if let configuration {
            facts.listeners = configuration.fixed.addresses.compactMap { ListenerProbe.listener(at: $0.address) }
            facts.ledger = LedgerFile(of: configuration.fixed.store)
        }
        if server.isOnThisMachine { facts.timeKeeping = .ofThisMachine }
        return facts
    }

    /// What the daemon answers.
    private static func asked(_ server: ServerOptions) async -> InstallationFacts {
        do throws(AssayError) {
            return try await server.ask { client throws(AssayError) in
                // A first call, so that no connection is in the time of the second.
                let metrics = try await client.metrics(timeout: server.limit)
                let begun = SystemClock().now()
                let status = try await client.status(timeout: server.limit)
                let ended = SystemClock().now()
                var facts = InstallationFacts(address: server.address, daemon: .answered(status, MetricsSample(metrics)))
                let taken = ended.milliseconds(since: begun)
                facts.distance = ClockDistance(
                    ahead: status.nowUnixMs - begun.unixMilliseconds - taken / 2, uncertainty: taken / 2 + 1)
                do throws(AssayError) { facts.keys = try await client.keys(timeout: server.limit) } catch {
                    // Only callers with the role operate may list them.
                    facts.keys = nil
                }
                return facts
            }
        } catch {
            let isDenied = error.code == .permissionDenied || error.code == .unauthenticated
            return InstallationFacts(address: server.address, daemon: isDenied ? .denied("\(error)") : .silent("\(error)"))
        }
    }
}

extension ListenAddress {
    /// The address for a caller on this machine without credentials; `nil` where it needs some, or is chosen at the start.
    fileprivate var calledAs: String? {
        switch (address, speaks) {
        case (.tls, _), (.tcp(_, 0), _): nil
        case (.unix(let path, _), .framed): "unix:\(path)"
        case (.unix(let path, _), .http): "http+unix:\(path)"
        case (.tcp(let host, let port), .framed): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case (.tcp(let host, let port), .http): "http://" + (host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)")
        }
    }
}
