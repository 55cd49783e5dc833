import Crypto

/// The state of the audit log's hash chain: the number of the last record, and the hash at its head.
///
/// `append` is the definition of the chain: ledgers continue it, and `AuditVerifier` follows it again.
public struct AuditChain: Hashable, Sendable {
    /// The number of the last record; 0 before the first. Records are numbered from 1 without gaps.
    public private(set) var number: Int64
    /// The hash at the head: SHA-256, 32 bytes.
    public private(set) var head: [UInt8]

    /// The chain of an empty log. Its head is 32 zero bytes.
    public init() { (number, head) = (0, [UInt8](repeating: 0, count: 32)) }

    /// The chain after a known record.
    public init(number: Int64, head: [UInt8]) { (self.number, self.head) = (number, head) }

    /// Appends a record's canonical bytes. The new head is SHA-256 over the label `assay.audit.v1` and, each behind its length
    /// (`FieldDigest`), the head before, the record's number, its time (milliseconds since 1970) and its bytes.
    public mutating func append(_ record: [UInt8], at time: Timestamp) {
        // A ledger never gets as far as 9·10¹⁸ records. A forged number may wrap; then no head fits.
        number &+= 1
        var hash = FieldDigest("assay.audit.v1")
        hash.append(head)
        hash.append(UInt64(bitPattern: number))
        hash.append(UInt64(bitPattern: time.unixMilliseconds))
        hash.append(record)
        head = hash.finalize()
    }

    /// The chain after one more record.
    public func appending(_ record: [UInt8], at time: Timestamp) -> AuditChain {
        var next = self
        next.append(record, at: time)
        return next
    }
}

/// A head of the chain, signed with the ledger's key (Ed25519, RFC 8032). A signed head that is kept outside the ledger proves that no
/// record up to it was changed since; the signature also protects it from changes by its keeper.
public struct SignedAuditHead: Hashable, Sendable {
    /// The writer of the chain.
    public let writer: AuditWriter
    public let chain: AuditChain
    /// The chain before the first kept record at the time of signing: its number is the number of dropped records. `nil` in a head of
    /// version 1.
    public let start: AuditChain?
    /// The time of signing.
    public let time: Timestamp
    /// 64 bytes.
    public let signature: [UInt8]

    public init(
        _ chain: AuditChain, of writer: AuditWriter = .only, from start: AuditChain?, at time: Timestamp, signature: [UInt8]
    ) {
        self.writer = writer
        (self.chain, self.start, self.time, self.signature) = (chain, start, time, signature)
    }

    /// The signed message, SHA-256, with each field behind its length (`FieldDigest`). Version 1: over the label
    /// `assay.audit.head.v1`, number, head and time. Version 2: over the label `assay.audit.head.v2`, number, head, the start's number
    /// and head, and time. Version 3, of a writer with a name: over the label `assay.audit.head.v3`, the writer's name, and the fields of
    /// version 2.
    ///
    /// - Parameters:
    ///   - writer: with a name for version 3.
    ///   - start: `nil` for version 1, and in no other.
    public static func message(
        _ chain: AuditChain, of writer: AuditWriter = .only, from start: AuditChain?, at time: Timestamp
    ) -> [UInt8] {
        let version = writer.isNamed ? 3 : start == nil ? 1 : 2
        var hash = FieldDigest("assay.audit.head.v\(version)")
        if writer.isNamed { hash.append(Array(writer.name.utf8)) }
        hash.append(UInt64(bitPattern: chain.number))
        hash.append(chain.head)
        if let start {
            hash.append(UInt64(bitPattern: start.number))
            hash.append(start.head)
        }
        hash.append(UInt64(bitPattern: time.unixMilliseconds))
        return hash.finalize()
    }

    /// - Parameter publicKey: 32 bytes; false for any other length.
    public func isSigned(by publicKey: [UInt8]) -> Bool {
        guard start != nil || !writer.isNamed else { return false }
        guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: publicKey) else { return false }
        return key.isValidSignature(signature, for: Self.message(chain, of: writer, from: start, at: time))
    }
}

extension SignedAuditHead: CustomStringConvertible {
    /// The form that `ExpectedAuditHead` reads.
    public var description: String {
        let start = start.map { ":\(Hex.encode($0.head)):\($0.number)" } ?? ""
        return
            "\(writer.prefix)\(Hex.encode(chain.head)):\(chain.number)\(start):\(time.unixMilliseconds):\(Base64.url.encode(signature))"
    }
}
