import AssayRPC

/// Work that may take a limited time.
enum TimeLimit {
    /// Throws DEADLINE_EXCEEDED when the time has passed, and cancels the work then.
    ///
    /// - Parameter limit: `nil`: as long as it takes.
    static func within<T: Sendable>(
        _ limit: Duration?, _ work: @escaping @Sendable () async throws -> T
    ) async throws -> T {
        guard let limit else { return try await work() }
        return try await withThrowingTaskGroup(of: T.self) { group in
            group.addTask(operation: work)
            group.addTask {
                try await Task.sleep(for: limit)
                throw RPCError.deadlineExceeded
            }
            defer { group.cancelAll() }
            guard let first = try await group.next() else { throw CancellationError() }
            return first
        }
    }
}
