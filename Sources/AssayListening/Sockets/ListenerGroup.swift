package import AssayRPC
import NIOCore
import NIOPosix
import Synchronization

/// The listening sockets of one server: they open together and close together.
package final class ListenerGroup: Sendable {
    private enum Stage {
        case idle
        case starting
        case listening([Listener], MultiThreadedEventLoopGroup)
        case stopped
    }

    private let addresses: [RPCAddress]
    private let tls: ServerTLS?
    private let threads: Int
    private let register: ConnectionRegister
    private let stage = Mutex(Stage.idle)

    /// - Parameters:
    ///   - addresses: port 0 lets the kernel choose.
    ///   - tls: for the addresses with TLS, which cannot be listened at without it.
    ///   - threads: event loops; they move bytes, and work on a call that is alone.
    package init(_ addresses: [RPCAddress], tls: ServerTLS?, threads: Int, register: ConnectionRegister) {
        (self.addresses, self.tls, self.register) = (addresses, tls, register)
        self.threads = max(1, threads)
    }

    /// Listens, and returns the addresses with the ports that the kernel chose; a second call returns them again.
    ///
    /// - Parameter listening: called for each address once it listens at all of them.
    /// - Throws: `RPCBindError` for the first address that cannot be listened at (then it listens at none), `CancellationError` after
    ///   ``close(stopping:)`` and during another call.
    package func open(
        _ served: any ConnectionProtocol, listening: (RPCAddress) -> Void = { _ in }
    ) async throws -> [RPCAddress] {
        let earlier = try stage.withLock { stage -> [RPCAddress]? in
            switch stage {
            case .idle:
                stage = .starting
                return nil
            case .listening(let listeners, _): return listeners.map(\.address)
            case .starting, .stopped: throw CancellationError()
            }
        }
        if let earlier { return earlier }

        let group = MultiThreadedEventLoopGroup(numberOfThreads: threads)
        var listeners: [Listener] = []
        do {
            for address in addresses {
                listeners.append(try await Listener.open(address, group, register, tls, served))
            }
        } catch {
            stage.withLock { $0 = .stopped }
            await end(listeners, group)
            throw error
        }
        let isWanted = stage.withLock { [listeners] stage in
            guard case .starting = stage else { return false }
            stage = .listening(listeners, group)
            return true
        }
        guard isWanted else {
            await end(listeners, group)
            throw CancellationError()
        }
        for listener in listeners { listening(listener.address) }
        return listeners.map(\.address)
    }

    /// Accepts no more, tells every connection to end, later ones too, and returns when the last one has left and the event loops have
    /// ended. Idempotent; only the first caller waits. False: it did not listen.
    ///
    /// - Parameter stopping: called before anything ends, if it listens.
    @discardableResult
    package func close(stopping: () -> Void = {}) async -> Bool {
        let running = stage.withLock { stage -> ([Listener], MultiThreadedEventLoopGroup)? in
            defer { stage = .stopped }
            guard case .listening(let listeners, let group) = stage else { return nil }
            return (listeners, group)
        }
        guard let (listeners, group) = running else { return false }
        stopping()
        await end(listeners, group)
        return true
    }

    private func end(_ listeners: [Listener], _ group: MultiThreadedEventLoopGroup) async {
        for listener in listeners { await listener.close() }
        await register.empty()
        try? await group.shutdownGracefully()
    }
}
