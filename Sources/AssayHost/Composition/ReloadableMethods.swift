import AssayRPC
import AssayService
import Synchronization

/// Connects each call to the services in force when it comes. It is asked once for a call, or for a batch of them: a request is
/// judged by one configuration from its admission to its answer, whatever is exchanged meanwhile.
final class ReloadableMethods: Sendable {
    private let services: Mutex<ServiceSet>
    private let requestLog: RequestLog
    /// How often the services were exchanged.
    private let exchanges = Atomic(0)

    init(_ first: ServiceSet, requestLog: RequestLog) {
        services = Mutex(first)
        self.requestLog = requestLog
    }

    /// Requests admitted from now on are judged by `next`.
    func exchange(for next: ServiceSet) {
        services.withLock { $0 = next }
        // After it: who has asked meanwhile asks again.
        exchanges.add(1, ordering: .releasing)
    }

    /// Who may call what, for the transport: before a call waits for anything.
    var access: RPCAccess {
        RPCAccess(
            caller: { self.inForce.authorizer.name(of: $0) },
            refusal: { self.inForce.authorizer.refusal(of: $0, calling: $1) },
            version: { self.exchanges.load(ordering: .acquiring) })
    }

    private var inForce: ServiceSet { services.withLock { $0 } }

    /// What the server serves. Every set of services has the same methods, since one function makes them.
    var methods: [RPCMethod] { inForce.methods.map { RPCMethod(path: $0.path, handler: handler(like: $0)) } }

    private func handler(like method: RPCMethod) -> RPCHandler {
        let path = method.path
        switch method.handler {
        case .batch:
            // What it logs is its own affair: the answers are given inside.
            return .batch { calls in
                guard case .batch(let work) = self.inForce[path] else { return }
                await work(calls)
            }
        case .unary:
            return .unary { call throws(RPCError) in
                guard case .unary(let work) = self.inForce[path] else { throw .gone }
                do throws(RPCError) {
                    return try await work(call)
                } catch {
                    self.requestLog.failed(path, error)
                    throw error
                }
            }
        case .stream:
            return .stream { call, writer throws(RPCError) in
                guard case .stream(let work) = self.inForce[path] else { throw .gone }
                do throws(RPCError) {
                    try await work(call, writer)
                } catch {
                    self.requestLog.failed(path, error)
                    throw error
                }
            }
        }
    }
}

extension RPCError {
    fileprivate static let gone = RPCError(.internalError, "the method is not served any more", reason: "method_gone")
}
