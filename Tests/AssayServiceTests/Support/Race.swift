/// Runs `count` racers at once and returns what they came to, in no order.
func race<T: Sendable>(_ count: Int, _ racer: @escaping @Sendable (Int) async throws -> T) async throws -> [T] {
    try await withThrowingTaskGroup(of: T.self) { group in
        for number in 0..<count { group.addTask { try await racer(number) } }
        return try await group.reduce(into: []) { $0.append($1) }
    }
}
