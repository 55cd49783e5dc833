import AssayAPI
package import AssayRPC
import Synchronization

/// What a transport serves: each call goes to the methods in force when it comes. They are looked up once for a call, or for a batch
/// of them: a request is judged by one configuration from its authorisation to its answer, also if methods are exchanged meanwhile.
package final class ReloadableMethods: Sendable {
    private let inForce: Mutex<ServedMethods>
    /// How often the methods were exchanged.
    private let exchanges = Atomic(0)

    package init(_ first: ServedMethods) { inForce = Mutex(first) }

    /// Calls that come from now on go to `next`.
    package func exchange(for next: ServedMethods) {
        inForce.withLock { $0 = next }
        // After the exchange: a connection that has asked in between asks again.
        exchanges.add(1, ordering: .releasing)
    }

    /// Which peers may call which methods. The transport asks before a call waits for anything.
    package var access: RPCAccess {
        RPCAccess(
            caller: { self.authorizer.name(of: $0) },
            refusal: { self.authorizer.refusal(of: $0, calling: $1) },
            identify: { self.authorizer.peer($0, showing: $1) },
            version: { self.exchanges.load(ordering: .acquiring) })
    }

    private var authorizer: CallAuthorizer { inForce.withLock { $0.authorizer } }

    /// The method in force at a position of `MethodDeclaration.all`.
    private func method(at position: Int) -> ServedMethod? { inForce.withLock { $0[position] } }

    /// One handler for each method that the first configuration serves.
    package var methods: [RPCMethod] {
        inForce.withLock { $0 }.enumerated.map { position, method in
            RPCMethod(path: method.declaration.path, handler: handler(at: position, method.work))
        }
    }

    private func handler(at position: Int, _ work: MethodBody.Work) -> RPCHandler {
        switch work {
        case .batch:
            return .batch { calls in
                guard let method = self.method(at: position), case .batch(let body) = method.work else { return }
                await body(method.batch(calls))
            }
        case .unary:
            return .unary { call throws(RPCError) in
                guard let method = self.method(at: position), case .unary(let body) = method.work else { throw .gone }
                return try await method.answer(call, body)
            }
        case .stream:
            return .stream { call, writer throws(RPCError) in
                guard let method = self.method(at: position), case .stream(let body) = method.work else { throw .gone }
                let caller = StreamCaller(peer: call.peer, method: method.declaration) { self.authorizer }
                if let error = await method.stream(call, writer, caller, body) { throw error }
            }
        }
    }
}

extension RPCError {
    fileprivate static let gone = RPCError(.internalError, "the method is not served any more", reason: "method_gone")
}
