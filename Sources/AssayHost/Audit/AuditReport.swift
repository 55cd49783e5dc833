package import AssayCore

/// What a verification of an audit log came to.
package struct AuditReport: Hashable, Sendable {
    /// The number of the first record that was to be there.
    let first: Int64
    /// As far as the records are chained.
    let chain: AuditChain
    package let fault: AuditFault?
    /// Heads that were expected.
    let expected: Int
    let goodSignatures: Int
    let uncheckedSignatures: Int

    package var isWhole: Bool { fault == nil }

    /// For people.
    package var lines: [String] {
        var lines = [fault.map { "BROKEN  \($0)" } ?? "whole"]
        lines.append(chain.number < first ? "  records    none" : "  records    \(first) to \(chain.number) are chained")
        lines.append("  head       \(ExpectedAuditHead(chain))")
        if expected > 0, isWhole { lines.append("  expected   every head is there") }
        if goodSignatures > 0 { lines.append("  signatures \(goodSignatures) good") }
        if uncheckedSignatures > 0 { lines.append("  signatures \(uncheckedSignatures) not verified: give --public-key") }
        return lines
    }

    /// For tools: the members of a JSON object.
    package var json: [String: Any] {
        var object: [String: Any] = [
            "whole": isWhole, "first": first, "last": chain.number, "head": Hex.encode(chain.head),
            "expected_heads": expected, "good_signatures": goodSignatures, "unverified_signatures": uncheckedSignatures,
        ]
        if let fault {
            object["fault"] =
                ["kind": fault.kind.rawValue, "number": fault.number, "detail": fault.detail] as [String: Any]
        }
        return object
    }
}
