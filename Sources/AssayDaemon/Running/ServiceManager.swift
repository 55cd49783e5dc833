import AssayConfiguration
import AssayRPC
import Foundation
import ServiceLifecycle

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Reports the daemon's state to the service manager by the protocol of sd_notify(3): one datagram of `NAME=value` lines to the
/// socket named by `NOTIFY_SOCKET`. Without that variable it does nothing.
package struct ServiceManager: Sendable {
    private let path: String?

    /// - Parameter path: an absolute path, or `@` and a name in the abstract namespace.
    package init(path: String? = ProcessInfo.processInfo.environment["NOTIFY_SOCKET"]) {
        self.path = path.flatMap { $0.hasPrefix("/") || $0.hasPrefix("@") ? $0 : nil }
    }

    /// The daemon listens.
    package func ready(_ status: String) { tell("READY=1\nSTATUS=\(status)") }

    /// The daemon finishes the calls in flight.
    package func stopping() { tell("STOPPING=1\nSTATUS=stopping") }

    /// One line for `systemctl status`.
    package func status(_ status: String) {
        tell("STATUS=" + status.split(whereSeparator: \.isNewline).joined(separator: "; "))
    }

    /// Best effort: errors are ignored.
    private func tell(_ message: String) {
        guard let path, var address = sockaddr_un(notify: path) else { return }
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        // An abstract name ends only by the address's length.
        let length = socklen_t(MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2) + socklen_t(path.utf8.count)
        let bytes = Array(message.utf8)
        _ = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), $0, length)
            }
        }
    }
}

extension sockaddr_un {
    fileprivate init?(notify path: String) {
        self.init()
        sun_family = sa_family_t(AF_UNIX)
        let fits = withUnsafeMutableBytes(of: &sun_path) { place in
            guard path.utf8.count < place.count else { return false }
            place.copyBytes(from: path.utf8)
            if path.hasPrefix("@") { place[0] = 0 }
            return true
        }
        guard fits else { return nil }
    }
}

/// Runs the server, and tells the service manager when it listens and when it stops.
package struct AnnouncedServer: Service {
    private let server: RPCServer
    private let listening: ListeningPart
    private let manager: ServiceManager

    package init(_ daemon: Daemon, manager: ServiceManager) {
        (server, listening, self.manager) = (daemon.server, daemon.parts.listening, manager)
    }

    package func run() async throws {
        let addresses = listening.opened(try await server.start())
        manager.ready("listens on " + addresses.map(\.description).joined(separator: ", "))
        try await withGracefulShutdownHandler {
            try await server.run()
        } onGracefulShutdown: {
            manager.stopping()
        }
    }
}
