import AssayAPI
package import AssayRPC
import Synchronization

/// Counts the calls of each method since the start, also over reloads. Calls that the transport refuses before they reach a method
/// are in `RPCStatistics`.
package final class CallCounters: Sendable {
    package struct Counts: Hashable, Sendable {
        package internal(set) var calls: UInt64 = 0
        /// Calls that were answered by an error, by its code.
        package internal(set) var failures: [RPCStatusCode: UInt64] = [:]
    }

    /// Of one method.
    final class Counter: Sendable {
        private let calls = Atomic<UInt64>(0)
        private let failures = Mutex<[RPCStatusCode: UInt64]>([:])

        func began(_ count: Int) { calls.wrappingAdd(UInt64(count), ordering: .relaxed) }

        func failed(_ code: RPCStatusCode) { failures.withLock { $0[code, default: 0] += 1 } }

        var counts: Counts { Counts(calls: calls.load(ordering: .relaxed), failures: failures.withLock { $0 }) }
    }

    /// In the order of `MethodDeclaration.all`.
    let counters = MethodDeclaration.all.map { _ in Counter() }

    package init() {}

    /// By the path of the method.
    package var counts: [String: Counts] {
        Dictionary(
            zip(MethodDeclaration.all, counters).map { ($0.path, $1.counts) }, uniquingKeysWith: { first, _ in first })
    }
}
