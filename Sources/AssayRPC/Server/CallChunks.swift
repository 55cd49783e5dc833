import NIOCore

/// How the calls of one read burst are shared out to workers. More calls in a chunk share the way to a worker and the flush
/// of their answers better, fewer spread better over the processors: so a burst is cut into as many chunks as there are
/// processors, within bounds.
enum CallChunks {
    /// Fewer are not worth a worker of their own.
    static let smallest = 8
    /// More would keep the first answer waiting.
    static let largest = 32
    /// Messages of one chunk together, in bytes, unless a single one is longer. Long evidence is costly to judge (a chain of
    /// certificates has 5 KiB, an assertion less than 1), and a chunk is what other callers wait for at their turn.
    static let bytes = 32 << 10
    /// A burst of more is handed out before it ends.
    static let burst = largest * processors

    /// Asked once: the answer is read from files.
    private static let processors = System.coreCount

    static func size(burst count: Int) -> Int {
        let share = (count + processors - 1) / processors
        return min(max(share, smallest), largest)
    }

    /// How many calls make the next chunk: as many as `size`, fewer if their messages are long.
    static func next(of calls: ArraySlice<RPCCall>, size: Int) -> Int {
        var length = 0
        for (count, call) in calls.prefix(size).enumerated() {
            length += call.message.count
            if length > bytes { return max(1, count) }
        }
        return min(size, calls.count)
    }
}
