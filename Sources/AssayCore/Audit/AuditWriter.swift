/// The name of a writer of audit records. Each writer of a ledger has a hash chain of its own.
///
/// A ledger that one daemon has to itself has a single writer without a name, `only`. In a ledger that several daemons share each writer
/// has a name.
public struct AuditWriter: Hashable, Sendable, CustomStringConvertible {
    /// Empty for `only`, otherwise 1 to 64 bytes of `a-z`, `0-9`, `.`, `_` and `-`.
    public let name: String

    /// The writer of a ledger that has one.
    public static let only = AuditWriter()

    private init() { name = "" }

    /// A writer with a name, of the form above; `nil` for any other text, the empty one too.
    public init?(named name: String) {
        guard AppID(name) != nil else { return nil }
        self.name = name
    }

    /// False for `only`.
    public var isNamed: Bool { !name.isEmpty }

    public var description: String { name }
}

extension AuditWriter: Comparable {
    /// The order of the names' bytes. `only` is first.
    public static func < (a: AuditWriter, b: AuditWriter) -> Bool { a.name.utf8.lexicographicallyPrecedes(b.name.utf8) }
}

/// The state of one writer's chain.
public struct AuditWriterStatus: Hashable, Sendable {
    public let writer: AuditWriter
    /// The chain before the first record that is kept.
    public let start: AuditChain
    /// The chain after the last record.
    public let end: AuditChain
    /// The time of the writer's last accepted verdict; `nil` if the chain holds none.
    public let lastEntryAt: Timestamp?

    public init(_ writer: AuditWriter, start: AuditChain, end: AuditChain, lastEntryAt: Timestamp?) {
        (self.writer, self.start, self.end, self.lastEntryAt) = (writer, start, end, lastEntryAt)
    }
}
