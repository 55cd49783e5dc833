import AssayRPC
import ServiceLifecycle

/// Runs the server, and tells the service manager when it listens and when it stops.
package struct AnnouncedServer: Service {
    private let server: RPCServer
    private let manager: ServiceManager

    package init(_ daemon: Daemon, manager: ServiceManager) { (server, self.manager) = (daemon.server, manager) }

    package func run() async throws {
        let addresses = try await server.start()
        manager.ready("listens on " + addresses.map(\.description).joined(separator: ", "))
        try await withGracefulShutdownHandler {
            try await server.run()
        } onGracefulShutdown: {
            manager.stopping()
        }
    }
}
