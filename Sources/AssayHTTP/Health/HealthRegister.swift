import AssayAPI
package import AssayRPC
import Synchronization

/// Which services do their work, as the methods of `grpc.health.v1.Health` answer it.
///
/// A service is not serving until it is said to be. The empty name is the whole server. Who watches a service is told of each change, but
/// of the last one only where changes come faster than they are read.
package final class HealthRegister: Sendable {
    private struct Watcher {
        let service: ServiceName
        let identity: PeerIdentity
        let wake: AsyncStream<Void>.Continuation
    }

    private struct State {
        var serving: [ServiceName: Bool]
        var isStopped = false
        var watchers: [UInt64: Watcher] = [:]
        var lastWatcher: UInt64 = 0
    }

    /// Full protobuf names, without the empty one.
    package let services: [String]
    private let state: Mutex<State>

    /// - Parameter services: full protobuf names, without the empty one.
    package init(services: [String]) {
        self.services = services
        let names = services.map { ServiceName($0) } + [.wholeServer]
        state = Mutex(State(serving: Dictionary(names.map { ($0, false) }, uniquingKeysWith: { first, _ in first })))
    }

    /// For the services of all declared methods.
    package convenience init() { self.init(services: MethodDeclaration.declaredServices) }

    // MARK: Saying how it is

    /// Says whether a service does its work. A name that is not known becomes known.
    package func set(_ isServing: Bool, for service: String) { change { $0[ServiceName(service)] = isServing } }

    /// Says it of several services at once, by their names.
    package func set(_ serving: [String: Bool]) {
        change { all in
            for (service, isServing) in serving { all[ServiceName(service)] = isServing }
        }
    }

    /// Says it of every service that is known, and of the whole server.
    package func setAll(_ isServing: Bool) { change { $0 = $0.mapValues { _ in isServing } } }

    /// Says for good that nothing is serving: the daemon begins to stop. Those who watch are told now, so that callers look for another server
    /// while this one finishes its calls. Then their streams end, so that the stop does not wait for them.
    package func stop() {
        change { $0 = $0.mapValues { _ in false } }
        let watching = state.withLock { state in
            state.isStopped = true
            return state.watchers.values.map(\.wake)
        }
        for wake in watching { wake.finish() }
    }

    private func change(_ body: (inout [ServiceName: Bool]) -> Void) {
        let changed = state.withLock { state -> [AsyncStream<Void>.Continuation] in
            guard !state.isStopped else { return [] }
            let before = state.serving
            body(&state.serving)
            return state.watchers.values.filter { before[$0.service] != state.serving[$0.service] }.map(\.wake)
        }
        for wake in changed { wake.yield() }
    }

    // MARK: Answering

    /// `Check`, `List` and `Watch`, which any peer may call.
    package var methods: [RPCMethod] {
        [
            RPCMethod(
                path: "/grpc.health.v1.Health/Check", handler: .unary { (call) throws(RPCError) in try self.check(call) },
                isOpen: true),
            RPCMethod(
                path: "/grpc.health.v1.Health/List", handler: .unary { (call) throws(RPCError) in try self.list(call) },
                isOpen: true),
            RPCMethod(
                path: "/grpc.health.v1.Health/Watch",
                handler: .stream { (call, writer) throws(RPCError) in try await self.watch(call, writer) }, isOpen: true),
        ]
    }

    private func check(_ call: RPCCall) throws(RPCError) -> [UInt8] {
        guard let status = status(of: try HealthMessages.service(in: call.message)) else { throw .unknownService }
        return HealthMessages.response(status)
    }

    private func list(_ call: RPCCall) throws(RPCError) -> [UInt8] {
        try HealthMessages.readEmpty(call.message)
        let serving = state.withLock { $0.serving }
        let statuses = serving.map { (name: $0.key.text, status: HealthStatus($0.value)) }
        return HealthMessages.list(statuses.sorted { $0.name < $1.name })
    }

    /// Sends the state at once and then whenever it has changed, until the call is abandoned.
    private func watch(_ call: RPCCall, _ writer: RPCStreamWriter) async throws(RPCError) {
        let service = try HealthMessages.service(in: call.message)
        let (id, wakes) = try beginWatching(service, call.caller)
        defer { endWatching(id) }
        var told: HealthStatus?
        for await _ in wakes {
            let status = status(of: service) ?? .serviceUnknown
            guard status != told else { continue }
            try await writer.send(HealthMessages.response(status))
            told = status
        }
        throw state.withLock(\.isStopped) ? .drained : call.abandonment
    }

    /// Those of one caller or address, and of all. A watch lasts as long as its client likes and needs no caller, and each is a call in flight.
    private static let watchersOfOne = 16
    private static let watchersOfAll = 512

    private func beginWatching(
        _ service: ServiceName, _ identity: PeerIdentity
    ) throws(RPCError) -> (id: UInt64, wakes: AsyncStream<Void>) {
        let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        // For the first message.
        wake.yield()
        let id = state.withLock { state -> UInt64? in
            let own = state.watchers.values.reduce(0) { $0 + ($1.identity == identity ? 1 : 0) }
            guard own < Self.watchersOfOne, state.watchers.count < Self.watchersOfAll else { return nil }
            state.lastWatcher += 1
            state.watchers[state.lastWatcher] = Watcher(service: service, identity: identity, wake: wake)
            if state.isStopped { wake.finish() }
            return state.lastWatcher
        }
        guard let id else { throw .tooManyWatchers }
        return (id, wakes)
    }

    private func endWatching(_ id: UInt64) { state.withLock { $0.watchers[id] = nil } }

    /// `nil`: the service is not known.
    private func status(of service: ServiceName) -> HealthStatus? {
        state.withLock { $0.serving[service] }.map { HealthStatus($0) }
    }

    /// The calls that watch.
    var watcherCount: Int { state.withLock { $0.watchers.count } }
}

extension HealthStatus {
    fileprivate init(_ isServing: Bool) { self = isServing ? .serving : .notServing }
}

extension RPCError {
    static let tooManyWatchers = RPCError(
        .resourceExhausted, "as many calls watch the health as may", reason: "too_many_watchers")
    static let unknownService = RPCError(.notFound, "the server has no service of that name", reason: "unknown_service")
}
