import Logging
import ServiceLifecycle
import Synchronization
import Testing

@testable import AssayRPC

@Suite("Server of several fronts", .timeLimit(.minutes(30)))
struct RPCServerTests {
    /// A front without sockets.
    private final class FakeFront: RPCFront {
        struct Unavailable: Error {}

        private let address: RPCAddress
        private let canStart: Bool
        private let state = Mutex((isRunning: false, stops: 0, connections: 0))

        init(_ port: Int, canStart: Bool = true) {
            (address, self.canStart) = (.tcp(host: "fake", port: port), canStart)
        }

        var isRunning: Bool { state.withLock { $0.isRunning } }
        var stops: Int { state.withLock { $0.stops } }

        func start(serving service: RPCService) async throws -> [RPCAddress] {
            guard canStart else { throw Unavailable() }
            state.withLock { $0.isRunning = true }
            return [address]
        }

        func stop() async { state.withLock { ($0.isRunning, $0.stops) = (false, $0.stops + 1) } }

        func connect(_ count: Int) { state.withLock { $0.connections += count } }

        var statistics: RPCStatistics {
            var statistics = RPCStatistics()
            let connections = state.withLock { $0.connections }
            (statistics.openConnections, statistics.acceptedConnections) = (connections, 2 * connections)
            statistics.endedConnections = ["reset": connections, "only_of_\(address)": 1]
            return statistics
        }
    }

    private let shared = ServingState(processors: 2, logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))

    private func server(_ fronts: [any RPCFront]) -> RPCServer {
        RPCServer(RPCService(methods: [], state: shared), fronts: fronts)
    }

    @Test("the fronts start in order, the server returns all addresses, and stopping stops all fronts")
    func life() async throws {
        let fronts = [FakeFront(1), FakeFront(2)]
        let server = server(fronts)
        #expect(try await server.start() == [.tcp(host: "fake", port: 1), .tcp(host: "fake", port: 2)])
        #expect(fronts.map(\.isRunning) == [true, true])
        await server.stop()
        #expect(fronts.map(\.isRunning) == [false, false] && fronts.map(\.stops) == [1, 1])
    }

    @Test("a front that cannot start stops the fronts that were started")
    func failure() async throws {
        let good = FakeFront(1)
        let server = server([good, FakeFront(2, canStart: false)])
        await #expect(throws: FakeFront.Unavailable.self) { try await server.start() }
        #expect(!good.isRunning && good.stops == 1)
    }

    @Test("the statistics of several fronts add up, and calls count once")
    func statistics() {
        let fronts = [FakeFront(1), FakeFront(2)]
        fronts[0].connect(3)
        fronts[1].connect(4)
        let caller = shared.callers.usage(of: .user(1))
        #expect(shared.admission.admit(Admission.Share(calls: 2, bytes: 50), for: caller) == nil)
        shared.countRefusal(because: "cancelled")
        shared.countStarted(5)
        let sum = server(fronts).statistics
        #expect(sum == shared.statistics(with: fronts))
        #expect(sum.openConnections == 7 && sum.acceptedConnections == 14)
        #expect(sum.endedConnections == ["reset": 7, "only_of_tcp:fake:1": 1, "only_of_tcp:fake:2": 1])
        #expect(sum.callsInFlight == 2 && sum.heldBytes == 50)
        #expect(sum.refusedCalls == ["cancelled": 1] && sum.callsStarted == 5)
    }

    @Test("graceful shutdown and cancellation stop all fronts")
    func service() async throws {
        for graceful in [true, false] {
            let fronts = [FakeFront(1), FakeFront(2)]
            let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
            let group = ServiceGroup(configuration: .init(services: [server(fronts)], logger: logger))
            let running = Task { try await group.run() }
            while !fronts.allSatisfy(\.isRunning) { await Task.yield() }
            if graceful { await group.triggerGracefulShutdown() } else { running.cancel() }
            _ = await running.result
            #expect(fronts.map(\.stops) == [1, 1])
        }
    }
}
