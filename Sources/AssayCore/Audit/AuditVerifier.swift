/// Follows the chain of an audit log row by row, and finds the first break.
///
///     var verifier = AuditVerifier(from: page.start, expecting: heads)
///     for row in rows { verifier.take(row) }
///     let fault = verifier.finish()
public struct AuditVerifier: Sendable {
    /// The number of rows after a break that are examined for its cause.
    static let lookahead = 1000

    /// The chain after the last row that fits.
    public private(set) var chain: AuditChain
    /// The first fault; `finish` may find one later.
    public private(set) var fault: AuditError?
    private let start: AuditChain
    /// Expected heads that no row has had so far.
    private var expected: [ExpectedAuditHead]
    /// The row at which the chain breaks, and the rows after it.
    private var suspects: [AuditRow] = []

    /// - Parameters:
    ///   - start: the chain before the first row.
    ///   - expected: heads that were kept outside the ledger.
    public init(from start: AuditChain, expecting expected: [ExpectedAuditHead] = []) {
        (chain, self.start, self.expected) = (start, start, expected)
        meet()
    }

    /// True if further rows cannot change the result.
    public var isDecided: Bool { fault != nil }

    public mutating func take(_ row: AuditRow) {
        guard fault == nil else { return }
        if suspects.isEmpty {
            let next = chain.appending(row.record, at: row.time)
            if row.number == next.number, row.head == next.head {
                chain = next
                return meet()
            }
        }
        suspects.append(row)
        if suspects.count > Self.lookahead { fault = breakage() }
    }

    /// The first fault; `nil` if there is none. Call it once, after the last row.
    public mutating func finish() -> AuditError? {
        fault = fault ?? breakage() ?? unmet()
        return fault
    }

    /// Compares the expected heads of the current number with the chain.
    private mutating func meet() {
        for head in expected where head.number == chain.number && head.head != chain.head {
            fault = AuditError(
                .rewritten, at: chain.number,
                "its head is \(Hex.encode(chain.head)), expected was \(Hex.encode(head.head)); an earlier record may be the one"
            )
            return
        }
        expected.removeAll { $0.head == chain.head && ($0.number ?? chain.number) == chain.number }
    }

    private func unmet() -> AuditError? {
        for head in expected {
            guard let number = head.number else {
                return AuditError(
                    .headNotFound, at: start.number &+ 1,
                    "no record up to \(chain.number) has the head \(Hex.encode(head.head)); which one changed cannot be told")
            }
            if number < start.number {
                return AuditError(
                    .headDropped, at: number, "the log begins after record \(start.number); older ones were dropped")
            }
            return AuditError(
                .truncated, at: chain.number &+ 1, "the log ends after record \(chain.number), expected were \(number)")
        }
        return nil
    }

    private func breakage() -> AuditError? {
        guard let found = suspects.first else { return nil }
        let number = chain.number &+ 1
        if found.number < number {
            return AuditError(.repeated, at: found.number, "it does not belong behind record \(chain.number)")
        }
        if let moved = suspects.first(where: { chain.appending($0.record, at: $0.time).head == $0.head }) {
            let place = moved.number == number ? "behind record \(found.number)" : "under the number \(moved.number)"
            return AuditError(.reordered, at: number, "it stands \(place)")
        }
        if found.number > number {
            let last = found.number &- 1
            return AuditError(
                .missing, at: number, last == number ? "it is not there" : "it and all up to \(last) are not there")
        }
        return AuditError(.changed, at: number, whatChanged(in: found))
    }

    /// Whether the content or the head of the row changed. The next row decides: it was chained to the original head.
    private func whatChanged(in row: AuditRow) -> String {
        guard let next = suspects.dropFirst().first, next.number == row.number &+ 1 else {
            return "its record, time or head is not what was chained"
        }
        let chained = AuditChain(number: row.number, head: row.head)
        if chained.appending(next.record, at: next.time).head == next.head {
            return "its record or time is not what was chained"
        }
        let computed = chain.appending(row.record, at: row.time)
        if computed.appending(next.record, at: next.time).head == next.head { return "its head is not what was chained" }
        return "its record, time or head is not what was chained, and the next record does not follow it either"
    }
}

/// The first place at which an audit log differs from what was written, and how.
public struct AuditError: Error, Hashable, Sendable {
    /// Raw values are for tools and are never renamed.
    public enum Kind: String, CaseIterable, Sendable {
        /// The row differs from the one that was chained.
        case changed
        /// The row does not exist.
        case missing
        /// The row exists in another place.
        case reordered
        /// The number occurred before, or is lower than the first.
        case repeated
        /// The log ends before an expected head.
        case truncated
        /// All rows are chained, but the head differs from the expected one: an earlier row was changed, and the heads after it were
        /// computed again.
        case rewritten
        /// No row has the expected head.
        case headNotFound = "head_not_found"
        /// The expected head belongs to a row that was dropped from the front.
        case headDropped = "head_dropped"
        /// The log does not begin with the expected record.
        case startMoved = "start_moved"
        /// The ledger has no chain of an expected writer.
        case writerMissing = "writer_missing"
        /// The signature of a signed head is not by the ledger's key.
        case badSignature = "bad_signature"
    }

    public let kind: Kind
    /// The number of the first wrong record, as far as it can be determined.
    public let number: Int64
    /// A sentence for operators.
    public let detail: String

    public init(_ kind: Kind, at number: Int64, _ detail: String) {
        (self.kind, self.number, self.detail) = (kind, number, detail)
    }
}

extension AuditError: CustomStringConvertible {
    public var description: String { "record \(number) (\(kind.rawValue)): \(detail)" }
}
