package import AssayCore

/// What the verification of one writer's chain came to.
package struct AuditReport: Hashable, Sendable {
    package let writer: AuditWriter
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

    init(
        writer: AuditWriter, start: AuditChain, chain: AuditChain, fault: AuditError?, expected: Int, isStartExpected: Bool,
        cutSince: Int64, goodSignatures: Int, uncheckedSignatures: Int
    ) {
        (self.writer, self.start, self.chain, self.fault) = (writer, start, chain, fault)
        (self.expected, self.isStartExpected, self.cutSince) = (expected, isStartExpected, cutSince)
        (self.goodSignatures, self.uncheckedSignatures) = (goodSignatures, uncheckedSignatures)
    }

    /// Of an expected writer that the log does not have.
    init(missing writer: AuditWriter) {
        let fault = AuditError(.writerMissing, at: 1, "the log has no chain of this writer")
        self.init(
            writer: writer, start: AuditChain(), chain: AuditChain(), fault: fault, expected: 0, isStartExpected: false,
            cutSince: 0, goodSignatures: 0, uncheckedSignatures: 0)
    }

    package var isWhole: Bool { fault == nil }

    private var first: Int64 { start.number &+ 1 }

    /// For people.
    package var lines: [String] {
        var lines: [String]
        if writer.isNamed {
            lines = [fault.map { "BROKEN  \(writer): \($0)" } ?? "whole   \(writer)"]
        } else {
            lines = [fault.map { "BROKEN  \($0)" } ?? "whole"]
        }
        guard fault?.kind != .writerMissing else { return lines }
        lines.append(
            start.number == 0
                ? "  begins     with record 1"
                : "  begins     with record \(first), after \(ExpectedAuditHead(start, of: writer))")
        if cutSince > 0 {
            lines.append("  cut        \(cutSince) records from its front, which were there when a head was signed")
        }
        lines.append(chain.number < first ? "  records    none" : "  records    \(first) to \(chain.number) are chained")
        lines.append("  head       \(ExpectedAuditHead(chain, of: writer))")
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
