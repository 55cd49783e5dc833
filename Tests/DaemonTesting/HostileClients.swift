import Foundation
import Synchronization

/// Threads that repeat an action until they are stopped. Each represents a hostile machine: it does not share the tests' own
/// tasks.
final class HostileClients: Sendable {
    private struct State {
        var isOver = false
        var running = 0
        var deeds = 0
        var sockets: [ObjectIdentifier: PlainSocket] = [:]
    }

    private let state = Mutex(State())

    /// - Parameter deed: the action of each thread; it gets the thread's number.
    init(threads: Int, _ deed: @escaping @Sendable (HostileClients, Int) -> Void) {
        for number in 0..<threads {
            state.withLock { $0.running += 1 }
            Thread.detachNewThread { [self] in
                while !isOver { deed(self, number) }
                state.withLock { $0.running -= 1 }
            }
        }
    }

    var isOver: Bool { state.withLock { $0.isOver } }
    /// The counts.
    var deeds: Int { state.withLock { $0.deeds } }

    func count(_ number: Int = 1) { state.withLock { $0.deeds += number } }

    /// Connects, and passes the socket to `body`; when the clients are stopped, the socket is shut down during use.
    func connect(
        to port: UInt16, from source: UInt32 = PlainSocket.thisMachine, _ use: (PlainSocket) -> Void
    ) {
        guard let socket = PlainSocket(port: port, from: source) else {
            usleep(1000)
            return
        }
        let id = ObjectIdentifier(socket)
        let isWanted = state.withLock { state in
            if !state.isOver { state.sockets[id] = socket }
            return !state.isOver
        }
        if isWanted { use(socket) }
        _ = state.withLock { $0.sockets.removeValue(forKey: id) }
    }

    func stop() async throws {
        let sockets = state.withLock { state in
            state.isOver = true
            return state.sockets.values.map { $0 }
        }
        for socket in sockets { socket.end() }
        while state.withLock({ $0.running }) > 0 { try await Task.sleep(for: .milliseconds(5)) }
    }
}
