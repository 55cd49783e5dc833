/// A head of the chain that was kept outside the ledger, as text: `HASH:NUMBER:START_HASH:START_NUMBER:TIME:SIGNATURE`, the form of
/// signed heads in status and log. Hashes are hexadecimal, TIME is in milliseconds since 1970, SIGNATURE is base64url. Heads of version
/// 1 lack the two start members. `HASH` and `HASH:NUMBER` are heads without a signature. Before the head of a writer with a name stand
/// the name and a slash: `WRITER/HASH:NUMBER`.
public struct ExpectedAuditHead: Hashable, Sendable, CustomStringConvertible {
    /// The writer of the chain; `.only` where the text names none.
    public let writer: AuditWriter
    /// 32 bytes.
    public let head: [UInt8]
    /// The number of the record; `nil`: any record may have the head.
    public let number: Int64?
    /// The chain before the first kept record, in a signed head of version 2; `nil` in others.
    public let start: AuditChain?
    /// Time and signature; `nil` in a head without a signature.
    public let seal: Seal?

    public struct Seal: Hashable, Sendable {
        public let time: Timestamp
        /// Ed25519, 64 bytes.
        public let signature: [UInt8]
    }

    public init(_ chain: AuditChain, of writer: AuditWriter = .only) {
        self.writer = writer
        (head, number, start, seal) = (chain.head, chain.number, nil, nil)
    }

    public init(_ signed: SignedAuditHead) {
        writer = signed.writer
        (head, number, start) = (signed.chain.head, signed.chain.number, signed.start)
        seal = Seal(time: signed.time, signature: signed.signature)
    }

    /// `nil` unless the text has the form `HASH`, `HASH:NUMBER`, `HASH:NUMBER:TIME:SIGNATURE` or
    /// `HASH:NUMBER:START_HASH:START_NUMBER:TIME:SIGNATURE`, with or without `WRITER/` before it. The third is of no writer with a name.
    public init?(_ text: some StringProtocol) {
        guard let (writer, rest) = AuditWriter.split(text) else { return nil }
        self.writer = writer
        let parts = rest.split(separator: ":", omittingEmptySubsequences: false)
        guard (writer.isNamed ? [1, 2, 6] : [1, 2, 4, 6]).contains(parts.count), let first = parts.first,
            let head = Self.hash(first)
        else {
            return nil
        }
        self.head = head
        guard parts.count > 1 else {
            (number, start, seal) = (nil, nil, nil)
            return
        }
        guard let number = Self.number(parts[1]) else { return nil }
        self.number = number
        if parts.count == 6 {
            guard let head = Self.hash(parts[2]), let before = Self.number(parts[3]), before <= number else { return nil }
            start = AuditChain(number: before, head: head)
        } else {
            start = nil
        }
        guard parts.count > 2 else {
            seal = nil
            return
        }
        guard let time = Int64(parts[parts.count - 2]), let signature = Base64.url.decode(parts[parts.count - 1]),
            signature.count == 64
        else { return nil }
        seal = Seal(time: Timestamp(unixMilliseconds: time), signature: signature)
    }

    private static func hash(_ text: some StringProtocol) -> [UInt8]? {
        Hex.decode(text).flatMap { $0.count == 32 ? $0 : nil }
    }

    private static func number(_ text: some StringProtocol) -> Int64? { Int64(text).flatMap { $0 >= 0 ? $0 : nil } }

    /// The signed head; `nil` if there is no signature.
    public var signed: SignedAuditHead? {
        guard let number, let seal else { return nil }
        return SignedAuditHead(
            AuditChain(number: number, head: head), of: writer, from: start, at: seal.time, signature: seal.signature)
    }

    public var description: String {
        if let signed { return signed.description }
        return writer.prefix + Hex.encode(head) + (number.map { ":\($0)" } ?? "")
    }
}

/// The expected start of an audit log, as text: the number of the first record, or the head before it, `HASH:NUMBER`, as `verify`
/// shows it and as the daemon logs it when it drops old records. Before that of a writer with a name stand the name and a slash.
public struct ExpectedAuditStart: Hashable, Sendable, CustomStringConvertible {
    /// The writer of the chain; `.only` where the text names none.
    public let writer: AuditWriter
    /// The number of the last record before the log; 0 if nothing was dropped.
    public let number: Int64
    /// The head after that record, 32 bytes; `nil`: any.
    public let head: [UInt8]?

    public init(_ chain: AuditChain, of writer: AuditWriter = .only) {
        (self.writer, number, head) = (writer, chain.number, chain.head)
    }

    /// `nil` unless the text has one of the two forms, with or without `WRITER/` before it. Records are numbered from 1.
    public init?(_ text: some StringProtocol) {
        guard let (writer, rest) = AuditWriter.split(text) else { return nil }
        self.writer = writer
        if let first = Int64(rest) {
            guard first >= 1 else { return nil }
            (number, head) = (first - 1, nil)
        } else {
            guard let chain = ExpectedAuditHead(rest), let number = chain.number, chain.seal == nil, chain.writer == .only
            else { return nil }
            (self.number, head) = (number, chain.head)
        }
    }

    /// The fault of a log that begins after `start`; `nil` if it begins as expected.
    public func fault(in start: AuditChain) -> AuditError? {
        guard start.number == number else {
            let detail =
                start.number > number
                ? "the log begins with record \(start.number &+ 1): those before it were cut away, or dropped since"
                : "the log begins with record \(start.number &+ 1), earlier than expected"
            return AuditError(.startMoved, at: min(number, start.number) &+ 1, detail)
        }
        guard let head, head != start.head else { return nil }
        return AuditError(
            .rewritten, at: number,
            "the log begins after the head \(Hex.encode(start.head)), expected was \(Hex.encode(head))")
    }

    public var description: String { writer.prefix + (head.map { "\(Hex.encode($0)):\(number)" } ?? "\(number &+ 1)") }
}

extension AuditWriter {
    /// Before the text of a head or start: the name and a slash; empty for `only`.
    var prefix: String { isNamed ? name + "/" : "" }

    /// The writer that a text begins with, and the rest of it; `nil` if what stands before a slash is no name.
    fileprivate static func split<Text: StringProtocol>(_ text: Text) -> (AuditWriter, Text.SubSequence)? {
        guard let slash = text.firstIndex(of: "/") else { return (.only, text[...]) }
        return AuditWriter(named: String(text[..<slash])).map { ($0, text[text.index(after: slash)...]) }
    }
}
