/// The expected start of an audit log, as text: the number of the first record, or the head before it, `HASH:NUMBER`, as `verify`
/// shows it and as the daemon logs it when it drops old records.
public struct ExpectedAuditStart: Hashable, Sendable, CustomStringConvertible {
    /// The number of the last record before the log; 0 if nothing was dropped.
    public let number: Int64
    /// The head after that record, 32 bytes; `nil`: any.
    public let head: [UInt8]?

    public init(_ chain: AuditChain) { (number, head) = (chain.number, chain.head) }

    /// `nil` unless the text has one of the two forms. Records are numbered from 1.
    public init?(_ text: some StringProtocol) {
        if let first = Int64(text) {
            guard first >= 1 else { return nil }
            (number, head) = (first - 1, nil)
        } else {
            guard let chain = ExpectedAuditHead(text), let number = chain.number, chain.seal == nil else { return nil }
            (self.number, head) = (number, chain.head)
        }
    }

    /// The fault of a log that begins after `start`; `nil` if it begins as expected.
    public func fault(in start: AuditChain) -> AuditFault? {
        guard start.number == number else {
            let detail =
                start.number > number
                ? "the log begins with record \(start.number &+ 1): those before it were cut away, or dropped since"
                : "the log begins with record \(start.number &+ 1), earlier than expected"
            return AuditFault(.startMoved, at: min(number, start.number) &+ 1, detail)
        }
        guard let head, head != start.head else { return nil }
        return AuditFault(
            .rewritten, at: number,
            "the log begins after the head \(Hex.encode(start.head)), expected was \(Hex.encode(head))")
    }

    public var description: String { head.map { "\(Hex.encode($0)):\(number)" } ?? "\(number &+ 1)" }
}
