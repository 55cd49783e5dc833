import AssayListening
import AssayMetrics
import AssayRPC
import Logging
import Synchronization

@testable import AssayOperations

/// An operations server over answers that a test sets.
final class TestOperations: Sendable {
    struct State {
        var liveness = Liveness(problem: nil)
        var readiness = Readiness(causes: [])
        var metricsAsked = 0
    }

    let state = Mutex(State())
    let server: OperationsServer
    let port: Int

    /// - Parameter caller: what a peer that is a caller sees.
    init(
        open: Set<OperationsOpening> = [.probes, .metrics], network: Set<OperationsOpening> = [],
        limits: OperationsLimits = TestOperations.patient, body: String = "# EOF\n", at address: RPCAddress? = nil,
        tls: ServerTLS? = nil,
        caller: @escaping @Sendable (RPCPeer) -> OperationsGrant? = { _ in nil }
    ) async throws {
        let slot = Slot()
        let source = OperationsSource(
            liveness: { slot.value?.state.withLock { $0.liveness } ?? Liveness(problem: nil) },
            readiness: { slot.value?.state.withLock { $0.readiness } ?? Readiness(causes: []) },
            metrics: { format in
                slot.value?.state.withLock { $0.metricsAsked += 1 }
                return Array("\(format)\n\(body)".utf8)
            },
            status: { peer in Array("{\"peer\":\"\(peer)\"}".utf8) })
        server = OperationsServer(
            addresses: [address ?? .tcp(host: "127.0.0.1", port: 0)],
            rule: OperationsRule(open: open, openToTheNetwork: network, caller: caller), source: source, tls: tls,
            limits: limits,
            logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
        switch try await server.start().first {
        case .tcp(_, let port), .tls(_, let port): self.port = port
        case .unix, nil: port = 0
        }
        slot.set(self)
    }

    func client(patience: Int = 60) -> RawHTTP? { RawHTTP(port: port, patience: patience) }

    func get(_ path: String, _ headers: String...) async -> RawHTTP.Response? {
        await client()?.request("GET \(path) HTTP/1.1\r\nHost: a\r\n" + headers.map { $0 + "\r\n" }.joined() + "\r\n")
    }

    /// For tests of anything else than time: on a busy machine an honest answer may take longer than the limit.
    static let patient: OperationsLimits = {
        var limits = OperationsLimits()
        (limits.answer, limits.idle) = (.seconds(120), .seconds(120))
        return limits
    }()

    /// Every right that a caller can have.
    static let all: OperationsGrant = {
        var grant = OperationsGrant()
        (grant.probes, grant.details, grant.metrics, grant.status) = (true, true, true, true)
        return grant
    }()
}

/// The server's answers come from the object that owns it.
private final class Slot: Sendable {
    private struct Reference { weak var operations: TestOperations? }
    private let reference = Mutex(Reference())

    var value: TestOperations? { reference.withLock { $0.operations } }
    func set(_ operations: TestOperations) { reference.withLock { $0.operations = operations } }
}
