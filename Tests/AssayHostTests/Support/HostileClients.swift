import Foundation
import Synchronization

/// Threads that do something again and again until they are told to stop. Each stands for a hostile machine: it does not take
/// turns with the tests' own tasks.
final class HostileClients: Sendable {
    private struct State {
        var isOver = false
        var running = 0
        var deeds = 0
        var sockets: [ObjectIdentifier: PlainSocket] = [:]
    }

    private let state = Mutex(State())

    /// - Parameter deed: what each thread does; it gets its number.
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
    /// What was counted.
    var deeds: Int { state.withLock { $0.deeds } }

    func count(_ number: Int = 1) { state.withLock { $0.deeds += number } }

    /// Connects, and gives the socket to something; at the end of the mob it is ended under its hands.
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
