package import AssayCore

/// What a verification of an audit log came to.
package struct AuditReport: Hashable, Sendable {
    /// The chain before the first record that was to be there.
    let start: AuditChain
    /// As far as the records are chained.
    let chain: AuditChain
    package let fault: AuditError?
    /// Heads that were expected.
    let expected: Int
    /// An expected start was given.
    let isStartExpected: Bool
    /// How many records at its front the log has lost since the earliest start that a signed head names.
    let cutSince: Int64
    let goodSignatures: Int
    let uncheckedSignatures: Int

    package var isWhole: Bool { fault == nil }

    private var first: Int64 { start.number &+ 1 }

    /// For people.
    package var lines: [String] {
        var lines = [fault.map { "BROKEN  \($0)" } ?? "whole"]
        lines.append(
            start.number == 0
                ? "  begins     with record 1" : "  begins     with record \(first), after \(ExpectedAuditHead(start))")
        if cutSince > 0 {
            lines.append("  cut        \(cutSince) records from its front, which were there when a head was signed")
        }
        lines.append(chain.number < first ? "  records    none" : "  records    \(first) to \(chain.number) are chained")
        lines.append("  head       \(ExpectedAuditHead(chain))")
        if expected > 0, isWhole { lines.append("  expected   every head is there") }
        if isStartExpected, isWhole { lines.append("  expected   the log begins there") }
        if goodSignatures > 0 { lines.append("  signatures \(goodSignatures) good") }
        if uncheckedSignatures > 0 { lines.append("  signatures \(uncheckedSignatures) not verified: give --public-key") }
        return lines
    }

    /// For tools: the members of a JSON object.
    package var json: [String: Any] {
        var object: [String: Any] = [
            "whole": isWhole, "first": first, "start_head": Hex.encode(start.head), "cut_since_signed": cutSince,
            "last": chain.number, "head": Hex.encode(chain.head),
            "expected_heads": expected, "good_signatures": goodSignatures, "unverified_signatures": uncheckedSignatures,
        ]
        if let fault {
            object["fault"] =
                ["kind": fault.kind.rawValue, "number": fault.number, "detail": fault.detail] as [String: Any]
        }
        return object
    }
}
