import Synchronization

/// Holds answers of a test server back until the test opens it: what a test does meanwhile may take any time.
public final class TestGate: Sendable {
    /// What waits; `nil` once it is open.
    private let waiting = Mutex<[@Sendable () -> Void]?>([])

    public init() {}

    public func open() {
        let waiting = waiting.withLock { waiting in
            defer { waiting = nil }
            return waiting ?? []
        }
        for body in waiting { body() }
    }

    /// Runs it when the gate is opened, or at once if it is open.
    func pass(_ body: @escaping @Sendable () -> Void) {
        let isHeld = waiting.withLock { $0?.append(body) != nil }
        if !isHeld { body() }
    }
}
