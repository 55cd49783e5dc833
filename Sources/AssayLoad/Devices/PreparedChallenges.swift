import AssayClient
import Synchronization

/// The challenges that were fetched ahead while a load ran: they are calls too, which the load's schedule does not have.
package final class PreparedChallenges: Sendable {
    package struct Counts: Sendable {
        /// From the time when each was sent: nothing was intended earlier.
        package internal(set) var latency = LatencyHistogram()
        /// What failed. It was tried again later.
        package internal(set) var failures: [String: UInt64] = [:]
    }

    private let state = Mutex(Counts())

    init() {}

    package var counts: Counts { state.withLock { $0 } }

    func record(_ latency: Duration) { state.withLock { $0.latency.record(latency) } }
    func fail(_ word: String) { state.withLock { $0.failures[word, default: 0] += 1 } }
    func reset() { state.withLock { $0 = Counts() } }
}

extension CallAnswer {
    /// Of a call without an answer.
    init(_ error: AssayError) {
        self.init(
            error.reason.isEmpty ? error.code.rawValue : "\(error.code.rawValue) (\(error.reason))", isExpected: false,
            isTimed: error.code == .deadlineExceeded)
    }
}
