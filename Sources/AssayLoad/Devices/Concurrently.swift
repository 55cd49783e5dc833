/// Work on many things of which some are in progress at a time.
enum Concurrently {
    /// The results, in no order. The first error ends it.
    ///
    /// - Parameter progress: gets how many there are, after each.
    static func map<Item: Sendable, Result: Sendable>(
        _ items: [Item], atOnce: Int, progress: (Int) -> Void = { _ in },
        _ work: @escaping @Sendable (Item) async throws -> Result
    ) async throws -> [Result] {
        try await withThrowingTaskGroup(of: Result.self) { group in
            var results: [Result] = []
            var rest = items[...]
            for item in rest.prefix(atOnce) { group.addTask { try await work(item) } }
            rest = rest.dropFirst(atOnce)
            while let result = try await group.next() {
                results.append(result)
                progress(results.count)
                if let item = rest.popFirst() { group.addTask { try await work(item) } }
            }
            return results
        }
    }
}
