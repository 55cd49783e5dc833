/// How the calls of one read burst are divided among tasks. More calls in a chunk share one task and one flush of their answers;
/// fewer spread better over the processors. A burst is cut into as many chunks as there are processors, within bounds.
struct CallChunks: Sendable {
    /// Calls of the smallest chunk that is worth a task of its own.
    static let smallest = 8
    /// Calls of the largest chunk: more would delay the first answer.
    static let largest = 32
    /// Bytes of the messages of one chunk, unless a single message is longer. Long evidence is expensive to appraise (a certificate
    /// chain has 5 KiB, an assertion less than 1 KiB), and other callers wait for a chunk to end.
    static let bytes = 32 << 10

    let processors: Int

    /// A longer burst starts before it is complete.
    var burst: Int { Self.largest * processors }

    func size(burst count: Int) -> Int {
        let share = (count + processors - 1) / processors
        return min(max(share, Self.smallest), Self.largest)
    }

    /// The number of calls in the next chunk: at most `size`, and fewer if their messages are long.
    static func next(of calls: ArraySlice<RPCCall>, size: Int) -> Int {
        var length = 0
        for (count, call) in calls.prefix(size).enumerated() {
            length += call.message.count
            if length > bytes { return max(1, count) }
        }
        return min(size, calls.count)
    }
}
