import Foundation

/// What a process has allocated on its heap since it started, as `allocation-counter.c` counts it.
struct AllocationCounts {
    /// Calls of malloc, calloc, and the aligned ones.
    var allocations = 0.0
    /// Blocks that were made larger or smaller.
    var reallocations = 0.0
    /// Bytes that were asked for in both.
    var bytes = 0.0

    init() {}

    /// The sum over all rows of the file.
    init(contentsOf file: URL) throws {
        let numbers = try Data(contentsOf: file).withUnsafeBytes { Array($0.bindMemory(to: UInt64.self)) }
        for row in stride(from: 0, to: numbers.count - 7, by: 8) {
            allocations += Double(numbers[row])
            reallocations += Double(numbers[row + 1])
            bytes += Double(numbers[row + 2])
        }
    }

    /// What was allocated since `before`, for each of `count` assertions.
    func since(_ before: AllocationCounts, per count: Int) -> AllocationCounts {
        var each = AllocationCounts()
        each.allocations = (allocations - before.allocations) / Double(count)
        each.reallocations = (reallocations - before.reallocations) / Double(count)
        each.bytes = (bytes - before.bytes) / Double(count)
        return each
    }
}
