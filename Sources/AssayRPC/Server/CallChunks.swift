import NIOCore

/// How the calls of one read burst are shared out to workers. More calls in a chunk share the way to a worker and the flush
/// of their answers better, fewer spread better over the processors: so a burst is cut into as many chunks as there are
/// processors, within bounds.
enum CallChunks {
    /// Fewer are not worth a worker of their own.
    static let smallest = 8
    /// More would keep the first answer waiting.
    static let largest = 32
    /// A burst of more is handed out before it ends.
    static let burst = largest * processors

    /// Asked once: the answer is read from files.
    private static let processors = System.coreCount

    static func size(burst count: Int) -> Int {
        let share = (count + processors - 1) / processors
        return min(max(share, smallest), largest)
    }
}
