package import AssayClient
import Synchronization

/// The connections of a load, which its calls take in turn. Each client has one, and over HTTP/1.1 as many as it has calls in flight.
package final class LoadClients: Sendable {
    package let all: [AssayClient]
    /// The time limit of a call.
    package let timeout: Duration
    private let turn = Atomic(0)

    /// - Parameter all: at least one, which tries each call once.
    package init(_ all: [AssayClient], timeout: Duration) { (self.all, self.timeout) = (all, timeout) }

    var next: AssayClient { all[turn.wrappingAdd(1, ordering: .relaxed).oldValue % all.count] }

    package func close() async {
        await withTaskGroup(of: Void.self) { group in
            for client in all { group.addTask { await client.close() } }
        }
    }
}
