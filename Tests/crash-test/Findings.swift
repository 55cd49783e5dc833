import Synchronization

/// The broken promises.
final class Findings: Sendable {
    /// More kinds are not worth reading.
    static let limit = 50

    private let state = Mutex((counts: [String: Int](), comparisons: 0))

    var isEmpty: Bool { state.withLock { $0.counts.isEmpty } }
    /// The number of comparisons.
    var comparisons: Int { state.withLock { $0.comparisons } }
    /// A sentence for each kind, with its count.
    var sentences: [String] {
        state.withLock { $0.counts.sorted { $0.key < $1.key }.map { "\($0.key) [\($0.value)]" } }
    }

    /// Compares; a difference is a finding.
    func expect(_ holds: Bool, _ sentence: @autoclosure () -> String) {
        state.withLock { state in
            state.comparisons += 1
            if !holds, state.counts.count < Self.limit { state.counts[sentence(), default: 0] += 1 }
        }
    }
}
