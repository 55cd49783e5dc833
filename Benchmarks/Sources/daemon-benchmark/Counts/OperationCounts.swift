import Foundation

/// The instructions and allocations of operations, as they are kept for a toolchain in `Benchmarks/counts`.
struct OperationCounts: Codable {
    /// Of one request, with its share of what several requests have in common.
    struct Counts: Codable {
        var instructions: Double
        /// Calls of malloc and its relatives.
        var allocations: Double
    }

    /// What counted.
    var valgrind: String
    /// By the names of rows.
    var operations: [String: Counts]

    init(valgrind: String, operations: [String: Counts] = [:]) { (self.valgrind, self.operations) = (valgrind, operations) }

    init(contentsOf file: String) throws {
        self = try JSONDecoder().decode(Self.self, from: Data(contentsOf: URL(fileURLWithPath: file)))
    }

    func write(to file: String) throws { try JSONResults.write(self, to: file) }

    /// What differs from the kept counts by more than `tolerance`: a line for each, with the operation, before and after.
    func differences(from kept: OperationCounts, tolerance: Double) -> [String] {
        operations.sorted { $0.key < $1.key }.flatMap { name, counts -> [String] in
            guard let before = kept.operations[name] else { return ["\(name): not kept yet"] }
            return [
                ("instructions", before.instructions, counts.instructions),
                ("allocations", before.allocations, counts.allocations),
            ].compactMap { what, old, new in
                let change = (new - old) / max(old, .leastNormalMagnitude)
                guard abs(change) > tolerance else { return nil }
                let sign = change > 0 ? "+" : "−"
                let digits = what == "instructions" ? 0 : 1
                return "\(name): \(what) \(old.text(digits)) → \(new.text(digits)) (\(sign)\((abs(change) * 100).text(1)) %)"
            }
        }
    }
}
